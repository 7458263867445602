//! Inheritance: tables that inherit from others, and partitioned tables with their
//! partitions.
//!
//! A table knows its parents and its children. A partitioned table has no rows of its own, though
//! it has a tree as every table, which stays empty.
//!
//! | field | bytes |
//! |---|---|
//! | number of parents, their objects; number of children, their objects | 2 + 8 each; 2 + 8 each |
//! | number of columns that it declares itself, their ids | 2 + 4 each |
//! | 0 not partitioned, else 1 by range, 2 by list, 3 by hash | 1 |
//! | where it is partitioned: number of keys, each an expression over its columns | 2, then bytes |
//! | 0 no partition, else 1 the default one, 2 of a list, 3 of a range, 4 of a hash | 1 |
//! | a list: number of values, each an expression | 2, then bytes |
//! | a range: number of limits, below and above: 0 none below, 1 none above, 2 an expression | 2, then 1 + bytes each, twice |
//! | a hash: modulus, remainder | 4 + 4 |
//!
//! A row belongs to the hash partition whose remainder is that of FNV-1a, 64 bits, over the key
//! bytes of the values of its keys, NULLs left out, by the modulus.

use core::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use varve_expr::Expr;
use varve_expr::walk::map_columns;
use varve_types::{ColumnId, ObjectId, Result, SqlText, Value, encode_key_value};

use crate::model::bytes::{Input, broken, code, put_count};
use crate::model::catalog::Catalog;
use crate::model::deparse::deparse;
use crate::model::expr_codec::{put_expr, take_default};
use crate::model::table::{ColumnDef, TableDef};
use crate::model::view::take_object;

/// What a table inherits from, and what inherits from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InheritanceDef {
    /// The tables that it inherits from; of a partition the one that it is of.
    pub parents: Vec<ObjectId>,
    /// The tables that inherit from it, in the order in which they came.
    pub children: Vec<ObjectId>,
    /// The columns that it declares itself, whether or not it inherits them too.
    pub own: Vec<ColumnId>,
    /// Where its rows are in partitions: which.
    pub partitioning: Option<Partitioning>,
    /// Where it is a partition: of which rows.
    pub bound: Option<PartitionBound>,
}

/// How partitions share the rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioning {
    /// What decides.
    pub strategy: Strategy,
    /// What it decides by, over the columns of the table.
    pub keys: Vec<Expr>,
}

/// What decides to which partition a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `RANGE`
    Range,
    /// `LIST`
    List,
    /// `HASH`
    Hash,
}

/// The rows of a partition.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionBound {
    /// `DEFAULT`: those of no other.
    Default,
    /// `FOR VALUES IN`
    List(Vec<Expr>),
    /// `FOR VALUES FROM ... TO`
    Range(Vec<Limit>, Vec<Limit>),
    /// `FOR VALUES WITH (MODULUS, REMAINDER)`
    Hash(u32, u32),
}

/// One value of an end of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// `MINVALUE`
    Min,
    /// `MAXVALUE`
    Max,
    /// A constant.
    Value(Expr),
}

impl Strategy {
    /// All of them, in the order of their codes from 1.
    pub const ALL: [Strategy; 3] = [Strategy::Range, Strategy::List, Strategy::Hash];

    /// The word of it.
    pub fn word(self) -> &'static str {
        match self {
            Strategy::Range => "RANGE",
            Strategy::List => "LIST",
            Strategy::Hash => "HASH",
        }
    }
}

impl Limit {
    fn compare(&self, other: &Limit) -> Ordering {
        match (self, other) {
            (Limit::Value(left), Limit::Value(right)) => compare(constant(left), constant(right)),
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Limit::Min => 0,
            Limit::Value(_) => 1,
            Limit::Max => 2,
        }
    }

    fn compare_to(&self, value: &Value) -> Ordering {
        match self {
            Limit::Min => Ordering::Less,
            Limit::Max => Ordering::Greater,
            Limit::Value(limit) => compare(constant(limit), value),
        }
    }
}

