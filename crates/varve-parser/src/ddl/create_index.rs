//! CREATE INDEX.

use varve_ast::{CreateIndex, Expr, ExprKind, IndexElement, IndexOptions, Name, OrderItem};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::expr::precedence::{Kind, level};
use crate::parser::{IsOptional, Parser};

impl Parser<'_> {
    /// What follows `CREATE [UNIQUE] INDEX`, of which `first` is the first word.
    #[inline(never)]
    pub(crate) fn create_index(
        &mut self,
        first: Lexeme,
        is_unique: bool,
    ) -> Result<Box<CreateIndex>> {
        let is_concurrent = self.parse_keyword(Keyword::CONCURRENTLY);
        let if_not_exists = self.parse_if_not_exists()?;
        let name = match self.peek_keyword(Keyword::ON) && !if_not_exists {
            true => None,
            false => Some(self.parse_object_name()?),
        };
        self.expect_keyword(Keyword::ON)?;
        let only = self.parse_keyword(Keyword::ONLY);
        let table = self.parse_object_name()?;
        let method = self.behind(Keyword::USING, Parser::parse_identifier)?;
        let elements = self.parse_parenthesized(Parser::parse_index_element)?;
        let include = self.include()?;
        let nulls_distinct = self.nulls_distinct()?;
        let kept = IndexOptions {
            is_unique,
            nulls_not_distinct: is_unique && nulls_distinct == Some(false),
        };
        let options = match self.parse_keyword(Keyword::WITH) {
            true => self.parse_storage_options()?,
            false => Vec::new(),
        };
        if self.peek_keyword(Keyword::TABLESPACE) {
            self.expect_tablespace()?;
        }
        let filter = self.selection()?;
        Ok(Box::new(CreateIndex {
            kept,
            is_concurrent,
            if_not_exists,
            name,
            only,
            table,
            method,
            elements,
            include,
            options,
            filter,
            span: self.since(first.span()),
        }))
    }

    /// `IF NOT EXISTS`
    pub(crate) fn parse_if_not_exists(&mut self) -> Result<bool> {
        if !self.peek_keyword(Keyword::IF) || !self.second_is(Keyword::NOT) {
            return Ok(false);
        }
        self.expect_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS])?;
        Ok(true)
    }

    /// `INCLUDE (names)`
    pub(crate) fn include(&mut self) -> Result<Vec<Name>> {
        match self.parse_keyword(Keyword::INCLUDE) {
            true => self.parse_parenthesized_column_list(IsOptional::Mandatory),
            false => Ok(Vec::new()),
        }
    }

    /// A column or expression as an index has it, where nothing is put in order.
    pub(crate) fn parse_unordered(&mut self) -> Result<Expr> {
        let first = self.peek_token();
        let IndexElement {
            key,
            operator_class,
            direction,
            nulls,
        } = self.parse_index_element()?;
        let what = match direction.is_none() && nulls.is_none() {
            true if operator_class.is_none() => return Ok(key),
            true => "an operator class in this place",
            false => "an order in this place",
        };
        Err(Error::unsupported(what).at(first.position))
    }

    /// A column or expression of an index.
    pub(crate) fn parse_index_element(&mut self) -> Result<IndexElement> {
        let first = self.peek_token();
        if first.token != Token::LParen && !Parser::is_nonreserved(first) {
            return self.unexpected();
        }
        // PostgreSQL wants parentheses around an operation; SQLite does not.
        let mut key = self.expr_above(level::BETWEEN, Kind::Restricted)?;
        if self.parse_keyword(Keyword::COLLATE) {
            let operator = self.last_span();
            let span = key.span;
            let collation = self.parse_object_name()?;
            let operand = key;
            key = Box::new(Expr {
                kind: ExprKind::Collate {
                    operand,
                    collation,
                    operator,
                },
                span: self.since(span),
                is_parenthesized: false,
            });
        }
        let next = self.peek_token();
        let second = self.peek_nth_token(1).keyword;
        let nulls =
            next.keyword == Keyword::NULLS && matches!(second, Keyword::FIRST | Keyword::LAST);
        let operator_class = match Parser::is_name(next) && !nulls {
            true => Some(self.parse_object_name()?),
            false => None,
        };
        if operator_class.is_some() && self.peek() == Token::LParen {
            let what = Error::unsupported("options of an operator class");
            return Err(what.at(self.peek_token().position));
        }
        let OrderItem {
            expr,
            direction,
            nulls,
        } = self.order_item_options(*key)?;
        Ok(IndexElement {
            key: expr,
            operator_class,
            direction,
            nulls,
        })
    }
}
