//! Which records an export has, in their order.

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// Commit and hash (u64 each) of the contents that the export goes on from; empty for a whole
    /// export.
    Base = 1,
    /// The contents: see `contents.rs`.
    Contents = 2,
    /// The catalog as the store keeps it.
    Catalog = 3,
    /// Run (varint), then its head as the store keeps it.
    Head = 4,
    /// Run (varint), then the deleted rows as a roaring bitmap in its portable format.
    Deletions = 5,
    /// Run and number of the value (varints), then the value as the store keeps it.
    Value = 6,
    /// Nothing: the export is complete.
    End = 7,
}

impl RecordKind {
    pub(super) fn of_code(code: u8) -> Option<RecordKind> {
        Some(match code {
            1 => RecordKind::Base,
            2 => RecordKind::Contents,
            3 => RecordKind::Catalog,
            4 => RecordKind::Head,
            5 => RecordKind::Deletions,
            6 => RecordKind::Value,
            7 => RecordKind::End,
            _ => return None,
        })
    }
}
