//! A bulk load, as the worker holds it.

use std::cell::Cell;

use js_sys::{Array, Uint8Array, Uint32Array};
use varve_types::{ColumnRef, Error, LogicalType, Result, SqlState};
use varvedb::{BulkLoad, BulkLoadOptions, Database};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::columns::GivenColumn;
use crate::convert::{error_object, number};
use crate::panic::check_sound;
use crate::reports::load_object;

/// A load of columns into one table. Its calls must not overlap.
#[wasm_bindgen]
pub struct EngineLoad {
    /// Empty while a call is under way, and once the load has ended.
    load: Cell<Option<BulkLoad>>,
    columns: Vec<(String, LogicalType)>,
}

#[wasm_bindgen]
impl EngineLoad {
    /// Takes rows: for each column its kind, values, ends and validity, as `columns.rs` has them.
    /// Answers the rows taken so far.
    pub async fn write(&self, columns: Vec<JsValue>) -> Result<f64, JsValue> {
        self.call(async |load| {
            let given = columns.iter().zip(&self.columns);
            let made = given.map(|(given, (name, ty))| {
                let column = given_column(given).into_column(name, *ty)?;
                Ok(ColumnRef::new(column))
            });
            let made = made.collect::<Result<Vec<ColumnRef>>>()?;
            load.append(made).await?;
            Ok(number(load.rows()))
        })
        .await
    }

    /// Publishes the rows.
    pub async fn finish(&self) -> Result<JsValue, JsValue> {
        async { Ok(load_object(&self.take()?.finish().await?)) }
            .await
            .map_err(|error: Error| error_object(&error))
    }

    /// Forgets the rows; nothing happens where the load has ended.
    pub async fn abort(&self) -> Result<(), JsValue> {
        let Some(load) = self.load.take() else {
            return Ok(());
        };
        load.abort().await.map_err(|error| error_object(&error))
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
            load: Cell::new(Some(load)),
        })
    }

    fn take(&self) -> Result<BulkLoad> {
        check_sound()?;
        self.load.take().ok_or_else(|| {
            let message = "the load has ended, or another call of it is under way";
            Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
        })
    }

    async fn call<T>(
        &self,
        run: impl AsyncFnOnce(&mut BulkLoad) -> Result<T>,
    ) -> Result<T, JsValue> {
        let mut load = self.take().map_err(|error| error_object(&error))?;
        let result = run(&mut load).await;
        self.load.set(Some(load));
        result.map_err(|error| error_object(&error))
    }
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
