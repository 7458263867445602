//! From the plan that a text says to one that is quick: subqueries become joins, conditions are
//! applied early, joins are ordered, and unused columns are left out.
//!
//! Invariant: the optimised plan has the same columns and the same rows.

mod cluster;
mod conditions;
mod decorrelate;
mod estimate;
pub mod index_choice;
mod prefix_range;
mod prune;
mod pull;
pub mod push_down;
pub mod scan_order;

use prune::prune;
use scan_order::with_orders;

use crate::plan::Plan;

pub use crate::plan::walk::taken;
pub use decorrelate::bind_outer;

/// The plan as it is run.
pub fn optimize(plan: Plan) -> Plan {
    let plan = decorrelate::decorrelate(plan);
    with_orders(prune(conditions::push(plan, Vec::new())))
}
