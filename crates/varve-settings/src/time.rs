//! Settings that are times, as PostgreSQL writes them: milliseconds, or with a unit.

/// The units with their microseconds, the largest first.
const UNITS: [(&str, u64); 6] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];
/// What a count of milliseconds of 32 bits holds.
const TIME_US_MAX: f64 = 2_147_483_647_000.0;

/// Microseconds of a text such as `500`, `1.5s` or `2 min`; parts of a millisecond are rounded.
pub fn read_time(text: &str) -> Option<u64> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.strip_prefix(number)? {
        "" => "ms",
        unit => unit,
    };
    let (_, unit_us) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number = varve_types::parse_f64(number.trim_end())?;
    #[expect(clippy::cast_precision_loss, reason = "a unit has at most 37 bits")]
    let us = number * *unit_us as f64;
    if !(0.0..=TIME_US_MAX).contains(&us) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 2^31 milliseconds"
    )]
    let ms = (us / 1_000.0).round() as u64;
    Some(ms * 1_000)
}

/// In the largest unit that leaves a whole number.
pub fn show_time(us: u64) -> String {
    let unit = UNITS
        .iter()
        .find(|(_, unit_us)| us != 0 && us.is_multiple_of(*unit_us));
    match unit {
        Some((name, unit_us)) => format!("{}{name}", us / unit_us),
        None => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{read_time, show_time};

    #[test]
    fn times_have_units() {
        let cases = [
            ("0", Some(0), "0"),
            ("250", Some(250_000), "250ms"),
            ("1.5s", Some(1_500_000), "1500ms"),
            ("2 min", Some(120_000_000), "2min"),
            ("90min", Some(5_400_000_000), "90min"),
            ("700us", Some(1_000), "1ms"),
            ("1d", Some(86_400_000_000), "1d"),
            ("-1", None, ""),
            ("1 week", None, ""),
            ("30d", None, ""),
            ("soon", None, ""),
        ];
        for (text, us, shown) in cases {
            assert_eq!(read_time(text), us, "{text}");
            if let Some(us) = us {
                assert_eq!(show_time(us), shown, "{text}");
            }
        }
    }
}
