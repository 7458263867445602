//! Reads a table by one of its indexes.
//!
//! The planner's function ([`choose_index`]) names the index; EXPLAIN asks the same one. There are
//! no statistics: entries are read first, and the table is scanned after all where they are more
//! than a sixteenth of its rows. An ordered read stops at its limit, or has the rows sorted where
//! too many would be looked up. Keys that IN names (`points.rs`) are looked up one by one, or are
//! one small scan of the index each.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use varve_catalog::TableDef;
use varve_exec::BatchStream;
use varve_plan::{Asked, IndexChoice, choose_index, is_named_by_key};
use varve_store::{Transaction, TreeScan};
use varve_types::{
    Batch, Column, ColumnPredicate, CompareOp, KeyPart, LocalFuture, PartPredicate, PredicateTest,
    Result, ScanSpec, TableScan, VECTOR_ROWS, Value, encode_key_value,
};

use crate::read::points::Points;
use crate::read::row_filter::{RowFilter, place_in};
use crate::read::rows::chosen;

/// So many entries are looked up in any case.
const ENTRIES_MIN: u64 = 1024;
/// A table is scanned where more than one in so many of its rows would have to be looked up.
const LOOKUP_SHARE: u64 = 16;
/// An index is read at so many points at most; a range with all of them otherwise.
const POINTS_MAX: u64 = 256;

/// The rows that an index finds.
pub enum IndexRead {
    /// Its entries hold all that is read.
    Only(EntryScans),
    /// The rows are looked up.
    Lookup(IndexStream),
    /// They are there.
    Ready(VecDeque<Batch>),
}

/// Scans of an index one after another.
pub struct EntryScans {
    current: Option<TreeScan>,
    waiting: VecDeque<ScanSpec>,
}

/// Looks up the rows of entries.
pub struct IndexStream {
    /// Entries read so far.
    read: VecDeque<Batch>,
    rest: Option<EntryScans>,
    /// The columns of the key of the row.
    key: usize,
    filter: RowFilter,
    with_position: bool,
    /// Where in the rows their keys are, for rows in the order of the entries.
    row_key: Option<Vec<usize>>,
}

/// What the predicates of a request ask of columns.
pub fn asked(spec: &TableScan) -> Vec<(KeyPart, Asked)> {
    let tests = spec.predicates.iter();
    tests
        .map(|test| (test.column, Asked::of(&test.test)))
        .collect()
}

/// Reads the rows of which a request names the primary keys, where they are few.
fn read_points(
    transaction: &Transaction,
    table: &TableDef,
    spec: &TableScan,
) -> Result<Option<IndexStream>> {
    if !is_named_by_key(table, &asked(spec)) {
        return Ok(None);
    }
    let key = &table.primary_key;
    let max = lookups_max(transaction, table);
    let Some(mut points) = Points::of(table.key_parts(), &spec.predicates, max) else {
        return Ok(None);
    };
    points.keys.retain(|key| !key.iter().any(Value::is_null));
    let others = spec.predicates.iter().enumerate();
    let others = others.filter(|(number, _)| !points.tests.contains(number));
    let filter = RowFilter::new(table, &spec.columns, others.map(|(_, test)| test))?;
    let batch = |keys: &[Vec<Value>]| {
        let columns = key.iter().enumerate().map(|(at, column)| {
            let values: Vec<Value> = keys.iter().filter_map(|key| key.get(at).cloned()).collect();
            Arc::new(Column::from_values(table.type_at(*column), &values))
        });
        Batch::new(columns.collect(), keys.len())
    };
    Ok(Some(IndexStream {
        read: points.keys.chunks(VECTOR_ROWS).map(batch).collect(),
        rest: None,
        key: key.len(),
        filter,
        with_position: spec.with_position,
        row_key: None,
    }))
}

/// Reads by its primary key or by an index what is asked of a table, where that helps: few enough
/// rows pass.
pub async fn read(
    transaction: &Transaction,
    table: &TableDef,
    spec: &TableScan,
) -> Result<Option<IndexRead>> {
    if let Some(points) = read_points(transaction, table, spec)? {
        return Ok(Some(IndexRead::Lookup(points)));
    }
    if table.indexes.is_empty() {
        return Ok(None);
    }
    let (asked, columns) = (asked(spec), &spec.columns);
    let known: Vec<&PartPredicate> = spec.predicates.iter().collect();
    let choice = choose_index(table, &asked, &known, columns, spec.with_position);
    match choice {
        Some(choice) => read_by(transaction, table, spec, choice, None).await,
        None => Ok(None),
    }
}

