//! Every kind of join, hashed, looped and dependent, against loops over all pairs.

use proptest::prelude::{Just, Strategy, prop_assert_eq, prop_oneof, proptest};
use varve_expr::Expr;
use varve_plan::{JoinKind, JoinNode, Mark, Plan};
use varve_types::{Batch, CompareOp, LogicalType, SqlState, Value};

use crate::testing::{Setting, batches_of, column, compare};

const INT4: LogicalType = LogicalType::Int4;

/// A key and a number, either of which may be NULL.
type Row = (Option<i32>, Option<i32>);

/// How the same condition, equal keys and a comparison of the numbers, is put to the join.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Keys hashed, the comparison as what else must hold.
    Hashed,
    /// All in the condition.
    Looped,
    /// The right side runs for each left row's values.
    Dependent,
}

fn value(number: Option<i32>) -> Value {
    number.map_or(Value::Null, Value::Int4)
}

fn batches(rows: &[Row]) -> Vec<Batch> {
    let rows: Vec<Vec<Value>> = rows
        .iter()
        .map(|(key, number)| vec![value(*key), value(*number)])
        .collect();
    batches_of("ii", &rows, 3)
}

fn plan(setting: &Setting, kind: JoinKind, form: Form) -> Plan {
    let mut join = JoinNode::new(kind, setting.scan(0, "ii"), setting.scan(1, "ii"));
    let number = || compare(column(1, INT4), CompareOp::LtEq, column(3, INT4));
    match form {
        Form::Hashed => {
            join.equal = vec![(column(0, INT4), column(0, INT4))];
            join.residual = Some(number());
        }
        Form::Looped => {
            let key = compare(column(0, INT4), CompareOp::Eq, column(2, INT4));
            join.residual = Some(Expr::And(vec![key, number()]));
        }
        Form::Dependent => {
            let outer = |slot| Expr::Outer { slot, ty: INT4 };
            join.right = Box::new(Plan::Filter {
                input: join.right,
                predicate: Expr::And(vec![
                    compare(outer(0), CompareOp::Eq, column(0, INT4)),
                    compare(outer(1), CompareOp::LtEq, column(1, INT4)),
                ]),
            });
            join.outer = vec![(0, column(0, INT4)), (1, column(1, INT4))];
        }
    }
    Plan::Join(join)
}

fn matches(left: &Row, right: &Row) -> bool {
    let key = left.0.is_some() && left.0 == right.0;
    key && matches!((left.1, right.1), (Some(a), Some(b)) if a <= b)
}

/// What a join gives, by loops; `None` for a second match of a single join.
fn twin(kind: JoinKind, left: &[Row], right: &[Row]) -> Option<Vec<Vec<Value>>> {
    let shown = |row: &Row| vec![value(row.0), value(row.1)];
    let nulls = || vec![Value::Null, Value::Null];
    let mut rows = Vec::new();
    for l in left {
        let found: Vec<&Row> = right.iter().filter(|r| matches(l, r)).collect();
        let both = |r: &Row| [shown(l), shown(r)].concat();
        match kind {
            JoinKind::Single if found.len() > 1 => return None,
            JoinKind::Semi if !found.is_empty() => rows.push(shown(l)),
            JoinKind::Anti if found.is_empty() => rows.push(shown(l)),
            JoinKind::Semi | JoinKind::Anti => {}
            JoinKind::Mark => {
                let mut row = shown(l);
                row.push(Value::Boolean(!found.is_empty()));
                rows.push(row);
            }
            JoinKind::Left | JoinKind::Full | JoinKind::Single if found.is_empty() => {
                rows.push([shown(l), nulls()].concat());
            }
            _ => rows.extend(found.into_iter().map(both)),
        }
    }
    if matches!(kind, JoinKind::Right | JoinKind::Full) {
        let lonely = |r: &&Row| !left.iter().any(|l| matches(l, r));
        let lonely = right.iter().filter(lonely);
        rows.extend(lonely.map(|r| [nulls(), shown(r)].concat()));
    }
    Some(rows)
}

fn rows_of(batches: &[Batch]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for batch in batches {
        let batch = batch.compact();
        for row in 0..batch.rows() {
            let cells = batch.physical_columns().iter();
            rows.push(cells.map(|cell| cell.value(row)).collect());
        }
    }
    rows
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let number = || prop_oneof![1 => Just(None), 5 => (0..4).prop_map(Some)];
    proptest::collection::vec((number(), number()), 0..12)
}

const KINDS: [JoinKind; 8] = [
    JoinKind::Inner,
    JoinKind::Left,
    JoinKind::Right,
    JoinKind::Full,
    JoinKind::Semi,
    JoinKind::Anti,
    JoinKind::Mark,
    JoinKind::Single,
];

proptest! {
    #[test]
    fn joins_like_loops(left in rows(), right in rows()) {
        for kind in KINDS {
            let expected = twin(kind, &left, &right);
            for form in [Form::Hashed, Form::Looped, Form::Dependent] {
                let keeps_right = matches!(kind, JoinKind::Right | JoinKind::Full);
                if keeps_right && matches!(form, Form::Dependent) {
                    continue;
                }
                let mut setting = Setting::with(batches(&left));
                setting.add_table(batches(&right));
                let seen = setting.run(&plan(&setting, kind, form));
                match &expected {
                    Some(rows) => prop_assert_eq!(&rows_of(&seen.unwrap()), rows, "{:?} {:?}", kind, form),
                    None => {
                        let state = seen.unwrap_err().state();
                        prop_assert_eq!(state, SqlState::CARDINALITY_VIOLATION);
                    }
                }
            }
        }
    }

    #[test]
    fn marks_like_three_valued_in(left in rows(), right in rows(), grouped in proptest::bool::ANY) {
        // The number is looked for among the right numbers, of rows with the same key or of all.
        let hashed = Mark::Equal(column(1, INT4), column(1, INT4));
        let looped = Mark::Condition(compare(column(1, INT4), CompareOp::Eq, column(3, INT4)));
        for mark in [hashed, looped] {
            let mut setting = Setting::with(batches(&left));
            setting.add_table(batches(&right));
            let mut join = JoinNode::new(JoinKind::Mark, setting.scan(0, "ii"), setting.scan(1, "ii"));
            if grouped {
                join.equal = vec![(column(0, INT4), column(0, INT4))];
            }
            join.mark = mark;
            let seen = rows_of(&setting.run(&Plan::Join(join)).unwrap());
            for (row, l) in seen.iter().zip(&left) {
                let same_key = |r: &&Row| !grouped || (l.0.is_some() && l.0 == r.0);
                let tests = right.iter().filter(same_key).map(|r| Some(l.1? == r.1?));
                let tests: Vec<Option<bool>> = tests.collect();
                let expected = if tests.contains(&Some(true)) {
                    Some(true)
                } else if tests.contains(&None) {
                    None
                } else {
                    Some(false)
                };
                prop_assert_eq!(&row[2], &expected.map_or(Value::Null, Value::Boolean));
            }
        }
    }
}
