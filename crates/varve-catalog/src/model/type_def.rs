//! Enumerations and composite types, and their bytes in the catalog:
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 19 = enumeration |
//! | object id | 8 |
//! | name | 2 (length) + UTF-8 |
//! | number of labels, each: place, label | 2, then 4 + 2 + UTF-8 |
//!
//! A composite type is of kind 22, and has behind its name the number of its fields, each: type
//! code, modifier, name (2, then bytes + 4 + 2 + UTF-8).

use varve_types::{EnumId, LogicalType, ObjectId, Result, RowTypeId, TypeMod};

use crate::model::bytes::{Input, broken, put_count, put_name, schema_head, take_schema_head};
use crate::model::view::ViewColumn;

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that an enumeration is.
pub(crate) const KIND_ENUM: u8 = 19;
/// The kind of object that a composite type is.
pub(crate) const KIND_ROW_TYPE: u8 = 22;
/// The distance between the places of labels that are made one after another: so many may come
/// between them.
pub const PLACES_APART: i32 = 1 << 16;

/// An enumeration or a composite type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema that it is in.
    pub schema: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// Its labels in order, with the places that stored values hold.
    pub labels: Vec<(i32, String)>,
    /// Of a composite type: its fields in order.
    pub fields: Option<Vec<ViewColumn>>,
}

impl EnumDef {
    /// An enumeration of these labels, without an object.
    pub fn new(schema: ObjectId, name: String, labels: Vec<String>) -> EnumDef {
        let places = (0..).step_by(PLACES_APART as usize);
        EnumDef {
            object: ObjectId(0),
            schema,
            name,
            labels: places.zip(labels).collect(),
            fields: None,
        }
    }

    /// The number of the type; `None` for an object that is too far from the first.
    pub fn id(&self) -> Option<EnumId> {
        u32::try_from(self.object.0).ok().map(EnumId)
    }

    /// The type.
    pub fn ty(&self) -> Option<LogicalType> {
        let id = self.id()?;
        Some(match &self.fields {
            None => LogicalType::Enum(id),
            Some(_) => LogicalType::Row(RowTypeId(id.0)),
        })
    }

    /// The place for a label before label `at`; `None` where none is left.
    pub fn place_before(&self, at: usize) -> Option<i32> {
        let place = |at: Option<usize>| {
            at.and_then(|at| self.labels.get(at))
                .map(|(place, _)| *place)
        };
        match (place(at.checked_sub(1)), place(Some(at))) {
            (None, None) => Some(0),
            (Some(last), None) => last.checked_add(PLACES_APART),
            (None, Some(first)) => first.checked_sub(PLACES_APART),
            (Some(before), Some(behind)) => {
                let middle = before.midpoint(behind);
                (middle > before && middle < behind).then_some(middle)
            }
        }
    }
}

/// The bytes of an enumeration or a composite type in the catalog.
pub fn encode_enum(def: &EnumDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(def.schema);
    let kind = match &def.fields {
        None => KIND_ENUM,
        Some(_) => KIND_ROW_TYPE,
    };
    bytes.extend([LAYOUT_VERSION, kind]);
    bytes.extend(def.object.0.to_le_bytes());
    put_name(&mut bytes, &def.name)?;
    if let Some(fields) = &def.fields {
        put_count(&mut bytes, fields.len())?;
        for field in fields {
            field.ty.encode(&mut bytes);
            bytes.extend(field.modifier.0.to_le_bytes());
            put_name(&mut bytes, &field.name)?;
        }
        return Ok(bytes);
    }
    put_count(&mut bytes, def.labels.len())?;
    for (place, label) in &def.labels {
        bytes.extend(place.to_le_bytes());
        put_name(&mut bytes, label)?;
    }
    Ok(bytes)
}

/// The enumeration that [`encode_enum`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_enum(bytes: &[u8]) -> Result<EnumDef> {
    let (schema, rest) = take_schema_head(bytes)?;
    let mut input = Input(rest);
    let (version, kind) = (input.u8()?, input.u8()?);
    if version != LAYOUT_VERSION || !matches!(kind, KIND_ENUM | KIND_ROW_TYPE) {
        return Err(broken("kind"));
    }
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let name = input.name()?;
    let mut labels: Vec<(i32, String)> = Vec::new();
    let mut fields = None;
    if kind == KIND_ROW_TYPE {
        let fields: &mut Vec<ViewColumn> = fields.get_or_insert_default();
        for _ in 0..input.count()? {
            fields.push(ViewColumn {
                ty: input.ty().ok_or_else(|| broken("type of a field"))?,
                modifier: TypeMod(i32::from_le_bytes(input.array()?)),
                name: input.name()?,
            });
        }
    }
    let places = match kind {
        KIND_ENUM => input.count()?,
        _ => 0,
    };
    for _ in 0..places {
        let place = i32::from_le_bytes(input.array()?);
        if labels.last().is_some_and(|(last, _)| *last >= place) {
            return Err(broken("places of an enumeration"));
        }
        labels.push((place, input.name()?));
    }
    input.end()?;
    Ok(EnumDef {
        object,
        schema,
        name,
        labels,
        fields,
    })
}

#[cfg(test)]
mod tests {
    use super::{EnumDef, PLACES_APART, decode_enum, encode_enum};
    use crate::model::view::ViewColumn;
    use varve_types::{LogicalType, ObjectId, RowTypeId, TypeMod};

    fn mood() -> EnumDef {
        let labels = ["sad", "ok", "happy"].map(str::to_owned).to_vec();
        EnumDef {
            object: ObjectId(7),
            ..EnumDef::new(ObjectId(0), "mood".to_owned(), labels)
        }
    }

    #[test]
    fn every_damaged_enumeration_is_refused_or_sound() {
        let field = |name: &str, ty| ViewColumn {
            name: name.to_owned(),
            ty,
            modifier: TypeMod::NONE,
        };
        let mut pair = mood();
        pair.labels.clear();
        pair.fields = Some(vec![
            field("a", LogicalType::Int4),
            field("b", LogicalType::Row(RowTypeId(9))),
        ]);
        damaged(&mood());
        damaged(&pair);
    }

    fn damaged(def: &EnumDef) {
        let good = encode_enum(def).unwrap();
        assert_eq!(decode_enum(&good).as_ref(), Ok(def));
        for len in 0..good.len() {
            assert!(decode_enum(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(def) = decode_enum(&bad) {
                    assert_eq!(encode_enum(&def).unwrap(), bad);
                }
            }
        }
    }

    #[test]
    fn places_lie_between() {
        let mut mood = mood();
        assert_eq!(mood.place_before(0), Some(-PLACES_APART));
        assert_eq!(mood.place_before(3), Some(3 * PLACES_APART));
        let mut added = 0;
        while let Some(place) = mood.place_before(1) {
            mood.labels.insert(1, (place, format!("l{added}")));
            assert!(mood.labels.is_sorted_by_key(|(place, _)| *place));
            added += 1;
        }
        assert_eq!(added, 16);
    }
}
