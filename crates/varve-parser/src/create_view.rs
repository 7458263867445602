//! CREATE VIEW.

use sqlparser::ast::{CreateTableOptions, CreateView, ViewColumnDef};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

impl Parser<'_> {
    /// What follows `CREATE ... VIEW`; the words before it are the caller's to set.
    pub fn parse_create_view(&mut self, materialized: bool) -> Result<Box<CreateView>> {
        let if_not_exists = self.parse_if_not_exists()?;
        let name = self.parse_object_name(false)?;
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(|parser| {
                Ok(ViewColumnDef {
                    name: parser.parse_identifier()?,
                    data_type: None,
                    options: None,
                })
            })?;
        }
        self.table_access_method()?;
        let mut options = CreateTableOptions::None;
        if self.parse_keyword(Keyword::WITH) {
            options = CreateTableOptions::With(self.parse_storage_options()?);
        }
        self.expect_keyword(Keyword::AS)?;
        let query = self.parse_query()?;
        let next = self.peek_token();
        let mut with_no_schema_binding = false;
        if self.parse_keyword(Keyword::WITH) {
            if !materialized {
                return Err(Error::unsupported("WITH CHECK OPTION").at(next.position));
            }
            with_no_schema_binding = self.parse_keyword(Keyword::NO);
            self.expect_keyword(Keyword::DATA)?;
        }
        Ok(Box::new(CreateView {
            or_alter: false,
            or_replace: false,
            materialized,
            secure: false,
            name,
            name_before_not_exists: false,
            columns,
            query,
            options,
            cluster_by: Vec::new(),
            comment: None,
            // For a materialized view: WITH NO DATA.
            with_no_schema_binding,
            if_not_exists,
            temporary: false,
            copy_grants: false,
            to: None,
            params: None,
        }))
    }
}
