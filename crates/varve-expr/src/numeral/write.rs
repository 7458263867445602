//! `to_char` of numbers.

use varve_types::{Decimal, Result};

use super::template::{Mark, Piece, SignPlace, Template};
use crate::datetime::ordinal;

/// What is written.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Exact(Decimal),
    /// A double, and how many of its digits mean something.
    Float(f64, usize),
}

/// Blanks or signs in the width of a Roman numeral.
const ROMAN_WIDTH: usize = 15;

impl Number {
    fn is_negative(self) -> bool {
        match self {
            Number::Exact(number) => number.signum() < 0,
            Number::Float(number, _) => number < 0.0,
        }
    }

    fn is_finite(self) -> bool {
        match self {
            Number::Exact(number) => number.is_finite(),
            Number::Float(number, _) => number.is_finite(),
        }
    }

    fn shifted(self, places: usize) -> Result<Number> {
        let places = i32::try_from(places.min(400)).unwrap_or(0);
        Ok(match self {
            Number::Exact(number) if number.is_finite() => {
                let ten = Decimal::from(10_i64);
                let factor = ten.power(Decimal::from(i64::from(places)))?;
                Number::Exact(number.times(factor)?)
            }
            Number::Float(number, digits) => {
                Number::Float(number * libm::pow(10.0, f64::from(places)), digits)
            }
            special => special,
        })
    }

    /// How many of the digits behind the point mean something.
    fn meant(self, fraction: usize) -> usize {
        match self {
            Number::Exact(_) => fraction,
            Number::Float(number, _) if number.is_nan() => fraction,
            Number::Float(number, meant) => {
                let whole = match number.is_finite() {
                    true => format!("{:.0}", libm::fabs(number)).len(),
                    false => "Infinity".len(),
                };
                fraction.min(meant.saturating_sub(whole))
            }
        }
    }

    /// The digits without their sign, with so many behind the point.
    fn digits(self, fraction: usize) -> Result<String> {
        Ok(match self {
            Number::Exact(number) if number.is_finite() => {
                let places = i32::try_from(fraction).unwrap_or(i32::MAX);
                let rounded = number.absolute().rounded(places)?;
                let mut text = rounded.to_string();
                let shown = text.split_once('.').map_or(0, |(_, behind)| behind.len());
                if fraction > shown {
                    if shown == 0 {
                        text.push('.');
                    }
                    text.extend(core::iter::repeat_n('0', fraction - shown));
                }
                text
            }
            Number::Exact(number) if number.is_nan() => "NaN".to_owned(),
            Number::Float(number, _) if number.is_nan() => "NaN".to_owned(),
            Number::Float(number, _) if number.is_finite() => {
                format!("{:.fraction$}", libm::fabs(number))
            }
            _ => "Infinity".to_owned(),
        })
    }
}

/// The text of a number by a template.
pub(crate) fn to_char(number: Number, template: &str) -> Result<String> {
    let mut template = Template::parse(template)?;
    if template.is_roman {
        return Ok(roman(number, &template));
    }
    if template.has_exponent {
        return scientific(number, &template);
    }
    let mut number = number;
    if template.is_shifted {
        number = number.shifted(template.shift)?;
        template.whole += template.shift;
    }
    template.fraction = number.meant(template.fraction);
    let mut digits = number.digits(template.fraction)?;
    let before = digits.find('.').unwrap_or(digits.len());
    let blanks = template.whole.saturating_sub(before);
    if before > template.whole {
        digits = "#".repeat(template.whole);
        digits.push('.');
        digits.push_str(&"#".repeat(template.fraction));
    }
    Ok(Writer::new(&template, number.is_negative(), &digits, blanks).write(&template))
}

struct Writer<'d> {
    is_negative: bool,
    digits: &'d [u8],
    /// The next of the digits.
    next: usize,
    /// Patterns for which there is no digit, in front.
    blanks: usize,
    /// Patterns of digits passed.
    passed: usize,
    has_sign: bool,
    /// Whether a digit was written for the last pattern.
    in_number: bool,
    brackets: bool,
    sign: SignPlace,
    /// Patterns of digits up to where the number ends.
    end: usize,
    /// `FM`: the last digit that is not a zero in vain.
    last: Option<usize>,
    text: String,
}

