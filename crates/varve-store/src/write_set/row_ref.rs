//! Where a row is, in the view of one transaction, and the same packed into a `RowPosition`.

use varve_types::RowPosition;

use crate::memtable::MemtableSlot;

/// Where a row of a view is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowRef {
    /// In a run of the view, by its place in the view's list.
    Run { slot: u32, ordinal: u32 },
    /// A version in a memtable of the snapshot.
    Memtable { slot: MemtableSlot, version: u32 },
    /// A version in the transaction's own buffer.
    WriteSet(u32),
}

const TAG_SHIFT: u32 = 62;
const SLOT_SHIFT: u32 = 32;
const SLOTS: u64 = 1 << (TAG_SHIFT - SLOT_SHIFT);

impl RowRef {
    pub(crate) fn pack(self) -> RowPosition {
        RowPosition(match self {
            RowRef::Run { slot, ordinal } => {
                (u64::from(slot) % SLOTS) << SLOT_SHIFT | u64::from(ordinal)
            }
            RowRef::Memtable { slot, version } => {
                let slot = match slot {
                    MemtableSlot::Active => 0,
                    MemtableSlot::Frozen => 1,
                };
                1 << TAG_SHIFT | slot << SLOT_SHIFT | u64::from(version)
            }
            RowRef::WriteSet(version) => 2 << TAG_SHIFT | u64::from(version),
        })
    }

    /// Reads what [`RowRef::pack`] wrote; anything else is `None`.
    pub(crate) fn unpack(position: RowPosition) -> Option<RowRef> {
        let low = u32::try_from(position.0 & u64::from(u32::MAX)).ok()?;
        let slot = position.0 >> SLOT_SHIFT & (SLOTS - 1);
        match (position.0 >> TAG_SHIFT, slot) {
            (0, slot) => Some(RowRef::Run {
                slot: u32::try_from(slot).ok()?,
                ordinal: low,
            }),
            (1, 0) => Some(RowRef::Memtable {
                slot: MemtableSlot::Active,
                version: low,
            }),
            (1, 1) => Some(RowRef::Memtable {
                slot: MemtableSlot::Frozen,
                version: low,
            }),
            (2, 0) => Some(RowRef::WriteSet(low)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RowRef;
    use crate::memtable::MemtableSlot;
    use varve_types::RowPosition;

    #[test]
    fn positions_come_back() {
        let run = |slot, ordinal| RowRef::Run { slot, ordinal };
        let memtable = |slot, version| RowRef::Memtable { slot, version };
        for row in [
            run(0, 0),
            run(3, u32::MAX),
            run((1 << 30) - 1, 7),
            memtable(MemtableSlot::Active, 9),
            memtable(MemtableSlot::Frozen, u32::MAX),
            RowRef::WriteSet(u32::MAX),
        ] {
            assert_eq!(RowRef::unpack(row.pack()), Some(row));
        }
        assert_eq!(RowRef::unpack(RowPosition(u64::MAX)), None);
        assert_eq!(RowRef::unpack(RowPosition(1 << 62 | 1 << 40)), None);
    }
}
