//! What a name and argument types resolve to.

use varve_types::LogicalType;

use super::{common_type, resolve_function, resolve_operator};
use crate::tree::Function;
use crate::{AggregateArgs, resolve_aggregate};

use LogicalType as T;

fn shown(result: varve_types::Result<Function>) -> String {
    match result {
        Ok(function) => {
            let args: Vec<_> = function.arg_types().iter().map(|ty| ty.name()).collect();
            format!("({}) {}", args.join(", "), function.result_type())
        }
        Err(error) => format!("{} {error}", error.state().code()),
    }
}

#[test]
fn operators() {
    let (int4, int8, float8, text) = (Some(T::Int4), Some(T::Int8), Some(T::Float8), Some(T::Text));
    let (date, stamp) = (Some(T::Date), Some(T::Timestamp));
    let cases: [(&str, &[Option<LogicalType>], &str); 19] = [
        ("+", &[int4, int4], "(integer, integer) integer"),
        ("+", &[int4, int8], "(bigint, bigint) bigint"),
        (
            "*",
            &[float8, int8],
            "(double precision, double precision) double precision",
        ),
        ("-", &[int4, None], "(integer, integer) integer"),
        ("-", &[None, date], "(date, date) integer"),
        ("-", &[date, int4], "(date, integer) date"),
        ("+", &[int4, date], "(integer, date) date"),
        ("-", &[date, date], "(date, date) integer"),
        ("-", &[int8], "(bigint) bigint"),
        ("||", &[text, int4], "(text, integer) text"),
        ("||", &[int4, None], "(integer, text) text"),
        ("||", &[None, None], "(text, text) text"),
        (
            "||",
            &[int4, int4],
            "42883 operator does not exist: integer || integer",
        ),
        ("~~", &[text, None], "(text, text) boolean"),
        (
            "~~",
            &[int4, None],
            "42883 operator does not exist: integer ~~ unknown",
        ),
        (
            "+",
            &[text, int4],
            "42883 operator does not exist: text + integer",
        ),
        (
            "-",
            &[stamp, stamp],
            "(timestamp without time zone, timestamp without time zone) interval",
        ),
        (
            "^",
            &[int4, int4],
            "(double precision, double precision) double precision",
        ),
        (
            "+",
            &[None, None],
            "42725 operator is not unique: unknown + unknown",
        ),
    ];
    for (op, args, expected) in cases {
        assert_eq!(
            shown(resolve_operator(op, args, 0)),
            expected,
            "{op} {args:?}"
        );
    }
}

#[test]
fn functions() {
    let (int4, int8, text, date) = (Some(T::Int4), Some(T::Int8), Some(T::Text), Some(T::Date));
    let cases: [(&str, &[Option<LogicalType>], &str); 15] = [
        ("abs", &[int8], "(bigint) bigint"),
        ("abs", &[None], "(double precision) double precision"),
        ("round", &[int4], "(double precision) double precision"),
        ("length", &[None], "(text) integer"),
        (
            "length",
            &[int4],
            "42883 function length(integer) does not exist",
        ),
        (
            "date_trunc",
            &[None, date],
            "(text, timestamp with time zone) timestamp with time zone",
        ),
        ("date_part", &[None, date], "(text, date) double precision"),
        ("extract", &[text, date], "(text, date) numeric"),
        ("concat", &[int4, text, None], "() text"),
        ("concat", &[], "42883 function concat() does not exist"),
        ("greatest", &[int4, None, int8], "(bigint) bigint"),
        ("least", &[None], "(text) text"),
        (
            "least",
            &[text, date],
            "42804 LEAST types text and date cannot be matched",
        ),
        ("now", &[], "() timestamp with time zone"),
        (
            "frob",
            &[int4, None],
            "42883 function frob(integer, unknown) does not exist",
        ),
    ];
    for (name, args, expected) in cases {
        assert_eq!(
            shown(resolve_function(name, args, 0)),
            expected,
            "{name} {args:?}"
        );
    }
    let error = resolve_function("length", &[int4], 8).unwrap_err();
    assert_eq!(error.position(), Some(8));
    assert_eq!(
        error.fields().hint.as_deref(),
        Some(
            "No function matches the given name and argument types. You might need to add \
             explicit type casts."
        )
    );
}

