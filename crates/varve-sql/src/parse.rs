//! SQL text to syntax trees, one a statement, with PostgreSQL's words for what is wrong.

use core::fmt;
use std::sync::Arc;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError};
use varve_types::{Error, Result, SqlState};

use crate::command::Command;
use crate::dispatch::{Body, Parsed, parse_statement};
use crate::parse_rewrite::{rewrite_calls, take_target_subscripts};
use crate::parse_sequence::with_ordered_options;
use crate::parse_utility::SourceText;
use crate::position::{SourceMap, line_starts, position_at};
use crate::window_exclusion::rewrite_exclusions;

/// Longer texts are refused: their tree would not fit a browser's memory.
const TEXT_BYTES_MAX: usize = 4 << 20;
/// Deepest nesting of expressions and queries, as the parser counts it. The worst text of this
/// depth takes under 700 KiB of the 1 MiB stack that a browser gives.
const NESTING_MAX: usize = 50;
/// Most operators in a row without a comma or parenthesis: each is one level of the tree.
const CHAIN_OPERATORS_MAX: usize = 2_000;
/// About what a token takes as part of a syntax tree.
const TOKEN_BYTES: usize = 256;

/// One statement of a text: its syntax tree and where its tokens stand.
pub struct ParsedStatement {
    pub(crate) parsed: Parsed,
    pub(crate) source: SourceMap,
    /// Depth of its parentheses.
    pub(crate) nesting: usize,
    /// The first words, for errors about statements that are not supported.
    pub(crate) command: String,
}

impl ParsedStatement {
    /// The statement, if it is one without a plan.
    pub fn command(&self) -> Option<&Command> {
        match (&self.parsed.explain, &self.parsed.body) {
            (None, Body::Command(command)) => Some(command),
            _ => None,
        }
    }

    /// About what its syntax tree takes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.source.tokens() * TOKEN_BYTES
    }
}

impl fmt::Debug for ParsedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParsedStatement({})", self.command)
    }
}

/// Parses the statements of a text, which are separated by semicolons.
///
/// Positions of errors, here and when a statement is bound, count characters of the whole text
/// from 1.
pub fn parse(text: &str) -> Result<Vec<ParsedStatement>> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Error::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("statement text is longer than {TEXT_BYTES_MAX} bytes"),
        )
        .with_hint("Send it in parts, or load rows with COPY."));
    }
    let lines: Arc<[u32]> = line_starts(text).into();
    let mut tokens = tokenize(text, &lines)?.into_iter().peekable();
    let mut statements = Vec::new();
    while tokens.peek().is_some() {
        let statement: Vec<TokenWithSpan> = tokens
            .by_ref()
            .take_while(|token| token.token != Token::SemiColon)
            .collect();
        if !statement.is_empty() {
            statements.push(parse_one(text, &lines, statement)?);
        }
    }
    Ok(statements)
}

/// The tokens of a text without white space and comments.
fn tokenize(text: &str, lines: &[u32]) -> Result<Vec<TokenWithSpan>> {
    let dialect = PostgreSqlDialect {};
    let mut tokens = Tokenizer::new(&dialect, text)
        .tokenize_with_location()
        .map_err(|error| tokenizer_error(text, lines, &error))?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    Ok(tokens)
}

fn parse_one(
    text: &str,
    lines: &Arc<[u32]>,
    tokens: Vec<TokenWithSpan>,
) -> Result<ParsedStatement> {
    let nesting = check_chains(lines, &tokens)?;
    let last = tokens
        .last()
        .map_or(0, |token| position_at(lines, token.span.start));
    let tokens = with_ordered_options(tokens);
    let positions = tokens
        .iter()
        .filter(|token| !matches!(token.token, Token::LParen | Token::RParen))
        .map(|token| position_at(lines, token.span.start))
        .collect();
    let command = command_words(&tokens);
    let mut tokens = rewrite_calls(rewrite_exclusions(tokens));
    let subscripts = take_target_subscripts(&mut tokens);
    let dialect = PostgreSqlDialect {};
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(NESTING_MAX)
        .with_tokens_with_locations(tokens);
    let parsed = parse_statement(&mut parser, &SourceText { text, lines })
        .map_err(|error| parser_error(text, lines, last, error))?;
    let next = parser.peek_token();
    if next.token != Token::EOF {
        return Err(near(text, lines, position_at(lines, next.span.start)));
    }
    Ok(ParsedStatement {
        parsed,
        source: SourceMap::new(Arc::clone(lines), positions, subscripts),
        nesting,
        command,
    })
}

/// The words that name the kind of statement: `CREATE INDEX`, `LISTEN`.
fn command_words(tokens: &[TokenWithSpan]) -> String {
    let mut words = tokens.iter().map_while(|token| match &token.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
        _ => None,
    });
    let mut command = words.next().unwrap_or_default();
    if matches!(command.as_str(), "CREATE" | "DROP" | "ALTER")
        && let Some(object) = words.next()
    {
        command.push(' ');
        command.push_str(&object);
    }
    command
}

