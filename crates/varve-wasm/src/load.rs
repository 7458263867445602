//! A bulk load, as the worker holds it.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array, Uint32Array};
use varve_types::{ColumnRef, Error, LogicalType, Result, SqlState};
use varvedb::{BulkLoad, BulkLoadOptions, Database};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::columns::GivenColumn;
use crate::convert::number;
use crate::panic::check_sound;
use crate::promise::promise;
use crate::reports::load_object;

/// A load of columns into one table. Its calls must not overlap.
#[wasm_bindgen]
pub struct EngineLoad {
    slot: Slot,
    columns: Rc<[(String, LogicalType)]>,
}

/// Where the load is between calls; empty while one is under way, and once the load has ended.
#[derive(Clone)]
struct Slot(Rc<Cell<Option<BulkLoad>>>);

#[wasm_bindgen]
impl EngineLoad {
    /// Takes rows: for each column its kind, values, ends and validity, as `columns.rs` has them.
    /// Answers the rows taken so far.
    #[wasm_bindgen(unchecked_return_type = "Promise<number>")]
    pub fn write(&self, given: Vec<JsValue>) -> Promise {
        let (slot, columns) = (self.slot.clone(), Rc::clone(&self.columns));
        promise(Box::pin(async move {
            let mut load = slot.take()?;
            let written = write(&mut load, &columns, &given).await;
            let rows = load.rows();
            slot.0.set(Some(load));
            written.map(|()| number(rows).into())
        }))
    }

    /// Publishes the rows.
    pub fn finish(&self) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            Ok(load_object(&slot.take()?.finish().await?))
        }))
    }

    /// Forgets the rows; nothing happens where the load has ended.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn abort(&self) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            if let Some(load) = slot.0.take() {
                load.abort().await?;
            }
            Ok(JsValue::UNDEFINED)
        }))
    }
}

impl EngineLoad {
    /// Begins to load these columns, or all of the table where none are named.
    pub(crate) async fn begin(
        database: &Database,
        table: &str,
        columns: &[String],
        auto_id: bool,
    ) -> Result<EngineLoad> {
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let options = BulkLoadOptions::default();
        let load = match auto_id {
            true => database.bulk_load_auto_id(table, &names, options).await?,
            false => database.bulk_load(table, &names, options)?,
        };
        let columns = load.columns().into_iter();
        Ok(EngineLoad {
            columns: columns.map(|(name, ty)| (name.to_owned(), ty)).collect(),
            slot: Slot(Rc::new(Cell::new(Some(load)))),
        })
    }
}

impl Slot {
    fn take(&self) -> Result<BulkLoad> {
        check_sound()?;
        self.0.take().ok_or_else(|| {
            let message = "the load has ended, or another call of it is under way";
            Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
        })
    }
}

async fn write(
    load: &mut BulkLoad,
    columns: &[(String, LogicalType)],
    given: &[JsValue],
) -> Result<()> {
    let given = given.iter().zip(columns);
    let made = given.map(|(given, (name, ty))| {
        let column = given_column(given).into_column(name, *ty)?;
        Ok(ColumnRef::new(column))
    });
    let made = made.collect::<Result<Vec<ColumnRef>>>()?;
    load.append(made).await
}

/// What is missing is empty; the engine refuses what does not fit together.
fn given_column(given: &JsValue) -> GivenColumn {
    let parts: Array = given.clone().unchecked_into();
    let bytes = |part: JsValue| part.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec());
    let ends = parts.get(2).dyn_into::<Uint32Array>();
    let kind = (0..5).find(|kind| parts.get(0).as_f64() == Some(f64::from(*kind)));
    GivenColumn {
        kind: kind.unwrap_or(u8::MAX),
        bytes: bytes(parts.get(1)).unwrap_or_default(),
        ends: ends.map(|ends| ends.to_vec()).unwrap_or_default(),
        validity: bytes(parts.get(3)).unwrap_or_default(),
    }
}
