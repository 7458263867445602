//! PostgreSQL's words for texts that are none of its language.

use varve_types::{Error, SqlState};

use crate::token::{Fault, Lexeme};

/// The error about a token that may not stand where it stands, or cannot be read.
pub fn syntax_error(text: &str, lexeme: Lexeme, fault: Option<Fault>) -> Error {
    let what = match fault {
        None | Some(Fault::Character) => "syntax error",
        Some(Fault::QuotedString) => "unterminated quoted string",
        Some(Fault::QuotedIdentifier) => "unterminated quoted identifier",
        Some(Fault::EmptyIdentifier) => "zero-length delimited identifier",
        Some(Fault::BitString) => "unterminated bit string literal",
        Some(Fault::HexString) => "unterminated hexadecimal string literal",
        Some(Fault::DollarString) => "unterminated dollar-quoted string",
        Some(Fault::Comment) => "unterminated /* comment",
        Some(Fault::NumberJunk) => "trailing junk after numeric literal",
        Some(Fault::ParameterJunk) => "trailing junk after parameter",
        Some(Fault::HexInteger) => "invalid hexadecimal integer",
        Some(Fault::OctalInteger) => "invalid octal integer",
        Some(Fault::BinaryInteger) => "invalid binary integer",
        Some(Fault::OperatorLength) => "operator too long",
    };
    let token = text.get(lexeme.start as usize..lexeme.end as usize);
    let message = match token.unwrap_or_default() {
        "" => format!("{what} at end of input"),
        token => format!("{what} at or near \"{token}\""),
    };
    Error::new(SqlState::SYNTAX_ERROR, message).at(lexeme.position)
}

/// `54001`
pub fn too_deep() -> Error {
    Error::new(
        SqlState::STATEMENT_TOO_COMPLEX,
        "the statement is nested too deeply",
    )
    .with_hint("Write long chains of conditions with IN, or split the statement.")
}
