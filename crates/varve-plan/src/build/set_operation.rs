//! The plans that set operations make of their sides.

use varve_expr::{Expr, fold};
use varve_types::{LogicalType, TypeMod};

use crate::build::output::plan_column;
use crate::plan::Plan;

/// Each different row once.
pub fn distinct(input: Plan) -> Plan {
    let types = input.types().into_iter().enumerate();
    Plan::Aggregate {
        groups: types.map(|(index, ty)| plan_column(index, ty)).collect(),
        input: Box::new(input),
        aggregates: Vec::new(),
    }
}

/// The plan with its columns converted to these types; `place` is where each is written.
pub fn retyped(plan: Plan, types: &[LogicalType], place: &dyn Fn(usize) -> u32) -> Plan {
    let own = plan.types();
    if own == types {
        return plan;
    }
    let convert = |input: Expr, to: LogicalType, at: usize| {
        if input.logical_type() == to {
            return input;
        }
        fold(Expr::Cast {
            input: Box::new(input),
            to,
            modifier: TypeMod::NONE,
            explicit: false,
            position: place(at),
        })
    };
    match plan {
        Plan::Project { input, exprs } => Plan::Project {
            input,
            exprs: exprs
                .into_iter()
                .zip(types)
                .enumerate()
                .map(|(index, (expr, ty))| convert(expr, *ty, index))
                .collect(),
        },
        plan => Plan::Project {
            input: Box::new(plan),
            exprs: own
                .iter()
                .zip(types)
                .enumerate()
                .map(|(index, (from, to))| convert(plan_column(index, *from), *to, index))
                .collect(),
        },
    }
}
