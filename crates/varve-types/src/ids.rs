//! Ids as newtypes, so that two of them cannot be swapped in a call.

use crate::{Broken, Invariant};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $inner);

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// A catalog object: a table, later an index or a view.
    ObjectId(u64)
);
id!(
    /// A tree of the store: the rows of one table or index.
    TreeId(u64)
);
id!(
    /// A column of a tree; never reused within the tree.
    ColumnId(u32)
);
id!(
    /// An immutable sorted run.
    RunId(u64)
);
id!(
    /// The place of a commit in the order of all commits.
    CommitSeq(u64)
);
id!(
    /// Where one row version lives, as seen by one snapshot: opaque to everyone but the store that
    /// gave it.
    RowPosition(u64)
);
id!(
    /// An enumeration of the catalog.
    EnumId(u32)
);

id!(
    /// A type of rows: a composite type or a table of the catalog.
    RowTypeId(u32)
);

/// OIDs below are those of PostgreSQL's own objects.
const USER_OIDS: u32 = 16_384;

impl RowTypeId {
    /// Rows of no type that has a name: what `ROW(1, 'a')` is of.
    pub const RECORD: RowTypeId = RowTypeId(0);

    /// The OID of the type.
    pub const fn oid(self) -> u32 {
        match self.0 {
            0 => 2249,
            id => EnumId(id).oid(),
        }
    }

    /// The OID of arrays of the type.
    pub const fn array_oid(self) -> u32 {
        match self.0 {
            0 => 2287,
            id => EnumId(id).array_oid(),
        }
    }
}

/// Ids from here on are those of pseudo-types: their OIDs behind it.
const PSEUDO_TYPES: u32 = 0xFFFF_0000;

impl ColumnId {
    /// The id behind the last that a table has.
    pub fn behind(last: Option<ColumnId>) -> Result<ColumnId, Broken> {
        let next = last.map_or(0, |last| last.0).checked_add(1);
        next.map(ColumnId).or_broken("ids of columns")
    }
}

impl EnumId {
    /// A type that the arguments of a call decide, which no value is of.
    pub const fn pseudo(oid: u16) -> EnumId {
        EnumId(PSEUDO_TYPES | oid as u32)
    }

    /// The OID of the type.
    pub const fn oid(self) -> u32 {
        if let Some(oid) = self.0.checked_sub(PSEUDO_TYPES) {
            return oid;
        }
        USER_OIDS.saturating_add(self.0.saturating_mul(2))
    }

    /// The OID of arrays of the type.
    pub const fn array_oid(self) -> u32 {
        self.oid().saturating_add(1)
    }

    /// The type of which an OID is, or is that of its arrays.
    pub fn of_oid(oid: u32) -> Option<EnumId> {
        oid.checked_sub(USER_OIDS).map(|twice| EnumId(twice / 2))
    }
}
