//! What an earlier export is known to hold, for a later one to leave it out.

use crate::error::Result;
use crate::export::contents::Contents;
use crate::export::record_kind::RecordKind;
use crate::export::records::{Item, RecordReader, RecordWriter, damaged};

/// Lists what an export held, so that a later one can leave it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownContents(pub(super) Contents);

impl KnownContents {
    /// Reads it from its bytes or from the beginning of an export; `None` where more of that is
    /// needed.
    pub fn read(bytes: &[u8]) -> Result<Option<KnownContents>> {
        let mut reader = RecordReader::default();
        reader.push(bytes);
        while let Some(item) = reader.next()? {
            match item {
                Item::Start | Item::Record(RecordKind::Base, _) => {}
                Item::Record(RecordKind::Contents, payload) => {
                    return Ok(Some(KnownContents(Contents::decode(&payload)?)));
                }
                Item::Record(..) => return Err(damaged("its list of contents is missing")),
            }
        }
        Ok(None)
    }

    /// As bytes: those that a whole export begins with.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = RecordWriter::new();
        put_head(&self.0, None, &mut out)?;
        Ok(out.take(usize::MAX))
    }
}

/// The records that an export begins with.
pub(super) fn put_head(
    contents: &Contents,
    base: Option<&Contents>,
    out: &mut RecordWriter,
) -> Result<()> {
    let base = base.map_or_else(Vec::new, |base| {
        [base.seq.0.to_le_bytes(), base.hash().to_le_bytes()].concat()
    });
    out.put(RecordKind::Base, &[&base])?;
    out.put(RecordKind::Contents, &[&contents.encode()])
}
