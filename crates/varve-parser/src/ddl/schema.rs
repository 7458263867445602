//! CREATE SCHEMA, with statements that make what is in it.

use varve_ast::{CreateSchema, SchemaElement};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// What may stand in CREATE SCHEMA, in the order in which it is run.
const KINDS: [Keyword; 6] = [
    Keyword::SEQUENCE,
    Keyword::TABLE,
    Keyword::VIEW,
    Keyword::INDEX,
    Keyword::TRIGGER,
    Keyword::GRANT,
];

impl Parser<'_> {
    /// What follows `CREATE SCHEMA`.
    pub(crate) fn create_schema(&mut self) -> Result<Box<CreateSchema>> {
        let if_not_exists = self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
        let name = match self.peek_keyword(Keyword::AUTHORIZATION) {
            true => None,
            false => Some(self.parse_identifier()?),
        };
        // There is one role: who owns it is all the same, but it may name the schema.
        let owner = match self.parse_keyword(Keyword::AUTHORIZATION) {
            true => self.parse_role()?,
            false => None,
        };
        let mut elements = Vec::new();
        loop {
            let first = self.peek_token();
            if !matches!(first.keyword, Keyword::CREATE | Keyword::GRANT) {
                break;
            }
            if if_not_exists {
                let message = "CREATE SCHEMA IF NOT EXISTS cannot include schema elements";
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(error.at(first.position));
            }
            elements.push(self.schema_element()?);
        }
        varve_sort::sort_by_key(&mut elements, |(kind, element)| (*kind, element.span.start));
        Ok(Box::new(CreateSchema {
            name: name.or_else(|| owner.clone()),
            owner,
            if_not_exists,
            elements: elements.into_iter().map(|(_, element)| element).collect(),
        }))
    }

    /// A statement up to the next one, and the place of its kind.
    fn schema_element(&mut self) -> Result<(usize, SchemaElement)> {
        let first = self.peek_token();
        let kind = self.schema_element_kind()?;
        let names_schema = matches!(
            KINDS.get(kind),
            Some(Keyword::SEQUENCE | Keyword::TABLE | Keyword::VIEW)
        );
        let mut name = None;
        if names_schema {
            self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
            name = Some(self.parse_object_name()?);
        }
        let behind = self.pass_over_element();
        let element = SchemaElement {
            name,
            text: self.text_between(first, behind).to_owned(),
            span: self.since(first.span()),
        };
        Ok((kind, element))
    }

    /// Passes over the words up to the kind of a statement.
    fn schema_element_kind(&mut self) -> Result<usize> {
        loop {
            let next = self.next_token();
            if let Some(kind) = KINDS.iter().position(|kind| *kind == next.keyword) {
                return Ok(kind);
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
                _ => return Err(self.error_at(next)),
            }
        }
    }

    /// Passes over a statement; answers the first token behind it.
    fn pass_over_element(&mut self) -> Lexeme {
        let mut depth = 0_usize;
        loop {
            let next = self.peek_token();
            let begins = matches!(next.keyword, Keyword::CREATE | Keyword::GRANT);
            let of_grant = self.second_is(Keyword::OPTION);
            if next.token == Token::EOF || begins && depth == 0 && !of_grant {
                return next;
            }
            match next.token {
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.next_token();
        }
    }
}
