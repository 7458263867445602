//! Functions of users that are called for rows, which operators cannot do: what runs a statement
//! takes them out of its plan one by one, with all that is below them, and puts rows in their
//! places.

use varve_expr::Expr;
use varve_expr::walk::for_each_child;
use varve_types::{Error, Result};

use crate::plan::statement::source_of;
use crate::plan::walk::taken;
use crate::plan::{CteScanNode, Plan, SetCall, Statement};

/// The number of the named query that stands for what was taken out.
const TAKEN: usize = usize::MAX;

/// What must have run before the plan that it is of can go on: calls for the rows of an input, or a
/// named query that such an input reads, without calls.
#[derive(Debug)]
pub struct PendingCalls {
    /// The rows.
    pub input: Plan,
    /// What is called for each of them.
    pub calls: Vec<SetCall>,
    /// Whether the results are numbered.
    pub ordinality: bool,
}

impl Statement {
    /// Takes the next thing that has to run before the statement.
    pub fn take_pending_calls(&mut self) -> Result<Option<PendingCalls>> {
        match source_of(self) {
            Some(source) => take(source),
            None => Ok(None),
        }
    }

    /// Puts rows in the place of what was taken last.
    pub fn put_called(&mut self, rows: &Plan) {
        if let Some(source) = source_of(self) {
            put(source, TAKEN, rows);
        }
    }
}

fn calls(plan: &Plan) -> bool {
    matches!(plan, Plan::ProjectSet(set) if set.calls.iter().any(|call| call.routine.is_some()))
}

fn has_calls(plan: &Plan) -> bool {
    let mut has = calls(plan);
    plan.for_each_input(&mut |input| has = has || has_calls(input));
    has
}

fn take(plan: &mut Plan) -> Result<Option<PendingCalls>> {
    let unfit = match plan {
        Plan::Recursive(node) => has_calls(&node.step),
        Plan::Join(join) => !join.outer.is_empty() && has_calls(&join.right),
        _ => false,
    };
    if unfit {
        return Err(each_row());
    }
    if let Plan::With(node) = plan
        && !has_calls(&node.definition)
        && has_calls(&node.body)
    {
        if matches!(*node.definition, Plan::Values { .. }) {
            let mut body = taken(&mut node.body);
            put(&mut body, node.id, &node.definition);
            *plan = body;
            return take(plan);
        }
        return Ok(Some(PendingCalls {
            input: replaced(&mut node.definition),
            calls: Vec::new(),
            ordinality: false,
        }));
    }
    let mut found = Ok(None);
    plan.for_each_input_mut(&mut |input| {
        if let Ok(None) = found {
            found = take(input);
        }
    });
    if !matches!(found, Ok(None)) || !calls(plan) {
        return found;
    }
    if reads_outer(plan) {
        return Err(each_row());
    }
    match replaced(plan) {
        Plan::ProjectSet(set) => Ok(Some(PendingCalls {
            input: *set.input,
            calls: set.calls,
            ordinality: set.ordinality,
        })),
        _ => Err(Error::internal("a call without its plan")),
    }
}

/// Takes a plan, and leaves a mark.
fn replaced(plan: &mut Plan) -> Plan {
    let mark = Plan::CteScan(CteScanNode {
        id: TAKEN,
        name: String::new(),
        column_names: Vec::new(),
        types: plan.types(),
    });
    core::mem::replace(plan, mark)
}

/// Puts rows where those of a named query are read.
fn put(plan: &mut Plan, id: usize, rows: &Plan) {
    match plan {
        Plan::CteScan(scan) if scan.id == id => *plan = rows.clone(),
        _ => plan.for_each_input_mut(&mut |input| put(input, id, rows)),
    }
}

/// Whether a plan reads values of queries around it.
fn reads_outer(plan: &Plan) -> bool {
    fn is_outer(expr: &Expr) -> bool {
        let mut is = matches!(expr, Expr::Outer { .. });
        for_each_child(expr, &mut |child| is = is || is_outer(child));
        is
    }
    let mut reads = false;
    plan.for_each_expr(&mut |expr| reads = reads || is_outer(expr));
    plan.for_each_input(&mut |input| reads = reads || reads_outer(input));
    reads
}

fn each_row() -> Error {
    Error::unsupported("a function that is not one query, for each row of a query around it")
}
