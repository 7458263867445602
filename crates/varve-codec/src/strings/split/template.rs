//! The template of a block: the pieces that its strings are made of, in order.

use crate::CodecError;
use crate::reader::ByteReader;
use crate::strings::split::number::NumberForm;
use crate::writer::{put_nested, put_varint};

/// The most pieces of a template.
pub(crate) const PIECES_MAX: usize = 48;

const CONSTANT: u8 = 0;
const TEXT: u8 = 1;

/// What stands at one place in every string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The same bytes in each.
    Constant(Vec<u8>),
    /// A column of text.
    Text,
    /// A column of integers, written out in this form.
    Number(NumberForm),
}

/// The pieces of a block's strings; at least one is a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// A template of pieces, neighbouring constants joined; `None` where nothing varies or there
    /// are too many pieces.
    pub(crate) fn new(pieces: impl IntoIterator<Item = Piece>) -> Option<Template> {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (_, Piece::Constant(bytes)) if bytes.is_empty() => {}
                (Some(Piece::Constant(before)), Piece::Constant(bytes)) => before.extend(bytes),
                (_, piece) => joined.push(piece),
            }
        }
        let template = Template { pieces: joined };
        let fits = template.pieces.len() <= PIECES_MAX && template.columns().next().is_some();
        fits.then_some(template)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The pieces that vary.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Piece> {
        let varies = |piece: &&Piece| !matches!(piece, Piece::Constant(_));
        self.pieces.iter().filter(varies)
    }

    /// Writes the resource.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_varint(self.pieces.len() as u64, out);
        for piece in &self.pieces {
            match piece {
                Piece::Constant(bytes) => {
                    out.push(CONSTANT);
                    put_nested(out, |out| out.extend_from_slice(bytes));
                }
                Piece::Text => out.push(TEXT),
                Piece::Number(form) => form.write(out),
            }
        }
    }

    /// Reads what [`Template::write`] wrote.
    pub(crate) fn read(mut reader: ByteReader<'_>) -> Result<Template, CodecError> {
        let count = reader.count(1, PIECES_MAX, "number of template pieces")?;
        let mut pieces = Vec::with_capacity(count);
        for _ in 0..count {
            pieces.push(match reader.u8()? {
                CONSTANT => Piece::Constant(reader.nested()?.to_vec()),
                TEXT => Piece::Text,
                kind => Piece::Number(NumberForm::read(kind, &mut reader)?),
            });
        }
        reader.end()?;
        let template = Template::new(pieces);
        template.ok_or(CodecError::Malformed("template"))
    }
}
