//! The contents of an export: what the store holds after one commit, each part with its hash.
//!
//! Layout (varints, hashes as u64): commit; catalog version (0: none), hash of the catalog; next
//! object, next tree, next row id; number of runs; by run, ordered by tree and run: tree, run,
//! rows, bytes, the commit of its index entries, hash of its head, deleted rows and, where there
//! are any, their hash.
//!
//! A hash is the xxh3-64 of the record's bytes: of catalog and head as the store keeps them, of
//! deleted rows as the export has them. Heads tell size and statistics of all that a run holds.

use roaring::RoaringBitmap;
use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::{CommitSeq, RunId, TreeId};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Result;
use crate::export::records::damaged;
use crate::format::wire::take_count;

/// Numbers of commits and ids beyond it are damage: what counts on from them stays a number.
const NUMBER_MAX: u64 = 1 << 62;

/// What a store holds after one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) seq: CommitSeq,
    pub(super) catalog_version: u64,
    pub(super) catalog_hash: u64,
    pub(super) next_object: u64,
    pub(super) next_tree: u64,
    pub(super) next_row: u64,
    /// Ordered by tree, then by run.
    pub(super) runs: Vec<RunContents>,
}

/// A run as the contents list it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunContents {
    pub(super) tree: TreeId,
    pub(super) run: RunId,
    pub(super) rows: u64,
    /// Bytes of head and values.
    pub(super) bytes: u64,
    pub(super) entries_seq: CommitSeq,
    pub(super) head_hash: u64,
    pub(super) deletions: Option<Deletions>,
}

/// The deleted rows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deletions {
    pub(super) rows: u64,
    pub(super) hash: u64,
}

/// What follows the contents, by position in their list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Catalog,
    /// Head and values.
    Run(usize),
    Deletions(usize),
}

impl Contents {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(self.seq.0, &mut out);
        put_varint(self.catalog_version, &mut out);
        out.extend_from_slice(&self.catalog_hash.to_le_bytes());
        for number in [self.next_object, self.next_tree, self.next_row] {
            put_varint(number, &mut out);
        }
        put_varint(self.runs.len() as u64, &mut out);
        for run in &self.runs {
            let deleted = run.deletions.map_or(0, |deletions| deletions.rows);
            for number in [
                run.tree.0,
                run.run.0,
                run.rows,
                run.bytes,
                run.entries_seq.0,
            ] {
                put_varint(number, &mut out);
            }
            out.extend_from_slice(&run.head_hash.to_le_bytes());
            put_varint(deleted, &mut out);
            if let Some(deletions) = run.deletions {
                out.extend_from_slice(&deletions.hash.to_le_bytes());
            }
        }
        out
    }

    pub(super) fn decode(payload: &[u8]) -> Result<Contents> {
        parse(payload).map_err(|detail| damaged(format_args!("its list of contents: {detail}")))
    }

    /// Stands for all that is listed.
    pub(super) fn hash(&self) -> u64 {
        hash(&self.encode())
    }

    /// The run of this id.
    pub(super) fn run(&self, tree: TreeId, run: RunId) -> Option<&RunContents> {
        let at = self
            .runs
            .binary_search_by_key(&(tree, run), |found| (found.tree, found.run));
        self.runs.get(at.ok()?)
    }

    /// What an export has that goes on from `base`, in its order.
    pub(super) fn parts(&self, base: Option<&Contents>) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.catalog_version > 0 {
            parts.push(Part::Catalog);
        }
        for (at, run) in self.runs.iter().enumerate() {
            let before = run.same_in(base);
            if before.is_none() {
                parts.push(Part::Run(at));
            }
            let known = before.and_then(|before| before.deletions);
            if run.deletions.is_some() && run.deletions != known {
                parts.push(Part::Deletions(at));
            }
        }
        parts
    }
}

impl RunContents {
    /// The same run in other contents; its deleted rows may differ.
    pub(super) fn same_in<'a>(&self, contents: Option<&'a Contents>) -> Option<&'a RunContents> {
        let found = contents?.run(self.tree, self.run);
        found.filter(|found| found.head_hash == self.head_hash)
    }
}

/// The bytes of deleted rows: of equal rows the same ones, however the bitmap came to be.
pub(super) fn deletions_bytes(deleted: &RoaringBitmap) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let canonical: RoaringBitmap = deleted.iter().collect();
    let written = canonical.serialize_into(&mut out);
    written.map_err(|error| crate::StoreError::internal(error.to_string()))?;
    Ok(out)
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

fn parse(payload: &[u8]) -> Result<Contents, CodecError> {
    let mut reader = ByteReader::new(payload);
    let mut contents = Contents {
        seq: CommitSeq(number(&mut reader)?),
        catalog_version: number(&mut reader)?,
        catalog_hash: fixed(&mut reader)?,
        next_object: number(&mut reader)?,
        next_tree: number(&mut reader)?,
        next_row: number(&mut reader)?,
        runs: Vec::new(),
    };
    for _ in 0..take_count(&mut reader)? {
        let mut run = RunContents {
            tree: TreeId(number(&mut reader)?),
            run: RunId(number(&mut reader)?),
            rows: number(&mut reader)?,
            bytes: number(&mut reader)?,
            entries_seq: CommitSeq(number(&mut reader)?),
            head_hash: fixed(&mut reader)?,
            deletions: None,
        };
        let deleted = number(&mut reader)?;
        if deleted > run.rows {
            return Err(CodecError::Malformed("deleted rows"));
        }
        if deleted > 0 {
            run.deletions = Some(Deletions {
                rows: deleted,
                hash: fixed(&mut reader)?,
            });
        }
        contents.runs.push(run);
    }
    reader.end()?;
    let in_order = |a: &RunContents, b: &RunContents| (a.tree, a.run) < (b.tree, b.run);
    if !contents.runs.is_sorted_by(in_order) {
        return Err(CodecError::Malformed("order of runs"));
    }
    Ok(contents)
}

fn number(reader: &mut ByteReader<'_>) -> Result<u64, CodecError> {
    match reader.varint()? {
        number if number <= NUMBER_MAX => Ok(number),
        _ => Err(CodecError::Malformed("number")),
    }
}

fn fixed(reader: &mut ByteReader<'_>) -> Result<u64, CodecError> {
    let bytes = reader.take(8)?;
    let bytes = bytes.first_chunk::<8>().ok_or(CodecError::UnexpectedEnd)?;
    Ok(u64::from_le_bytes(*bytes))
}
