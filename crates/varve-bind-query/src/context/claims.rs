//! How the rows of a query are locked.

use crate::plan::RowLock;

/// A clause of a query that claims rows.
#[derive(Clone)]
pub(crate) struct Claim {
    /// The table behind OF, and where it is named.
    pub(crate) of: Option<(String, u32)>,
    pub(crate) lock: RowLock,
}

impl Claim {
    /// What a query around claims of all rows.
    pub(crate) fn of_all(lock: RowLock) -> Claim {
        Claim { of: None, lock }
    }
}
