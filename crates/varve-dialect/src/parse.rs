//! Statements as `sqlparser` reads them.

use sqlparser::ast::Statement;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};

use crate::Dialect;
use crate::script::{Fault, Result};
use crate::split::Piece;

/// Levels of parentheses and subqueries.
const NESTING_MAX: usize = 32;
/// Tokens between two commas: operators in a row nest as deep as there are many of them.
const TOKENS_IN_A_ROW_MAX: usize = 2000;

/// The tokens of a statement, with lines of the script and without blanks.
pub(crate) fn tokens(piece: &Piece, dialect: Dialect) -> Result<Vec<TokenWithSpan>> {
    let read = Tokenizer::new(dialect.reader(), &piece.text).tokenize_with_location();
    let mut tokens = read.map_err(|error| {
        let line = piece.line + error.location.line.saturating_sub(1);
        Fault::new(line, error.message.to_lowercase())
    })?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    let mut in_a_row = 0;
    for token in &mut tokens {
        token.span.start.line += piece.line - 1;
        token.span.end.line += piece.line - 1;
        in_a_row = match token.token {
            Token::Comma | Token::SemiColon => 0,
            _ => in_a_row + 1,
        };
        if in_a_row > TOKENS_IN_A_ROW_MAX {
            return Err(Fault::new(token.span.start.line, "an expression too long"));
        }
    }
    Ok(tokens)
}

/// The one statement that the tokens are.
pub(crate) fn statement(tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Result<Statement> {
    let mut parser = parser(tokens, dialect);
    let statement = parser.parse_statement().map_err(fault)?;
    end(&parser)?;
    Ok(statement)
}

pub(crate) fn parser(tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Parser<'static> {
    Parser::new(dialect.reader())
        .with_recursion_limit(NESTING_MAX)
        .with_tokens_with_locations(tokens)
}

/// Refuses what is left over.
pub(crate) fn end(parser: &Parser<'_>) -> Result<()> {
    let next = parser.peek_token_ref();
    match next.token {
        Token::EOF => Ok(()),
        _ => {
            let message = format!("syntax error at or near \"{}\"", next.token);
            Err(Fault::new(next.span.start.line, message))
        }
    }
}

/// The fault of a text that `sqlparser` does not read.
pub(crate) fn fault(error: ParserError) -> Fault {
    let message = match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
        ParserError::RecursionLimitExceeded => "nested too deep".to_owned(),
    };
    let (message, place) = message.split_once(" at Line: ").unwrap_or((&message, "0"));
    let digits = place.split(',').next().unwrap_or_default();
    let line = digits.trim().parse().unwrap_or(0);
    Fault::new(line, format!("cannot be read: {message}"))
}

/// The word in upper case that stands at `at`.
pub(crate) fn word(tokens: &[TokenWithSpan], at: usize) -> String {
    match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(Word {
            value,
            quote_style: None,
            ..
        })) => value.to_ascii_uppercase(),
        _ => String::new(),
    }
}