/// Reads by an index in its order what is asked of a table, where that takes less than to sort.
pub async fn read_in_order(
    transaction: &Transaction,
    table: &TableDef,
    spec: &TableScan,
    choice: IndexChoice<'_>,
    reverse: bool,
) -> Result<Option<IndexRead>> {
    let entries_max = lookups_max(transaction, table);
    let wanted = spec.limit_rows.unwrap_or(u64::MAX);
    if !choice.covers && wanted > entries_max {
        return Ok(None);
    }
    read_by(transaction, table, spec, choice, Some(reverse)).await
}

/// How many rows are looked up at most before it is better to scan the table.
fn lookups_max(transaction: &Transaction, table: &TableDef) -> u64 {
    let rows = transaction.row_count(table.tree).unwrap_or(0);
    ENTRIES_MIN.max(rows / LOOKUP_SHARE)
}

/// Reads by an index, where it is asked for in its order forwards or in reverse.
async fn read_by(
    transaction: &Transaction,
    table: &TableDef,
    spec: &TableScan,
    choice: IndexChoice<'_>,
    in_order: Option<bool>,
) -> Result<Option<IndexRead>> {
    let IndexChoice { index, covers } = choice;
    let (tests, columns) = (&spec.predicates, &spec.columns);
    let held = index.columns(table);
    let place = |part: KeyPart| held.iter().position(|held| *held == part);
    let predicates = tests.iter().filter_map(|test| {
        Some(ColumnPredicate {
            column: place(test.column)?,
            test: test.test.clone(),
        })
    });
    let predicates: Vec<ColumnPredicate> = predicates.collect();
    let key = index.keys.len()..index.keys.len() + table.row_key().len();
    // What entries tell needs no second look.
    let is_untold =
        |test: &&PartPredicate| place(test.column).is_none() && !index.predicate.contains(test);
    let mut filter = RowFilter::new(table, columns, tests.iter().filter(is_untold))?;
    let is_exact = filter.is_empty();
    let row_key = in_order.filter(|_| !covers).map(|_| {
        let row_key = table.row_key().into_iter();
        row_key
            .map(|column| place_in(&mut filter.read, column))
            .collect()
    });
    let entries = ScanSpec {
        predicates,
        ordered: true,
        reverse: in_order.unwrap_or(spec.reverse),
        limit_rows: spec.limit_rows.filter(|_| is_exact),
        ..ScanSpec::of(
            index.tree,
            match covers {
                true => columns
                    .iter()
                    .filter_map(|column| place(KeyPart::Column(*column)))
                    .collect(),
                false => key.clone().collect(),
            },
        )
    };
    let scan = EntryScans::new(entries, index.keys.len(), in_order.is_some());
    if covers {
        return Ok(Some(IndexRead::Only(scan)));
    }
    let entries_max = match spec.limit_rows {
        Some(_) => None,
        None => Some(lookups_max(transaction, table)),
    };
    let Some((read, rest)) = read_entries(transaction, scan, entries_max).await? else {
        return Ok(None);
    };
    Ok(Some(IndexRead::Lookup(IndexStream {
        read,
        rest,
        key: key.len(),
        filter,
        with_position: spec.with_position,
        row_key,
    })))
}

/// The entries that are read before their rows, and those that are read as their rows are wanted:
/// all at once up to `entries_max`, or else one batch after another. `None` where there are more.
async fn read_entries(
    transaction: &Transaction,
    mut scan: EntryScans,
    entries_max: Option<u64>,
) -> Result<Option<(VecDeque<Batch>, Option<EntryScans>)>> {
    let mut read = VecDeque::new();
    let Some(entries_max) = entries_max else {
        return Ok(Some((read, Some(scan))));
    };
    let mut entries = 0;
    while let Some(batch) = scan.next(transaction).await? {
        entries += batch.rows() as u64;
        if entries > entries_max {
            return Ok(None);
        }
        read.push_back(batch);
    }
    Ok(Some((read, None)))
}

/// Tests of which some are replaced by one value each.
fn at_point(tests: &[ColumnPredicate], named: &[usize], key: &[Value]) -> Vec<ColumnPredicate> {
    let mut tests = tests.to_vec();
    for (number, value) in named.iter().zip(key) {
        if let Some(test) = tests.get_mut(*number)
            && let PredicateTest::In(_) = test.test
        {
            test.test = PredicateTest::Compare(CompareOp::Eq, value.clone());
        }
    }
    tests
}

impl EntryScans {
    /// Scans of the entries that a spec asks for: one for each key where its tests name a few, or
    /// else one, which alone gives them in order.
    fn new(spec: ScanSpec, keys: usize, in_order: bool) -> EntryScans {
        let points = Points::of(0..keys, &spec.predicates, POINTS_MAX);
        let waiting = match points.filter(|points| points.is_several && !in_order) {
            Some(points) => {
                let of_point = |key: &Vec<Value>| ScanSpec {
                    predicates: at_point(&spec.predicates, &points.tests, key),
                    ..spec.clone()
                };
                points.keys.iter().map(of_point).collect()
            }
            None => VecDeque::from([spec]),
        };
        EntryScans {
            current: None,
            waiting,
        }
    }

