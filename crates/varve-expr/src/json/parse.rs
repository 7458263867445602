//! JSON from text, as RFC 8259 and PostgreSQL read it.

use varve_types::{Decimal, Error, JSON_DEPTH_MAX, Json, Result, SqlState};

/// The input function of `jsonb`: `22P02`, `22003`, `54001`.
pub(crate) fn parse_json(text: &str) -> Result<Json> {
    let mut reader = Reader {
        text,
        at: 0,
        keep: true,
    };
    reader.whole()
}

/// The input function of `json`, which keeps the text as it is.
pub(crate) fn check_json(text: &str) -> Result<()> {
    let mut reader = Reader {
        text,
        at: 0,
        keep: false,
    };
    reader.whole().map(|_| ())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Whether values are wanted, or only whether the text is sound.
    keep: bool,
}

fn invalid(detail: impl Into<String>) -> Error {
    Error::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type json",
    )
    .with_detail(detail)
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<Json> {
        let value = self.value(0)?;
        self.spaces();
        if self.peek().is_some() {
            return Err(self.unexpected("end of input"));
        }
        Ok(value)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// What stands here instead of what was wanted.
    fn unexpected(&self, wanted: &str) -> Error {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let rest = self.rest();
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let token = rest.get(..word.max(first)).unwrap_or_default();
        if token.is_empty() {
            return invalid("The input string ended unexpectedly.");
        }
        let known = ["true", "false", "null"].contains(&token)
            || Decimal::parse(token).is_ok_and(Decimal::is_finite);
        if word > 0 && !known {
            return invalid(format!("Token \"{token}\" is invalid."));
        }
        invalid(format!("Expected {wanted}, but found \"{token}\"."))
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > JSON_DEPTH_MAX {
            return Err(Error::new(
                SqlState::STATEMENT_TOO_COMPLEX,
                "stack depth limit exceeded",
            ));
        }
        self.spaces();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json> {
        let words = [
            ("true", Json::Boolean(true)),
            ("false", Json::Boolean(false)),
            ("null", Json::Null),
        ];
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let found = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        for (word, value) in words {
            if found == word {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("JSON value"))
    }

    fn number(&mut self) -> Result<Json> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '+' | '.'));
        let token = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if !is_number(token) {
            return Err(invalid(format!("Token \"{token}\" is invalid.")));
        }
        let value = if self.keep {
            Json::Number(Decimal::parse(token)?)
        } else {
            Json::Null
        };
        self.at += token.len();
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut values = Vec::new();
        self.spaces();
        if self.take(b']') {
            return Ok(Json::Array(values));
        }
        loop {
            let value = self.value(depth + 1)?;
            if self.keep {
                values.push(value);
            }
            self.spaces();
            if self.take(b']') {
                return Ok(Json::Array(values));
            }
            if !self.take(b',') {
                return Err(self.unexpected("\",\" or \"]\""));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut pairs = Vec::new();
        self.spaces();
        if self.take(b'}') {
            return Ok(Json::Object(pairs));
        }
        loop {
            self.spaces();
            if self.peek() != Some(b'"') {
                let wanted = if pairs.is_empty() {
                    "string or \"}\""
                } else {
                    "string"
                };
                return Err(self.unexpected(wanted));
            }
            let key = self.string()?;
            self.spaces();
            if !self.take(b':') {
                return Err(self.unexpected("\":\""));
            }
            let value = self.value(depth + 1)?;
            if self.keep {
                pairs.push((key, value));
            }
            self.spaces();
            if self.take(b'}') {
                return Ok(Json::object(pairs));
            }
            if !self.take(b',') {
                return Err(self.unexpected("\",\" or \"}\""));
            }
        }
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ');
            let end = plain.ok_or_else(|| {
                let token = self
                    .text
                    .get(self.at.saturating_sub(1)..)
                    .unwrap_or_default();
                invalid(format!("Token \"{token}\" is invalid."))
            })?;
            text.push_str(rest.get(..end).unwrap_or_default());
            self.at += end;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(control) => {
                    return Err(invalid(format!(
                        "Character with value 0x{control:02x} must be escaped."
                    )));
                }
                None => return Err(invalid("The input string ended unexpectedly.")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let found = self.rest().chars().next();
        let letter = found.ok_or_else(|| invalid("The input string ended unexpectedly."))?;
        self.at += letter.len_utf8();
        Ok(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.code_point(),
            _ => {
                return Err(invalid(format!(
                    "Escape sequence \"\\{letter}\" is invalid."
                )));
            }
        })
    }

    fn code_point(&mut self) -> Result<char> {
        let first = self.four_digits()?;
        let code = match first {
            0xd800..=0xdbff => {
                let low = if self.rest().starts_with("\\u") {
                    self.at += 2;
                    self.four_digits()?
                } else {
                    0
                };
                if !(0xdc00..=0xdfff).contains(&low) {
                    return Err(invalid(
                        "Unicode low surrogate must follow a high surrogate.",
                    ));
                }
                0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            0xdc00..=0xdfff => {
                return Err(invalid(
                    "Unicode low surrogate must follow a high surrogate.",
                ));
            }
            0 if self.keep => {
                return Err(Error::new(
                    SqlState::UNTRANSLATABLE_CHARACTER,
                    "unsupported Unicode escape sequence",
                )
                .with_detail("\\u0000 cannot be converted to text."));
            }
            code => code,
        };
        Ok(char::from_u32(code).unwrap_or('\u{fffd}'))
    }

    fn four_digits(&mut self) -> Result<u32> {
        let digits = self.rest().get(..4).unwrap_or_default();
        let is_hex = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex);
        let code =
            code.ok_or_else(|| invalid("\"\\u\" must be followed by four hexadecimal digits."))?;
        self.at += 4;
        Ok(code)
    }
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_number(token: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let (number, exponent) =
        unsigned
            .split_once(['e', 'E'])
            .map_or((unsigned, None), |(number, exponent)| {
                (
                    number,
                    Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
                )
            });
    let (whole, fraction) = number
        .split_once('.')
        .map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}
