//! Statements that change nothing here, though dumps and scripts have them: REINDEX, CLUSTER,
//! GRANT and the like. What they name must be there.

use sqlparser::ast::{Ident, ObjectName};
use varve_parser::{Keyword, Parser, Token};
use varve_types::Result;

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
        _ => return Ok(None),
    }))
}

/// Takes one of the words for a role.
fn eat_role(parser: &mut Parser<'_>) -> bool {
    let words = [Keyword::ROLE, Keyword::USER, Keyword::GROUP];
    parser.parse_one_of_keywords(&words).is_some()
}
