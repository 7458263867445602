//! Floating point numbers from text: the nearest number, halves to even, as in IEEE 754.
//!
//! The standard library's parser brings a table of 10 KB that does not compress; this one is right
//! to the last bit too, and a little slower on numbers of many digits.

use lexical_parse_float::FromLexical;

/// The number that `text` spells, as `str::parse` reads it: decimal, with an exponent or without,
/// `inf`, `infinity` or `nan` in any case; `None` if it is anything else.
pub fn parse_f64(text: &str) -> Option<f64> {
    f64::from_lexical(text.as_bytes()).ok()
}

/// The same in single precision, rounded once.
pub fn parse_f32(text: &str) -> Option<f32> {
    f32::from_lexical(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::{parse_f32, parse_f64};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn check(text: &str) {
        let bits = (
            parse_f64(text).map(f64::to_bits),
            parse_f32(text).map(f32::to_bits),
        );
        let twin = (
            text.parse().ok().map(f64::to_bits),
            text.parse().ok().map(f32::to_bits),
        );
        assert_eq!(bits, twin, "{text:?}");
    }

    #[test]
    fn what_is_a_number_and_what_is_none() {
        for text in [
            "",
            "+",
            "-",
            ".",
            "e1",
            "1e",
            "1e+",
            "+.e1",
            "1",
            "+1",
            "-1",
            "1.",
            ".5",
            "-.5e2",
            "5.e2",
            "0",
            "-0",
            "00012",
            "0x10",
            "1_000",
            "1 ",
            " 1",
            "inf",
            "-Infinity",
            "INF",
            "+inf",
            "nan",
            "-NaN",
            "NAN",
            "infinit",
            "nan(1)",
            "1e400",
            "-1e400",
            "1e-400",
            "1e99999999999999999999",
            "0e99999999999999999999",
            "1e-99999999999999999999",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "3.4028236e38",
            "1.1754942e-38",
            "9007199254740993",
            "9007199254740992.99999999999999999999",
            "9007199254740993.00000000000000000001",
            "16777217",
            "16777217.0000000000000000000000001",
            "123456789012345678901234567890",
            "0.1e1",
            "1E5",
            "1e05",
            "1.5f",
            "\u{661}",
        ] {
            check(text);
        }
        let digits = "9".repeat(800);
        check(&digits);
        check(&format!("0.{digits}e5"));
        check(&format!("9007199254740993{}1", "0".repeat(900)));
    }

    proptest! {
        #[test]
        fn equal_to_the_standard_parser(
            bits in any::<u64>(),
            digits in "[0-9]{1,30}",
            point in 0..30_usize,
            exponent in -340..340,
        ) {
            check(&format!("{:e}", f64::from_bits(bits)));
            check(&format!("{}", f64::from_bits(bits)));
            let (whole, rest) = digits.split_at(point.min(digits.len()));
            check(&format!("{whole}.{rest}e{exponent}"));
            prop_assert_eq!(parse_f64(&digits), digits.parse().ok());
        }

        /// The middle between two neighbours, exactly and a little to each side.
        #[test]
        fn halves_go_to_the_even_neighbour(bits in 1..(1_u64 << 53)) {
            let half = format!("{}", (bits << 1) | 1);
            for end in ["", ".0", ".00000000000000000000000001"] {
                check(&format!("{half}{end}"));
            }
        }

        #[test]
        fn any_text_is_a_number_to_both_or_to_none(text in "[-+.eEinfa0-9_ ]{0,12}") {
            check(&text);
        }
    }
}
