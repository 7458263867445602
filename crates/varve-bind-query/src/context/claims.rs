//! How the rows of a query are locked.

use varve_plan::plan::RowLock;

/// A clause of a query that claims rows.
#[derive(Clone)]
pub struct Claim {
    /// The table behind OF, and where it is named.
    pub of: Option<(String, u32)>,
    /// How its rows are locked.
    pub lock: RowLock,
}

impl Claim {
    /// What a query around claims of all rows.
    pub fn of_all(lock: RowLock) -> Claim {
        Claim { of: None, lock }
    }
}
