//! Which groups get a filter over their keys.

use std::sync::Arc;

use varve_types::{Batch, Column, ColumnId, LogicalType, RunId, Value};

use crate::{ColumnSpec, RunSpec, RunWriter};

#[test]
fn dense_numbers_have_no_filter() {
    let has_filter = |keys: &[i64], types: [LogicalType; 1]| {
        let spec = RunSpec {
            run: RunId(1),
            schema_version: 1,
            columns: vec![ColumnSpec::values(ColumnId(1), types[0])],
            key_columns: vec![0],
            key_orders: Vec::new(),
            filter: true,
            filter_key_columns: None,
            encodings: Vec::new(),
        };
        let mut writer = RunWriter::new(spec).unwrap();
        for keys in keys.chunks(1000) {
            let value = |key: &i64| match types[0] {
                LogicalType::Int8 => Value::Int8(*key),
                _ => Value::text(format!("{key:08}")),
            };
            let values: Vec<Value> = keys.iter().map(value).collect();
            let column = Arc::new(Column::from_values(types[0], &values));
            writer
                .append(&Batch::new(vec![column], keys.len()))
                .unwrap();
        }
        writer.finish().unwrap().head.groups()[0].filter.is_some()
    };
    let counted: Vec<i64> = (0..3000).collect();
    assert!(!has_filter(&counted, [LogicalType::Int8]));
    let with_gaps: Vec<i64> = (0..3000).map(|n| n * 4 - 6000).collect();
    assert!(!has_filter(&with_gaps, [LogicalType::Int8]));
    let sparse: Vec<i64> = (0..3000).map(|n| n * 5).collect();
    assert!(has_filter(&sparse, [LogicalType::Int8]));
    assert!(has_filter(&[i64::MIN, i64::MAX], [LogicalType::Int8]));
    assert!(has_filter(&counted, [LogicalType::Text]));
}
