//! Runs tasks in one thread in an order that the seed decides.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use varve_types::LocalFuture;

use crate::chance::Chance;
use crate::failure::Failure;

/// Polls of one run; more mean that tasks wake each other for ever.
const POLLS_MAX: u64 = 2_000_000;

/// Why [`Executor::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Stopped,
}

/// Tasks and who of them may go on.
pub(crate) struct Executor {
    tasks: Vec<Task>,
    chance: Chance,
}

struct Task {
    name: String,
    /// `None` once it is over.
    future: Option<LocalFuture<'static, ()>>,
    ready: Arc<Ready>,
    /// After so many polls it is dropped.
    polls_left: Option<u64>,
    was_dropped: bool,
    /// The run does not wait for it.
    is_daemon: bool,
}

struct Ready(AtomicBool);

impl Wake for Ready {
    fn wake(self: Arc<Ready>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Executor {
    pub(crate) fn new(chance: Chance) -> Executor {
        Executor {
            tasks: Vec::new(),
            chance,
        }
    }

    pub(crate) fn spawn(&mut self, name: impl Into<String>, future: LocalFuture<'static, ()>) {
        self.tasks.push(Task {
            name: name.into(),
            future: Some(future),
            ready: Arc::new(Ready(AtomicBool::new(true))),
            polls_left: None,
            was_dropped: false,
            is_daemon: false,
        });
    }

    /// A task that may wait for ever.
    pub(crate) fn spawn_daemon(
        &mut self,
        name: impl Into<String>,
        future: LocalFuture<'static, ()>,
    ) {
        self.spawn(name, future);
        if let Some(task) = self.tasks.last_mut() {
            task.is_daemon = true;
        }
    }

    /// Drops the `index`th task after so many polls.
    pub(crate) fn drop_after(&mut self, index: usize, polls: u64) {
        if let Some(task) = self.tasks.get_mut(index) {
            task.polls_left = Some(polls);
        }
    }

    /// How many tasks were spawned.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether the `index`th task was dropped before its end.
    pub(crate) fn was_dropped(&self, index: usize) -> bool {
        let task = self.tasks.get(index);
        task.is_some_and(|task| task.was_dropped)
    }

    /// Polls ready tasks, one picked at random each time, until all are over or `stop` says so.
    pub(crate) fn run(&mut self, stop: impl Fn() -> bool) -> Result<End, Failure> {
        for _ in 0..POLLS_MAX {
            if stop() {
                return Ok(End::Stopped);
            }
            for task in crate::env::take_spawned() {
                self.spawn_daemon("background", task);
            }
            let alive = |task: &&mut Task| task.future.is_some();
            let waits = self.tasks.iter_mut().filter(alive);
            let mut waiting: Vec<&mut Task> = waits.collect();
            if waiting.iter().all(|task| task.is_daemon) {
                return Ok(End::Done);
            }
            waiting.retain(|task| task.ready.0.load(Ordering::Relaxed));
            let picked = self.chance.index(waiting.len());
            match waiting.into_iter().nth(picked) {
                Some(task) => task.poll(),
                None => return Err(Failure::new(format!("deadlock: {}", self.names()))),
            }
        }
        Err(Failure::new(format!("no end in sight: {}", self.names())))
    }

    fn names(&self) -> String {
        let alive = self.tasks.iter().filter(|task| task.future.is_some());
        let names: Vec<&str> = alive.map(|task| task.name.as_str()).collect();
        names.join(", ")
    }
}

impl Task {
    fn poll(&mut self) {
        self.ready.0.store(false, Ordering::Relaxed);
        if let Some(left) = &mut self.polls_left {
            if *left == 0 {
                self.future = None;
                self.was_dropped = true;
                return;
            }
            *left -= 1;
        }
        let waker = Waker::from(Arc::clone(&self.ready));
        let mut context = Context::from_waker(&waker);
        if let Some(future) = &mut self.future
            && future.as_mut().poll(&mut context).is_ready()
        {
            self.future = None;
        }
    }
}

/// Gives every other task that is ready a chance.
pub(crate) fn yield_now() -> YieldNow {
    YieldNow(false)
}

pub(crate) struct YieldNow(bool);

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
