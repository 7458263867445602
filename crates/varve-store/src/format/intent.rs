//! An intent: the runs whose pages are being written, before the commit that publishes them.
//!
//! Layout (varints): number of runs, then their ids.

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_types::RunId;

use crate::error::Result;
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::keys;
use crate::format::wire::take_count;

/// The value at [`keys::intent`].
pub(crate) fn encode(id: u64, runs: &[RunId]) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(runs.len() as u64, &mut out);
    for run in runs {
        put_varint(run.0, &mut out);
    }
    seal(Kind::Intent, &keys::intent(id), &out)
}

pub(crate) fn decode(id: u64, value: &[u8]) -> Result<Vec<RunId>> {
    let key = keys::intent(id);
    let payload = open(Kind::Intent, &key, value)?;
    parse(payload).map_err(|detail| corrupt(&key, detail))
}

fn parse(payload: &[u8]) -> Result<Vec<RunId>, CodecError> {
    let mut reader = ByteReader::new(payload);
    let mut runs = Vec::new();
    for _ in 0..take_count(&mut reader)? {
        runs.push(RunId(reader.varint()?));
    }
    reader.end()?;
    Ok(runs)
}
