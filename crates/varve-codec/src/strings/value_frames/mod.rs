//! Values that are compressed by zstd one by one.

/// How a value is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueFrame {
    /// Not at all.
    Raw,
    /// Without a dictionary.
    Alone,
    /// With the dictionary of this number.
    With(i32),
}
