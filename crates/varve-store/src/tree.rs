//! A tree as the store keeps it: its schema, and the columns that its rows are stored with.

use std::sync::Arc;

use varve_run::{ColumnEncoding, ColumnSpec, RunSpec};
use varve_sort::VecSet;
use varve_types::{
    Batch, Column, ColumnData, ColumnId, ColumnRef, IndexKey, KeyColumn, KeyOrder, LogicalType,
    RunId, SortKey, StorageMode, TreeSchema, Uniqueness, Value, decode_ordered_key_value,
    encode_ordered_key_cell, encode_ordered_key_value,
};

use crate::content_tree;
use crate::error::{Result, StoreError};
use crate::format::row::entry_is_deleted;
use crate::ids::Ids;
use crate::partition::{self, KeptApart};
use crate::stored_as::encodings;

/// The hidden column: the row id of a tree without a key, which comes first, or what an index does
/// with an entry, which comes last. A schema's own columns start at 1.
pub(crate) const HIDDEN: ColumnId = ColumnId(0);

/// A schema, and what follows from it for stored rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Tree {
    schema: Arc<TreeSchema>,
    /// Stored columns: the hidden row id, if there is one, those of the schema, and of an index
    /// when and how its entries were written.
    columns: Vec<ColumnSpec>,
    types: Vec<LogicalType>,
    /// Positions in the stored columns that form the sort key.
    key: Vec<usize>,
    /// The order of each key column; empty where all are ascending.
    orders: Vec<KeyOrder>,
    /// How the stored columns are to be encoded; empty where nothing was asked for.
    encodings: Vec<ColumnEncoding>,
    /// The stored columns whose large values are content.
    content: Vec<usize>,
    kept_apart: Option<KeptApart>,
}

impl Tree {
    pub(crate) fn new(schema: TreeSchema) -> Result<Tree> {
        let ids = VecSet::from_iter(schema.columns.iter().map(|column| column.id));
        let own_id = ids.contains(&HIDDEN);
        let key_exists = match &schema.key {
            SortKey::RowId => true,
            SortKey::Sorted(key) => !key.is_empty() && are_distinct(key, &schema),
            SortKey::Columns(key) => {
                !key.is_empty() && key.iter().all(|at| *at < schema.columns.len())
            }
            SortKey::Index(key) => {
                let own = key.own_columns > 0 && key.own_columns <= key.columns.len();
                own && are_distinct(&key.columns, &schema)
            }
        };
        let is_content = schema.tree == content_tree::TREE;
        let is_sound = partition::is_sound(&schema);
        if is_content || own_id || !is_sound || ids.len() != schema.columns.len() || !key_exists {
            return Err(StoreError::internal(format!(
                "the schema of tree {} is unsound",
                schema.tree
            )));
        }
        Ok(Tree::of_sound(schema))
    }

    /// The tree of a schema that is known to be sound.
    pub(crate) fn of_sound(schema: TreeSchema) -> Tree {
        let hidden = ColumnSpec::values(HIDDEN, LogicalType::Int8);
        let visible = schema
            .columns
            .iter()
            .map(|column| ColumnSpec::values(column.id, column.ty));
        let positions = |key: &[KeyColumn], first: usize| -> Vec<usize> {
            key.iter().map(|column| column.position + first).collect()
        };
        let (columns, key): (Vec<ColumnSpec>, Vec<usize>) = match &schema.key {
            SortKey::RowId => (core::iter::once(hidden).chain(visible).collect(), vec![0]),
            SortKey::Sorted(key) => {
                let mut key = positions(key, 1);
                key.push(0);
                (core::iter::once(hidden).chain(visible).collect(), key)
            }
            SortKey::Columns(key) => (visible.collect(), key.clone()),
            SortKey::Index(key) => (
                visible.chain(core::iter::once(hidden)).collect(),
                positions(&key.columns, 0),
            ),
        };
        let orders: Vec<KeyOrder> = match &schema.key {
            SortKey::Index(key) => key.columns.iter().map(|column| column.order).collect(),
            SortKey::Sorted(key) => {
                let orders = key.iter().map(|column| column.order);
                orders.chain([KeyOrder::default()]).collect()
            }
            SortKey::RowId | SortKey::Columns(_) => Vec::new(),
        };
        let first = usize::from(has_row_id(&schema.key));
        let content = (first..).zip(&schema.columns).filter(|(at, column)| {
            column.storage.mode == StorageMode::ContentAddressed && !key.contains(at)
        });
        let ascending = orders.iter().all(|order| *order == KeyOrder::default());
        Tree {
            content: content.map(|(at, _)| at).collect(),
            types: columns.iter().map(|column| column.ty).collect(),
            columns,
            key,
            orders: if ascending { Vec::new() } else { orders },
            encodings: encodings(&schema),
            kept_apart: KeptApart::of(&schema, first),
            schema: Arc::new(schema),
        }
    }

