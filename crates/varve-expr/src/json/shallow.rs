//! One level of a `json` text, taken apart without touching what is below.

use varve_types::Result;

use super::lex::{Lexer, Token};
use super::write::write_string;

/// A `json` value whose members are still text.
pub(crate) enum Shallow<'a> {
    /// The kind of the scalar, and a string decoded.
    Scalar(Token, String),
    Array(Vec<&'a str>),
    /// Keys in the order of the text, more than once where it has them so.
    Object(Vec<(String, &'a str)>),
}

/// Takes apart a sound text; one that is not is `22P02`.
pub(crate) fn shallow(text: &str) -> Result<Shallow<'_>> {
    let mut lexer = Lexer::new(text, true)?;
    match lexer.token {
        Token::ArrayStart => {
            let mut values = Vec::new();
            lexer.advance()?;
            while lexer.token != Token::ArrayEnd {
                values.push(value(text, &mut lexer)?);
                if lexer.token == Token::Comma {
                    lexer.advance()?;
                }
            }
            Ok(Shallow::Array(values))
        }
        Token::ObjectStart => {
            let mut pairs = Vec::new();
            lexer.advance()?;
            while lexer.token == Token::String {
                let key = core::mem::take(&mut lexer.string);
                lexer.advance()?;
                lexer.advance()?;
                pairs.push((key, value(text, &mut lexer)?));
                if lexer.token == Token::Comma {
                    lexer.advance()?;
                }
            }
            Ok(Shallow::Object(pairs))
        }
        scalar => Ok(Shallow::Scalar(scalar, lexer.string)),
    }
}

/// Passes over one value.
fn value<'a>(text: &'a str, lexer: &mut Lexer<'a>) -> Result<&'a str> {
    let start = lexer.start();
    let mut open = 0_usize;
    loop {
        match lexer.token {
            Token::ArrayStart | Token::ObjectStart => open += 1,
            Token::ArrayEnd | Token::ObjectEnd => open = open.saturating_sub(1),
            Token::End => return Err(lexer.unexpected("JSON value")),
            _ => {}
        }
        lexer.advance()?;
        if open == 0 {
            break;
        }
    }
    Ok(text.get(start..lexer.previous_end()).unwrap_or_default())
}

/// What `json_typeof` answers.
pub(crate) fn text_kind(text: &str) -> Result<&'static str> {
    Ok(match Lexer::new(text, false)?.token {
        Token::ObjectStart => "object",
        Token::ArrayStart => "array",
        Token::String => "string",
        Token::Number => "number",
        Token::True | Token::False => "boolean",
        _ => "null",
    })
}

/// Appends a `json` value without white space.
pub(crate) fn minified(text: &str, out: &mut String) -> Result<()> {
    let mut lexer = Lexer::new(text, false)?;
    while lexer.token != Token::End {
        out.push_str(lexer.token_text());
        lexer.advance()?;
    }
    Ok(())
}

/// Appends a `json` value without white space and without the members of objects that are null.
pub(crate) fn strip_text_nulls(text: &str, out: &mut String) -> Result<()> {
    let mut lexer = Lexer::new(text, true)?;
    // Of each container that is open, whether it is an object and whether it has a member.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut key: Option<String> = None;
    while lexer.token != Token::End {
        let in_object = open.last().is_some_and(|(is_object, _)| *is_object);
        match lexer.token {
            Token::Comma | Token::Colon => {}
            Token::ObjectEnd | Token::ArrayEnd => {
                open.pop();
                out.push_str(lexer.token_text());
            }
            Token::String if in_object && key.is_none() => {
                key = Some(core::mem::take(&mut lexer.string));
            }
            Token::Null if in_object => key = None,
            token => {
                if let Some((_, has_member)) = open.last_mut() {
                    if *has_member {
                        out.push(',');
                    }
                    *has_member = true;
                }
                if let Some(key) = key.take() {
                    write_string(&key, out);
                    out.push(':');
                }
                match token {
                    Token::String => write_string(&lexer.string, out),
                    _ => out.push_str(lexer.token_text()),
                }
                if matches!(token, Token::ObjectStart | Token::ArrayStart) {
                    open.push((token == Token::ObjectStart, false));
                }
            }
        }
        lexer.advance()?;
    }
    Ok(())
}
