//! The catalog as one value, written by the publishing commit that first names it.
//!
//! Layout (varints): number of objects; by object: id, version, definition (length, bytes); number
//! of trees; by tree its schema.

use std::sync::Arc;

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::ObjectId;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::wire::{put_bytes, take_bytes, take_count, take_u32};
use crate::format::{keys, schema};
use crate::tree::Tree;

/// The value at [`keys::catalog`].
pub(crate) fn encode(catalog: &Catalog) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(catalog.objects.len() as u64, &mut out);
    for (id, (version, definition)) in &catalog.objects {
        put_varint(id.0, &mut out);
        put_varint(u64::from(*version), &mut out);
        put_bytes(definition, &mut out);
    }
    put_varint(catalog.trees.len() as u64, &mut out);
    for tree in catalog.trees.values() {
        schema::encode(tree.schema(), &mut out);
    }
    seal(Kind::Catalog, &keys::catalog(catalog.version), &out)
}

pub(crate) fn decode(version: u64, value: &[u8]) -> Result<Catalog> {
    let key = keys::catalog(version);
    let payload = open(Kind::Catalog, &key, value)?;
    parse(version, payload).map_err(|detail| corrupt(&key, detail))
}

fn parse(version: u64, payload: &[u8]) -> Result<Catalog, CodecError> {
    let mut reader = ByteReader::new(payload);
    let mut catalog = Catalog {
        version,
        ..Catalog::default()
    };
    for _ in 0..take_count(&mut reader)? {
        let id = ObjectId(reader.varint()?);
        let version = take_u32(&mut reader)?;
        let definition = Arc::from(take_bytes(&mut reader)?);
        catalog.objects.insert(id, (version, definition));
    }
    for _ in 0..take_count(&mut reader)? {
        let schema = schema::decode(&mut reader)?;
        let id = schema.tree;
        let tree = Tree::new(schema).map_err(|_| CodecError::Malformed("tree schema"))?;
        catalog.trees.insert(id, Arc::new(tree));
    }
    reader.end()?;
    Ok(catalog)
}
