//! Indexes of a table: what is known of them, the shape of their trees, and their bytes in the
//! definition of their table.
//!
//! | field | bytes |
//! |---|---|
//! | tree, name | 8 + 2 + UTF-8 |
//! | flags (1 a constraint, 2 being built, 4 deferrable, 8 and deferred at first, 16 with a page codec, 32 which changed, 64 of the primary key) | 1 |
//! | with flag 16 the page codec and its level | 2 |
//! | with flag 32 the version of the table with which that changed last | 4 |
//! | the byte of [`IndexOptions`] | 1 |
//! | number of keys, each: part, order (1 descending, 2 NULLs first) | 2, then 3 + 1 |
//! | number of included columns, their positions | 2, then 2 each |
//! | number of tests, each: part, kind, number of constants (length, key bytes) | 2, then 3 + 1 + 2 + (2 + bytes) |
//!
//! A part is 0 for a column or 1 for an expression, and its position among those of the table.
//! Kinds of tests: 0 to 5 are `=`, `<>`, `<`, `<=`, `>`, `>=`, 6 IN, 7 IS NULL, 8 IS NOT NULL.

pub use varve_ast::IndexOptions;
use varve_expr::Expr;
use varve_types::{
    ColumnId, IndexKey, IndexState, KeyColumn, KeyOrder, KeyPart, LogicalType, PageCodec,
    PartPredicate, PredicateTest, Result, SortKey, TreeColumn, TreeId, TreeOptions, TreeSchema,
    Uniqueness, Value, decode_key_value, encode_key_value, encode_ordered_key_value,
};

use crate::model::bytes::{Input, OPS, broken, code, put_count, put_name};
use crate::model::hypertable::Segments;
use crate::model::table::{ColumnDef, TableDef};

/// A page codec follows the flags.
const FLAG_PAGES: u8 = 16;
/// The version of the table follows with which the page codec changed last.
const FLAG_PAGES_CHANGED: u8 = 32;

/// It is that of the primary key.
const FLAG_PRIMARY: u8 = 64;

const PART_COLUMN: u8 = 0;
const PART_EXPRESSION: u8 = 1;

const KIND_IN: u8 = 6;
const KIND_IS_NULL: u8 = 7;
const KIND_IS_NOT_NULL: u8 = 8;

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferral {
    /// After each statement.
    #[default]
    Never,
    /// After each statement, unless the transaction puts it off to its end.
    Deferrable,
    /// At the end of the transaction, unless that asks for it earlier.
    Deferred,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    /// The tree that holds its entries.
    pub tree: TreeId,
    /// Its name, as it was folded.
    pub name: String,
    /// Whether it belongs to a UNIQUE constraint, or to a PRIMARY KEY that rows are not sorted by.
    pub is_constraint: bool,
    /// Whether that is the PRIMARY KEY.
    pub is_primary: bool,
    /// When its constraint is checked.
    pub deferral: Deferral,
    /// Whether it is being built: writes maintain it, nothing reads it.
    pub is_building: bool,
    /// What else CREATE INDEX says of it.
    pub options: IndexOptions,
    /// What its pages are to be compressed with, those of its key too; `None` where nothing was
    /// asked for.
    pub pages: Option<PageCodec>,
    /// The version of the table with which that changed last: runs of older ones are to be written
    /// again. 0 where it never did.
    pub pages_version: u32,
    /// Its key: columns and expressions of the table, and their orders.
    pub keys: Vec<(KeyPart, KeyOrder)>,
    /// Further columns that it holds, by position.
    pub include: Vec<usize>,
    /// Only rows that pass all of these have an entry.
    pub predicate: Vec<PartPredicate>,
}

impl IndexDef {
    /// An index of all rows that nothing is said of, its tree not yet made.
    pub fn new(name: String, options: IndexOptions, keys: Vec<(KeyPart, KeyOrder)>) -> IndexDef {
        IndexDef {
            tree: TreeId(0),
            name,
            is_constraint: false,
            is_primary: false,
            deferral: Deferral::Never,
            is_building: false,
            options,
            pages: None,
            pages_version: 0,
            keys,
            include: Vec::new(),
            predicate: Vec::new(),
        }
    }

    /// The index, with its tree. Whoever puts it into the catalog says whether it is building.
    pub fn with_tree(&self, tree: TreeId) -> IndexDef {
        IndexDef {
            tree,
            ..self.clone()
        }
    }

    /// What its keys must be.
    fn uniqueness(&self) -> Uniqueness {
        match (self.options.is_unique, self.options.nulls_not_distinct) {
            (false, _) => Uniqueness::None,
            (true, false) => Uniqueness::NullsDistinct,
            (true, true) => Uniqueness::NullsEqual,
        }
    }

