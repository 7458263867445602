//! What decoding gives: plain values, or a form that an executor can work on as it is.

/// A decoded vector; `V` is a container of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<V> {
    /// One value a row.
    Plain(V),
    /// Every row is the only value.
    Constant(V),
    /// Row `i` is `values[codes[i]]`; every code is below the number of values. The values ascend
    /// and are distinct.
    Dictionary {
        /// One code a row.
        codes: Vec<u32>,
        /// The distinct values.
        values: V,
    },
    /// As a dictionary whose values are a resource of the block's [`crate::Shared`].
    Shared {
        /// One code a row.
        codes: Vec<u32>,
        /// Which resource.
        resource: u8,
    },
    /// Run `r` holds the rows from `ends[r - 1]` (or 0) to `ends[r]`. The ends ascend strictly to
    /// the row count.
    RunEnds {
        /// One past the last row of each run.
        ends: Vec<u32>,
        /// One value a run.
        values: V,
    },
}