#[test]
fn aggregates() {
    let cases = [
        ("count", None, "CountStar"),
        ("count", Some(None), "Count"),
        ("sum", Some(Some(T::Int4)), "Sum(Int4)"),
        (
            "sum",
            Some(Some(T::Text)),
            "42883 function sum(text) does not exist",
        ),
        ("sum", None, "42883 function sum() does not exist"),
        (
            "avg",
            Some(None),
            "42725 function avg(unknown) is not unique",
        ),
        ("max", Some(None), "Max(Text)"),
        ("min", Some(Some(T::Date)), "Min(Date)"),
        ("stddev", Some(None), "Listed(stddev[Float8])"),
        (
            "mode",
            Some(None),
            "42809 WITHIN GROUP is required for ordered-set aggregate mode",
        ),
    ];
    for (name, argument, expected) in cases {
        let types: Vec<Option<LogicalType>> = argument.into_iter().collect();
        let args = match types.as_slice() {
            [] => AggregateArgs::Star,
            types => AggregateArgs::List(types),
        };
        let shown = match resolve_aggregate(name, args, 0) {
            Ok(aggregate) => format!("{:?}", aggregate.unwrap()),
            Err(error) => format!("{} {error}", error.state().code()),
        };
        assert_eq!(shown, expected, "{name} {argument:?}");
    }
    let unknown = AggregateArgs::List(&[None]);
    assert_eq!(resolve_aggregate("length", unknown, 0), Ok(None));
}

#[test]
fn common_types() {
    let cases: [(&[Option<LogicalType>], Option<LogicalType>); 6] = [
        (&[None, None], Some(T::Text)),
        (&[None, Some(T::Int4)], Some(T::Int4)),
        (
            &[Some(T::Int8), Some(T::Int4), Some(T::Float8)],
            Some(T::Float8),
        ),
        (&[Some(T::Timestamp), Some(T::Date)], Some(T::Timestamp)),
        (&[Some(T::Text), Some(T::Int4)], None),
        (&[Some(T::Date), Some(T::Int4)], None),
    ];
    for (types, expected) in cases {
        assert_eq!(common_type(types), expected, "{types:?}");
    }
}

#[test]
fn placeholders() {
    let (int4, int8, text) = (Some(T::Int4), Some(T::Int8), Some(T::Text));
    let (ints, texts) = (T::Int4.array(), T::Text.array());
    let cases: [(&str, &[Option<LogicalType>], &str); 7] = [
        ("unnest", &[ints], "(integer[]) integer"),
        (
            "unnest",
            &[None],
            "42725 function unnest(unknown) is not unique",
        ),
        (
            "cardinality",
            &[None],
            "42804 could not determine polymorphic type because input has type unknown",
        ),
        (
            "unnest",
            &[int4],
            "42883 function unnest(integer) does not exist",
        ),
        ("greatest", &[int4, int8], "(bigint) bigint"),
        ("greatest", &[ints, None], "(integer[]) integer[]"),
        (
            "greatest",
            &[texts, text],
            "42804 GREATEST types text[] and text cannot be matched",
        ),
    ];
    for (name, args, expected) in cases {
        assert_eq!(
            shown(resolve_function(name, args, 0)),
            expected,
            "{name} {args:?}"
        );
    }
}

#[test]
fn every_function_of_the_table_is_found_by_its_name() {
    for entry in crate::kernels::TABLE.iter().copied().flatten() {
        let known = crate::functions::entries_of(entry.name);
        assert!(known.iter().any(|known| core::ptr::eq(*known, entry)));
    }
}
