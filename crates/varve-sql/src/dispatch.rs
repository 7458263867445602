//! Which statement a text is, by its first words.
//!
//! The parser's own dispatch knows every statement of every dialect, a third of its code; naming
//! the few that are supported here keeps the others out of the browser's download.

use sqlparser::ast::{Insert, ObjectType, SetExpr, Statement, UtilityOption, Values, With};
use varve_parser::alter::Alter;
use varve_parser::{Copy, Keyword, Parser, Token};
use varve_types::Result;

use crate::command::{Command, Words, parse_command};
use crate::parse_sequence::{self, SequenceStatement};
use crate::parse_session::{SessionStatement, parse_session_statement};
use crate::parse_truncate::{Truncate, parse_truncate};
use crate::parse_upkeep::{Upkeep, parse_upkeep};
use crate::parse_utility::{UtilityStatement, parse_utility};

/// A statement as it was parsed.
pub(crate) struct Parsed {
    pub(crate) explain: Option<Explain>,
    /// WITH before INSERT, UPDATE, DELETE or MERGE.
    pub(crate) with: Option<With>,
    pub(crate) body: Body,
}

/// What kind of statement it is.
pub(crate) enum Body {
    Statement(Box<Statement>),
    Insert(Box<Insert>),
    Sequence(Box<SequenceStatement>),
    Truncate(Box<Truncate>),
    Copy(Box<Copy>),
    Alter(Box<Alter>),
    Upkeep(Box<Upkeep>),
    Command(Command),
    Utility(Box<UtilityStatement>),
    Session(Box<SessionStatement>),
    /// Not supported, with its name where that is not its first words: its text is not looked at.
    Unsupported(Option<&'static str>),
}

/// `EXPLAIN` before a statement.
pub(crate) struct Explain {
    pub(crate) analyze: bool,
    pub(crate) verbose: bool,
    pub(crate) options: Vec<UtilityOption>,
}

/// Statements of PostgreSQL that are not supported, by their first word.
const OTHER_STATEMENTS: &[&str] = &[
    "CALL", "CREATE", "DROP", "IMPORT", "LISTEN", "LOAD", "NOTIFY", "PREPARE", "REASSIGN",
    "SECURITY", "UNLISTEN",
];

/// Parses one statement; the tokens behind it are left.
pub(crate) fn parse_statement(parser: &mut Parser<'_>) -> Result<Parsed> {
    let explain = parse_explain(parser)?;
    let body = parse_body(parser)?;
    let (with, body) = match body {
        Body::Statement(statement) => changing(statement),
        body => (None, body),
    };
    Ok(Parsed {
        explain,
        with,
        body,
    })
}

/// A statement that changes rows out of a query that is nothing else with WITH before it.
fn changing(mut statement: Box<Statement>) -> (Option<With>, Body) {
    let Statement::Query(query) = &mut *statement else {
        return (None, Body::Statement(statement));
    };
    let is_changing = matches!(
        *query.body,
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
    );
    if !is_changing {
        return (None, Body::Statement(statement));
    }
    let with = query.with.take();
    let nothing = SetExpr::Values(Values {
        explicit_row: false,
        value_keyword: false,
        rows: Vec::new(),
    });
    match core::mem::replace(&mut *query.body, nothing) {
        SetExpr::Insert(Statement::Insert(insert)) => (with, Body::Insert(Box::new(insert))),
        SetExpr::Insert(change)
        | SetExpr::Update(change)
        | SetExpr::Delete(change)
        | SetExpr::Merge(change) => (with, Body::Statement(Box::new(change))),
        _ => (None, Body::Statement(statement)),
    }
}

fn parse_explain(parser: &mut Parser<'_>) -> Result<Option<Explain>> {
    if !parser.parse_keyword(Keyword::EXPLAIN) {
        return Ok(None);
    }
    let in_parentheses = match parser.peek_token().token {
        Token::LParen if !parser.at_parenthesized_query() => Some(parser.parse_utility_options()?),
        _ => None,
    };
    Ok(Some(match in_parentheses {
        Some(options) => Explain {
            analyze: false,
            verbose: false,
            options,
        },
        None => Explain {
            analyze: parser.parse_keyword(Keyword::ANALYZE),
            verbose: parser.parse_keyword(Keyword::VERBOSE),
            options: Vec::new(),
        },
    }))
}

fn parse_body(parser: &mut Parser<'_>) -> Result<Body> {
    let first = parser.next_token();
    match first.token {
        Token::LParen => {
            parser.prev_token();
            let query = Statement::Query(parser.parse_query()?);
            return Ok(Body::Statement(Box::new(query)));
        }
        Token::Word => {}
        _ => return Err(parser.error_at(first)),
    }
    let word = parser.text_of(first).to_ascii_uppercase();
    match parse_command(&word, parser)? {
        Some(Words::Command(command)) => return Ok(Body::Command(command)),
        Some(Words::Unsupported(what)) => return Ok(Body::Unsupported(Some(what))),
        None => {}
    }
    if let Some(statement) = parse_session_statement(&word, parser)? {
        return Ok(Body::Session(Box::new(statement)));
    }
    if let Some(upkeep) = parse_upkeep(first.keyword, parser)? {
        return Ok(Body::Upkeep(Box::new(upkeep)));
    }
    if let Some(statement) = parse_utility(first.keyword, parser)? {
        return Ok(Body::Utility(Box::new(statement)));
    }
    let statement = match first.keyword {
        Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE => {
            parser.prev_token();
            Statement::Query(parser.parse_query()?)
        }
        Keyword::INSERT => {
            return Ok(Body::Insert(Box::new(parser.parse_insert(first)?)));
        }
        Keyword::UPDATE => parser.parse_update(first)?,
        Keyword::DELETE => parser.parse_delete(first)?,
        Keyword::MERGE => parser.parse_merge(first)?,
        Keyword::COPY => return Ok(Body::Copy(Box::new(parser.parse_copy()?))),
        Keyword::CREATE => {
            let local = parser.parse_keyword(Keyword::LOCAL);
            let global = local || parser.parse_keyword(Keyword::GLOBAL);
            let temporary = parser
                .parse_one_of_keywords(&[Keyword::TEMP, Keyword::TEMPORARY])
                .is_some();
            let unlogged = parser.parse_keyword(Keyword::UNLOGGED);
            let unique = parser.parse_keyword(Keyword::UNIQUE);
            let next = parser.peek_token();
            if (temporary || unlogged) && (unique || next.keyword == Keyword::INDEX) {
                return Err(parser.error_at(next));
            }
            if parser.parse_keyword(Keyword::INDEX) {
                let index = parser.parse_create_index(unique)?;
                return Ok(Body::Statement(Box::new(Statement::CreateIndex(index))));
            }
            if !unique && parser.parse_keyword(Keyword::SEQUENCE) {
                let statement = parse_sequence::parse_create(parser, temporary, unlogged)?;
                return Ok(Body::Sequence(Box::new(statement)));
            }
            if unique || !parser.parse_keyword(Keyword::TABLE) {
                return skip(parser);
            }
            let mut create = parser.parse_create_table()?;
            create.temporary = temporary;
            create.unlogged = unlogged;
            create.global = global.then_some(!local);
            Statement::CreateTable(*create)
        }
        Keyword::TRUNCATE => {
            let truncate = parse_truncate(parser)?;
            return Ok(Body::Truncate(Box::new(truncate)));
        }
        Keyword::ALTER => {
            let Some(kind) = parser.parse_altered() else {
                return skip(parser);
            };
            return Ok(match parser.parse_alter(kind)? {
                Some(alter) => Body::Alter(Box::new(alter)),
                None => Body::Sequence(Box::new(parse_sequence::parse_alter(parser)?)),
            });
        }
        Keyword::DROP if parser.parse_keyword(Keyword::SEQUENCE) => {
            let statement = parse_sequence::parse_drop(parser)?;
            return Ok(Body::Sequence(Box::new(statement)));
        }
        Keyword::DROP if parser.parse_keyword(Keyword::INDEX) => {
            let concurrently = parser.parse_keyword(Keyword::CONCURRENTLY);
            let mut dropped = parse_drop(parser, ObjectType::Index)?;
            // PostgreSQL has no such word: here it stands for CONCURRENTLY.
            if let Statement::Drop { purge, .. } = &mut dropped {
                *purge = concurrently;
            }
            dropped
        }
        _ if OTHER_STATEMENTS.contains(&word.as_str()) => return skip(parser),
        _ => return Err(parser.error_at(first)),
    };
    Ok(Body::Statement(Box::new(statement)))
}

fn parse_drop(parser: &mut Parser<'_>, object_type: ObjectType) -> Result<Statement> {
    let if_exists = parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
    let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    let cascade = parser.parse_keyword(Keyword::CASCADE);
    let restrict = !cascade && parser.parse_keyword(Keyword::RESTRICT);
    Ok(Statement::Drop {
        object_type,
        if_exists,
        names,
        cascade,
        restrict,
        purge: false,
        temporary: false,
        table: None,
    })
}

/// Passes over the rest of a statement.
fn skip(parser: &mut Parser<'_>) -> Result<Body> {
    parser.skip_rest();
    Ok(Body::Unsupported(None))
}
