//! An open database, as the worker holds it.

use std::sync::Arc;

use js_sys::Promise;
use varve_kv::{Kv, MemoryKv};
use varve_kv_idb::{IdbKv, WebCrypto};
use varve_types::{Env, Error, SqlState};
use varvedb::{Database, Durability, Encryption, EncryptionKey, Options};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::browser_env::BrowserEnv;
use crate::convert::backend_error;
use crate::panic::{check_sound, record_panics};
use crate::promise::promise;
use crate::reports::{check_object, repair_object};
use crate::zstd::ZstdModule;
use crate::{EngineExport, EngineImport, EngineLoad, EngineSession};

/// An open database.
#[wasm_bindgen]
pub struct Engine {
    database: Database,
}

#[wasm_bindgen]
impl Engine {
    /// Opens the IndexedDB database `name`, or an empty one in memory without a name.
    ///
    /// `memory_limit` is in bytes, `durability` one of `strict`, `relaxed` and `async`; with
    /// `must_exist` a missing or empty database is an error. `key` is a passphrase or a
    /// `CryptoKey`, or nothing where the database is not encrypted.
    #[wasm_bindgen(unchecked_return_type = "Promise<Engine>")]
    pub fn open(
        name: Option<String>,
        memory_limit: Option<f64>,
        durability: String,
        must_exist: bool,
        key: JsValue,
    ) -> Promise {
        record_panics();
        promise(Box::pin(async move {
            let options = Options {
                must_exist,
                encryption: encryption(key),
                ..options(memory_limit, &durability)?
            };
            Ok(Engine::open_store(name, options).await?.into())
        }))
    }

    /// Begins to make the IndexedDB database `name`, or one in memory, of exports; the options are
    /// those of `open`.
    #[wasm_bindgen(js_name = beginImport, unchecked_return_type = "Promise<EngineImport>")]
    pub fn begin_import(
        name: Option<String>,
        memory_limit: Option<f64>,
        durability: String,
        key: JsValue,
    ) -> Promise {
        record_panics();
        promise(Box::pin(async move {
            let mut options = Options {
                encryption: encryption(key),
                ..options(memory_limit, &durability)?
            };
            let kv = storage(name, &mut options).await?;
            let import = Database::import(kv, Arc::new(BrowserEnv), options).await?;
            Ok(EngineImport::new(import).into())
        }))
    }

