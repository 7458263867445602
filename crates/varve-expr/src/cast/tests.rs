//! Input and output as PostgreSQL 16 has them with `TimeZone` UTC.

use proptest::prelude::{any, prop_assert_eq, proptest};
use varve_types::{LogicalType, SqlState, Value};

use super::{cast_value, format_value, parse_value};
use crate::tree::DEFAULT_LOCALE;

use LogicalType as T;

fn shown(result: varve_types::Result<Value>) -> String {
    match result {
        Ok(value) => format_value(&value, &DEFAULT_LOCALE),
        Err(error) => format!("{} {error}", error.state().code()),
    }
}

#[test]
fn input_functions() {
    let cases = [
        (T::Boolean, "t", "t"),
        (T::Boolean, " YES ", "t"),
        (T::Boolean, "on", "t"),
        (T::Boolean, "1", "t"),
        (T::Boolean, "fal", "f"),
        (T::Boolean, "of", "f"),
        (
            T::Boolean,
            "o",
            r#"22P02 invalid input syntax for type boolean: "o""#,
        ),
        (
            T::Boolean,
            "",
            r#"22P02 invalid input syntax for type boolean: """#,
        ),
        (
            T::Boolean,
            "truer",
            r#"22P02 invalid input syntax for type boolean: "truer""#,
        ),
        (T::Int4, "  -42 ", "-42"),
        (T::Int4, "+7", "7"),
        (T::Int4, "0x1F", "31"),
        (T::Int4, "1_000", "1000"),
        (T::Int4, "-2147483648", "-2147483648"),
        (
            T::Int4,
            "2147483648",
            r#"22003 value "2147483648" is out of range for type integer"#,
        ),
        (
            T::Int4,
            "abc",
            r#"22P02 invalid input syntax for type integer: "abc""#,
        ),
        (
            T::Int4,
            "1.5",
            r#"22P02 invalid input syntax for type integer: "1.5""#,
        ),
        (
            T::Int4,
            "1__0",
            r#"22P02 invalid input syntax for type integer: "1__0""#,
        ),
        (
            T::Int4,
            "_1",
            r#"22P02 invalid input syntax for type integer: "_1""#,
        ),
        (
            T::Int4,
            "1_",
            r#"22P02 invalid input syntax for type integer: "1_""#,
        ),
        (
            T::Int4,
            "- 1",
            r#"22P02 invalid input syntax for type integer: "- 1""#,
        ),
        (
            T::Int4,
            "0x",
            r#"22P02 invalid input syntax for type integer: "0x""#,
        ),
        (
            T::Int4,
            "",
            r#"22P02 invalid input syntax for type integer: """#,
        ),
        (T::Int8, "9223372036854775807", "9223372036854775807"),
        (
            T::Int8,
            "99999999999999999999999999999999999999999999999999",
            r#"22003 value "99999999999999999999999999999999999999999999999999" is out of range for type bigint"#,
        ),
        (T::Float8, " 1.50 ", "1.5"),
        (T::Float8, "-infinity", "-Infinity"),
        (T::Float8, "inf", "Infinity"),
        (T::Float8, "nan", "NaN"),
        (T::Float8, ".5e1", "5"),
        (T::Float8, "0e-999", "0"),
        (T::Float8, "4.9e-324", "5e-324"),
        (
            T::Float8,
            "1e400",
            r#"22003 "1e400" is out of range for type double precision"#,
        ),
        (
            T::Float8,
            "1e-400",
            r#"22003 "1e-400" is out of range for type double precision"#,
        ),
        (
            T::Float8,
            "1,5",
            r#"22P02 invalid input syntax for type double precision: "1,5""#,
        ),
        (
            T::Float8,
            "",
            r#"22P02 invalid input syntax for type double precision: """#,
        ),
        (T::Text, " a ", " a "),
    ];
    for (ty, text, expected) in cases {
        assert_eq!(
            shown(parse_value(text, ty, &DEFAULT_LOCALE)),
            expected,
            "{ty} {text:?}"
        );
    }
}

