//! How a number stands in text, so that the same text comes back from its value.

use crate::CodecError;
use crate::reader::ByteReader;
use crate::short::{SHORT_BYTES, put_short};

/// Digits that always fit an integer, by radix: decimal, hexadecimal, base 36.
const DIGITS_MAX: [(u8, usize); 3] = [(10, 18), (16, 16), (36, 12)];

/// Digits of a number: radix, case, and the width that zeros pad it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberForm {
    radix: u8,
    upper: bool,
    width: u8,
}

impl NumberForm {
    /// Decimal; a width of 0 means no padding, and a sign for negative numbers.
    pub(crate) const DECIMAL: NumberForm = NumberForm {
        radix: 10,
        upper: false,
        width: 0,
    };
    /// Base 36 without padding.
    pub(crate) const COUNTER: NumberForm = NumberForm {
        radix: 36,
        upper: false,
        width: 0,
    };

    pub(crate) fn new(radix: u8, upper: bool, width: usize) -> Option<NumberForm> {
        let (_, digits_max) = DIGITS_MAX.iter().find(|(known, _)| *known == radix)?;
        if width > *digits_max {
            return None;
        }
        let width = u8::try_from(width).ok()?;
        Some(NumberForm {
            radix,
            upper,
            width,
        })
    }

    pub(crate) fn width(self) -> usize {
        usize::from(self.width)
    }

    /// Whether these are digits of its own rather than those of the text before it: see
    /// [`super::counter`].
    pub(crate) fn is_counter(self) -> bool {
        self.radix == 36 && self.width == 0
    }

    pub(crate) fn digits_max(self) -> usize {
        let known = DIGITS_MAX.iter().find(|(radix, _)| *radix == self.radix);
        known.map_or(0, |(_, digits)| *digits)
    }

    /// The kind of piece in a template, and the width.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let kind = match (self.radix, self.upper) {
            (10, _) => 2,
            (16, false) => 3,
            (16, true) => 4,
            (_, false) => 5,
            (_, true) => 6,
        };
        out.extend_from_slice(&[kind, self.width]);
    }

    /// What [`NumberForm::write`] wrote, its kind already read.
    pub(crate) fn read(kind: u8, reader: &mut ByteReader<'_>) -> Result<NumberForm, CodecError> {
        let (radix, upper) = match kind {
            2 => (10, false),
            3 => (16, false),
            4 => (16, true),
            5 => (36, false),
            6 => (36, true),
            _ => return Err(CodecError::Malformed("template piece")),
        };
        let width = usize::from(reader.u8()?);
        NumberForm::new(radix, upper, width).ok_or(CodecError::Malformed("number width"))
    }

    /// The value of one digit.
    pub(crate) fn digit(self, byte: u8) -> Option<u64> {
        let value = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' if !self.upper => byte - b'a' + 10,
            b'A'..=b'Z' if self.upper => byte - b'A' + 10,
            _ => return None,
        };
        (value < self.radix).then_some(u64::from(value))
    }

    /// The value of some digits, at least one and not too many to fit.
    pub(crate) fn value(self, digits: &[u8]) -> Option<u64> {
        if digits.is_empty() || digits.len() > self.digits_max() {
            return None;
        }
        let mut value = 0;
        for byte in digits {
            value = value * u64::from(self.radix) + self.digit(*byte)?;
        }
        Some(value)
    }

    /// The integer of text that is all one number in this form.
    pub(crate) fn parse(self, text: &[u8]) -> Option<i64> {
        let (negative, digits) = match text.strip_prefix(b"-") {
            Some(digits) if self.radix == 10 && self.width == 0 => (true, digits),
            Some(_) => return None,
            None => (false, text),
        };
        if digits.len() != self.width().max(1)
            && (digits.len() < self.width() || digits.first() == Some(&b'0'))
        {
            return None;
        }
        let value = self.value(digits)?.cast_signed();
        match negative {
            true if value == 0 => None,
            true => Some(-value),
            false => Some(value),
        }
    }

    /// Appends the number.
    pub(crate) fn put(self, integer: i64, out: &mut Vec<u8>) {
        let width = self.width();
        match (self.radix, self.upper) {
            (10, _) => {
                if integer < 0 {
                    out.push(b'-');
                }
                put_digits::<10, b'a'>(integer.unsigned_abs(), width, out);
            }
            (16, false) => put_digits::<16, b'a'>(integer.cast_unsigned(), width, out),
            (16, true) => put_digits::<16, b'A'>(integer.cast_unsigned(), width, out),
            (_, false) => put_digits::<36, b'a'>(integer.cast_unsigned(), width, out),
            (_, true) => put_digits::<36, b'A'>(integer.cast_unsigned(), width, out),
        }
    }
}

