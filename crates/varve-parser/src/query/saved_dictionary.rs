//! sqlite-zstd's `SELECT zstd_train_dict_and_save(sample, size, sample_count, key) FROM ...`, which
//! writes: here it is an INSERT of what `zstd_train_dict` gives, and returns the number of the row.

use varve_ast::{
    Call, Expr, ExprKind, Insert, InsertSource, Name, ObjectName, Query, QueryBody, SelectItem,
    Span, Target,
};

const FUNCTION: &str = "zstd_train_dict_and_save";
const TRAINS: &str = "zstd_train_dict";
const TABLE: &str = "_zstd_dicts";

/// The INSERT that a query means whose only item is the function; any other query comes back.
pub(crate) fn saved_dictionary(mut query: Box<Query>) -> Result<Box<Insert>, Box<Query>> {
    let QueryBody::Select(select) = &mut *query.body else {
        return Err(query);
    };
    let is_plain = select.distinct.is_none() && select.into.is_none();
    let [SelectItem::Expr { expr, alias }] = select.items.as_mut_slice() else {
        return Err(query);
    };
    let ExprKind::Call(call) = &mut expr.kind else {
        return Err(query);
    };
    if !is_plain || !is_saving(call) {
        return Err(query);
    }
    let span = call.name.name.span;
    let Some(key) = call.arguments.pop() else {
        return Err(query);
    };
    call.name = simple(TRAINS, span);
    let label = alias.take().unwrap_or_else(|| simple(FUNCTION, span).name);
    select.items.push(SelectItem::Expr {
        expr: key.value,
        alias: None,
    });
    let id = Expr {
        kind: ExprKind::Column(simple("id", span)),
        span,
        is_parenthesized: false,
    };
    let column = |name: &str| Target {
        name: simple(name, span),
        subscripts: Vec::new(),
    };
    Ok(Box::new(Insert {
        table: simple(TABLE, span),
        alias: None,
        columns: vec![column("dict"), column("chooser_key")],
        overriding: None,
        span: query.span,
        source: InsertSource::Query(query),
        on_conflict: None,
        returning: Some(vec![SelectItem::Expr {
            expr: id,
            alias: Some(label),
        }]),
        saves_dictionary: true,
    }))
}

fn is_saving(call: &Call) -> bool {
    let is_named = call.name.qualifiers.is_empty() && call.name.name.text == FUNCTION;
    is_named && call.arguments.len() == 4 && call.over.is_none() && call.within_group.is_empty()
}

fn simple(name: &str, span: Span) -> ObjectName {
    ObjectName::simple(Name {
        text: name.to_owned(),
        is_quoted: false,
        span,
    })
}
