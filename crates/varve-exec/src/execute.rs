//! From a plan to a tree of operators.

use core::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use varve_expr::AggregateFunction;
use varve_plan::{AggregateCall, Plan};
use varve_types::{Batch, Column, LogicalType, Result, Value};

use crate::context::Running;
use crate::operators::{
    AggregateStream, AppendStream, CteStream, DistinctStream, FilterStream, FirstStream,
    JoinStream, LimitStream, LockStream, LookupStream, ProjectSetStream, ProjectStream,
    RecursiveStream, RightInput, RowRange, RowsStream, SampleStream, ScanStream,
    SetOperationStream, SortStream, TopNStream, ValuesStream, WindowStream,
};
use crate::portion::portioned;
use crate::profile::{Profile, ProfiledStream};
use crate::repeated::Repeated;
use crate::shared_rows::SharedRows;
use crate::{BatchStream, ExecContext};

/// The largest bound for which a sort keeps only the first rows.
const TOP_N_ROWS_MAX: u64 = 8192;

/// Builds the operators of `plan`; no rows are read before the first batch is asked for.
pub fn execute<'a>(
    plan: &'a Plan,
    context: &'a ExecContext<'a>,
) -> Result<Box<dyn BatchStream + 'a>> {
    let builder = Builder {
        running: Running::new(context),
        profile: None,
        reserved: None,
    };
    builder.build(plan, None)
}

/// As [`execute`], and counts what each node does.
pub fn execute_instrumented<'a>(
    plan: &'a Plan,
    context: &'a ExecContext<'a>,
) -> Result<(Box<dyn BatchStream + 'a>, Profile)> {
    let profile = Profile::default();
    let builder = Builder {
        running: Running::new(context),
        profile: Some(profile.clone()),
        reserved: None,
    };
    Ok((builder.build(plan, None)?, profile))
}

/// Makes operators of plans.
#[derive(Clone)]
struct Builder<'a> {
    running: Running<'a>,
    profile: Option<Profile>,
    /// For a part of a plan that is built several times: the place of its next node in the profile.
    reserved: Option<Rc<Cell<usize>>>,
}

impl<'a> Builder<'a> {
    /// A part of the plan that is built several times.
    fn repeated(&self, part: &'a Plan) -> Repeated<'a> {
        let builder = self.reserved(part);
        Rc::new(move |running| builder.rebuilt(running, part))
    }

    /// A builder for a part of the plan that is built several times.
    fn reserved(&self, part: &Plan) -> Builder<'a> {
        let first = match (&self.reserved, &self.profile) {
            (None, None) => return self.clone(),
            (Some(next), _) => next.replace(next.get() + part.node_count()),
            (None, Some(profile)) => profile.reserve(part.node_count()),
        };
        Builder {
            reserved: Some(Rc::new(Cell::new(first))),
            ..self.clone()
        }
    }

