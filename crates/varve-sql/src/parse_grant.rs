//! GRANT, REVOKE, ALTER DEFAULT PRIVILEGES, and orders to roles. There is one role, which may do
//! everything: privileges are not kept, but what is named must be there.

use sqlparser::ast::Ident;
use varve_parser::{Keyword, Parser, Token};
use varve_types::{Error, Result, SqlState};

use crate::command::eat;
use crate::parse_upkeep::{Upkeep, UpkeepOf};
use crate::parse_utility::eat_all;

/// What is asked of roles.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RoleOrder {
    /// Nothing that could be seen: a role that is not there gets a notice.
    #[default]
    Note,
    Reassign,
    DropOwned,
    Drop,
    DropIfExists,
    Alter,
}

/// Kinds of objects with the letters that stand for them in [`PRIVILEGES`].
const KINDS: [(&str, char, &str); 13] = [
    ("TABLE", 'r', "relation"),
    ("SEQUENCE", 's', "sequence"),
    ("SCHEMA", 'n', "schema"),
    ("FUNCTION", 'f', "function"),
    ("PROCEDURE", 'f', "procedure"),
    ("ROUTINE", 'f', "routine"),
    ("TYPE", 't', "type"),
    ("DOMAIN", 't', "domain"),
    ("LANGUAGE", 'l', "language"),
    ("DATABASE", 'd', "database"),
    ("PARAMETER", 'p', "parameter"),
    ("TABLESPACE", 'c', "tablespace"),
    ("LARGE OBJECT", 'o', "large object"),
];

/// Privileges with the kinds of objects that have them.
const PRIVILEGES: [(&str, &str); 15] = [
    ("SELECT", "rso"),
    ("INSERT", "r"),
    ("UPDATE", "rso"),
    ("DELETE", "r"),
    ("TRUNCATE", "r"),
    ("REFERENCES", "r"),
    ("TRIGGER", "r"),
    ("USAGE", "sntl"),
    ("CREATE", "ndc"),
    ("CONNECT", "d"),
    ("TEMPORARY", "d"),
    ("TEMP", "d"),
    ("EXECUTE", "f"),
    ("SET", "p"),
    ("ALTER SYSTEM", "p"),
];

/// Parses the rest of GRANT or REVOKE.
pub(crate) fn parse_grant(first: Keyword, parser: &mut Parser<'_>) -> Result<Upkeep> {
    let mut upkeep = Upkeep::default();
    let _options = eat_all(parser, &["GRANT", "OPTION", "FOR"])
        || eat_all(parser, &["ADMIN", "OPTION", "FOR"]);
    let privileges = parser.parse_comma_separated(privilege)?;
    let is_role = !eat(parser, "ON");
    if is_role {
        let roles = privileges.into_iter();
        upkeep
            .roles
            .extend(roles.map(|role| Some(Ident::new(role.to_ascii_lowercase()))));
    } else {
        objects(parser, &privileges, &mut upkeep)?;
    }
    let toward = match first {
        Keyword::GRANT => Keyword::TO,
        _ => Keyword::FROM,
    };
    parser.expect_keyword(toward)?;
    let roles = parser.parse_comma_separated(|parser| {
        let _group = eat(parser, "GROUP");
        parser.parse_role()
    })?;
    let is_public = |role: &Option<Ident>| {
        let name = role.as_ref().map(|role| role.value.as_str());
        name.is_some_and(|name| name.eq_ignore_ascii_case("public"))
    };
    let to_public = roles.iter().any(is_public);
    upkeep
        .roles
        .extend(roles.into_iter().filter(|role| !is_public(role)));
    if eat_all(parser, &["WITH", "GRANT", "OPTION"]) && to_public {
        let message = "grant options can only be granted to roles";
        return Err(Error::new(SqlState::INVALID_GRANT_OPERATION, message));
    }
    if is_role && eat(parser, "WITH") {
        parser.parse_comma_separated(|parser| {
            parser.parse_identifier()?;
            parser.parse_identifier()
        })?;
    }
    if eat_all(parser, &["GRANTED", "BY"]) {
        upkeep.roles.push(parser.parse_role()?);
    }
    let _behavior = eat(parser, "CASCADE") || eat(parser, "RESTRICT");
    Ok(upkeep)
}

