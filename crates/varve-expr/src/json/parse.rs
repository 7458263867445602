//! Json and jsonb from text.

use varve_types::meter::Growth;
use varve_types::{Decimal, Error, JSON_DEPTH_MAX, Json, NODE_BYTES, Result, SqlState};

use super::lex::{Lexer, Token};

/// The input function of `jsonb`: `22P02`, `22003`, `22P05`, `54001`.
pub(crate) fn parse_json(text: &str) -> Result<Json> {
    whole(text, true, false)
}

/// The input function of `json`, which keeps the text as it is.
pub(crate) fn check_json(text: &str) -> Result<()> {
    whole(text, false, false).map(|_| ())
}

/// The kind of a JSON text as `json_typeof` names it; `None` for what is none, and where keys are
/// to be unique and are not. `54001` for one that is nested too deep.
pub(crate) fn json_kind(text: &str, unique: bool) -> Result<Option<&'static str>> {
    match whole(text, false, unique) {
        Ok(_) => super::text_kind(text).map(Some),
        Err(error) if error.state() == SqlState::STATEMENT_TOO_COMPLEX => Err(error),
        Err(_) => Ok(None),
    }
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

fn whole(text: &str, keep: bool, unique: bool) -> Result<Json> {
    let mut reader = Reader {
        lexer: Lexer::new(text, keep || unique)?,
        keep,
        unique,
        growth: Growth::default(),
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
    /// Whether a key that comes twice in an object is refused.
    unique: bool,
    /// What the value takes so far.
    growth: Growth,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > JSON_DEPTH_MAX {
            return Err(too_deep());
        }
        self.growth.add(if self.keep {
            NODE_BYTES + self.lexer.string.len()
        } else {
            0
        })?;
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
                if self.keep || self.unique {
                    self.growth.add(NODE_BYTES + key.len())?;
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
        if !self.unique {
            return Ok(Json::object(pairs));
        }
        let count = pairs.len();
        match Json::object(pairs) {
            Json::Object(kept) if kept.len() < count => {
                let state = SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE;
                Err(Error::new(state, "duplicate JSON object key value"))
            }
            object => Ok(object),
        }
    }
}
