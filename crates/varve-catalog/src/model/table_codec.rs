//! Tables of the catalog as bytes.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout, 1; kind of object, 1 = table | 1 + 1 |
//! | object id, tree id | 8 + 8 |
//! | schema version | 4 |
//! | name | 2 (length) + UTF-8 |
//! | number of columns | 2 |
//! | a column: id, type code, flags (1 nullable, 2 a type modifier follows, 4 its storage follows), name | 4 + 1 + 1, 4, 3, 2 + UTF-8 |
//! | number of key columns, their positions | 2, then 2 each |
//! | number of expressions that indexes are on, each as in `expr_codec.rs` | 2, then bytes |
//! | number of indexes, each as in `index.rs` | 2, then bytes |
//! | number of columns with a default, a filling or an earlier value | 2 |
//! | such a column: position, filling (0 statement, 1 generated, 2 identity by default, 3 identity), flags (1 a default, 2 an earlier value) | 2 + 1 + 1 |
//! | its default as in `expr_codec.rs`; its earlier value: length, key bytes | bytes; 4, then bytes |
//! | name of the primary key, empty where it is that of the table with `_pkey` | 2 + UTF-8 |
//! | number of CHECK constraints, each: name, condition | 2, then 2 + UTF-8, then bytes |
//! | number of foreign keys, each as in `foreign_key.rs` | 2, then bytes |
//! | flags: 1 inheritance follows as in `inheritance.rs`, 2 storage options follow, 4 what makes it a hypertable as in `hypertable.rs` | 1, then bytes |
//! | number of storage options, each: name, value | 2, then 2 + UTF-8 twice |
//! | what they say: codec of pages, the least bytes of content, the version with which it changed | 2 + 4 + 4 |
//!
//! Integers are little-endian; nothing follows. One table has one form only.

use varve_expr::{Expr, coerce_length};
use varve_types::{
    ColumnId, ColumnStorage, LogicalType, ObjectId, PageCodec, Result, TreeId, TreeOptions,
    TypeMod, Value, decode_key_value, encode_key_value,
};

use crate::model::bytes::{
    Input, broken, code, put_count, put_long, put_name, schema_head, take_schema_head,
};
use crate::model::expr_codec::{put_expr, take_default, take_expr};
use crate::model::foreign_key::{put_foreign_key, take_foreign_key};
use crate::model::hypertable::{put_hypertable, take_hypertable};
use crate::model::index::{Indexable, put_index, take_index};
use crate::model::inheritance::{put_inheritance, take_inheritance};
use crate::model::table::{CheckDef, ColumnDef, Filled, StorageOption, TableDef};

/// The layout and the kind of object.
const HEAD: [u8; 2] = [1, 1];
/// Fillings by their codes.
const FILLINGS: [Filled; 4] = [
    Filled::ByStatement,
    Filled::Generated,
    Filled::IdentityByDefault,
    Filled::IdentityAlways,
];

/// The bytes of a table in the catalog; `54000` where a part of it is too long.
pub fn encode_table(table: &TableDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(table.schema);
    bytes.extend(HEAD);
    bytes.extend(table.object.0.to_le_bytes());
    bytes.extend(table.tree.0.to_le_bytes());
    bytes.extend(table.version.to_le_bytes());
    put_name(&mut bytes, &table.name)?;
    put_columns(&mut bytes, &table.columns)?;
    put_count(&mut bytes, table.primary_key.len())?;
    for position in &table.primary_key {
        put_count(&mut bytes, *position)?;
    }
    put_count(&mut bytes, table.expressions.len())?;
    for expr in &table.expressions {
        put_expr(&mut bytes, expr)?;
    }
    put_count(&mut bytes, table.indexes.len())?;
    for index in &table.indexes {
        put_index(&mut bytes, index)?;
    }
    put_fillings(&mut bytes, table)?;
    put_name(&mut bytes, table.key_name.as_deref().unwrap_or_default())?;
    put_count(&mut bytes, table.checks.len())?;
    for CheckDef { name, expr } in &table.checks {
        put_name(&mut bytes, name)?;
        put_expr(&mut bytes, expr)?;
    }
    put_count(&mut bytes, table.foreign_keys.len())?;
    for key in &table.foreign_keys {
        put_foreign_key(&mut bytes, key)?;
    }
    // What rows are kept apart by follows from the hypertable.
    let stored = TreeOptions {
        partition: None,
        ..table.stored
    };
    let has_options = !table.options.is_empty() || stored != TreeOptions::default();
    let flags = u8::from(table.inheritance.is_some()) | u8::from(has_options) << 1;
    bytes.push(flags | u8::from(table.hypertable.is_some()) << 2);
    if let Some(inheritance) = &table.inheritance {
        put_inheritance(&mut bytes, inheritance)?;
    }
    if has_options {
        put_options(&mut bytes, table)?;
    }
    if let Some(hypertable) = &table.hypertable {
        put_hypertable(&mut bytes, hypertable)?;
    }
    Ok(bytes)
}

