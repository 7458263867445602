//! Plans whose rows are locked.

use varve_expr::Expr;
use varve_types::{Error, Result, SqlState};

use crate::build::limit::{RowLimit, limited, limited_sort, sorted};
use crate::plan::{LockNode, LockTarget, LockWait, Plan, SortKeyExpr};

/// The plan ordered and cut, its rows locked.
pub fn locked_rows(
    plan: Plan,
    keys: Vec<SortKeyExpr>,
    limit: RowLimit,
    targets: Vec<(LockTarget, Vec<Expr>)>,
) -> Result<Plan> {
    let skips = |(target, _): &(LockTarget, Vec<Expr>)| target.lock.wait == LockWait::Skip;
    if !targets.iter().any(skips) {
        // No row is left out, so those that the limit leaves are locked.
        return Ok(locked(limited_sort(plan, keys, limit), targets));
    }
    if limit.with_ties {
        let message = "SKIP LOCKED and WITH TIES options cannot be used together";
        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
    }
    Ok(limited(
        locked(sorted(plan, keys), targets),
        limit,
        Vec::new(),
    ))
}

pub(crate) fn locked(plan: Plan, targets: Vec<(LockTarget, Vec<Expr>)>) -> Plan {
    if targets.is_empty() {
        return plan;
    }
    let (targets, places): (_, Vec<Vec<Expr>>) = targets.into_iter().unzip();
    Plan::Lock(LockNode {
        input: Box::new(plan),
        targets,
        places: places.into_iter().flatten().collect(),
    })
}

/// `0A000`: why rows cannot be locked here.
pub fn refused(words: &str, why: &str) -> Error {
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, format!("{words} {why}"))
}
