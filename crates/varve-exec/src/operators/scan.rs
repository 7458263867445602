//! Scan: rows of a relation, predicates applied by the source.

use std::sync::Arc;
use std::vec;

use varve_expr::{EvalContext, evaluate_constant};
use varve_plan::{PushedPredicate, Relation, ScanNode};
use varve_types::{
    Batch, Cutoff, Error, LocalFuture, PartPredicate, PredicateTest, Result, ScanSpec, Summary,
    Value, Wanted,
};

use crate::BatchStream;
use crate::context::Running;

/// Starts the source's scan at the first batch, when the constants of its predicates are known. One
/// that is wanted in order has a sort beside it, for a source that does not give the order.
pub(crate) struct ScanStream<'a> {
    running: Running<'a>,
    node: &'a ScanNode,
    limit_rows: Option<u64>,
    sorted: Option<Box<dyn BatchStream + 'a>>,
    wanted: Option<Vec<Wanted>>,
    cutoff: Option<Arc<Cutoff>>,
    known: Summary,
    state: State<'a>,
}

enum State<'a> {
    New,
    Open(Box<dyn BatchStream + 'a>),
    /// The rows of a system view, which are there at once.
    View(vec::IntoIter<Batch>),
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
            sorted: None,
            wanted: None,
            cutoff: None,
            known: Summary::default(),
            state: State::New,
        }
    }

    /// The same without what is cut off while it runs.
    pub(crate) fn cut_off(self, cutoff: Option<Arc<Cutoff>>) -> ScanStream<'a> {
        ScanStream { cutoff, ..self }
    }

    /// All rows, where what is wanted may be told of some in place of giving them.
    pub(crate) fn summed(
        running: Running<'a>,
        node: &'a ScanNode,
        wanted: Vec<Wanted>,
    ) -> ScanStream<'a> {
        ScanStream {
            wanted: Some(wanted),
            ..ScanStream::new(running, node, None)
        }
    }

    /// The first rows in the order of the node, or those of `sorted` where the source does not
    /// give it.
    pub(crate) fn in_order(
        running: Running<'a>,
        node: &'a ScanNode,
        limit_rows: Option<u64>,
        sorted: Box<dyn BatchStream + 'a>,
    ) -> ScanStream<'a> {
        ScanStream {
            sorted: Some(sorted),
            ..ScanStream::new(running, node, limit_rows)
        }
    }

    async fn open(&mut self) -> Result<State<'a>> {
        let Some(predicates) = self.predicates()? else {
            return Ok(State::Done);
        };
        let node = self.node;
        let source = self.running.context.source;
        let tree = match node.relation {
            Relation::Tree(tree) => tree,
            Relation::System(_) if node.with_position => {
                let message = "rows of a system view have no positions";
                return Err(Error::internal(message));
            }
            Relation::System(view) => {
                let rows = source.view_rows(view, &node.columns, &predicates)?;
                return Ok(State::View(rows.into_iter()));
            }
        };
        let spec = ScanSpec {
            predicates,
            with_position: node.with_position,
            limit_rows: self.limit_rows,
            wanted: self.wanted.take(),
            cutoff: self.cutoff.take(),
            ..ScanSpec::of(tree, node.columns.clone())
        };
        let Some(sorted) = self.sorted.take() else {
            return Ok(State::Open(source.scan(spec).await?));
        };
        let spec = ScanSpec {
            first_of: node.first_of,
            ..spec
        };
        let ordered = source.scan_in_order(spec, &node.order).await?;
        Ok(State::Open(ordered.unwrap_or(sorted)))
    }

    /// The tests of rows, or `None` when a comparison with NULL lets no row pass.
    fn predicates(&self) -> Result<Option<Vec<PartPredicate>>> {
        let mut predicates = Vec::with_capacity(self.node.predicates.len());
        for pushed in &self.node.predicates {
            let Some(mut tests) = tests_of(pushed, &self.running.eval())? else {
                return Ok(None);
            };
            predicates.append(&mut tests);
        }
        Ok(Some(predicates))
    }
}

