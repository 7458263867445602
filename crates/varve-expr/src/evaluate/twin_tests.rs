//! Random expressions over columns in every form, against an evaluator that takes one row at a
//! time.

use std::sync::Arc;

use proptest::prelude::{prop_assert_eq, proptest};
use varve_types::{Batch, Column, ColumnBuilder, CompareOp, LogicalType, Selection, Value};

use super::forms::{column_in_form, domain};
use super::{evaluate, evaluate_filter};
use crate::tree::{DEFAULT_LOCALE, EvalContext, Expr, Parameters};
use crate::{cast_value, fold, resolve_function, resolve_operator};

use LogicalType as T;

const TYPES: [LogicalType; 6] = [T::Int4, T::Int4, T::Int8, T::Float8, T::Text, T::Boolean];

pub(crate) const CONTEXT: EvalContext<'_> = EvalContext {
    params: Parameters::NONE,
    outer: &[],
    locale: &DEFAULT_LOCALE,
    host: None,
};

/// A small generator of choices, so that a failing case is one number.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn pick<V: Clone>(&mut self, from: &[V]) -> V {
        from[self.below(from.len())].clone()
    }
}

fn leaf(choices: &mut Choices, ty: LogicalType) -> Expr {
    let columns: Vec<usize> = (0..TYPES.len()).filter(|i| TYPES[*i] == ty).collect();
    if choices.below(3) > 0 && !columns.is_empty() {
        return Expr::Column {
            index: choices.pick(&columns),
            ty,
        };
    }
    Expr::Literal {
        value: choices.pick(&domain(ty)),
        ty,
    }
}

fn expression(choices: &mut Choices, ty: LogicalType, depth: usize) -> Expr {
    if depth == 0 {
        return leaf(choices, ty);
    }
    let part = |choices: &mut Choices, ty| Box::new(expression(choices, ty, depth - 1));
    match choices.below(6) {
        0 => return leaf(choices, ty),
        1 => {
            let condition = *part(choices, T::Boolean);
            return Expr::Case {
                branches: vec![
                    (condition, *part(choices, ty)),
                    (*part(choices, T::Boolean), *part(choices, ty)),
                ],
                otherwise: (choices.below(2) == 0).then(|| part(choices, ty)),
                ty,
            };
        }
        2 => {
            return Expr::Coalesce {
                args: vec![*part(choices, ty), *part(choices, ty)],
                ty,
            };
        }
        _ => {}
    }
    if ty == T::Boolean {
        return condition(choices, depth);
    }
    let (name, args): (&str, &[LogicalType]) = match ty {
        T::Int4 => choices.pick(&[
            ("+", &[T::Int4, T::Int4] as &[_]),
            ("-", &[T::Int4, T::Int4]),
            ("*", &[T::Int4, T::Int4]),
            ("/", &[T::Int4, T::Int4]),
            ("%", &[T::Int4, T::Int4]),
            ("length", &[T::Text]),
        ]),
        T::Int8 => choices.pick(&[
            ("+", &[T::Int8, T::Int8] as &[_]),
            ("-", &[T::Int8, T::Int8]),
            ("*", &[T::Int8, T::Int8]),
            ("/", &[T::Int8, T::Int8]),
            ("%", &[T::Int8, T::Int8]),
            ("cast", &[T::Int4]),
        ]),
        T::Float8 => choices.pick(&[
            ("+", &[T::Float8, T::Float8] as &[_]),
            ("-", &[T::Float8, T::Float8]),
            ("*", &[T::Float8, T::Float8]),
            ("/", &[T::Float8, T::Float8]),
            ("floor", &[T::Float8]),
            ("cast", &[T::Int8]),
        ]),
        _ => choices.pick(&[
            ("||", &[T::Text, T::Text] as &[_]),
            ("lower", &[T::Text]),
            ("left", &[T::Text, T::Int4]),
            ("cast", &[T::Int8]),
            ("cast", &[T::Float8]),
        ]),
    };
    if name == "cast" {
        return Expr::Cast {
            modifier: varve_types::TypeMod::NONE,
            explicit: true,
            input: part(choices, args[0]),
            to: ty,
            position: 0,
        };
    }
    call(name, args.iter().map(|ty| *part(choices, *ty)).collect())
}