impl<'d> Writer<'d> {
    fn new(template: &Template, is_negative: bool, digits: &'d str, blanks: usize) -> Writer<'d> {
        let own_signs = template.has_plus || template.has_minus;
        let has_sign = match own_signs {
            true => template.has_minus,
            false => !is_negative && template.is_filled && template.sign == SignPlace::Nowhere,
        };
        let sign = match template.sign {
            SignPlace::Before(whole) if !own_signs && whole == template.whole => SignPlace::Behind,
            sign => sign,
        };
        let digits = digits.as_bytes();
        let point = digits.iter().position(|byte| *byte == b'.');
        let last = point.filter(|_| template.is_filled && template.has_point);
        let last = last.map(|point| {
            let behind = digits
                .iter()
                .skip(point)
                .rposition(|byte| !matches!(byte, b'0'));
            let last = point + behind.unwrap_or(0);
            // What `0` asks for stays.
            match template.zero_end.checked_sub(blanks) {
                Some(kept) if kept > 0 => last.max(kept.min(digits.len().saturating_sub(1))),
                _ => last,
            }
        });
        let unsigned = usize::from(!has_sign && blanks == 0);
        let count = (template.whole + template.fraction + unsigned).saturating_sub(1);
        Writer {
            is_negative,
            digits,
            next: 0,
            blanks,
            passed: 0,
            has_sign,
            in_number: false,
            brackets: template.has_brackets && (is_negative || !template.is_filled),
            sign,
            end: count + usize::from(blanks != 0) + usize::from(template.has_point),
            last,
            text: String::new(),
        }
    }

    fn write(mut self, template: &Template) -> String {
        let signed = if self.is_negative { '-' } else { '+' };
        for piece in &template.pieces {
            let (mark, is_lower) = match piece {
                Piece::Literal(c) => {
                    self.text.push(*c);
                    continue;
                }
                Piece::Mark { mark, is_lower } => (*mark, *is_lower),
            };
            match mark {
                Mark::Digit | Mark::Zero | Mark::Point => self.digit(mark, template),
                Mark::Group if self.in_number => self.text.push(','),
                Mark::Group if template.is_filled => {}
                Mark::Group | Mark::Currency => self.text.push(' '),
                Mark::Minus if self.is_negative => self.text.push('-'),
                Mark::Plus if !self.is_negative => self.text.push('+'),
                Mark::Minus | Mark::Plus if !template.is_filled => self.text.push(' '),
                Mark::PlusMinus => self.text.push(signed),
                Mark::Ordinal => {
                    let is_plain = !self.is_negative && !template.has_point;
                    if is_plain && self.digits.first() != Some(&b'#') {
                        let number = core::str::from_utf8(self.digits).unwrap_or_default();
                        let suffix = ordinal(number);
                        match is_lower {
                            true => self.text.push_str(&suffix.to_ascii_lowercase()),
                            false => self.text.push_str(suffix),
                        }
                    }
                }
                _ => {}
            }
        }
        self.text
    }

    /// Whether the zero of `0.1` is at hand, for which a template without `0` shows a blank.
    fn is_lone_zero(&self, template: &Template) -> bool {
        template.zero_start.is_none()
            && self.next == 0
            && self.digits.first() == Some(&b'0')
            && template.fraction != 0
    }

    /// Whether nothing stands behind the point of what `FM` leaves.
    fn ends_with_point(&self) -> bool {
        self.last.and_then(|last| self.digits.get(last)) == Some(&b'.')
    }

    fn digit(&mut self, mark: Mark, template: &Template) {
        self.in_number = false;
        let is_zero_start = template.zero_start == Some(self.passed);
        let begins = self.passed >= self.blanks || is_zero_start;
        let is_shown = !self.is_lone_zero(template) || self.ends_with_point();
        if !self.has_sign && begins && is_shown {
            self.write_sign(template);
        }
        let asks_zero = template
            .zero_start
            .is_some_and(|start| start <= self.passed);
        if self.passed < self.blanks {
            if asks_zero {
                self.text.push('0');
                self.in_number = true;
            } else if !template.is_filled {
                self.text.push(' ');
            }
        } else {
            self.write_digit(mark, template);
        }
        let end = match self.last {
            Some(last) if last == self.next => self.passed,
            _ => self.end,
        };
        if self.passed + 1 == end {
            if self.has_sign && self.brackets {
                self.text.push(if self.is_negative { '>' } else { ' ' });
            } else if self.sign == SignPlace::Behind {
                self.text.push(if self.is_negative { '-' } else { '+' });
            }
        }
        self.passed += 1;
    }

    fn write_sign(&mut self, template: &Template) {
        match self.sign {
            SignPlace::Behind => return,
            SignPlace::Before(_) => self.text.push(if self.is_negative { '-' } else { '+' }),
            SignPlace::Nowhere => match (self.is_negative, self.brackets) {
                (true, true) => self.text.push('<'),
                (true, false) => self.text.push('-'),
                (false, brackets) if brackets || !template.is_filled => self.text.push(' '),
                _ => {}
            },
        }
        self.has_sign = true;
    }

    fn write_digit(&mut self, mark: Mark, template: &Template) {
        let Some(byte) = self.digits.get(self.next).copied() else {
            return;
        };
        let is_vain = self.last.is_some_and(|last| self.next > last) && mark != Mark::Zero;
        if byte == b'.' {
            self.text.push('.');
        } else if is_vain {
        } else if self.is_lone_zero(template) {
            if !template.is_filled {
                self.text.push(' ');
            } else if self.ends_with_point() {
                self.text.push('0');
            }
        } else {
            self.text.push(char::from(byte));
            self.in_number = true;
        }
        self.next += 1;
    }
}

/// A number from 1 to 3999 in Roman digits; signs in their place for others.
fn roman(number: Number, template: &Template) -> String {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let decimal = match number {
        Number::Exact(number) => Some(number),
        Number::Float(number, _) => Decimal::from_f64(libm::rint(number)).ok(),
    };
    let whole = decimal.and_then(|number| number.rounded(0).ok()?.to_i64());
    let text = match whole.filter(|whole| (1..=3999).contains(whole)) {
        None => "#".repeat(ROMAN_WIDTH),
        Some(mut rest) => {
            let mut text = String::new();
            for (value, digits) in DIGITS {
                while rest >= value {
                    text.push_str(digits);
                    rest -= value;
                }
            }
            text
        }
    };
    let mut shown = String::new();
    for piece in &template.pieces {
        match piece {
            Piece::Literal(c) => shown.push(*c),
            Piece::Mark {
                mark: Mark::Roman,
                is_lower,
            } => {
                let text = match is_lower {
                    true => text.to_ascii_lowercase(),
                    false => text.clone(),
                };
                let width = if template.is_filled { 0 } else { ROMAN_WIDTH };
                shown.push_str(&format!("{text:>width$}"));
            }
            Piece::Mark { .. } => {}
        }
    }
    shown
}

/// `EEEE`: one digit before the point.
fn scientific(number: Number, template: &Template) -> Result<String> {
    if !number.is_finite() {
        let mut text = " ".to_owned();
        text.push_str(&"#".repeat(template.whole));
        text.push('.');
        text.push_str(&"#".repeat(template.fraction + 4));
        return Ok(text);
    }
    let fraction = template.fraction;
    let (mantissa, exponent) = match number {
        Number::Exact(number) => exact_parts(number.absolute(), fraction)?,
        Number::Float(number, _) => {
            let text = format!("{:.fraction$e}", libm::fabs(number));
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            (mantissa.to_owned(), exponent.parse().unwrap_or(0))
        }
    };
    let sign = if number.is_negative() { '-' } else { ' ' };
    let of_exponent = if exponent < 0 { '-' } else { '+' };
    Ok(format!(
        "{sign}{mantissa}e{of_exponent}{:02}",
        exponent.abs()
    ))
}

/// The digits with one before the point, and the power of ten. Rounding may make one digit more,
/// which stays: 9.99 is `10.0e+00`.
fn exact_parts(number: Decimal, fraction: usize) -> Result<(String, i32)> {
    let small = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let digits = small(number.mantissa().to_string().len());
    let exponent = match number.signum() {
        0 => 0,
        _ => digits - 1 - i32::from(number.scale()),
    };
    let kept = small(fraction.min(1000));
    let rounded = number.rounded(kept - exponent)?.normalized();
    let mut digits = rounded.mantissa().to_string();
    // Zeros up to the last digit wanted: what is before the point has `exponent + 1` digits.
    let missing = kept - exponent - i32::from(rounded.scale());
    digits.extend(core::iter::repeat_n(
        '0',
        usize::try_from(missing).unwrap_or(0),
    ));
    let cut = usize::try_from(-missing.min(0)).unwrap_or(0);
    digits.truncate(digits.len().saturating_sub(cut));
    while digits.len() <= fraction {
        digits.insert(0, '0');
    }
    let (whole, rest) = digits.split_at(digits.len() - fraction);
    let mantissa = match rest {
        "" => whole.to_owned(),
        rest => format!("{whole}.{rest}"),
    };
    Ok((mantissa, exponent))
}
