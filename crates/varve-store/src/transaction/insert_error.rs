//! Why rows were not inserted.

use varve_types::{Error, SqlState, TreeId, Value};

/// Why rows were not inserted. The caller knows the names that belong into the message of a
/// duplicate.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertError {
    /// `23505`: a row with this key is already there.
    Duplicate {
        /// The unique index; `None` for the key of the tree itself.
        index: Option<TreeId>,
        /// The values of the key columns, in the order of the sort key.
        key: Vec<Value>,
    },
    /// Anything else.
    Other(Error),
}

impl From<Error> for InsertError {
    fn from(error: Error) -> InsertError {
        InsertError::Other(error)
    }
}

impl From<InsertError> for Error {
    fn from(error: InsertError) -> Error {
        match error {
            InsertError::Duplicate { .. } => Error::new(
                SqlState::UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint",
            ),
            InsertError::Other(error) => error,
        }
    }
}
