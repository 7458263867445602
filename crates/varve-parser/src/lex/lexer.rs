//! Texts as tokens, by PostgreSQL's lexical rules.

use crate::lex::keyword::Keyword;
use crate::lex::quoted::continuation;
use crate::lex::token::{Fault, Lexeme, Token};

/// Names of operators are shorter.
const OPERATOR_BYTES_MAX: usize = 63;

/// Reads the tokens of a text, statement by statement.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Every byte is a character.
    ascii: bool,
    /// The byte and the character (from 1) up to which characters are counted.
    counted: (usize, u32),
    /// The byte up to which each + and - is an operator, behind the one that they ended.
    signs_end: usize,
    /// The end of the text was read, or what cannot be.
    has_ended: bool,
    lexemes: Vec<Lexeme>,
}

/// The tokens of a text, without white space and comments; the last one is the end of the text or
/// what cannot be read. `text` has fewer than 2^32 bytes.
pub fn tokenize(text: &str) -> Vec<Lexeme> {
    let mut lexer = Lexer::new(text);
    lexer.lexemes.reserve(text.len() / 5 + 2);
    while !lexer.has_ended {
        lexer.advance();
    }
    lexer.lexemes
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
    matches!(
        byte,
        b'+' | b'-'
            | b'*'
            | b'/'
            | b'<'
            | b'>'
            | b'='
            | b'~'
            | b'!'
            | b'@'
            | b'#'
            | b'%'
            | b'^'
            | b'&'
            | b'|'
            | b'`'
            | b'?'
    )
}

/// + and - end only operators with one of these characters.
fn lets_sign_end(byte: u8) -> bool {
    matches!(
        byte,
        b'~' | b'!' | b'@' | b'#' | b'%' | b'^' | b'&' | b'|' | b'`' | b'?'
    )
}

