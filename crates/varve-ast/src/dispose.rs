//! Dropping long chains of operators and sets: a loop instead of one call for each level.

use crate::expr::{Expr, ExprKind};
use crate::query::{QueryBody, SetOperation};

/// The operand that a chain goes on with.
fn next_of(kind: &mut ExprKind) -> Option<&mut Expr> {
    match kind {
        ExprKind::Infix { left, .. } | ExprKind::And(left, _) | ExprKind::Or(left, _) => Some(left),
        ExprKind::Cast(cast) => Some(&mut cast.operand),
        ExprKind::InSubquery(subquery) => Some(&mut subquery.operand),
        ExprKind::Between(between) => Some(&mut between.operand),
        ExprKind::Like(like) => Some(&mut like.operand),
        ExprKind::Quantified(quantified) => Some(&mut quantified.left),
        ExprKind::IsJson(predicate) => Some(&mut predicate.operand),
        ExprKind::Not(operand)
        | ExprKind::Prefix { operand, .. }
        | ExprKind::IsNull { operand, .. }
        | ExprKind::IsTruth { operand, .. }
        | ExprKind::IsDistinct { left: operand, .. }
        | ExprKind::IsNormalized { operand, .. }
        | ExprKind::InList { operand, .. }
        | ExprKind::Access { root: operand, .. }
        | ExprKind::Collate { operand, .. }
        | ExprKind::AtTimeZone { operand, .. } => Some(operand),
        _ => None,
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        let Some(next) = next_of(&mut self.kind) else {
            return;
        };
        let mut next = next.take_kind();
        while let Some(operand) = next_of(&mut next) {
            let behind = operand.take_kind();
            next = behind;
        }
    }
}

impl Drop for SetOperation {
    fn drop(&mut self) {
        let mut next = take_set(&mut self.left);
        while let Some(mut operation) = next {
            next = take_set(&mut operation.left);
        }
    }
}

/// Takes the operation out that a side of another one is.
fn take_set(side: &mut QueryBody) -> Option<SetOperation> {
    if !matches!(side, QueryBody::Set(_)) {
        return None;
    }
    match core::mem::take(side) {
        QueryBody::Set(operation) => Some(operation),
        _ => None,
    }
}
