//! Escapes of an expression: classes, places, back references, characters by number.

use varve_types::Result;

use super::invalid;
use super::parse::{OPERAND, PARENTHESES, Parser};
use super::set::{CharSet, Class};
use super::syntax::{Kind, Node, Place, Prefers};

const ESCAPE: &str = "invalid escape \\ sequence";
/// The largest number that may stand for a character.
const NUMBER_MAX: u32 = 0x7fff_fffe;

impl Parser<'_> {
    /// What stands behind a backslash, outside of brackets.
    pub(super) fn escape(&mut self, inside: bool) -> Result<Node> {
        let Some(c) = self.peek() else {
            return Err(invalid(ESCAPE));
        };
        if self.is_basic() {
            self.rest.next();
            return match c {
                '(' => self.capture(),
                ')' if !inside => Err(invalid(PARENTHESES)),
                '{' => Err(invalid(OPERAND)),
                '<' => Parser::place(Place::WordStart),
                '>' => Parser::place(Place::WordEnd),
                '1'..='9' => self.reference(c.to_digit(10).unwrap_or(0)),
                other => Ok(self.one(other)),
            };
        }
        if !self.is_advanced() {
            self.rest.next();
            return Ok(self.one(c));
        }
        match c {
            'A' | 'Z' | 'm' | 'M' | 'y' | 'Y' => {
                self.rest.next();
                Parser::place(match c {
                    'A' => Place::TextStart,
                    'Z' => Place::TextEnd,
                    'm' => Place::WordStart,
                    'M' => Place::WordEnd,
                    'y' => Place::WordBorder,
                    _ => Place::NoWordBorder,
                })
            }
            '1'..='9' => self.reference_or_octal(),
            _ => {
                let mut set = CharSet::default();
                self.escaped(&mut set)?;
                set.ignore_case = self.options.ignore_case;
                let inverts = matches!(set.classes.as_slice(), [(_, true)]);
                set.without_newline = inverts && self.options.stop_at_newline;
                Ok(Node::plain(Kind::Set(set)))
            }
        }
    }

    /// A number is a reference where there are so many groups, or it is one digit; else octal.
    fn reference_or_octal(&mut self) -> Result<Node> {
        let mut rest = self.rest.clone();
        let (mut number, mut digits) = (0_u32, 0);
        while let Some(digit) = rest.next().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            digits += 1;
        }
        if digits == 1 || number as usize <= self.groups {
            for _ in 0..digits {
                self.rest.next();
            }
            return self.reference(number);
        }
        let mut octal = self.digits(8, 3).ok_or_else(|| invalid(ESCAPE))?;
        if octal > 0xff {
            octal /= 8;
        }
        let c = char::from_u32(octal).ok_or_else(|| invalid(ESCAPE))?;
        Ok(self.one(c))
    }

    fn reference(&mut self, number: u32) -> Result<Node> {
        let group = number as usize;
        let is_known = self.closed.get(group).copied().unwrap_or(false);
        if group == 0 || !is_known || self.in_look {
            return Err(invalid("invalid backreference number"));
        }
        self.has_references = true;
        Ok(Node {
            prefers: Prefers::Neither,
            is_complex: true,
            kind: Kind::Reference {
                group,
                ignore_case: self.options.ignore_case,
            },
        })
    }

    /// Up to so many digits as a number, of which the last 32 bits are kept.
    fn digits(&mut self, radix: u32, count: usize) -> Option<u32> {
        let mut number = None;
        for _ in 0..count {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.rest.next();
            let taken = number.unwrap_or(0_u32).wrapping_mul(radix);
            number = Some(taken.wrapping_add(digit));
        }
        number
    }

    /// Adds the character or the class that an escape means.
    pub(super) fn escaped(&mut self, set: &mut CharSet) -> Result<()> {
        let c = self.rest.next().ok_or_else(|| invalid(ESCAPE))?;
        let class = match c {
            'd' | 'D' => Some(Class::Digit),
            's' | 'S' => Some(Class::Space),
            'w' | 'W' => Some(Class::Word),
            _ => None,
        };
        if let Some(class) = class {
            set.classes.push((class, c.is_ascii_uppercase()));
            return Ok(());
        }
        let c = self.escaped_char(c)?;
        set.ranges.push((c, c));
        Ok(())
    }

    fn escaped_char(&mut self, c: char) -> Result<char> {
        // Numbers that are no characters match nothing, as that which no text holds.
        let exactly = |number: Option<u32>| {
            number
                .filter(|number| *number <= NUMBER_MAX)
                .map(|number| char::from_u32(number).unwrap_or('\0'))
                .ok_or_else(|| invalid(ESCAPE))
        };
        match c {
            'a' => Ok('\u{7}'),
            'b' => Ok('\u{8}'),
            'B' => Ok('\\'),
            'c' => {
                let letter = self.rest.next().ok_or_else(|| invalid(ESCAPE))?;
                exactly(Some(u32::from(letter) & 0x1f))
            }
            'e' => Ok('\u{1b}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\u{b}'),
            'u' | 'U' => {
                let wanted = if c == 'u' { 4 } else { 8 };
                let mut rest = self.rest.clone();
                let is_whole =
                    (0..wanted).all(|_| rest.next().is_some_and(|c| c.is_ascii_hexdigit()));
                let number = self.digits(16, wanted);
                exactly(number.filter(|_| is_whole))
            }
            'x' => {
                let number = self.digits(16, 255);
                exactly(number)
            }
            '0'..='7' => {
                let mut number = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = self.digits(8, 1) else {
                        break;
                    };
                    number = number * 8 + digit;
                }
                exactly(Some(number))
            }
            other if other.is_ascii_alphanumeric() => Err(invalid(ESCAPE)),
            other => Ok(other),
        }
    }
}
