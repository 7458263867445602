//! Functions of which the table has the name only.

use std::sync::Arc;

use varve_types::{ArrayValue, ElementType, LogicalType, Result, RowTypeId, TypeMod, Value};

use super::evaluate_constant;
use super::twin_tests::CONTEXT;
use crate::resolve::resolve_operator;
use crate::tree::{DEFAULT_LOCALE, EvalContext, Expr, Function, Locale, Names, NamesRef};

fn array(element: ElementType, values: Vec<Value>) -> Value {
    Value::array(&ArrayValue::of(element, values))
}

fn call(name: &str, args: &[Value], context: &EvalContext<'_>) -> Result<Value> {
    let literal = |value: &Value| Expr::Literal {
        value: value.clone(),
        ty: value.logical_type().unwrap(),
    };
    let call = Expr::Call {
        function: Function::form(name, None).unwrap(),
        args: args.iter().map(literal).collect(),
        position: 0,
    };
    evaluate_constant(&call, context)
}

#[test]
fn any_and_all_apply_an_operator_to_each_element() {
    let numbers = |numbers: &[i32]| {
        let values = numbers.iter().map(|number| Value::Int4(*number));
        array(ElementType::Int4, values.collect())
    };
    let patterns = || {
        array(
            ElementType::Text,
            vec![Value::text("a%"), Value::text("%b")],
        )
    };
    let cases = [
        ("=", Value::Int4(2), numbers(&[1, 2]), true, false),
        ("=", Value::Int4(3), numbers(&[1, 2]), false, false),
        (">", Value::Int4(3), numbers(&[1, 2]), true, true),
        (">", Value::Int4(3), numbers(&[]), false, true),
        ("~~", Value::text("abc"), patterns(), true, false),
        ("~~", Value::text("ab"), patterns(), true, true),
    ];
    for (operator, value, array, any, all) in cases {
        let args = [Value::text(operator), value, array];
        let answer = |name| call(name, &args, &CONTEXT).unwrap();
        assert_eq!(answer("\0any"), Value::Boolean(any), "{args:?}");
        assert_eq!(answer("\0all"), Value::Boolean(all), "{args:?}");
    }
}

/// A catalog with one domain, of numbers by which 1 can be divided.
#[derive(Debug)]
struct Divisors;

impl Names for Divisors {
    fn reg_name(&self, _: LogicalType, _: u32) -> Option<String> {
        None
    }

    fn reg_oid(&self, _: LogicalType, _: &str) -> Result<u32> {
        Ok(0)
    }

    fn type_named(&self, _: &str) -> Result<(LogicalType, TypeMod)> {
        Ok((LogicalType::Int4, TypeMod::NONE))
    }

    fn row_fields(&self, _: RowTypeId) -> Option<Vec<(String, LogicalType, TypeMod)>> {
        None
    }

    fn element_condition(&self, array_type: u32) -> Result<Expr> {
        assert_eq!(array_type, 17);
        let ty = LogicalType::Int4;
        let one = Value::Int4(1);
        Ok(Expr::Call {
            function: resolve_operator("/", &[Some(ty), Some(ty)], 0)?,
            args: vec![
                Expr::Literal { value: one, ty },
                Expr::Column { index: 0, ty },
            ],
            position: 0,
        })
    }

    fn answer(&self, _: &str, _: &[Value]) -> Result<Value> {
        Ok(Value::Null)
    }
}

#[test]
fn the_condition_of_a_domain_is_evaluated_for_each_element() {
    let locale = Locale {
        names: Some(NamesRef(Arc::new(Divisors))),
        ..DEFAULT_LOCALE.clone()
    };
    let context = EvalContext {
        locale: &locale,
        ..CONTEXT
    };
    let hold = |numbers: &[i32]| {
        let values = numbers.iter().map(|number| Value::Int4(*number));
        let array = array(ElementType::Int4, values.collect());
        call("\0domains", &[array, Value::Int4(17)], &context)
    };
    assert_eq!(hold(&[1, 2]).unwrap(), Value::Boolean(true));
    assert_eq!(hold(&[1, 0]).unwrap_err().state().code(), "22012");
}