fn put_options(bytes: &mut Vec<u8>, table: &TableDef) -> Result<()> {
    put_count(bytes, table.options.len())?;
    for StorageOption { name, value } in &table.options {
        put_name(bytes, name)?;
        put_name(bytes, value)?;
    }
    bytes.extend(table.stored.pages.to_bytes());
    bytes.extend(table.stored.content_bytes_min.to_le_bytes());
    bytes.extend(table.stored.version.to_le_bytes());
    Ok(())
}

fn take_options(input: &mut Input<'_>) -> Result<(Vec<StorageOption>, TreeOptions)> {
    let mut options = Vec::new();
    for _ in 0..input.count()? {
        let name = input.name()?;
        let value = input.name()?;
        options.push(StorageOption { name, value });
    }
    let pages = PageCodec::from_bytes(input.array()?);
    let stored = TreeOptions {
        pages: pages.ok_or_else(|| broken("codec of pages"))?,
        pages_of_keys: false,
        content_bytes_min: u32::from_le_bytes(input.array()?),
        version: u32::from_le_bytes(input.array()?),
        partition: None,
    };
    Ok((options, stored))
}

fn put_columns(bytes: &mut Vec<u8>, columns: &[ColumnDef]) -> Result<()> {
    put_count(bytes, columns.len())?;
    for column in columns {
        bytes.extend(column.id.0.to_le_bytes());
        column.ty.encode(bytes);
        let bounded = !column.modifier.is_none();
        let stored = !column.storage.is_default();
        let flags = u8::from(column.nullable) | u8::from(bounded) << 1;
        bytes.push(flags | u8::from(stored) << 2);
        if bounded {
            bytes.extend(column.modifier.0.to_le_bytes());
        }
        if stored {
            bytes.extend(column.storage.to_bytes());
        }
        put_name(bytes, &column.name)?;
    }
    Ok(())
}

fn take_columns(input: &mut Input<'_>) -> Result<Vec<ColumnDef>> {
    let mut columns: Vec<ColumnDef> = Vec::new();
    for _ in 0..input.count()? {
        let id = ColumnId(u32::from_le_bytes(input.array()?));
        let ty = input.ty().ok_or_else(|| broken("column type"))?;
        let flags = input.u8()?;
        if flags > 7 {
            return Err(broken("flags of a column"));
        }
        let modifier = match flags & 2 {
            0 => TypeMod::NONE,
            _ => TypeMod(i32::from_le_bytes(input.array()?)),
        };
        let storage = match flags & 4 {
            0 => Some(ColumnStorage::default()),
            _ => ColumnStorage::from_bytes(input.array()?),
        };
        let nullable = flags & 1 == 1;
        let name = input.name()?;
        let is_repeated = |known: &ColumnDef| known.id == id || known.name == name;
        if columns.iter().any(is_repeated) {
            return Err(broken("repeated column"));
        }
        columns.push(ColumnDef {
            modifier,
            storage: storage.ok_or_else(|| broken("storage of a column"))?,
            ..ColumnDef::new(id, name, ty, nullable)
        });
    }
    Ok(columns)
}

fn take_primary_key(input: &mut Input<'_>, columns: &[ColumnDef]) -> Result<Vec<usize>> {
    let mut primary_key = Vec::new();
    for _ in 0..input.count()? {
        let position = input.count()?;
        let column = columns.get(position);
        let is_sound = column.is_some_and(|column| !column.nullable);
        if !is_sound || primary_key.contains(&position) {
            return Err(broken("primary key"));
        }
        primary_key.push(position);
    }
    Ok(primary_key)
}

fn is_filled(column: &ColumnDef) -> bool {
    column.default.is_some() || column.filled != Filled::ByStatement || !column.missing.is_null()
}

