//! Why rows were not inserted.

use varve_types::{Error, TreeId, Value};

use crate::error::{StoreError, StoreErrorKind};

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
    Other(StoreError),
}

impl From<StoreError> for InsertError {
    fn from(error: StoreError) -> InsertError {
        InsertError::Other(error)
    }
}

impl From<Error> for InsertError {
    fn from(error: Error) -> InsertError {
        InsertError::Other(error.into())
    }
}

impl From<InsertError> for StoreError {
    fn from(error: InsertError) -> StoreError {
        match error {
            InsertError::Duplicate { .. } => StoreErrorKind::Duplicate.into(),
            InsertError::Other(error) => error,
        }
    }
}

impl From<InsertError> for Error {
    fn from(error: InsertError) -> Error {
        StoreError::from(error).into()
    }
}
