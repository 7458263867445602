//! Functions by name, with PostgreSQL's documented answers.

use varve_types::{LogicalType, Value};

use super::evaluate_constant;
use crate::tree::{DEFAULT_LOCALE, EvalContext, Expr, Locale, Parameter, Parameters};
use crate::{cast_value, format_value, resolve_function, resolve_operator};

use Value::{Float4, Float8, Int2, Int4, Int8};

fn t(text: &str) -> Value {
    Value::text(text)
}

fn stamp(text: &str) -> Value {
    crate::parse_value(text, LogicalType::Timestamp, &DEFAULT_LOCALE).unwrap()
}

fn date(text: &str) -> Value {
    crate::parse_value(text, LogicalType::Date, &DEFAULT_LOCALE).unwrap()
}

/// Resolves, casts the arguments and evaluates; the answer as text.
fn answer(name: &str, args: &[Value]) -> String {
    let types: Vec<_> = args.iter().map(Value::logical_type).collect();
    let function = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        resolve_function(name, &types, 5)
    } else {
        resolve_operator(name, &types, 5)
    };
    let evaluated = function.and_then(|function| {
        let args = args.iter().enumerate().map(|(i, arg)| {
            let ty = function
                .arg_type(i)
                .or(arg.logical_type())
                .unwrap_or(LogicalType::Text);
            let value = cast_value(arg, ty, true, &DEFAULT_LOCALE)?;
            Ok(Expr::Literal { value, ty })
        });
        let call = Expr::Call {
            function,
            args: args.collect::<varve_types::Result<_>>()?,
            position: 5,
        };
        let context = EvalContext {
            params: Parameters::NONE,
            outer: &[],
            locale: &Locale {
                now_us: 1_357_020_000_250_000,
                ..Locale::default()
            },
            host: None,
        };
        evaluate_constant(&call, &context)
    });
    match evaluated {
        Ok(Value::Null) => "NULL".to_owned(),
        Ok(value) => format_value(&value, &DEFAULT_LOCALE),
        Err(error) => {
            format!("{} {error}", error.state().code())
        }
    }
}

fn check(cases: &[(&str, &[Value], &str)]) {
    for (name, args, expected) in cases {
        assert_eq!(answer(name, args), *expected, "{name} {args:?}");
    }
}

fn num(text: &str) -> Value {
    Value::Numeric(varve_types::Decimal::parse(text).unwrap())
}

#[test]
fn arithmetic() {
    check(&[
        (
            "+",
            &[Int4(i32::MAX), Int4(1)],
            "22003 integer out of range",
        ),
        ("*", &[Int8(i64::MAX), Int4(2)], "22003 bigint out of range"),
        ("-", &[Int4(i32::MIN)], "22003 integer out of range"),
        ("-", &[Float8(0.0)], "-0"),
        ("/", &[Int4(-7), Int4(2)], "-3"),
        ("%", &[Int4(-7), Int4(2)], "-1"),
        (
            "/",
            &[Int4(i32::MIN), Int4(-1)],
            "22003 integer out of range",
        ),
        ("%", &[Int4(i32::MIN), Int4(-1)], "0"),
        ("/", &[Int4(1), Int4(0)], "22012 division by zero"),
        ("%", &[Int8(1), Int8(0)], "22012 division by zero"),
        ("/", &[Float8(1.0), Float8(0.0)], "22012 division by zero"),
        ("/", &[Float8(f64::NAN), Float8(0.0)], "NaN"),
        (
            "*",
            &[Float8(1e200), Float8(1e200)],
            "22003 value out of range: overflow",
        ),
        (
            "*",
            &[Float8(1e-200), Float8(1e-200)],
            "22003 value out of range: underflow",
        ),
        ("%", &[num("5.5"), Int4(2)], "1.5"),
        ("+", &[num("1.10"), Int8(2)], "3.10"),
        ("*", &[Int2(300), Int2(300)], "22003 smallint out of range"),
        ("+", &[Int2(1), Int8(2)], "3"),
        (
            "*",
            &[Float4(1e30), Float4(1e30)],
            "22003 value out of range: overflow",
        ),
        ("+", &[Float4(0.1), Float4(0.2)], "0.3"),
        ("+", &[Float4(0.5), Int4(1)], "1.5"),
        ("/", &[num("1"), num("0")], "22012 division by zero"),
        ("/", &[Int4(1), num("3")], "0.33333333333333333333"),
        ("+", &[Int4(1), Value::Null], "NULL"),
        ("^", &[Int4(2), Int4(10)], "1024"),
        ("+", &[date("2013-02-28"), Int4(1)], "2013-03-01"),
        ("-", &[date("2013-03-01"), Int4(1)], "2013-02-28"),
        ("-", &[date("2013-03-01"), date("2012-03-01")], "365"),
        (
            "+",
            &[date("5874897-12-31"), Int4(1)],
            "22008 date out of range",
        ),
    ]);
}