fn put_fillings(bytes: &mut Vec<u8>, table: &TableDef) -> Result<()> {
    let columns = table.columns.iter().enumerate();
    let filled: Vec<_> = columns.filter(|(_, column)| is_filled(column)).collect();
    put_count(bytes, filled.len())?;
    for (at, column) in filled {
        put_count(bytes, at)?;
        bytes.push(code(&FILLINGS, &column.filled)?);
        let has_missing = !column.missing.is_null();
        bytes.push(u8::from(column.default.is_some()) | u8::from(has_missing) << 1);
        if let Some(default) = &column.default {
            put_expr(bytes, default)?;
        }
        if has_missing {
            let mut key = Vec::new();
            encode_key_value(&column.missing, &mut key);
            put_long(bytes, &key)?;
        }
    }
    Ok(())
}

fn take_fillings(input: &mut Input<'_>, columns: &mut [ColumnDef]) -> Result<()> {
    for _ in 0..input.count()? {
        let at = input.count()?;
        let code = input.u8()?;
        let filled = FILLINGS.get(usize::from(code));
        let filled = *filled.ok_or_else(|| broken("filling"))?;
        let flags = input.u8()?;
        let over = match filled {
            Filled::Generated => &*columns,
            _ => &[],
        };
        let default = match flags & 1 {
            0 => None,
            _ => Some(take_default(input, over)?),
        };
        let column = columns.get_mut(at).ok_or_else(|| broken("filled column"))?;
        if default
            .as_ref()
            .is_some_and(|expr| expr.logical_type() != column.ty)
        {
            return Err(broken("type of a default"));
        }
        if flags & 2 == 2 {
            let len = u32::from_le_bytes(input.array()?);
            let len = usize::try_from(len).map_err(|_| broken("earlier value"))?;
            let mut key = input.take(len)?;
            let value = decode_key_value(column.ty, &mut key).filter(|_| key.is_empty());
            column.missing = value.ok_or_else(|| broken("earlier value"))?;
        }
        column.default = default.map(|default| match default {
            Expr::Literal { value, ty } => Expr::Literal {
                value: bounded(value, column),
                ty,
            },
            other => other,
        });
        column.missing = bounded(column.missing.clone(), column);
        column.filled = filled;
    }
    Ok(())
}

/// A constant of a column with the digits that its modifier asks for, which key bytes do not keep.
fn bounded(value: Value, column: &ColumnDef) -> Value {
    let kept = value.clone();
    coerce_length(value, column.ty, column.modifier, true).unwrap_or(kept)
}

/// The table that [`encode_table`] wrote; `XX001` for any other bytes.
pub fn decode_table(bytes: &[u8]) -> Result<TableDef> {
    let (schema, rest) = take_schema_head(bytes)?;
    let mut input = Input(rest);
    input.head(HEAD)?;
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let tree = TreeId(u64::from_le_bytes(input.array()?));
    let version = u32::from_le_bytes(input.array()?);
    let name = input.name()?;
    let mut columns = take_columns(&mut input)?;
    let primary_key = take_primary_key(&mut input, &columns)?;
    let mut expressions = Vec::new();
    for _ in 0..input.count()? {
        expressions.push(take_expr(&mut input, &columns)?);
    }
    let mut indexes = Vec::new();
    for _ in 0..input.count()? {
        let of = Indexable {
            columns: &columns,
            expressions: &expressions,
        };
        indexes.push(take_index(&mut input, of)?);
    }
    take_fillings(&mut input, &mut columns)?;
    let key_name = Some(input.name()?).filter(|name| !name.is_empty());
    let checks = take_checks(&mut input, &columns)?;
    let mut foreign_keys = Vec::new();
    for _ in 0..input.count()? {
        foreign_keys.push(take_foreign_key(&mut input, columns.len())?);
    }
    let flags = input.u8()?;
    if flags > 7 {
        return Err(broken("flags of a table"));
    }
    let inheritance = match flags & 1 {
        0 => None,
        _ => Some(Box::new(take_inheritance(&mut input, &columns)?)),
    };
    let (options, mut stored) = match flags & 2 {
        0 => (Vec::new(), TreeOptions::default()),
        _ => take_options(&mut input)?,
    };
    let hypertable = match flags & 4 {
        0 => None,
        _ => Some(Box::new(take_hypertable(&mut input, &columns)?)),
    };
    stored.partition = hypertable.as_ref().map(|def| def.partition());
    let table = TableDef {
        object,
        schema,
        tree,
        version,
        name,
        columns,
        primary_key,
        indexes,
        expressions,
        key_name,
        checks,
        foreign_keys,
        inheritance,
        hypertable,
        options,
        stored,
    };
    if !input.0.is_empty() || encode_table(&table)? != bytes {
        return Err(broken("end"));
    }
    Ok(table)
}

