//! A store made of exports, from bytes that come piece by piece.

use std::sync::Arc;

use varve_kv::Kv;
use varve_types::{CommitSeq, Env, MemoryAccount, Reservation};

use crate::StoreSettings;
use crate::error::{Result, StoreErrorKind};
use crate::export::contents::Contents;
use crate::export::incoming::Incoming;
use crate::export::record_kind::RecordKind;
use crate::export::records::{Item, RecordReader, damaged};
use crate::store::Store;

/// Longer pieces are cut, so that what is held at a time is bounded.
const PIECE_BYTES_MAX: usize = 1 << 20;

/// An import under way, which nobody sees before an export is complete. Several may follow each
/// other in the stream, each going on from the one before; each is published by itself.
///
/// Dropped, or after a crash, it leaves the store as it was before the export that was under way:
/// what was written of it is deleted when the store is opened.
pub struct StoreImport {
    opening: Opening,
    /// The store as it was before the export under way.
    store: Arc<Store>,
    reader: RecordReader,
    stage: Stage,
    booked: Reservation,
    /// Whether the stream had a whole export.
    has_one: bool,
    /// Whether no call has failed or was dropped.
    is_sound: bool,
}

/// What opens the store again after each export.
struct Opening {
    kv: Arc<dyn Kv>,
    env: Arc<dyn Env>,
    memory: Arc<dyn MemoryAccount>,
    settings: StoreSettings,
}

impl Opening {
    async fn open(&self) -> Result<Arc<Store>> {
        let (kv, env) = (Arc::clone(&self.kv), Arc::clone(&self.env));
        Store::open(kv, env, Arc::clone(&self.memory), self.settings.clone()).await
    }
}

/// What the next record must be.
enum Stage {
    /// None: an export may begin.
    Between,
    Base,
    Contents(Option<Base>),
    Parts(Box<Incoming>),
}

/// What an export goes on from.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub(super) seq: CommitSeq,
    pub(super) hash: u64,
}

impl StoreImport {
    /// Begins an import into the store of a backend, and fences whoever had it open. A whole export
    /// needs an empty one, which is made where there is none.
    pub async fn begin(
        kv: Arc<dyn Kv>,
        env: Arc<dyn Env>,
        memory: Arc<dyn MemoryAccount>,
        settings: StoreSettings,
    ) -> Result<StoreImport> {
        let opening = Opening {
            kv,
            env,
            memory,
            settings,
        };
        Ok(StoreImport {
            store: opening.open().await?,
            booked: Reservation::new(Arc::clone(&opening.memory)),
            opening,
            reader: RecordReader::default(),
            stage: Stage::Between,
            has_one: false,
            is_sound: true,
        })
    }

    /// Takes the next bytes. `55000` where an export does not fit the store, `XX001` where it is
    /// damaged: what was written of it is deleted then, and the import has ended.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.check_sound()?;
        for piece in bytes.chunks(PIECE_BYTES_MAX) {
            self.is_sound = false;
            if let Err(error) = self.piece(piece).await {
                self.undo().await;
                return Err(error);
            }
            self.is_sound = true;
        }
        Ok(())
    }

    /// Ends the import: the store can be opened. `XX001` where the stream has ended too early.
    pub async fn finish(mut self) -> Result<()> {
        self.check_sound()?;
        if self.has_one && self.reader.is_at_end() {
            return Ok(());
        }
        self.undo().await;
        Err(damaged("it ends too early"))
    }

    /// Gives up the export under way, and deletes what was written of it.
    pub async fn abort(mut self) {
        self.undo().await;
    }

    fn check_sound(&self) -> Result<()> {
        match self.is_sound {
            true => Ok(()),
            false => Err(StoreErrorKind::LoadInterrupted.into()),
        }
    }

    async fn piece(&mut self, piece: &[u8]) -> Result<()> {
        let held = self.reader.held_bytes() + piece.len();
        self.book(held)?;
        self.reader.push(piece);
        while let Some(item) = self.reader.next()? {
            self.take(item).await?;
        }
        Ok(())
    }

    fn book(&mut self, held: usize) -> Result<()> {
        let waiting = match &self.stage {
            Stage::Parts(incoming) => incoming.held_bytes(),
            _ => 0,
        };
        // A record is copied once on its way.
        let bytes = (held as u64).saturating_mul(2).saturating_add(waiting);
        self.store.reserve(&mut self.booked, bytes)
    }

    async fn take(&mut self, item: Item) -> Result<()> {
        // What is under way stays in its place, so that it can be undone.
        if let (Stage::Parts(incoming), Item::Record(kind, payload)) = (&mut self.stage, &item) {
            if *kind != RecordKind::End {
                return incoming.take(*kind, payload).await;
            }
            incoming.publish().await?;
            self.stage = Stage::Between;
            self.has_one = true;
            return Ok(());
        }
        let stage = core::mem::replace(&mut self.stage, Stage::Between);
        self.stage = match (stage, item) {
            (Stage::Between, Item::Start) => {
                if self.has_one {
                    self.store = self.opening.open().await?;
                }
                Stage::Base
            }
            (Stage::Base, Item::Record(RecordKind::Base, payload)) => {
                Stage::Contents(Base::decode(&payload)?)
            }
            (Stage::Contents(base), Item::Record(RecordKind::Contents, payload)) => {
                let contents = Contents::decode(&payload)?;
                let incoming = Incoming::begin(&self.store, base, contents).await?;
                Stage::Parts(Box::new(incoming))
            }
            _ => return Err(damaged("a record is not where it should be")),
        };
        Ok(())
    }

    /// Deletes what was written of the export under way. What cannot be deleted now is deleted by
    /// the next open.
    async fn undo(&mut self) {
        self.is_sound = false;
        if let Stage::Parts(mut incoming) = core::mem::replace(&mut self.stage, Stage::Between) {
            incoming.undo().await;
        }
    }
}

impl Base {
    fn decode(payload: &[u8]) -> Result<Option<Base>> {
        let number = |bytes: &[u8]| Some(u64::from_le_bytes(*bytes.first_chunk::<8>()?));
        match (
            payload.len(),
            number(payload),
            payload.get(8..).and_then(number),
        ) {
            (0, ..) => Ok(None),
            (16, Some(seq), Some(hash)) => Ok(Some(Base {
                seq: CommitSeq(seq),
                hash,
            })),
            _ => Err(damaged("what it goes on from")),
        }
    }
}

impl core::fmt::Debug for StoreImport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StoreImport")
            .field("has_one", &self.has_one)
            .finish_non_exhaustive()
    }
}
