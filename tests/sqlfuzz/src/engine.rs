//! The engine, in the thread that asks: a panic is an answer, and a watch stops what takes long.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use varve_kv::{Kv, MemoryKv};
use varvedb::{CancelFlag, Database, Durability, Options, Session, SystemEnv};

use crate::answer::{Answer, Failure, FailureKind, Outcome};

/// Most bytes of one database's caches and operators.
const MEMORY_LIMIT_BYTES: u64 = 512 << 20;
/// Longest that a statement may run.
pub const STATEMENT: Duration = Duration::from_secs(5);
/// Longest that it may take to stop then: after that it is said what hangs, and all ends.
const GRACE: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_millis(50);

/// The depth of the stack that a thread should have that runs statements; that the engine refuses
/// what is too deep is tested elsewhere.
pub const STACK_BYTES: usize = 256 << 20;

/// An empty database on memory, with a session.
pub struct Engine {
    session: Session,
    watch: Arc<Watch>,
    /// Whether it panicked: what that left behind is not to be trusted.
    pub is_broken: bool,
}

impl Engine {
    pub fn new() -> Engine {
        install_hook();
        let mut options = Options::native();
        options.memory_limit_bytes = MEMORY_LIMIT_BYTES;
        options.durability = Durability::Relaxed;
        let kv: Arc<dyn Kv> = Arc::new(MemoryKv::new());
        let env = Arc::new(SystemEnv::with_threads(1));
        let database = pollster::block_on(Database::open(kv, env, options));
        let session = database.expect("a database on memory").session();
        Engine {
            session,
            watch: Watch::start(),
            is_broken: false,
        }
    }

    pub fn query(&mut self, sql: &str) -> Outcome {
        let flag = self.session.cancel_flag();
        self.watch.begin(sql, flag);
        let session = &mut self.session;
        let run = AssertUnwindSafe(|| pollster::block_on(session.query(sql, &[])));
        let outcome = catch_unwind(run);
        let timed_out = self.watch.end();
        match outcome {
            Ok(Ok(result)) => Ok(answer(&result)),
            Ok(Err(_)) if timed_out => Err(Failure::new(FailureKind::Timeout, "it ran too long")),
            Ok(Err(error)) => Err(Failure {
                kind: FailureKind::Error,
                state: error.state().code().to_owned(),
                message: error.fields().message.clone(),
            }),
            Err(payload) => {
                self.is_broken = true;
                Err(Failure::new(FailureKind::Panic, panic_text(&*payload)))
            }
        }
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

fn answer(result: &varvedb::ResultSet) -> Answer {
    Answer {
        types: result.fields.iter().map(|field| field.ty.oid()).collect(),
        rows: result.text_rows().collect(),
    }
}

/// What runs now, and since when.
struct Watch(Mutex<Option<Running>>);

struct Running {
    sql: String,
    flag: Arc<CancelFlag>,
    began: Instant,
    was_stopped: bool,
}

impl Watch {
    fn start() -> Arc<Watch> {
        let watch = Arc::new(Watch(Mutex::new(None)));
        let weak = Arc::downgrade(&watch);
        std::thread::spawn(move || observe(&weak));
        watch
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, sql: &str, flag: Arc<CancelFlag>) {
        *self.lock() = Some(Running {
            sql: sql.to_owned(),
            flag,
            began: Instant::now(),
            was_stopped: false,
        });
    }

    /// Whether it was stopped.
    fn end(&self) -> bool {
        self.lock()
            .take()
            .is_some_and(|running| running.was_stopped)
    }
}

fn observe(watch: &Weak<Watch>) {
    while let Some(watch) = watch.upgrade() {
        if let Some(running) = &mut *watch.lock() {
            let taken = running.began.elapsed();
            if taken > STATEMENT {
                running.flag.raise();
                running.was_stopped = true;
            }
            if taken > STATEMENT + GRACE {
                eprintln!("cannot be stopped: {}", running.sql);
                std::process::exit(3);
            }
        }
        drop(watch);
        std::thread::sleep(TICK);
    }
}

thread_local! {
    /// Where the last panic of this thread was.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The name of threads whose panics are answers.
pub const THREAD: &str = "fuzz";

/// Panics are results here: nothing is printed, their place is kept.
fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD) {
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