/// What a pushed predicate tests once its constants are known; `None` when a comparison with NULL
/// lets no row pass.
pub fn tests_of(
    pushed: &PushedPredicate,
    eval: &EvalContext<'_>,
) -> Result<Option<Vec<PartPredicate>>> {
    let (column, tests) = match pushed {
        PushedPredicate::Fixed(predicate) => return Ok(Some(vec![predicate.clone()])),
        PushedPredicate::In { column, values } => {
            let values = values.iter().map(|value| evaluate_constant(value, eval));
            let mut values: Vec<Value> = values.collect::<Result<_>>()?;
            values.retain(|value| !value.is_null());
            (*column, vec![PredicateTest::In(values)])
        }
        PushedPredicate::Compare { column, op, value } => {
            let value = evaluate_constant(value, eval)?;
            if value.is_null() {
                return Ok(None);
            }
            (*column, vec![PredicateTest::Compare(*op, value)])
        }
        PushedPredicate::Prefix { column, prefix } => {
            let value = evaluate_constant(&prefix.value, eval)?;
            let Some(text) = value.str() else {
                return Ok(None);
            };
            (*column, prefix.form.range(text).tests)
        }
    };
    let tests = tests.into_iter();
    let tests = tests.map(|test| PartPredicate { column, test });
    Ok(Some(tests.collect()))
}

impl BatchStream for ScanStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            self.running.checkpoint().await?;
            if matches!(self.state, State::New) {
                self.state = self.open().await?;
            }
            let batch = match &mut self.state {
                State::Open(stream) => {
                    let batch = stream.next().await?;
                    if batch.is_none() {
                        self.known = stream.known();
                    }
                    batch
                }
                State::View(rows) => rows.next(),
                State::New | State::Done => None,
            };
            if batch.is_none() {
                self.state = State::Done;
            }
            Ok(batch)
        })
    }

    fn known(&mut self) -> Summary {
        core::mem::take(&mut self.known)
    }
}

#[cfg(test)]
mod tests {
    use varve_expr::{Expr, Parameter};
    use varve_plan::{OrderColumn, Plan, Prefix, PrefixForm, PushedPredicate, SortKeyExpr};
    use varve_types::{
        CompareOp, KeyOrder, KeyPart, LogicalType, PartPredicate, PredicateTest, Value,
    };

    use crate::testing::{Setting, column, compare, limit, literal, show_batches, table};

    #[test]
    fn predicates_are_pushed_with_their_constants() {
        let parameter = Expr::Parameter {
            parameter: Parameter::Given(0),
            ty: LogicalType::Int4,
        };
        let cases = [
            (Value::Int4(2), "c 2 | d 4", 1),
            (Value::Int4(9), "", 1),
            (Value::Null, "", 0),
        ];
        for (value, expected, requests) in cases {
            let mut setting = Setting::with(table("it", "1 a; - b; 3 c | 4 d"));
            setting.params = vec![value.clone()];
            let Plan::Scan(mut scan) = setting.scan(0, "it") else {
                panic!();
            };
            scan.columns = vec![1];
            scan.with_position = true;
            let is_not_null = PartPredicate {
                column: KeyPart::Column(0),
                test: PredicateTest::IsNotNull,
            };
            scan.predicates = vec![
                PushedPredicate::Fixed(is_not_null),
                PushedPredicate::Compare {
                    column: KeyPart::Column(0),
                    op: CompareOp::Gt,
                    value: parameter.clone(),
                },
            ];
            // The position counts from 0: the row of 4 has position 3.
            let expected = expected.replace("d 4", "d 3");
            let answer = setting.run(&Plan::Scan(scan)).unwrap();
            assert_eq!(show_batches(&answer), expected, "{value:?}");
            assert_eq!(setting.source.requests.borrow().len(), requests);
        }
    }

