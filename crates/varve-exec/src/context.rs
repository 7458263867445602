//! What a running query is given, and how it makes way for others.

use core::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use varve_expr::{EvalContext, Host, Locale, Parameters};
use varve_types::meter::{self, Cancel};
use varve_types::{Env, Error, MemoryAccount, Reservation, Result, Value};

use crate::shared_rows::SharedRows;
use crate::{ScanSource, Scratch};

/// What a query runs with.
pub struct ExecContext<'a> {
    /// The rows that it sees.
    pub source: &'a dyn ScanSource,
    /// Where it puts what does not fit the memory limit.
    pub scratch: &'a dyn Scratch,
    /// Clock and turns.
    pub env: &'a dyn Env,
    /// The account that its operators book on.
    pub memory: Arc<dyn MemoryAccount>,
    /// What parameters stand for.
    pub params: Parameters<'a>,
    /// The settings of the session and its time.
    pub locale: &'a Locale,
    /// What functions with effects turn to.
    pub host: Option<&'a dyn Host>,
    /// Asked at least once a batch whether to go on.
    pub cancel: &'a dyn Cancel,
}

/// One run of a plan: the context, and when it last made way. Operators hold clones.
#[derive(Clone)]
pub(crate) struct Running<'a> {
    pub(crate) context: &'a ExecContext<'a>,
    yielded_us: Rc<Cell<u64>>,
    /// What enclosing queries set, by slot.
    outer: Rc<[Value]>,
    named: Option<Rc<Named<'a>>>,
}

/// Named queries in reach of a part of a plan, the nearest first.
struct Named<'a> {
    id: usize,
    rows: Rc<SharedRows<'a>>,
    next: Option<Rc<Named<'a>>>,
}

impl<'a> Running<'a> {
    pub(crate) fn new(context: &'a ExecContext<'a>) -> Running<'a> {
        Running {
            context,
            yielded_us: Rc::new(Cell::new(context.env.monotonic_us())),
            outer: Rc::new([]),
            named: None,
        }
    }

    /// The same run for a subquery, with the values that it reads set.
    pub(crate) fn with_outer(&self, values: impl Iterator<Item = (usize, Value)>) -> Running<'a> {
        let mut outer = self.outer.to_vec();
        for (slot, value) in values {
            if outer.len() <= slot {
                outer.resize(slot + 1, Value::Null);
            }
            if let Some(place) = outer.get_mut(slot) {
                *place = value;
            }
        }
        Running {
            outer: outer.into(),
            ..self.clone()
        }
    }

    /// The same run for what may read a named query.
    pub(crate) fn with_named(&self, id: usize, rows: Rc<SharedRows<'a>>) -> Running<'a> {
        let next = self.named.clone();
        Running {
            named: Some(Rc::new(Named { id, rows, next })),
            ..self.clone()
        }
    }

    /// The rows of a named query.
    pub(crate) fn named(&self, id: usize) -> Result<Rc<SharedRows<'a>>> {
        let mut at = self.named.as_ref();
        while let Some(named) = at {
            if named.id == id {
                return Ok(Rc::clone(&named.rows));
            }
            at = named.next.as_ref();
        }
        Err(Error::internal("a plan scans a query that is not there"))
    }

    /// What expressions may read.
    pub(crate) fn eval(&self) -> EvalContext<'_> {
        EvalContext {
            params: self.context.params,
            outer: &self.outer,
            locale: self.context.locale,
            host: self.context.host,
        }
    }

    /// A reservation of nothing on the query's account.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation::new(Arc::clone(&self.context.memory))
    }

    /// Stands between two batches of work: stops a cancelled query, and lets others have a turn
    /// when the slice is used up.
    pub(crate) async fn checkpoint(&self) -> Result<()> {
        self.context.cancel.check()?;
        meter::check()?;
        let env = self.context.env;
        let worked_us = env.monotonic_us().saturating_sub(self.yielded_us.get());
        if worked_us > env.slice_us() {
            env.yield_now().await;
            self.yielded_us.set(env.monotonic_us());
            self.context.cancel.check()?;
        }
        Ok(())
    }
}

/// Changes a reservation to `bytes`.
pub(crate) fn book(reservation: &mut Reservation, bytes: usize) -> Result<()> {
    reservation.resize(bytes as u64)
}
