//! The rows of a named query, made once and read by several operators.

use core::cell::RefCell;

use varve_types::{Batch, LogicalType, Reservation, Result};

use crate::context::{Running, book};
use crate::{BatchStream, ScratchTicket};

/// Rows as far as they were asked for; what does not fit the memory limit lies in scratch space.
pub(crate) struct SharedRows<'a> {
    running: Running<'a>,
    types: Vec<LogicalType>,
    inner: RefCell<Inner<'a>>,
}

struct Inner<'a> {
    /// What makes further rows; `None` when there are no more, and while it works.
    input: Option<Box<dyn BatchStream + 'a>>,
    parts: Vec<Part>,
    held_bytes: usize,
    booked: Reservation,
}

#[derive(Clone)]
enum Part {
    Memory(Batch),
    Spilled(ScratchTicket),
}

impl<'a> SharedRows<'a> {
    /// The rows of a stream, none read yet.
    pub(crate) fn new(
        running: Running<'a>,
        types: Vec<LogicalType>,
        input: Option<Box<dyn BatchStream + 'a>>,
    ) -> SharedRows<'a> {
        let booked = running.reservation();
        SharedRows {
            running,
            types,
            inner: RefCell::new(Inner {
                input,
                parts: Vec::new(),
                held_bytes: 0,
                booked,
            }),
        }
    }

    /// Adds rows behind those that there are.
    pub(crate) async fn push(&self, batch: Batch) -> Result<()> {
        let batch = batch.compact();
        {
            let mut inner = self.inner.borrow_mut();
            let bytes = inner.held_bytes + batch.taken_over_bytes();
            if book(&mut inner.booked, bytes).is_ok() {
                inner.held_bytes = bytes;
                inner.parts.push(Part::Memory(batch));
                return Ok(());
            }
        }
        let ticket = self.running.context.scratch.write(&batch).await?;
        self.inner.borrow_mut().parts.push(Part::Spilled(ticket));
        Ok(())
    }

    /// Whether no rows were added.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner.borrow().parts.is_empty()
    }

    /// Batch `i`; `None` past the last one.
    pub(crate) async fn batch(&self, i: usize) -> Result<Option<Batch>> {
        loop {
            let part = self.inner.borrow().parts.get(i).cloned();
            match part {
                Some(Part::Memory(batch)) => return Ok(Some(batch)),
                Some(Part::Spilled(ticket)) => {
                    let scratch = self.running.context.scratch;
                    return scratch.read(ticket, &self.types).await.map(Some);
                }
                None => {}
            }
            let Some(mut input) = self.inner.borrow_mut().input.take() else {
                return Ok(None);
            };
            if let Some(batch) = input.next().await? {
                self.push(batch).await?;
                self.inner.borrow_mut().input = Some(input);
            }
        }
    }
}

impl Drop for SharedRows<'_> {
    fn drop(&mut self) {
        for part in &self.inner.borrow().parts {
            if let Part::Spilled(ticket) = part {
                self.running.context.scratch.free(*ticket);
            }
        }
    }
}
