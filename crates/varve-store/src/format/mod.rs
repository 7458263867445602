//! Stored records: keys, the envelope around values, and one module for each kind of record.

pub(crate) mod catalogue;
pub(crate) mod envelope;
pub(crate) mod intent;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod manifest;
pub(crate) mod marks;
pub(crate) mod quarantine;
pub(crate) mod row;
pub(crate) mod schema;
pub(crate) mod wire;
