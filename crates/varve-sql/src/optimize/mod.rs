//! From the plan that a text says to one that is quick: subqueries become joins, conditions are
//! applied early, joins are ordered, and unused columns are left out.
//!
//! Invariant: the optimised plan has the same columns and the same rows.

mod cluster;
mod conditions;
mod decorrelate;
mod estimate;
mod pull;

pub(crate) use conditions::taken;
pub(crate) use decorrelate::bind_outer;

use crate::plan::Plan;
use crate::prune::prune;
use crate::scan_order::with_orders;

/// The plan as it is run.
pub(crate) fn optimize(plan: Plan) -> Plan {
    let plan = decorrelate::decorrelate(plan);
    with_orders(prune(conditions::push(plan, Vec::new())))
}
