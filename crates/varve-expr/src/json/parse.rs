//! Json and jsonb from text.

use varve_types::{Decimal, Error, JSON_DEPTH_MAX, Json, Result, SqlState};

use super::lex::{Lexer, Token};

/// The input function of `jsonb`: `22P02`, `22003`, `22P05`, `54001`.
pub(crate) fn parse_json(text: &str) -> Result<Json> {
    whole(text, true)
}

/// The input function of `json`, which keeps the text as it is.
pub(crate) fn check_json(text: &str) -> Result<()> {
    whole(text, false).map(|_| ())
}

/// `54001`.
pub(crate) fn too_deep() -> Error {
    Error::new(
        SqlState::STATEMENT_TOO_COMPLEX,
        "stack depth limit exceeded",
    )
    .with_detail(format!(
        "JSON values are nested at most {JSON_DEPTH_MAX} levels deep."
    ))
}

fn whole(text: &str, keep: bool) -> Result<Json> {
    let mut reader = Reader {
        lexer: Lexer::new(text, keep)?,
        keep,
    };
    let value = reader.value(0)?;
    match reader.lexer.token {
        Token::End => Ok(value),
        _ => Err(reader.lexer.unexpected("end of input")),
    }
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    /// Whether values are wanted, or only whether the text is sound.
    keep: bool,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > JSON_DEPTH_MAX {
            return Err(too_deep());
        }
        let value = match self.lexer.token {
            Token::ObjectStart => return self.object(depth),
            Token::ArrayStart => return self.array(depth),
            Token::String => Json::String(core::mem::take(&mut self.lexer.string)),
            Token::Number if self.keep => Json::Number(Decimal::parse(self.lexer.token_text())?),
            Token::Number | Token::Null => Json::Null,
            Token::True => Json::Boolean(true),
            Token::False => Json::Boolean(false),
            _ => return Err(self.lexer.unexpected("JSON value")),
        };
        self.lexer.advance()?;
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Json> {
        let mut values = Vec::new();
        self.lexer.advance()?;
        if self.lexer.token != Token::ArrayEnd {
            loop {
                let value = self.value(depth + 1)?;
                if self.keep {
                    values.push(value);
                }
                match self.lexer.token {
                    Token::Comma => self.lexer.advance()?,
                    Token::ArrayEnd => break,
                    _ => return Err(self.lexer.unexpected("\",\" or \"]\"")),
                }
            }
        }
        self.lexer.advance()?;
        Ok(Json::Array(values))
    }

    fn object(&mut self, depth: usize) -> Result<Json> {
        let mut pairs = Vec::new();
        self.lexer.advance()?;
        if self.lexer.token != Token::ObjectEnd {
            let mut wanted = "string or \"}\"";
            loop {
                if self.lexer.token != Token::String {
                    return Err(self.lexer.unexpected(wanted));
                }
                let key = core::mem::take(&mut self.lexer.string);
                self.lexer.advance()?;
                if self.lexer.token != Token::Colon {
                    return Err(self.lexer.unexpected("\":\""));
                }
                self.lexer.advance()?;
                let value = self.value(depth + 1)?;
                if self.keep {
                    pairs.push((key, value));
                }
                match self.lexer.token {
                    Token::Comma => self.lexer.advance()?,
                    Token::ObjectEnd => break,
                    _ => return Err(self.lexer.unexpected("\",\" or \"}\"")),
                }
                wanted = "string";
            }
        }
        self.lexer.advance()?;
        Ok(Json::object(pairs))
    }
}
