//! Templates as the shared part of a block holds them.
//!
//! Layout of the resource: number of templates (varint); of each its number of fields (varint), for
//! each field the literal before it (bytes as a varint, and those) and its kind (u8: 0 text; or the
//! code and parameter of a number's spelling), and the last literal.

use crate::CodecError;
use crate::reader::ByteReader;
use crate::strings::json::number::Spelling;
use crate::writer::{put_nested, put_varint};

/// The most fields of a template.
pub(crate) const FIELDS_MAX: usize = 255;
/// The most templates of a resource.
pub(crate) const TEMPLATES_MAX: usize = 16;
const KIND_TEXT: u8 = 0;

/// Literals and fields in turn: how a document is put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Each field and the literal before it.
    pub(crate) fields: Vec<(Vec<u8>, FieldKind)>,
    /// The literal behind the last field.
    pub(crate) tail: Vec<u8>,
}

/// What the values of a field are stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// Strings.
    Text,
    /// Integers.
    Number(Spelling),
}

impl Template {
    /// Bytes of the literals together.
    pub(crate) fn literal_bytes(&self) -> usize {
        let before: usize = self.fields.iter().map(|(literal, _)| literal.len()).sum();
        before + self.tail.len()
    }
}

/// Writes the resource.
pub(crate) fn write(templates: &[Template], out: &mut Vec<u8>) {
    let put_text = |text: &[u8], out: &mut Vec<u8>| {
        put_nested(out, |out| out.extend_from_slice(text));
    };
    put_varint(templates.len() as u64, out);
    for template in templates {
        put_varint(template.fields.len() as u64, out);
        for (literal, kind) in &template.fields {
            put_text(literal, out);
            match kind {
                FieldKind::Text => out.push(KIND_TEXT),
                FieldKind::Number(spelling) => spelling.write(out),
            }
        }
        put_text(&template.tail, out);
    }
}

/// Reads what [`write`] wrote.
pub(crate) fn read(mut reader: ByteReader<'_>) -> Result<Vec<Template>, CodecError> {
    let count = reader.count(1, TEMPLATES_MAX, "number of templates")?;
    let mut templates = Vec::with_capacity(count);
    for _ in 0..count {
        templates.push(read_one(&mut reader)?);
    }
    reader.end()?;
    Ok(templates)
}

fn read_one(reader: &mut ByteReader<'_>) -> Result<Template, CodecError> {
    let count = reader.count(0, FIELDS_MAX, "number of fields")?;
    let mut fields = Vec::with_capacity(count);
    for at in 0..count {
        let literal = reader.nested()?.to_vec();
        if at > 0 && literal.is_empty() {
            // So a document has at least as many bytes as fields.
            return Err(CodecError::Malformed("literal"));
        }
        let kind = match reader.u8()? {
            KIND_TEXT => FieldKind::Text,
            code => FieldKind::Number(Spelling::read(code, reader)?),
        };
        fields.push((literal, kind));
    }
    let tail = reader.nested()?.to_vec();
    Ok(Template { fields, tail })
}
