//! CREATE: what is made, by the words behind it.

use varve_ast::{Ddl, Session, StatementBody};
use varve_lexer::{Keyword, Lexeme};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// The words between CREATE and what is made.
pub(crate) struct CreateWords {
    /// `OR REPLACE`
    pub(crate) or_replace: bool,
    /// `GLOBAL`, else `LOCAL`, where either is said.
    pub(crate) is_global: Option<bool>,
    /// `TEMPORARY`
    pub(crate) is_temporary: bool,
    /// `UNLOGGED`
    pub(crate) is_unlogged: bool,
    /// `RECURSIVE`
    pub(crate) is_recursive: bool,
}

impl CreateWords {
    /// Whether none is said but `OR REPLACE`.
    fn is_plain(&self) -> bool {
        !self.is_recursive && !self.is_temporary && !self.is_unlogged
    }
}

impl Parser<'_> {
    /// What follows `CREATE`, which is `first`.
    pub(crate) fn create_statement(&mut self, first: Lexeme) -> Result<StatementBody> {
        if let Some(execute) = self.table_of_prepared(first)? {
            return Ok(StatementBody::Session(Session::Execute(Box::new(execute))));
        }
        if self.parse_keyword(Keyword::DATABASE) {
            return Ok(self.create_database());
        }
        if self.parse_keyword(Keyword::EXTENSION) {
            return self.create_extension();
        }
        let words = self.create_words()?;
        if let Some(ddl) = self.create_replaceable(&words)? {
            return Ok(StatementBody::Ddl(ddl));
        }
        match words.or_replace || words.is_recursive {
            true => Ok(self.unsupported(None)),
            false => self.create_new(first, &words),
        }
    }

    fn create_words(&mut self) -> Result<CreateWords> {
        let or_replace = self.parse_keywords(&[Keyword::OR, Keyword::REPLACE]);
        let scope = self.parse_one_of_keywords(&[Keyword::LOCAL, Keyword::GLOBAL]);
        let temporary = [Keyword::TEMP, Keyword::TEMPORARY];
        let is_temporary = self.parse_one_of_keywords(&temporary).is_some();
        let is_unlogged = self.parse_keyword(Keyword::UNLOGGED);
        if is_temporary && is_unlogged || scope.is_some() && !is_temporary {
            return self.unexpected();
        }
        Ok(CreateWords {
            or_replace,
            is_global: scope.map(|scope| scope == Keyword::GLOBAL),
            is_temporary,
            is_unlogged,
            is_recursive: self.parse_keyword(Keyword::RECURSIVE),
        })
    }

    /// What may stand behind OR REPLACE; `None` for anything else, with nothing taken.
    fn create_replaceable(&mut self, words: &CreateWords) -> Result<Option<Ddl>> {
        Ok(Some(
            if !words.is_unlogged && self.parse_keyword(Keyword::VIEW) {
                Ddl::CreateView(self.create_view(words)?)
            } else if words.is_plain()
                && let Some(create) = self.create_function(words.or_replace)?
            {
                Ddl::CreateFunction(create)
            } else if words.is_plain() && self.parse_keyword(Keyword::TRIGGER) {
                Ddl::CreateTrigger(self.create_trigger(words.or_replace)?)
            } else {
                return Ok(None);
            },
        ))
    }

    /// What cannot be replaced.
    fn create_new(&mut self, first: Lexeme, words: &CreateWords) -> Result<StatementBody> {
        if self.parse_keyword(Keyword::TABLE) {
            return self.create_any_table(first, words);
        }
        let next = self.peek_token().keyword;
        let is_named = matches!(next, Keyword::SCHEMA | Keyword::DOMAIN | Keyword::TYPE);
        let made = match is_named && words.is_plain() {
            true => self.create_named()?,
            false => self.create_relation(first, words)?,
        };
        Ok(match made {
            Some(ddl) => StatementBody::Ddl(ddl),
            None => self.unsupported(None),
        })
    }

    /// A schema, domain or type; `None` for types that are not supported.
    fn create_named(&mut self) -> Result<Option<Ddl>> {
        Ok(match self.next_token().keyword {
            Keyword::SCHEMA => Some(Ddl::CreateSchema(self.create_schema()?)),
            Keyword::DOMAIN => Some(Ddl::CreateDomain(self.create_domain()?)),
            _ => self.create_type()?,
        })
    }

    /// A materialized view, index or sequence; `None` for anything else.
    fn create_relation(&mut self, first: Lexeme, words: &CreateWords) -> Result<Option<Ddl>> {
        let is_view = [Keyword::MATERIALIZED, Keyword::VIEW];
        if !words.is_temporary && self.parse_keywords(&is_view) {
            if words.is_unlogged {
                let message = "materialized views cannot be unlogged";
                return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
            }
            return Ok(Some(Ddl::CreateView(self.create_materialized_view()?)));
        }
        let is_unique = self.parse_keyword(Keyword::UNIQUE);
        let next = self.peek_token();
        if !words.is_plain() && (is_unique || next.keyword == Keyword::INDEX) {
            return Err(self.error_at(next));
        }
        if self.parse_keyword(Keyword::INDEX) {
            let index = self.create_index(first, is_unique)?;
            return Ok(Some(Ddl::CreateIndex(index)));
        }
        if !is_unique && self.parse_keyword(Keyword::SEQUENCE) {
            let change = self.create_sequence(words.is_temporary, words.is_unlogged)?;
            return Ok(Some(Ddl::Sequence(Box::new(change))));
        }
        Ok(None)
    }

    /// A table, of a query or not.
    fn create_any_table(&mut self, first: Lexeme, words: &CreateWords) -> Result<StatementBody> {
        if let Some(head) = self.maybe_parse(Parser::table_head)? {
            let create = self.create_table_as(words, head)?;
            return Ok(StatementBody::Ddl(Ddl::CreateTableAs(create)));
        }
        let mut create = self.create_table(first)?;
        if self.parse_keyword(Keyword::AS) {
            // Only names of columns may stand before a query.
            self.parse_query()?;
            self.with_data()?;
            return Ok(StatementBody::Unsupported(Some("CREATE TABLE AS")));
        }
        create.is_temporary = words.is_temporary;
        create.is_unlogged = words.is_unlogged;
        create.is_global = words.is_global;
        Ok(StatementBody::Ddl(Ddl::CreateTable(create)))
    }
}
