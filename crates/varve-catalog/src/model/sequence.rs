//! Sequences: what is known of them, and their bytes in the catalog.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 2 = sequence |
//! | object id, tree id | 8 + 8 |
//! | name | 2 (length) + UTF-8 |
//! | type code | 1 |
//! | start, increment, least and greatest value, cache | 8 each |
//! | flags: 1 cycles, 2 is owned by a column | 1 |
//! | its owner: object, column | 8 + 4 |
//!
//! The tree of a sequence has one row with the key 0: the last value, and whether it was handed
//! out. Values beyond it may have been handed out up to the next time that the store was opened.

use varve_expr::walk::for_each_child;
use varve_expr::{Expr, Function};
use varve_types::{
    ColumnId, LogicalType, ObjectId, Result, SortKey, SqlText, TreeColumn, TreeId, TreeSchema,
    Value,
};

use crate::model::bytes::{Input, broken, put_name, schema_head};
use crate::model::catalog::Catalog;

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a sequence is.
pub(crate) const KIND_SEQUENCE: u8 = 2;

/// A sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema that it is in.
    pub schema: ObjectId,
    /// The tree that holds its state; another one after a restart.
    pub tree: TreeId,
    /// Its name, as it was folded.
    pub name: String,
    /// The type of its values.
    pub ty: LogicalType,
    /// Its first value.
    pub start: i64,
    /// What is added for each next value, never 0.
    pub increment: i64,
    /// Its least value.
    pub min: i64,
    /// Its greatest value.
    pub max: i64,
    /// As it was asked for; values are not kept by sessions.
    pub cache: i64,
    /// Whether it begins anew after its last value.
    pub cycle: bool,
    /// The column that it goes with.
    pub owner: Option<(ObjectId, ColumnId)>,
}

impl Catalog {
    /// The name of the sequence that an argument of `nextval` means.
    pub(crate) fn sequence_of(&self, object: &Value) -> Option<SqlText> {
        let object = u64::try_from(object.integer()?).ok()?;
        let sequence = self.sequences.get(&ObjectId(object))?;
        Some(self.shown_name(sequence.schema, &sequence.name))
    }
}

impl SequenceDef {
    /// What the store needs to know of its tree.
    pub fn tree_schema(&self) -> TreeSchema {
        let column = |id, ty| TreeColumn {
            id: ColumnId(id),
            ty,
            nullable: false,
            missing: Value::Null,
            storage: varve_types::ColumnStorage::default(),
        };
        TreeSchema {
            tree: self.tree,
            version: 1,
            columns: vec![
                column(1, LogicalType::Int4),
                column(2, LogicalType::Int8),
                column(3, LogicalType::Boolean),
            ],
            key: SortKey::Columns(vec![0]),
            options: varve_types::TreeOptions::default(),
        }
    }

    /// The expression that takes its next value.
    pub fn next_value(object: ObjectId) -> Option<Expr> {
        Some(Expr::Call {
            function: Function::find("nextval", &[LogicalType::Int8], 1)?,
            args: vec![Expr::Literal {
                value: Value::Int8(object.0.cast_signed()),
                ty: LogicalType::Int8,
            }],
            position: 0,
        })
    }
}

/// Whether an expression uses a sequence.
pub fn uses_sequence(expr: &Expr, object: ObjectId) -> bool {
    let mut found = false;
    if let Expr::Call { function, args, .. } = expr
        && matches!(function.name(), "nextval" | "currval" | "setval")
        && let Some(Expr::Literal { value, .. }) = args.first()
    {
        found = *value == Value::Int8(object.0.cast_signed());
    }
    for_each_child(expr, &mut |child| found |= uses_sequence(child, object));
    found
}

/// The bytes of a sequence in the catalog.
pub fn encode_sequence(sequence: &SequenceDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(sequence.schema);
    bytes.extend([LAYOUT_VERSION, KIND_SEQUENCE]);
    bytes.extend(sequence.object.0.to_le_bytes());
    bytes.extend(sequence.tree.0.to_le_bytes());
    put_name(&mut bytes, &sequence.name)?;
    bytes.push(sequence.ty.code());
    for number in [
        sequence.start,
        sequence.increment,
        sequence.min,
        sequence.max,
        sequence.cache,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(u8::from(sequence.cycle) | u8::from(sequence.owner.is_some()) << 1);
    if let Some((object, column)) = sequence.owner {
        bytes.extend(object.0.to_le_bytes());
        bytes.extend(column.0.to_le_bytes());
    }
    Ok(bytes)
}

/// The sequence that [`encode_sequence`] wrote; `XX001` for any other bytes.
pub fn decode_sequence(bytes: &[u8]) -> Result<SequenceDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_SEQUENCE])?;
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let tree = TreeId(u64::from_le_bytes(input.array()?));
    let name = input.name()?;
    let ty = LogicalType::from_code(input.u8()?).ok_or_else(|| broken("type of a sequence"))?;
    let mut number = || input.array().map(i64::from_le_bytes);
    let (start, increment, min, max, cache) =
        (number()?, number()?, number()?, number()?, number()?);
    let flags = input.u8()?;
    let owner = match flags >> 1 {
        0 => None,
        1 => Some((
            ObjectId(u64::from_le_bytes(input.array()?)),
            ColumnId(u32::from_le_bytes(input.array()?)),
        )),
        _ => return Err(broken("flags of a sequence")),
    };
    if increment == 0 || min > max || !input.0.is_empty() {
        return Err(broken("sequence"));
    }
    Ok(SequenceDef {
        object,
        schema,
        tree,
        name,
        ty,
        start,
        increment,
        min,
        max,
        cache,
        cycle: flags & 1 == 1,
        owner,
    })
}

#[cfg(test)]
mod tests {
    use super::{SequenceDef, decode_sequence, encode_sequence};
    use varve_types::{ColumnId, LogicalType, ObjectId, TreeId};

    #[test]
    fn every_damaged_sequence_is_refused_or_sound() {
        let sequence = SequenceDef {
            object: ObjectId(3),
            schema: ObjectId(7),
            tree: TreeId(4),
            name: "s".to_owned(),
            ty: LogicalType::Int8,
            start: -5,
            increment: -2,
            min: -100,
            max: -1,
            cache: 1,
            cycle: true,
            owner: Some((ObjectId(1), ColumnId(2))),
        };
        let good = encode_sequence(&sequence).unwrap();
        assert_eq!(decode_sequence(&good), Ok(sequence));
        for len in 0..good.len() {
            assert!(decode_sequence(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(sequence) = decode_sequence(&bad) {
                    assert_eq!(encode_sequence(&sequence).unwrap(), bad);
                }
            }
        }
    }
}
