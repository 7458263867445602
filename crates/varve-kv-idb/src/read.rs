//! Gets and one scan as one read-only transaction: all gets and the scan's first requests in one
//! burst.

use std::cell::RefCell;
use std::rc::Rc;

use idb::Request as _;
use idb::request::GetStoreRequest;
use varve_kv::{Key, ReadResult, Scan};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

use crate::connection::{Connection, Running};
use crate::convert::{to_js, value_from_js};
use crate::failure::Failure;
use crate::scan::{Progress, Step};
use crate::signal::Signal;

type Answer = Result<ReadResult, Failure>;

/// What keeps the handlers of a read alive until it has answered. The handlers hold it in turn; the
/// last one breaks the circle.
#[derive(Default)]
struct Held {
    transaction: Option<Running>,
    gets: Vec<(Key, GetStoreRequest)>,
    scan: Option<Progress>,
    on_scan_success: Option<Closure<dyn FnMut()>>,
}

/// Issues the first burst. There must be something to read.
pub(crate) fn start(
    connection: &Connection,
    gets: &[Key],
    scan: Option<&Scan>,
) -> Result<Signal<Answer>, Failure> {
    let mut transaction = connection.begin_read()?;
    let store = transaction.object_store()?;
    let answer = Signal::new();
    let held = Rc::new(RefCell::new(Held::default()));
    {
        let (answer, held) = (answer.clone(), Rc::clone(&held));
        transaction.on_abort(move |reason| {
            let failure = failure_of(&held.borrow(), reason);
            finish(&held, &answer, Err(failure));
        });
    }
    {
        let (answer, held) = (answer.clone(), Rc::clone(&held));
        transaction.on_lost(move || {
            drop(held.take());
            answer.set(Err(Failure::lost()));
        });
    }
    let mut requests = Vec::with_capacity(gets.len());
    for key in gets {
        requests.push((key.clone(), store.get(JsValue::from(to_js(key)))?));
    }
    let mut progress = scan.map(|scan| Progress::new(scan.clone(), store));
    let step = progress.as_mut().map_or(Ok(Step::Done), Progress::start)?;
    match step {
        // Requests of a transaction succeed in the order in which they were issued, so the last one
        // speaks for all.
        Step::Done => {
            if let Some((_, last)) = requests.last_mut() {
                let (answer, held) = (answer.clone(), Rc::clone(&held));
                last.on_success(move |_| finish(&held, &answer, Ok(Vec::new())));
            }
        }
        Step::Wait { .. } => {
            let on_success = Closure::new({
                let (answer, held) = (answer.clone(), Rc::clone(&held));
                move || advance(&held, &answer)
            });
            listen(progress.as_ref(), &on_success);
            held.borrow_mut().on_scan_success = Some(on_success);
        }
    }
    let mut held = held.borrow_mut();
    held.transaction = Some(transaction);
    held.gets = requests;
    held.scan = progress;
    Ok(answer)
}

/// Brings the scan one step on.
fn advance(held: &Rc<RefCell<Held>>, answer: &Signal<Answer>) {
    let outcome = {
        let mut held = held.borrow_mut();
        let Held {
            scan: Some(progress),
            on_scan_success: Some(on_success),
            ..
        } = &mut *held
        else {
            return;
        };
        let step = progress.step();
        if matches!(step, Ok(Step::Wait { is_new: true })) {
            listen(Some(progress), on_success);
        }
        match step {
            Ok(Step::Wait { .. }) => return,
            Ok(Step::Done) => Ok(held
                .scan
                .take()
                .map(Progress::into_entries)
                .unwrap_or_default()),
            Err(failure) => Err(failure),
        }
    };
    finish(held, answer, outcome);
}

fn listen(progress: Option<&Progress>, on_success: &Closure<dyn FnMut()>) {
    if let Some(request) = progress.and_then(Progress::last_request) {
        request.set_onsuccess(Some(on_success.as_ref().unchecked_ref()));
    }
}

/// Collects the gets and answers. What the handlers needed is freed, including the handler that
/// runs.
fn finish(
    held: &RefCell<Held>,
    answer: &Signal<Answer>,
    outcome: Result<Vec<varve_kv::Entry>, Failure>,
) {
    let done = held.take();
    answer.set(outcome.and_then(|entries| {
        let values = done
            .gets
            .iter()
            .map(|(_, request)| value_from_js(request.result()?))
            .collect::<Result<_, Failure>>()?;
        Ok(ReadResult { values, entries })
    }));
}

/// Why a read was aborted: the transaction repeats the error of the request that failed, and a
/// failed get names its key.
fn failure_of(held: &Held, reason: Option<DomException>) -> Failure {
    let Some(exception) = reason else {
        return Failure::backend("the transaction was aborted without a reason");
    };
    let failed = |request: &GetStoreRequest| {
        request
            .error()
            .ok()
            .flatten()
            .is_some_and(|error| error.name() != "AbortError")
    };
    let key = held
        .gets
        .iter()
        .find(|(_, request)| failed(request))
        .map(|(key, _)| key.clone());
    Failure::from_exception(&exception, key)
}
