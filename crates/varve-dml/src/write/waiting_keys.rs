//! Keys of rows on both sides of a foreign key.

use std::collections::BTreeSet;

use varve_expr::{Locale, cast_value};
use varve_types::{Batch, LogicalType, Value};

use crate::read::find::key_bytes;

/// Keys that are kept to be looked up later; of more, all rows of the table are looked at.
pub const KEYS_MAX: usize = 1 << 16;

/// Different keys in the order in which they came.
#[derive(Clone, Default)]
pub struct Keys {
    known: BTreeSet<Vec<u8>>,
    pub list: Vec<Vec<Value>>,
    /// Whether there are too many to be kept.
    pub all: bool,
}

impl Keys {
    pub fn add(&mut self, key: Vec<Value>) {
        if self.all || !self.known.insert(key_bytes(&key)) {
            return;
        }
        self.list.push(key);
        if self.list.len() > KEYS_MAX {
            *self = Keys {
                all: true,
                ..Keys::default()
            };
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.all
    }

    pub fn extend(&mut self, other: Keys) {
        self.all |= other.all;
        for key in other.list {
            self.add(key);
        }
    }
}

/// What waits for the end of the transaction of one foreign key.
#[derive(Clone, Default)]
pub struct WaitingKeys {
    /// Keys of rows that refer to others.
    pub refers: Keys,
    /// Keys of rows that others may refer to.
    pub gone: Keys,
}

/// The types of the columns on both sides of a foreign key.
pub struct KeyTypes {
    pub child: Vec<LogicalType>,
    pub parent: Vec<LogicalType>,
}

impl KeyTypes {
    pub fn to_parent(&self, key: &[Value], locale: &Locale) -> Option<Vec<Value>> {
        converted(key, &self.child, &self.parent, locale)
    }

    pub fn to_child(&self, key: &[Value], locale: &Locale) -> Option<Vec<Value>> {
        converted(key, &self.parent, &self.child, locale)
    }
}

/// A key in other types; `None` where no key of these types equals it.
fn converted(
    key: &[Value],
    from: &[LogicalType],
    to: &[LogicalType],
    locale: &Locale,
) -> Option<Vec<Value>> {
    if from == to {
        return Some(key.to_vec());
    }
    let convert = |((value, from), to): ((&Value, &LogicalType), &LogicalType)| {
        if from == to {
            return Some(value.clone());
        }
        let there = cast_value(value, *to, true, locale).ok()?;
        let back = cast_value(&there, *from, true, locale).ok()?;
        let same =
            key_bytes(core::slice::from_ref(&back)) == key_bytes(core::slice::from_ref(value));
        same.then_some(there)
    };
    key.iter().zip(from).zip(to).map(convert).collect()
}

pub fn key_of(batch: &Batch, columns: &[usize], row: usize) -> Vec<Value> {
    let columns = columns.iter().map(|at| batch.column(*at));
    columns
        .map(|column| column.map_or(Value::Null, |column| column.value(row)))
        .collect()
}
