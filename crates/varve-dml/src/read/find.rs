//! Finds rows of a table by the values of some columns, through an index where one fits.

use std::collections::BTreeSet;

use varve_catalog::{FIRST_EXPRESSION, TableDef};
use varve_exec::ScanSource;
use varve_types::{
    Batch, ColumnPredicate, CompareOp, PredicateTest, Result, ScanSpec, Selection, Value,
    encode_key_value,
};

use crate::read::source::TransactionSource;

/// Keys of several columns that are looked up one by one; of more, the rows that have one of the
/// values in each column are read and compared.
const SINGLE_KEYS_MAX: usize = 256;

/// What rows are looked for by.
pub struct Wanted<'a> {
    /// Positions of columns, or of expressions of indexes.
    pub columns: &'a [usize],
    /// What the rows must have in these columns. NULL equals NULL.
    pub keys: &'a [Vec<Value>],
    /// What else must hold of a row.
    pub tests: &'a [ColumnPredicate],
}

/// The columns `read` and the positions of the rows that have one of some keys.
pub async fn rows_with(
    source: &TransactionSource<'_>,
    table: &TableDef,
    wanted: &Wanted<'_>,
    read: &[usize],
) -> Result<Vec<Batch>> {
    let mut found = Vec::new();
    if wanted.keys.is_empty() {
        return Ok(found);
    }
    let request = |predicates: Vec<ColumnPredicate>| ScanSpec {
        predicates,
        with_position: true,
        ..ScanSpec::of(table.tree, read.to_vec())
    };
    let equal = |column: usize, value: &Value| ColumnPredicate {
        column,
        test: match value {
            Value::Null => PredicateTest::IsNull,
            value => PredicateTest::Compare(CompareOp::Eq, value.clone()),
        },
    };
    if let [column] = wanted.columns {
        let mut values = Vec::new();
        for value in wanted.keys.iter().flatten() {
            match value {
                Value::Null => {
                    let mut predicates = vec![equal(*column, value)];
                    predicates.extend_from_slice(wanted.tests);
                    read_all(source, request(predicates), &mut found).await?;
                }
                value => values.push(value.clone()),
            }
        }
        if values.is_empty() {
            return Ok(found);
        }
        let test = match values.as_slice() {
            [value] => PredicateTest::Compare(CompareOp::Eq, value.clone()),
            _ => PredicateTest::In(values),
        };
        let mut predicates = vec![ColumnPredicate {
            column: *column,
            test,
        }];
        predicates.extend_from_slice(wanted.tests);
        read_all(source, request(predicates), &mut found).await?;
        return Ok(found);
    }
    let has_expression = wanted.columns.iter().any(|at| *at >= FIRST_EXPRESSION);
    if wanted.keys.len() <= SINGLE_KEYS_MAX || has_expression {
        let mut known = BTreeSet::new();
        for key in wanted.keys {
            if !known.insert(key_bytes(key)) {
                continue;
            }
            let columns = wanted.columns.iter().zip(key);
            let mut predicates: Vec<_> = columns.map(|(at, value)| equal(*at, value)).collect();
            predicates.extend_from_slice(wanted.tests);
            read_all(source, request(predicates), &mut found).await?;
        }
        return Ok(found);
    }
    let keys = varve_sort::set_of(wanted.keys.iter().map(|key| key_bytes(key)));
    let mut with_key = request(wanted.tests.to_vec());
    with_key.columns.extend_from_slice(wanted.columns);
    let mut all = Vec::new();
    read_all(source, with_key, &mut all).await?;
    for batch in all {
        let columns = batch.physical_columns();
        let key_columns = columns.iter().skip(read.len()).take(wanted.columns.len());
        let key_columns: Vec<_> = key_columns.collect();
        let is_wanted = |row: &u32| {
            let values = key_columns.iter().map(|column| column.value(*row as usize));
            keys.contains(&key_bytes(&values.collect::<Vec<Value>>()))
        };
        let rows = u32::try_from(batch.rows()).unwrap_or(u32::MAX);
        let chosen = Selection::new((0..rows).filter(is_wanted).collect());
        let chosen = batch.select(&chosen).compact();
        let columns = chosen.physical_columns();
        let kept = columns.iter().take(read.len()).chain(columns.last());
        found.push(Batch::new(kept.cloned().collect(), chosen.rows()));
    }
    found.retain(|batch| !batch.is_empty());
    Ok(found)
}

/// A key as bytes that are equal for equal keys.
pub fn key_bytes(key: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in key {
        encode_key_value(value, &mut bytes);
    }
    bytes
}

async fn read_all(
    source: &TransactionSource<'_>,
    spec: ScanSpec,
    found: &mut Vec<Batch>,
) -> Result<()> {
    let mut stream = source.scan(spec).await?;
    while let Some(batch) = stream.next().await? {
        found.push(batch.compact());
    }
    Ok(())
}
