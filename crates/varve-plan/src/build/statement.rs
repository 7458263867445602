//! The plan in a statement.

use crate::plan::Statement;
use crate::utility::Utility;

pub(crate) fn utility(utility: Utility) -> Statement {
    Statement::Utility(Box::new(utility))
}
