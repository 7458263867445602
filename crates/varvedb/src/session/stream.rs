//! The rows of a statement, batch by batch.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::vec;

use varve_system_views::Field;
use varve_types::{Batch, LocalFuture, Result, Value};

use super::Session;
use super::rows::outlet::Outlet;
use crate::shared::result_set::ResultSet;

/// A statement that runs as its rows are pulled.
///
/// The statement ends when its last batch was pulled, when [`RowStream::finish`] gave up the rest,
/// or with its first error; only then the session is free. Time that passes between two pulls
/// counts for `statement_timeout`. A stream that is dropped before the end undoes its statement,
/// and fails an open transaction block, as any call does that is dropped.
pub struct RowStream<'s> {
    outlet: Rc<Outlet>,
    state: State<'s>,
}

enum State<'s> {
    Running(LocalFuture<'s, Result<ResultSet>>),
    /// What the statement answered, and the batches of it that are still to be pulled.
    Ended(ResultSet, vec::IntoIter<Batch>),
    Failed,
}

impl RowStream<'_> {
    /// The columns of the rows; none for a statement that gives no rows.
    pub fn fields(&self) -> Arc<[Field]> {
        match &self.state {
            State::Ended(result, _) => Arc::clone(&result.fields),
            State::Running(_) | State::Failed => Arc::clone(&self.outlet.fields.borrow()),
        }
    }

    /// The next rows; `None` after the last. The statement runs until it has them.
    pub async fn next(&mut self) -> Result<Option<Batch>> {
        self.run().await?;
        let given = self.outlet.batch.take();
        Ok(match (&mut self.state, given) {
            (_, Some(batch)) => Some(batch),
            (State::Ended(_, left), None) => left.next(),
            (State::Running(_) | State::Failed, None) => None,
        })
    }

    /// Ends the statement, without the rows that were not pulled, and answers all but its rows.
    pub async fn finish(mut self) -> Result<ResultSet> {
        self.outlet.is_closed.set(true);
        self.outlet.batch.take();
        self.run().await?;
        Ok(match self.state {
            State::Ended(result, _) => result,
            State::Running(_) | State::Failed => ResultSet::default(),
        })
    }

    /// Runs the statement to its next batch, or to its end.
    async fn run(&mut self) -> Result<()> {
        let State::Running(statement) = &mut self.state else {
            return Ok(());
        };
        let outlet = &self.outlet;
        let ended = poll_fn(|context| {
            if outlet.batch.borrow().is_some() {
                return Poll::Ready(None);
            }
            match statement.as_mut().poll(context) {
                Poll::Ready(result) => Poll::Ready(Some(result)),
                Poll::Pending if outlet.batch.borrow().is_some() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        });
        match ended.await {
            None => Ok(()),
            Some(Ok(mut result)) => {
                let left = std::mem::take(&mut result.batches).into_iter();
                self.state = State::Ended(result, left);
                Ok(())
            }
            Some(Err(error)) => {
                self.state = State::Failed;
                Err(error)
            }
        }
    }
}

impl Session {
    /// Runs one statement with parameters `$1`, `$2`, ... and hands out the rows of a query as they
    /// come: no more than a batch of them is in memory, but for what the query itself keeps. The
    /// rows of other statements (`RETURNING`, `EXPLAIN`, `FETCH`) come when they are all there.
    ///
    /// The call answers when the first rows are there, so that most errors are known by then. It
    /// fails as [`Session::query`] does. A query that has given rows is not run again when another
    /// commit comes between: it answers `40001`.
    pub async fn stream<'s>(
        &'s mut self,
        sql: &'s str,
        parameters: &'s [Value],
    ) -> Result<RowStream<'s>> {
        let outlet = Rc::new(Outlet::default());
        let given = Rc::clone(&outlet);
        let statement = async move { self.run_text(sql, parameters, Some(&*given)).await };
        let state = State::Running(Box::pin(statement));
        let mut stream = RowStream { outlet, state };
        stream.run().await?;
        Ok(stream)
    }
}
