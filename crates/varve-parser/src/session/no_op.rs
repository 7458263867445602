//! Statements that change nothing here, though dumps and scripts have them: REINDEX, CLUSTER,
//! extensions and the like. What they name must be there.

use varve_ast::{NamedKind, NoOp, ObjectName, StatementBody, Utility};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::option::is_given;
use crate::parser::Parser;

/// A statement that changes nothing.
pub(crate) fn no_op(no_op: NoOp) -> StatementBody {
    StatementBody::Utility(Utility::NoOp(Box::new(no_op)))
}

/// A statement of which nothing is left but what the user should know.
pub(crate) fn noted(notice: &'static str) -> StatementBody {
    no_op(NoOp {
        notice: Some(notice),
        ..NoOp::default()
    })
}

impl Parser<'_> {
    /// What follows `REINDEX`.
    pub(crate) fn reindex(&mut self) -> Result<StatementBody> {
        let options = self.known_options("REINDEX", &["verbose", "concurrently"])?;
        let kinds = [
            Keyword::INDEX,
            Keyword::TABLE,
            Keyword::SCHEMA,
            Keyword::DATABASE,
            Keyword::SYSTEM,
        ];
        let kind = self.expect_one_of_keywords(&kinds)?;
        let is_concurrent =
            self.parse_keyword(Keyword::CONCURRENTLY) || is_given(&options, "concurrently");
        let of = match kind {
            Keyword::INDEX => Some(NamedKind::Index),
            Keyword::TABLE => Some(NamedKind::Rows),
            Keyword::SCHEMA => Some(NamedKind::Schema),
            _ => None,
        };
        let mut on = Vec::new();
        if of.is_some() || self.peek() != Token::EOF {
            let name = self.parse_object_name()?;
            on.extend(of.map(|of| (of, name)));
        }
        Ok(no_op(NoOp {
            on,
            outside_block: is_concurrent.then_some("REINDEX CONCURRENTLY"),
            notice: Some("REINDEX changes nothing: indexes always have what their tables have"),
            ..NoOp::default()
        }))
    }

    /// What follows `CLUSTER`.
    pub(crate) fn cluster(&mut self) -> Result<StatementBody> {
        self.known_options("CLUSTER", &["verbose"])?;
        let _verbose = self.parse_keyword(Keyword::VERBOSE);
        let mut on = Vec::new();
        if self.peek() != Token::EOF {
            let table = self.parse_object_name()?;
            if self.parse_keyword(Keyword::USING) {
                // The index is in the schema of its table.
                let index = ObjectName {
                    qualifiers: table.qualifiers.clone(),
                    name: self.parse_identifier()?,
                };
                on.push((NamedKind::Index, index));
            }
            on.push((NamedKind::Rows, table));
        }
        Ok(no_op(NoOp {
            on,
            notice: Some("CLUSTER changes nothing: how rows are stored is not up to the user"),
            ..NoOp::default()
        }))
    }

    /// What follows `CREATE DATABASE`.
    pub(crate) fn create_database(&mut self) -> StatementBody {
        self.skip_rest();
        noted("a store holds one database: CREATE DATABASE makes no other")
    }

    /// What follows `DROP DATABASE IF EXISTS`.
    pub(crate) fn drop_database(&mut self) -> StatementBody {
        self.skip_rest();
        noted("a store holds one database: there is no other to drop")
    }

    /// What follows `CREATE EXTENSION`.
    pub(crate) fn create_extension(&mut self) -> Result<StatementBody> {
        let if_not_exists = self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
        let name = self.parse_identifier()?.text;
        let _ = self.parse_keyword(Keyword::WITH);
        loop {
            if self.parse_keyword(Keyword::SCHEMA) {
                self.parse_identifier()?;
            } else if self.parse_keyword(Keyword::VERSION) {
                match Parser::is_string(self.peek()) {
                    true => drop(self.parse_literal_string()?),
                    false => drop(self.parse_identifier()?),
                }
            } else if !self.parse_keyword(Keyword::CASCADE) {
                break;
            }
        }
        Ok(noted(match name.as_str() {
            "plpgsql" if if_not_exists => "extension \"plpgsql\" already exists, skipping",
            "plpgsql" => {
                let message = "extension \"plpgsql\" already exists";
                return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
            }
            "pgcrypto" | "uuid-ossp" => {
                "no extension is made: gen_random_uuid() is there without, other functions of it \
                 are not"
            }
            "btree_gin" | "btree_gist" => {
                "no extension is made: it is for access methods that there are not"
            }
            _ => {
                let error = Error::unsupported(format!("the extension \"{name}\""));
                return Err(error.with_hint(
                    "A store has no extensions; leave the statement out where nothing of it is \
                     used.",
                ));
            }
        }))
    }

    /// What follows `DROP EXTENSION IF EXISTS`.
    pub(crate) fn drop_extension(&mut self) -> Result<StatementBody> {
        self.parse_comma_separated(Parser::parse_identifier)?;
        let _cascade = self.cascade();
        Ok(noted("a store has no extensions: there is none to drop"))
    }

    /// What follows `COMMENT ON EXTENSION`.
    pub(crate) fn comment_on_extension(&mut self) -> Result<StatementBody> {
        self.parse_identifier()?;
        self.expect_keyword(Keyword::IS)?;
        if !self.parse_keyword(Keyword::NULL) {
            self.parse_literal_string()?;
        }
        Ok(noted("a store has no extensions: the comment is not kept"))
    }
}