    /// What the columns of an entry hold: the index's key, the key of the table, what is included.
    /// The number of columns stands for the hidden row id.
    pub fn columns(&self, table: &TableDef) -> Vec<KeyPart> {
        let row_key = table.row_key().into_iter();
        let others = row_key.chain(self.include.iter().copied());
        self.key_parts()
            .chain(others.map(KeyPart::Column))
            .collect()
    }

    /// Whether its pages are to be compressed by zstd.
    pub fn wants_zstd(&self) -> bool {
        matches!(self.pages, Some(PageCodec::Zstd(_)))
    }

    /// Whether its pages are to be compressed otherwise than those of an earlier definition were.
    pub fn is_stored_otherwise(&self, before: &TableDef) -> bool {
        let mut indexes = before.indexes.iter();
        let was = indexes.find(|index| index.tree == self.tree);
        was.is_some_and(|was| was.pages != self.pages)
    }

    /// What its key is on.
    pub fn key_parts(&self) -> impl Iterator<Item = KeyPart> {
        self.keys.iter().map(|(part, _)| *part)
    }

    /// What the store needs to know of the index.
    pub fn tree_schema(&self, table: &TableDef) -> TreeSchema {
        let row_key = table.row_key();
        let orders = self.keys.iter().map(|(_, order)| *order);
        let orders = orders.chain(row_key.iter().map(|_| KeyOrder::default()));
        let column = |(id, part): (u32, KeyPart)| TreeColumn {
            id: ColumnId(id),
            ty: table.type_of(part),
            nullable: true,
            missing: Value::Null,
            storage: varve_types::ColumnStorage::default(),
        };
        TreeSchema {
            tree: self.tree,
            version: self.pages_version.max(1),
            columns: (1..).zip(self.columns(table)).map(column).collect(),
            key: SortKey::Index(IndexKey {
                of: table.tree,
                columns: orders
                    .enumerate()
                    .map(|(position, order)| KeyColumn { position, order })
                    .collect(),
                own_columns: self.keys.len(),
                uniqueness: self.uniqueness(),
                state: if self.is_building {
                    IndexState::Building
                } else {
                    IndexState::Valid
                },
            }),
            options: TreeOptions {
                pages: self.pages.unwrap_or_default(),
                pages_of_keys: self.pages.is_some(),
                version: self.pages_version,
                ..TreeOptions::default()
            },
        }
    }
}

impl TableDef {
    /// What the primary key is on.
    pub fn key_parts(&self) -> impl Iterator<Item = KeyPart> {
        self.primary_key.iter().copied().map(KeyPart::Column)
    }

