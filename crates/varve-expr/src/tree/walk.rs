//! Walks over expressions: children, the columns used, and renumbering.

use varve_types::meter;

use super::expr::Expr;
use super::function::Volatility;
use super::placeholder::Placeholder;

/// How many parts an expression has, itself included.
fn part_count(expr: &Expr) -> usize {
    let mut count = 1;
    for_each_child(expr, &mut |child| count += part_count(child));
    count
}

/// Calls `visit` for each direct child.
pub fn for_each_child(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match expr {
        Expr::Column { .. }
        | Expr::Placeholder { .. }
        | Expr::Literal { .. }
        | Expr::Parameter { .. }
        | Expr::Outer { .. } => {}
        Expr::Compare { left, right, .. } | Expr::Distinct { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Expr::Not(input) | Expr::IsNull { input, .. } | Expr::Cast { input, .. } => visit(input),
        Expr::And(items)
        | Expr::Or(items)
        | Expr::Call { args: items, .. }
        | Expr::Coalesce { args: items, .. } => items.iter().for_each(visit),
        Expr::InList { input, list, .. } => {
            visit(input);
            list.iter().for_each(visit);
        }
        Expr::Case {
            branches,
            otherwise,
            ..
        } => {
            for (condition, result) in branches {
                visit(condition);
                visit(result);
            }
            if let Some(otherwise) = otherwise {
                visit(otherwise);
            }
        }
    }
}

/// Calls `visit` for each direct child, which it may replace.
pub fn for_each_child_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::Column { .. }
        | Expr::Placeholder { .. }
        | Expr::Literal { .. }
        | Expr::Parameter { .. }
        | Expr::Outer { .. } => {}
        Expr::Compare { left, right, .. } | Expr::Distinct { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Expr::Not(input) | Expr::IsNull { input, .. } | Expr::Cast { input, .. } => visit(input),
        Expr::And(items)
        | Expr::Or(items)
        | Expr::Call { args: items, .. }
        | Expr::Coalesce { args: items, .. } => items.iter_mut().for_each(visit),
        Expr::InList { input, list, .. } => {
            visit(input);
            list.iter_mut().for_each(visit);
        }
        Expr::Case {
            branches,
            otherwise,
            ..
        } => {
            for (condition, result) in branches {
                visit(condition);
                visit(result);
            }
            if let Some(otherwise) = otherwise {
                visit(otherwise);
            }
        }
    }
}

/// Calls `visit` with every column that the expression reads, repeats included.
pub fn for_each_column(expr: &Expr, visit: &mut dyn FnMut(usize)) {
    if let Expr::Column { index, .. } = expr {
        visit(*index);
    }
    for_each_child(expr, &mut |child| for_each_column(child, visit));
}

/// Whether the expression reads no column, and will read none.
pub fn is_column_free(expr: &Expr) -> bool {
    let mut free = true;
    for_each_column(expr, &mut |_| free = false);
    for_each_placeholder(expr, &mut |_| free = false);
    free
}

/// Whether a value may differ from one evaluation to the next.
pub fn is_volatile(expr: &Expr) -> bool {
    let mut volatile = match expr {
        Expr::Call { function, .. } => function.volatility() == Volatility::Volatile,
        _ => false,
    };
    for_each_child(expr, &mut |child| volatile = volatile || is_volatile(child));
    volatile
}

/// Whether the expression has one value while a statement reads its rows.
pub fn is_fixed(expr: &Expr) -> bool {
    is_column_free(expr) && !is_volatile(expr)
}

/// Calls `visit` with every placeholder of the expression, repeats included.
pub fn for_each_placeholder(expr: &Expr, visit: &mut dyn FnMut(Placeholder)) {
    if let Expr::Placeholder { part, .. } = expr {
        visit(*part);
    }
    for_each_child(expr, &mut |child| for_each_placeholder(child, visit));
}

/// Renumbers the placeholders.
pub fn map_placeholders(expr: &mut Expr, map: &dyn Fn(Placeholder) -> Placeholder) {
    if let Expr::Placeholder { part, .. } = expr {
        *part = map(*part);
    }
    for_each_child_mut(expr, &mut |child| map_placeholders(child, map));
}

