//! Tokens of a jsonpath.

use varve_types::{Decimal, Error, Result, SqlState};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name, or a word that means something where it stands.
    Word(String),
    String(String),
    Number(Decimal),
    /// `$name`
    Variable(String),
    Symbol(&'static str),
    End,
}

/// The longest first.
const SYMBOLS: [&str; 30] = [
    "&&", "||", "**", "==", "!=", "<>", "<=", ">=", "?", "%", "$", ".", "[", "]", "{", "}", "(",
    ")", "|", "&", "!", "=", "<", ">", "@", "#", ",", "*", ":", "-",
];
const MORE_SYMBOLS: [&str; 2] = ["+", "/"];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pub(super) token: Token,
    /// What PostgreSQL's errors show as the place of the token; empty for the end.
    near: String,
}

fn is_name(c: char) -> bool {
    !matches!(
        c,
        '?' | '%'
            | '$'
            | '.'
            | '['
            | ']'
            | '{'
            | '}'
            | '('
            | ')'
            | '|'
            | '&'
            | '!'
            | '='
            | '<'
            | '>'
            | '@'
            | '#'
            | ','
            | '*'
            | ':'
            | '-'
            | '+'
            | '/'
            | '\\'
            | '"'
    ) && !is_blank(c)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn syntax_error(what: &str, near: &str) -> Error {
    let message = match near {
        "" => format!("{what} at end of jsonpath input"),
        near => format!("{what} at or near \"{near}\" of jsonpath input"),
    };
    Error::new(SqlState::SYNTAX_ERROR, message)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Result<Lexer<'a>> {
        let mut lexer = Lexer {
            text,
            at: 0,
            token: Token::End,
            near: String::new(),
        };
        lexer.advance()?;
        Ok(lexer)
    }

    /// The error of a token that does not belong here.
    pub(super) fn unexpected(&self) -> Error {
        syntax_error("syntax error", &self.near)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take_while(&mut self, test: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn advance(&mut self) -> Result<()> {
        loop {
            self.take_while(is_blank);
            if !self.rest().starts_with("/*") {
                break;
            }
            let Some(length) = self.rest().find("*/") else {
                return Err(syntax_error("unexpected end of comment", ""));
            };
            self.at += length + 2;
        }
        let rest = self.rest();
        let start = self.at;
        self.near.clear();
        self.token = match self.peek() {
            None => Token::End,
            Some('"') => {
                self.at += 1;
                self.near.push('"');
                Token::String(self.quoted()?)
            }
            Some('$') if rest.starts_with("$\"") => {
                self.at += 2;
                self.near.push('"');
                Token::Variable(self.quoted()?)
            }
            Some('$') if rest.chars().nth(1).is_some_and(|c| is_name(c) || c == '\\') => {
                self.at += 1;
                let name = self.name()?;
                let written = self.text.get(start..self.at).unwrap_or_default();
                self.near.push_str(written);
                Token::Variable(name)
            }
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some('.') if rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => {
                self.number()?
            }
            Some(c) if is_name(c) || c == '\\' => {
                let name = self.name()?;
                // As PostgreSQL's scanner: a name ends with what ends it.
                self.near.extend(self.peek().filter(|c| is_blank(*c)));
                Token::Word(name)
            }
            Some(_) => {
                let symbols = SYMBOLS.into_iter().chain(MORE_SYMBOLS);
                let found = symbols.into_iter().find(|symbol| rest.starts_with(symbol));
                let symbol = found.unwrap_or_default();
                self.at += symbol.len();
                self.near.push_str(symbol);
                Token::Symbol(symbol)
            }
        };
        Ok(())
    }

    fn name(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(is_name));
            if !self.rest().starts_with('\\') {
                return Ok(name);
            }
            self.escape(&mut name)?;
        }
    }

    fn quoted(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| !matches!(c, '"' | '\\')));
            match self.peek() {
                None => return Err(syntax_error("unterminated quoted string", "")),
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => self.escape(&mut text)?,
            }
        }
    }

    /// An escape, from its backslash on.
    fn escape(&mut self, text: &mut String) -> Result<()> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.peek() else {
            return Err(syntax_error("unexpected end after backslash", "\\"));
        };
        self.at += letter.len_utf8();
        text.push(match letter {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => {
                let code = self.hex(2);
                let Some(code) = code.filter(|code| *code > 0) else {
                    let what = "invalid hexadecimal character sequence";
                    return Err(syntax_error(what, self.since(start)));
                };
                char::from_u32(code).unwrap_or_default()
            }
            'u' => {
                let code = self.unicode(start)?;
                self.character(code)?
            }
            other => other,
        });
        Ok(())
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// So many hexadecimal digits; those that there are, are taken in any case.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.peek()?.to_digit(16)?;
            self.at += 1;
            code = code << 4 | digit;
        }
        Some(code)
    }

    /// What follows `\u`: four digits, or one to six in braces.
    fn unicode(&mut self, start: usize) -> Result<u32> {
        let code = if self.rest().starts_with('{') {
            self.at += 1;
            let mut code = 0_u32;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(|c| c.to_digit(16))
                && digits < 6
            {
                self.at += 1;
                digits += 1;
                code = code << 4 | digit;
            }
            let closed = digits > 0 && self.rest().starts_with('}');
            self.at += usize::from(closed);
            closed.then_some(code)
        } else {
            self.hex(4)
        };
        let what = "invalid Unicode escape sequence";
        code.ok_or_else(|| syntax_error(what, self.since(start)))
    }

    /// The character of a code, with the low surrogate that must follow a high one.
    fn character(&mut self, code: u32) -> Result<char> {
        let invalid = |detail: &str| {
            let state = SqlState::INVALID_TEXT_REPRESENTATION;
            Error::new(state, "invalid input syntax for type jsonpath").with_detail(detail)
        };
        let surrogate = || invalid("Unicode low surrogate must follow a high surrogate.");
        let code = match code {
            0 => {
                return Err(Error::new(
                    SqlState::UNTRANSLATABLE_CHARACTER,
                    "unsupported Unicode escape sequence",
                )
                .with_detail("\\u0000 cannot be converted to text."));
            }
            0xd800..=0xdbff => {
                let start = self.at;
                let low = if self.rest().starts_with("\\u") {
                    self.at += 2;
                    self.unicode(start)?
                } else {
                    0
                };
                match low {
                    0xdc00..=0xdfff => {}
                    0xd800..=0xdbff => {
                        let detail = "Unicode high surrogate must not follow a high surrogate.";
                        return Err(invalid(detail));
                    }
                    _ => return Err(surrogate()),
                }
                0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(surrogate)
    }

    fn number(&mut self) -> Result<Token> {
        let start = self.at;
        let radix = match self.rest().get(..2) {
            Some("0x" | "0X") => 16,
            Some("0o" | "0O") => 8,
            Some("0b" | "0B") => 2,
            _ => 10,
        };
        let mut digits = String::new();
        if radix == 10 {
            self.digits(10, &mut digits);
            let has_zero = digits.len() > 1 && digits.starts_with('0');
            if self.rest().starts_with('.') {
                self.at += 1;
                digits.push('.');
                self.digits(10, &mut digits);
            }
            if self.rest().starts_with(['e', 'E']) {
                self.at += 1;
                digits.push('e');
                let sign = self.peek().filter(|c| matches!(c, '+' | '-'));
                self.at += usize::from(sign.is_some());
                digits.extend(sign);
                if !self.digits(10, &mut digits) {
                    let what = match sign {
                        Some(_) => "invalid numeric literal",
                        None => "trailing junk after numeric literal",
                    };
                    return Err(syntax_error(what, self.since(start)));
                }
            }
            if has_zero {
                // PostgreSQL's scanner takes two such digits for junk and more for a name.
                return Err(match digits.len() {
                    2 => self.junk(start),
                    _ => syntax_error("syntax error", ""),
                });
            }
        } else {
            digits.push_str(self.rest().get(..2).unwrap_or_default());
            self.at += 2;
            if !self.digits(radix, &mut digits) {
                return Err(self.junk(start));
            }
        }
        if self.peek().is_some_and(is_name) {
            self.at += self.peek().map_or(0, char::len_utf8);
            return Err(self.junk(start));
        }
        self.near.push_str(self.since(start));
        let number = if radix == 10 {
            Decimal::parse(digits.trim_end_matches('.'))?
        } else {
            let plain = digits.get(2..).unwrap_or_default();
            let parsed = i128::from_str_radix(plain, radix).ok();
            let parsed = parsed.and_then(|number| Decimal::new(number, 0));
            parsed.ok_or_else(Decimal::overflow)?
        };
        Ok(Token::Number(number))
    }

    fn junk(&self, start: usize) -> Error {
        syntax_error("trailing junk after numeric literal", self.since(start))
    }

    /// Digits with single underscores between them; whether there was one.
    fn digits(&mut self, radix: u32, digits: &mut String) -> bool {
        let before = digits.len();
        loop {
            let rest = self.rest();
            let skip = usize::from(rest.starts_with('_') && digits.len() > before);
            let next = rest.chars().nth(skip).filter(|c| c.is_digit(radix));
            let Some(digit) = next else {
                return digits.len() > before;
            };
            digits.push(digit);
            self.at += skip + 1;
        }
    }
}