/// Where digits end in their buffer.
const DIGITS_END: usize = 24;

fn put_digits<const RADIX: u64, const TEN: u8>(mut value: u64, width: usize, out: &mut Vec<u8>) {
    // The most digits of an integer are 20. What follows them is there to be copied and cut off
    // again.
    let mut digits = [b'0'; DIGITS_END + SHORT_BYTES];
    let mut count = 0;
    for slot in digits.iter_mut().take(DIGITS_END).rev() {
        if value == 0 && count >= width.max(1) {
            break;
        }
        let digit = (value % RADIX).to_le_bytes()[0];
        *slot = if digit < 10 {
            b'0' + digit
        } else {
            TEN + digit - 10
        };
        value /= RADIX;
        count += 1;
    }
    put_short(
        digits.get(DIGITS_END - count..).unwrap_or_default(),
        count,
        out,
    );
}

#[cfg(test)]
mod tests {
    use super::NumberForm;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn put(form: NumberForm, integer: i64) -> String {
        let mut out = Vec::new();
        form.put(integer, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_that_comes_back_is_a_number_and_no_other() {
        let form = |radix, upper, width| NumberForm::new(radix, upper, width).unwrap();
        let decimal = NumberForm::DECIMAL;
        let cases = [
            (decimal, "0", Some(0)),
            (decimal, "-12", Some(-12)),
            (decimal, "-0", None),
            (decimal, "+1", None),
            (decimal, "01", None),
            (decimal, "", None),
            (decimal, "-", None),
            (decimal, "12a", None),
            (decimal, "999999999999999999", Some(999_999_999_999_999_999)),
            (decimal, "9999999999999999999", None),
            (form(10, false, 4), "0042", Some(42)),
            (form(10, false, 4), "042", None),
            (form(10, false, 4), "12345", Some(12345)),
            (form(10, false, 4), "02345", None),
            (form(10, false, 4), "-042", None),
            (form(16, false, 4), "00ff", Some(255)),
            (form(16, false, 4), "00FF", None),
            (form(16, true, 4), "00FF", Some(255)),
            (form(16, false, 16), "ffffffffffffffff", Some(-1)),
            (NumberForm::COUNTER, "zz", Some(35 * 37)),
            (NumberForm::COUNTER, "0z", None),
            (form(36, true, 3), "0A1", Some(361)),
        ];
        for (form, text, integer) in cases {
            assert_eq!(form.parse(text.as_bytes()), integer, "{text}");
            if let Some(integer) = integer {
                assert_eq!(put(form, integer), text);
            }
        }
        for (radix, width) in [(10, 19), (16, 17), (36, 13), (11, 1)] {
            assert_eq!(NumberForm::new(radix, false, width), None);
        }
    }

    proptest! {
        #[test]
        fn any_integer_can_be_put(integer in any::<i64>(), width in 0..=12_usize) {
            prop_assert_eq!(put(NumberForm::DECIMAL, integer), integer.to_string());
            let hex = NumberForm::new(16, false, width).unwrap();
            prop_assert_eq!(put(hex, integer), format!("{integer:0width$x}"));
            let text = put(NumberForm::new(36, false, width).unwrap(), integer);
            prop_assert_eq!(u64::from_str_radix(&text, 36).unwrap(), integer as u64);
        }
    }
}
