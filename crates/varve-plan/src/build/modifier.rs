//! What the types of a query's columns are bounded by.

use varve_expr::Expr;
use varve_types::TypeMod;

use crate::plan::{JoinKind, Plan};

/// The modifier of a column of a plan, where it comes from a column of a table or from a cast.
pub fn modifier_of(plan: &Plan, index: usize) -> TypeMod {
    let of_expr = |input: &Plan, expr: Option<&Expr>| match expr {
        Some(Expr::Column { index, .. }) => modifier_of(input, *index),
        Some(Expr::Cast { modifier, .. }) => *modifier,
        _ => TypeMod::NONE,
    };
    match plan {
        Plan::Scan(scan) => {
            let at = scan.columns.get(index);
            let table = scan.table.as_ref();
            let column = table.and_then(|table| table.columns.get(*at?));
            column.map_or(TypeMod::NONE, |column| column.modifier)
        }
        Plan::Project { input, exprs } => of_expr(input, exprs.get(index)),
        Plan::Aggregate { input, groups, .. } => of_expr(input, groups.get(index)),
        Plan::Filter { input, .. }
        | Plan::Sort { input, .. }
        | Plan::Limit { input, .. }
        | Plan::First { input, .. }
        | Plan::Sample { input, .. } => modifier_of(input, index),
        Plan::Join(join) => match index.checked_sub(join.left.width()) {
            None => modifier_of(&join.left, index),
            Some(index) if join.kind != JoinKind::Mark => modifier_of(&join.right, index),
            Some(_) => TypeMod::NONE,
        },
        Plan::ProjectSet(node) if index < node.input.width() => modifier_of(&node.input, index),
        Plan::Window(node) if index < node.input.width() => modifier_of(&node.input, index),
        Plan::Lock(node) => modifier_of(&node.input, index),
        Plan::With(with) => modifier_of(&with.body, index),
        Plan::Append { inputs, .. } => {
            // It holds where all agree.
            let mut all = inputs.iter().map(|input| modifier_of(input, index));
            let first = all.next().unwrap_or(TypeMod::NONE);
            match all.all(|other| other == first) {
                true => first,
                false => TypeMod::NONE,
            }
        }
        _ => TypeMod::NONE,
    }
}
