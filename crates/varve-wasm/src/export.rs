//! Exports and imports of whole databases, as the worker holds them.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Promise, Uint8Array};
use varve_types::{Error, Result, SqlState};
use varvedb::{Database, Export, Import, KnownContents};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::Engine;
use crate::panic::check_sound;
use crate::promise::promise;

/// An export under way. Its calls must not overlap.
#[wasm_bindgen]
pub struct EngineExport {
    slot: Slot<Export>,
    contents: Vec<u8>,
}

/// An import under way. Its calls must not overlap.
#[wasm_bindgen]
pub struct EngineImport {
    slot: Slot<Import>,
}

/// Where it is between calls; empty while one is under way, and once it has ended.
struct Slot<T>(Rc<Cell<Option<T>>>);

#[wasm_bindgen]
impl EngineExport {
    /// The next bytes; nothing after the last ones.
    #[wasm_bindgen(unchecked_return_type = "Promise<Uint8Array<ArrayBuffer> | undefined>")]
    pub fn read(&self) -> Promise {
        let slot = self.slot.share();
        promise(Box::pin(async move {
            let mut export = slot.take()?;
            let chunk = export.next_chunk().await?;
            slot.0.set(Some(export));
            Ok(chunk.map_or(JsValue::UNDEFINED, |chunk| {
                Uint8Array::from(chunk.as_slice()).into()
            }))
        }))
    }

    /// What a later export takes as `since`.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn contents(&self) -> Uint8Array {
        Uint8Array::from(self.contents.as_slice())
    }
}

#[wasm_bindgen]
impl EngineImport {
    /// Takes the next bytes.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn write(&self, bytes: Vec<u8>) -> Promise {
        let slot = self.slot.share();
        promise(Box::pin(async move {
            let mut import = slot.take()?;
            let taken = import.write(&bytes).await;
            slot.0.set(Some(import));
            taken.map(|()| JsValue::UNDEFINED)
        }))
    }

    /// Ends the import, and opens the database.
    #[wasm_bindgen(unchecked_return_type = "Promise<Engine>")]
    pub fn finish(&self) -> Promise {
        let slot = self.slot.share();
        promise(Box::pin(async move {
            let database = slot.take()?.finish().await?;
            Ok(Engine::of_database(database).into())
        }))
    }

    /// Deletes what was written of an export that is not complete; nothing happens where the import
    /// has ended.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn abort(&self) -> Promise {
        let slot = self.slot.share();
        promise(Box::pin(async move {
            if let Some(import) = slot.0.take() {
                import.abort().await;
            }
            Ok(JsValue::UNDEFINED)
        }))
    }
}

impl EngineExport {
    pub(crate) async fn begin(database: &Database, since: Option<&[u8]>) -> Result<EngineExport> {
        let since = since.map(known_contents).transpose()?;
        let export = database.export(since.as_ref()).await?;
        Ok(EngineExport {
            contents: export.contents().to_bytes()?,
            slot: Slot::new(export),
        })
    }
}

impl EngineImport {
    pub(crate) fn new(import: Import) -> EngineImport {
        EngineImport {
            slot: Slot::new(import),
        }
    }
}

impl<T> Slot<T> {
    fn new(value: T) -> Slot<T> {
        Slot(Rc::new(Cell::new(Some(value))))
    }

    fn share(&self) -> Slot<T> {
        Slot(Rc::clone(&self.0))
    }

    fn take(&self) -> Result<T> {
        check_sound()?;
        self.0.take().ok_or_else(|| {
            let message = "it has ended, or another call of it is under way";
            Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
        })
    }
}

fn known_contents(bytes: &[u8]) -> Result<KnownContents> {
    KnownContents::read(bytes)?.ok_or_else(|| {
        let message = "the contents of an earlier export are not complete";
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
    })
}
