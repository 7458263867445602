//! From a plan to a tree of operators.

use core::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use varve_expr::{AggregateFunction, Expr};
use varve_plan::{
    AggregateCall, JoinNode, LockNode, Plan, ProjectSetNode, RecursiveNode, ScanNode,
    SetOperationNode, SortKeyExpr, WithNode,
};
use varve_types::{Batch, Column, Cutoff, LogicalType, Result, Value};

use crate::aggregate::wanted_of;
use crate::context::Running;
use crate::cut::{CuttingStream, cut_of_aggregates, cut_of_sort};
use crate::operators::{
    AggregateStream, AppendStream, CteStream, DistinctStream, FilterStream, Given, JoinStream,
    LimitStream, LockStream, LookupStream, ProjectSetStream, ProjectStream, RecursiveStream,
    RightInput, RowRange, RowsStream, SampleStream, ScanStream, SetOperationStream, SortStream,
    TopNStream, ValuesStream, WindowStream,
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
        cut: None,
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
        cut: None,
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
    /// A scan below, of which only the first rows of an order are wanted.
    cut: Option<(&'a ScanNode, Arc<Cutoff>)>,
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
            cut: None,
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
        self.profiled(|| self.operator(plan, rows_wanted))
    }

    /// An operator that is counted where that is wanted.
    fn profiled(
        &self,
        operator: impl FnOnce() -> Result<Box<dyn BatchStream + 'a>>,
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let Some(profile) = &self.profile else {
            return operator();
        };
        let node = self.profile_node(profile);
        Ok(Box::new(ProfiledStream {
            input: operator()?,
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
            Plan::Scan(node) => Box::new(self.scan(node, rows_wanted)),
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
            } => self.aggregate(input, groups, aggregates)?,
            Plan::Sort { input, keys } => self.sort(input, keys, rows_wanted)?,
            Plan::Limit {
                input,
                limit,
                offset,
                ties,
            } => {
                let range = RowRange::evaluate(limit.as_ref(), offset.as_ref(), &running.eval())?;
                Box::new(self.limit(input, range, ties, rows_wanted)?)
            }
            Plan::Join(node) => Box::new(self.join(node)?),
            Plan::Append { inputs, .. } => Box::new(self.append(inputs, rows_wanted)?),
            Plan::SetOperation(node) => Box::new(self.set_operation(node)?),
            Plan::With(node) => self.with(node, rows_wanted)?,
            Plan::CteScan(scan) => Box::new(CteStream {
                rows: running.named(scan.id)?,
                next_batch: 0,
            }),
            Plan::Recursive(node) => Box::new(self.recursive(node)?),
            Plan::First { input, keys } => {
                let input = self.build(input, None)?;
                Box::new(DistinctStream::new(running, input, keys, Given::Row))
            }
            Plan::ProjectSet(node) => Box::new(self.project_set(node)?),
            Plan::Window(node) => {
                let input = self.build(&node.input, None)?;
                Box::new(WindowStream::new(running, input, node))
            }
            Plan::Lock(node) => Box::new(self.lock(node, rows_wanted)?),
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

    fn scan(&self, node: &'a ScanNode, rows_wanted: Option<u64>) -> ScanStream<'a> {
        let scan = ScanStream::new(self.running.clone(), node, rows_wanted);
        let cut = self.cut.as_ref();
        let cutoff = cut.filter(|(cut, _)| core::ptr::eq(*cut, node));
        scan.cut_off(cutoff.map(|(_, cutoff)| Arc::clone(cutoff)))
    }

    fn aggregate(
        &self,
        input: &'a Plan,
        groups: &'a [Expr],
        aggregates: &'a [AggregateCall],
    ) -> Result<Box<dyn BatchStream + 'a>> {
        if let Some(row) = self.counted_row(input, groups.len(), aggregates) {
            return Ok(Box::new(RowsStream { batch: Some(row) }));
        }
        let running = self.running.clone();
        let args = aggregates.iter().flat_map(|call| &call.args);
        let all_rows = groups.is_empty().then_some(input);
        let wanted = match all_rows {
            Some(Plan::Scan(scan)) => wanted_of(aggregates, scan.columns.len()).zip(Some(scan)),
            _ => None,
        };
        let cut = all_rows.and_then(|input| cut_of_aggregates(input, aggregates));
        let input = match (wanted, cut) {
            (Some((wanted, scan)), _) => {
                let scan = ScanStream::summed(running.clone(), scan, wanted);
                self.profiled(|| Ok(Box::new(scan)))?
            }
            (None, Some(cut)) => self.cut_off(input, cut)?,
            (None, None) => self.build(input, None)?,
        };
        let input = portioned(&running, input, groups.iter().chain(args));
        Ok(if aggregates.is_empty() && !groups.is_empty() {
            Box::new(DistinctStream::new(running, input, groups, Given::Keys))
        } else {
            Box::new(AggregateStream::new(running, input, groups, aggregates))
        })
    }

    /// An input of which only the rows with the best values of a column are wanted.
    fn cut_off(
        &self,
        input: &'a Plan,
        (scan, cutoff, column): (&'a ScanNode, Arc<Cutoff>, usize),
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let below = Builder {
            cut: Some((scan, Arc::clone(&cutoff))),
            ..self.clone()
        };
        Ok(Box::new(CuttingStream {
            input: below.build(input, None)?,
            cutoff,
            column,
            best: None,
        }))
    }

    fn sort(
        &self,
        input: &'a Plan,
        keys: &'a [SortKeyExpr],
        rows_wanted: Option<u64>,
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let running = self.running.clone();
        let exprs = keys.iter().map(|key| &key.expr);
        let wanted = rows_wanted.filter(|rows| *rows <= TOP_N_ROWS_MAX);
        let cut = wanted.and_then(|_| cut_of_sort(input, keys));
        let below = Builder {
            cut: cut.clone(),
            ..self.clone()
        };
        let rows = portioned(&running, below.build(input, None)?, exprs);
        let sort = running.clone();
        let sorted: Box<dyn BatchStream + 'a> = match wanted {
            Some(wanted) => {
                let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
                let cutoff = cut.map(|(_, cutoff)| cutoff);
                Box::new(TopNStream::new(sort, rows, keys, wanted).cutting_off(cutoff))
            }
            None => Box::new(SortStream::new(sort, rows, keys)),
        };
        Ok(match input {
            Plan::Scan(node)
                if !node.order.is_empty() && (rows_wanted.is_some() || node.first_of > 0) =>
            {
                Box::new(ScanStream::in_order(running, node, rows_wanted, sorted))
            }
            _ => sorted,
        })
    }

    fn join(&self, node: &'a JoinNode) -> Result<JoinStream<'a>> {
        let left = self.build(&node.left, None)?;
        let right = if node.outer.is_empty() {
            RightInput::Stream(self.build(&node.right, None)?)
        } else {
            RightInput::Dependent(self.repeated(&node.right))
        };
        Ok(JoinStream::new(self.running.clone(), left, right, node))
    }

    fn limit(
        &self,
        input: &'a Plan,
        range: RowRange,
        ties: &'a [Expr],
        rows_wanted: Option<u64>,
    ) -> Result<LimitStream<'a>> {
        let rows = range.rows_read(rows_wanted).filter(|_| ties.is_empty());
        let input = self.build(input, rows)?;
        Ok(LimitStream::new(self.running.clone(), input, range, ties))
    }

    fn append(&self, inputs: &'a [Plan], rows_wanted: Option<u64>) -> Result<AppendStream<'a>> {
        let inputs = inputs.iter().map(|input| self.build(input, rows_wanted));
        let inputs = inputs.collect::<Result<_>>()?;
        Ok(AppendStream { inputs })
    }

    fn set_operation(&self, node: &'a SetOperationNode) -> Result<SetOperationStream<'a>> {
        let left = self.build(&node.left, None)?;
        let right = self.build(&node.right, None)?;
        let running = self.running.clone();
        Ok(SetOperationStream::new(running, node, left, right))
    }

    fn recursive(&self, node: &'a RecursiveNode) -> Result<RecursiveStream<'a>> {
        let base = self.build(&node.base, None)?;
        let step = self.repeated(&node.step);
        Ok(RecursiveStream::new(self.running.clone(), base, step, node))
    }

    fn project_set(&self, node: &'a ProjectSetNode) -> Result<ProjectSetStream<'a>> {
        let running = self.running.clone();
        let args = node.calls.iter().flat_map(|call| &call.args);
        let input = portioned(&running, self.build(&node.input, None)?, args);
        Ok(ProjectSetStream::new(running, input, node))
    }

    fn lock(&self, node: &'a LockNode, rows_wanted: Option<u64>) -> Result<LockStream<'a>> {
        // Any number of rows may be left out.
        let input = self.build(&node.input, rows_wanted.map(|_| u64::MAX))?;
        let running = self.running.clone();
        Ok(LockStream::new(running, input, node, rows_wanted))
    }

    /// A query with the rows that it names.
    fn with(
        &self,
        node: &'a WithNode,
        rows_wanted: Option<u64>,
    ) -> Result<Box<dyn BatchStream + 'a>> {
        let definition = self.build(&node.definition, None)?;
        let types = node.definition.types();
        let rows = SharedRows::new(self.running.clone(), types, Some(definition));
        let builder = Builder {
            running: self.running.with_named(node.id, Rc::new(rows)),
            ..self.clone()
        };
        builder.build(&node.body, rows_wanted)
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
