//! Indexes of the simulation: what their entries are, and how they are compared with the rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use varve_store::Transaction;
use varve_types::{
    Batch, Column, ColumnId, IndexKey, IndexState, KeyColumn, KeyOrder, KeyRange, LogicalType,
    ScanSpec, SortKey, SqlState, TreeColumn, TreeId, TreeSchema, Uniqueness, Value,
    encode_ordered_key_value,
};

use crate::chance::Chance;
use crate::data::{Row, everything};
use crate::failure::{Outcome, broken};
use crate::model::Rows;

/// Numbers from here on must be unique where an index says so; others are NULL to it.
const UNIQUE_FROM: i32 = 900;

/// One index of a tree. Both shapes begin with a number and end with `k`, which is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    pub(crate) of: TreeId,
    /// Whether it is on the greater numbers, unique. The other shape is on numbers that 3 does not
    /// divide, the greatest first, and includes the text.
    pub(crate) is_unique: bool,
    /// Whether it has all entries.
    pub(crate) is_valid: bool,
}

impl Index {
    pub(crate) fn any(of: TreeId, is_valid: bool, chance: &mut Chance) -> Index {
        Index {
            of,
            is_unique: chance.one_in(2),
            is_valid,
        }
    }

    fn types(self) -> Vec<LogicalType> {
        let mut types = vec![LogicalType::Int4, LogicalType::Int8];
        types.extend((!self.is_unique).then_some(LogicalType::Text));
        types
    }

    fn orders(self) -> [KeyOrder; 2] {
        let number = KeyOrder {
            descending: !self.is_unique,
            ..KeyOrder::default()
        };
        [number, KeyOrder::default()]
    }

    pub(crate) fn schema(self, tree: TreeId) -> TreeSchema {
        let column = |(id, ty)| TreeColumn {
            id: ColumnId(id),
            ty,
            nullable: true,
            missing: Value::Null,
            storage: varve_types::ColumnStorage::default(),
        };
        let keys = self.orders().into_iter().enumerate();
        let keys = keys.map(|(position, order)| KeyColumn { position, order });
        TreeSchema {
            tree,
            version: 1,
            columns: (1..).zip(self.types()).map(column).collect(),
            key: SortKey::Index(IndexKey {
                of: self.of,
                columns: keys.collect(),
                own_columns: 1,
                uniqueness: match self.is_unique {
                    true => Uniqueness::NullsDistinct,
                    false => Uniqueness::None,
                },
                state: match self.is_valid {
                    true => IndexState::Valid,
                    false => IndexState::Building,
                },
            }),
            options: varve_types::TreeOptions::default(),
        }
    }

    /// The entry of a row, if it has one.
    fn entry(self, row: &Row) -> Option<Vec<Value>> {
        let k = Value::Int8(row.k);
        if self.is_unique {
            let number = (row.n >= UNIQUE_FROM).then_some(Value::Int4(row.n));
            return Some(vec![number.unwrap_or(Value::Null), k]);
        }
        let text = row.t.as_ref().map_or(Value::Null, |t| Value::text(&**t));
        (row.n % 3 != 0).then(|| vec![Value::Int4(row.n), k, text])
    }

    pub(crate) fn entries<'a>(self, rows: impl IntoIterator<Item = &'a Row>) -> Batch {
        let entries: Vec<Vec<Value>> = rows.into_iter().filter_map(|row| self.entry(row)).collect();
        let columns = self.types().into_iter().enumerate();
        let columns = columns.map(|(at, ty)| {
            let values = entries.iter().filter_map(|entry| entry.get(at));
            Arc::new(Column::from_values(ty, values))
        });
        Batch::new(columns.collect(), entries.len())
    }

    /// Whether two of these rows may not be there together.
    pub(crate) fn is_violated<'a>(self, rows: impl IntoIterator<Item = &'a Row>) -> bool {
        let mut seen = BTreeSet::new();
        let numbers = rows.into_iter().map(|row| row.n);
        let mut numbers = numbers.filter(|n| self.is_unique && *n >= UNIQUE_FROM);
        !numbers.all(|n| seen.insert(n))
    }

    fn key(self, entry: &[Value]) -> Vec<u8> {
        let mut key = Vec::new();
        for (value, order) in entry.iter().zip(self.orders()) {
            encode_ordered_key_value(value, order, &mut key);
        }
        key
    }

    /// Its entries are those of the rows, and come in order.
    pub(crate) async fn check(
        self,
        transaction: &Transaction,
        id: TreeId,
        rows: &Rows,
        chance: &mut Chance,
    ) -> Outcome<()> {
        let mut wanted: Vec<(Vec<u8>, Vec<Value>)> = Vec::new();
        for entry in rows.values().filter_map(|row| self.entry(row)) {
            wanted.push((self.key(&entry), entry));
        }
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        let mut range = KeyRange::default();
        if let Some((_, entry)) = chance.pick(&wanted).filter(|_| self.is_valid)
            && chance.one_in(3)
        {
            let number = entry.first().map(core::slice::from_ref);
            let prefix = self.key(number.unwrap_or_default());
            wanted.retain(|(key, _)| key.starts_with(&prefix));
            range = KeyRange::prefix(prefix);
        }
        let options = ScanSpec {
            columns: (0..self.types().len()).collect(),
            with_position: false,
            ordered: true,
            reverse: chance.one_in(2),
            range,
            ..everything(id)
        };
        if options.reverse {
            wanted.reverse();
        }
        let mut scan = match transaction.scan(options).await {
            Ok(_) if !self.is_valid => return broken(format!("index {id} is read too early")),
            Err(error)
                if !self.is_valid
                    && error.state() == SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE =>
            {
                return Ok(());
            }
            scan => scan?,
        };
        let mut found: Vec<Vec<Value>> = Vec::new();
        while let Some(batch) = scan.next_batch().await? {
            let columns: Vec<_> = (0..batch.width())
                .filter_map(|at| batch.column(at))
                .collect();
            for row in 0..batch.rows() {
                found.push(columns.iter().map(|column| column.value(row)).collect());
            }
        }
        if found.iter().eq(wanted.iter().map(|(_, entry)| entry)) {
            return Ok(());
        }
        let missing = wanted.iter().find(|(_, entry)| !found.contains(entry));
        let extra = found.iter();
        let extra = extra.filter(|found| wanted.iter().all(|(_, entry)| entry != *found));
        broken(format!(
            "index {id} of tree {}, unique {}, has {} entries, not {}; missing {:?}, extra {:?}",
            self.of,
            self.is_unique,
            found.len(),
            wanted.len(),
            missing.map(|(_, entry)| entry.get(..2)),
            extra.map(|entry| entry.get(..2)).next(),
        ))
    }
}
