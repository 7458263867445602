//! How the rows of a query are locked.

use varve_plan::plan::RowLock;

/// A clause of a query that locks rows.
#[derive(Clone)]
pub struct LockClause {
    /// The table behind OF, and where it is named.
    pub of: Option<(String, u32)>,
    /// How its rows are locked.
    pub lock: RowLock,
}

impl LockClause {
    /// What a query around locks of all rows.
    pub fn of_all(lock: RowLock) -> LockClause {
        LockClause { of: None, lock }
    }
}