    pub(crate) fn schema(&self) -> &Arc<TreeSchema> {
        &self.schema
    }

    /// Whether rows have a hidden row id, which is the first stored column.
    pub(crate) fn has_row_id(&self) -> bool {
        has_row_id(&self.schema.key)
    }

    /// Whether rows are in the order in which they got their row ids.
    pub(crate) fn is_by_row_id(&self) -> bool {
        self.schema.key == SortKey::RowId
    }

    /// Whether a key column may be NULL.
    pub(crate) fn may_have_null_keys(&self) -> bool {
        matches!(self.schema.key, SortKey::Index(_) | SortKey::Sorted(_))
    }

    /// What is special about the tree of an index.
    pub(crate) fn index(&self) -> Option<&IndexKey> {
        match &self.schema.key {
            SortKey::Index(key) => Some(key),
            _ => None,
        }
    }

    /// Of an index the stored column that holds twice the commit of an entry, and one more where
    /// the entry was deleted by it.
    pub(crate) fn entry_column(&self) -> Option<usize> {
        self.index().map(|_| self.schema.columns.len())
    }

    /// Types of the stored columns.
    pub(crate) fn types(&self) -> &[LogicalType] {
        &self.types
    }

    /// The stored columns.
    pub(crate) fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    /// The stored columns whose values are compressed one by one.
    pub(crate) fn columns_by_value(&self) -> impl Iterator<Item = &ColumnSpec> {
        let columns = self.columns.iter().zip(&self.encodings);
        columns.filter_map(|(column, encoding)| encoding.by_value.then_some(column))
    }

    /// Positions of the sort key in the stored columns.
    pub(crate) fn key(&self) -> &[usize] {
        &self.key
    }

    /// The order of a key column.
    pub(crate) fn order(&self, at: usize) -> KeyOrder {
        self.orders.get(at).copied().unwrap_or_default()
    }

    /// Where column `position` of the schema is among the stored columns. The position after the
    /// last one means the hidden row id, where there is one.
    pub(crate) fn stored(&self, position: usize) -> Result<usize> {
        if position == self.schema.columns.len() && self.has_row_id() {
            return Ok(0);
        }
        if position >= self.schema.columns.len() {
            let tree = self.schema.tree;
            return Err(StoreError::internal(format!(
                "tree {tree} has no column at {position}"
            )));
        }
        Ok(position + usize::from(self.has_row_id()))
    }

    /// What rows of runs that lack a stored column read.
    pub(crate) fn missing(&self, stored: usize) -> Value {
        let visible = stored.checked_sub(usize::from(self.has_row_id()));
        let column = visible.and_then(|at| self.schema.columns.get(at));
        column.map_or(Value::Null, |column| column.missing.clone())
    }

    /// The stored columns of new rows, which get the next hidden row ids where the tree has such
    /// and they do not follow as one more column.
    pub(crate) fn stored_columns(&self, ids: &Ids, rows: &Batch) -> Result<Vec<ColumnRef>> {
        let schema = &self.schema;
        let mut width = schema.columns.len();
        let mut columns = Vec::with_capacity(self.types.len());
        if self.has_row_id() {
            let given = rows.column(width);
            let given = given.filter(|ids| ids.logical_type() == LogicalType::Int8);
            width += usize::from(given.is_some());
            columns.extend(given.or_else(|| {
                let count = rows.rows() as u64;
                let first = Ids::take(&ids.row, count);
                let ids = (first..first + count).map(u64::cast_signed).collect();
                let ids = Column::plain(LogicalType::Int8, ColumnData::Int64(ids), None);
                ids.map(Arc::new)
            }));
        }
        for (at, expected) in schema.columns.iter().enumerate() {
            let column = rows.column(at);
            let column = column.filter(|column| column.logical_type() == expected.ty);
            let column = column.filter(|_| rows.width() == width);
            columns.push(column.ok_or_else(|| {
                StoreError::internal(format!("inserted rows do not fit tree {}", schema.tree))
            })?);
        }
        Ok(columns)
    }

    /// Appends the key of a row of stored columns.
    pub(crate) fn put_key<C: AsRef<Column>>(&self, columns: &[C], row: usize, out: &mut Vec<u8>) {
        let columns = self.key.iter().filter_map(|at| columns.get(*at));
        for (at, column) in columns.enumerate() {
            encode_ordered_key_cell(column.as_ref(), row, self.order(at), out);
        }
    }

    /// Appends the key of a row, given the key columns in order.
    pub(crate) fn put_key_of<C: AsRef<Column>>(
        &self,
        key_columns: &[C],
        row: usize,
        out: &mut Vec<u8>,
    ) {
        for (at, column) in key_columns.iter().enumerate() {
            encode_ordered_key_cell(column.as_ref(), row, self.order(at), out);
        }
    }

