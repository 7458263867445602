//! Decimals against integers of any size and against what PostgreSQL answers.

use num_bigint::BigInt;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{DECIMAL_DIGITS_MAX, Decimal};
use crate::{Result, SqlState, TypeMod};

fn d(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// Mantissas of all lengths, scales that go with them.
fn decimal() -> impl Strategy<Value = Decimal> {
    let mantissa = prop_oneof![
        3 => (any::<i128>(), 0..127_u32).prop_map(|(bits, shift)| bits >> shift),
        1 => (0..38_u32, -2..3_i128).prop_map(|(power, plus)| 10_i128.pow(power) + plus),
    ];
    (mantissa, 0..25_u8)
        .prop_map(|(mantissa, scale)| Decimal::new(mantissa % 10_i128.pow(38), scale).unwrap())
}

fn pow10(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

fn at_scale(number: Decimal, scale: u8) -> BigInt {
    BigInt::from(number.mantissa()) * pow10(u32::from(scale - number.scale()))
}

/// Half away from 0.
fn rounded(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let negative = (dividend < &BigInt::ZERO) != (divisor < &BigInt::ZERO);
    let (a, b) = (dividend.magnitude(), divisor.magnitude());
    let quotient = BigInt::from((a * 2_u32 + b) / (b * 2_u32));
    if negative { -quotient } else { quotient }
}

/// The twin of what the results of exact operations become.
fn check(found: Result<Decimal>, exact: &BigInt, scale: u32) {
    let (mut number, mut left) = (exact.clone(), scale);
    let limit = pow10(DECIMAL_DIGITS_MAX);
    while number.magnitude() >= limit.magnitude() && left > 0 {
        let digits = number.magnitude().to_string().len() as u32;
        let drop = (digits - DECIMAL_DIGITS_MAX).min(left);
        number = rounded(&number, &pow10(drop));
        left -= drop;
    }
    if number.magnitude() >= limit.magnitude() {
        assert_eq!(
            found.unwrap_err().state(),
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE
        );
    } else {
        let found = found.unwrap();
        assert_eq!(
            (BigInt::from(found.mantissa()), u32::from(found.scale())),
            (number, left)
        );
    }
}

proptest! {
    #[test]
    fn sums_and_products_are_exact(a in decimal(), b in decimal()) {
        let scale = a.scale().max(b.scale());
        let (big_a, big_b) = (at_scale(a, scale), at_scale(b, scale));
        prop_assert_eq!(a.compare(b), big_a.cmp(&big_b));
        check(a.plus(b), &(&big_a + &big_b), u32::from(scale));
        check(a.minus(b), &(&big_a - &big_b), u32::from(scale));
        let product = BigInt::from(a.mantissa()) * BigInt::from(b.mantissa());
        check(a.times(b), &product, u32::from(a.scale()) + u32::from(b.scale()));
        if b.signum() != 0 {
            check(a.remainder(b), &(&big_a % &big_b), u32::from(scale));
            check(a.quotient_truncated(b), &(&big_a / &big_b), 0);
        } else {
            prop_assert_eq!(a.divided_by(b).unwrap_err().state(), SqlState::DIVISION_BY_ZERO);
        }
    }

    #[test]
    fn quotients_are_rounded(a in decimal(), b in decimal()) {
        if let (true, Ok(quotient)) = (b.signum() != 0, a.divided_by(b)) {
            let scale = u32::from(quotient.scale()) + u32::from(b.scale());
            let dividend = BigInt::from(a.mantissa()) * pow10(scale);
            let divisor = BigInt::from(b.mantissa()) * pow10(u32::from(a.scale()));
            let exact = rounded(&dividend, &divisor);
            // Rounded twice where it had to be cut to fit.
            prop_assert!((exact - BigInt::from(quotient.mantissa())).magnitude() <= &1_u32.into());
        }
    }

    #[test]
    fn text_comes_back(a in decimal(), zeros in 0..3_usize) {
        let text = a.to_string();
        prop_assert_eq!(d(&text), a);
        prop_assert_eq!(d(&format!(" {}{text} ", "")), a);
        let moved = format!("{}{}e-{}", a.mantissa(), "0".repeat(zeros), usize::from(a.scale()) + zeros);
        if let Ok(moved) = Decimal::parse(&moved) {
            prop_assert_eq!(moved.compare(a), core::cmp::Ordering::Equal);
        }
    }

    #[test]
    fn roundings(a in decimal(), digits in -5..10_i32) {
        let scale = a.scale();
        if digits <= i32::from(scale) {
            let unit = pow10((i32::from(scale) - digits).cast_unsigned());
            let cut = BigInt::from(a.mantissa()) / &unit;
            let near = rounded(&BigInt::from(a.mantissa()), &unit);
            let back = pow10(digits.min(0).unsigned_abs());
            check(a.rounded(digits), &(near * &back), digits.max(0).cast_unsigned());
            check(a.truncated(digits), &(cut * &back), digits.max(0).cast_unsigned());
        }
        let (floor, ceiling) = (a.floor().unwrap(), a.ceiling().unwrap());
        prop_assert!(floor.compare(a).is_le() && ceiling.compare(a).is_ge());
        prop_assert!(ceiling.minus(floor).unwrap().compare(Decimal::ONE).is_le());
    }

    #[test]
    fn any_text_is_an_answer(text: String, digits in "[-+]?[0-9._xe]{0,60}") {
        let _ = Decimal::parse(&text);
        let _ = Decimal::parse(&digits);
    }
}

#[test]
fn results_are_those_of_postgresql() {
    let cases: [(&str, &str, &str, &str); 58] = [
        ("1", "/", "3", "0.33333333333333333333"),
        ("10", "/", "4", "2.5000000000000000"),
        ("1.5", "/", "3", "0.50000000000000000000"),
        ("12345678901234567890", "/", "7", "1763668414462081127"),
        ("1", "/", "7000000", "0.000000142857142857142857"),
        ("0", "/", "7", "0.00000000000000000000"),
        ("99999", "/", "0.0003", "333330000.00000000"),
        ("-7.5", "%", "2", "-1.5"),
        ("7.50", "%", "-2.125", "1.125"),
        ("1.10", "+", "2.2", "3.30"),
        ("1.10", "*", "2.2", "2.420"),
        ("5", "-", "7.25", "-2.25"),
        ("2", "^", "0.5", "1.4142135623730950"),
        ("2", "^", "10", "1024.0000000000000"),
        ("2", "^", "-1", "0.5000000000000000"),
        ("2", "^", "-2", "0.2500000000000000"),
        ("1.05", "^", "30", "4.3219423751506620"),
        ("10", "^", "20", "100000000000000000000"),
        ("0", "^", "0", "1.0000000000000000"),
        ("-8", "^", "3", "-512.00000000000000"),
        ("0.5", "^", "3", "0.1250000000000000"),
        ("10", "log", "1000", "3.0000000000000000"),
        ("2", "log", "64", "6.0000000000000000"),
        ("10", "log", "2", "0.3010299956639812"),
        ("Infinity", "+", "-Infinity", "NaN"),
        ("Infinity", "*", "0", "NaN"),
        ("1", "/", "-Infinity", "0"),
        ("NaN", "^", "0", "1"),
        ("Infinity", "%", "5", "NaN"),
        ("5.5", "%", "Infinity", "5.5"),
        ("", "sqrt", "2", "1.414213562373095"),
        ("", "sqrt", "1000000", "1000.0000000000000"),
        ("", "sqrt", "0.0001", "0.01000000000000000"),
        ("", "sqrt", "15129", "123.0000000000000"),
        ("", "exp", "1", "2.7182818284590452"),
        ("", "exp", "-2.5", "0.08208499862389880"),
        ("", "exp", "30", "10686474581524.462"),
        ("", "ln", "2", "0.6931471805599453"),
        ("", "ln", "0.5", "-0.6931471805599453"),
        ("", "ln", "1.0000001", "0.00000009999999500000033"),
        ("1.0000001", "^", "12345678.5", "3.4368927342921235"),
        ("123456789.123", "^", "2.5", "169350874653381111133.324"),
        (
            "2",
            "^",
            "-100.5",
            "0.0000000000000000000000000000005578088954947358",
        ),
        (
            "",
            "ln",
            "123456789012345678901234567890",
            "66.985688719142977",
        ),
        ("", "exp", "80.5", "91349419780668417560064928456011492.1"),
        ("", "exp", "-40", "0.000000000000000004248354255291589"),
        ("0.9", "log", "1.1", "-0.9046100354506485"),
        (
            "1e-20",
            "/",
            "3",
            "0.0000000000000000000033333333333333333333",
        ),
        ("", "sqrt", "1e-10", "0.000010000000000000000"),
        ("", "sqrt", "99999999999999999999", "10000000000.0000000"),
        ("", "ln", "1e-30", "-69.077552789821370520539743640531"),
        ("", "exp", "0", "1.0000000000000000"),
        ("", "ln", "1.1", "0.09531017980432486"),
        ("-3", "^", "5", "-243.00000000000000"),
        ("1e10", "/", "1e-10", "100000000000000000000.0000000000"),
        ("12345.678", "^", "-3", "0.0000000000005314411307345074"),
        ("0", "^", "2.5", "0.0000000000000000"),
        ("7.00", "^", "1", "7.0000000000000000"),
    ];
    for (a, op, b, expected) in cases {
        let b = d(b);
        let a = if a.is_empty() { b } else { d(a) };
        let found = match op {
            "+" => a.plus(b),
            "-" => a.minus(b),
            "*" => a.times(b),
            "/" => a.divided_by(b),
            "%" => a.remainder(b),
            "^" => a.power(b),
            "log" => b.logarithm_to_base(a),
            "sqrt" => b.square_root(),
            "exp" => b.exponential(),
            _ => b.logarithm(),
        };
        assert_eq!(found.unwrap().to_string(), expected, "{a} {op} {b}");
    }
}

#[test]
fn texts() {
    let cases = [
        ("1e3", Ok("1000")),
        ("1.50e1", Ok("15.0")),
        ("1.5e-3", Ok("0.0015")),
        ("-.5", Ok("-0.5")),
        ("5.", Ok("5")),
        ("1_000.000_1", Ok("1000.0001")),
        ("0x1F", Ok("31")),
        ("-0b101", Ok("-5")),
        ("inf", Ok("Infinity")),
        ("-INFINITY", Ok("-Infinity")),
        ("nan", Ok("NaN")),
        ("0e99999999999", Ok("0")),
        ("1e38", Err(SqlState::NUMERIC_VALUE_OUT_OF_RANGE)),
        ("", Err(SqlState::INVALID_TEXT_REPRESENTATION)),
        ("1_", Err(SqlState::INVALID_TEXT_REPRESENTATION)),
        ("1e", Err(SqlState::INVALID_TEXT_REPRESENTATION)),
        ("+-1", Err(SqlState::INVALID_TEXT_REPRESENTATION)),
        (".", Err(SqlState::INVALID_TEXT_REPRESENTATION)),
        (
            "0.12345678901234567890123456789012345678901",
            Ok("0.12345678901234567890123456789012345679"),
        ),
    ];
    for (text, expected) in cases {
        let found = Decimal::parse(text).map(|number| number.to_string());
        let found = found.map_err(|error| error.state());
        assert_eq!(found.as_deref(), expected.as_deref(), "{text}");
    }
}

#[test]
fn modifiers() {
    let cases = [
        ("123.456", 5, 2, Ok("123.46")),
        (
            "999.995",
            5,
            2,
            Err("must round to an absolute value less than 10^3."),
        ),
        ("1234.5", 3, -2, Ok("1200")),
        ("0.00123456", 3, 5, Ok("0.00123")),
        (
            "0.1",
            3,
            5,
            Err("must round to an absolute value less than 10^-2."),
        ),
        (
            "1",
            3,
            3,
            Err("must round to an absolute value less than 1."),
        ),
        ("NaN", 3, 1, Ok("NaN")),
        ("inf", 3, 1, Err("cannot hold an infinite value.")),
    ];
    for (text, precision, scale, expected) in cases {
        let found = Decimal::parse_with_mod(text, TypeMod::of_numeric(precision, scale));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.to_string(), expected),
            (Err(error), Err(detail)) => {
                assert!(
                    error.fields().detail.as_ref().unwrap().ends_with(detail),
                    "{text}"
                );
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn doubles() {
    for (number, text) in [
        (0.1, "0.1"),
        (1e15 + 0.5, "1000000000000000"),
        (-123.456, "-123.456"),
        (1e-10, "0.0000000001"),
        (f64::INFINITY, "Infinity"),
    ] {
        assert_eq!(Decimal::from_f64(number).unwrap().to_string(), text);
    }
    assert_eq!(Decimal::from_f32(0.1).unwrap().to_string(), "0.1");
    assert_eq!(d("0.1").to_f64(), 0.1);
    assert_eq!(d("2.5").to_i64(), Some(3));
    assert_eq!(d("-2.5").to_i64(), Some(-3));
    assert!(Decimal::from_f64(1e40).is_err());
}
