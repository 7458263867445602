//! Distinct: of the rows with the same keys the one that comes first, given as soon as it appears.

use varve_expr::{Expr, evaluate};
use varve_types::{Batch, LocalFuture, Reservation, Result, Selection};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::keys::KeyIndex;

/// What is given of a row whose keys were not seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The keys, as `DISTINCT` and groups without aggregates want them.
    Keys,
    /// The row, as `DISTINCT ON` wants it.
    Row,
}

/// Lets a row pass when its keys were not seen before.
pub(crate) struct DistinctStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    keys: &'a [Expr],
    given: Given,
    seen: KeyIndex,
    booked: Reservation,
}

impl<'a> DistinctStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        keys: &'a [Expr],
        given: Given,
    ) -> DistinctStream<'a> {
        let types: Vec<_> = keys.iter().map(Expr::logical_type).collect();
        DistinctStream {
            booked: running.reservation(),
            running,
            input,
            keys,
            given,
            seen: KeyIndex::new(&types),
        }
    }
}

impl BatchStream for DistinctStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
            while let Some(batch) = self.input.next().await? {
                let batch = batch.compact();
                let eval = self.running.eval();
                let keys = self.keys.iter().map(|key| evaluate(key, &batch, &eval));
                let keys = keys.collect::<Result<Vec<_>>>()?;
                self.seen
                    .insert(&keys, batch.rows(), &mut ids, &mut new_rows);
                book(&mut self.booked, self.seen.memory_bytes())?;
                if !new_rows.is_empty() {
                    let rows = match self.given {
                        Given::Keys => Batch::new(keys, batch.rows()),
                        Given::Row => batch,
                    };
                    return Ok(Some(rows.select(&Selection::new(new_rows))));
                }
            }
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use varve_plan::Plan;
    use varve_types::LogicalType;

    use crate::testing::{Setting, column, limit, show_batches, table};

    #[test]
    fn each_row_once_in_order_of_appearance() {
        let cases = [
            (
                "1 a; 1 a; 2 a | 1 a | 2 a; 1 b; - b; - b",
                "1 a; 2 a | 1 b; - b",
            ),
            ("- -; - -", "- -"),
            ("", ""),
        ];
        for (input, expected) in cases {
            let setting = Setting::with(table("it", input));
            let plan = distinct(setting.scan(0, "it"));
            assert_eq!(show_batches(&setting.run(&plan).unwrap()), expected);
        }
    }

    #[test]
    fn rows_stream_out_as_they_appear() {
        let setting = Setting::with(table("it", "1 a | 2 b | 3 c"));
        let plan = limit(distinct(setting.scan(0, "it")), Some(1), None);
        assert_eq!(show_batches(&setting.run(&plan).unwrap()), "1 a");
        assert_eq!(setting.source.batches_given.get(), 1);
    }

    #[test]
    fn the_first_row_of_each_key_with_all_its_columns() {
        let setting = Setting::with(table("it", "1 a; 1 b; - c | 2 a; - a; 1 c"));
        let plan = Plan::First {
            input: Box::new(setting.scan(0, "it")),
            keys: vec![column(0, LogicalType::Int4)],
        };
        assert_eq!(show_batches(&setting.run(&plan).unwrap()), "1 a; - c | 2 a");
    }

    fn distinct(input: Plan) -> Plan {
        Plan::Aggregate {
            input: Box::new(input),
            groups: vec![column(0, LogicalType::Int4), column(1, LogicalType::Text)],
            aggregates: Vec::new(),
        }
    }
}
