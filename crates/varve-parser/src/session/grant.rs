//! GRANT, REVOKE, ALTER DEFAULT PRIVILEGES, and orders to roles. There is one role, which may do
//! everything: privileges are not kept, but what is named must be there.

use varve_ast::{Name, NamedKind, NoOp, RoleOrder, StatementBody};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;
use crate::session::no_op::no_op;

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

impl Parser<'_> {
    /// What follows GRANT or REVOKE, which is `first`.
    pub(crate) fn grant(&mut self, first: Keyword) -> Result<NoOp> {
        let mut granted = NoOp::default();
        let _options = self.parse_words(&["GRANT", "OPTION", "FOR"])
            || self.parse_words(&["ADMIN", "OPTION", "FOR"]);
        let privileges = self.parse_comma_separated(Parser::privilege)?;
        let is_role = !self.parse_keyword(Keyword::ON);
        if is_role {
            let roles = privileges.into_iter().map(|role| {
                Some(Name {
                    text: role.text.to_ascii_lowercase(),
                    ..role
                })
            });
            granted.roles.extend(roles);
        } else {
            self.granted_objects(&privileges, &mut granted)?;
        }
        self.expect_keyword(match first {
            Keyword::GRANT => Keyword::TO,
            _ => Keyword::FROM,
        })?;
        let to_public = self.grantees(&mut granted)?;
        if self.parse_words(&["WITH", "GRANT", "OPTION"]) && to_public {
            let message = "grant options can only be granted to roles";
            return Err(Error::new(SqlState::INVALID_GRANT_OPERATION, message));
        }
        if is_role && self.parse_keyword(Keyword::WITH) {
            self.parse_comma_separated(|parser| {
                parser.parse_identifier()?;
                parser.parse_identifier()
            })?;
        }
        if self.parse_words(&["GRANTED", "BY"]) {
            granted.roles.push(self.parse_role()?);
        }
        let _cascade = self.cascade();
        Ok(granted)
    }

    /// Adds the roles that something is granted to; answers whether all of them are meant too.
    fn grantees(&mut self, granted: &mut NoOp) -> Result<bool> {
        let roles = self.parse_comma_separated(|parser| {
            let _group = parser.parse_keyword(Keyword::GROUP);
            parser.parse_role()
        })?;
        let is_public = |role: &Option<Name>| {
            let role = role.as_ref();
            role.is_some_and(|role| role.text.eq_ignore_ascii_case("public"))
        };
        let to_public = roles.iter().any(is_public);
        let named = roles.into_iter().filter(|role| !is_public(role));
        granted.roles.extend(named);
        Ok(to_public)
    }

    /// What follows `ALTER DEFAULT`.
    pub(crate) fn default_privileges(&mut self) -> Result<StatementBody> {
        self.expect_keyword(Keyword::PRIVILEGES)?;
        let mut owners = Vec::new();
        let mut schemas = Vec::new();
        loop {
            if self.parse_keyword(Keyword::FOR) {
                let _word = self.parse_keyword(Keyword::ROLE) || self.parse_keyword(Keyword::USER);
                owners.extend(self.parse_comma_separated(Parser::parse_role)?);
            } else if self.parse_keywords(&[Keyword::IN, Keyword::SCHEMA]) {
                schemas.extend(self.parse_object_names()?);
            } else {
                break;
            }
        }
        let first = self.expect_one_of_keywords(&[Keyword::GRANT, Keyword::REVOKE])?;
        let mut granted = self.grant(first)?;
        granted.roles.append(&mut owners);
        let schemas = schemas.into_iter().map(|name| (NamedKind::Schema, name));
        granted.on.extend(schemas);
        Ok(no_op(granted))
    }

    /// What follows `REASSIGN`.
    pub(crate) fn reassign_owned(&mut self) -> Result<StatementBody> {
        self.expect_words(&["OWNED", "BY"])?;
        let mut roles = self.parse_comma_separated(Parser::parse_role)?;
        self.expect_keyword(Keyword::TO)?;
        roles.push(self.parse_role()?);
        Ok(ordered(RoleOrder::Reassign, roles))
    }

    /// What follows `DROP OWNED BY`.
    pub(crate) fn drop_owned(&mut self) -> Result<StatementBody> {
        let roles = self.parse_comma_separated(Parser::parse_role)?;
        let _cascade = self.cascade();
        Ok(ordered(RoleOrder::DropOwned, roles))
    }

    /// What follows `DROP ROLE`.
    pub(crate) fn drop_role(&mut self) -> Result<StatementBody> {
        let order = match self.if_exists() {
            true => RoleOrder::DropIfExists,
            false => RoleOrder::Drop,
        };
        let roles = self.parse_comma_separated(Parser::parse_role)?;
        Ok(ordered(order, roles))
    }

    /// What follows `ALTER ROLE`.
    pub(crate) fn alter_role(&mut self) -> Result<StatementBody> {
        let roles = self.parse_comma_separated(Parser::parse_role)?;
        self.skip_rest();
        Ok(ordered(RoleOrder::Alter, roles))
    }

    /// Takes one of the words for a role.
    pub(crate) fn role_word(&mut self) -> bool {
        let words = [Keyword::ROLE, Keyword::USER, Keyword::GROUP];
        self.parse_one_of_keywords(&words).is_some()
    }

    /// The role that something is given to; `None` for that of the session.
    pub(crate) fn parse_role(&mut self) -> Result<Option<Name>> {
        let roles = [
            Keyword::CURRENT_ROLE,
            Keyword::CURRENT_USER,
            Keyword::SESSION_USER,
        ];
        match self.parse_one_of_keywords(&roles) {
            Some(_) => Ok(None),
            None => self.parse_nonreserved().map(Some),
        }
    }

    /// A privilege, or the name of a role; without text where it is ALL.
    fn privilege(&mut self) -> Result<Name> {
        let first = self.next_span();
        let mut name = match self.parse_words(&["ALTER", "SYSTEM"]) {
            true => Name {
                text: "alter system".to_owned(),
                is_quoted: false,
                span: self.since(first),
            },
            false => self.parse_label()?,
        };
        if name.text.eq_ignore_ascii_case("all") {
            let _word = self.parse_keyword(Keyword::PRIVILEGES);
            name.text.clear();
        }
        if self.consume_token(&Token::LParen) {
            self.parse_comma_separated(Parser::parse_identifier)?;
            self.expect_token(&Token::RParen)?;
        }
        Ok(name)
    }

    /// The objects behind ON, which must have the privileges.
    fn granted_objects(&mut self, privileges: &[Name], granted: &mut NoOp) -> Result<()> {
        let all = self.parse_keyword(Keyword::ALL);
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|(name, ..)| {
            let words: Vec<&str> = name.split(' ').collect();
            self.parse_words(&words) || self.plural(&format!("{name}S"))
        });
        let (name, letter, noun) = kind.copied().unwrap_or(("TABLE", 'r', "relation"));
        check_privileges(privileges, name, letter, noun)?;
        let in_schemas = all && self.parse_keywords(&[Keyword::IN, Keyword::SCHEMA]);
        let of = match name {
            _ if in_schemas => NamedKind::Schema,
            "TABLE" => NamedKind::Relation,
            "SEQUENCE" => NamedKind::Sequence,
            "SCHEMA" => NamedKind::Schema,
            _ => {
                self.pass_over_names();
                return Ok(());
            }
        };
        if kind.is_some() && self.at_grantees() {
            // Those of ALTER DEFAULT PRIVILEGES have no names.
            return Ok(());
        }
        let names = self.parse_object_names()?;
        granted.on.extend(names.into_iter().map(|name| (of, name)));
        Ok(())
    }

    fn at_grantees(&self) -> bool {
        matches!(self.peek_token().keyword, Keyword::TO | Keyword::FROM)
    }

    /// Takes the plural of a kind, behind ALL or in ALTER DEFAULT PRIVILEGES.
    fn plural(&mut self, plural: &str) -> bool {
        let behind = self.peek_nth_token(1).keyword;
        matches!(behind, Keyword::IN | Keyword::TO | Keyword::FROM) && self.parse_word(plural)
    }

    /// Passes over names up to the roles.
    fn pass_over_names(&mut self) {
        while self.peek() != Token::EOF && !self.at_grantees() {
            self.next_token();
        }
    }
}

/// Refuses privileges that objects of a kind do not have.
fn check_privileges(privileges: &[Name], kind: &str, letter: char, noun: &str) -> Result<()> {
    let privileges = privileges.iter().map(|privilege| privilege.text.as_str());
    for privilege in privileges.filter(|privilege| !privilege.is_empty()) {
        let known = PRIVILEGES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(privilege));
        let (privilege, kinds) = known.ok_or_else(|| {
            let message = format!("unrecognized privilege type \"{privilege}\"");
            Error::new(SqlState::SYNTAX_ERROR, message)
        })?;
        // What is granted to tables may be meant for sequences.
        let of_sequence = kind == "TABLE" && kinds.contains('s');
        if !kinds.contains(letter) && !of_sequence {
            let message = format!("invalid privilege type {privilege} for {noun}");
            return Err(Error::new(SqlState::INVALID_GRANT_OPERATION, message));
        }
    }
    Ok(())
}

/// An order to roles.
fn ordered(order: RoleOrder, roles: Vec<Option<Name>>) -> StatementBody {
    no_op(NoOp {
        roles,
        order,
        ..NoOp::default()
    })
}
