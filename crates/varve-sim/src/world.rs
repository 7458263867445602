//! What the actors of one run share.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_kv::fault::FaultKv;
use varve_store::{Store, StoreSettings};
use varve_types::{Error, MemoryBudget, SqlState, TreeId};

use crate::chance::Chance;
use crate::env::SimEnv;
use crate::failure::{Failure, Outcome, Stop};
use crate::faults::{Bug, SimKv};
use crate::frames::Frames;
use crate::ledger::Ledger;

const MEMORY_BYTES: u64 = 64 << 20;

/// Errors that the faults of a run excuse, beside conflicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excuses {
    /// The storage may be full.
    pub(crate) full: bool,
    /// Calls may fail, or a commit may be dropped half-way, after which a handle takes no more.
    pub(crate) io: bool,
    /// Another handle may have been opened.
    pub(crate) fenced: bool,
}

impl Excuses {
    fn cover(self, error: &Error) -> bool {
        let state = error.state();
        state == SqlState::SERIALIZATION_FAILURE
            || self.full && state == SqlState::DISK_FULL
            || self.io && state == SqlState::IO_ERROR
            || self.fenced && state == SqlState::OBJECT_IN_USE
    }
}

/// One run.
pub(crate) struct World {
    pub(crate) kv: Arc<FaultKv<MemoryKv>>,
    pub(crate) settings: StoreSettings,
    pub(crate) bug: Bug,
    pub(crate) excuses: Cell<Excuses>,
    ledger: RefCell<Ledger>,
    failure: RefCell<Option<String>>,
    trace: Option<RefCell<Vec<String>>>,
    handles: Cell<u64>,
    /// Indexes that somebody builds.
    building: RefCell<BTreeSet<TreeId>>,
}

/// One opening of the store.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) number: u64,
    pub(crate) store: Arc<Store>,
    pub(crate) world: Rc<World>,
}

impl Handle {
    /// Ends a piece of work on this handle.
    pub(crate) fn settle(&self, name: &str, outcome: Outcome<()>) {
        self.world.settle_of(name, self.number, outcome);
    }

    /// Whether no other was opened since.
    pub(crate) fn is_newest(&self) -> bool {
        self.number == self.world.handles.get()
    }
}

impl World {
    pub(crate) fn new(
        kv: Arc<FaultKv<MemoryKv>>,
        settings: StoreSettings,
        bug: Bug,
        ledger: Ledger,
        with_trace: bool,
    ) -> World {
        World {
            kv,
            settings,
            bug,
            excuses: Cell::default(),
            ledger: RefCell::new(ledger),
            failure: RefCell::default(),
            trace: with_trace.then(RefCell::default),
            handles: Cell::new(0),
            building: RefCell::default(),
        }
    }

    pub(crate) fn ledger(&self) -> RefMut<'_, Ledger> {
        self.ledger.borrow_mut()
    }

    /// Whether nobody else builds an index; then nobody else will.
    pub(crate) fn may_build(&self, index: TreeId) -> bool {
        self.building.borrow_mut().insert(index)
    }

    pub(crate) fn note(&self, what: impl FnOnce() -> String) {
        if let Some(trace) = &self.trace {
            trace
                .borrow_mut()
                .push(format!("{:>4} {}", self.kv.calls(), what()));
        }
    }

    /// Ends a piece of work: anything but an excused error fails the run.
    pub(crate) fn settle(&self, name: &str, outcome: Outcome<()>) {
        self.settle_of(name, self.handles.get(), outcome);
    }

    fn settle_of(&self, name: &str, handle: u64, outcome: Outcome<()>) {
        let Err(stop) = outcome else {
            return;
        };
        self.note(|| format!("{name}: {}", stop.message()));
        let excused = match &stop {
            Stop::Broken(_) => false,
            // The pages that a fenced handle would read may be gone.
            Stop::Refused(error) if handle < self.handles.get() => {
                self.excuses.get().cover(error) || error.state() == SqlState::DATA_CORRUPTED
            }
            Stop::Refused(error) => self.excuses.get().cover(error),
        };
        if !excused {
            let message = format!("{name}: {}", stop.message());
            self.failure.borrow_mut().get_or_insert(message);
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Answers what an actor found broken, if one did.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match &*self.failure.borrow() {
            Some(message) => Err(self.failed(message.clone())),
            None => Ok(()),
        }
    }

    pub(crate) fn failed(&self, message: String) -> Failure {
        let trace = self.trace.as_ref().map(|trace| trace.borrow().clone());
        Failure {
            message,
            trace: trace.unwrap_or_default(),
        }
    }

    /// Opens the store anew.
    pub(crate) async fn open(self: &Rc<World>, chance: &mut Chance) -> Outcome<Handle> {
        let number = self.handles.get() + 1;
        self.handles.set(number);
        let kv = SimKv {
            inner: Arc::clone(&self.kv),
            bug: self.bug,
        };
        let store = Store::open(
            Arc::new(kv),
            Arc::new(SimEnv::new(chance.next_u64())),
            Arc::new(MemoryBudget::new(MEMORY_BYTES)),
            self.settings.clone(),
        );
        let store = store.await?;
        store.set_value_frames_source(Arc::new(Frames::any(chance)));
        self.note(|| format!("handle {number} is open at {}", store.stats().last_commit));
        Ok(Handle {
            number,
            store,
            world: Rc::clone(self),
        })
    }
}
