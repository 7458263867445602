//! The thread that holds one database with its sessions and runs one request at a time.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, Once};

use varvedb::{CancelFlag, Session};

use super::backend::{Backend, Opened};
use super::{Answer, Failure, FailureKind, Outcome};

/// Deep expressions are to be refused by the engine, not by the end of the stack; that they are is
/// tested elsewhere.
const STACK_BYTES: usize = 256 << 20;

pub(super) struct Request {
    pub connection: String,
    pub sql: String,
    /// The data of a `COPY ... FROM STDIN`.
    pub copy: Option<Vec<u8>>,
}

/// The cancel flag of the session that is running, for the client's timer.
pub(super) type Running = Arc<Mutex<Option<Arc<CancelFlag>>>>;

pub(super) fn start(
    backend: Backend,
    setup: Vec<String>,
    running: Running,
    requests: Receiver<Request>,
    outcomes: Sender<Outcome>,
) {
    install_hook();
    let work = move || {
        if backend == Backend::Postgres {
            return super::postgres::serve(&setup, &requests, &outcomes);
        }
        let mut worker = Worker {
            backend,
            setup,
            running,
            opened: None,
            sessions: BTreeMap::new(),
        };
        for request in requests {
            let outcome = worker.answer(&request);
            if outcomes.send(outcome).is_err() {
                break;
            }
        }
        // Dropping a database may run the engine too.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(worker)));
    };
    std::thread::Builder::new()
        .name("engine".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .expect("a thread for the engine");
}

struct Worker {
    backend: Backend,
    /// Run first in each new session; what fails of it is left out.
    setup: Vec<String>,
    running: Running,
    sessions: BTreeMap<String, Session>,
    opened: Option<Opened>,
}

impl Worker {
    fn answer(&mut self, request: &Request) -> Outcome {
        match catch_unwind(AssertUnwindSafe(|| self.run(request))) {
            Ok(outcome) => outcome,
            Err(payload) => {
                // What it left behind is not to be trusted.
                let sessions = std::mem::take(&mut self.sessions);
                let opened = self.opened.take();
                let _ = catch_unwind(AssertUnwindSafe(move || drop((sessions, opened))));
                Err(Failure::new(FailureKind::Panic, panic_text(&*payload)))
            }
        }
    }

    fn run(&mut self, request: &Request) -> Outcome {
        if self.opened.is_none() {
            self.opened = Some(self.backend.open()?);
        }
        if !self.sessions.contains_key(&request.connection) {
            let database = &self.opened.as_ref().expect("it was opened").database;
            let mut session = database.session();
            for sql in &self.setup {
                let _ = pollster::block_on(session.query(sql, &[]));
            }
            self.sessions.insert(request.connection.clone(), session);
        }
        let session = self.sessions.get_mut(&request.connection);
        let session = session.expect("it was made");
        *self.running.lock().expect("the flag") = Some(session.cancel_flag());
        let outcome = match &request.copy {
            Some(data) => copy(session, &request.sql, data),
            None => query(session, &request.sql),
        };
        *self.running.lock().expect("the flag") = None;
        outcome
    }
}

fn query(session: &mut Session, sql: &str) -> Outcome {
    let result = pollster::block_on(session.execute_script(sql))?;
    let mut answer = result.last().map(Answer::from).unwrap_or_default();
    answer.notices = result
        .iter()
        .flat_map(|r| Answer::from(r).notices)
        .collect();
    Ok(answer)
}

fn copy(session: &mut Session, sql: &str, data: &[u8]) -> Outcome {
    pollster::block_on(session.copy_begin(sql))?;
    pollster::block_on(session.copy_write(data))?;
    let result = pollster::block_on(session.copy_finish())?;
    Ok(Answer::from(&result))
}

thread_local! {
    /// Where the last panic of this thread was.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are results here: nothing is printed, their place is kept.
fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some("engine") {
                return default(info);
            }
            let place = info
                .location()
                .map(|at| format!("{}:{}", at.file(), at.line()));
            PANICKED_AT.with(|last| *last.borrow_mut() = place.unwrap_or_default());
        }));
    });
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| {
            payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
        })
        .unwrap_or_default();
    PANICKED_AT.with(|place| format!("{text} at {}", place.borrow()))
}
