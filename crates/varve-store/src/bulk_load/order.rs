//! In which order rows stand by their keys.

use core::cmp::Ordering;
use core::ops::Range;

use varve_types::{Column, ColumnData, ColumnRef, KeyOrder};

use crate::tree::Tree;

/// What is wrong with rows: two of them have the key of this row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SameKey(pub(super) usize);

/// Whether the keys of some rows ascend; two neighbours with one key are an error at once.
pub(super) fn ascends(
    tree: &Tree,
    columns: &[ColumnRef],
    rows: Range<usize>,
) -> Result<bool, SameKey> {
    let mut pairs = rows.clone().zip(rows.skip(1));
    let same_or = |order: Option<(usize, Ordering)>| match order {
        Some((row, Ordering::Equal)) => Err(SameKey(row)),
        Some(_) => Ok(false),
        None => Ok(true),
    };
    if let Some(integers) = integer_key(tree, columns) {
        let order = pairs.find_map(|(a, b)| falls(b, integers.get(a).cmp(&integers.get(b))));
        return same_or(order);
    }
    let (mut before, mut key) = (Vec::new(), Vec::new());
    let order = pairs.find_map(|(a, b)| {
        if before.is_empty() {
            tree.put_key(columns, a, &mut before);
        }
        key.clear();
        tree.put_key(columns, b, &mut key);
        let order = before.cmp(&key);
        core::mem::swap(&mut before, &mut key);
        falls(b, order)
    });
    same_or(order)
}

fn falls(row: usize, order: Ordering) -> Option<(usize, Ordering)> {
    (order != Ordering::Less).then_some((row, order))
}

/// The rows of columns by their keys.
pub(super) fn sorted(tree: &Tree, columns: &[ColumnRef], rows: u32) -> Result<Vec<u32>, SameKey> {
    if let Some(integers) = integer_key(tree, columns) {
        let integers = (0..rows).map(|row| (integers.get(row as usize), row));
        let mut integers: Vec<(i64, u32)> = integers.collect();
        integers.sort_unstable();
        return distinct(&integers, |a, b| a.0 == b.0, |(_, row)| *row);
    }
    let mut bytes = Vec::new();
    let mut starts = vec![0];
    for row in 0..rows {
        tree.put_key(columns, row as usize, &mut bytes);
        starts.push(bytes.len());
    }
    let key = |row: u32| {
        let at = row as usize;
        let (start, end) = (starts.get(at), starts.get(at + 1));
        let range = start.zip(end).map(|(start, end)| *start..*end);
        range.and_then(|range| bytes.get(range)).unwrap_or_default()
    };
    // Most comparisons are decided by the first bytes.
    let mut keys: Vec<(u64, u32)> = (0..rows).map(|row| (prefix(key(row)), row)).collect();
    keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| key(a.1).cmp(key(b.1))));
    distinct(&keys, |a, b| key(a.1) == key(b.1), |(_, row)| *row)
}

fn distinct<T>(
    sorted: &[T],
    same: impl Fn(&T, &T) -> bool,
    row: impl Fn(&T) -> u32,
) -> Result<Vec<u32>, SameKey> {
    let mut pairs = sorted.iter().zip(sorted.iter().skip(1));
    match pairs.find(|(a, b)| same(a, b)) {
        Some((_, twice)) => Err(SameKey(row(twice) as usize)),
        None => Ok(sorted.iter().map(row).collect()),
    }
}

/// The first eight bytes, which order as the whole does where they differ.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(first)
}

/// The key, where it is one plain column of integers without NULL.
fn integer_key<'a>(tree: &Tree, columns: &'a [ColumnRef]) -> Option<IntegerKey<'a>> {
    let [at] = tree.key() else {
        return None;
    };
    if tree.order(0) != KeyOrder::default() {
        return None;
    }
    IntegerKey::of(columns.get(*at)?)
}

enum IntegerKey<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> IntegerKey<'a> {
    fn of(column: &'a Column) -> Option<IntegerKey<'a>> {
        match (column.data(), column.validity()) {
            (ColumnData::Int32(integers), None) => Some(IntegerKey::Narrow(integers)),
            (ColumnData::Int64(integers), None) => Some(IntegerKey::Wide(integers)),
            _ => None,
        }
    }

    fn get(&self, row: usize) -> i64 {
        match self {
            IntegerKey::Narrow(integers) => integers.get(row).copied().unwrap_or_default().into(),
            IntegerKey::Wide(integers) => integers.get(row).copied().unwrap_or_default(),
        }
    }
}
