//! What EXPLAIN ANALYZE shows: rows, batches and time of each node.

use core::cell::RefCell;
use std::rc::Rc;

use varve_types::{Batch, Env, LocalFuture, Result, Summary};

use crate::BatchStream;

/// What one node of a plan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeProfile {
    /// Rows that it gave.
    pub rows: u64,
    /// Batches that it gave.
    pub batches: u64,
    /// Time until its last batch, that of its inputs and of waiting included.
    pub elapsed_us: u64,
}

/// The nodes of a running plan, in pre-order: a node, then its first input with all under it, then
/// its second.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    nodes: Rc<RefCell<Vec<NodeProfile>>>,
}

impl Profile {
    /// What each node has done so far.
    pub fn nodes(&self) -> Vec<NodeProfile> {
        self.nodes.borrow().clone()
    }

    /// Adds a node and answers its place in pre-order.
    pub(crate) fn add_node(&self) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(NodeProfile::default());
        nodes.len() - 1
    }

    /// Adds the nodes of a part of a plan that is built several times; answers the place of the
    /// first.
    pub(crate) fn reserve(&self, count: usize) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        let first = nodes.len();
        nodes.resize(first + count, NodeProfile::default());
        first
    }

    fn record(&self, node: usize, rows: usize, elapsed_us: u64) {
        if let Some(node) = self.nodes.borrow_mut().get_mut(node) {
            node.rows += rows as u64;
            node.batches += u64::from(rows > 0);
            node.elapsed_us += elapsed_us;
        }
    }
}

/// Counts what another stream gives.
pub(crate) struct ProfiledStream<'a> {
    pub(crate) input: Box<dyn BatchStream + 'a>,
    pub(crate) env: &'a dyn Env,
    pub(crate) profile: Profile,
    pub(crate) node: usize,
}

impl BatchStream for ProfiledStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let start_us = self.env.monotonic_us();
            let answer = self.input.next().await;
            let rows = match &answer {
                Ok(Some(batch)) => batch.rows(),
                _ => 0,
            };
            let elapsed_us = self.env.monotonic_us().saturating_sub(start_us);
            self.profile.record(self.node, rows, elapsed_us);
            answer
        })
    }

    fn known(&mut self) -> Summary {
        self.input.known()
    }
}
