//! The plan in a statement.

use crate::plan::Statement;
use crate::plan::utility::Utility;

pub fn utility(utility: Utility) -> Statement {
    Statement::Utility(Box::new(utility))
}
