//! A session, as the worker holds it: one call at a time, results as bytes.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use js_sys::{Array, Function, Promise, Uint8Array};
use varve_types::{Error, LocalFuture, Result, SqlState};
use varvedb::{CancelFlag, DumpOptions, Session};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::convert::{batch_error_object, error_object, number, parameter, typed_parameter};
use crate::dump::dump;
use crate::encode_results;
use crate::panic::check_sound;
use crate::promise::{promise, promise_or_thrown};

/// A session. Its calls must not overlap, but for [`EngineSession::cancel`].
#[wasm_bindgen]
pub struct EngineSession {
    slot: Slot,
    cancel: Arc<CancelFlag>,
}

/// Where the session is between calls; empty while one is under way.
#[derive(Clone)]
struct Slot(Rc<Cell<Option<Session>>>);

#[wasm_bindgen]
impl EngineSession {
    /// Runs one statement. What needs no waiting, such as a lookup of a row that is at hand, is
    /// answered at once, without a promise.
    #[wasm_bindgen(
        unchecked_return_type = "Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>"
    )]
    pub fn query(&self, sql: String, params: Vec<JsValue>) -> Result<JsValue, JsValue> {
        let slot = self.slot.clone();
        now_or_later(Box::pin(async move {
            let answer =
                slot.call(async |session| message(vec![query(session, &sql, &params).await?]));
            answer.await.map_err(|error| error_object(&error))
        }))
    }

    /// Runs a script.
    #[wasm_bindgen(unchecked_return_type = "Promise<Uint8Array<ArrayBuffer>>")]
    pub fn exec(&self, sql: String) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            slot.call(async |session| message(session.execute_script(&sql).await?))
                .await
        }))
    }

    /// Runs statements as one transaction; answers how many rows they have changed. An error has
    /// the number of its statement, from 0, as `statementIndex`.
    #[wasm_bindgen(js_name = executeBatch, unchecked_return_type = "Promise<number>")]
    pub fn execute_batch(&self, statements: Vec<String>) -> Promise {
        let slot = self.slot.clone();
        promise_or_thrown(Box::pin(async move {
            let mut index = None;
            let changed = slot.call(async |session| {
                let changed = session.execute_batch(&statements).await;
                changed.map(|rows| number(rows).into()).map_err(|failed| {
                    index = Some(failed.index);
                    failed.error
                })
            });
            let changed = changed.await;
            changed.map_err(|error| batch_error_object(&error, index))
        }))
    }

    /// Begins a `COPY table FROM STDIN`.
    #[wasm_bindgen(js_name = copyBegin, unchecked_return_type = "Promise<void>")]
    pub fn copy_begin(&self, sql: String) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            slot.call(async |session| session.copy_begin(&sql).await.map(|()| JsValue::UNDEFINED))
                .await
        }))
    }

    /// Takes the next piece of the text; answers the rows taken so far.
    #[wasm_bindgen(js_name = copyWrite, unchecked_return_type = "Promise<number>")]
    pub fn copy_write(&self, bytes: Vec<u8>) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            slot.call(async |session| Ok(number(session.copy_write(&bytes).await?).into()))
                .await
        }))
    }

    /// Takes the end of the text and commits; answers the rows taken.
    #[wasm_bindgen(js_name = copyFinish, unchecked_return_type = "Promise<number>")]
    pub fn copy_finish(&self) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            slot.call(async |session| {
                let result = session.copy_finish().await?;
                Ok(number(result.affected_rows.unwrap_or(0)).into())
            })
            .await
        }))
    }

    /// Undoes the COPY; nothing happens without one.
    #[wasm_bindgen(js_name = copyAbort, unchecked_return_type = "Promise<void>")]
    pub fn copy_abort(&self) -> Promise {
        let slot = self.slot.clone();
        promise(Box::pin(async move {
            slot.call(async |session| session.copy_abort().await.map(|()| JsValue::UNDEFINED))
                .await
        }))
    }

    /// Writes the database as a script of SQL, of its objects, its rows, or both; `take` is called
    /// with each chunk.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn dump(&self, schema: bool, data: bool, inserts: bool, take: Function) -> Promise {
        let slot = self.slot.clone();
        let options = DumpOptions {
            schema,
            data,
            inserts,
        };
        promise(Box::pin(async move {
            slot.call(async |session| {
                dump(session, options, &take)
                    .await
                    .map(|()| JsValue::UNDEFINED)
            })
            .await
        }))
    }

    /// Asks the call under way to stop with `57014`.
    pub fn cancel(&self) {
        self.cancel.raise();
    }
}

impl EngineSession {
    pub(crate) fn new(session: Session) -> EngineSession {
        EngineSession {
            cancel: session.cancel_flag(),
            slot: Slot(Rc::new(Cell::new(Some(session)))),
        }
    }
}

impl Slot {
    async fn call(
        &self,
        run: impl AsyncFnOnce(&mut Session) -> Result<JsValue>,
    ) -> Result<JsValue> {
        let mut session = self.take()?;
        let result = run(&mut session).await;
        self.0.set(Some(session));
        result
    }

    fn take(&self) -> Result<Session> {
        check_sound()?;
        self.0.take().ok_or_else(|| {
            Error::new(
                SqlState::OBJECT_IN_USE,
                "the session is busy with another call",
            )
        })
    }
}

async fn query(session: &mut Session, sql: &str, params: &[JsValue]) -> Result<varvedb::ResultSet> {
    if !params.iter().any(Array::is_array) {
        let values = params.iter().map(parameter).collect::<Result<Vec<_>>>()?;
        return session.query(sql, &values).await;
    }
    let prepared = session.prepare(sql, &[]).await?;
    let types = prepared.parameter_types();
    let values = params
        .iter()
        .enumerate()
        .map(|(index, param)| typed_parameter(param, types.get(index)))
        .collect::<Result<Vec<_>>>()?;
    session.execute_prepared(&prepared, &values).await
}

/// The answer if it is ready at once, else a promise of it.
fn now_or_later(
    mut answer: LocalFuture<'static, Result<JsValue, JsValue>>,
) -> Result<JsValue, JsValue> {
    // Whoever is to be woken is told at the next poll, which the promise begins with.
    let mut context = Context::from_waker(Waker::noop());
    match answer.as_mut().poll(&mut context) {
        Poll::Ready(answer) => answer,
        Poll::Pending => Ok(promise_or_thrown(answer).into()),
    }
}

fn message(sets: Vec<varvedb::ResultSet>) -> Result<JsValue> {
    let sets = sets.into_iter().map(varvedb::ResultSet::with_copied_rows);
    let sets: Vec<varvedb::ResultSet> = sets.collect();
    Ok(Uint8Array::from(encode_results(&sets)?.as_slice()).into())
}