    /// The next entries; `None` at the end.
    async fn next(&mut self, transaction: &Transaction) -> Result<Option<Batch>> {
        loop {
            if let Some(scan) = &mut self.current
                && let Some(entries) = scan.next_batch().await?
            {
                return Ok(Some(entries));
            }
            self.current = match self.waiting.pop_front() {
                Some(options) => Some(transaction.scan(options).await?),
                None => return Ok(None),
            };
        }
    }
}

impl IndexStream {
    /// Looks up the rows of entries that were read, in their order.
    pub fn of_entries(
        table: &TableDef,
        spec: &TableScan,
        read: VecDeque<Batch>,
    ) -> Result<IndexStream> {
        let mut filter = RowFilter::new(table, &spec.columns, [].into_iter())?;
        let row_key = table.row_key().into_iter();
        let row_key: Vec<usize> = row_key
            .map(|column| place_in(&mut filter.read, column))
            .collect();
        Ok(IndexStream {
            read,
            rest: None,
            key: row_key.len(),
            filter,
            with_position: spec.with_position,
            row_key: Some(row_key),
        })
    }

    /// Keys of rows that were not looked up yet, at most a vector; none at the end.
    async fn keys(&mut self, transaction: &Transaction) -> Result<Vec<Vec<Value>>> {
        let mut keys: Vec<Vec<Value>> = Vec::new();
        loop {
            let ready = self.read.front();
            if ready.is_some_and(|entries| keys.len() + entries.rows() > VECTOR_ROWS) {
                return Ok(keys);
            }
            let entries = match (self.read.pop_front(), &mut self.rest) {
                (Some(entries), _) => entries,
                (None, Some(rest)) if keys.is_empty() => match rest.next(transaction).await? {
                    Some(entries) => entries,
                    None => return Ok(keys),
                },
                (None, _) => return Ok(keys),
            };
            let columns: Vec<_> = (0..self.key).filter_map(|at| entries.column(at)).collect();
            let key =
                |row| -> Vec<Value> { columns.iter().map(|column| column.value(row)).collect() };
            keys.extend((0..entries.rows()).map(key));
        }
    }

    /// The next rows that pass; `None` at the end.
    async fn next(&mut self, transaction: &Transaction, table: &TableDef) -> Result<Option<Batch>> {
        loop {
            let keys = self.keys(transaction).await?;
            if keys.is_empty() {
                return Ok(None);
            }
            let found = transaction
                .lookup(table.tree, &keys, &self.filter.read, self.with_position)
                .await?;
            // As many keys as a vector has rows are looked up at once, and give one batch.
            debug_assert!(found.len() <= 1 && keys.len() <= VECTOR_ROWS);
            for rows in found {
                let rows = match &self.row_key {
                    Some(row_key) => in_order_of(&keys, &rows, row_key),
                    None => rows,
                };
                let rows = self.filter.apply(rows)?;
                if !rows.is_empty() {
                    return Ok(Some(rows));
                }
            }
        }
    }
}

/// Rows in the order of these keys; where they are in the rows is told by `row_key`.
fn in_order_of(keys: &[Vec<Value>], rows: &Batch, row_key: &[usize]) -> Batch {
    let encoded = |values: &mut dyn Iterator<Item = Value>| {
        let mut key = Vec::new();
        values.for_each(|value| encode_key_value(&value, &mut key));
        key
    };
    let columns: Vec<_> = row_key.iter().filter_map(|at| rows.column(*at)).collect();
    let place = |row: u32| {
        let mut values = columns.iter().map(|column| column.value(row as usize));
        (encoded(&mut values), row)
    };
    let places: BTreeMap<Vec<u8>, u32> = (0..).take(rows.rows()).map(place).collect();
    let found = keys.iter().map(|key| encoded(&mut key.iter().cloned()));
    let found = found.filter_map(|key| places.get(&key).copied());
    let found: Vec<u32> = found.collect();
    chosen(&rows.compact(), &found)
}

/// What an index finds, as the executor reads it.
pub struct IndexBatches<'a> {
    pub transaction: &'a Transaction,
    pub table: &'a TableDef,
    pub read: IndexRead,
}

impl BatchStream for IndexBatches<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            match &mut self.read {
                IndexRead::Only(scan) => scan.next(self.transaction).await,
                IndexRead::Lookup(stream) => stream.next(self.transaction, self.table).await,
                IndexRead::Ready(batches) => Ok(batches.pop_front()),
            }
        })
    }
}
