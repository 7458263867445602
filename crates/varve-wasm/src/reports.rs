//! What a check found, a repair or a load did, as plain objects; `js/src/interface.ts` has their
//! types.

use js_sys::{Array, Object, Reflect};
use varvedb::{BulkLoadReport, CheckReport, RepairReport};
use wasm_bindgen::JsValue;

use crate::convert::{error_object, number};

/// `CheckReport` of the package.
pub fn check_object(report: &CheckReport) -> JsValue {
    let problems = report.problems.iter().map(|problem| {
        let object = error_object(&problem.error);
        set(&object, "table", optional(problem.table.as_deref()));
        object
    });
    object([
        ("values", number(report.values).into()),
        ("bytes", number(report.bytes).into()),
        ("rows", number(report.rows).into()),
        ("problems", problems.collect::<Array>().into()),
    ])
}

/// `BulkLoadResult` of the package.
pub fn load_object(report: &BulkLoadReport) -> JsValue {
    let greatest = report.max_row_id.map_or(JsValue::NULL, JsValue::from);
    object([
        ("rowCount", number(report.rows).into()),
        ("bytes", number(report.bytes).into()),
        ("durationMs", (number(report.duration_us) / 1000.0).into()),
        ("rowsPerSecond", number(report.rows_per_second()).into()),
        ("maxRowId", greatest),
    ])
}

/// `RepairReport` of the package.
pub fn repair_object(report: &RepairReport) -> JsValue {
    let tables = report.tables.iter().map(|table| {
        object([
            ("table", optional(table.table.as_deref())),
            ("rowsKept", number(table.rows_kept).into()),
            ("rowsLost", number(table.rows_lost).into()),
            (
                "deletedRowsBackMax",
                number(table.deleted_rows_back_max).into(),
            ),
            ("errors", strings(&table.errors)),
        ])
    });
    let first_lost = report
        .first_commit_lost
        .map_or(JsValue::NULL, |lost| number(lost).into());
    object([
        ("restored", strings(&report.restored)),
        ("firstCommitLost", first_lost),
        ("commitsKeptAfter", number(report.commits_kept_after).into()),
        ("tables", tables.collect::<Array>().into()),
    ])
}

fn object<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let object = JsValue::from(Object::new());
    for (name, value) in fields {
        set(&object, name, value);
    }
    object
}

fn set(object: &JsValue, name: &str, value: JsValue) {
    // Setting a property of a fresh plain object cannot fail.
    drop(Reflect::set(object, &name.into(), &value));
}

fn optional(text: Option<&str>) -> JsValue {
    text.map_or(JsValue::NULL, JsValue::from_str)
}

fn strings(texts: &[String]) -> JsValue {
    texts
        .iter()
        .map(|text| JsValue::from_str(text))
        .collect::<Array>()
        .into()
}