#[test]
fn mathematics() {
    check(&[
        ("abs", &[Int4(i32::MIN)], "22003 integer out of range"),
        ("abs", &[Float8(-1.5)], "1.5"),
        ("round", &[Float8(2.5)], "2"),
        ("round", &[Float8(-3.5)], "-4"),
        ("round", &[num("42.4382"), Int4(2)], "42.44"),
        ("round", &[num("1234.5"), Int4(-2)], "1200"),
        ("round", &[num("2.5")], "3"),
        ("trunc", &[Float8(-42.8)], "-42"),
        ("trunc", &[num("42.4382"), Int4(2)], "42.43"),
        ("ceiling", &[Float8(-42.8)], "-42"),
        ("floor", &[Float8(-42.8)], "-43"),
        ("sign", &[Float8(-8.4)], "-1"),
        ("sqrt", &[Int4(4)], "2"),
        (
            "sqrt",
            &[Int4(-4)],
            "2201F cannot take square root of a negative number",
        ),
        ("ln", &[Int4(0)], "2201E cannot take logarithm of zero"),
        (
            "log",
            &[Int4(-1)],
            "2201E cannot take logarithm of a negative number",
        ),
        ("log", &[Int4(100)], "2"),
        ("log", &[num("2.0"), num("64.0")], "6.0000000000000000"),
        ("exp", &[Int4(1000)], "22003 value out of range: overflow"),
        ("power", &[Int4(9), Int4(3)], "729"),
        (
            "power",
            &[Int4(0), Int4(-1)],
            "2201F zero raised to a negative power is undefined",
        ),
        (
            "power",
            &[Int4(-1), Float8(0.5)],
            "2201F a negative number raised to a non-integer power yields a complex result",
        ),
        ("mod", &[Int4(9), Int4(4)], "1"),
        ("pi", &[], "3.141592653589793"),
        ("greatest", &[Int4(1), Value::Null, Int8(5)], "5"),
        ("least", &[t("b"), t("a"), Value::Null], "a"),
        ("least", &[Value::Null], "NULL"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("||", &[t("Value: "), Int4(42)], "Value: 42"),
        ("||", &[t("is "), Value::Boolean(true)], "is true"),
        ("||", &[t("a"), Value::Null], "NULL"),
        (
            "concat",
            &[t("abc"), Int4(2), Value::Null, Value::Boolean(true)],
            "abc2t",
        ),
        ("length", &[t("jos\u{e9}")], "4"),
        ("octet_length", &[t("jos\u{e9}")], "5"),
        ("lower", &[t("TOM\u{c9}")], "tom\u{e9}"),
        ("upper", &[t("tom\u{df}")], "TOM\u{df}"),
        ("initcap", &[t("hi THOMAS o'neil")], "Hi Thomas O'Neil"),
        ("substr", &[t("alphabet"), Int4(3)], "phabet"),
        ("substr", &[t("alphabet"), Int4(3), Int4(2)], "ph"),
        ("substring", &[t("Thomas"), Int4(0), Int4(3)], "Th"),
        (
            "substring",
            &[t("\u{e9}\u{e8}x"), Int4(2), Int4(9)],
            "\u{e8}x",
        ),
        ("substring", &[t("\u{e9}\u{e8}x"), Int4(4)], ""),
        (
            "substring",
            &[t("a"), Int4(1), Int4(-1)],
            "22011 negative substring length not allowed",
        ),
        ("substring", &[t("abc"), Int4(i32::MIN), Int4(i32::MAX)], ""),
        ("left", &[t("abcde"), Int4(2)], "ab"),
        ("left", &[t("abcde"), Int4(-2)], "abc"),
        ("left", &[t("abcde"), Int4(i32::MIN)], ""),
        ("right", &[t("abcde"), Int4(2)], "de"),
        ("right", &[t("abcde"), Int4(-2)], "cde"),
        ("right", &[t("abcde"), Int4(9)], "abcde"),
        ("btrim", &[t("xyxtrimyyx"), t("xyz")], "trim"),
        ("ltrim", &[t("  trim ")], "trim "),
        ("rtrim", &[t("testxxzx"), t("xyz")], "test"),
        (
            "replace",
            &[t("abcdefabcdef"), t("cd"), t("XX")],
            "abXXefabXXef",
        ),
        ("replace", &[t("abc"), t(""), t("XX")], "abc"),
        ("strpos", &[t("high"), t("ig")], "2"),
        ("strpos", &[t("\u{e9}b"), t("b")], "2"),
        ("strpos", &[t("high"), t("x")], "0"),
        ("strpos", &[t("high"), t("")], "1"),
        ("starts_with", &[t("alphabet"), t("alph")], "t"),
        ("repeat", &[t("Pg"), Int4(4)], "PgPgPgPg"),
        ("repeat", &[t("Pg"), Int4(-4)], ""),
        (
            "repeat",
            &[t("Pg"), Int4(i32::MAX)],
            "54000 requested length too large",
        ),
        ("reverse", &[t("abc\u{e9}")], "\u{e9}cba"),
    ]);
}

#[test]
fn patterns() {
    check(&[
        ("~~", &[t("abc"), t("a%")], "t"),
        ("~~", &[t("abc"), t("_b_")], "t"),
        ("~~", &[t("abc"), t("c")], "f"),
        ("~~", &[t("a%c"), t("a\\%c")], "t"),
        ("~~", &[t("abc"), t("a\\%c")], "f"),
        ("~~", &[t(""), t("%")], "t"),
        (
            "~~",
            &[t("ab"), t("a\\")],
            "22025 LIKE pattern must not end with escape character",
        ),
        ("!~~", &[t("abc"), t("a%")], "f"),
        ("~~*", &[t("ABC\u{c9}"), t("a%\u{e9}")], "t"),
        ("!~~*", &[t("ABC"), t("b%")], "t"),
        ("~~", &[Value::Null, t("b%")], "NULL"),
        ("like_escape", &[t("10!%"), t("!")], "10\\%"),
        ("like_escape", &[t("a\\b"), t("")], "a\\\\b"),
        (
            "like_escape",
            &[t("a"), t("ab")],
            "22025 invalid escape string",
        ),
    ]);
}

#[test]
fn dates_and_times() {
    let moment = || stamp("2001-02-16 20:38:40.5");
    let part = |field: &str| answer("date_part", &[t(field), moment()]);
    let cases = [
        ("microseconds", "40500000"),
        ("milliseconds", "40500"),
        ("second", "40.5"),
        ("minute", "38"),
        ("hour", "20"),
        ("day", "16"),
        ("dow", "5"),
        ("isodow", "5"),
        ("doy", "47"),
        ("week", "7"),
        ("isoyear", "2001"),
        ("month", "2"),
        ("quarter", "1"),
        ("YEAR", "2001"),
        ("decade", "200"),
        ("century", "21"),
        ("millennium", "3"),
        ("epoch", "982355920.5"),
        (
            "timezone",
            "0A000 unit \"timezone\" not supported for type timestamp without time zone",
        ),
        (
            "eon",
            "22023 unit \"eon\" not recognized for type timestamp without time zone",
        ),
    ];
    for (field, expected) in cases {
        assert_eq!(part(field), expected, "{field}");
    }
    let truncated = |field: &str| answer("date_trunc", &[t(field), moment()]);
    let cases = [
        ("milliseconds", "2001-02-16 20:38:40.5"),
        ("second", "2001-02-16 20:38:40"),
        ("minute", "2001-02-16 20:38:00"),
        ("hour", "2001-02-16 20:00:00"),
        ("day", "2001-02-16 00:00:00"),
        ("week", "2001-02-12 00:00:00"),
        ("month", "2001-02-01 00:00:00"),
        ("quarter", "2001-01-01 00:00:00"),
        ("year", "2001-01-01 00:00:00"),
        ("decade", "2000-01-01 00:00:00"),
        ("century", "2001-01-01 00:00:00"),
        ("millennium", "2001-01-01 00:00:00"),
        (
            "dow",
            "22023 unit \"dow\" not recognized for type timestamp without time zone",
        ),
    ];
    for (field, expected) in cases {
        assert_eq!(truncated(field), expected, "{field}");
    }
    check(&[
        ("date_part", &[t("isoyear"), stamp("2006-01-01")], "2005"),
        ("date_part", &[t("week"), stamp("2006-01-01")], "52"),
        ("date_part", &[t("isodow"), stamp("2001-02-18")], "7"),
        ("date_part", &[t("dow"), stamp("2001-02-18")], "0"),
        ("date_part", &[t("century"), stamp("2000-12-16")], "20"),
        ("date_part", &[t("year"), stamp("0001-12-31 BC")], "-1"),
        ("date_part", &[t("century"), stamp("0001-12-31 BC")], "-1"),
        ("date_part", &[t("hour"), date("2001-02-16")], "0"),
        ("date_part", &[t("julian"), stamp("2006-01-01")], "2453737"),
        ("extract", &[t("doy"), date("2001-02-16")], "47"),
        ("extract", &[t("epoch"), date("1970-01-02")], "86400"),
        (
            "extract",
            &[t("hour"), date("2001-02-16")],
            "0A000 unit \"hour\" not supported for type date",
        ),
        (
            "date_trunc",
            &[t("month"), date("2001-02-16")],
            "2001-02-01 00:00:00+00",
        ),
        ("now", &[], "2013-01-01 06:00:00.25+00"),
        ("localtimestamp", &[], "2013-01-01 06:00:00.25"),
        ("current_date", &[], "2013-01-01"),
    ]);
}

#[test]
fn parameters_take_the_type_that_was_inferred() {
    let parameter = |index| Expr::Parameter {
        parameter: Parameter::Given(index),
        ty: LogicalType::Int8,
    };
    let given = [Int4(3), t("4")];
    let context = EvalContext {
        params: Parameters::given(&given),
        outer: &[],
        locale: &DEFAULT_LOCALE,
        host: None,
    };
    assert_eq!(evaluate_constant(&parameter(0), &context), Ok(Int8(3)));
    assert_eq!(evaluate_constant(&parameter(1), &context), Ok(Int8(4)));
    let error = evaluate_constant(&parameter(2), &context).unwrap_err();
    assert_eq!(
        (error.state().code(), error.message()),
        ("42P02", "there is no parameter $3")
    );
}