/// What compares two ends of ranges.
pub fn compare_limits(left: &[Limit], right: &[Limit]) -> Ordering {
    for (left, right) in left.iter().zip(right) {
        match left.compare(right) {
            // Behind an open end nothing counts.
            Ordering::Equal if matches!(left, Limit::Value(_)) => {}
            decided => return decided,
        }
    }
    Ordering::Equal
}

fn compare_to_keys(limits: &[Limit], keys: &[Value]) -> Ordering {
    for (limit, key) in limits.iter().zip(keys) {
        match limit.compare_to(key) {
            Ordering::Equal => {}
            decided => return decided,
        }
    }
    Ordering::Equal
}

fn constant(expr: &Expr) -> &Value {
    match expr {
        Expr::Literal { value, .. } => value,
        _ => &Value::Null,
    }
}

fn compare(left: &Value, right: &Value) -> Ordering {
    left.compare(right).unwrap_or(Ordering::Equal)
}

impl PartitionBound {
    /// Whether it takes rows with these keys; the default partition takes none here.
    pub fn accepts(&self, keys: &[Value]) -> bool {
        match self {
            PartitionBound::Default => false,
            PartitionBound::List(values) => keys.first().is_some_and(|key| {
                values
                    .iter()
                    .map(constant)
                    .any(|value| match key.is_null() {
                        true => value.is_null(),
                        false => !value.is_null() && compare(value, key) == Ordering::Equal,
                    })
            }),
            PartitionBound::Range(from, to) => {
                !keys.iter().any(Value::is_null)
                    && compare_to_keys(from, keys) != Ordering::Greater
                    && compare_to_keys(to, keys) == Ordering::Greater
            }
            PartitionBound::Hash(modulus, remainder) => {
                hash(keys) % u64::from(*modulus).max(1) == u64::from(*remainder)
            }
        }
    }

    /// Whether a row could belong to both.
    pub fn overlaps(&self, other: &PartitionBound) -> bool {
        match (self, other) {
            (PartitionBound::Default, PartitionBound::Default) => true,
            (PartitionBound::List(values), other @ PartitionBound::List(_)) => {
                let mut values = values.iter().map(constant);
                values.any(|value| other.accepts(core::slice::from_ref(value)))
            }
            (PartitionBound::Range(from, to), PartitionBound::Range(from2, to2)) => {
                compare_limits(from, to2) == Ordering::Less
                    && compare_limits(from2, to) == Ordering::Less
            }
            (PartitionBound::Hash(modulus, one), PartitionBound::Hash(modulus2, two)) => {
                let shared = (*modulus.min(modulus2)).max(1);
                one % shared == two % shared
            }
            _ => false,
        }
    }

    /// The order in which partitions are read.
    fn order(&self, other: &PartitionBound) -> Ordering {
        match (self, other) {
            (PartitionBound::Range(from, _), PartitionBound::Range(from2, _)) => {
                compare_limits(from, from2)
            }
            (PartitionBound::List(left), PartitionBound::List(right)) => {
                let least = |values: &[Expr]| {
                    let values = values.iter().map(constant).filter(|value| !value.is_null());
                    values.min_by(|left, right| compare(left, right)).cloned()
                };
                match (least(left), least(right)) {
                    (Some(left), Some(right)) => compare(&left, &right),
                    (left, right) => right.is_some().cmp(&left.is_some()),
                }
            }
            (PartitionBound::Hash(modulus, one), PartitionBound::Hash(modulus2, two)) => {
                (modulus, one).cmp(&(modulus2, two))
            }
            (left, right) => {
                let is_default = |bound: &PartitionBound| *bound == PartitionBound::Default;
                is_default(left).cmp(&is_default(right))
            }
        }
    }
}

