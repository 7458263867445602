//! A database as a script of SQL, given to JavaScript in chunks.

use js_sys::{Function, Uint8Array};
use varve_types::{Error, Failure, Result};
use varvedb::{DumpOptions, Session};
use wasm_bindgen::prelude::JsValue;

/// Pieces of the script are put together to chunks of about this size.
const CHUNK_BYTES: usize = 256 * 1024;

/// Calls `take` with each chunk of the script.
pub async fn dump(session: &mut Session, options: DumpOptions, take: &Function) -> Result<()> {
    let mut chunk = Vec::new();
    let mut sink = |piece: &[u8]| {
        chunk.extend_from_slice(piece);
        match chunk.len() < CHUNK_BYTES {
            true => Ok(()),
            false => give(&mut chunk, take),
        }
    };
    session.dump(options, &mut sink).await?;
    give(&mut chunk, take)
}

fn give(chunk: &mut Vec<u8>, take: &Function) -> Result<()> {
    let bytes = Uint8Array::from(chunk.as_slice());
    chunk.clear();
    let taken = take.call1(&JsValue::UNDEFINED, &bytes);
    taken.map(drop).map_err(|error| {
        let message = format!("a chunk of the dump was not taken: {error:?}");
        Error::failed(Failure::Io, message)
    })
}
