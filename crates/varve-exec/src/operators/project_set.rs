//! ProjectSet: set-returning functions, as many rows for each input row as the longest call gives.

use std::sync::Arc;

use varve_expr::{SetRows, evaluate, set_rows};
use varve_plan::{ProjectSetNode, SetCall};
use varve_types::{
    Batch, ColumnBuilder, ColumnRef, Invariant, LocalFuture, LogicalType, Result, RowValue,
    VECTOR_ROWS, Value,
};

use crate::BatchStream;
use crate::context::Running;

/// Gives the rows of one input row after those of the row before.
pub(crate) struct ProjectSetStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    node: &'a ProjectSetNode,
    open: Option<Open>,
}

/// An input batch, and how far its rows were expanded.
struct Open {
    batch: Batch,
    /// The arguments of each call.
    args: Vec<Vec<ColumnRef>>,
    row: usize,
    /// The rest of each call for this row, `None` for one that is done; `None` before it is begun.
    sets: Option<Vec<Option<Box<dyn SetRows>>>>,
    ordinal: i64,
}

impl<'a> ProjectSetStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        node: &'a ProjectSetNode,
    ) -> ProjectSetStream<'a> {
        ProjectSetStream {
            running,
            input,
            node,
            open: None,
        }
    }

    async fn open_next(&mut self) -> Result<bool> {
        let Some(batch) = self.input.next().await? else {
            return Ok(false);
        };
        let batch = batch.compact();
        let eval = self.running.eval();
        let mut args = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            let columns = call.args.iter().map(|arg| evaluate(arg, &batch, &eval));
            args.push(columns.collect::<Result<Vec<_>>>()?);
        }
        self.open = Some(Open {
            batch,
            args,
            row: 0,
            sets: None,
            ordinal: 0,
        });
        Ok(true)
    }

    /// Up to 1,024 rows of the batch at hand; `None` when it is done.
    fn expand(&mut self) -> Result<Option<Batch>> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let calls = &self.node.calls;
        let eval = self.running.eval();
        let mut rows: Vec<u32> = Vec::with_capacity(VECTOR_ROWS);
        let types = calls.iter().flat_map(|call| &call.types);
        let mut results: Vec<ColumnBuilder> = types.map(|ty| ColumnBuilder::new(*ty)).collect();
        let mut ordinals = ColumnBuilder::new(LogicalType::Int8);
        let (mut values, mut own) = (Vec::new(), Vec::new());
        while rows.len() < VECTOR_ROWS && open.row < open.batch.rows() {
            let sets = match &mut open.sets {
                Some(sets) => sets,
                None => {
                    let begun = calls.iter().zip(&open.args);
                    let begun =
                        begun.map(|(call, args)| set_rows(call.function, args, open.row, &eval));
                    open.ordinal = 0;
                    open.sets.insert(begun.collect::<Result<_>>()?)
                }
            };
            values.clear();
            let mut has_row = false;
            for (set, call) in sets.iter_mut().zip(calls) {
                let start = values.len();
                if let Some(rest) = set {
                    let found = rest.next(&mut own);
                    match found? {
                        true => {
                            has_row = true;
                            as_row(call, &mut own);
                        }
                        false => *set = None,
                    }
                }
                values.append(&mut own);
                values.resize(start + call.types.len(), Value::Null);
            }
            if !has_row {
                open.row += 1;
                open.sets = None;
                continue;
            }
            for (value, result) in values.iter().zip(&mut results) {
                result.push(value);
            }
            open.ordinal += 1;
            ordinals.push(&Value::Int8(open.ordinal));
            rows.push(u32::try_from(open.row).or_broken("rows of a batch")?);
        }
        if rows.is_empty() {
            self.open = None;
            return Ok(None);
        }
        let input = open.batch.physical_columns().iter();
        let mut columns: Vec<ColumnRef> =
            input.map(|column| Arc::new(column.take(&rows))).collect();
        columns.extend(results.into_iter().map(|result| Arc::new(result.finish())));
        if self.node.ordinality {
            columns.push(Arc::new(ordinals.finish()));
        }
        Ok(Some(Batch::new(columns, rows.len())))
    }
}

/// Makes the columns of a call one row, where it stands for a value.
fn as_row(call: &SetCall, values: &mut Vec<Value>) {
    let [LogicalType::Row(id)] = *call.types.as_slice() else {
        return;
    };
    let columns = call.function.columns().into_iter();
    if columns.len() > 1 {
        let fields = columns.map(|(_, ty)| ty).zip(values.drain(..)).collect();
        values.push(Value::row(id, &RowValue { fields }));
    }
}

impl BatchStream for ProjectSetStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            loop {
                self.running.checkpoint().await?;
                if let Some(batch) = self.expand()? {
                    return Ok(Some(batch));
                }
                if !self.open_next().await? {
                    return Ok(None);
                }
            }
        })
    }
}
