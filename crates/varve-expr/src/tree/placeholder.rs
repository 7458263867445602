//! Parts of an expression that are computed elsewhere.

/// A value that the statement computes elsewhere. It stands in an expression until the column that
/// will hold it is known. The numbers count the parts of one query, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The result of an aggregate.
    Aggregate(usize),
    /// A column of the rows that a subquery gives.
    Subquery {
        /// The subquery.
        number: usize,
        /// The column of its rows.
        column: usize,
    },
    /// The result of a window function.
    Window(usize),
    /// A value of the rows of a set-returning function.
    Set(usize),
    /// The result of `grouping()`.
    Grouping(usize),
}
