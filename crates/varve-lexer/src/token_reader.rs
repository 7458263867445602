//! A text token by token, by PostgreSQL's lexical rules.

use crate::open::Open;
use crate::quoted::continuation;
use crate::token::{Fault, Token};

/// Names of operators are shorter.
const OPERATOR_BYTES_MAX: usize = 63;

/// Reads what comes next in a text.
#[derive(Clone)]
pub struct TokenReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The byte up to which each + and - is an operator, behind the one that they ended.
    signs_end: usize,
    open: Option<Open>,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'$'
}

fn is_operator(byte: u8) -> bool {
    b"+-*/<>=~!@#%^&|`?".contains(&byte)
}

/// + and - end only operators with one of these characters.
fn lets_sign_end(byte: u8) -> bool {
    b"~!@#%^&|`?".contains(&byte)
}

impl<'a> TokenReader<'a> {
    /// Stands at a byte of a text.
    pub fn new(text: &'a str, at: usize) -> TokenReader<'a> {
        TokenReader {
            text,
            bytes: text.as_bytes(),
            at,
            signs_end: 0,
            open: None,
        }
    }

    /// The byte that it stands at.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What the text has ended in, if the last token, comment or space is open.
    pub fn take_open(&mut self) -> Option<Open> {
        self.open.take()
    }

    /// What is not read yet.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes over bytes that are no token.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Goes behind the end of what is open; false where the text ends in it.
    pub fn close(&mut self, mut open: Open) -> bool {
        let end = open.end(self.text, self.at);
        self.at = end.unwrap_or(self.text.len());
        self.open = end.is_none().then_some(open);
        end.is_some()
    }

    /// Passes over white space, or over a comment; whether one of them came next.
    pub fn space(&mut self) -> bool {
        let start = self.at;
        self.skip_while(is_space);
        match (self.peek(0), self.peek(1)) {
            _ if self.at > start => {}
            (b'-', b'-') => self.skip_while(|byte| byte != b'\n' && byte != b'\r'),
            (b'/', b'*') => {
                self.at += 2;
                self.close(Open::Comment(1));
            }
            _ => {}
        }
        self.at > start
    }

    /// Passes over white space and comments; the byte behind them, or where the comment starts that
    /// does not end.
    pub(crate) fn spaces(&mut self) -> usize {
        let mut start = self.at;
        while self.space() && self.open.is_none() {
            start = self.at;
        }
        start
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn has(&self, ahead: usize) -> bool {
        self.at + ahead < self.bytes.len()
    }

    fn skip_while(&mut self, test: fn(u8) -> bool) {
        while self.has(0) && test(self.peek(0)) {
            self.at += 1;
        }
    }

    /// The token that comes next, where no space does.
    pub fn token(&mut self) -> Token {
        if !self.has(0) {
            return Token::EOF;
        }
        let byte = self.peek(0);
        if starts_word(byte) {
            return self.word(byte);
        }
        // The second one of `1..2` begins no number.
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        if byte.is_ascii_digit()
            || (byte == b'.' && self.peek(1).is_ascii_digit() && before != Some(&b'.'))
        {
            return self.number();
        }
        if is_operator(byte) {
            return self.operator();
        }
        self.at += 1;
        match byte {
            b'(' => Token::LParen,
            b')' => Token::RParen,
            b'[' => Token::LBracket,
            b']' => Token::RBracket,
            b',' => Token::Comma,
            b';' => Token::SemiColon,
            b'.' => Token::Period,
            b':' => {
                let token = match self.peek(0) {
                    b':' => Token::DoubleColon,
                    b'=' => Token::Assignment,
                    _ => return Token::Colon,
                };
                self.at += 1;
                token
            }
            b'\'' => self.string(Token::SingleQuotedString, Fault::QuotedString),
            b'"' => self.quoted_word(Token::QuotedWord),
            b'$' => self.dollar(),
            _ => Token::Invalid(Fault::Character),
        }
    }

    fn word(&mut self, first: u8) -> Token {
        let quote = self.peek(1);
        if quote == b'\'' {
            let kind = match first.to_ascii_lowercase() {
                b'e' => Some((Token::EscapedStringLiteral, Fault::QuotedString)),
                b'n' => Some((Token::NationalStringLiteral, Fault::QuotedString)),
                b'b' => Some((Token::BitStringLiteral, Fault::BitString)),
                b'x' => Some((Token::HexStringLiteral, Fault::HexString)),
                _ => None,
            };
            if let Some((token, fault)) = kind {
                self.at += 2;
                return self.string(token, fault);
            }
        }
        if quote == b'&' && first.eq_ignore_ascii_case(&b'u') {
            match self.peek(2) {
                b'\'' => {
                    self.at += 3;
                    return self.string(Token::UnicodeStringLiteral, Fault::QuotedString);
                }
                b'"' => {
                    self.at += 3;
                    return self.quoted_word(Token::UnicodeWord);
                }
                _ => {}
            }
        }
        self.skip_while(continues_word);
        Token::Word
    }

    /// A string behind its first quote, with the parts on further lines.
    fn string(&mut self, token: Token, fault: Fault) -> Token {
        loop {
            if !self.close(Open::Quotes('\'', token == Token::EscapedStringLiteral)) {
                return Token::Invalid(fault);
            }
            match continuation(self.bytes, self.at) {
                Some(next) => self.at = next,
                None => return token,
            }
        }
    }

    fn quoted_word(&mut self, token: Token) -> Token {
        let start = self.at;
        if !self.close(Open::Quotes('"', false)) {
            return Token::Invalid(Fault::QuotedIdentifier);
        }
        match self.at == start + 1 {
            true => Token::Invalid(Fault::EmptyIdentifier),
            false => token,
        }
    }

    /// What starts with a dollar sign, behind it.
    fn dollar(&mut self) -> Token {
        if self.peek(0).is_ascii_digit() {
            self.skip_while(|byte| byte.is_ascii_digit());
            if starts_word(self.peek(0)) {
                self.at += 1;
                self.skip_while(|byte| byte & 0xc0 == 0x80);
                return Token::Invalid(Fault::ParameterJunk);
            }
            return Token::Placeholder;
        }
        let tag_start = self.at - 1;
        if starts_word(self.peek(0)) {
            self.skip_while(|byte| continues_word(byte) && byte != b'$');
        }
        if self.peek(0) != b'$' {
            self.at = tag_start + 1;
            return Token::Invalid(Fault::Character);
        }
        self.at += 1;
        let tag = self.text.get(tag_start..self.at).unwrap_or_default();
        match self.close(Open::Dollar(tag.to_owned())) {
            true => Token::DollarQuotedString,
            false => Token::Invalid(Fault::DollarString),
        }
    }

    /// Passes over digits with single underscores between them; whether there are any.
    fn digits(&mut self, is_digit: fn(u8) -> bool) -> bool {
        let start = self.at;
        while is_digit(self.peek(0)) || (self.peek(0) == b'_' && is_digit(self.peek(1))) {
            if self.at == start && self.peek(0) == b'_' {
                break;
            }
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Token {
        if self.peek(0) == b'0' {
            let (is_digit, fault): (fn(u8) -> bool, _) = match self.peek(1) {
                b'x' | b'X' => (|byte| byte.is_ascii_hexdigit(), Fault::HexInteger),
                b'o' | b'O' => (|byte| matches!(byte, b'0'..=b'7'), Fault::OctalInteger),
                b'b' | b'B' => (|byte| matches!(byte, b'0' | b'1'), Fault::BinaryInteger),
                _ => return self.decimal(),
            };
            self.at += 2;
            if self.peek(0) == b'_' && is_digit(self.peek(1)) {
                self.at += 1;
            }
            return match self.digits(is_digit) {
                true => self.behind_number(),
                false => Token::Invalid(fault),
            };
        }
        self.decimal()
    }

    fn decimal(&mut self) -> Token {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        self.digits(is_digit);
        if self.peek(0) == b'.' && self.peek(1) != b'.' {
            self.at += 1;
            self.digits(is_digit);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            self.at += 1 + sign;
            if !self.digits(is_digit) {
                return Token::Invalid(Fault::NumberJunk);
            }
        }
        self.behind_number()
    }

    fn behind_number(&mut self) -> Token {
        if starts_word(self.peek(0)) {
            self.skip_while(continues_word);
            return Token::Invalid(Fault::NumberJunk);
        }
        Token::Number
    }

    fn operator(&mut self) -> Token {
        let start = self.at;
        let length = match start < self.signs_end {
            true => 1,
            false => self.operator_length(start),
        };
        self.at = start + length;
        let operator = self.bytes.get(start..self.at);
        match operator.unwrap_or_default() {
            b"+" => Token::Plus,
            b"-" => Token::Minus,
            b"*" => Token::Mul,
            b"/" => Token::Div,
            b"%" => Token::Mod,
            b"^" => Token::Caret,
            b"=" => Token::Eq,
            b"<" => Token::Lt,
            b">" => Token::Gt,
            b"<=" => Token::LtEq,
            b">=" => Token::GtEq,
            b"<>" | b"!=" => Token::Neq,
            b"=>" => Token::RArrow,
            _ if length > OPERATOR_BYTES_MAX => Token::Invalid(Fault::OperatorLength),
            _ => Token::Operator,
        }
    }

    /// Bytes of an operator; notes the signs behind it.
    fn operator_length(&mut self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_operator(**byte)).count();
        let run = rest.get(..length).unwrap_or_default();
        // Comments end operators.
        let comment = run
            .windows(2)
            .position(|pair| pair == b"--" || pair == b"/*");
        let run = run.get(..comment.unwrap_or(length)).unwrap_or_default();
        if run.iter().any(|byte| lets_sign_end(*byte)) {
            return run.len();
        }
        self.signs_end = start + run.len();
        let is_sign = |byte: &&u8| matches!(byte, b'+' | b'-');
        let signs = run.iter().rev().take_while(is_sign).count();
        (run.len() - signs).max(1)
    }
}