fn take_checks(input: &mut Input<'_>, columns: &[ColumnDef]) -> Result<Vec<CheckDef>> {
    let mut checks = Vec::new();
    for _ in 0..input.count()? {
        let name = input.name()?;
        let expr = take_default(input, columns)?;
        if expr.logical_type() != LogicalType::Boolean {
            return Err(broken("CHECK"));
        }
        checks.push(CheckDef { name, expr });
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::{FILLINGS, decode_table, encode_table};
    use crate::model::index::{Deferral, IndexDef, IndexOptions};
    use crate::model::inheritance::{
        InheritanceDef, Limit, PartitionBound, Partitioning, Strategy,
    };
    use crate::model::table::{CheckDef, ColumnDef, TableDef};
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use varve_expr::Expr;
    use varve_types::{
        ColumnId, CompareOp, KeyOrder, KeyPart, LogicalType, ObjectId, PageCodec, PartPredicate,
        PredicateTest, SqlState, TreeId, TypeMod, Value,
    };

    fn table() -> TableDef {
        let column =
            |id, name: &str, ty, nullable| ColumnDef::new(ColumnId(id), name, ty, nullable);
        let columns = vec![
            column(1, "at", LogicalType::TimestampTz, false),
            column(3, "t\u{b0}", LogicalType::Float8, true),
        ];
        TableDef {
            object: ObjectId(7),
            tree: TreeId(9),
            ..TableDef::new("w", columns, vec![0])
        }
    }

    fn with_indexes() -> TableDef {
        let test = |column, test| PartPredicate {
            column: KeyPart::Column(column),
            test,
        };
        let index = |tree, name: &str, options: IndexOptions| IndexDef {
            tree: TreeId(tree),
            name: name.to_owned(),
            is_constraint: options.is_unique,
            is_primary: options.is_unique && tree != 10,
            is_building: tree == 12,
            deferral: match tree {
                10 => Deferral::Never,
                11 => Deferral::Deferrable,
                _ => Deferral::Deferred,
            },
            options,
            pages: match tree {
                10 => None,
                11 => Some(PageCodec::Lz4),
                _ => Some(PageCodec::Zstd(9)),
            },
            pages_version: u32::from(tree == 10) * 3,
            keys: vec![
                (KeyPart::Column(1), KeyOrder::from_code(3).unwrap()),
                (KeyPart::Column(0), KeyOrder::default()),
            ],
            include: vec![1],
            predicate: vec![
                test(
                    1,
                    PredicateTest::Compare(CompareOp::LtEq, Value::Float8(1.5)),
                ),
                test(
                    0,
                    PredicateTest::In(vec![Value::TimestampTz(3), Value::TimestampTz(4)]),
                ),
                test(1, PredicateTest::IsNotNull),
                test(1, PredicateTest::IsNull),
            ],
        };
        let equal_nulls = IndexOptions {
            nulls_not_distinct: true,
            ..IndexOptions::UNIQUE
        };
        TableDef {
            indexes: vec![
                index(10, "a", IndexOptions::default()),
                index(11, "b", IndexOptions::UNIQUE),
                index(12, "c", equal_nulls),
            ],
            ..table()
        }
    }

    #[test]
    fn indexes_come_back() {
        let table = with_indexes();
        assert_eq!(decode_table(&encode_table(&table).unwrap()).unwrap(), table);
    }

    #[test]
    fn golden_bytes() {
        let mut expected = vec![1, 1];
        expected.extend([7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        expected.extend([1, 0, 0, 0, 1, 0, b'w', 2, 0]);
        expected.extend([1, 0, 0, 0, 8, 0, 2, 0, b'a', b't']);
        expected.extend([3, 0, 0, 0, 4, 1, 3, 0, b't', 0xc2, 0xb0]);
        // The key, then nothing of all that a table may have.
        expected.extend([1, 0, 0, 0]);
        expected.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(encode_table(&table()).unwrap(), expected);
        assert_eq!(decode_table(&expected).unwrap(), table());
    }

    /// A table with all that one may have, but inheritance.
    fn full() -> TableDef {
        let mut full = with_indexes();
        full.key_name = Some("w_key".to_owned());
        let literal = |value: i64| Expr::Literal {
            value: Value::Int8(value),
            ty: LogicalType::Int8,
        };
        let at = |index, ty| Expr::Column { index, ty };
        let cast = Expr::Cast {
            input: Box::new(literal(3)),
            to: LogicalType::Float8,
            modifier: TypeMod::NONE,
            explicit: true,
            position: 0,
        };
        for (id, filled) in (20..).zip(FILLINGS) {
            let mut column =
                ColumnDef::new(ColumnId(id), format!("f{id}"), LogicalType::Int8, true);
            column.filled = filled;
            column.missing = Value::Int8(-1);
            column.default = Some(literal(id.into()));
            full.columns.push(column);
        }
        if let Some(column) = full.columns.get_mut(1) {
            column.default = Some(cast);
        }
        full.checks.push(CheckDef {
            name: "c".to_owned(),
            expr: Expr::IsNull {
                input: Box::new(at(1, LogicalType::Float8)),
                negated: true,
            },
        });
        full.foreign_keys
            .push(crate::model::foreign_key::ForeignKeyDef {
                name: "f".to_owned(),
                columns: vec![1, 0],
                parent: ObjectId(3),
                parent_columns: vec![ColumnId(1), ColumnId(4)],
                is_full: true,
                on_delete: crate::model::foreign_key::KeyAction::SetNull,
                on_update: crate::model::foreign_key::KeyAction::Cascade,
                set_columns: vec![0],
                deferral: Deferral::Deferred,
                is_valid: true,
            });
        full.expressions = vec![
            at(0, LogicalType::TimestampTz),
            Expr::IsNull {
                input: Box::new(at(1, LogicalType::Float8)),
                negated: false,
            },
        ];
        if let Some(index) = full.indexes.first_mut() {
            let part = KeyPart::Expression(0);
            index.keys.insert(1, (part, KeyOrder::default()));
            index.predicate.push(PartPredicate {
                column: KeyPart::Expression(1),
                test: PredicateTest::Compare(CompareOp::Eq, Value::Boolean(true)),
            });
        }
        full
    }

    /// A partition that is partitioned itself.
    fn in_inheritance(bound: PartitionBound) -> TableDef {
        let mut table = full();
        table.inheritance = Some(Box::new(InheritanceDef {
            parents: vec![ObjectId(2)],
            children: vec![ObjectId(8), ObjectId(9)],
            own: vec![ColumnId(1)],
            partitioning: Some(Partitioning {
                strategy: Strategy::List,
                keys: vec![Expr::Column {
                    index: 1,
                    ty: LogicalType::Float8,
                }],
            }),
            bound: Some(bound),
        }));
        table
    }

    #[test]
    fn inheritance_comes_back() {
        let value = |value| Expr::Literal {
            value: Value::Int4(value),
            ty: LogicalType::Int4,
        };
        for bound in [
            PartitionBound::Default,
            PartitionBound::List(vec![value(1), value(7)]),
            PartitionBound::Range(vec![Limit::Min], vec![Limit::Value(value(3))]),
            PartitionBound::Range(vec![Limit::Value(value(3))], vec![Limit::Max]),
            PartitionBound::Hash(4, 3),
        ] {
            let table = in_inheritance(bound);
            let good = encode_table(&table).unwrap();
            assert_eq!(decode_table(&good), Ok(table));
            let plain = encode_table(&full()).unwrap().len();
            for len in plain - 1..good.len() {
                assert!(decode_table(&good[..len]).is_err(), "{len}");
            }
            for at in plain - 1..good.len() {
                for byte in 0..=255 {
                    let mut bad = good.clone();
                    bad[at] = byte;
                    if let Ok(table) = decode_table(&bad) {
                        assert_eq!(encode_table(&table).unwrap(), bad);
                    }
                }
            }
        }
    }

    #[test]
    fn every_damaged_full_object_is_refused_or_sound() {
        let good = encode_table(&full()).unwrap();
        assert_eq!(decode_table(&good), Ok(full()));
        for len in 0..good.len() {
            let error = decode_table(&good[..len]).unwrap_err();
            assert_eq!(error.state(), SqlState::DATA_CORRUPTED, "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(table) = decode_table(&bad) {
                    assert_eq!(encode_table(&table).unwrap(), bad);
                }
            }
        }
    }

    #[test]
    fn every_damaged_object_is_refused_or_sound() {
        let good = encode_table(&with_indexes()).unwrap();
        for len in 0..good.len() {
            let error = decode_table(&good[..len]).unwrap_err();
            assert_eq!(error.state(), SqlState::DATA_CORRUPTED, "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(table) = decode_table(&bad) {
                    assert_eq!(encode_table(&table).unwrap(), bad);
                }
            }
        }
        let longer = [good.as_slice(), &[0]].concat();
        assert!(decode_table(&longer).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(table) = decode_table(&bytes) {
                prop_assert_eq!(encode_table(&table).unwrap(), bytes);
            }
        }
    }
}
