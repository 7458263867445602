//! Statements that change nothing here, though dumps and scripts have them: REINDEX, CLUSTER,
//! GRANT and the like. What they name must be there.

use sqlparser::ast::ObjectName;
use varve_parser::{Keyword, Parser, Token};
use varve_types::Result;

use crate::command::eat;

/// One of these statements.
pub(crate) struct Upkeep {
    /// What it names, where that is looked at.
    pub(crate) on: Option<(UpkeepOf, ObjectName)>,
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
}

/// Parses the rest of such a statement; `None` for another one, with nothing more read.
pub(crate) fn parse_upkeep(first: Keyword, parser: &mut Parser<'_>) -> Result<Option<Upkeep>> {
    let silent = |on| Upkeep { on, notice: None };
    Ok(Some(match first {
        Keyword::REINDEX => {
            if parser.peek_token().token == Token::LParen {
                parser.parse_utility_options()?;
            }
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
        Keyword::GRANT | Keyword::REVOKE => {
            parser.skip_rest();
            Upkeep {
                on: None,
                notice: Some("there are no roles: every session may do everything"),
            }
        }
        Keyword::ALTER if parser.peek_keyword(Keyword::DEFAULT) && eat(parser, "DEFAULT") => {
            parser.skip_rest();
            Upkeep {
                on: None,
                notice: Some("there are no roles: every session may do everything"),
            }
        }
        Keyword::CREATE if parser.parse_keyword(Keyword::DATABASE) => {
            parser.skip_rest();
            Upkeep {
                on: None,
                notice: Some("a store holds one database: CREATE DATABASE makes no other"),
            }
        }
        Keyword::DROP
            if parser.parse_keywords(&[Keyword::DATABASE, Keyword::IF, Keyword::EXISTS]) =>
        {
            parser.skip_rest();
            Upkeep {
                on: None,
                notice: Some("a store holds one database: there is no other to drop"),
            }
        }
        _ => return Ok(None),
    }))
}