impl<'a> Lexer<'a> {
    /// Stands before the first token of a text of fewer than 2^32 bytes.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            bytes: text.as_bytes(),
            at: 0,
            ascii: text.is_ascii(),
            counted: (0, 1),
            signs_end: 0,
            has_ended: false,
            lexemes: Vec::new(),
        }
    }

    /// The tokens of the next statement, then the one that ends it: a semicolon, the end of the
    /// text, or what cannot be read. The semicolons in the body of a function end nothing. A
    /// statement is cut behind the token that makes it longer than `bytes_max`. `None` behind the
    /// last one.
    pub fn statement(&mut self, bytes_max: usize) -> Option<Vec<Lexeme>> {
        let mut before = Keyword::NoKeyword;
        let mut depth = 0_u32;
        while !self.has_ended {
            let lexeme = self.advance();
            let first = self.lexemes.first().copied().unwrap_or(lexeme);
            match lexeme.keyword {
                Keyword::ATOMIC
                    if before == Keyword::BEGIN
                        && first.keyword == Keyword::CREATE
                        && depth == 0 =>
                {
                    depth = 1;
                }
                Keyword::CASE if depth > 0 => depth += 1,
                Keyword::END if depth > 0 => depth -= 1,
                _ => {}
            }
            before = lexeme.keyword;
            let ends = lexeme.token == Token::SemiColon && depth == 0;
            if ends || self.at - first.start as usize > bytes_max {
                break;
            }
        }
        let lexemes = core::mem::take(&mut self.lexemes);
        (!lexemes.is_empty()).then_some(lexemes)
    }

    /// Reads one token.
    fn advance(&mut self) -> Lexeme {
        let (token, start) = match self.skip_space() {
            Ok(()) => {
                let start = self.at;
                (self.token(), start)
            }
            Err(start) => {
                self.at = self.bytes.len();
                (Token::Invalid(Fault::Comment), start)
            }
        };
        self.has_ended = matches!(token, Token::EOF | Token::Invalid(_));
        self.push(token, start)
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

    fn push(&mut self, token: Token, start: usize) -> Lexeme {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let position = if self.ascii {
            number(start + 1)
        } else {
            let (from, count) = self.counted;
            let between = self.bytes.get(from..start).unwrap_or_default();
            let starts = between.iter().filter(|byte| **byte & 0xc0 != 0x80);
            let position = count.saturating_add(number(starts.count()));
            self.counted = (start, position);
            position
        };
        let keyword = match token {
            Token::Word => Keyword::of(self.text.get(start..self.at).unwrap_or_default()),
            _ => Keyword::NoKeyword,
        };
        let lexeme = Lexeme {
            token,
            keyword,
            start: number(start),
            end: number(self.at),
            position,
        };
        self.lexemes.push(lexeme);
        if keyword == Keyword::UESCAPE {
            self.join_escape();
        }
        lexeme
    }

    /// `UESCAPE '!'` behind a Unicode string or name becomes part of it.
    fn join_escape(&mut self) {
        let before = self.lexemes.len().checked_sub(2);
        let before = before.and_then(|at| self.lexemes.get(at)).copied();
        let unicode = [Token::UnicodeStringLiteral, Token::UnicodeWord];
        let Some(before) = before.filter(|before| unicode.contains(&before.token)) else {
            return;
        };
        if self.skip_space().is_err() || self.peek(0) != b'\'' {
            return;
        }
        self.at += 1;
        if self.quoted(b'\'', false) {
            self.lexemes.truncate(self.lexemes.len().saturating_sub(2));
            let end = u32::try_from(self.at).unwrap_or(u32::MAX);
            self.lexemes.push(Lexeme { end, ..before });
        }
    }

    /// Passes over white space and comments; fails with the start of one that does not end.
    fn skip_space(&mut self) -> Result<(), usize> {
        loop {
            let byte = self.peek(0);
            if is_space(byte) {
                self.at += 1;
            } else if byte == b'-' && self.peek(1) == b'-' {
                self.skip_while(|byte| byte != b'\n' && byte != b'\r');
            } else if byte == b'/' && self.peek(1) == b'*' {
                let start = self.at;
                let mut depth = 0_u32;
                loop {
                    match (self.peek(0), self.peek(1)) {
                        (b'/', b'*') => depth += 1,
                        (b'*', b'/') => depth -= 1,
                        _ if !self.has(0) => return Err(start),
                        _ => {
                            self.at += 1;
                            continue;
                        }
                    }
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Token {
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

    /// Passes over what is quoted, behind its first quote; false where it does not end.
    fn quoted(&mut self, quote: u8, escapes: bool) -> bool {
        while self.has(0) {
            let byte = self.peek(0);
            self.at += 1;
            if byte == quote {
                if self.peek(0) != quote {
                    return true;
                }
                self.at += 1;
            } else if byte == b'\\' && escapes {
                self.at += 1;
            }
        }
        self.at = self.bytes.len();
        false
    }

    /// A string behind its first quote, with the parts on further lines.
    fn string(&mut self, token: Token, fault: Fault) -> Token {
        loop {
            if !self.quoted(b'\'', token == Token::EscapedStringLiteral) {
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
        if !self.quoted(b'"', false) {
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
        let rest = self.text.get(self.at..).unwrap_or_default();
        let tag = self.text.get(tag_start..self.at).unwrap_or_default();
        match rest.find(tag) {
            Some(length) => {
                self.at += length + tag.len();
                Token::DollarQuotedString
            }
            None => {
                self.at = self.bytes.len();
                Token::Invalid(Fault::DollarString)
            }
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
            if !self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                return Token::Invalid(Fault::NumberJunk);
            }
            self.at += 1 + sign;
            self.digits(is_digit);
        }
        self.behind_number()
    }

    fn behind_number(&mut self) -> Token {
        if starts_word(self.peek(0)) {
            while continues_word(self.peek(0)) {
                self.at += 1;
            }
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
