//! The functions that there are.

use varve_expr::{FunctionFacts, Volatility, function_facts};
use varve_types::{ArrayValue, ElementType, Value};

use super::{OWNER_OID, PG_CATALOG_OID, int2, oid, text};
use crate::schema::Catalog;

/// The language of functions that are built in.
const INTERNAL: u32 = 12;

pub(super) fn functions(_: &Catalog) -> Vec<Vec<Value>> {
    function_facts().iter().map(row).collect()
}

fn row(function: &FunctionFacts) -> Vec<Value> {
    let arguments = function.arguments.iter().map(|number| oid(*number));
    let arguments = ArrayValue::of(ElementType::Oid, arguments.collect());
    let no = || Value::Boolean(false);
    let volatility = match function.volatility {
        Volatility::Immutable => "i",
        Volatility::Stable => "s",
        Volatility::Volatile => "v",
    };
    vec![
        oid(function.number),
        text(function.name),
        oid(PG_CATALOG_OID),
        oid(OWNER_OID),
        oid(INTERNAL),
        Value::Float4(1.0),
        Value::Float4(if function.returns_set { 1000.0 } else { 0.0 }),
        oid(0),
        text("f"),
        no(),
        no(),
        Value::Boolean(function.is_strict),
        Value::Boolean(function.returns_set),
        text(volatility),
        text("s"),
        int2(function.arguments.len()),
        Value::Int2(0),
        oid(function.result),
        Value::array(&arguments),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        text(function.name),
    ]
}
