//! `SELECT zstd_enable_transparent(...)` and `SELECT zstd_incremental_maintenance(...)`: functions
//! of sqlite-zstd that do what only a statement can.

use varve_ast::{
    Call, ExprKind, Query, QueryBody, Select, SelectItem, Span, TransparentCall,
    TransparentFunction,
};

/// The call that a query is nothing but; any other query comes back.
pub(crate) fn transparent_call(mut query: Box<Query>) -> Result<TransparentCall, Box<Query>> {
    let is_plain = query.with.is_none()
        && query.order_by.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && query.locks.is_empty();
    let span = query.span;
    let QueryBody::Select(select) = &mut *query.body else {
        return Err(query);
    };
    match called(select, span).filter(|_| is_plain) {
        Some(call) => Ok(call),
        None => Err(query),
    }
}

fn called(select: &mut Select, span: Span) -> Option<TransparentCall> {
    let is_plain = select.distinct.is_none()
        && select.into.is_none()
        && select.from.is_empty()
        && select.filter.is_none()
        && select.group_by.is_empty()
        && select.having.is_none()
        && select.windows.is_empty();
    let [SelectItem::Expr { expr, alias }] = select.items.as_mut_slice() else {
        return None;
    };
    let ExprKind::Call(call) = &mut expr.kind else {
        return None;
    };
    let function = TransparentFunction::named(&call.name.name.text)?;
    if !is_plain || !has_arguments_only(call) {
        return None;
    }
    let label = alias.take().map(|alias| alias.text);
    let arguments = core::mem::take(&mut call.arguments);
    Some(TransparentCall {
        function,
        arguments: arguments.into_iter().map(|given| given.value).collect(),
        label: label.unwrap_or_else(|| function.name().to_owned()),
        span,
    })
}

fn has_arguments_only(call: &Call) -> bool {
    let mut arguments = call.arguments.iter();
    call.name.qualifiers.is_empty()
        && arguments.all(|given| given.name.is_none() && given.variadic.is_none())
        && !call.has_star
        && !call.is_distinct
        && call.order_by.is_empty()
        && call.within_group.is_empty()
        && call.filter.is_none()
        && call.over.is_none()
}