    /// Appends the key of a row, given its stored values.
    pub(crate) fn put_key_of_values(&self, values: &[Value], out: &mut Vec<u8>) {
        let values = self.key.iter().filter_map(|at| values.get(*at));
        for (at, value) in values.enumerate() {
            encode_ordered_key_value(value, self.order(at), out);
        }
    }

    /// Appends the bytes with which keys begin whose first columns have these values.
    pub(crate) fn put_key_prefix(&self, values: &[Value], out: &mut Vec<u8>) -> Result<()> {
        let types = self.key.iter().filter_map(|at| self.types.get(*at));
        let fits = |(value, ty): (&Value, &LogicalType)| value.is_of(*ty);
        if values.len() > self.key.len() || !values.iter().zip(types).all(fits) {
            return Err(StoreError::internal("a key does not fit its tree"));
        }
        for (at, value) in values.iter().enumerate() {
            encode_ordered_key_value(value, self.order(at), out);
        }
        Ok(())
    }

    /// What two transactions may not both write of a row; `None` where they may write any.
    pub(crate) fn conflict_key<'a>(&self, key: &'a [u8], row: &[u8]) -> Option<&'a [u8]> {
        match &self.schema.key {
            SortKey::RowId | SortKey::Sorted(_) => None,
            SortKey::Columns(_) => Some(key),
            SortKey::Index(_) if entry_is_deleted(row) => None,
            SortKey::Index(index) => self.unique_prefix(index, key),
        }
    }

    /// The same of all rows of a run.
    pub(crate) fn conflict_range<'a>(
        &self,
        first: &'a [u8],
        last: &'a [u8],
    ) -> Option<(&'a [u8], &'a [u8])> {
        let index = match &self.schema.key {
            SortKey::RowId | SortKey::Sorted(_) => return None,
            SortKey::Columns(_) => return Some((first, last)),
            SortKey::Index(index) if index.uniqueness == Uniqueness::None => return None,
            SortKey::Index(index) => index,
        };
        let (_, bytes) = self.key_values(first, index.own_columns)?;
        Some((first.get(..bytes)?, last))
    }

    /// The bytes of a key of an index that must be unique.
    fn unique_prefix<'a>(&self, index: &IndexKey, key: &'a [u8]) -> Option<&'a [u8]> {
        if index.uniqueness == Uniqueness::None {
            return None;
        }
        let (values, bytes) = self.key_values(key, index.own_columns)?;
        let distinct = index.uniqueness == Uniqueness::NullsDistinct;
        let is_free = distinct && values.iter().any(Value::is_null);
        (!is_free).then(|| key.get(..bytes)).flatten()
    }

    /// The first `columns` values of a key, and how many bytes they take.
    pub(crate) fn key_values(&self, key: &[u8], columns: usize) -> Option<(Vec<Value>, usize)> {
        let mut rest = key;
        let types = self.key.iter().filter_map(|at| self.types.get(*at));
        let values = types.take(columns).enumerate();
        let values: Option<Vec<Value>> = values
            .map(|(at, ty)| decode_ordered_key_value(*ty, self.order(at), &mut rest))
            .collect();
        Some((values?, key.len() - rest.len()))
    }

    /// How rows are kept apart, if they are.
    pub(crate) fn kept_apart(&self) -> Option<KeptApart> {
        self.kept_apart
    }

    /// The stored columns whose large values are content.
    pub(crate) fn content(&self) -> &[usize] {
        &self.content
    }

    /// The shape of a new run of this tree: its columns, then references to what of some of them
    /// lies elsewhere. Trees that are looked up by key get filters.
    pub(crate) fn run_spec(&self, run: RunId, referring: &[usize]) -> RunSpec {
        let referring = referring.iter().filter_map(|at| self.columns.get(*at));
        let references = referring.map(|column| ColumnSpec::references(column.id));
        RunSpec {
            run,
            schema_version: self.schema.version,
            columns: self.columns.iter().copied().chain(references).collect(),
            key_columns: self.key.clone(),
            key_orders: self.orders.clone(),
            filter: !self.has_row_id(),
            filter_key_columns: self.index().map(|index| index.own_columns),
            encodings: self.encodings.clone(),
        }
    }
}

/// Whether rows of a tree with such a key have a hidden row id.
pub(crate) fn has_row_id(key: &SortKey) -> bool {
    matches!(key, SortKey::RowId | SortKey::Sorted(_))
}

/// Whether the columns of a key are there, each once.
fn are_distinct(key: &[KeyColumn], schema: &TreeSchema) -> bool {
    let positions = key.iter().map(|column| column.position);
    let exist = positions.clone().all(|at| at < schema.columns.len());
    exist && VecSet::from_iter(positions).len() == key.len()
}
