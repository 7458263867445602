//! Scan: rows of a relation, predicates applied by the source.

use varve_expr::evaluate_constant;
use varve_sql::{PushedPredicate, ScanNode};
use varve_types::{Batch, ColumnPredicate, LocalFuture, PredicateTest, Result};

use crate::context::Running;
use crate::{BatchStream, ScanRequest};

/// Starts the source's scan at the first batch, when the constants of its predicates are known.
pub(crate) struct ScanStream<'a> {
    running: Running<'a>,
    node: &'a ScanNode,
    limit_rows: Option<u64>,
    state: State<'a>,
}

enum State<'a> {
    New,
    Open(Box<dyn BatchStream + 'a>),
    Done,
}

impl<'a> ScanStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        node: &'a ScanNode,
        limit_rows: Option<u64>,
    ) -> ScanStream<'a> {
        ScanStream {
            running,
            node,
            limit_rows,
            state: State::New,
        }
    }

    /// The request, or `None` when a comparison with NULL lets no row pass.
    fn request(&self) -> Result<Option<ScanRequest>> {
        let mut predicates = Vec::with_capacity(self.node.predicates.len());
        for pushed in &self.node.predicates {
            predicates.push(match pushed {
                PushedPredicate::Fixed(predicate) => predicate.clone(),
                PushedPredicate::Compare { column, op, value } => {
                    let value = evaluate_constant(value, &self.running.eval())?;
                    if value.is_null() {
                        return Ok(None);
                    }
                    ColumnPredicate {
                        column: *column,
                        test: PredicateTest::Compare(*op, value),
                    }
                }
            });
        }
        Ok(Some(ScanRequest {
            relation: self.node.relation.clone(),
            columns: self.node.columns.clone(),
            predicates,
            with_position: self.node.with_position,
            reverse: false,
            limit_rows: self.limit_rows,
        }))
    }
}

impl BatchStream for ScanStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            self.running.checkpoint().await?;
            if matches!(self.state, State::New) {
                self.state = match self.request()? {
                    Some(request) => State::Open(self.running.context.source.scan(request).await?),
                    None => State::Done,
                };
            }
            let State::Open(stream) = &mut self.state else {
                return Ok(None);
            };
            let batch = stream.next().await?;
            if batch.is_none() {
                self.state = State::Done;
            }
            Ok(batch)
        })
    }
}
