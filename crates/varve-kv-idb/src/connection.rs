//! One connection to one database: how it is opened, how it is lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use idb::{
    Database, DatabaseEvent, Event as _, Factory, ObjectStoreParams, Request as _, Transaction,
};
use js_sys::{Object, Reflect};
use varve_kv::{Durability, KvError};
use varve_sort::VecMap;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DomException, IdbDatabase, IdbTransaction};

use crate::failure::Failure;
use crate::signal::Signal;

/// The one object store; its keys are given from outside.
pub(crate) const OBJECT_STORE: &str = "kv";

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase` with the options of `transaction`, which neither `idb` nor stable `web-sys`
    /// offers.
    #[wasm_bindgen(extends = IdbDatabase)]
    type DatabaseWithOptions;

    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn transaction_with_options(
        this: &DatabaseWithOptions,
        store: &str,
        mode: &str,
        options: &JsValue,
    ) -> Result<IdbTransaction, JsValue>;
}

/// Whether opening may create the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Create {
    IfMissing,
    /// A database that vanished under its user (site data cleared, `destroy` in another tab) must
    /// not come back as an empty one.
    Never,
}

/// An open connection. Dropping it closes it; transactions under way still end by themselves.
pub(crate) struct Connection {
    database: IdbDatabase,
    /// Holds the handlers of the database's events.
    _handlers: Database,
    is_lost: Rc<Cell<bool>>,
    under_way: Rc<UnderWay>,
}

/// What is told to the transactions under way when the browser closes their connection by force.
/// Chromium then fails their requests and fires `close`, but neither `abort` nor `complete`: who
/// waits for those alone waits for ever.
#[derive(Default)]
struct UnderWay {
    handlers: RefCell<VecMap<u64, Box<dyn FnOnce()>>>,
    last_id: Cell<u64>,
}

impl UnderWay {
    fn tell_all(&self) {
        for (_, handler) in self.handlers.take() {
            handler();
        }
    }
}

impl Connection {
    pub(crate) async fn open(name: &str, create: Create) -> Result<Self, Failure> {
        let mut request = Factory::new()?.open(name, None)?;
        let done = Signal::new();
        let is_missing = Rc::new(Cell::new(false));
        {
            let is_missing = Rc::clone(&is_missing);
            let done = done.clone();
            request.on_upgrade_needed(move |event| {
                let upgraded = if create == Create::IfMissing {
                    event.database().and_then(|database| {
                        database
                            .create_object_store(OBJECT_STORE, ObjectStoreParams::new())
                            .map(drop)
                    })
                } else {
                    is_missing.set(true);
                    let transaction = event.target().map(|request| request.transaction());
                    transaction
                        .and_then(|found| found.map_or(Ok(()), |upgrade| upgrade.abort().map(drop)))
                };
                if let Err(error) = upgraded {
                    done.set(Err(error.into()));
                }
            });
        }
        // The handlers own the request that owns them, until one of them runs: so the outcome is
        // handled even when nobody waits for it any more.
        let holder = Rc::new(RefCell::new(None));
        {
            let (done, holder) = (done.clone(), Rc::clone(&holder));
            request.on_success(move |event| {
                let opened = event.database().map_err(Failure::from).and_then(Self::new);
                done.set(opened);
                drop(holder.take());
            });
        }
        {
            let (done, holder) = (done.clone(), Rc::clone(&holder));
            request.on_error(move |event| {
                let error = event.target().and_then(|request| request.error());
                done.set(Err(match error {
                    _ if is_missing.get() => Failure::Final(KvError::Unavailable {
                        message: "the database was deleted".to_owned(),
                    }),
                    Ok(Some(exception)) => Failure::from_exception(&exception, None),
                    Ok(None) => Failure::backend("opening failed without a reason"),
                    Err(error) => error.into(),
                }));
                drop(holder.take());
            });
        }
        holder.replace(Some(request));
        done.wait().await
    }

    /// Deletes a database, once every connection to it is closed; ours close when they are asked
    /// to.
    pub(crate) async fn delete(name: &str) -> Result<(), Failure> {
        let mut request = Factory::new()?.delete(name)?;
        let done = Signal::new();
        let holder = Rc::new(RefCell::new(None));
        {
            let (done, holder) = (done.clone(), Rc::clone(&holder));
            request.on_success(move |_| {
                done.set(Ok(()));
                drop(holder.take());
            });
        }
        {
            let (done, holder) = (done.clone(), Rc::clone(&holder));
            request.on_error(move |event| {
                done.set(Err(
                    match event.target().and_then(|request| request.error()) {
                        Ok(Some(exception)) => Failure::from_exception(&exception, None),
                        Ok(None) => Failure::backend("deleting failed without a reason"),
                        Err(error) => error.into(),
                    },
                ));
                drop(holder.take());
            });
        }
        holder.replace(Some(request));
        done.wait().await
    }

    fn new(opened: Database) -> Result<Self, Failure> {
        let database = IdbDatabase::from(opened);
        let mut handlers = Database::from(database.clone());
        if !handlers
            .store_names()
            .iter()
            .any(|name| name == OBJECT_STORE)
        {
            database.close();
            return Err(Failure::corrupt(
                None,
                "the database was made by another program",
            ));
        }
        let is_lost = Rc::new(Cell::new(false));
        let under_way = Rc::new(UnderWay::default());
        {
            // The browser closed the connection by itself: site data cleared, storage gone, a long
            // sleep.
            let (is_lost, under_way) = (Rc::clone(&is_lost), Rc::clone(&under_way));
            handlers.on_close(move |_| {
                is_lost.set(true);
                under_way.tell_all();
            });
        }
        {
            // Another connection wants to delete or upgrade the database and waits until this one
            // is closed.
            let is_lost = Rc::clone(&is_lost);
            handlers.on_version_change(move |event| {
                is_lost.set(true);
                if let Some(database) = event
                    .target()
                    .and_then(|target| target.dyn_into::<IdbDatabase>().ok())
                {
                    database.close();
                }
            });
        }
        Ok(Self {
            database,
            _handlers: handlers,
            is_lost,
            under_way,
        })
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    pub(crate) fn set_lost(&self) {
        self.is_lost.set(true);
    }

    /// Begins a transaction that reads.
    pub(crate) fn begin_read(&self) -> Result<Running, Failure> {
        self.begin("readonly", &JsValue::UNDEFINED)
    }

    /// Begins a transaction that writes. Without a word browsers differ in what they do (Chromium
    /// 121 changed its mind), so the durability is always named.
    pub(crate) fn begin_write(&self, durability: Durability) -> Result<Running, Failure> {
        let name = match durability {
            Durability::Strict => "strict",
            Durability::Relaxed => "relaxed",
        };
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &name.into())
            .map_err(|thrown| Failure::from_thrown(&thrown))?;
        self.begin("readwrite", &options)
    }

    fn begin(&self, mode: &str, options: &JsValue) -> Result<Running, Failure> {
        let database: &DatabaseWithOptions = self.database.unchecked_ref();
        let raw = database
            .transaction_with_options(OBJECT_STORE, mode, options)
            .map_err(|thrown| Failure::from_thrown(&thrown))?;
        let id = self.under_way.last_id.get().saturating_add(1);
        self.under_way.last_id.set(id);
        Ok(Running {
            events: Transaction::from(raw.clone()),
            raw,
            id,
            under_way: Rc::clone(&self.under_way),
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // An event that comes later must not find a handler that is gone.
        self.database.set_onclose(None);
        self.database.set_onversionchange(None);
        self.database.close();
    }
}

/// A transaction under way. Dropping it takes its handlers away; the transaction itself ends as
/// IndexedDB sees fit.
pub(crate) struct Running {
    /// Holds the handlers of the transaction's events.
    events: Transaction,
    raw: IdbTransaction,
    id: u64,
    under_way: Rc<UnderWay>,
}

impl Running {
    pub(crate) fn object_store(&self) -> Result<idb::ObjectStore, Failure> {
        Ok(self.events.object_store(OBJECT_STORE)?)
    }

    pub(crate) fn on_complete(&mut self, handler: impl FnOnce() + 'static) {
        self.events.on_complete(move |_| handler());
    }

    /// The handler gets what the browser names as the reason; there is none when we aborted the
    /// transaction ourselves.
    pub(crate) fn on_abort(&mut self, handler: impl FnOnce(Option<DomException>) + 'static) {
        let raw = self.raw.clone();
        self.events.on_abort(move |_| handler(raw.error()));
    }

    /// The handler runs when the connection is lost under the transaction, whose other handlers may
    /// then never run.
    pub(crate) fn on_lost(&mut self, handler: impl FnOnce() + 'static) {
        self.under_way
            .handlers
            .borrow_mut()
            .insert(self.id, Box::new(handler));
    }

    /// A second name of the same transaction, for handlers.
    pub(crate) fn control(&self) -> IdbTransaction {
        self.raw.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.raw.set_oncomplete(None);
        self.raw.set_onabort(None);
        // Taken out before it is dropped, because it may own what looks at this list again.
        let handler = self.under_way.handlers.borrow_mut().remove(&self.id);
        drop(handler);
    }
}
