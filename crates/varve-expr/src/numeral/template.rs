//! Templates of numbers: `FM999G990D00`, cut into patterns and literal text.

use varve_types::{Error, Result, SqlState};

/// A pattern of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `9`
    Digit,
    /// `0`
    Zero,
    /// `.` and `D`
    Point,
    /// `,` and `G`
    Group,
    /// `L`: there is no currency symbol.
    Currency,
    /// `PR`
    Brackets,
    /// `S`
    Sign,
    /// `MI`
    Minus,
    /// `PL`
    Plus,
    /// `SG`
    PlusMinus,
    /// `RN`
    Roman,
    /// `TH`
    Ordinal,
    /// `V`
    Shift,
    /// `EEEE`
    Exponent,
    /// `FM`
    Fill,
    /// `B`, `C` and `SP`, which change nothing.
    Nothing,
}

use Mark as M;

/// Longer patterns stand before those that they begin with.
const MARKS: [(&str, Mark); 20] = [
    ("EEEE", M::Exponent),
    ("FM", M::Fill),
    ("MI", M::Minus),
    ("PL", M::Plus),
    ("PR", M::Brackets),
    ("RN", M::Roman),
    ("SG", M::PlusMinus),
    ("SP", M::Nothing),
    ("TH", M::Ordinal),
    ("S", M::Sign),
    ("V", M::Shift),
    ("L", M::Currency),
    ("G", M::Group),
    ("D", M::Point),
    ("B", M::Nothing),
    ("C", M::Nothing),
    (",", M::Group),
    (".", M::Point),
    ("9", M::Digit),
    ("0", M::Zero),
];

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Literal(char),
    Mark { mark: Mark, is_lower: bool },
}

/// Where the sign of `S` stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SignPlace {
    #[default]
    Nowhere,
    /// Before the number; that many digit patterns stand before it.
    Before(usize),
    Behind,
}

/// A template, and what all of it says.
#[derive(Debug, Default)]
pub(super) struct Template {
    pub(super) pieces: Vec<Piece>,
    /// Digits before the point, behind it, and behind `V`.
    pub(super) whole: usize,
    pub(super) fraction: usize,
    pub(super) shift: usize,
    /// The first `0` before the point, counted from 0, and how many digits stand up to the last.
    pub(super) zero_start: Option<usize>,
    pub(super) zero_end: usize,
    pub(super) sign: SignPlace,
    pub(super) has_point: bool,
    pub(super) is_filled: bool,
    pub(super) has_brackets: bool,
    pub(super) has_minus: bool,
    pub(super) has_plus: bool,
    pub(super) is_roman: bool,
    pub(super) is_shifted: bool,
    pub(super) has_exponent: bool,
}

fn syntax(message: &str) -> Error {
    Error::new(SqlState::SYNTAX_ERROR, message)
}

