//! Tokens of JSON text, as RFC 8259 and PostgreSQL read them, and PostgreSQL's errors about them.

use varve_types::{Error, Result, SqlState};

/// How much of a line an error shows.
const CONTEXT_BYTES: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Comma,
    Colon,
    String,
    Number,
    True,
    False,
    Null,
    End,
}

/// A text and the token that is next.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// Whether strings are decoded, and so must be sound beyond their syntax.
    decodes: bool,
    pub(crate) token: Token,
    /// What the token means where it is a string and decoded.
    pub(crate) string: String,
    start: usize,
    end: usize,
    /// The end of the token before.
    previous_end: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    /// Begins with the first token.
    pub(crate) fn new(text: &'a str, decodes: bool) -> Result<Lexer<'a>> {
        let mut lexer = Lexer {
            text,
            decodes,
            token: Token::End,
            string: String::new(),
            start: 0,
            end: 0,
            previous_end: 0,
            line: 1,
            line_start: 0,
        };
        lexer.advance()?;
        Ok(lexer)
    }

    /// Where the token begins.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where the token before it ended.
    pub(crate) fn previous_end(&self) -> usize {
        self.previous_end
    }

    /// The text of the token.
    pub(crate) fn token_text(&self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.end).copied()
    }

    /// Moves to the next token.
    pub(crate) fn advance(&mut self) -> Result<()> {
        self.previous_end = self.end;
        while let Some(space @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.end += 1;
            if space == b'\n' {
                self.line += 1;
                self.line_start = self.end;
            }
        }
        self.start = self.end;
        let single = match self.peek() {
            None => {
                self.token = Token::End;
                return Ok(());
            }
            Some(b'{') => Token::ObjectStart,
            Some(b'}') => Token::ObjectEnd,
            Some(b'[') => Token::ArrayStart,
            Some(b']') => Token::ArrayEnd,
            Some(b',') => Token::Comma,
            Some(b':') => Token::Colon,
            Some(b'"') => {
                self.end += 1;
                self.string()?;
                self.token = Token::String;
                return Ok(());
            }
            Some(b'-' | b'0'..=b'9') => return self.number(),
            Some(_) => return self.word(),
        };
        self.end += 1;
        self.token = single;
        Ok(())
    }

    /// Takes the rest of a word; whether there was any.
    fn take_word(&mut self) -> bool {
        let start = self.end;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        while self.peek().is_some_and(is_part) {
            self.end += 1;
        }
        self.end > start
    }

    fn word(&mut self) -> Result<()> {
        if !self.take_word() {
            self.end += 1;
            return Err(self.invalid_token());
        }
        self.token = match self.token_text() {
            "true" => Token::True,
            "false" => Token::False,
            "null" => Token::Null,
            _ => return Err(self.invalid_token()),
        };
        Ok(())
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    fn number(&mut self) -> Result<()> {
        self.take(b"-");
        let mut is_sound = self.take(b"0") || self.digits();
        if self.take(b".") {
            is_sound &= self.digits();
        }
        if self.take(b"eE") {
            self.take(b"+-");
            is_sound &= self.digits();
        }
        if self.take_word() || !is_sound {
            return Err(self.invalid_token());
        }
        self.token = Token::Number;
        Ok(())
    }

    fn take(&mut self, any: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| any.contains(&byte));
        self.end += usize::from(found);
        found
    }

    fn digits(&mut self) -> bool {
        let start = self.end;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.end += 1;
        }
        self.end > start
    }

    /// What follows the quote that begins a string.
    fn string(&mut self) -> Result<()> {
        self.string.clear();
        let mut high = None;
        loop {
            let rest = self.text.get(self.end..).unwrap_or_default();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ');
            let length = plain.unwrap_or(rest.len());
            if length > 0 && high.is_some() {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                self.end += first;
                return Err(self.low_surrogate());
            }
            if self.decodes {
                self.string.push_str(rest.get(..length).unwrap_or_default());
            }
            self.end += length;
            match self.peek() {
                Some(b'"') => {
                    self.end += 1;
                    return match high {
                        None => Ok(()),
                        Some(_) => Err(self.low_surrogate()),
                    };
                }
                Some(b'\\') => {
                    self.end += 1;
                    self.escape(&mut high)?;
                }
                Some(control) => {
                    let detail = format!("Character with value 0x{control:02x} must be escaped.");
                    return Err(self.invalid(detail));
                }
                None => return Err(self.invalid_token()),
            }
        }
    }

    /// What follows a backslash; `high` is the surrogate before it.
    fn escape(&mut self, high: &mut Option<u32>) -> Result<()> {
        let rest = self.text.get(self.end..).unwrap_or_default();
        let Some(letter) = rest.chars().next() else {
            return Err(self.invalid_token());
        };
        self.end += letter.len_utf8();
        let plain = match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let code = self.four_digits()?;
                return if self.decodes {
                    self.code_point(code, high)
                } else {
                    Ok(())
                };
            }
            _ => {
                let detail = format!("Escape sequence \"\\{letter}\" is invalid.");
                return Err(self.invalid(detail));
            }
        };
        if high.is_some() {
            return Err(self.low_surrogate());
        }
        if self.decodes {
            self.string.push(plain);
        }
        Ok(())
    }

    fn four_digits(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let rest = self.text.get(self.end..).unwrap_or_default();
            let Some(letter) = rest.chars().next() else {
                return Err(self.invalid_token());
            };
            self.end += letter.len_utf8();
            let digit = letter.to_digit(16);
            let digit = digit.ok_or_else(|| {
                self.invalid("\"\\u\" must be followed by four hexadecimal digits.")
            })?;
            code = code << 4 | digit;
        }
        Ok(code)
    }

    fn code_point(&mut self, code: u32, high: &mut Option<u32>) -> Result<()> {
        let whole = match (code, high.take()) {
            (0xd800..=0xdbff, None) => {
                *high = Some(code);
                return Ok(());
            }
            (0xd800..=0xdbff, Some(_)) => {
                return Err(
                    self.invalid("Unicode high surrogate must not follow a high surrogate.")
                );
            }
            (0xdc00..=0xdfff, Some(high)) => 0x10000 + ((high & 0x3ff) << 10) + (code & 0x3ff),
            (0xdc00..=0xdfff, None) | (_, Some(_)) => return Err(self.low_surrogate()),
            (0, None) => {
                let error = Error::new(
                    SqlState::UNTRANSLATABLE_CHARACTER,
                    "unsupported Unicode escape sequence",
                );
                let error = error.with_detail("\\u0000 cannot be converted to text.");
                return Err(error.with_context(self.context()));
            }
            (code, None) => code,
        };
        self.string.extend(char::from_u32(whole));
        Ok(())
    }

    fn low_surrogate(&self) -> Error {
        self.invalid("Unicode low surrogate must follow a high surrogate.")
    }

    fn invalid_token(&self) -> Error {
        self.invalid(format!("Token \"{}\" is invalid.", self.token_text()))
    }

    /// What stands here instead of what was wanted.
    pub(crate) fn unexpected(&self, wanted: &str) -> Error {
        match self.token {
            Token::End => self.invalid("The input string ended unexpectedly."),
            _ => self.invalid(format!(
                "Expected {wanted}, but found \"{}\".",
                self.token_text()
            )),
        }
    }

    fn invalid(&self, detail: impl Into<String>) -> Error {
        Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for type json",
        )
        .with_detail(detail)
        .with_context(self.context())
    }

    /// The line up to the end of the token, or the end of that.
    fn context(&self) -> String {
        let mut start = self.line_start;
        while self.end - start >= CONTEXT_BYTES {
            let rest = self.text.get(start..).unwrap_or_default();
            start += rest.chars().next().map_or(1, char::len_utf8);
        }
        if start - self.line_start <= 3 {
            start = self.line_start;
        }
        let before = if start > self.line_start { "..." } else { "" };
        let shown = self.text.get(start..self.end).unwrap_or_default();
        let after = match self.peek() {
            None | Some(b'\n' | b'\r') => "",
            Some(_) => "...",
        };
        format!("JSON data, line {}: {before}{shown}{after}", self.line)
    }
}
