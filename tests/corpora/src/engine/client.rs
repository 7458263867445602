//! A runner's end of a database: each request has a time limit.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::worker::{Request, Running, start};
use super::{Backend, Failure, FailureKind, Outcome};

/// How long a cancelled statement may take to stop.
const GRACE: Duration = Duration::from_secs(10);

/// A new database, empty at first, on a thread of its own. One whose statement neither ends nor
/// stops is left to itself and replaced.
pub struct Client {
    backend: Backend,
    setup: Vec<String>,
    limit: Duration,
    link: Link,
    /// How often the database was replaced by an empty one.
    pub restarts: u32,
}

struct Link {
    requests: Sender<Request>,
    outcomes: Receiver<Outcome>,
    running: Running,
}

impl Link {
    fn new(backend: Backend, setup: &[String]) -> Link {
        let (requests, take) = channel();
        let (give, outcomes) = channel();
        let running = Running::default();
        start(backend, setup.to_vec(), running.clone(), take, give);
        Link {
            requests,
            outcomes,
            running,
        }
    }
}

impl Client {
    pub fn new(backend: Backend, setup: Vec<String>, limit: Duration) -> Client {
        Client {
            backend,
            link: Link::new(backend, &setup),
            setup,
            limit,
            restarts: 0,
        }
    }

    /// Runs one text, which may hold several statements, and answers for the last.
    pub fn query(&mut self, connection: &str, sql: &str) -> Outcome {
        self.request(Request {
            connection: connection.to_owned(),
            sql: sql.to_owned(),
            copy: None,
        })
    }

    /// Runs a `COPY ... FROM STDIN` with its data.
    pub fn copy_in(&mut self, connection: &str, sql: &str, data: Vec<u8>) -> Outcome {
        self.request(Request {
            connection: connection.to_owned(),
            sql: sql.to_owned(),
            copy: Some(data),
        })
    }

    fn request(&mut self, request: Request) -> Outcome {
        if self.link.requests.send(request).is_err() {
            self.replace();
            return Err(Failure::new(
                FailureKind::Panic,
                "the engine's thread ended",
            ));
        }
        match self.link.outcomes.recv_timeout(self.limit) {
            Ok(outcome) => {
                if outcome
                    .as_ref()
                    .is_err_and(|failure| failure.kind == FailureKind::Panic)
                {
                    self.restarts += 1;
                }
                outcome
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.replace();
                Err(Failure::new(
                    FailureKind::Panic,
                    "the engine's thread ended",
                ))
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(flag) = &*self.link.running.lock().expect("the flag") {
                    flag.raise();
                }
                let stopped = self.link.outcomes.recv_timeout(GRACE).is_ok();
                if !stopped {
                    self.replace();
                }
                let how = if stopped {
                    "stopped"
                } else {
                    "could not be stopped"
                };
                Err(Failure::new(
                    FailureKind::Timeout,
                    format!("took too long, {how}"),
                ))
            }
        }
    }

    fn replace(&mut self) {
        self.link = Link::new(self.backend, &self.setup);
        self.restarts += 1;
    }
}
