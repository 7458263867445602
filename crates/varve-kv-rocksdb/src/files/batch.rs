//! A batch as RocksDB's log holds it: sequence of its first write (8 bytes), number of writes
//! (4 bytes), writes. Each write takes the next sequence.

use super::wire::Fields;
use super::{Op, Write};

/// The writes of one commit.
pub(crate) struct Batch<'a> {
    /// The sequence of its first write; the others follow without gap.
    pub(crate) sequence: u64,
    /// How many writes it has.
    pub(crate) count: u64,
    writes: Fields<'a>,
}

impl<'a> Batch<'a> {
    /// Reads a record of a log; `None` for one that RocksDB never wrote.
    pub(crate) fn read(record: &'a [u8]) -> Option<Batch<'a>> {
        let mut fields = Fields(record);
        Some(Batch {
            sequence: fields.u64()?,
            count: u64::from(fields.u32()?),
            writes: fields,
        })
    }

    /// The writes, in order; `None` where they are not those that this crate makes.
    pub(crate) fn writes(mut self) -> Option<Vec<Write<'a>>> {
        let mut writes = Vec::new();
        let mut sequence = self.sequence;
        while let Some(kind) = self.writes.byte() {
            let key = self.writes.text()?;
            let op = match kind {
                0 => Op::Delete,
                1 => Op::Put(self.writes.text()?),
                15 => Op::DeleteTo(self.writes.text()?),
                _ => return None,
            };
            writes.push(Write {
                key: key.to_vec(),
                sequence,
                op,
            });
            sequence = sequence.checked_add(1)?;
        }
        (sequence - self.sequence == self.count).then_some(writes)
    }
}