fn hash(keys: &[Value]) -> u64 {
    let mut bytes = Vec::new();
    for key in keys.iter().filter(|key| !key.is_null()) {
        encode_key_value(key, &mut bytes);
    }
    let mixed = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mixed)
}

impl TableDef {
    /// The tables that inherit from it.
    pub fn children(&self) -> &[ObjectId] {
        self.inheritance
            .as_ref()
            .map_or(&[], |inheritance| &inheritance.children)
    }

    /// The tables that it inherits from.
    pub fn parents(&self) -> &[ObjectId] {
        self.inheritance
            .as_ref()
            .map_or(&[], |inheritance| &inheritance.parents)
    }

    /// How its rows are shared by partitions.
    pub fn partitioning(&self) -> Option<&Partitioning> {
        self.inheritance.as_ref()?.partitioning.as_ref()
    }

    /// The rows of the partition that it is.
    pub fn bound(&self) -> Option<&PartitionBound> {
        self.inheritance.as_ref()?.bound.as_ref()
    }

    /// Changes what it inherits from and what inherits from it, which may be nothing.
    pub fn change_inheritance(&mut self, change: impl FnOnce(&mut InheritanceDef)) {
        let mut inheritance = self.inheritance.take().unwrap_or_default();
        change(&mut inheritance);
        let is_one = !inheritance.parents.is_empty()
            || !inheritance.children.is_empty()
            || inheritance.partitioning.is_some();
        if !is_one {
            inheritance.own.clear();
        }
        self.inheritance = is_one.then_some(inheritance);
    }

    /// An expression over its columns as text.
    pub fn shown_expr(&self, expr: &Expr) -> SqlText {
        deparse(expr, &self.column_texts())
    }

    /// The place in another table of each of its columns, by name.
    pub fn places_in(&self, other: &TableDef) -> Option<Vec<usize>> {
        let place = |column: &ColumnDef| {
            let mut others = other.columns.iter();
            others.position(|known| known.name == column.name)
        };
        self.columns.iter().map(place).collect()
    }
}

impl Catalog {
    /// The children of a table in the order in which they are read.
    pub fn children_of(&self, table: &TableDef) -> Vec<&Arc<TableDef>> {
        let children = table.children().iter();
        let mut children: Vec<_> = children
            .filter_map(|child| self.tables.get(child))
            .collect();
        if table.partitioning().is_some() {
            children.sort_by(|left, right| match (left.bound(), right.bound()) {
                (Some(left), Some(right)) => left.order(right),
                _ => Ordering::Equal,
            });
        }
        children
    }

    /// The table and all below it, each once.
    pub fn inheritance_of(&self, table: &Arc<TableDef>) -> Vec<Arc<TableDef>> {
        let mut known = BTreeSet::from([table.object]);
        let mut all = vec![Arc::clone(table)];
        let mut at = 0;
        while let Some(parent) = all.get(at).cloned() {
            at += 1;
            let mut next = at;
            for child in self.children_of(&parent) {
                if known.insert(child.object) {
                    // What is below a partition comes before the partitions behind it.
                    let place = match parent.partitioning() {
                        Some(_) => next,
                        None => all.len(),
                    };
                    all.insert(place, Arc::clone(child));
                    next += 1;
                }
            }
        }
        all
    }

    /// Those of [`Catalog::inheritance_of`] that have rows.
    pub fn inheritance_with_rows(&self, table: &Arc<TableDef>) -> Vec<Arc<TableDef>> {
        let mut all = self.inheritance_of(table);
        all.retain(|table| table.partitioning().is_none());
        all
    }
}

/// An expression over other columns.
pub fn over_columns(expr: &Expr, map: &dyn Fn(usize) -> usize) -> Expr {
    let mut expr = expr.clone();
    map_columns(&mut expr, map);
    expr
}

