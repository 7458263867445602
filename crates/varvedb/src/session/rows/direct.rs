//! Rows of plans that read at most one row: they are computed without operators, streams and
//! temporary space, which would take longer than the rows do.

use std::sync::Arc;

use varve_expr::{EvalContext, Expr, evaluate, evaluate_constant};
use varve_plan::{LookupNode, Plan};
use varve_store::Transaction;
use varve_types::{Batch, ColumnBuilder, LogicalType, Result, VECTOR_ROWS, Value};

/// The rows of a lookup, of constants, or of expressions over one of these; `None` for every other
/// plan.
pub(crate) async fn direct_rows(
    transaction: &Transaction,
    plan: &Plan,
    context: &EvalContext<'_>,
) -> Result<Option<Vec<Batch>>> {
    let (input, exprs) = match plan {
        Plan::Project { input, exprs } => (&**input, Some(exprs)),
        plan => (plan, None),
    };
    let batches = match input {
        Plan::Lookup(node) => looked_up(transaction, node, context).await?,
        Plan::Values { rows, types } if rows.len() <= VECTOR_ROWS => {
            vec![constants(rows, types, context)?]
        }
        _ => return Ok(None),
    };
    let Some(exprs) = exprs else {
        return Ok(Some(batches));
    };
    let project = |batch: Batch| {
        let columns = exprs.iter().map(|expr| evaluate(expr, &batch, context));
        Ok(Batch::new(columns.collect::<Result<_>>()?, batch.rows()))
    };
    let projected: Result<Vec<Batch>> = batches.into_iter().map(project).collect();
    projected.map(Some)
}

async fn looked_up(
    transaction: &Transaction,
    node: &LookupNode,
    context: &EvalContext<'_>,
) -> Result<Vec<Batch>> {
    let key = node.key.iter().map(|expr| evaluate_constant(expr, context));
    let key: Vec<Value> = key.collect::<Result<_>>()?;
    if key.iter().any(Value::is_null) {
        return Ok(Vec::new());
    }
    let mut batches = transaction
        .lookup(node.tree, &[key], &node.columns, node.with_position)
        .await?;
    batches.retain(|batch| !batch.is_empty());
    Ok(batches)
}

fn constants(
    rows: &[Vec<Expr>],
    types: &[LogicalType],
    context: &EvalContext<'_>,
) -> Result<Batch> {
    let builder = |ty: &LogicalType| ColumnBuilder::with_capacity(*ty, rows.len());
    let mut builders: Vec<ColumnBuilder> = types.iter().map(builder).collect();
    for row in rows {
        for (builder, expr) in builders.iter_mut().zip(row) {
            builder.push(&evaluate_constant(expr, context)?);
        }
    }
    let columns = builders.into_iter().map(ColumnBuilder::finish);
    Ok(Batch::new(columns.map(Arc::new).collect(), rows.len()))
}