fn condition(choices: &mut Choices, depth: usize) -> Expr {
    let ty = choices.pick(&TYPES);
    let part = |choices: &mut Choices, ty| Box::new(expression(choices, ty, depth - 1));
    let ops = [
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ];
    match choices.below(8) {
        0 => Expr::And(vec![*part(choices, T::Boolean), *part(choices, T::Boolean)]),
        1 => Expr::Or(vec![*part(choices, T::Boolean), *part(choices, T::Boolean)]),
        2 => Expr::Not(part(choices, T::Boolean)),
        3 => Expr::IsNull {
            input: part(choices, ty),
            negated: choices.below(2) == 0,
        },
        4 => Expr::InList {
            input: part(choices, ty),
            list: if choices.below(2) == 0 {
                vec![*part(choices, ty), *part(choices, ty)]
            } else {
                let items = [choices.pick(&domain(ty)), choices.pick(&domain(ty))];
                items.map(|value| Expr::Literal { value, ty }).to_vec()
            },
            negated: choices.below(2) == 0,
        },
        5 => Expr::Distinct {
            left: part(choices, ty),
            right: part(choices, ty),
            negated: choices.below(2) == 0,
        },
        6 => call("~~", vec![*part(choices, T::Text), leaf(choices, T::Text)]),
        _ => Expr::Compare {
            op: choices.pick(&ops),
            left: part(choices, ty),
            right: part(choices, ty),
        },
    }
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    let types: Vec<_> = args.iter().map(|arg| Some(arg.logical_type())).collect();
    let function = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        resolve_function(name, &types, 0)
    } else {
        resolve_operator(name, &types, 0)
    };
    Expr::Call {
        function: function.unwrap(),
        args,
        position: 0,
    }
}

type Outcome = Result<Value, String>;

