//! Finds rows of a table by the values of some columns, through an index where one fits.

use std::collections::BTreeSet;

use varve_catalog::TableDef;
use varve_exec::ScanSource;
use varve_types::{
    Batch, CompareOp, KeyPart, PartPredicate, PredicateTest, Result, ScanSpec, Selection,
    TableScan, TreeId, Value, encode_key_value,
};

use crate::read::source::TransactionSource;

/// Keys of several columns that are looked up one by one; of more, the rows that have one of the
/// values in each column are read and compared.
const SINGLE_KEYS_MAX: usize = 256;

/// What rows are looked for by.
pub struct Wanted<'a> {
    /// Columns, or expressions of indexes.
    pub columns: &'a [KeyPart],
    /// What the rows must have in these columns. NULL equals NULL.
    pub keys: &'a [Vec<Value>],
    /// What else must hold of a row.
    pub tests: &'a [PartPredicate],
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
    let finder = Finder {
        source,
        tree: table.tree,
        wanted,
        read,
    };
    if let [column] = wanted.columns {
        finder.of_one_column(*column, &mut found).await?;
        return Ok(found);
    }
    let columns = wanted.columns.iter().map(|part| part.column());
    match columns.collect::<Option<Vec<usize>>>() {
        Some(columns) if wanted.keys.len() > SINGLE_KEYS_MAX => {
            finder.by_comparing(&columns, &mut found).await?;
            found.retain(|batch| !batch.is_empty());
        }
        _ => finder.one_by_one(&mut found).await?,
    }
    Ok(found)
}

/// Reads the rows that have wanted keys.
struct Finder<'a> {
    source: &'a TransactionSource<'a>,
    tree: TreeId,
    wanted: &'a Wanted<'a>,
    read: &'a [usize],
}

impl Finder<'_> {
    /// A scan of the rows that pass these tests and those that are wanted.
    fn spec(&self, mut predicates: Vec<PartPredicate>) -> TableScan {
        predicates.extend_from_slice(self.wanted.tests);
        ScanSpec {
            predicates,
            with_position: true,
            ..ScanSpec::of(self.tree, self.read.to_vec())
        }
    }

    /// The rows with one of the values in the only column.
    async fn of_one_column(&self, column: KeyPart, found: &mut Vec<Batch>) -> Result<()> {
        let mut values = Vec::new();
        for value in self.wanted.keys.iter().flatten() {
            match value {
                Value::Null => {
                    let spec = self.spec(vec![equal(column, value)]);
                    read_all(self.source, spec, found).await?;
                }
                value => values.push(value.clone()),
            }
        }
        if values.is_empty() {
            return Ok(());
        }
        let test = match values.as_slice() {
            [value] => PredicateTest::Compare(CompareOp::Eq, value.clone()),
            _ => PredicateTest::In(values),
        };
        let spec = self.spec(vec![PartPredicate { column, test }]);
        read_all(self.source, spec, found).await
    }

    /// The rows with each of the keys.
    async fn one_by_one(&self, found: &mut Vec<Batch>) -> Result<()> {
        let mut known = BTreeSet::new();
        for key in self.wanted.keys {
            if !known.insert(key_bytes(key)) {
                continue;
            }
            let columns = self.wanted.columns.iter().zip(key);
            let predicates = columns.map(|(at, value)| equal(*at, value)).collect();
            read_all(self.source, self.spec(predicates), found).await?;
        }
        Ok(())
    }

    /// The rows that pass the tests, of which those are chosen that have one of the keys.
    async fn by_comparing(&self, columns: &[usize], found: &mut Vec<Batch>) -> Result<()> {
        let keys = varve_sort::set_of(self.wanted.keys.iter().map(|key| key_bytes(key)));
        let mut with_key = self.spec(Vec::new());
        with_key.columns.extend_from_slice(columns);
        let mut all = Vec::new();
        read_all(self.source, with_key, &mut all).await?;
        let width = self.read.len();
        for batch in all {
            let physical = batch.physical_columns();
            let key_columns: Vec<_> = physical.iter().skip(width).take(columns.len()).collect();
            let is_wanted = |row: &u32| {
                let values = key_columns.iter().map(|column| column.value(*row as usize));
                keys.contains(&key_bytes(&values.collect::<Vec<Value>>()))
            };
            let chosen = Selection::new(batch.row_numbers().filter(is_wanted).collect());
            let chosen = batch.select(&chosen).compact();
            let physical = chosen.physical_columns();
            let kept = physical.iter().take(width).chain(physical.last());
            found.push(Batch::new(kept.cloned().collect(), chosen.rows()));
        }
        Ok(())
    }
}

/// The test of a column for a value; NULL equals NULL.
fn equal(column: KeyPart, value: &Value) -> PartPredicate {
    PartPredicate {
        column,
        test: match value {
            Value::Null => PredicateTest::IsNull,
            value => PredicateTest::Compare(CompareOp::Eq, value.clone()),
        },
    }
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
    spec: TableScan,
    found: &mut Vec<Batch>,
) -> Result<()> {
    let mut stream = source.scan(spec).await?;
    while let Some(batch) = stream.next().await? {
        found.push(batch.compact());
    }
    Ok(())
}
