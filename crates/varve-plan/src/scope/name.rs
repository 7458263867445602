//! Identifiers and names of tables and result columns.

use varve_ast::{
    Access, Call, Expr as Ast, ExprKind, Name, QueryBody, SelectItem, SpecialCall, TrimSide,
};

use varve_catalog::text::type_name::cast_name;

/// The name that PostgreSQL gives a result column without an alias.
pub fn result_name(expr: &Ast) -> String {
    // A cast gives its type's name only where what it converts has none of its own.
    let mut expr = expr;
    let mut fallback = None;
    loop {
        expr = match &expr.kind {
            ExprKind::Collate { operand, .. } => operand,
            ExprKind::Cast(cast) => {
                fallback = fallback.or_else(|| cast_name(&cast.type_name));
                &cast.operand
            }
            ExprKind::TypedLiteral(typed) => {
                fallback = fallback.or_else(|| cast_name(&typed.type_name));
                break;
            }
            ExprKind::Interval(_) => {
                fallback = fallback.or_else(|| Some("interval".to_owned()));
                break;
            }
            ExprKind::Case(case) => {
                if let Some(name) = case.otherwise.as_ref().and_then(otherwise_name) {
                    return name.to_owned();
                }
                fallback = fallback.or_else(|| Some("case".to_owned()));
                break;
            }
            ExprKind::Access { root, steps } => match steps.iter().rev().find_map(field_of) {
                Some(field) => return field.text.clone(),
                None => root,
            },
            ExprKind::Subquery(query) => match only_output(&query.body) {
                Some(SelectItem::Expr { expr, alias: None }) => expr,
                Some(SelectItem::Expr {
                    alias: Some(alias), ..
                }) => return alias.text.clone(),
                _ => break,
            },
            kind => match own_name(kind) {
                Some(name) => return name.to_owned(),
                None => break,
            },
        };
    }
    fallback.unwrap_or_else(|| "?column?".to_owned())
}

/// The name that an expression has by itself.
fn own_name(kind: &ExprKind) -> Option<&str> {
    Some(match kind {
        ExprKind::Column(name) => &name.name.text,
        ExprKind::Call(call) => called_name(call),
        ExprKind::Json(json) => called_name(&json.call),
        ExprKind::Row {
            is_explicit: true, ..
        } => "row",
        ExprKind::Array(_) | ExprKind::ArraySubquery(_) => "array",
        ExprKind::Exists(_) => "exists",
        ExprKind::AtTimeZone { .. } => "timezone",
        ExprKind::Special(call) => match &**call {
            SpecialCall::Extract { .. } => "extract",
            SpecialCall::Position { .. } => "position",
            SpecialCall::Substring { .. } => "substring",
            SpecialCall::Overlay { .. } => "overlay",
            SpecialCall::Trim { side, .. } => trim_name(*side),
        },
        _ => return None,
    })
}

fn called_name(call: &Call) -> &str {
    &call.name.name.text
}

/// The function that TRIM is.
pub fn trim_name(side: Option<TrimSide>) -> &'static str {
    match side {
        Some(TrimSide::Leading) => "ltrim",
        Some(TrimSide::Trailing) => "rtrim",
        Some(TrimSide::Both) | None => "btrim",
    }
}

/// The name that ELSE gives its CASE: only what has a name itself counts.
fn otherwise_name(otherwise: &Ast) -> Option<&str> {
    let mut otherwise = otherwise;
    while let ExprKind::Cast(cast) = &otherwise.kind {
        otherwise = &cast.operand;
    }
    match &otherwise.kind {
        kind @ (ExprKind::Column(_)
        | ExprKind::Call(_)
        | ExprKind::Json(_)
        | ExprKind::ArraySubquery(_)
        | ExprKind::Row { .. }) => own_name(kind),
        _ => None,
    }
}

fn field_of(step: &Access) -> Option<&Name> {
    match step {
        Access::Field(field) => Some(field),
        Access::Star(_) | Access::Index(_) | Access::Slice { .. } => None,
    }
}

/// The first column of a query as it is written.
fn only_output(body: &QueryBody) -> Option<&SelectItem> {
    let mut body = body;
    loop {
        body = match body {
            QueryBody::Select(select) => return select.items.first(),
            QueryBody::Set(operation) => &operation.left,
            QueryBody::Query(query) => &query.body,
            QueryBody::Values(_) | QueryBody::Dml(_) => return None,
        };
    }
}
