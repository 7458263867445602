//! Temporary space for batches that do not fit in memory.
//!
//! Layout of a stored batch: number of rows (varint), then each row as length (varint) and bytes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_codec::{ByteReader, CodecError, put_varint};
use varve_kv::{Durability, WriteBatch};
use varve_sort::VecMap;
use varve_types::{Batch, ColumnBuilder, ColumnRef, LogicalType, VECTOR_ROWS};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::keys;
use crate::format::row::{Projection, decode_row, encode_row};
use crate::format::wire::{put_bytes, take_bytes};
use crate::store::Store;

/// Names a batch in a [`ScratchSpace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScratchTicket(pub u64);

/// What scratch spaces of one store take together.
#[derive(Debug, Default)]
pub(crate) struct ScratchUse {
    pub(crate) used_bytes: u64,
    next_ticket: u64,
    /// Batches to delete with the next write.
    freed: Vec<u64>,
}

/// Batches written out under a prefix of their own; what is left of them is deleted after the space
/// is dropped, at the latest at the next open.
pub struct ScratchSpace {
    store: Arc<Store>,
    /// Tickets given out, with the bytes of their batches.
    tickets: Mutex<VecMap<u64, u64>>,
}

impl ScratchSpace {
    pub(crate) fn new(store: Arc<Store>) -> ScratchSpace {
        ScratchSpace {
            store,
            tickets: Mutex::default(),
        }
    }

    /// Writes a batch out. `53200` where there is no scratch space, or none left.
    pub async fn write(&self, batch: &Batch) -> Result<ScratchTicket> {
        let payload = encode(batch);
        let bytes = payload.len() as u64;
        let epoch = self.store.epoch.number;
        let (ticket, freed) = {
            let mut scratch = self.store.scratch_use();
            let total = scratch.used_bytes.saturating_add(bytes);
            if total > self.store.settings.scratch_bytes_max {
                return Err(StoreErrorKind::NoScratch.into());
            }
            scratch.used_bytes = total;
            scratch.next_ticket += 1;
            (scratch.next_ticket, core::mem::take(&mut scratch.freed))
        };
        self.tickets().insert(ticket, bytes);
        let key = keys::scratch(epoch, ticket);
        let mut writes = WriteBatch::new();
        for freed in &freed {
            writes.delete(keys::scratch(epoch, *freed));
        }
        let value = seal(Kind::Scratch, &key, &payload);
        writes.put(key, value);
        // No guard: nobody else has this prefix, and what a crash loses here nobody misses.
        let written = self.store.kv.commit(writes, Durability::Relaxed).await;
        if let Err(error) = written {
            self.store.scratch_use().freed.extend(freed);
            self.free(ScratchTicket(ticket));
            return Err(error.into());
        }
        Ok(ScratchTicket(ticket))
    }

    /// Reads a batch back; `types` are the types of its columns.
    pub async fn read(&self, ticket: ScratchTicket, types: &[LogicalType]) -> Result<Batch> {
        let key = keys::scratch(self.store.epoch.number, ticket.0);
        let values = self.store.get_many(core::slice::from_ref(&key)).await?;
        let value = values.into_iter().next().flatten();
        let value = value.ok_or_else(|| {
            StoreError::internal(format!("there is no scratch batch {}", ticket.0))
        })?;
        let payload = open(Kind::Scratch, &key, &value)?;
        decode(payload, types).map_err(|detail| corrupt(&key, detail))
    }

    /// Gives the space of a batch back; it is deleted with a later write.
    pub fn free(&self, ticket: ScratchTicket) {
        let Some(bytes) = self.tickets().remove(&ticket.0) else {
            return;
        };
        let mut scratch = self.store.scratch_use();
        scratch.used_bytes = scratch.used_bytes.saturating_sub(bytes);
        scratch.freed.push(ticket.0);
    }

    fn tickets(&self) -> MutexGuard<'_, VecMap<u64, u64>> {
        // No step under this lock can panic half-way.
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ScratchSpace {
    fn drop(&mut self) {
        let tickets: Vec<u64> = self.tickets().keys().copied().collect();
        for ticket in tickets {
            self.free(ScratchTicket(ticket));
        }
    }
}

impl core::fmt::Debug for ScratchSpace {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ScratchSpace")
            .field("tickets", &self.tickets().len())
            .finish_non_exhaustive()
    }
}

fn encode(batch: &Batch) -> Vec<u8> {
    let columns: Vec<ColumnRef> = (0..batch.width()).filter_map(|i| batch.column(i)).collect();
    let mut out = Vec::new();
    put_varint(batch.rows() as u64, &mut out);
    let mut row_bytes = Vec::new();
    for row in 0..batch.rows() {
        row_bytes.clear();
        encode_row(&columns, row, &mut row_bytes);
        put_bytes(&row_bytes, &mut out);
    }
    out
}

fn decode(payload: &[u8], types: &[LogicalType]) -> Result<Batch, CodecError> {
    let mut reader = ByteReader::new(payload);
    let rows = reader.count(0, VECTOR_ROWS, "rows")?;
    let all: Vec<usize> = (0..types.len()).collect();
    let projection = Projection::new(&all, types.len());
    let builder = |ty: &LogicalType| ColumnBuilder::with_capacity(*ty, rows);
    let mut outputs: Vec<ColumnBuilder> = types.iter().map(builder).collect();
    for _ in 0..rows {
        decode_row(types, take_bytes(&mut reader)?, &projection, &mut outputs)?;
    }
    reader.end()?;
    let columns = outputs.into_iter().map(|output| Arc::new(output.finish()));
    Ok(Batch::new(columns.collect(), rows))
}
