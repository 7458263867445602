//! CREATE SCHEMA, with statements that make what is in it.

use sqlparser::ast::{Ident, ObjectName};
use varve_parser::{Keyword, Lexeme, Parser, Token};
use varve_types::{Error, Result, SqlState};

use crate::command::eat;
use crate::parse_utility::{UtilityStatement, eat_all};

/// `CREATE SCHEMA`
pub(crate) struct CreateSchema {
    pub(crate) name: Option<Ident>,
    pub(crate) owner: Option<Ident>,
    pub(crate) if_not_exists: bool,
    /// In the order in which they are run.
    pub(crate) elements: Vec<SchemaElement>,
}

/// A statement that makes something in the schema.
pub(crate) struct SchemaElement {
    /// What it makes, as far as that tells of a schema.
    pub(crate) name: Option<ObjectName>,
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) position: u32,
}

/// What may stand in CREATE SCHEMA, in the order in which it is run.
const KINDS: [Keyword; 6] = [
    Keyword::SEQUENCE,
    Keyword::TABLE,
    Keyword::VIEW,
    Keyword::INDEX,
    Keyword::TRIGGER,
    Keyword::GRANT,
];

/// Parses what follows `CREATE SCHEMA`.
pub(crate) fn create_schema(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    let if_not_exists = eat_all(parser, &["IF", "NOT", "EXISTS"]);
    let name = match parser.peek_keyword(Keyword::AUTHORIZATION) {
        true => None,
        false => Some(parser.parse_identifier()?),
    };
    // There is one role: who owns it is all the same, but it may name the schema.
    let owner = match eat(parser, "AUTHORIZATION") {
        true => parser.parse_role()?,
        false => None,
    };
    let mut elements = Vec::new();
    loop {
        let first = parser.peek_token();
        if !matches!(first.keyword, Keyword::CREATE | Keyword::GRANT) {
            break;
        }
        if if_not_exists {
            let message = "CREATE SCHEMA IF NOT EXISTS cannot include schema elements";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(error.at(first.position));
        }
        elements.push(element(parser)?);
    }
    varve_sort::sort_by_key(&mut elements, |(kind, element)| (*kind, element.position));
    Ok(UtilityStatement::CreateSchema(CreateSchema {
        name: name.or_else(|| owner.clone()),
        owner,
        if_not_exists,
        elements: elements.into_iter().map(|(_, element)| element).collect(),
    }))
}

/// A statement up to the next one, and the place of its kind.
fn element(parser: &mut Parser<'_>) -> Result<(usize, SchemaElement)> {
    let first = parser.peek_token();
    let kind = loop {
        let next = parser.next_token();
        if let Some(kind) = KINDS.iter().position(|kind| *kind == next.keyword) {
            break kind;
        }
        match next.keyword {
            Keyword::CREATE
            | Keyword::OR
            | Keyword::REPLACE
            | Keyword::TEMP
            | Keyword::TEMPORARY
            | Keyword::LOCAL
            | Keyword::GLOBAL
            | Keyword::UNLOGGED
            | Keyword::UNIQUE
            | Keyword::RECURSIVE
            | Keyword::CONSTRAINT => {}
            _ => return Err(parser.error_at(next)),
        }
    };
    let names_schema = matches!(
        KINDS.get(kind),
        Some(Keyword::SEQUENCE | Keyword::TABLE | Keyword::VIEW)
    );
    let mut name = None;
    if names_schema {
        eat_all(parser, &["IF", "NOT", "EXISTS"]);
        name = Some(parser.parse_object_name(false)?);
    }
    let behind = pass_over(parser);
    let element = SchemaElement {
        name,
        text: parser.text_between(first, behind).to_owned(),
        position: first.position,
    };
    Ok((kind, element))
}

/// Passes over a statement; answers the first token behind it.
fn pass_over(parser: &mut Parser<'_>) -> Lexeme {
    let mut depth = 0_usize;
    loop {
        let next = parser.peek_token();
        let begins = matches!(next.keyword, Keyword::CREATE | Keyword::GRANT);
        let of_grant = parser.peek_nth_token(1).keyword == Keyword::OPTION;
        if next.token == Token::EOF || begins && depth == 0 && !of_grant {
            return next;
        }
        match next.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        parser.next_token();
    }
}
