//! UPDATE and DELETE.

use varve_ast::{Assignment, ChangedTable, Delete, Expr, ExprKind, ObjectName, Target, Update};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `UPDATE`, which is `first`.
    pub fn parse_update(&mut self, first: Lexeme) -> Result<Update> {
        let table = self.changed_table()?;
        self.expect_keyword(Keyword::SET)?;
        let assignments = self.parse_comma_separated(Parser::parse_assignment)?;
        let mut from = Vec::new();
        if self.parse_keyword(Keyword::FROM) {
            from = self.parse_from()?;
        }
        self.refuse_cursor()?;
        let filter = self.selection()?;
        let returning = self.returning()?;
        Ok(Update {
            table,
            assignments,
            from,
            filter,
            returning,
            span: self.since(first.span()),
        })
    }

    /// What follows `DELETE`, which is `first`.
    pub fn parse_delete(&mut self, first: Lexeme) -> Result<Delete> {
        self.expect_keyword(Keyword::FROM)?;
        let table = self.changed_table()?;
        let mut using = Vec::new();
        if self.parse_keyword(Keyword::USING) {
            using = self.parse_from()?;
        }
        self.refuse_cursor()?;
        let filter = self.selection()?;
        let returning = self.returning()?;
        Ok(Delete {
            table,
            using,
            filter,
            returning,
            span: self.since(first.span()),
        })
    }

    fn refuse_cursor(&self) -> Result<()> {
        let cursor = self.peek_keyword(Keyword::WHERE)
            && self.second_is(Keyword::CURRENT)
            && self.peek_nth_token(2).keyword == Keyword::OF;
        match cursor {
            true => Err(Error::unsupported("WHERE CURRENT OF").at(self.peek_token().position)),
            false => Ok(()),
        }
    }

    /// The table that a statement changes, with its alias.
    pub(crate) fn changed_table(&mut self) -> Result<ChangedTable> {
        let first = self.next_span();
        let only = self.parse_keyword(Keyword::ONLY).then_some(first);
        let parentheses = only.is_some() && self.consume_token(&Token::LParen);
        let name = self.parse_object_name()?;
        if parentheses {
            self.expect_token(&Token::RParen)?;
        }
        let _descendants = self.consume_token(&Token::Mul);
        let alias = match self.peek_keyword(Keyword::SET) {
            true => None,
            false => self.table_alias()?,
        };
        Ok(ChangedTable { name, only, alias })
    }

    /// `column = value` or `(columns) = row`.
    pub fn parse_assignment(&mut self) -> Result<Assignment> {
        let is_row = self.peek() == Token::LParen;
        let targets = match is_row {
            true => self.parse_parenthesized(Parser::target_name)?,
            false => vec![self.target_name()?],
        };
        self.expect_token(&Token::Eq)?;
        let mut value = self.parse_expr()?;
        if is_row && targets.len() == 1 && is_in_parentheses(&value) {
            value = row_of_one(value);
        }
        Ok(Assignment {
            targets,
            is_row,
            value,
        })
    }

    /// A column that is written, with its fields or its subscripts.
    pub(crate) fn target_name(&mut self) -> Result<Target> {
        let first = self.parse_identifier()?;
        let mut subscripts = Vec::new();
        while self.consume_token(&Token::LBracket) {
            subscripts.push(self.subscript()?);
        }
        let name = match subscripts.is_empty() {
            true => self.name_from(first)?,
            false => ObjectName::simple(first),
        };
        Ok(Target { name, subscripts })
    }
}

/// Whether it is a value in parentheses, and neither a row nor a subquery.
fn is_in_parentheses(expr: &Expr) -> bool {
    let is_more = matches!(expr.kind, ExprKind::Row { .. } | ExprKind::Subquery(_));
    expr.is_parenthesized && !is_more
}

/// `(a) = (x)`, for which PostgreSQL wants `(a) = ROW(x)`.
fn row_of_one(field: Expr) -> Expr {
    Expr {
        span: field.span,
        kind: ExprKind::Row {
            fields: vec![field],
            is_explicit: false,
        },
        is_parenthesized: true,
    }
}
