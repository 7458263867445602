//! Stored records: keys, the envelope around values, and one module for each kind of record.

pub(crate) mod catalog;
pub(crate) mod deletion_vector;
pub(crate) mod envelope;
pub(crate) mod intent;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod manifest;
pub(crate) mod quarantine;
pub(crate) mod row;
pub(crate) mod schema;
pub(crate) mod wire;