/// Refuses chains of operators whose tree would be too deep to walk; answers how deep parentheses
/// nest.
fn check_chains(lines: &[u32], tokens: &[TokenWithSpan]) -> Result<usize> {
    let mut nesting = 0;
    let mut operators = vec![0_usize];
    for token in tokens {
        match &token.token {
            Token::LParen => {
                operators.push(0);
                nesting = nesting.max(operators.len());
            }
            Token::RParen if operators.len() > 1 => {
                operators.pop();
            }
            Token::Comma => restart(&mut operators),
            Token::Word(word) => match word.keyword {
                Keyword::WHEN
                | Keyword::THEN
                | Keyword::ELSE
                | Keyword::SELECT
                | Keyword::FROM
                | Keyword::WHERE
                | Keyword::VALUES => restart(&mut operators),
                Keyword::NoKeyword => {}
                _ => count(&mut operators),
            },
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::Placeholder(_)
            | Token::RParen
            | Token::Period => {}
            _ => count(&mut operators),
        }
        if operators
            .last()
            .is_some_and(|count| *count > CHAIN_OPERATORS_MAX)
        {
            return Err(too_deep().at(position_at(lines, token.span.start)));
        }
    }
    Ok(nesting)
}

fn restart(operators: &mut [usize]) {
    if let Some(count) = operators.last_mut() {
        *count = 0;
    }
}

fn count(operators: &mut [usize]) {
    if let Some(count) = operators.last_mut() {
        *count += 1;
    }
}

/// `54001`.
pub(crate) fn too_deep() -> Error {
    Error::new(
        SqlState::STATEMENT_TOO_COMPLEX,
        "the statement is nested too deeply",
    )
    .with_hint("Write long chains of conditions with IN, or split the statement.")
}

fn syntax_error(message: String, position: u32) -> Error {
    let error = Error::new(SqlState::SYNTAX_ERROR, message);
    if position == 0 {
        error
    } else {
        error.at(position)
    }
}

/// `syntax error at or near` the token at a position.
fn near(text: &str, lines: &[u32], position: u32) -> Error {
    let token = tokenize(text, lines).ok().and_then(|tokens| {
        let found = tokens
            .iter()
            .find(|token| position_at(lines, token.span.start) == position)?;
        let end = position_at(lines, found.span.end);
        Some(characters(text, position, end))
    });
    match token {
        Some(token) if !token.is_empty() => {
            syntax_error(format!("syntax error at or near \"{token}\""), position)
        }
        _ => syntax_error("syntax error".to_owned(), position),
    }
}

/// The text between two positions.
pub(crate) fn characters(text: &str, start: u32, end: u32) -> String {
    text.chars()
        .skip(start.saturating_sub(1) as usize)
        .take(end.saturating_sub(start) as usize)
        .collect()
}

/// The statement ended too early: at its semicolon, or with the text.
fn at_end(text: &str, lines: &[u32], last: u32) -> Error {
    let semicolon = tokenize(text, lines).ok().and_then(|tokens| {
        tokens
            .iter()
            .filter(|token| token.token == Token::SemiColon)
            .map(|token| position_at(lines, token.span.start))
            .find(|position| *position > last)
    });
    match semicolon {
        Some(position) => syntax_error("syntax error at or near \";\"".to_owned(), position),
        None => {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            syntax_error(
                "syntax error at end of input".to_owned(),
                length.saturating_add(1),
            )
        }
    }
}

fn parser_error(text: &str, lines: &[u32], last: u32, error: ParserError) -> Error {
    let message = match error {
        ParserError::RecursionLimitExceeded => return too_deep(),
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
    };
    if message.contains("found: EOF") {
        return at_end(text, lines, last);
    }
    match split_location(&message) {
        Some((_, location)) => near(text, lines, position_at(lines, location)),
        None => syntax_error(format!("syntax error: {message}"), 0),
    }
}

/// Takes the parser's ` at Line: 1, Column: 2` off a message.
fn split_location(message: &str) -> Option<(&str, Location)> {
    let (what, place) = message.rsplit_once(" at Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    let location = Location {
        line: line.parse().ok()?,
        column: column.trim().parse().ok()?,
    };
    Some((what, location))
}

fn tokenizer_error(text: &str, lines: &[u32], error: &TokenizerError) -> Error {
    let position = position_at(lines, error.location);
    let kind = match error.message.as_str() {
        message if message.contains("comment") => "unterminated /* comment",
        message if message.contains("close delimiter") => "unterminated quoted identifier",
        message if message.contains("dollar") => "unterminated dollar-quoted string",
        message if message.starts_with("Unterminated") => "unterminated quoted string",
        _ => "syntax error",
    };
    let rest = characters(text, position, position.saturating_add(40));
    if rest.is_empty() {
        return syntax_error(format!("{kind} at end of input"), position);
    }
    syntax_error(format!("{kind} at or near \"{rest}\""), position)
}