fn slow(expr: &Expr, row: &[Value]) -> Outcome {
    let truth = |expr: &Expr| -> Result<Option<bool>, String> {
        Ok(match slow(expr, row)? {
            Value::Boolean(bit) => Some(bit),
            _ => None,
        })
    };
    let boolean = |value: Option<bool>| Ok(value.map_or(Value::Null, Value::Boolean));
    match expr {
        Expr::Column { index, .. } => Ok(row[*index].clone()),
        Expr::Literal { value, .. } => Ok(value.clone()),
        Expr::Placeholder { .. } | Expr::Parameter { .. } | Expr::Outer { .. } => {
            Err("no parameters here".to_owned())
        }
        Expr::Compare { op, left, right } => {
            let order = slow(left, row)?.compare(&slow(right, row)?);
            boolean(order.map(|order| op.holds(order)))
        }
        Expr::Distinct {
            left,
            right,
            negated,
        } => {
            let (left, right) = (slow(left, row)?, slow(right, row)?);
            let same = match left.compare(&right) {
                Some(order) => order.is_eq(),
                None => left.is_null() && right.is_null(),
            };
            boolean(Some(same == *negated))
        }
        Expr::And(operands) => {
            let mut all = Some(true);
            for operand in operands {
                all = match (all, truth(operand)?) {
                    (_, Some(false)) => return boolean(Some(false)),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                };
            }
            boolean(all)
        }
        Expr::Or(operands) => {
            let mut any = Some(false);
            for operand in operands {
                any = match (any, truth(operand)?) {
                    (_, Some(true)) => return boolean(Some(true)),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
            boolean(any)
        }
        Expr::Not(input) => boolean(truth(input)?.map(|bit| !bit)),
        Expr::IsNull { input, negated } => boolean(Some(slow(input, row)?.is_null() != *negated)),
        Expr::InList {
            input,
            list,
            negated,
        } => {
            let wanted = slow(input, row)?;
            let mut found = Some(false);
            for item in list {
                found = match (found, wanted.compare(&slow(item, row)?)) {
                    (Some(true), _) => Some(true),
                    (_, Some(order)) if order.is_eq() => Some(true),
                    (Some(false), Some(_)) => Some(false),
                    _ => None,
                };
            }
            boolean(found.map(|found| found != *negated))
        }
        Expr::Cast { input, to, .. } => cast_value(&slow(input, row)?, *to, true, &DEFAULT_LOCALE)
            .map_err(|error| error.to_string()),
        Expr::Case {
            branches,
            otherwise,
            ..
        } => {
            for (condition, value) in branches {
                if truth(condition)? == Some(true) {
                    return slow(value, row);
                }
            }
            otherwise
                .as_ref()
                .map_or(Ok(Value::Null), |value| slow(value, row))
        }
        Expr::Coalesce { args, .. } => {
            for arg in args {
                let value = slow(arg, row)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Ok(Value::Null)
        }
        Expr::Call { function, args, .. } => {
            let args = args
                .iter()
                .map(|arg| slow(arg, row))
                .collect::<Result<Vec<_>, _>>()?;
            if args.iter().any(Value::is_null) {
                return Ok(Value::Null);
            }
            slow_call(function.name(), &args)
        }
    }
}

fn slow_call(name: &str, args: &[Value]) -> Outcome {
    let range = |what: &str| Err(format!("{what} out of range"));
    match args {
        [Value::Int4(a), Value::Int4(b)] => {
            let number = slow_integer(name, i128::from(*a), i128::from(*b))?;
            i32::try_from(number).map_or_else(|_| range("integer"), |n| Ok(Value::Int4(n)))
        }
        [Value::Int8(a), Value::Int8(b)] => {
            let number = slow_integer(name, i128::from(*a), i128::from(*b))?;
            i64::try_from(number).map_or_else(|_| range("bigint"), |n| Ok(Value::Int8(n)))
        }
        [Value::Float8(a), Value::Float8(b)] => slow_double(name, *a, *b).map(Value::Float8),
        [Value::Float8(a)] => Ok(Value::Float8(a.floor())),
        [Value::Text(a), Value::Text(b)] if name == "||" => Ok(Value::text(format!("{a}{b}"))),
        [Value::Text(a), Value::Text(b)] => Ok(Value::Boolean(slow_like(a, b))),
        [Value::Text(a)] if name == "length" => Ok(Value::Int4(a.chars().count() as i32)),
        [Value::Text(a)] => Ok(Value::text(a.to_lowercase())),
        [Value::Text(a), Value::Int4(count)] => {
            let length = a.chars().count() as i64;
            let count = i64::from(*count);
            let kept = if count < 0 { length + count } else { count }.max(0);
            Ok(Value::text(
                a.chars().take(kept as usize).collect::<String>(),
            ))
        }
        other => Err(format!("no twin for {name} {other:?}")),
    }
}

fn slow_integer(name: &str, a: i128, b: i128) -> Result<i128, String> {
    match name {
        "+" => Ok(a + b),
        "-" => Ok(a - b),
        "*" => Ok(a * b),
        _ if b == 0 => Err("division by zero".to_owned()),
        "/" => Ok(a / b),
        _ => Ok(a % b),
    }
}

fn slow_double(name: &str, a: f64, b: f64) -> Result<f64, String> {
    if name == "/" && b == 0.0 && !a.is_nan() {
        return Err("division by zero".to_owned());
    }
    let (result, finite) = match name {
        "+" => (a + b, a.is_finite() && b.is_finite()),
        "-" => (a - b, a.is_finite() && b.is_finite()),
        "*" => (a * b, a.is_finite() && b.is_finite()),
        _ => (a / b, a.is_finite()),
    };
    let vanishes = match name {
        "*" => a != 0.0 && b != 0.0,
        "/" => a != 0.0 && !b.is_infinite(),
        _ => false,
    };
    if result.is_infinite() && finite {
        Err("value out of range: overflow".to_owned())
    } else if result == 0.0 && vanishes {
        Err("value out of range: underflow".to_owned())
    } else {
        Ok(result)
    }
}

fn slow_like(text: &str, pattern: &str) -> bool {
    match (text.chars().next(), pattern.chars().next()) {
        (None, None) => true,
        (_, Some('%')) => {
            let rest = &pattern[1..];
            slow_like(text, rest)
                || text
                    .chars()
                    .next()
                    .is_some_and(|c| slow_like(&text[c.len_utf8()..], pattern))
        }
        (Some(c), Some(p)) if p == '_' || p == c => {
            slow_like(&text[c.len_utf8()..], &pattern[p.len_utf8()..])
        }
        _ => false,
    }
}

fn batch_of(choices: &mut Choices, rows: usize) -> Batch {
    let columns = TYPES.map(|ty| {
        let values: Vec<Value> = (0..rows).map(|_| choices.pick(&domain(ty))).collect();
        column_in_form(ty, &values, choices.below(4))
    });
    let batch = Batch::new(columns.to_vec(), rows);
    if choices.below(2) == 0 {
        return batch;
    }
    let chosen = (0..rows as u32).filter(|_| choices.below(3) > 0);
    batch.select(&Selection::new(chosen.collect()))
}

fn rows_of(batch: &Batch) -> Vec<Vec<Value>> {
    let columns: Vec<_> = (0..batch.width())
        .map(|i| batch.column(i).unwrap())
        .collect();
    (0..batch.rows())
        .map(|row| columns.iter().map(|column| column.value(row)).collect())
        .collect()
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4000))]
    #[test]
    fn columns_as_row_by_row(seed: u64, rows in 0..24_usize, which in 0..5_usize) {
        let mut choices = Choices(seed);
        let ty = [T::Int4, T::Int8, T::Float8, T::Text, T::Boolean][which];
        let expr = expression(&mut choices, ty, 3);
        let batch = batch_of(&mut choices, rows);
        let expected: Result<Vec<Value>, String> =
            rows_of(&batch).iter().map(|row| slow(&expr, row)).collect();
        let fast = evaluate(&expr, &batch, &CONTEXT);
        let folded = evaluate(&fold(expr.clone()), &batch, &CONTEXT);
        match &expected {
            Ok(values) => {
                let mut builder = ColumnBuilder::new(ty);
                values.iter().for_each(|value| builder.push(value));
                let expected: Column = builder.finish();
                prop_assert_eq!(&*fast.unwrap(), &expected, "{:?}", expr);
                prop_assert_eq!(&*folded.unwrap(), &expected, "folded {:?}", expr);
            }
            Err(_) => {
                let message = fast.as_ref().map_err(ToString::to_string).err();
                prop_assert_eq!(message.is_some(), true, "{:?}", expr);
            }
        }
        if let (Ok(values), T::Boolean) = (&expected, ty) {
            let wanted: Vec<u32> = (0..values.len() as u32)
                .filter(|row| values[*row as usize] == Value::Boolean(true))
                .collect();
            let found = evaluate_filter(&expr, &batch, &CONTEXT).unwrap();
            prop_assert_eq!(found.rows(), wanted, "{:?}", expr);
        }
    }
}

