//! UPDATE and DELETE.

use sqlparser::ast::{
    AccessExpr, Assignment, AssignmentTarget, Delete, FromTable, ObjectName, SqlOption, Statement,
    TableFactor, TableWithJoins, Update, UpdateTableFromKind,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::name::single;
use crate::parser::{Parser, attached};
use crate::table_factor::table;
use crate::token::{Lexeme, Token};

impl Parser<'_> {
    /// What follows `UPDATE`.
    pub fn parse_update(&mut self, update_token: Lexeme) -> Result<Statement> {
        let table = self.changed_table()?;
        self.expect_keyword(Keyword::SET)?;
        let assignments = self.parse_comma_separated(Parser::parse_assignment)?;
        let mut from = None;
        if self.parse_keyword(Keyword::FROM) {
            let tables = self.parse_from()?;
            from = Some(UpdateTableFromKind::AfterSet(tables));
        }
        self.refuse_cursor()?;
        let selection = self.selection()?;
        let returning = self.returning()?;
        Ok(Statement::Update(Update {
            update_token: attached(update_token),
            optimizer_hints: Vec::new(),
            table: TableWithJoins {
                relation: table,
                joins: Vec::new(),
            },
            assignments,
            from,
            selection,
            returning,
            output: None,
            or: None,
            order_by: Vec::new(),
            limit: None,
        }))
    }

    /// What follows `DELETE`.
    pub fn parse_delete(&mut self, delete_token: Lexeme) -> Result<Statement> {
        self.expect_keyword(Keyword::FROM)?;
        let table = self.changed_table()?;
        let mut using = None;
        if self.parse_keyword(Keyword::USING) {
            using = Some(self.parse_from()?);
        }
        self.refuse_cursor()?;
        let selection = self.selection()?;
        let returning = self.returning()?;
        Ok(Statement::Delete(Delete {
            delete_token: attached(delete_token),
            optimizer_hints: Vec::new(),
            tables: Vec::new(),
            from: FromTable::WithFromKeyword(vec![TableWithJoins {
                relation: table,
                joins: Vec::new(),
            }]),
            using,
            selection,
            returning,
            output: None,
            order_by: Vec::new(),
            limit: None,
        }))
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
    pub(crate) fn changed_table(&mut self) -> Result<TableFactor> {
        let place = self.peek_token().position;
        let only = self.parse_keyword(Keyword::ONLY);
        let parentheses = only && self.consume_token(&Token::LParen);
        let mut relation = table(self.parse_object_name(true)?, None, false);
        if parentheses {
            self.expect_token(&Token::RParen)?;
        }
        let _ = self.consume_token(&Token::Mul);
        if only {
            crate::table_factor::only(&mut relation, place);
        }
        if !self.peek_keyword(Keyword::SET)
            && let TableFactor::Table { alias, .. } = &mut relation
        {
            *alias = self.table_alias()?;
        }
        Ok(relation)
    }

    /// `column = value` or `(columns) = row`.
    pub fn parse_assignment(&mut self) -> Result<Assignment> {
        let target = match self.peek() {
            Token::LParen => {
                AssignmentTarget::Tuple(self.parse_parenthesized(Parser::target_name)?)
            }
            _ => AssignmentTarget::ColumnName(self.target_name()?),
        };
        self.expect_token(&Token::Eq)?;
        let value = self.parse_expr()?;
        Ok(Assignment { target, value })
    }

    /// A column that is written, with its fields. Subscripts behind it are kept beside the tree:
    /// see [`Parser::take_target_subscripts`].
    pub(crate) fn target_name(&mut self) -> Result<ObjectName> {
        let mut ident = self.parse_identifier()?;
        let mut access = Vec::new();
        while self.consume_token(&Token::LBracket) {
            access.push(AccessExpr::Subscript(self.subscript()?));
        }
        if access.is_empty() {
            return self.name_from(ident);
        }
        let name = match ident.quote_style {
            Some(_) => ident.value,
            None => ident.value.to_ascii_lowercase(),
        };
        ident.value = format!("{name}\0{}", self.targets.len());
        ident.quote_style = Some('"');
        self.targets.push(access);
        Ok(single(ident))
    }

    /// The subscripts behind the columns that INSERT and UPDATE assign to. The name of such a
    /// column has the number of its subscripts behind the end of its text: `a\0` and a number.
    pub fn take_target_subscripts(&mut self) -> Vec<Vec<AccessExpr>> {
        core::mem::take(&mut self.targets)
    }

    /// The storage parameters of the indexes of constraints, which no tree has a place for.
    pub fn take_index_options(&mut self) -> Vec<SqlOption> {
        core::mem::take(&mut self.index_options)
    }
}
