//! Views, materialized or not, and tables made of a query.

use varve_ast::{
    CreateTableAs, CreateView, Ddl, DefinedOption, Materialized, Name, ObjectName, OnCommit, Query,
    ViewCheck,
};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::ddl::create::CreateWords;
use crate::parser::{IsOptional, Parser};

/// What stands before the query of `CREATE TABLE ... AS`.
pub(crate) struct TableHead {
    if_not_exists: bool,
    name: ObjectName,
    columns: Vec<Name>,
    options: Vec<DefinedOption>,
    on_commit: Option<OnCommit>,
}

impl Parser<'_> {
    /// A query, and its text.
    fn query_text(&mut self) -> Result<(Box<Query>, String)> {
        let start = self.peek_token();
        let query = self.parse_query()?;
        let text = self.text_between(start, self.peek_token()).trim_end();
        Ok((query, text.to_owned()))
    }

    /// What follows `CREATE ... VIEW`.
    pub(crate) fn create_view(&mut self, words: &CreateWords) -> Result<Box<CreateView>> {
        let name = self.parse_object_name()?;
        let columns = self.parse_parenthesized_column_list(IsOptional::Optional)?;
        let options = match self.parse_keyword(Keyword::WITH) {
            true => self.parse_storage_options()?,
            false => Vec::new(),
        };
        self.expect_keyword(Keyword::AS)?;
        let (query, text) = self.query_text()?;
        Ok(Box::new(CreateView {
            name,
            or_replace: words.or_replace,
            is_temporary: words.is_temporary,
            is_recursive: words.is_recursive,
            columns,
            options,
            query,
            text,
            check: self.view_check()?,
            materialized: None,
        }))
    }

    /// `WITH CHECK OPTION`, if it comes next.
    fn view_check(&mut self) -> Result<ViewCheck> {
        if !self.parse_keyword(Keyword::WITH) {
            return Ok(ViewCheck::None);
        }
        let is_local = self.parse_keyword(Keyword::LOCAL);
        let _cascaded = !is_local && self.parse_keyword(Keyword::CASCADED);
        self.expect_words(&["CHECK", "OPTION"])?;
        Ok(match is_local {
            true => ViewCheck::Local,
            false => ViewCheck::Cascaded,
        })
    }

    /// What follows `CREATE MATERIALIZED VIEW`.
    pub(crate) fn create_materialized_view(&mut self) -> Result<Box<CreateView>> {
        let if_not_exists = self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
        let name = self.parse_object_name()?;
        let columns = self.parse_parenthesized_column_list(IsOptional::Optional)?;
        let options = self.storage_clauses()?;
        if self.peek_keyword(Keyword::TABLESPACE) {
            self.expect_tablespace()?;
        }
        self.expect_keyword(Keyword::AS)?;
        let (query, text) = self.query_text()?;
        Ok(Box::new(CreateView {
            name,
            or_replace: false,
            is_temporary: false,
            is_recursive: false,
            columns,
            options,
            query,
            text,
            check: ViewCheck::None,
            materialized: Some(Materialized {
                if_not_exists,
                with_data: self.with_data()?,
            }),
        }))
    }

    /// What follows `REFRESH`.
    pub(crate) fn refresh(&mut self) -> Result<Ddl> {
        self.expect_words(&["MATERIALIZED", "VIEW"])?;
        Ok(Ddl::Refresh {
            is_concurrent: self.parse_keyword(Keyword::CONCURRENTLY),
            name: self.parse_object_name()?,
            window: self.parenthesized_options()?,
            with_data: self.with_data()?,
        })
    }

    /// What follows `CREATE ... TABLE` up to the query of `CREATE TABLE ... AS`; an error for any
    /// other CREATE TABLE.
    pub(crate) fn table_head(&mut self) -> Result<TableHead> {
        let head = TableHead {
            if_not_exists: self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]),
            name: self.parse_object_name()?,
            columns: self.parse_parenthesized_column_list(IsOptional::Optional)?,
            options: self.storage_clauses()?,
            on_commit: self.on_commit()?,
        };
        if self.peek_keyword(Keyword::TABLESPACE) {
            self.expect_tablespace()?;
        }
        self.expect_keyword(Keyword::AS)?;
        Ok(head)
    }

    /// The query of `CREATE TABLE ... AS`, and what follows it.
    pub(crate) fn create_table_as(
        &mut self,
        words: &CreateWords,
        head: TableHead,
    ) -> Result<Box<CreateTableAs>> {
        Ok(Box::new(CreateTableAs {
            name: head.name,
            is_temporary: words.is_temporary,
            is_unlogged: words.is_unlogged,
            if_not_exists: head.if_not_exists,
            columns: head.columns,
            on_commit: head.on_commit,
            options: head.options,
            query: self.parse_query()?,
            with_data: self.with_data()?,
        }))
    }

    /// `USING method` and `WITH (...)`.
    fn storage_clauses(&mut self) -> Result<Vec<DefinedOption>> {
        self.table_access_method()?;
        let options = self.parenthesized_options()?;
        if options.is_empty() {
            let _without = self.parse_keywords(&[Keyword::WITHOUT, Keyword::OIDS]);
        }
        Ok(options)
    }

    /// `WITH (...)`, if it comes next.
    fn parenthesized_options(&mut self) -> Result<Vec<DefinedOption>> {
        let has_options = self.peek_nth_token(1).token == Token::LParen;
        match has_options && self.parse_keyword(Keyword::WITH) {
            true => self.parse_storage_options(),
            false => Ok(Vec::new()),
        }
    }

    /// `ON COMMIT`, if it comes next.
    fn on_commit(&mut self) -> Result<Option<OnCommit>> {
        match self.parse_keywords(&[Keyword::ON, Keyword::COMMIT]) {
            true => self.commit_action().map(Some),
            false => Ok(None),
        }
    }

    /// `WITH [NO] DATA`; whether there is data.
    pub(crate) fn with_data(&mut self) -> Result<bool> {
        if !self.parse_keyword(Keyword::WITH) {
            return Ok(true);
        }
        let is_without = self.parse_keyword(Keyword::NO);
        self.expect_keyword(Keyword::DATA)?;
        Ok(!is_without)
    }
}
