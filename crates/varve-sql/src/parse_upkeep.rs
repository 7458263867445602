//! Statements that change nothing here, though dumps and scripts have them: REINDEX, CLUSTER,
//! GRANT and the like. What they name must be there.

use sqlparser::ast::{Ident, ObjectName, UtilityOption};
use varve_parser::{Keyword, Parser, Token};
use varve_types::{Error, Result, SqlState};

use crate::bind::{fold_name, shown};
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
    /// What it is that cannot run inside a transaction block.
    pub(crate) outside_block: Option<&'static str>,
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
    let stored = |on, notice| Upkeep {
        on,
        notice: Some(notice),
        ..Upkeep::default()
    };
    let noted = |notice| Upkeep {
        notice: Some(notice),
        ..Upkeep::default()
    };
    Ok(Some(match first {
        Keyword::REINDEX => {
            let options = upkeep_options(parser, "REINDEX", &["verbose", "concurrently"])?;
            let kinds = [
                Keyword::INDEX,
                Keyword::TABLE,
                Keyword::SCHEMA,
                Keyword::DATABASE,
                Keyword::SYSTEM,
            ];
            let kind = parser.expect_one_of_keywords(&kinds)?;
            let concurrently =
                parser.parse_keyword(Keyword::CONCURRENTLY) || is_given(&options, "concurrently");
            let of = match kind {
                Keyword::INDEX => Some(UpkeepOf::Index),
                Keyword::TABLE => Some(UpkeepOf::Rows),
                Keyword::SCHEMA => Some(UpkeepOf::Schema),
                _ => None,
            };
            let mut on = Vec::new();
            if of.is_some() || parser.peek_token().token != Token::EOF {
                let name = parser.parse_object_name(false)?;
                on.extend(of.map(|of| (of, name)));
            }
            Upkeep {
                outside_block: concurrently.then_some("REINDEX CONCURRENTLY"),
                ..stored(
                    on,
                    "REINDEX changes nothing: indexes always have what their tables have",
                )
            }
        }
        Keyword::CLUSTER => {
            upkeep_options(parser, "CLUSTER", &["verbose"])?;
            let _verbose = parser.parse_keyword(Keyword::VERBOSE);
            let mut on = Vec::new();
            if parser.peek_token().token != Token::EOF {
                let table = parser.parse_object_name(false)?;
                if parser.parse_keyword(Keyword::USING) {
                    // The index is in the schema of its table.
                    let schema = table.0.split_last().map_or(&[][..], |(_, schema)| schema);
                    let schema = schema.iter().filter_map(|part| part.as_ident().cloned());
                    let mut index: Vec<Ident> = schema.collect();
                    index.push(parser.parse_identifier()?);
                    on.push((UpkeepOf::Index, ObjectName::from(index)));
                }
                on.push((UpkeepOf::Rows, table));
            }
            stored(
                on,
                "CLUSTER changes nothing: how rows are stored is not up to the user",
            )
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
        check_option(&name, option)?;
    }
    Ok(options)
}

/// Refuses what an option cannot be.
fn check_option(name: &str, option: &UtilityOption) -> Result<()> {
    let word = option.arg.as_ref().map(shown);
    let word = word.as_deref();
    let message = match name {
        "buffer_usage_limit" => return Ok(()),
        "parallel" => {
            let workers = word.and_then(|word| word.parse().ok());
            if workers.is_some_and(|workers| (0..=1024).contains(&workers)) {
                return Ok(());
            }
            "parallel workers for vacuum must be between 0 and 1024".to_owned()
        }
        "index_cleanup" if word == Some("auto") => return Ok(()),
        _ if switch(word).is_some() => return Ok(()),
        name => format!("{name} requires a Boolean value"),
    };
    Err(Error::new(SqlState::SYNTAX_ERROR, message))
}

/// Whether an option is on, where it is one that can be.
fn switch(word: Option<&str>) -> Option<bool> {
    let Some(word) = word else {
        return Some(true);
    };
    match word.to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// Whether an option is given, and not as OFF.
pub(crate) fn is_given(options: &[UtilityOption], name: &str) -> bool {
    let mut named = options.iter().rev();
    let last = named.find(|option| option.name.value.eq_ignore_ascii_case(name));
    last.is_some_and(|last| switch(last.arg.as_ref().map(shown).as_deref()) == Some(true))
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
