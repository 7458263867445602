//! A batch as RocksDB's log holds it: sequence of its first write (8 bytes), number of writes
//! (4 bytes), writes.

use super::wire::Fields;

/// The writes of one commit.
pub(crate) struct Batch {
    /// The sequence of its first write; the others follow without gap.
    pub(crate) sequence: u64,
    /// How many writes it has.
    pub(crate) count: u64,
}

impl Batch {
    /// Reads a record of a log; `None` for one that RocksDB never wrote.
    pub(crate) fn read(record: &[u8]) -> Option<Batch> {
        let mut fields = Fields(record);
        Some(Batch {
            sequence: fields.u64()?,
            count: u64::from(fields.u32()?),
        })
    }
}
