//! Numbers of bytes, with their units.

const UNITS: [(&str, u32); 5] = [("TB", 40), ("GB", 30), ("MB", 20), ("kB", 10), ("B", 0)];

/// A number of bytes with its unit, or without: bytes.
pub fn read_bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits)?;
    let number: u64 = digits.trim_end().parse().ok()?;
    let shift = match unit {
        "" => 0,
        unit => {
            UNITS
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(unit))?
                .1
        }
    };
    number.checked_mul(1_u64.checked_shl(shift)?)
}

/// In the largest unit that leaves a whole number.
pub(crate) fn show_bytes(bytes: u64) -> String {
    let unit = UNITS
        .iter()
        .find(|(_, shift)| bytes != 0 && bytes.trailing_zeros() >= *shift);
    let (name, shift) = unit.unwrap_or(&("B", 0));
    format!("{}{name}", bytes >> shift)
}

#[cfg(test)]
mod tests {
    use super::{read_bytes, show_bytes};

    #[test]
    fn bytes_have_units() {
        let cases = [
            ("0", Some(0), "0B"),
            ("1000", Some(1000), "1000B"),
            ("64 MB", Some(64 << 20), "64MB"),
            ("2048kb", Some(2 << 20), "2MB"),
            ("3GB", Some(3 << 30), "3GB"),
            ("1TB", Some(1 << 40), "1TB"),
            ("99999999TB", None, ""),
            ("MB", None, ""),
            ("-1MB", None, ""),
            ("1.5GB", None, ""),
            ("1 XB", None, ""),
        ];
        for (text, bytes, shown) in cases {
            assert_eq!(read_bytes(text), bytes, "{text}");
            if let Some(bytes) = bytes {
                assert_eq!(show_bytes(bytes), shown, "{text}");
            }
        }
    }
}
