//! CREATE INDEX.

use sqlparser::ast::{
    BinaryOperator, CreateIndex, Expr, Ident, IndexColumn, IndexType, OrderByExpr, OrderByOptions,
    SqlOption,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::{IsOptional, Parser};
use crate::token::Token;

/// A storage parameter as an expression.
fn storage_option(option: SqlOption) -> Option<Expr> {
    match option {
        SqlOption::Ident(key) => Some(Expr::Identifier(key)),
        SqlOption::KeyValue { key, value } => Some(Expr::BinaryOp {
            left: Box::new(Expr::Identifier(key)),
            op: BinaryOperator::Eq,
            right: Box::new(value),
        }),
        _ => None,
    }
}

impl Parser<'_> {
    /// What follows `CREATE [UNIQUE] INDEX`.
    pub fn parse_create_index(&mut self, unique: bool) -> Result<CreateIndex> {
        let concurrently = self.parse_keyword(Keyword::CONCURRENTLY);
        let if_not_exists = self.parse_if_not_exists()?;
        let name = match self.peek_keyword(Keyword::ON) && !if_not_exists {
            true => None,
            false => Some(self.parse_object_name(false)?),
        };
        self.expect_keyword(Keyword::ON)?;
        let only = self.parse_keyword(Keyword::ONLY);
        let table_name = self.parse_object_name(false)?;
        let using = match self.parse_keyword(Keyword::USING) {
            true => Some(self.index_type()?),
            false => None,
        };
        let columns = self.parse_parenthesized(Parser::parse_index_column)?;
        let include = self.include()?;
        let mut nulls_distinct = None;
        if self.parse_keyword(Keyword::NULLS) {
            nulls_distinct = Some(!self.parse_keyword(Keyword::NOT));
            self.expect_keyword(Keyword::DISTINCT)?;
        }
        let mut with = Vec::new();
        if self.parse_keyword(Keyword::WITH) {
            let options = self.parse_storage_options()?;
            with.extend(options.into_iter().filter_map(storage_option));
        }
        if self.peek_keyword(Keyword::TABLESPACE) {
            self.expect_tablespace()?;
        }
        let predicate = self.selection()?;
        Ok(CreateIndex {
            name,
            table_name,
            using,
            columns,
            unique,
            concurrently,
            // PostgreSQL has no such word: here it stands for ONLY.
            r#async: only,
            if_not_exists,
            include,
            nulls_distinct,
            with,
            predicate,
            index_options: Vec::new(),
            alter_options: Vec::new(),
        })
    }

    /// `IF NOT EXISTS`
    pub fn parse_if_not_exists(&mut self) -> Result<bool> {
        if !self.peek_keyword(Keyword::IF) || !self.second_is(Keyword::NOT) {
            return Ok(false);
        }
        self.expect_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS])?;
        Ok(true)
    }

    /// `INCLUDE (names)`
    pub(crate) fn include(&mut self) -> Result<Vec<Ident>> {
        match self.parse_keyword(Keyword::INCLUDE) {
            true => self.parse_parenthesized_column_list(IsOptional::Mandatory, false),
            false => Ok(Vec::new()),
        }
    }

    fn index_type(&mut self) -> Result<IndexType> {
        let name = self.parse_identifier()?;
        Ok(match name.value.to_ascii_lowercase().as_str() {
            "btree" => IndexType::BTree,
            "hash" => IndexType::Hash,
            "gin" => IndexType::GIN,
            "gist" => IndexType::GiST,
            "spgist" => IndexType::SPGiST,
            "brin" => IndexType::BRIN,
            "bloom" => IndexType::Bloom,
            _ => IndexType::Custom(name),
        })
    }

    /// A column or expression as an index has it, where nothing is put in order.
    pub(crate) fn parse_unordered(&mut self) -> Result<Expr> {
        let first = self.peek_token();
        let IndexColumn {
            column,
            operator_class,
        } = self.parse_index_column()?;
        let what = match column.options == OrderByOptions::default() {
            true if operator_class.is_none() => return Ok(column.expr),
            true => "an operator class in this place",
            false => "an order in this place",
        };
        Err(Error::unsupported(what).at(first.position))
    }

    /// A column or expression of an index.
    pub fn parse_index_column(&mut self) -> Result<IndexColumn> {
        let first = self.peek_token();
        if first.token != Token::LParen && !Parser::is_nonreserved(first) {
            return self.unexpected();
        }
        let mut expr = self.primary()?;
        if self.parse_keyword(Keyword::COLLATE) {
            let collation = self.parse_object_name(false)?;
            expr = Box::new(Expr::Collate { expr, collation });
        }
        let next = self.peek_token();
        let second = self.peek_nth_token(1).keyword;
        let nulls =
            next.keyword == Keyword::NULLS && matches!(second, Keyword::FIRST | Keyword::LAST);
        let operator_class = match Parser::is_name(next) && !nulls {
            true => Some(self.parse_object_name(false)?),
            false => None,
        };
        if operator_class.is_some() && self.peek() == Token::LParen {
            let what = Error::unsupported("options of an operator class");
            return Err(what.at(self.peek_token().position));
        }
        Ok(IndexColumn {
            column: self.order_by_options(*expr)?,
            operator_class,
        })
    }

    /// A column of a key.
    pub(crate) fn parse_key_column(&mut self) -> Result<IndexColumn> {
        Ok(IndexColumn {
            column: OrderByExpr {
                expr: Expr::Identifier(self.parse_identifier()?),
                options: OrderByOptions {
                    sort: None,
                    nulls_first: None,
                },
                with_fill: None,
            },
            operator_class: None,
        })
    }
}
