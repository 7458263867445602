//! What RocksDB's MANIFEST says: which tables there are, and from which log on commits are in logs
//! only.
//!
//! Each record of the file is an edit: pairs of tag and fields. Tags this reader does not know have
//! their length before them, or make the edit unreadable.

use std::collections::BTreeSet;

use super::log::{Found, LogReader};
use super::wire::Fields;

/// The state after the edits that can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Commits in older logs are in tables.
    pub(crate) log_number: u64,
    /// The last sequence that is known to have been given out.
    pub(crate) last_sequence: u64,
    /// The numbers of the tables.
    pub(crate) tables: BTreeSet<u64>,
    /// How far the file can be read.
    pub(crate) sound_bytes: usize,
    /// Whether an edit can be read behind one that cannot.
    pub(crate) has_gap: bool,
}

impl Manifest {
    pub(crate) fn read(bytes: &[u8]) -> Manifest {
        let mut manifest = Manifest::default();
        let mut damage = None;
        for (at, found) in LogReader::new(bytes) {
            let read = match &found {
                Found::Record(edit) => manifest.apply(edit),
                Found::Damage => None,
            };
            match read {
                Some(()) => manifest.has_gap |= damage.is_some(),
                None => damage = damage.or(Some(at)),
            }
        }
        manifest.sound_bytes = damage.unwrap_or(bytes.len());
        manifest
    }

    fn apply(&mut self, edit: &[u8]) -> Option<()> {
        let mut fields = Fields(edit);
        while !fields.0.is_empty() {
            match fields.varint()? {
                // Comparator; the name of the store and all that later versions add.
                1 | 8192.. => drop(fields.text()?),
                2 => self.log_number = self.log_number.max(fields.varint()?),
                4 => self.last_sequence = self.last_sequence.max(fields.varint()?),
                // Next file, previous log, oldest log of transactions, count of column families.
                3 | 9 | 10 | 203 => drop(fields.varint()?),
                // Where compactions go on.
                5 => {
                    fields.varint()?;
                    fields.text()?;
                }
                6 => {
                    fields.varint()?;
                    self.tables.remove(&fields.varint()?);
                }
                103 => {
                    let table = new_table(&mut fields)?;
                    self.tables.insert(table);
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// The number of a table that was added.
fn new_table(fields: &mut Fields<'_>) -> Option<u64> {
    fields.varint()?;
    let number = fields.varint()?;
    fields.varint()?;
    for _key in 0..2 {
        fields.text()?;
    }
    for _sequence in 0..2 {
        fields.varint()?;
    }
    while fields.varint()? != 1 {
        fields.text()?;
    }
    Some(number)
}