/// The most characters of a template.
const TEMPLATE_BYTES_MAX: usize = 8192;

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template> {
        if text.len() > TEMPLATE_BYTES_MAX {
            let message = "the template of a number is too long";
            return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
        }
        let mut template = Template::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let mark = MARKS.iter().find(|(name, _)| {
                let start = rest.get(..name.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(name))
            });
            if let Some((name, mark)) = mark {
                rest = rest.get(name.len()..).unwrap_or_default();
                template.note(*mark)?;
                template.pieces.push(Piece::Mark {
                    mark: *mark,
                    is_lower: first.is_ascii_lowercase(),
                });
                continue;
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            if first == '"' {
                rest = template.quoted(rest);
                continue;
            }
            let next = rest.chars().next();
            let literal = match (first, next) {
                ('\\', Some('"')) => {
                    rest = rest.get(1..).unwrap_or_default();
                    '"'
                }
                _ => first,
            };
            template.pieces.push(Piece::Literal(literal));
        }
        Ok(template)
    }

    /// Takes text up to a quote; gives what follows.
    fn quoted<'a>(&mut self, text: &'a str) -> &'a str {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let literal = match c {
                '"' => break,
                '\\' => chars.next(),
                c => Some(c),
            };
            self.pieces.extend(literal.map(Piece::Literal));
        }
        chars.as_str()
    }

    fn note(&mut self, mark: Mark) -> Result<()> {
        if self.has_exponent && mark != M::Exponent {
            return Err(syntax("\"EEEE\" must be the last pattern used"));
        }
        match mark {
            M::Digit | M::Zero => self.note_digit(mark)?,
            M::Point => {
                if self.has_point {
                    return Err(syntax("multiple decimal points"));
                }
                if self.is_shifted {
                    return Err(syntax("cannot use \"V\" and decimal point together"));
                }
                self.has_point = true;
            }
            M::Fill => self.is_filled = true,
            M::Sign | M::Minus | M::Plus | M::PlusMinus | M::Brackets => self.note_sign(mark)?,
            M::Roman => self.is_roman = true,
            M::Shift => {
                if self.has_point {
                    return Err(syntax("cannot use \"V\" and decimal point together"));
                }
                self.is_shifted = true;
            }
            M::Exponent => self.note_exponent()?,
            M::Group | M::Currency | M::Ordinal | M::Nothing => {}
        }
        Ok(())
    }

    fn note_digit(&mut self, mark: Mark) -> Result<()> {
        if self.has_brackets {
            let digit = if mark == M::Digit { '9' } else { '0' };
            return Err(syntax(&format!("\"{digit}\" must be ahead of \"PR\"")));
        }
        if mark == M::Digit && self.is_shifted {
            self.shift += 1;
            return Ok(());
        }
        if mark == M::Zero && !self.has_point && self.zero_start.is_none() {
            self.zero_start = Some(self.whole);
        }
        match self.has_point {
            true => self.fraction += 1,
            false => self.whole += 1,
        }
        if mark == M::Zero {
            self.zero_end = self.whole + self.fraction;
        }
        Ok(())
    }

    /// The patterns of signs, of which most exclude each other.
    fn note_sign(&mut self, mark: Mark) -> Result<()> {
        match mark {
            M::Sign => {
                if self.has_sign() {
                    return Err(syntax("cannot use \"S\" twice"));
                }
                if self.has_plus || self.has_minus || self.has_brackets {
                    return Err(syntax(
                        "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together",
                    ));
                }
                self.sign = match self.has_point {
                    true => SignPlace::Behind,
                    false => SignPlace::Before(self.whole),
                };
            }
            M::Brackets => {
                if self.has_sign() || self.has_plus || self.has_minus {
                    return Err(syntax(
                        "cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together",
                    ));
                }
                self.has_brackets = true;
            }
            _ => {
                if self.has_sign() {
                    let name = match mark {
                        M::Minus => "MI",
                        M::Plus => "PL",
                        _ => "SG",
                    };
                    let message = format!("cannot use \"S\" and \"{name}\" together");
                    return Err(syntax(&message));
                }
                self.has_minus |= mark != M::Plus;
                self.has_plus |= mark != M::Minus;
            }
        }
        Ok(())
    }

    fn has_sign(&self) -> bool {
        self.sign != SignPlace::Nowhere
    }

    fn note_exponent(&mut self) -> Result<()> {
        if self.has_exponent {
            return Err(syntax("cannot use \"EEEE\" twice"));
        }
        let others = [
            self.is_filled,
            self.has_sign(),
            self.has_brackets,
            self.has_minus,
            self.has_plus,
            self.is_roman,
            self.is_shifted,
        ];
        if others.contains(&true) {
            let message = "\"EEEE\" is incompatible with other formats";
            let detail = "\"EEEE\" may only be used together with digit and decimal point \
                          patterns.";
            return Err(syntax(message).with_detail(detail));
        }
        self.has_exponent = true;
        Ok(())
    }
}