#[test]
fn a_row_that_is_not_reached_raises_no_error() {
    let int = |number| Expr::Literal {
        value: Value::Int4(number),
        ty: T::Int4,
    };
    let x = Expr::Column {
        index: 0,
        ty: T::Int4,
    };
    let compare = |op, left: Expr, right: Expr| Expr::Compare {
        op,
        left: Box::new(left),
        right: Box::new(right),
    };
    let guarded = Expr::And(vec![
        compare(CompareOp::NotEq, x.clone(), int(0)),
        compare(CompareOp::Gt, call("/", vec![int(10), x.clone()]), int(1)),
    ]);
    let values: Vec<Value> = [0, 2, 7, 0].map(Value::Int4).to_vec();
    for form in 0..3 {
        let batch = Batch::new(vec![column_in_form(T::Int4, &values, form)], 4);
        let kept = evaluate_filter(&guarded, &batch, &CONTEXT).unwrap();
        assert_eq!(kept.rows(), [1], "form {form}");
        let column = evaluate(&guarded, &batch, &CONTEXT).unwrap();
        let expected = [false, true, false, false].map(Value::Boolean);
        assert_eq!(
            *column,
            Column::from_values(T::Boolean, &expected),
            "form {form}"
        );
        let unguarded = call("/", vec![int(10), x.clone()]);
        let error = evaluate(&unguarded, &batch, &CONTEXT).unwrap_err();
        assert_eq!(error.state().code(), "22012");
        let nonzero = batch.select(&Selection::new(vec![1, 2]));
        assert!(evaluate(&unguarded, &nonzero, &CONTEXT).is_ok());
    }
}

#[test]
fn texts_of_a_dictionary_stay_a_dictionary_with_distinct_values() {
    let values: Vec<Value> = ["a", "A", "b", "a", "A", "b"].map(Value::text).to_vec();
    let distinct = Arc::new(Column::from_values(T::Text, &values[..3]));
    let column = Column::dictionary(vec![0, 1, 2, 0, 1, 2], distinct, None).unwrap();
    let batch = Batch::new(vec![Arc::new(column)], 6);
    let lower = call(
        "lower",
        vec![Expr::Column {
            index: 0,
            ty: T::Text,
        }],
    );
    let column = evaluate(&lower, &batch, &CONTEXT).unwrap();
    let varve_types::ColumnData::Dictionary { codes, values } = column.data() else {
        panic!("not a dictionary");
    };
    assert_eq!(
        (codes.as_slice(), values.len()),
        ([0, 0, 1, 0, 0, 1].as_slice(), 2)
    );
}

#[test]
fn values_of_every_type_come_out_of_a_dictionary() {
    let values = [Some("1.5"), None, Some("2"), Some("1.5")];
    let values = values.map(|text| text.map_or(Value::Null, Value::text));
    for to in [T::Numeric, T::Interval, T::Jsonb, T::Bytea] {
        for form in 0..3 {
            let batch = Batch::new(vec![column_in_form(T::Text, &values, form)], 4);
            let cast = Expr::Cast {
                input: Box::new(Expr::Column {
                    index: 0,
                    ty: T::Text,
                }),
                to,
                modifier: varve_types::TypeMod::NONE,
                explicit: true,
                position: 0,
            };
            let column = evaluate(&cast, &batch, &CONTEXT).unwrap();
            let rows: Vec<Value> = (0..4).map(|row| column.value(row)).collect();
            assert_eq!(rows[0], rows[3], "{to:?} form {form}");
            assert_eq!(rows[1], Value::Null, "{to:?} form {form}");
            assert!(
                rows[0] != rows[2] && rows[2] != Value::Null,
                "{to:?} form {form}"
            );
        }
    }
}
