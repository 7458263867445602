//! LIMIT, OFFSET and FETCH.

use varve_ast::{Expr, ExprKind, Limit, Query};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

impl Parser<'_> {
    /// How many rows a query gives and which it leaves out, in either order.
    #[inline(never)]
    pub(crate) fn limit(&mut self, query: &mut Query) -> Result<()> {
        loop {
            match self.peek_token().keyword {
                Keyword::LIMIT if query.limit.is_none() => {
                    query.limit = Some(self.limit_rows()?);
                }
                Keyword::FETCH if query.limit.is_none() => {
                    query.limit = Some(self.fetch()?);
                }
                Keyword::OFFSET if query.offset.is_none() => {
                    self.next_token();
                    query.offset = Some(self.parse_expr()?);
                    let _ = self.parse_one_of_keywords(&[Keyword::ROW, Keyword::ROWS]);
                }
                _ => return Ok(()),
            }
        }
    }

    /// `LIMIT n`, `LIMIT ALL`
    #[inline(never)]
    fn limit_rows(&mut self) -> Result<Limit> {
        let first = self.next_token();
        let limit = match self.parse_keyword(Keyword::ALL) {
            true => Limit::All,
            false => Limit::Rows(self.parse_expr()?),
        };
        if self.peek() == Token::Comma {
            let message = "LIMIT #,# syntax is not supported";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(error
                .with_hint("Use separate LIMIT and OFFSET clauses.")
                .at(first.position));
        }
        Ok(limit)
    }

    /// `FETCH FIRST n ROWS ONLY`, `FETCH FIRST n ROWS WITH TIES`
    #[inline(never)]
    fn fetch(&mut self) -> Result<Limit> {
        self.next_token();
        self.expect_one_of_keywords(&[Keyword::FIRST, Keyword::NEXT])?;
        let words = [Keyword::ROW, Keyword::ROWS];
        let rows = match self.peek() {
            _ if words.contains(&self.peek_token().keyword) => None,
            Token::Plus | Token::Minus => Some(self.signed_number()?),
            _ => Some(*self.primary()?),
        };
        self.expect_one_of_keywords(&words)?;
        let with_ties = self.parse_keyword(Keyword::WITH);
        self.expect_keyword(match with_ties {
            true => Keyword::TIES,
            false => Keyword::ONLY,
        })?;
        Ok(Limit::Fetch { rows, with_ties })
    }

    /// A number behind its sign.
    fn signed_number(&mut self) -> Result<Expr> {
        let sign = self.next_token();
        if self.peek() != Token::Number {
            return self.unexpected();
        }
        let operand = self.primary()?;
        Ok(Expr {
            kind: ExprKind::Prefix {
                operator: self.operator_of(sign),
                operand,
            },
            span: self.since(sign.span()),
            is_parenthesized: false,
        })
    }
}