    #[test]
    fn listed_values_are_pushed_without_null() {
        let mut setting = Setting::with(table("it", "1 a; - b; 3 c | 4 d"));
        setting.params = vec![Value::Null, Value::Int4(4)];
        let parameter = |index| Expr::Parameter {
            parameter: Parameter::Given(index),
            ty: LogicalType::Int4,
        };
        let Plan::Scan(mut scan) = setting.scan(0, "it") else {
            panic!();
        };
        scan.predicates = vec![PushedPredicate::In {
            column: KeyPart::Column(0),
            values: vec![parameter(0), literal(Value::Int4(3)), parameter(1)],
        }];
        let answer = setting.run(&Plan::Scan(scan)).unwrap();
        assert_eq!(show_batches(&answer), "3 c | 4 d");
        let request = setting.source.requests.take().remove(0);
        let listed = PredicateTest::In(vec![Value::Int4(3), Value::Int4(4)]);
        assert_eq!(request.predicates[0].test, listed);
    }

    #[test]
    fn a_beginning_is_a_range_when_it_is_known() {
        let compare = |op, text| PredicateTest::Compare(op, Value::text(text));
        let cases = [
            (
                Value::text("a_%"),
                Some(vec![
                    compare(CompareOp::GtEq, "a"),
                    compare(CompareOp::Lt, "b"),
                ]),
            ),
            (Value::text("ab"), Some(vec![compare(CompareOp::Eq, "ab")])),
            (Value::text("%a"), Some(Vec::new())),
            (Value::Null, None),
        ];
        for (pattern, tests) in cases {
            let mut setting = Setting::with(table("t", "a; ab; b; -"));
            setting.params = vec![pattern];
            let Plan::Scan(mut scan) = setting.scan(0, "t") else {
                panic!();
            };
            let value = Expr::Parameter {
                parameter: Parameter::Given(0),
                ty: LogicalType::Text,
            };
            let form = PrefixForm::Pattern;
            scan.predicates = vec![PushedPredicate::Prefix {
                column: KeyPart::Column(0),
                prefix: Prefix { form, value },
            }];
            setting.run(&Plan::Scan(scan)).unwrap();
            let mut requests = setting.source.requests.take().into_iter();
            let asked = requests.next().map(|request| {
                let predicates = request.predicates.into_iter();
                predicates.map(|predicate| predicate.test).collect()
            });
            assert_eq!(asked, tests);
        }
    }

    #[test]
    fn a_source_without_the_order_has_its_rows_sorted() {
        let setting = Setting::with(table("i", "3; 1 | 2; 4"));
        let Plan::Scan(mut scan) = setting.scan(0, "i") else {
            panic!();
        };
        scan.order = vec![OrderColumn {
            column: KeyPart::Column(0),
            order: KeyOrder::default(),
        }];
        let sort = Plan::Sort {
            input: Box::new(Plan::Scan(scan)),
            keys: vec![SortKeyExpr {
                expr: column(0, LogicalType::Int4),
                descending: false,
                nulls_first: false,
            }],
        };
        let answer = setting.run(&limit(sort, Some(3), None)).unwrap();
        assert_eq!(show_batches(&answer), "1; 2; 3");
    }

    #[test]
    fn a_limit_is_hinted_where_each_row_is_given() {
        let hint = |wrap: &dyn Fn(Plan) -> Plan| {
            let setting = Setting::with(table("i", "1; 2; 3; 4"));
            let plan = limit(wrap(setting.scan(0, "i")), Some(2), Some(1));
            setting.run(&plan).unwrap();
            setting.source.requests.take()[0].limit_rows
        };
        let project = |input| Plan::Project {
            input: Box::new(input),
            exprs: vec![column(0, LogicalType::Int4)],
        };
        let filter = |input| Plan::Filter {
            input: Box::new(input),
            predicate: compare(
                column(0, LogicalType::Int4),
                CompareOp::Gt,
                literal(Value::Int4(0)),
            ),
        };
        assert_eq!(hint(&|scan| scan), Some(3));
        assert_eq!(hint(&project), Some(3));
        assert_eq!(hint(&|scan| limit(scan, Some(1), None)), Some(1));
        assert_eq!(hint(&|scan| limit(scan, Some(9), Some(4))), Some(7));
        assert_eq!(hint(&filter), None);
    }
}
