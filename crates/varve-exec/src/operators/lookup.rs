//! Lookup: the row with one primary key.

use std::collections::VecDeque;

use varve_expr::evaluate_constant;
use varve_plan::LookupNode;
use varve_types::{Batch, LocalFuture, Result, Value};

use crate::BatchStream;
use crate::context::Running;

/// Asks the source once.
pub(crate) struct LookupStream<'a> {
    running: Running<'a>,
    node: &'a LookupNode,
    found: Option<VecDeque<Batch>>,
}

impl<'a> LookupStream<'a> {
    pub(crate) fn new(running: Running<'a>, node: &'a LookupNode) -> LookupStream<'a> {
        LookupStream {
            running,
            node,
            found: None,
        }
    }

    async fn look_up(&self) -> Result<VecDeque<Batch>> {
        let eval = self.running.eval();
        let key: Vec<Value> = self
            .node
            .key
            .iter()
            .map(|expr| evaluate_constant(expr, &eval))
            .collect::<Result<_>>()?;
        if key.iter().any(Value::is_null) {
            return Ok(VecDeque::new());
        }
        let node = self.node;
        let source = self.running.context.source;
        let batches = source
            .lookup(node.tree, &[key], &node.columns, node.with_position)
            .await?;
        Ok(batches
            .into_iter()
            .filter(|batch| !batch.is_empty())
            .collect())
    }
}

impl BatchStream for LookupStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.found.is_none() {
                self.running.checkpoint().await?;
                self.found = Some(self.look_up().await?);
            }
            Ok(self.found.as_mut().and_then(VecDeque::pop_front))
        })
    }
}

#[cfg(test)]
mod tests {
    use varve_plan::{LookupNode, Plan};
    use varve_types::{LogicalType, TreeId, Value};

    use crate::testing::{Setting, literal, show_batches, table};

    #[test]
    fn finds_the_row_or_nothing() {
        let cases = [
            (Value::Int4(2), "b 2", 1),
            (Value::Int4(3), "", 1),
            (Value::Null, "", 0),
        ];
        for (key, expected, lookups) in cases {
            let setting = Setting::with(table("it", "1 a; 2 b"));
            let plan = Plan::Lookup(LookupNode {
                tree: TreeId(0),
                name: "t".to_owned(),
                column_names: vec!["a".to_owned(), "b".to_owned()],
                key_columns: vec![0],
                key: vec![literal(key.clone())],
                columns: vec![1, 0],
                types: vec![LogicalType::Text, LogicalType::Int4],
                with_position: false,
            });
            let answer = setting.run(&plan).unwrap();
            assert_eq!(show_batches(&answer), expected, "{key:?}");
            assert_eq!(setting.source.lookups.get(), lookups, "{key:?}");
        }
    }
}
