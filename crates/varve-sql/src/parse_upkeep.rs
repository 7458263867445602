//! Statements that change nothing here, though dumps and scripts have them: REINDEX, CLUSTER,
//! GRANT and the like. What they name must be there.

use sqlparser::ast::{Ident, ObjectName, UtilityOption};
use varve_parser::{Keyword, Parser, Token};
use varve_types::{Error, Result, SqlState};

use crate::bind::fold_name;
use crate::command::eat;
use crate::parse_grant::{RoleOrder, parse_default_privileges, parse_grant, parse_order};
use crate::parse_utility::{eat_all, expect_all};

/// One of these statements.
#[derive(Default)]
pub(crate) struct Upkeep {
    /// What it names, where that is looked at.
    pub(crate) on: Vec<(UpkeepOf, ObjectName)>,
    /// The roles that it names, and what is to become of them.
    pub(crate) roles: Vec<Option<Ident>>,
    pub(crate) order: RoleOrder,
    /// What the user should know of it.
    pub(crate) notice: Option<&'static str>,
}

/// What must have the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpkeepOf {
    Table,
    /// What has rows.
    Rows,
    Index,
    View,
    MaterializedView,
    Sequence,
    /// Anything of these.
    Relation,
    Schema,
}

/// Parses the rest of such a statement; `None` for another one, with nothing more read.
pub(crate) fn parse_upkeep(first: Keyword, parser: &mut Parser<'_>) -> Result<Option<Upkeep>> {
    let silent = |on: Option<_>| Upkeep {
        on: on.into_iter().collect(),
        ..Upkeep::default()
    };
    let noted = |notice| Upkeep {
        notice: Some(notice),
        ..Upkeep::default()
    };
    Ok(Some(match first {
        Keyword::REINDEX => {
            upkeep_options(parser, "REINDEX", &["verbose", "concurrently"])?;
            let kinds = [
                Keyword::INDEX,
                Keyword::TABLE,
                Keyword::SCHEMA,
                Keyword::DATABASE,
                Keyword::SYSTEM,
            ];
            let kind = parser.expect_one_of_keywords(&kinds)?;
            let _concurrently = parser.parse_keyword(Keyword::CONCURRENTLY);
            silent(match kind {
                Keyword::INDEX => Some((UpkeepOf::Index, parser.parse_object_name(false)?)),
                Keyword::TABLE => Some((UpkeepOf::Rows, parser.parse_object_name(false)?)),
                _ => {
                    if parser.peek_token().token != Token::EOF {
                        parser.parse_identifier()?;
                    }
                    None
                }
            })
        }
        Keyword::CLUSTER => {
            upkeep_options(parser, "CLUSTER", &["verbose"])?;
            let _verbose = parser.parse_keyword(Keyword::VERBOSE);
            if parser.peek_token().token == Token::EOF {
                return Ok(Some(silent(None)));
            }
            let name = parser.parse_object_name(false)?;
            if parser.parse_keyword(Keyword::USING) {
                parser.parse_identifier()?;
            }
            silent(Some((UpkeepOf::Rows, name)))
        }
        Keyword::GRANT | Keyword::REVOKE => parse_grant(first, parser)?,
        Keyword::ALTER if parser.parse_keyword(Keyword::DEFAULT) => {
            parse_default_privileges(parser)?
        }
        Keyword::REASSIGN => {
            expect_all(parser, &["OWNED", "BY"])?;
            parse_order(RoleOrder::Reassign, parser)?
        }
        Keyword::DROP if eat_all(parser, &["OWNED", "BY"]) => {
            parse_order(RoleOrder::DropOwned, parser)?
        }
        Keyword::DROP if eat_role(parser) => {
            let order = match eat_all(parser, &["IF", "EXISTS"]) {
                true => RoleOrder::DropIfExists,
                false => RoleOrder::Drop,
            };
            parse_order(order, parser)?
        }
        Keyword::ALTER if eat_role(parser) => parse_order(RoleOrder::Alter, parser)?,
        Keyword::CREATE if parser.parse_keyword(Keyword::DATABASE) => {
            parser.skip_rest();
            noted("a store holds one database: CREATE DATABASE makes no other")
        }
        Keyword::DROP
            if parser.parse_keywords(&[Keyword::DATABASE, Keyword::IF, Keyword::EXISTS]) =>
        {
            parser.skip_rest();
            noted("a store holds one database: there is no other to drop")
        }
        Keyword::CREATE if eat(parser, "EXTENSION") => noted(create_extension(parser)?),
        Keyword::DROP if eat_all(parser, &["EXTENSION", "IF", "EXISTS"]) => {
            parser.parse_comma_separated(Parser::parse_identifier)?;
            let _ = eat(parser, "CASCADE") || eat(parser, "RESTRICT");
            noted("a store has no extensions: there is none to drop")
        }
        Keyword::COMMENT if eat_all(parser, &["ON", "EXTENSION"]) => {
            parser.parse_identifier()?;
            expect_all(parser, &["IS"])?;
            if !eat(parser, "NULL") {
                parser.parse_literal_string()?;
            }
            noted("a store has no extensions: the comment is not kept")
        }
        _ => return Ok(None),
    }))
}

/// Options in parentheses, if they come next; each must be one of these.
pub(crate) fn upkeep_options(
    parser: &mut Parser<'_>,
    statement: &str,
    known: &[&str],
) -> Result<Vec<UtilityOption>> {
    if parser.peek_token().token != Token::LParen {
        return Ok(Vec::new());
    }
    let options = parser.parse_utility_options()?;
    for option in &options {
        let name = fold_name(&option.name);
        if !known.contains(&name.as_str()) {
            let message = format!("unrecognized {statement} option \"{name}\"");
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            let position = u32::try_from(option.name.span.start.column).unwrap_or(u32::MAX);
            return Err(error.at(position));
        }
    }
    Ok(options)
}

/// What follows CREATE EXTENSION: what to tell of an extension that is not needed.
fn create_extension(parser: &mut Parser<'_>) -> Result<&'static str> {
    let if_not_exists = eat_all(parser, &["IF", "NOT", "EXISTS"]);
    let name = fold_name(&parser.parse_identifier()?);
    let _ = eat(parser, "WITH");
    loop {
        if eat(parser, "SCHEMA") {
            parser.parse_identifier()?;
        } else if eat(parser, "VERSION") {
            match Parser::is_string(parser.peek_token().token) {
                true => drop(parser.parse_literal_string()?),
                false => drop(parser.parse_identifier()?),
            }
        } else if !eat(parser, "CASCADE") {
            break;
        }
    }
    Ok(match name.as_str() {
        "plpgsql" if if_not_exists => "extension \"plpgsql\" already exists, skipping",
        "plpgsql" => {
            let message = "extension \"plpgsql\" already exists";
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        "pgcrypto" | "uuid-ossp" => {
            "no extension is made: gen_random_uuid() is there without, other functions of it are not"
        }
        "btree_gin" | "btree_gist" => {
            "no extension is made: it is for access methods that there are not"
        }
        _ => {
            let error = Error::unsupported(format!("the extension \"{name}\""));
            return Err(error.with_hint(
                "A store has no extensions; leave the statement out where nothing of it is used.",
            ));
        }
    })
}

/// Takes one of the words for a role.
fn eat_role(parser: &mut Parser<'_>) -> bool {
    let words = [Keyword::ROLE, Keyword::USER, Keyword::GROUP];
    parser.parse_one_of_keywords(&words).is_some()
}