    /// The index of the primary key, where rows are not sorted by it.
    pub fn primary_index(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|index| index.is_primary)
    }

    /// The positions of the primary key, whatever rows are sorted by; none where there is none, or
    /// one that can be deferred.
    pub fn declared_key(&self) -> Vec<usize> {
        let index = self.primary_index();
        match index.filter(|index| index.deferral == Deferral::Never) {
            Some(index) => index.key_parts().filter_map(KeyPart::column).collect(),
            None => self.primary_key.clone(),
        }
    }

    /// Has the primary key be an index of its own where rows are sorted by other columns, and what
    /// rows are sorted by where they are not. `new` are the indexes that the table is to get.
    pub fn place_primary_key(&mut self, new: &mut Vec<IndexDef>) {
        let ascending = |columns: &[usize]| -> Vec<(usize, KeyOrder)> {
            columns
                .iter()
                .map(|at| (*at, KeyOrder::default()))
                .collect()
        };
        let key = core::mem::take(&mut self.primary_key);
        // What rows are sorted by without a primary key.
        let sorted = self.sort_columns();
        if !key.is_empty() {
            if sorted.is_empty() || sorted == ascending(&key) {
                self.primary_key = key;
                return;
            }
            let parts = KeyPart::columns(&key).into_iter();
            let keys = parts.map(|part| (part, KeyOrder::default())).collect();
            let index = IndexDef {
                is_constraint: true,
                is_primary: true,
                ..IndexDef::new(self.key_name(), IndexOptions::UNIQUE, keys)
            };
            self.key_name = None;
            new.insert(0, index);
            return;
        }
        let is_key = |index: &IndexDef| {
            let columns: Vec<usize> = index.key_parts().filter_map(KeyPart::column).collect();
            let fits = sorted.is_empty() || sorted == ascending(&columns);
            index.is_primary && index.deferral == Deferral::Never && fits
        };
        let taken = [&mut self.indexes, new].into_iter().find_map(|indexes| {
            let at = indexes.iter().position(is_key)?;
            Some(indexes.remove(at))
        });
        if let Some(index) = taken {
            self.primary_key = index.key_parts().filter_map(KeyPart::column).collect();
            self.key_name = None;
            self.key_name = Some(index.name).filter(|name| *name != self.key_name());
        }
    }

    /// What rows are sorted by, as parts of a key.
    pub fn sort_parts(&self) -> impl Iterator<Item = KeyPart> {
        let columns = self.sort_columns().into_iter();
        columns.map(|(position, _)| KeyPart::Column(position))
    }

    /// The column that is the primary key, where that is one integer: SQLite's `rowid`.
    pub fn integer_key(&self) -> Option<usize> {
        let [key] = self.primary_key.as_slice() else {
            return None;
        };
        let ty = self.columns.get(*key)?.ty;
        matches!(
            ty,
            LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
        )
        .then_some(*key)
    }

    /// The positions of what names a row and says where it is: its primary key, or the columns
    /// that rows are sorted by, if there are any, and past all columns the hidden row id.
    pub fn row_key(&self) -> Vec<usize> {
        let order = self.row_order();
        order.into_iter().map(|(position, _)| position).collect()
    }

    /// The same with the order of each column.
    pub fn row_order(&self) -> Vec<(usize, KeyOrder)> {
        let mut order = self.sort_columns();
        if self.primary_key.is_empty() {
            order.push((self.columns.len(), KeyOrder::default()));
        }
        order
    }

    /// The columns that rows are sorted by, with their orders: none where that is arrival.
    pub fn sort_columns(&self) -> Vec<(usize, KeyOrder)> {
        if !self.primary_key.is_empty() {
            let key = self.primary_key.iter();
            return key.map(|at| (*at, KeyOrder::default())).collect();
        }
        let columns = self.segments().into_iter().flat_map(Segments::columns);
        let position = |id| self.columns.iter().position(|column| column.id == id);
        columns
            .filter_map(|(id, order)| Some((position(id)?, order)))
            .collect()
    }

    /// The bytes behind the key of a row with these values of [`TableDef::row_key`]: where a scan
    /// goes on after it.
    pub fn behind_key(&self, values: impl Iterator<Item = Value>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (value, (_, order)) in values.zip(self.row_order()) {
            encode_ordered_key_value(&value, order, &mut bytes);
        }
        bytes.push(0);
        bytes
    }
}

/// What an index may read of its table.
#[derive(Clone, Copy)]
pub(crate) struct Indexable<'a> {
    pub(crate) columns: &'a [ColumnDef],
    pub(crate) expressions: &'a [Expr],
}

impl Indexable<'_> {
    fn type_of(self, part: KeyPart) -> Result<LogicalType> {
        let ty = match part {
            KeyPart::Column(at) => self.columns.get(at).map(|column| column.ty),
            KeyPart::Expression(at) => self.expressions.get(at).map(Expr::logical_type),
        };
        ty.ok_or_else(|| broken("index column"))
    }
}

pub(crate) fn put_index(bytes: &mut Vec<u8>, index: &IndexDef) -> Result<()> {
    bytes.extend(index.tree.0.to_le_bytes());
    put_name(bytes, &index.name)?;
    let deferral = match index.deferral {
        Deferral::Never => 0,
        Deferral::Deferrable => 4,
        Deferral::Deferred => 12,
    };
    let pages = match index.pages {
        Some(_) => FLAG_PAGES,
        None => 0,
    };
    let changed = match index.pages_version {
        0 => 0,
        _ => FLAG_PAGES_CHANGED,
    };
    let primary = if index.is_primary { FLAG_PRIMARY } else { 0 };
    bytes.push(
        u8::from(index.is_constraint)
            | primary
            | u8::from(index.is_building) << 1
            | deferral
            | pages
            | changed,
    );
    bytes.extend(index.pages.iter().flat_map(|pages| pages.to_bytes()));
    if index.pages_version != 0 {
        bytes.extend(index.pages_version.to_le_bytes());
    }
    bytes.push(index.options.byte());
    put_count(bytes, index.keys.len())?;
    for (part, order) in &index.keys {
        put_part(bytes, *part)?;
        bytes.push(order.code());
    }
    put_count(bytes, index.include.len())?;
    for position in &index.include {
        put_count(bytes, *position)?;
    }
    put_count(bytes, index.predicate.len())?;
    for predicate in &index.predicate {
        put_test(bytes, predicate)?;
    }
    Ok(())
}

