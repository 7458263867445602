//! Values as text: what stands in rows and in constants.

use crate::chance::Chance;
use crate::types::Ty;

/// Everyday values, then those at the edges.
fn pools(ty: Ty) -> (&'static [&'static str], &'static [&'static str]) {
    match ty {
        Ty::Bool => (&["t", "f"], &["true", "false"]),
        Ty::Int2 => (
            &["0", "1", "2", "-1", "5", "17"],
            &["32767", "-32768", "181", "-182"],
        ),
        Ty::Int4 => (
            &["0", "1", "2", "3", "-1", "7", "-12", "42", "100"],
            &["2147483647", "-2147483648", "46341", "-46341", "65536"],
        ),
        Ty::Int8 => (
            &["0", "1", "2", "-5", "9", "1000", "123456"],
            &[
                "9223372036854775807",
                "-9223372036854775808",
                "3037000500",
                "4294967296",
            ],
        ),
        Ty::Float4 | Ty::Float8 => (
            &["0", "1", "0.5", "-1.25", "2.75", "100", "-3"],
            &[
                "NaN",
                "Infinity",
                "-Infinity",
                "1e30",
                "1e-30",
                "-0",
                "0.1",
                "33333.334",
            ],
        ),
        Ty::Numeric => (
            &[
                "0", "1.00", "2.50", "-1.25", "0.5", "100", "99.99", "12.345",
            ],
            &[
                "NaN",
                "1e15",
                "-0.00000001",
                "123456789012345.678",
                "0.0000",
                "-7.5",
                "Infinity",
            ],
        ),
        Ty::Text | Ty::Varchar => (
            &["", "a", "b", "ab", "abc", "B", "10", "hello", "x y"],
            &[
                "%",
                "_a",
                "a\\b",
                "\u{e4}\u{f6}",
                "'",
                "\"q\"",
                " lead",
                "trail ",
                "\u{1f600}z",
                "NULL",
            ],
        ),
        Ty::Bpchar => (
            &["", "a", "b", "ab", "abc"],
            &["a b", "A", "abcde", "\u{e4}"],
        ),
        Ty::Bytea => (
            &["\\x", "\\x00", "\\x61", "\\x6162", "\\xff"],
            &["\\xdeadbeef", "\\x6100"],
        ),
        Ty::Date => (
            &[
                "2020-01-01",
                "2020-02-29",
                "2021-12-31",
                "2000-01-01",
                "1999-06-15",
            ],
            &["0001-01-01", "1582-10-15", "0044-03-15 BC", "9999-12-31"],
        ),
        Ty::Time => (
            &["00:00:00", "12:30:00", "23:59:59"],
            &["24:00:00", "01:02:03.000004"],
        ),
        Ty::Timestamp => (
            &[
                "2020-01-01 00:00:00",
                "2020-02-29 12:30:00",
                "2021-12-31 23:59:59",
                "2000-01-01 01:00:00",
            ],
            &[
                "1582-10-15 00:00:00",
                "2020-01-01 00:00:00.123456",
                "0044-03-15 10:00:00 BC",
            ],
        ),
        Ty::Timestamptz => (
            &[
                "2020-01-01 00:00:00+00",
                "2020-02-29 12:30:00+02",
                "2021-12-31 23:59:59-05",
            ],
            &["2020-06-01 00:00:00.5+05:30", "1900-01-01 00:00:00+00"],
        ),
        Ty::Interval => (
            &[
                "1 day",
                "1 hour",
                "1 mon",
                "00:00:00",
                "-1 day",
                "1 year 2 mons",
            ],
            &[
                "24:00:00",
                "30 days",
                "-1 mon +3 days -02:00:00",
                "00:00:00.000001",
                "100 years",
            ],
        ),
        Ty::Uuid => (
            &[
                "00000000-0000-0000-0000-000000000000",
                "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            ],
            &["ffffffff-ffff-ffff-ffff-ffffffffffff"],
        ),
        Ty::Json => (
            &["1", "null", "{\"a\": 1}", "[1, 2]"],
            &["\"x\"", "{\"b\":{\"a\":[]},\"a\":2}", " { } "],
        ),
        Ty::Jsonb => (
            &[
                "1",
                "null",
                "{\"a\": 1}",
                "[1, 2]",
                "{\"a\": \"x\", \"b\": [true]}",
            ],
            &[
                "\"x\"",
                "{}",
                "[]",
                "[[1], {\"a\": null}]",
                "{\"b\":{\"a\":[]},\"a\":2}",
                "1.50",
            ],
        ),
        Ty::Int4s => (
            &["{}", "{1}", "{1,2}", "{1,2,3}", "{NULL,1}"],
            &["{{1,2},{3,4}}", "{-1,0}", "{2147483647}"],
        ),
        Ty::Texts => (
            &["{}", "{a}", "{a,b}", "{\"x y\",NULL}"],
            &["{\"\"}", "{\"a\\\"b\"}", "{{a},{b}}", "{NULL}"],
        ),
    }
}

/// How unusual the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taste {
    /// Such that few operations fail.
    Mild,
    /// Edges too.
    Wild,
}

/// A value as its type writes it.
pub fn raw(ty: Ty, taste: Taste, chance: &mut Chance) -> String {
    let (plain, edges) = pools(ty);
    if taste == Taste::Wild && chance.one_in(4) {
        return chance.pick(edges).to_owned();
    }
    if chance.one_in(3) {
        match ty {
            Ty::Int2 | Ty::Int4 | Ty::Int8 => return chance.between(-20, 100).to_string(),
            Ty::Float4 | Ty::Float8 => {
                // Quarters: their sums are exact in any order.
                let quarters = chance.between(-400, 400);
                return format!("{}", quarters as f64 / 4.0);
            }
            Ty::Numeric => {
                let cents = chance.between(-2000, 9000);
                let sign = if cents < 0 { "-" } else { "" };
                let cents = cents.abs();
                return format!("{sign}{}.{:02}", cents / 100, cents % 100);
            }
            Ty::Text | Ty::Varchar => {
                let len = chance.below(4);
                let letters = (0..len).map(|_| chance.pick(&['a', 'b', 'c', 'A', ' ', '1']));
                return letters.collect();
            }
            Ty::Date => {
                let (month, day) = (chance.between(1, 12), chance.between(1, 28));
                return format!("{}-{month:02}-{day:02}", chance.between(1995, 2030));
            }
            _ => {}
        }
    }
    chance.pick(plain).to_owned()
}

/// Text in quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A value in the list of an INSERT, whose column says its type.
pub fn in_row(ty: Ty, raw: Option<&str>) -> String {
    match raw {
        None => "NULL".to_owned(),
        Some(raw) if ty.is_integer() => raw.to_owned(),
        Some(raw) => quoted(raw),
    }
}

/// A constant that has its type by itself.
pub fn typed(ty: Ty, raw: &str) -> String {
    let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = raw.len() < 10 && is_plain(raw);
    match ty {
        Ty::Int4 if fits => raw.to_owned(),
        Ty::Int4 if raw.len() < 10 && raw.strip_prefix('-').is_some_and(is_plain) => {
            format!("({raw})")
        }
        Ty::Bool if raw.starts_with('t') => "true".to_owned(),
        Ty::Bool => "false".to_owned(),
        Ty::Numeric
            if raw
                .split_once('.')
                .is_some_and(|(a, b)| is_plain(a) && is_plain(b)) =>
        {
            raw.to_owned()
        }
        _ => format!("{}::{}", quoted(raw), ty.name()),
    }
}
