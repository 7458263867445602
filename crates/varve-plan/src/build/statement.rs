//! The plan in a statement.

use crate::plan::Statement;
use crate::plan::utility::Utility;

/// A statement of the kind that has no plan.
pub fn utility(utility: Utility) -> Statement {
    Statement::Utility(Box::new(utility))
}