fn put_part(bytes: &mut Vec<u8>, part: KeyPart) -> Result<()> {
    let (kind, position) = match part {
        KeyPart::Column(at) => (PART_COLUMN, at),
        KeyPart::Expression(at) => (PART_EXPRESSION, at),
    };
    bytes.push(kind);
    put_count(bytes, position)
}

fn take_part(input: &mut Input<'_>) -> Result<KeyPart> {
    let kind = input.u8()?;
    let position = input.count()?;
    match kind {
        PART_COLUMN => Ok(KeyPart::Column(position)),
        PART_EXPRESSION => Ok(KeyPart::Expression(position)),
        _ => Err(broken("index part")),
    }
}

fn put_test(bytes: &mut Vec<u8>, PartPredicate { column, test }: &PartPredicate) -> Result<()> {
    put_part(bytes, *column)?;
    let (kind, constants): (u8, &[Value]) = match test {
        PredicateTest::Compare(op, value) => (code(&OPS, op)?, core::slice::from_ref(value)),
        PredicateTest::In(values) => (KIND_IN, values),
        PredicateTest::IsNull => (KIND_IS_NULL, &[]),
        PredicateTest::IsNotNull => (KIND_IS_NOT_NULL, &[]),
    };
    bytes.push(kind);
    put_count(bytes, constants.len())?;
    for constant in constants {
        let mut key = Vec::new();
        encode_key_value(constant, &mut key);
        put_count(bytes, key.len())?;
        bytes.extend(key);
    }
    Ok(())
}

pub(crate) fn take_index(input: &mut Input<'_>, of: Indexable<'_>) -> Result<IndexDef> {
    let tree = TreeId(u64::from_le_bytes(input.array()?));
    let name = input.name()?;
    let flags = input.u8()?;
    let deferral = match (flags & !(FLAG_PAGES | FLAG_PAGES_CHANGED | FLAG_PRIMARY)) >> 2 {
        0 => Deferral::Never,
        1 => Deferral::Deferrable,
        3 => Deferral::Deferred,
        _ => return Err(broken("index flags")),
    };
    let pages = match flags & FLAG_PAGES {
        0 => None,
        _ => {
            let pages = PageCodec::from_bytes(input.array()?);
            Some(pages.ok_or_else(|| broken("page codec of an index"))?)
        }
    };
    let pages_version = match flags & FLAG_PAGES_CHANGED {
        0 => 0,
        _ => u32::from_le_bytes(input.array()?),
    };
    let options = IndexOptions::from_byte(input.u8()?);
    let options = options.ok_or_else(|| broken("index options"))?;
    let mut keys = Vec::new();
    for _ in 0..input.count()? {
        let part = take_part(input)?;
        of.type_of(part)?;
        let order = KeyOrder::from_code(input.u8()?);
        keys.push((part, order.ok_or_else(|| broken("key order"))?));
    }
    if keys.is_empty() {
        return Err(broken("index key"));
    }
    let mut include = Vec::new();
    for _ in 0..input.count()? {
        let position = input.count()?;
        if position >= of.columns.len() {
            return Err(broken("index column"));
        }
        include.push(position);
    }
    let mut predicate = Vec::new();
    for _ in 0..input.count()? {
        predicate.push(take_test(input, of)?);
    }
    Ok(IndexDef {
        tree,
        name,
        is_constraint: flags & 1 == 1,
        is_primary: flags & FLAG_PRIMARY != 0,
        is_building: flags & 2 == 2,
        deferral,
        options,
        pages,
        pages_version,
        keys,
        include,
        predicate,
    })
}

fn take_test(input: &mut Input<'_>, of: Indexable<'_>) -> Result<PartPredicate> {
    let column = take_part(input)?;
    let ty = of.type_of(column)?;
    let kind = input.u8()?;
    let mut constants = Vec::new();
    for _ in 0..input.count()? {
        let len = input.count()?;
        let mut key = input.take(len)?;
        let value = decode_key_value(ty, &mut key);
        let value = value.filter(|value| key.is_empty() && !value.is_null());
        constants.push(value.ok_or_else(|| broken("index predicate"))?);
    }
    let test = match (OPS.get(usize::from(kind)), kind, constants.as_slice()) {
        (Some(op), _, [value]) => PredicateTest::Compare(*op, value.clone()),
        (None, KIND_IN, _) => PredicateTest::In(constants),
        (None, KIND_IS_NULL, []) => PredicateTest::IsNull,
        (None, KIND_IS_NOT_NULL, []) => PredicateTest::IsNotNull,
        _ => return Err(broken("index predicate")),
    };
    Ok(PartPredicate { column, test })
}
