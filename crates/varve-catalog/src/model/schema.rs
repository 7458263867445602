//! Schemas: what names are in.
//!
//! Bytes of a schema in the catalog:
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 17 = schema |
//! | object id | 8 |
//! | flags: 1 says that there is none of this name, though it would be there from the beginning | 1 |
//! | name | 2 (length) + UTF-8 |
//!
//! An object that is in another schema than `public` stands behind a head: 1, 16, and the object of
//! the schema (8).

use core::fmt;

use varve_types::{ObjectId, Result};

use crate::model::bytes::{Input, broken, put_name};

/// The name of the database.
pub const DATABASE: &str = "varvedb";

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a schema is.
pub(crate) const KIND_SCHEMA: u8 = 17;

/// The schema `public`, which is there from the beginning and has no object.
pub const PUBLIC: ObjectId = ObjectId(0);

/// Its name.
pub(crate) const PUBLIC_NAME: &str = "public";

/// What a session calls the schema of its temporary relations.
pub(crate) const TEMPORARY_NAME: &str = "pg_temp";

/// The schemas of temporary relations have no objects: they are the numbers from this one on, one
/// for each session. What is in them goes with the session.
const FIRST_TEMPORARY: u64 = 1 << 62;

/// The schema of what a session makes for itself.
pub fn temporary_schema(session: u64) -> ObjectId {
    ObjectId(FIRST_TEMPORARY | session)
}

/// Whether a schema is that of a session.
pub fn is_temporary(schema: ObjectId) -> bool {
    schema.0 >= FIRST_TEMPORARY
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// `public` was dropped: the object says that it is not there.
    pub is_gone: bool,
}

/// The name of a relation as a statement writes it, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationName {
    /// The schema, where it is written.
    pub schema: Option<String>,
    /// The last part.
    pub name: String,
}

impl RelationName {
    /// A name without a schema.
    pub fn unqualified(name: &str) -> RelationName {
        RelationName {
            schema: None,
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for RelationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The bytes of a schema in the catalog.
pub fn encode_schema(schema: &SchemaDef) -> Result<Vec<u8>> {
    let mut bytes = vec![LAYOUT_VERSION, KIND_SCHEMA];
    bytes.extend(schema.object.0.to_le_bytes());
    bytes.push(u8::from(schema.is_gone));
    put_name(&mut bytes, &schema.name)?;
    Ok(bytes)
}

/// The schema that [`encode_schema`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_schema(bytes: &[u8]) -> Result<SchemaDef> {
    let mut input = Input(bytes);
    input.head([LAYOUT_VERSION, KIND_SCHEMA])?;
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let is_gone = match input.u8()? {
        0 => false,
        1 => true,
        _ => return Err(broken("flags of a schema")),
    };
    let name = input.name()?;
    input.end()?;
    Ok(SchemaDef {
        object,
        name,
        is_gone,
    })
}

#[cfg(test)]
mod tests {
    use super::{SchemaDef, decode_schema, encode_schema};
    use crate::model::object::{CatalogObject, decode_object};
    use varve_types::ObjectId;

    #[test]
    fn every_damaged_schema_is_refused_or_sound() {
        let schema = SchemaDef {
            object: ObjectId(3),
            name: "s".to_owned(),
            is_gone: false,
        };
        let good = encode_schema(&schema).unwrap();
        assert_eq!(decode_object(&good), Ok(CatalogObject::Schema(schema)));
        for len in 0..good.len() {
            assert!(decode_schema(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(schema) = decode_schema(&bad) {
                    assert_eq!(encode_schema(&schema).unwrap(), bad);
                }
            }
        }
    }
}
