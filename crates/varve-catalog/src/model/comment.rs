//! Comments, as COMMENT ON gives them, and their bytes in the catalog:
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 24 = comment |
//! | object id, that of what it is on | 8 + 8 |
//! | part of that: 0 all of it, 1 a column, 2 an index, 3 a constraint; or 4 the database, 5 its owner | 1 |
//! | name of the part | 2 (length) + UTF-8 |
//! | the comment | 4 (length) + UTF-8 |
//!
//! Of two comments on the same, which two transactions may have made at a time, the later counts.

use varve_types::{ObjectId, Result};

use crate::model::bytes::{Input, broken, code, put_name, schema_head};
use crate::model::view::{put_text, take_object, take_text};

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a comment is.
pub(crate) const KIND_COMMENT: u8 = 24;

/// Parts of objects by their codes.
const PARTS: [Part; 6] = [
    Part::Whole,
    Part::Column,
    Part::Index,
    Part::Constraint,
    Part::Database,
    Part::Role,
];

/// What of an object has a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// A column of a relation.
    Column,
    /// An index of a table, or its primary key.
    Index,
    /// A constraint of a table or domain.
    Constraint,
    /// No object, but the database.
    Database,
    /// No object, but the one role.
    Role,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema of what it is on where that is temporary, so that it goes with the session.
    pub schema: ObjectId,
    /// What it is on; 0 stands for the schema `public`.
    pub of: ObjectId,
    /// What of that.
    pub part: Part,
    /// The name of the part; empty where there are not several.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl CommentDef {
    /// Whether two comments are on the same.
    pub fn is_on_same(&self, other: &CommentDef) -> bool {
        (self.of, self.part) == (other.of, other.part) && self.name == other.name
    }
}

/// The bytes of a comment in the catalog.
pub fn encode_comment(def: &CommentDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(def.schema);
    bytes.extend([LAYOUT_VERSION, KIND_COMMENT]);
    bytes.extend(def.object.0.to_le_bytes());
    bytes.extend(def.of.0.to_le_bytes());
    bytes.push(code(&PARTS, &def.part)?);
    put_name(&mut bytes, &def.name)?;
    put_text(&mut bytes, &def.text)?;
    Ok(bytes)
}

/// The comment that [`encode_comment`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_comment(bytes: &[u8]) -> Result<CommentDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_COMMENT])?;
    let def = CommentDef {
        schema,
        object: take_object(&mut input)?,
        of: take_object(&mut input)?,
        part: *PARTS
            .get(usize::from(input.u8()?))
            .ok_or_else(|| broken("part"))?,
        name: input.name()?,
        text: take_text(&mut input)?,
    };
    input.end()?;
    Ok(def)
}

#[cfg(test)]
mod tests {
    use super::{CommentDef, Part, decode_comment, encode_comment};
    use varve_types::ObjectId;

    #[test]
    fn every_damaged_comment_is_refused_or_sound() {
        let def = CommentDef {
            object: ObjectId(9),
            schema: ObjectId(3),
            of: ObjectId(7),
            part: Part::Constraint,
            name: "positive".to_owned(),
            text: "more than nothing".to_owned(),
        };
        let good = encode_comment(&def).unwrap();
        assert_eq!(decode_comment(&good), Ok(def));
        for len in 0..good.len() {
            assert!(decode_comment(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(def) = decode_comment(&bad) {
                    assert_eq!(encode_comment(&def).unwrap(), bad);
                }
            }
        }
    }
}