/// Appends the inheritance of a table.
pub(crate) fn put_inheritance(bytes: &mut Vec<u8>, inheritance: &InheritanceDef) -> Result<()> {
    for objects in [&inheritance.parents, &inheritance.children] {
        put_count(bytes, objects.len())?;
        for object in objects {
            bytes.extend(object.0.to_le_bytes());
        }
    }
    put_count(bytes, inheritance.own.len())?;
    for id in &inheritance.own {
        bytes.extend(id.0.to_le_bytes());
    }
    match &inheritance.partitioning {
        None => bytes.push(0),
        Some(Partitioning { strategy, keys }) => {
            bytes.push(code(&Strategy::ALL, strategy)? + 1);
            put_exprs(bytes, keys)?;
        }
    }
    match &inheritance.bound {
        None => bytes.push(0),
        Some(PartitionBound::Default) => bytes.push(1),
        Some(PartitionBound::List(values)) => {
            bytes.push(2);
            put_exprs(bytes, values)?;
        }
        Some(PartitionBound::Range(from, to)) => {
            bytes.push(3);
            put_count(bytes, from.len())?;
            for limit in from.iter().chain(to) {
                bytes.push(match limit {
                    Limit::Min => 0,
                    Limit::Max => 1,
                    Limit::Value(_) => 2,
                });
                if let Limit::Value(expr) = limit {
                    put_expr(bytes, expr)?;
                }
            }
        }
        Some(PartitionBound::Hash(modulus, remainder)) => {
            bytes.push(4);
            bytes.extend(modulus.to_le_bytes());
            bytes.extend(remainder.to_le_bytes());
        }
    }
    Ok(())
}

fn put_exprs(bytes: &mut Vec<u8>, exprs: &[Expr]) -> Result<()> {
    put_count(bytes, exprs.len())?;
    for expr in exprs {
        put_expr(bytes, expr)?;
    }
    Ok(())
}

/// What [`put_inheritance`] wrote of a table with these columns.
pub(crate) fn take_inheritance(
    input: &mut Input<'_>,
    columns: &[ColumnDef],
) -> Result<InheritanceDef> {
    let objects = |input: &mut Input<'_>| {
        let count = input.count()?;
        (0..count)
            .map(|_| take_object(input))
            .collect::<Result<Vec<ObjectId>>>()
    };
    let (parents, children) = (objects(input)?, objects(input)?);
    let mut own = Vec::new();
    for _ in 0..input.count()? {
        own.push(ColumnId(u32::from_le_bytes(input.array()?)));
    }
    let partitioning = match input.u8()? {
        0 => None,
        code => {
            let strategy = Strategy::ALL.get(usize::from(code) - 1);
            Some(Partitioning {
                strategy: *strategy.ok_or_else(|| broken("partitioning"))?,
                keys: take_exprs(input, columns)?,
            })
        }
    };
    let bound = match input.u8()? {
        0 => None,
        1 => Some(PartitionBound::Default),
        2 => Some(PartitionBound::List(take_exprs(input, &[])?)),
        3 => {
            let count = input.count()?;
            let limits = |input: &mut Input<'_>| {
                let limit = |_| {
                    Ok(match input.u8()? {
                        0 => Limit::Min,
                        1 => Limit::Max,
                        2 => Limit::Value(take_default(input, &[])?),
                        _ => return Err(broken("end of a range")),
                    })
                };
                (0..count).map(limit).collect::<Result<Vec<Limit>>>()
            };
            let from = limits(input)?;
            Some(PartitionBound::Range(from, limits(input)?))
        }
        4 => {
            let modulus = u32::from_le_bytes(input.array()?);
            Some(PartitionBound::Hash(
                modulus,
                u32::from_le_bytes(input.array()?),
            ))
        }
        _ => return Err(broken("bound of a partition")),
    };
    Ok(InheritanceDef {
        parents,
        children,
        own,
        partitioning,
        bound,
    })
}

fn take_exprs(input: &mut Input<'_>, columns: &[ColumnDef]) -> Result<Vec<Expr>> {
    let count = input.count()?;
    (0..count).map(|_| take_default(input, columns)).collect()
}
