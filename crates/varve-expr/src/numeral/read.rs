//! `to_number`.

use varve_types::{Decimal, Error, Result, SqlState};

use super::template::{Mark, Piece, SignPlace, Template};

/// The number of a text by a template.
pub(crate) fn from_char(text: &str, template: &str) -> Result<Decimal> {
    let template = Template::parse(template)?;
    if template.is_roman || template.has_exponent {
        let what = if template.is_roman { "RN" } else { "EEEE" };
        let message = format!("\"{what}\" not supported for input");
        return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
    }
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        template: &template,
        text: &chars,
        at: 0,
        sign: None,
        digits: String::new(),
        fraction: 0,
        has_point: false,
    };
    for piece in &template.pieces {
        if reader.at >= chars.len() {
            break;
        }
        reader.piece(*piece);
    }
    let number = reader.digits.strip_suffix('.').unwrap_or(&reader.digits);
    let sign = reader.sign.unwrap_or(' ');
    let number = Decimal::parse(&format!("{sign}{number}"))?;
    if !template.is_shifted {
        return Ok(number);
    }
    let places = i64::try_from(template.shift).unwrap_or(i64::MAX);
    number.divided_by(Decimal::from(10_i64).power(Decimal::from(places))?)
}

struct Reader<'t> {
    template: &'t Template,
    text: &'t [char],
    at: usize,
    sign: Option<char>,
    digits: String,
    /// Digits behind the point.
    fraction: usize,
    has_point: bool,
}

impl Reader<'_> {
    fn next(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Passes characters that no number has.
    fn pass(&mut self, count: usize) {
        for _ in 0..count {
            let is_data = |c: char| c.is_ascii_digit() || ".,+-".contains(c);
            match self.next() {
                Some(c) if !is_data(c) => self.at += 1,
                _ => return,
            }
        }
    }

    fn piece(&mut self, piece: Piece) {
        let Piece::Mark { mark, .. } = piece else {
            self.at += 1;
            return;
        };
        let wanted: &[char] = match mark {
            Mark::Digit | Mark::Zero | Mark::Point => {
                self.digit(mark);
                self.at += 1;
                return;
            }
            Mark::Group => {
                let is_started = !self.digits.is_empty() || !self.template.is_filled;
                if is_started && self.next() == Some(',') {
                    self.at += 1;
                }
                return;
            }
            Mark::Currency => return self.pass(1),
            Mark::Ordinal => return self.pass(2),
            Mark::Minus => &['-'],
            Mark::Plus => &['+'],
            Mark::PlusMinus => &['-', '+'],
            _ => return,
        };
        match self.next().filter(|c| wanted.contains(c)) {
            Some(sign) => {
                self.sign = Some(sign);
                self.at += 1;
            }
            None => self.pass(1),
        }
    }

    /// Takes what stands for a pattern of a digit; the last character of it is passed by the
    /// caller.
    fn digit(&mut self, mark: Mark) {
        if self.next() == Some(' ') {
            self.at += 1;
        }
        let is_signed = self.template.sign != SignPlace::Nowhere;
        let is_begun = !self.digits.trim_matches('.').is_empty();
        if self.sign.is_none() && mark != Mark::Point && !is_begun {
            match self.next() {
                Some(sign @ ('-' | '+')) => {
                    self.sign = Some(sign);
                    self.at += 1;
                }
                Some('<') if self.template.has_brackets => {
                    self.sign = Some('-');
                    self.at += 1;
                }
                _ => {}
            }
        }
        let mut is_read = false;
        match self.next() {
            Some(c) if c.is_ascii_digit() => {
                if self.has_point && self.fraction == self.template.fraction {
                    return;
                }
                self.digits.push(c);
                self.fraction += usize::from(self.has_point);
                is_read = true;
            }
            Some('.') if self.template.has_point && !self.has_point => {
                self.digits.push('.');
                self.has_point = true;
                is_read = true;
            }
            _ => {}
        }
        if self.sign.is_some() || self.digits.trim_matches('.').is_empty() {
            return;
        }
        // A sign behind the number.
        if is_signed {
            let behind = self.text.get(self.at + 1).copied();
            if let Some(sign @ ('-' | '+')) = behind.filter(|_| is_read) {
                self.sign = Some(sign);
                self.at += 1;
            }
        } else if !is_read && let Some(sign @ ('-' | '+')) = self.next() {
            self.sign = Some(sign);
        }
    }
}
