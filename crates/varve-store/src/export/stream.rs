//! An export as its caller sees it: chunks of bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_codec::put_varint;
use varve_kv::{Scan, ScanLimit};
use varve_run::CheckedValue;
use varve_types::{Invariant, Reservation};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::export::KnownContents;
use crate::export::contents::{Contents, Part, deletions_bytes};
use crate::export::known_contents::put_head;
use crate::export::pin::Pinned;
use crate::export::record_kind::RecordKind;
use crate::export::records::RecordWriter;
use crate::format::{catalog, keys};
use crate::run::Run;
use crate::store::Store;

/// No chunk is longer.
const CHUNK_BYTES_MAX: usize = 1 << 20;
/// Values are read in answers of about this size.
const SCAN_BYTES_MAX: u64 = 1 << 20;
/// What an export is booked with: an answer, the records made of it, and a chunk.
const BOOKED_BYTES: u64 = 4 << 20;

/// The state of a store after one commit, as a stream of bytes. While it lives, the values that it
/// has to read stay, whatever is committed.
pub struct Export {
    store: Arc<Store>,
    pinned: Pinned,
    contents: KnownContents,
    parts: VecDeque<Part>,
    /// The run whose values are under way.
    values: Option<Values>,
    out: RecordWriter,
    is_complete: bool,
    /// Whether no call has failed or was dropped: what comes after such a one would not fit.
    is_sound: bool,
    _booked: Reservation,
}

/// Values of a run that are still to be read.
struct Values {
    run: Arc<Run>,
    next: u32,
    end: u32,
    scan: Scan,
}

impl Store {
    /// Begins to export the store as it is now, or what of it an earlier export has not. Others
    /// read and write meanwhile. `XX001` where a run is damaged.
    pub async fn export(self: &Arc<Store>, since: Option<&KnownContents>) -> Result<Export> {
        let mut booked = Reservation::new(Arc::clone(&self.memory));
        self.reserve(&mut booked, BOOKED_BYTES)?;
        let pinned = self.pin_in_runs().await?;
        let contents = self.contents(&pinned).await?;
        let base = since.map(|known| &known.0);
        let mut out = RecordWriter::new();
        put_head(&contents, base, &mut out)?;
        Ok(Export {
            store: Arc::clone(self),
            pinned,
            parts: contents.parts(base).into(),
            contents: KnownContents(contents),
            values: None,
            out,
            is_complete: false,
            is_sound: true,
            _booked: booked,
        })
    }
}

impl Export {
    /// What a later export goes on from, once this one is complete.
    pub fn contents(&self) -> &KnownContents {
        &self.contents
    }

    /// The next bytes, at most 1 MiB; `None` after the last ones. After an error there are no more.
    pub async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if !core::mem::replace(&mut self.is_sound, false) {
            return Err(StoreErrorKind::ExportInterrupted.into());
        }
        while self.out.len() < CHUNK_BYTES_MAX && !self.is_complete {
            self.step().await?;
        }
        self.is_sound = true;
        let chunk = self.out.take(CHUNK_BYTES_MAX);
        Ok((!chunk.is_empty()).then_some(chunk))
    }

    /// Makes some more records.
    async fn step(&mut self) -> Result<()> {
        if let Some(values) = self.values.take() {
            return self.put_values(values).await;
        }
        match self.parts.pop_front() {
            Some(Part::Catalog) => {
                let catalog = catalog::encode(&self.pinned.catalog);
                self.out.put(RecordKind::Catalog, &[&catalog])
            }
            Some(Part::Run(at)) => {
                let run = self.run(at)?;
                self.begin_run(run).await
            }
            Some(Part::Deletions(at)) => {
                let run = self.run(at)?;
                let deleted = deletions_bytes(&self.pinned.deleted(&run)?)?;
                self.out.put(RecordKind::Deletions, &[&id(&run), &deleted])
            }
            None => {
                self.is_complete = true;
                self.out.put(RecordKind::End, &[])
            }
        }
    }

    fn run(&self, at: usize) -> Result<Arc<Run>> {
        let run = self.pinned.runs.get(at).cloned();
        Ok(run.or_broken("run of an export")?)
    }

    async fn begin_run(&mut self, run: Arc<Run>) -> Result<()> {
        let key = keys::head(run.id);
        let mut heads = self.store.get_many(core::slice::from_ref(&key)).await?;
        let head = heads.pop().flatten();
        let head = head.ok_or_else(|| run.place_error(StoreError::missing(&key)))?;
        self.out.put(RecordKind::Head, &[&id(&run), &head])?;
        let end = run.head()?.values();
        let [_, _, range] = keys::all_of_run(run.id);
        self.values = (end > 0).then(|| Values {
            run,
            next: 0,
            end,
            scan: Scan::forward(range, ScanLimit::bytes(SCAN_BYTES_MAX)),
        });
        Ok(())
    }

    async fn put_values(&mut self, values: Values) -> Result<()> {
        let Values {
            run,
            mut next,
            end,
            scan,
        } = values;
        let entries = self.store.kv.scan(&scan).await?;
        let rest = scan.rest(&entries);
        for (key, value) in entries {
            if key != keys::run_value(run.id, next) {
                break;
            }
            let mut ids = id(&run);
            put_varint(u64::from(next), &mut ids);
            self.out.put(RecordKind::Value, &[&ids, &value])?;
            // Damage is not carried on as if it were sound.
            let checked = CheckedValue::check(run.id, next, value);
            checked.map_err(|error| run.place_error(error))?;
            next += 1;
        }
        match rest {
            _ if next == end => {}
            Some(scan) => {
                self.values = Some(Values {
                    run,
                    next,
                    end,
                    scan,
                })
            }
            None => {
                let key = keys::run_value(run.id, next);
                return Err(run.place_error(StoreError::missing(&key)));
            }
        }
        Ok(())
    }
}

fn id(run: &Run) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(run.id.0, &mut out);
    out
}

impl core::fmt::Debug for Export {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let contents: &Contents = &self.contents.0;
        f.debug_struct("Export")
            .field("seq", &contents.seq)
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}