/// Puts columns where placeholders are; those that `column` does not know stay.
pub fn fill_placeholders(expr: &mut Expr, column: &dyn Fn(Placeholder) -> Option<usize>) {
    if let Expr::Placeholder { part, ty } = expr
        && let Some(index) = column(*part)
    {
        *expr = Expr::Column { index, ty: *ty };
    }
    for_each_child_mut(expr, &mut |child| fill_placeholders(child, column));
}

/// Renumbers the columns.
pub fn map_columns(expr: &mut Expr, map: &dyn Fn(usize) -> usize) {
    if let Expr::Column { index, .. } = expr {
        *index = map(*index);
    }
    for_each_child_mut(expr, &mut |child| map_columns(child, map));
}

/// Whether two expressions compute the same, wherever they stand in the text.
pub fn same_meaning(left: &Expr, right: &Expr) -> bool {
    if left == right {
        return true;
    }
    if core::mem::discriminant(left) != core::mem::discriminant(right) {
        return false;
    }
    let (mut left, mut right) = (left.clone(), right.clone());
    without_positions(&mut left);
    without_positions(&mut right);
    left == right
}

/// Forgets where the parts of an expression stand in a text.
pub fn without_positions(expr: &mut Expr) {
    if let Expr::Call { position, .. } | Expr::Cast { position, .. } = expr {
        *position = 0;
    }
    for_each_child_mut(expr, &mut without_positions);
}

/// Adds the conditions that must all hold, ANDs taken apart, what is always true left out.
pub fn split_conjunction(expr: Expr, into: &mut Vec<Expr>) {
    match expr {
        Expr::And(items) => {
            for item in items {
                split_conjunction(item, into);
            }
        }
        Expr::Literal {
            value: varve_types::Value::Boolean(true),
            ..
        } => {}
        Expr::Or(branches) => into.extend(common_first(branches)),
        other => into.push(other),
    }
}

/// An OR as conditions that must all hold: what stands in every branch, then the OR of the rest.
/// Only comparisons of columns and literals are taken out, which cannot fail where their branch
/// would not have been reached.
fn common_first(branches: Vec<Expr>) -> Vec<Expr> {
    let is_shared = |part: &Expr| {
        is_plain_comparison(part) && branches.iter().all(|branch| parts(branch).contains(part))
    };
    let first = branches.first().map_or(&[][..], parts);
    let mut shared: Vec<Expr> = first
        .iter()
        .filter(|part| is_shared(part))
        .cloned()
        .collect();
    if shared.is_empty() {
        return vec![Expr::Or(branches)];
    }
    let rest = |branch: &Expr| {
        let left = parts(branch).iter().filter(|part| !shared.contains(part));
        conjunction(left.cloned().collect())
    };
    // A branch without a rest holds wherever the shared conditions do.
    let rests: Option<Vec<Expr>> = branches.iter().map(rest).collect();
    shared.extend(rests.map(Expr::Or));
    shared
}

/// The conditions of an AND; of anything else itself.
fn parts(condition: &Expr) -> &[Expr] {
    match condition {
        Expr::And(items) => items,
        other => std::slice::from_ref(other),
    }
}

fn is_plain_comparison(condition: &Expr) -> bool {
    let is_plain = |side: &Expr| matches!(side, Expr::Column { .. } | Expr::Literal { .. });
    match condition {
        Expr::Compare { left, right, .. } => is_plain(left) && is_plain(right),
        _ => false,
    }
}

/// The conjunction of conditions; `None` for none.
pub fn conjunction(mut conditions: Vec<Expr>) -> Option<Expr> {
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expr::And(conditions)),
    }
}

/// Replaces the parts of an expression for which `replace` has another. Where that becomes too much
/// they stay, and the statement fails: see [`varve_types::meter`].
pub fn substitute(expr: &mut Expr, replace: &dyn Fn(&Expr) -> Option<Expr>) {
    match replace(expr) {
        Some(other) => {
            if meter::may_substitute(part_count(&other) - 1) {
                *expr = other;
            }
        }
        None => for_each_child_mut(expr, &mut |child| substitute(child, replace)),
    }
}