    /// Builds the part of a plan for which [`Builder::reserved`] was called, for another run of it.
    fn rebuilt(&self, running: Running<'a>, part: &'a Plan) -> Result<Box<dyn BatchStream + 'a>> {
        let reserved = self.reserved.as_ref();
        let builder = Builder {
            running,
            profile: self.profile.clone(),
            reserved: reserved.map(|first| Rc::new(Cell::new(first.get()))),
        };
        builder.build(part, None)
    }

    fn profile_node(&self, profile: &Profile) -> usize {
        match &self.reserved {
            Some(next) => next.replace(next.get() + 1),
            None => profile.add_node(),
        }
    }

    /// `rows_wanted`: most rows that will be read of this node, where known.
    fn build(&self, plan: &'a Plan, rows_wanted: Option<u64>) -> Result<Box<dyn BatchStream + 'a>> {
        let Some(profile) = &self.profile else {
            return self.operator(plan, rows_wanted);
        };
        let node = self.profile_node(profile);
        Ok(Box::new(ProfiledStream {
            input: self.operator(plan, rows_wanted)?,
            env: self.running.context.env,
            profile: profile.clone(),
            node,
        }))
    }

    fn operator(
        &self,
        plan: &'a Plan,
        rows_wanted: Option<u64>,
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let running = self.running.clone();
        Ok(match plan {
            Plan::Scan(node) => Box::new(ScanStream::new(running, node, rows_wanted)),
            Plan::Lookup(node) => Box::new(LookupStream::new(running, node)),
            Plan::Values { rows, types } => Box::new(ValuesStream {
                running,
                rows,
                types,
            }),
            Plan::Filter { input, predicate } => Box::new(FilterStream {
                input: portioned(&running, self.build(input, None)?, [predicate]),
                running,
                predicate,
            }),
            Plan::Project { input, exprs } => Box::new(ProjectStream {
                input: portioned(&running, self.build(input, rows_wanted)?, exprs),
                running,
                exprs,
            }),
            Plan::Aggregate {
                input,
                groups,
                aggregates,
            } => {
                if let Some(row) = self.counted_row(input, groups.len(), aggregates) {
                    return Ok(Box::new(RowsStream { batch: Some(row) }));
                }
                let args = aggregates.iter().flat_map(|call| &call.args);
                let input = self.build(input, None)?;
                let input = portioned(&running, input, groups.iter().chain(args));
                if aggregates.is_empty() && !groups.is_empty() {
                    Box::new(DistinctStream::new(running, input, groups))
                } else {
                    Box::new(AggregateStream::new(running, input, groups, aggregates))
                }
            }
            Plan::Sort { input, keys } => {
                let exprs = keys.iter().map(|key| &key.expr);
                let rows = portioned(&running, self.build(input, None)?, exprs);
                let sort = running.clone();
                let sorted: Box<dyn BatchStream + 'a> =
                    match rows_wanted.filter(|rows| *rows <= TOP_N_ROWS_MAX) {
                        Some(wanted) => {
                            let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
                            Box::new(TopNStream::new(sort, rows, keys, wanted))
                        }
                        None => Box::new(SortStream::new(sort, rows, keys)),
                    };
                match (input.as_ref(), rows_wanted) {
                    (Plan::Scan(node), Some(rows)) if !node.order.is_empty() => {
                        Box::new(ScanStream::in_order(running, node, rows, sorted))
                    }
                    _ => sorted,
                }
            }
            Plan::Limit {
                input,
                limit,
                offset,
                ties,
            } => {
                let eval = running.eval();
                let range = RowRange::evaluate(limit.as_ref(), offset.as_ref(), &eval)?;
                let rows = range.rows_read(rows_wanted).filter(|_| ties.is_empty());
                let input = self.build(input, rows)?;
                Box::new(LimitStream::new(running, input, range, ties))
            }
            Plan::Join(node) => {
                let left = self.build(&node.left, None)?;
                let right = if node.outer.is_empty() {
                    RightInput::Stream(self.build(&node.right, None)?)
                } else {
                    RightInput::Dependent(self.repeated(&node.right))
                };
                Box::new(JoinStream::new(running, left, right, node))
            }
            Plan::Append { inputs, .. } => {
                let inputs = inputs.iter().map(|input| self.build(input, rows_wanted));
                let inputs = inputs.collect::<Result<_>>()?;
                Box::new(AppendStream { inputs })
            }
            Plan::SetOperation(node) => {
                let left = self.build(&node.left, None)?;
                let right = self.build(&node.right, None)?;
                Box::new(SetOperationStream::new(running, node, left, right))
            }
            Plan::With(node) => {
                let definition = self.build(&node.definition, None)?;
                let types = node.definition.types();
                let rows = SharedRows::new(running.clone(), types, Some(definition));
                let builder = Builder {
                    running: running.with_named(node.id, Rc::new(rows)),
                    ..self.clone()
                };
                builder.build(&node.body, rows_wanted)?
            }
            Plan::CteScan(scan) => Box::new(CteStream {
                rows: running.named(scan.id)?,
                next_batch: 0,
            }),
            Plan::Recursive(node) => {
                let base = self.build(&node.base, None)?;
                let step = self.repeated(&node.step);
                Box::new(RecursiveStream::new(running, base, step, node))
            }
            Plan::First { input, keys } => {
                Box::new(FirstStream::new(running, self.build(input, None)?, keys))
            }
            Plan::ProjectSet(node) => {
                let args = node.calls.iter().flat_map(|call| &call.args);
                let input = portioned(&running, self.build(&node.input, None)?, args);
                Box::new(ProjectSetStream::new(running, input, node))
            }
            Plan::Window(node) => {
                let input = self.build(&node.input, None)?;
                Box::new(WindowStream::new(running, input, node))
            }
            Plan::Lock(node) => {
                // Any number of rows may be left out.
                let input = self.build(&node.input, rows_wanted.map(|_| u64::MAX))?;
                Box::new(LockStream::new(running, input, node, rows_wanted))
            }
            Plan::Sample {
                input,
                percent,
                seed,
            } => {
                let input = self.build(input, None)?;
                Box::new(SampleStream::new(running, input, percent, seed.as_ref())?)
            }
        })
    }

    /// The answer to nothing but `count(*)` over a whole relation whose size the source knows.
    fn counted_row(
        &self,
        input: &Plan,
        group_columns: usize,
        aggregates: &[AggregateCall],
    ) -> Option<Batch> {
        let is_count = |call: &AggregateCall| {
            call.function == AggregateFunction::CountStar && call.filter.is_none()
        };
        let Plan::Scan(scan) = input else {
            return None;
        };
        let is_whole = scan.predicates.is_empty() && group_columns == 0;
        if !is_whole || aggregates.is_empty() || !aggregates.iter().all(is_count) {
            return None;
        }
        let rows = self.running.context.source.row_count(&scan.relation)?;
        let count = Value::Int8(i64::try_from(rows).ok()?);
        if let Some(profile) = &self.profile {
            self.profile_node(profile);
        }
        let column = Arc::new(Column::from_values(LogicalType::Int8, [&count]));
        Some(Batch::new(vec![column; aggregates.len()], 1))
    }
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;
