//! One batch as one transaction.
//!
//! The guard's get and all writes are issued in one burst. The get's handler compares: on a
//! mismatch it aborts, and with it go all writes; else it commits explicitly, which spares the wait
//! for the browser to notice that nothing follows. A full quota arrives as an abort, never as a
//! failed put.

use std::cell::RefCell;
use std::rc::Rc;

use idb::request::GetStoreRequest;
use idb::{Event as _, ObjectStore, Request as _};
use varve_kv::{Bytes, Durability, Guard, GuardOutcome, KvError, Write, WriteBatch};
use wasm_bindgen::JsValue;
use web_sys::IdbTransaction;

use crate::connection::{Connection, Running};
use crate::convert::{range_to_js, release, to_js, value_from_js};
use crate::failure::Failure;
use crate::signal::Signal;

type Answer = Result<(), Failure>;

/// What keeps the handlers of a commit alive until its transaction has ended. The handlers hold it
/// in turn; the last one breaks the circle.
#[derive(Default)]
struct Held {
    transaction: Option<Running>,
    guard_get: Option<GetStoreRequest>,
    /// What the guard's handler decided before it aborted the transaction.
    verdict: Option<Answer>,
}

/// Issues everything; the answer comes when the transaction has ended.
pub(crate) fn start(
    connection: &Connection,
    batch: &Rc<WriteBatch>,
    durability: Durability,
) -> Result<Signal<Answer>, Failure> {
    let mut transaction = connection.begin_write(durability)?;
    let control = transaction.control();
    let store = transaction.object_store()?;
    let answer = Signal::new();
    let held = Rc::new(RefCell::new(Held::default()));
    {
        let (answer, held) = (answer.clone(), Rc::clone(&held));
        transaction.on_complete(move || {
            answer.set(Ok(()));
            drop(held.take());
        });
    }
    {
        let (answer, held) = (answer.clone(), Rc::clone(&held));
        transaction.on_abort(move |reason| {
            let verdict = held.take().verdict;
            answer.set(verdict.unwrap_or_else(|| {
                Err(reason.map_or_else(
                    || Failure::backend("the transaction was aborted without a reason"),
                    |exception| Failure::from_exception(&exception, None),
                ))
            }));
        });
    }
    {
        let (answer, held) = (answer.clone(), Rc::clone(&held));
        transaction.on_lost(move || {
            drop(held.take());
            answer.set(Err(Failure::lost()));
        });
    }
    let issued = issue(&store, &control, batch, &held);
    if let Err(failure) = issued {
        // The transaction dies with its writes; the failure that we have says more than its abort
        // will.
        drop(transaction);
        drop(control.abort());
        return Err(failure);
    }
    held.borrow_mut().transaction = Some(transaction);
    Ok(answer)
}

fn issue(
    store: &ObjectStore,
    control: &IdbTransaction,
    batch: &Rc<WriteBatch>,
    held: &Rc<RefCell<Held>>,
) -> Result<(), Failure> {
    let guard_get = batch
        .guard
        .as_ref()
        .map(|guard| store.get(JsValue::from(to_js(guard.key()))))
        .transpose()?;
    for write in &batch.writes {
        issue_write(store, write)?;
    }
    match (guard_get, &batch.guard) {
        (Some(mut request), Some(guard)) => {
            let (batch, guard) = (Rc::clone(batch), guard.clone());
            let (control, handler_held) = (control.clone(), Rc::clone(held));
            request.on_success(move |event| {
                let found = event
                    .target()
                    .and_then(|request| request.result())
                    .map_err(Failure::from)
                    .and_then(value_from_js);
                decide(found, &batch, &guard, &control, &handler_held);
            });
            held.borrow_mut().guard_get = Some(request);
        }
        _ => {
            if batch.writes.is_empty() {
                put_marker(store)?;
            }
            commit_now(control)?;
        }
    }
    Ok(())
}

fn issue_write(store: &ObjectStore, write: &Write) -> Result<(), Failure> {
    match write {
        Write::Put { key, value } => {
            let value = to_js(value);
            let put = store.put(&value, Some(&to_js(key)));
            // What is stored is a copy, taken by now.
            release(&value);
            drop(put?);
        }
        Write::Delete { key } => drop(store.delete(JsValue::from(to_js(key)))?),
        Write::DeleteRange(range) => {
            if let Some(range) = range_to_js(range)? {
                drop(store.delete(range)?);
            }
        }
    }
    Ok(())
}

/// A transaction without writes syncs nothing, so an empty strict batch writes a number under a
/// number: beside all keys, which are binary.
fn put_marker(store: &ObjectStore) -> Result<(), Failure> {
    let zero = JsValue::from_f64(0.0);
    drop(store.put(&zero, Some(&zero))?);
    Ok(())
}

/// All requests are issued: nothing has to be waited for but the commit itself.
#[expect(
    deprecated,
    reason = "web-sys follows a draft that dropped it; IndexedDB 3.0 and all browsers have it"
)]
fn commit_now(control: &IdbTransaction) -> Result<(), Failure> {
    control
        .commit()
        .map_err(|thrown| Failure::from_thrown(&thrown))
}

/// The rest of the guard's handler, while its transaction is still active.
fn decide(
    found: Result<Option<Bytes>, Failure>,
    batch: &WriteBatch,
    guard: &Guard,
    control: &IdbTransaction,
    held: &RefCell<Held>,
) {
    let verdict = match found {
        Err(failure) => Err(failure),
        Ok(found) => match batch.check_guard(found.as_deref()) {
            GuardOutcome::Apply => match commit_now(control) {
                Ok(()) => return,
                Err(failure) => Err(failure),
            },
            GuardOutcome::AlreadyApplied => Ok(()),
            GuardOutcome::Mismatch => Err(Failure::Final(KvError::GuardMismatch {
                key: guard.key().clone(),
                found,
            })),
        },
    };
    held.borrow_mut().verdict = Some(verdict);
    // It fails only if the transaction is already aborting; then its own event follows all the
    // same.
    drop(control.abort());
}
