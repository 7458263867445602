//! Numbers in text that are spelled in one way only, as integers.

use crate::CodecError;
use crate::reader::ByteReader;

/// The most digits of an integer that every spelling allows.
const DIGITS_MAX: usize = 18;

/// How an integer is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// In decimal.
    Integer,
    /// Not negative, with zeros in front up to so many digits.
    Padded(u8),
    /// With a point before the last so many digits.
    Fixed(u8),
    /// The same, but without zeros at the end, and without a point at the end.
    Shortest(u8),
}

impl Spelling {
    /// The integer that is spelled as `text`, if one is.
    pub(crate) fn integer(self, text: &[u8]) -> Option<i64> {
        let integer = match self {
            Spelling::Integer | Spelling::Padded(_) => digits(text, 0)?,
            Spelling::Fixed(places) | Spelling::Shortest(places) => {
                digits(text, usize::from(places))?
            }
        };
        let mut spelled = Vec::with_capacity(24);
        self.put(integer, &mut spelled);
        (spelled == text).then_some(integer)
    }

    /// The spelling of all these texts, if they have one.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> Option<Spelling> {
        let (mut least, mut most) = (usize::MAX, 0);
        let (mut shortest, mut padded) = (usize::MAX, false);
        for text in texts.clone() {
            let point = text.iter().position(|byte| *byte == b'.');
            let places = point.map_or(0, |point| text.len() - point - 1);
            least = least.min(places);
            most = most.max(places);
            shortest = shortest.min(text.len());
            padded |= text.len() > 1 && text.starts_with(b"0");
            if shortest == 0 || text.len() > 2 + DIGITS_MAX {
                return None;
            }
        }
        let byte = |count| u8::try_from(count).ok();
        let spelling = match (least, most) {
            (0, 0) if padded => Spelling::Padded(byte(shortest)?),
            (0, 0) => Spelling::Integer,
            (least, most) if least == most => Spelling::Fixed(byte(most)?),
            _ => Spelling::Shortest(byte(most)?),
        };
        let mut texts = texts.map(|text| spelling.integer(text).is_some());
        texts.all(|spelled| spelled).then_some(spelling)
    }

    /// Appends the spelling of an integer.
    pub(crate) fn put(self, integer: i64, out: &mut Vec<u8>) {
        if integer < 0 {
            out.push(b'-');
        }
        let mut digits = [b'0'; 40];
        let mut value = integer.unsigned_abs();
        let least = match self {
            Spelling::Integer => 1,
            Spelling::Padded(width) => usize::from(width),
            Spelling::Fixed(places) | Spelling::Shortest(places) => usize::from(places) + 1,
        };
        let mut count = 0;
        for slot in digits.iter_mut().rev() {
            if count >= least && value == 0 {
                break;
            }
            *slot = b'0' + (value % 10).to_le_bytes()[0];
            value /= 10;
            count += 1;
        }
        let (_, digits) = digits.split_at(digits.len() - count);
        let places = match self {
            Spelling::Integer | Spelling::Padded(_) => 0,
            Spelling::Fixed(places) | Spelling::Shortest(places) => usize::from(places),
        };
        let (whole, fraction) = digits.split_at(digits.len().saturating_sub(places));
        out.extend_from_slice(whole);
        let kept = match self {
            Spelling::Shortest(_) => fraction
                .iter()
                .rposition(|digit| *digit != b'0')
                .map_or(0, |last| last + 1),
            _ => fraction.len(),
        };
        if kept > 0 {
            out.push(b'.');
            out.extend(fraction.iter().take(kept));
        }
    }

    /// Appends its two bytes.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let (code, parameter) = match self {
            Spelling::Integer => (1, 0),
            Spelling::Padded(width) => (2, width),
            Spelling::Fixed(places) => (3, places),
            Spelling::Shortest(places) => (4, places),
        };
        out.extend_from_slice(&[code, parameter]);
    }

    /// Reads what [`Spelling::write`] wrote; the code is taken off already.
    pub(crate) fn read(code: u8, reader: &mut ByteReader<'_>) -> Result<Spelling, CodecError> {
        let parameter = reader.u8()?;
        let sound = usize::from(parameter) <= 2 + DIGITS_MAX;
        match code {
            1 if parameter == 0 => Ok(Spelling::Integer),
            2 if sound => Ok(Spelling::Padded(parameter)),
            3 if sound => Ok(Spelling::Fixed(parameter)),
            4 if sound => Ok(Spelling::Shortest(parameter)),
            _ => Err(CodecError::Malformed("spelling of numbers")),
        }
    }
}

/// The digits of a number as one integer that has `places` of them behind the point.
fn digits(text: &[u8], places: usize) -> Option<i64> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let point = unsigned.iter().position(|byte| *byte == b'.');
    let behind = point.map_or(0, |point| unsigned.len() - point - 1);
    let missing = places.checked_sub(behind)?;
    if unsigned.len() + missing > DIGITS_MAX + usize::from(point.is_some()) {
        return None;
    }
    let mut value = 0_i64;
    for byte in unsigned {
        match byte {
            b'0'..=b'9' => value = value * 10 + i64::from(byte - b'0'),
            b'.' => {}
            _ => return None,
        }
    }
    for _ in 0..missing {
        value *= 10;
    }
    Some(if unsigned.len() < text.len() {
        -value
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::Spelling;
    use Spelling::{Fixed, Integer, Padded, Shortest};

    #[test]
    fn only_the_one_spelling_is_a_integer() {
        let cases: [(Spelling, &str, Option<i64>); 24] = [
            (Integer, "0", Some(0)),
            (Integer, "-1", Some(-1)),
            (Integer, "999999999999999999", Some(999_999_999_999_999_999)),
            (Integer, "9999999999999999999", None),
            (Integer, "-0", None),
            (Integer, "01", None),
            (Integer, "1.0", None),
            (Integer, "1e3", None),
            (Integer, "", None),
            (Integer, "-", None),
            (Padded(3), "007", Some(7)),
            (Padded(3), "1234", Some(1234)),
            (Padded(3), "0123", None),
            (Padded(3), "12", None),
            (Fixed(2), "12.50", Some(1250)),
            (Fixed(2), "-0.05", Some(-5)),
            (Fixed(2), "-0.00", None),
            (Fixed(2), "12.5", None),
            (Fixed(2), ".50", None),
            (Shortest(2), "12.5", Some(1250)),
            (Shortest(2), "12", Some(1200)),
            (Shortest(2), "12.50", None),
            (Shortest(2), "12.", None),
            (Shortest(2), "1.234", None),
        ];
        for (spelling, text, integer) in cases {
            assert_eq!(
                spelling.integer(text.as_bytes()),
                integer,
                "{spelling:?} {text}"
            );
        }
        for integer in [i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            Integer.put(integer, &mut out);
            assert_eq!(out, integer.to_string().as_bytes());
        }
    }

    #[test]
    fn the_spelling_of_texts() {
        let cases: [(&[&str], Option<Spelling>); 8] = [
            (&["1", "-20"], Some(Integer)),
            (&["0001", "0020", "12345"], Some(Padded(4))),
            (&["1", "01"], None),
            (&["0.10", "7.25"], Some(Fixed(2))),
            (&["0.1", "7.25", "3"], Some(Shortest(2))),
            (&["0.1", "7.250"], None),
            (&["1", "x"], None),
            (&["1", ""], None),
        ];
        for (texts, spelling) in cases {
            let texts = texts.iter().map(|text| text.as_bytes());
            assert_eq!(Spelling::of(texts), spelling);
        }
    }
}