    /// Begins to export what is committed by now; with the contents of an earlier export, what
    /// these list is left out.
    #[wasm_bindgen(unchecked_return_type = "Promise<EngineExport>")]
    pub fn export(&self, since: Option<Vec<u8>>) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            let export = EngineExport::begin(&database, since.as_deref()).await?;
            Ok(export.into())
        }))
    }

    /// Puts the IndexedDB database `name` right as far as that is possible; answers what was done.
    pub fn repair(name: String, key: JsValue) -> Promise {
        record_panics();
        promise(Box::pin(async move {
            check_sound()?;
            let kv = IdbKv::open(&name)
                .await
                .map_err(|error| backend_error(&error))?;
            let env = Arc::new(BrowserEnv);
            let options = Options {
                encryption: encryption(key),
                ..Options::browser()
            };
            let (database, report) = Database::repair(Arc::new(kv), env, options).await?;
            database.close().await?;
            Ok(repair_object(&report))
        }))
    }

    /// Reads everything that is stored; answers what is damaged.
    pub fn check(&self) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            Ok(check_object(&database.check().await?))
        }))
    }

    /// Does background work that is due; none begins after `budget_ms`. Whether none is left.
    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn maintenance(&self, budget_ms: u32) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            let budget_us = u64::from(budget_ms) * 1000;
            Ok(database.run_jobs_within(budget_us).await?.into())
        }))
    }

    /// Puts another key in the place of the one that opens the database.
    #[wasm_bindgen(js_name = changeKey, unchecked_return_type = "Promise<void>")]
    pub fn change_key(&self, key: JsValue) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            if let Some(encryption) = encryption(key) {
                database.change_encryption_key(&encryption).await?;
            }
            Ok(JsValue::UNDEFINED)
        }))
    }

    /// Begins to load these columns into a table, or all of them where none are named; with
    /// `auto_id` all but the primary key, which is counted on.
    #[wasm_bindgen(js_name = bulkLoad, unchecked_return_type = "Promise<EngineLoad>")]
    pub fn bulk_load(&self, table: String, columns: Vec<String>, auto_id: bool) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            let load = EngineLoad::begin(&database, &table, &columns, auto_id).await?;
            Ok(load.into())
        }))
    }

    /// Deletes the IndexedDB database `name`; a missing one is no error.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn destroy(name: String) -> Promise {
        record_panics();
        promise(Box::pin(async move {
            let destroyed = IdbKv::destroy(&name).await;
            destroyed.map_err(|error| backend_error(&error))?;
            Ok(JsValue::UNDEFINED)
        }))
    }

    /// Whether there was no store before this open.
    #[wasm_bindgen(js_name = isNew)]
    pub fn is_new(&self) -> bool {
        self.database.is_new()
    }

    /// A session with a transaction state of its own.
    pub fn session(&self) -> EngineSession {
        EngineSession::new(self.database.session())
    }

    /// Gives the store up.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn close(&self) -> Promise {
        let database = self.database.clone();
        promise(Box::pin(async move {
            check_sound()?;
            database.close().await?;
            Ok(JsValue::UNDEFINED)
        }))
    }
}

impl Engine {
    async fn open_store(name: Option<String>, mut options: Options) -> varve_types::Result<Engine> {
        let kv = storage(name, &mut options).await?;
        let database = Database::open(kv, Arc::new(BrowserEnv), options).await?;
        Ok(Engine::of_database(database))
    }

    /// An open database, whose jobs are done from now on.
    pub(crate) fn of_database(database: Database) -> Engine {
        // In slices between requests, and when there are none.
        BrowserEnv.spawn(Box::pin(database.job_runner().run()));
        Engine { database }
    }
}

/// Where the data is: in IndexedDB, or in memory without a name.
async fn storage(name: Option<String>, options: &mut Options) -> varve_types::Result<Arc<dyn Kv>> {
    check_sound()?;
    let Some(name) = name else {
        // Spilling to memory would only hide it from the account.
        options.store.scratch_bytes_max = 0;
        return Ok(Arc::new(MemoryKv::new()));
    };
    let kv = IdbKv::open(&name).await;
    Ok(Arc::new(kv.map_err(|error| backend_error(&error))?))
}

/// What the panic said and where it was, if there was one: for the report of a crash.
#[wasm_bindgen(js_name = panicMessage)]
pub fn panic_message() -> Option<String> {
    crate::panic::panic_message()
}

/// A passphrase, a `CryptoKey`, or nothing.
fn encryption(key: JsValue) -> Option<Encryption> {
    let key = match key.as_string() {
        Some(passphrase) => EncryptionKey::Passphrase(passphrase.into()),
        None if key.is_undefined() => return None,
        None => EncryptionKey::Given(WebCrypto::of_key(key)),
    };
    Some(Encryption::new(key, Arc::new(WebCrypto)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates, and a limit below 0 is none at all"
)]
fn options(memory_limit: Option<f64>, durability: &str) -> varve_types::Result<Options> {
    let mut options = Options {
        zstd: Some(Arc::new(ZstdModule)),
        ..Options::browser()
    };
    if let Some(bytes) = memory_limit {
        options.memory_limit_bytes = bytes as u64;
    }
    options.durability = Durability::from_name(durability).ok_or_else(|| {
        let message = format!("\"{durability}\" is no durability");
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
            .with_hint("Use strict, relaxed or async.")
    })?;
    Ok(options)
}