#[test]
fn dates_and_timestamps() {
    let cases = [
        (T::Date, "2013-01-01", "2013-01-01"),
        (T::Date, "20130101", "2013-01-01"),
        (T::Date, "2013/1/2", "2013-01-02"),
        (T::Date, " 99999-12-31 ", "99999-12-31"),
        (T::Date, "0044-03-15 BC", "0044-03-15 BC"),
        (T::Date, "2013-01-01 10:00:00", "2013-01-01"),
        (T::Date, "epoch", "1970-01-01"),
        (T::Date, "4714-11-24 BC", "4714-11-24 BC"),
        (
            T::Date,
            "2013-02-29",
            r#"22008 date/time field value out of range: "2013-02-29""#,
        ),
        (
            T::Date,
            "2013-13-01",
            r#"22008 date/time field value out of range: "2013-13-01""#,
        ),
        (
            T::Date,
            "2013-00-01",
            r#"22008 date/time field value out of range: "2013-00-01""#,
        ),
        (
            T::Date,
            "0000-01-01",
            r#"22008 date/time field value out of range: "0000-01-01""#,
        ),
        (
            T::Date,
            "4714-11-23 BC",
            r#"22008 date out of range: "4714-11-23 BC""#,
        ),
        (
            T::Date,
            "5874898-01-01",
            r#"22008 date out of range: "5874898-01-01""#,
        ),
        (
            T::Date,
            "soon",
            r#"22007 invalid input syntax for type date: "soon""#,
        ),
        (
            T::Date,
            "2013-01",
            r#"22007 invalid input syntax for type date: "2013-01""#,
        ),
        (
            T::Date,
            "2013-01/01",
            r#"22007 invalid input syntax for type date: "2013-01/01""#,
        ),
        (
            T::Date,
            "2013-01-01x",
            r#"22007 invalid input syntax for type date: "2013-01-01x""#,
        ),
        (
            T::Date,
            "",
            r#"22007 invalid input syntax for type date: """#,
        ),
        (T::Date, "today", "1970-01-01"),
        (T::Timestamp, "2013-01-01T06:00:00Z", "2013-01-01 06:00:00"),
        (T::Timestamp, "2013-01-01 06:00+05", "2013-01-01 06:00:00"),
        (T::Timestamp, "2013-01-01", "2013-01-01 00:00:00"),
        (
            T::Timestamp,
            "294246-12-31 23:59:59.999999",
            "294246-12-31 23:59:59.999999",
        ),
        (
            T::Timestamp,
            "2013-01-01 1:02:03.5",
            "2013-01-01 01:02:03.5",
        ),
        (
            T::Timestamp,
            "2013-01-01 00:00:00.1234567",
            "2013-01-01 00:00:00.123457",
        ),
        (
            T::Timestamp,
            "2013-01-01 23:59:59.9999999",
            "2013-01-02 00:00:00",
        ),
        (T::Timestamp, "2013-12-31 24:00:00", "2014-01-01 00:00:00"),
        (T::Timestamp, "2013-12-31 23:59:60", "2014-01-01 00:00:00"),
        (
            T::Timestamp,
            "1969-12-31 23:59:59.25",
            "1969-12-31 23:59:59.25",
        ),
        (
            T::Timestamp,
            "2013-01-01 25:00",
            r#"22008 date/time field value out of range: "2013-01-01 25:00""#,
        ),
        (
            T::Timestamp,
            "2013-01-01 10:60",
            r#"22008 date/time field value out of range: "2013-01-01 10:60""#,
        ),
        (
            T::Timestamp,
            "2013-01-01T",
            r#"22007 invalid input syntax for type timestamp: "2013-01-01T""#,
        ),
        (
            T::Timestamp,
            "294247-01-01",
            r#"22008 timestamp out of range: "294247-01-01""#,
        ),
        (
            T::TimestampTz,
            "2013-01-01 06:00:00",
            "2013-01-01 06:00:00+00",
        ),
        (
            T::TimestampTz,
            "2013-01-01T06:00:00+05:30",
            "2013-01-01 00:30:00+00",
        ),
        (
            T::TimestampTz,
            "2013-01-01 06:00:00 -0800",
            "2013-01-01 14:00:00+00",
        ),
        (
            T::TimestampTz,
            "2013-01-01 06:00 utc",
            "2013-01-01 06:00:00+00",
        ),
        (
            T::TimestampTz,
            "2013-01-01 06:00 Mars/Base",
            r#"22023 time zone "mars/base" not recognized"#,
        ),
        (
            T::TimestampTz,
            "2013-01-01 06:00+16",
            r#"22009 time zone displacement out of range: "2013-01-01 06:00+16""#,
        ),
        (
            T::TimestampTz,
            "noon",
            r#"22007 invalid input syntax for type timestamp with time zone: "noon""#,
        ),
    ];
    let mut wrong = String::new();
    for (ty, text, expected) in cases {
        let found = shown(parse_value(text, ty, &DEFAULT_LOCALE));
        if found != expected {
            wrong += &format!("{ty} {text:?}: {found}, not {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn doubles_as_text() {
    let cases = [
        (1.0, "1"),
        (0.1, "0.1"),
        (-0.0, "-0"),
        (123_456.789, "123456.789"),
        (1e14, "100000000000000"),
        (1e15, "1e+15"),
        (1e20, "1e+20"),
        (1.5e300, "1.5e+300"),
        (0.0001, "0.0001"),
        (0.000_012_5, "1.25e-05"),
        (1e-7, "1e-07"),
        (-2.5e-7, "-2.5e-07"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::from_bits(1), "5e-324"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (number, text) in cases {
        assert_eq!(format_value(&Value::Float8(number), &DEFAULT_LOCALE), text);
    }
    assert_eq!(
        format_value(&Value::Int8(i64::MIN), &DEFAULT_LOCALE),
        i64::MIN.to_string()
    );
    assert_eq!(format_value(&Value::Null, &DEFAULT_LOCALE), "");
}

#[test]
fn casts() {
    let us = 1_357_020_000_250_000;
    let cases = [
        (Value::Float8(2.5), T::Int4, "2"),
        (Value::Float8(3.5), T::Int4, "4"),
        (Value::Float8(-2.5), T::Int8, "-2"),
        (Value::Float8(3e9), T::Int4, "22003 integer out of range"),
        (Value::Float8(2_147_483_647.4), T::Int4, "2147483647"),
        (
            Value::Float8(f64::NAN),
            T::Int4,
            "22003 integer out of range",
        ),
        (
            Value::Float8(9_223_372_036_854_775_808.0),
            T::Int8,
            "22003 bigint out of range",
        ),
        (Value::Int8(1 << 40), T::Int4, "22003 integer out of range"),
        (Value::Int8(7), T::Int4, "7"),
        (Value::Int4(3), T::Boolean, "t"),
        (Value::Boolean(true), T::Int4, "1"),
        (Value::Boolean(true), T::Text, "true"),
        (
            Value::Boolean(true),
            T::Int8,
            "42846 cannot cast type boolean to bigint",
        ),
        (
            Value::Date(0),
            T::Int4,
            "42846 cannot cast type date to integer",
        ),
        (
            Value::Date(15_706),
            T::TimestampTz,
            "2013-01-01 00:00:00+00",
        ),
        (
            Value::Date(i32::MAX / 2),
            T::Timestamp,
            "22008 date out of range for timestamp",
        ),
        (Value::Timestamp(us), T::Date, "2013-01-01"),
        (Value::Timestamp(-1), T::Date, "1969-12-31"),
        (
            Value::TimestampTz(us),
            T::Timestamp,
            "2013-01-01 06:00:00.25",
        ),
        (Value::TimestampTz(us), T::Text, "2013-01-01 06:00:00.25+00"),
        (Value::text("12"), T::Int8, "12"),
        (Value::Null, T::Int8, ""),
    ];
    for (value, to, expected) in cases {
        assert_eq!(
            shown(cast_value(&value, to, true, &DEFAULT_LOCALE)),
            expected,
            "{value:?} {to}"
        );
    }
    let refused = cast_value(&Value::text("12"), T::Int4, false, &DEFAULT_LOCALE).unwrap_err();
    assert_eq!(refused.state(), SqlState::CANNOT_COERCE);
    assert_eq!(
        cast_value(&Value::Float8(1.2), T::Int4, false, &DEFAULT_LOCALE),
        Ok(Value::Int4(1))
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read(bits: u64, number: i64, date in -2_440_588..2_145_042_906_i64) {
        let double = f64::from_bits(bits);
        let us = number % 9_000_000_000_000_000_000;
        let in_range = us.max(-2_440_588 * 86_400_000_000);
        let values = [
            Value::Float8(if double.is_nan() { f64::NAN } else { double }),
            Value::Int8(number),
            Value::Date(i32::try_from(date).unwrap()),
            Value::Timestamp(in_range),
            Value::TimestampTz(in_range),
            Value::Boolean(number > 0),
        ];
        for value in values {
            let ty = value.logical_type().unwrap();
            let text = format_value(&value, &DEFAULT_LOCALE);
            let read = parse_value(&text, ty, &DEFAULT_LOCALE).unwrap();
            match (&read, &value) {
                (Value::Float8(a), Value::Float8(b)) => prop_assert_eq!(a.to_bits(), b.to_bits()),
                _ => prop_assert_eq!(read, value),
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text: String, digits in "[-+0-9:. TZ/_xeBC]{0,24}") {
        for ty in LogicalType::ALL {
            let _ = parse_value(&text, ty, &DEFAULT_LOCALE);
            let _ = parse_value(&digits, ty, &DEFAULT_LOCALE);
        }
    }

    #[test]
    fn integers_as_text(number in any::<i64>()) {
        prop_assert_eq!(format_value(&Value::Int8(number), &DEFAULT_LOCALE), number.to_string());
    }
}