/// Parses what follows `ALTER DEFAULT`.
pub(crate) fn parse_default_privileges(parser: &mut Parser<'_>) -> Result<Upkeep> {
    parser.expect_keyword(Keyword::PRIVILEGES)?;
    let mut owners = Vec::new();
    let mut schemas = Vec::new();
    loop {
        if eat(parser, "FOR") {
            let _word = eat(parser, "ROLE") || eat(parser, "USER");
            owners.extend(parser.parse_comma_separated(Parser::parse_role)?);
        } else if eat_all(parser, &["IN", "SCHEMA"]) {
            schemas.extend(parser.parse_comma_separated(|parser| parser.parse_object_name(false))?);
        } else {
            break;
        }
    }
    let first = parser.expect_one_of_keywords(&[Keyword::GRANT, Keyword::REVOKE])?;
    let mut upkeep = parse_grant(first, parser)?;
    upkeep.roles.append(&mut owners);
    let schemas = schemas.into_iter().map(|name| (UpkeepOf::Schema, name));
    upkeep.on.extend(schemas);
    Ok(upkeep)
}

/// Parses roles that an order is given to.
pub(crate) fn parse_order(order: RoleOrder, parser: &mut Parser<'_>) -> Result<Upkeep> {
    let mut roles = parser.parse_comma_separated(Parser::parse_role)?;
    match order {
        RoleOrder::Reassign => {
            parser.expect_keyword(Keyword::TO)?;
            roles.push(parser.parse_role()?);
        }
        RoleOrder::DropOwned => {
            let _behavior = eat(parser, "CASCADE") || eat(parser, "RESTRICT");
        }
        RoleOrder::Alter => parser.skip_rest(),
        _ => {}
    }
    Ok(Upkeep {
        roles,
        order,
        ..Upkeep::default()
    })
}

/// A privilege, or the name of a role.
fn privilege(parser: &mut Parser<'_>) -> Result<String> {
    let mut name = match eat_all(parser, &["ALTER", "SYSTEM"]) {
        true => "alter system".to_owned(),
        false => parser.parse_label()?.value,
    };
    if name.eq_ignore_ascii_case("all") {
        let _word = eat(parser, "PRIVILEGES");
        name.clear();
    }
    if parser.consume_token(&Token::LParen) {
        parser.parse_comma_separated(Parser::parse_identifier)?;
        parser.expect_token(&Token::RParen)?;
    }
    Ok(name)
}

/// The objects behind ON, which must have the privileges; the empty one is all of them.
fn objects(parser: &mut Parser<'_>, privileges: &[String], upkeep: &mut Upkeep) -> Result<()> {
    let all = eat(parser, "ALL");
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|(name, ..)| {
        let plural = format!("{name}S");
        let words: Vec<&str> = name.split(' ').collect();
        eat_all(parser, &words) || at_plural(parser, &plural)
    });
    let (name, letter, noun) = kind.copied().unwrap_or(("TABLE", 'r', "relation"));
    for privilege in privileges.iter().filter(|privilege| !privilege.is_empty()) {
        let known = PRIVILEGES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(privilege));
        let (privilege, kinds) = known.ok_or_else(|| {
            let message = format!("unrecognized privilege type \"{privilege}\"");
            Error::new(SqlState::SYNTAX_ERROR, message)
        })?;
        // What is granted to tables may be meant for sequences.
        let of_sequence = name == "TABLE" && kinds.contains('s');
        if !kinds.contains(letter) && !of_sequence {
            let message = format!("invalid privilege type {privilege} for {noun}");
            return Err(Error::new(SqlState::INVALID_GRANT_OPERATION, message));
        }
    }
    let in_schemas = all && eat_all(parser, &["IN", "SCHEMA"]);
    let of = match name {
        _ if in_schemas => UpkeepOf::Schema,
        "TABLE" => UpkeepOf::Relation,
        "SEQUENCE" => UpkeepOf::Sequence,
        "SCHEMA" => UpkeepOf::Schema,
        _ => {
            pass_over_names(parser);
            return Ok(());
        }
    };
    if kind.is_some() && matches!(parser.peek_token().keyword, Keyword::TO | Keyword::FROM) {
        // Those of ALTER DEFAULT PRIVILEGES have no names.
        return Ok(());
    }
    let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    upkeep.on.extend(names.into_iter().map(|name| (of, name)));
    Ok(())
}

/// Takes the plural of a kind, behind ALL or in ALTER DEFAULT PRIVILEGES.
fn at_plural(parser: &mut Parser<'_>, plural: &str) -> bool {
    let behind = parser.peek_nth_token(1).keyword;
    matches!(behind, Keyword::IN | Keyword::TO | Keyword::FROM) && eat(parser, plural)
}

/// Passes over names up to the roles.
fn pass_over_names(parser: &mut Parser<'_>) {
    loop {
        let next = parser.peek_token();
        let is_end = next.token == Token::EOF;
        if is_end || matches!(next.keyword, Keyword::TO | Keyword::FROM) {
            return;
        }
        parser.next_token();
    }
}
