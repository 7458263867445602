//! The manifest: which runs there are, and how far the log is contained in them.
//!
//! Layout (varints): number, catalog version, flushed sequence, deletions sequence, next run, next
//! object, next tree, next row id; number of runs; by run: tree, run, rows, bytes, version of its
//! deletion vector (0: none), deleted rows, the commit of its index entries (0: they tell it
//! themselves); number of retired runs, then their ids.

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::{Broken, CommitSeq, RunId, TreeId, invariant};

use crate::error::Result;
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::keys;
use crate::format::wire::take_count;

/// What a publishing commit writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Grows with every publishing commit.
    pub(crate) number: u64,
    /// Names the catalog value; 0 for an empty catalog that has none.
    pub(crate) catalog_version: u64,
    /// Log records up to this are contained in runs, deletion vectors and catalog.
    pub(crate) flushed: CommitSeq,
    /// A deletion up to this in a run that is not listed was in a run since removed.
    pub(crate) deletions_through: CommitSeq,
    pub(crate) next_run: u64,
    pub(crate) next_object: u64,
    pub(crate) next_tree: u64,
    pub(crate) next_row: u64,
    /// Ordered by tree, then by run.
    pub(crate) runs: Vec<RunEntry>,
    /// Runs whose pages are still to be deleted.
    pub(crate) retired: Vec<RunId>,
}

/// A run as the manifest lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunEntry {
    pub(crate) tree: TreeId,
    pub(crate) run: RunId,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) deletion_vector_version: u64,
    pub(crate) deleted_rows: u64,
    /// The commit of index entries that do not tell it themselves; else 0.
    pub(crate) entries_seq: CommitSeq,
}

impl Manifest {
    /// Of a new store.
    pub(crate) fn empty() -> Manifest {
        Manifest {
            number: 0,
            catalog_version: 0,
            flushed: CommitSeq(0),
            deletions_through: CommitSeq(0),
            next_run: 1,
            next_object: 1,
            next_tree: 1,
            next_row: 1,
            runs: Vec::new(),
            retired: Vec::new(),
        }
    }

    /// The value at [`keys::manifest`].
    pub(crate) fn encode(&self) -> Result<Vec<u8>, Broken> {
        invariant!(self.is_sound(), "manifest");
        let mut out = Vec::new();
        let mut put = |number| put_varint(number, &mut out);
        put(self.number);
        put(self.catalog_version);
        put(self.flushed.0);
        put(self.deletions_through.0);
        put(self.next_run);
        put(self.next_object);
        put(self.next_tree);
        put(self.next_row);
        put(self.runs.len() as u64);
        for entry in &self.runs {
            put(entry.tree.0);
            put(entry.run.0);
            put(entry.rows);
            put(entry.bytes);
            put(entry.deletion_vector_version);
            put(entry.deleted_rows);
            put(entry.entries_seq.0);
        }
        put(self.retired.len() as u64);
        for run in &self.retired {
            put(run.0);
        }
        Ok(seal(Kind::Manifest, &keys::manifest(), &out))
    }

    /// Whether its runs are in order and were numbered by it, and no deleted row is one that is
    /// not.
    fn is_sound(&self) -> bool {
        let in_order = |a: &RunEntry, b: &RunEntry| (a.tree, a.run) < (b.tree, b.run);
        self.runs.is_sorted_by(in_order)
            && self.runs.iter().all(|entry| {
                entry.run.0 < self.next_run
                    && entry.deleted_rows <= entry.rows
                    && (entry.deletion_vector_version > 0 || entry.deleted_rows == 0)
            })
    }

    pub(crate) fn decode(value: &[u8]) -> Result<Manifest> {
        let key = keys::manifest();
        let payload = open(Kind::Manifest, &key, value)?;
        parse(payload).map_err(|detail| corrupt(&key, detail))
    }
}

fn parse(payload: &[u8]) -> Result<Manifest, CodecError> {
    let mut reader = ByteReader::new(payload);
    let mut manifest = Manifest {
        number: reader.varint()?,
        catalog_version: reader.varint()?,
        flushed: CommitSeq(reader.varint()?),
        deletions_through: CommitSeq(reader.varint()?),
        next_run: reader.varint()?,
        next_object: reader.varint()?,
        next_tree: reader.varint()?,
        next_row: reader.varint()?,
        runs: Vec::new(),
        retired: Vec::new(),
    };
    for _ in 0..take_count(&mut reader)? {
        manifest.runs.push(RunEntry {
            tree: TreeId(reader.varint()?),
            run: RunId(reader.varint()?),
            rows: reader.varint()?,
            bytes: reader.varint()?,
            deletion_vector_version: reader.varint()?,
            deleted_rows: reader.varint()?,
            entries_seq: CommitSeq(reader.varint()?),
        });
    }
    for _ in 0..take_count(&mut reader)? {
        manifest.retired.push(RunId(reader.varint()?));
    }
    reader.end()?;
    if !manifest
        .runs
        .is_sorted_by(|a, b| (a.tree, a.run) < (b.tree, b.run))
    {
        return Err(CodecError::Malformed("order of runs"));
    }
    Ok(manifest)
}
