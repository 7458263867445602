//! The backend: which connection a call uses, and how it is repeated when that one is gone.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use send_wrapper::SendWrapper;
use varve_kv::{
    Bytes, Durability, Entry, Key, Kv, KvError, LocalFuture, ReadResult, Scan, WriteBatch,
};

use crate::commit;
use crate::connection::{Connection, Create};
use crate::failure::Failure;
use crate::read;
use crate::signal::Signal;

/// Most attempts of one call. A browser under load may close a connection while it is opened anew.
const ATTEMPTS_MAX: u32 = 4;

/// A store in one IndexedDB database.
///
/// A connection that the browser closes is reopened by the next call, and calls under way are
/// repeated a few times. A database that was deleted meanwhile is not made anew: calls answer
/// [`KvError::Unavailable`] until the store is opened again.
pub struct IdbKv {
    /// JavaScript objects never leave their thread; the wrapper turns an attempt into a failure
    /// instead of a data race.
    inner: SendWrapper<Inner>,
}

struct Inner {
    name: String,
    connection: RefCell<Option<Rc<Connection>>>,
    is_closed: Cell<bool>,
}

impl IdbKv {
    /// Opens the database of this name and creates it if it is missing.
    pub async fn open(name: &str) -> Result<Self, KvError> {
        let connection = Connection::open(name, Create::IfMissing).await?;
        Ok(Self {
            inner: SendWrapper::new(Inner {
                name: name.to_owned(),
                connection: RefCell::new(Some(Rc::new(connection))),
                is_closed: Cell::new(false),
            }),
        })
    }

    /// Deletes the database of this name with everything in it; a missing one is no error. Open
    /// stores over it lose their connection and answer [`KvError::Unavailable`] from then on. It
    /// waits for transactions under way.
    pub async fn destroy(name: &str) -> Result<(), KvError> {
        Ok(Connection::delete(name).await?)
    }
}

impl Inner {
    /// The live connection, reopened if need be.
    async fn connection(&self) -> Result<Rc<Connection>, Failure> {
        self.refuse_closed()?;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        let opened = Connection::open(&self.name, Create::Never).await?;
        self.refuse_closed()?;
        // Another call may have reopened it meanwhile; then that one serves, and ours is closed by
        // being dropped.
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        let connection = Rc::new(opened);
        drop(self.connection.replace(Some(Rc::clone(&connection))));
        Ok(connection)
    }

    fn live(&self) -> Option<Rc<Connection>> {
        self.connection
            .borrow()
            .clone()
            .filter(|connection| !connection.is_lost())
    }

    fn refuse_closed(&self) -> Result<(), Failure> {
        if self.is_closed.get() {
            Err(Failure::Final(KvError::Closed))
        } else {
            Ok(())
        }
    }

    /// Carries out a call, on another connection if one turns out to be lost. That is safe because
    /// a call is one whole transaction: if an attempt took effect unseen, a commit sets the same
    /// values again, or its guard finds its own.
    async fn call<T>(
        &self,
        start: impl Fn(&Connection) -> Result<Signal<Result<T, Failure>>, Failure>,
    ) -> Result<T, KvError> {
        let mut attempts = 1;
        loop {
            match self.attempt(&start).await {
                Err(Failure::ConnectionLost(_)) if attempts < ATTEMPTS_MAX => attempts += 1,
                other => return Ok(other?),
            }
        }
    }

    async fn attempt<T>(
        &self,
        start: &impl Fn(&Connection) -> Result<Signal<Result<T, Failure>>, Failure>,
    ) -> Result<T, Failure> {
        let connection = self.connection().await?;
        let answer = match start(&connection) {
            Ok(signal) => signal.wait().await,
            Err(failure) => Err(failure),
        };
        if let Err(Failure::ConnectionLost(_)) = &answer {
            connection.set_lost();
        }
        answer
    }

    async fn read(&self, gets: &[Key], scan: Option<&Scan>) -> Result<ReadResult, KvError> {
        let scan = scan.filter(|scan| !scan.range.is_empty());
        if gets.is_empty() && scan.is_none() {
            self.refuse_closed()?;
            return Ok(ReadResult::default());
        }
        self.call(|connection| read::start(connection, gets, scan))
            .await
    }
}

impl Kv for IdbKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(async move { Ok(self.inner.read(keys, None).await?.values) })
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(async move { Ok(self.inner.read(&[], Some(scan)).await?.entries) })
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(self.inner.read(gets, scan))
    }

    fn commit(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            if batch.is_empty() && durability == Durability::Relaxed {
                return Ok(self.inner.refuse_closed()?);
            }
            let batch = Rc::new(batch);
            self.inner
                .call(|connection| commit::start(connection, &batch, durability))
                .await
        })
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            self.inner.is_closed.set(true);
            drop(self.inner.connection.take());
            Ok(())
        })
    }
}

impl fmt::Debug for IdbKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdbKv")
            .field("name", &self.inner.name)
            .finish_non_exhaustive()
    }
}
