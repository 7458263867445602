//! Numbers of the source.

/// As many digits tell one floating point number from every other.
const EXACT_DIGITS: usize = 17;

/// A number as our dialect reads it. SQLite dumps floating point numbers with 20 digits, of which
/// the last ones are noise, so such a number becomes the shortest one that reads back as the same.
pub(crate) fn settled(text: &str) -> Option<String> {
    let text = text.replace('_', "");
    let digits = text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let digits = digits.filter(u8::is_ascii_digit);
    let significant = digits.skip_while(|&byte| byte == b'0').count();
    let has_fraction = text.contains(['.', 'e', 'E']);
    let value: f64 = text.parse().ok()?;
    if has_fraction && !value.is_finite() {
        return None;
    }
    if !has_fraction || significant < EXACT_DIGITS {
        return Some(text);
    }
    let is_plain = (1e-5..1e15).contains(&value.abs());
    Some(if is_plain {
        value.to_string()
    } else {
        format!("{value:e}")
    })
}

/// Whether the number fits a numeric of this precision and scale without loss.
pub(crate) fn fits(text: &str, precision: u64, scale: i64) -> bool {
    if text.contains(['e', 'E']) {
        return false;
    }
    let text = text.trim_start_matches(['-', '+']);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fits = |digits: &str, limit: i64| i64::try_from(digits.len()).is_ok_and(|n| n <= limit);
    let precision = i64::try_from(precision).unwrap_or(i64::MAX);
    let whole = whole.trim_start_matches('0');
    fits(whole, precision.saturating_sub(scale)) && fits(fraction.trim_end_matches('0'), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_floating_point_numbers_is_cut() {
        for (text, expected) in [
            ("1", "1"),
            ("0.98999999999999999111", "0.99"),
            ("-1.9799999999999999822", "-1.98"),
            ("0.10", "0.10"),
            ("12345678901234567890", "12345678901234567890"),
            ("1.0000000000000000159e-300", "1e-300"),
            ("1_000", "1000"),
        ] {
            assert_eq!(settled(text).as_deref(), Some(expected));
        }
        assert_eq!(settled("9.0e+999"), None);
    }

    #[test]
    fn digits_are_counted() {
        assert!(fits("-10.50", 3, 1));
        assert!(!fits("10.55", 4, 1));
        assert!(!fits("100.5", 3, 1));
    }
}
