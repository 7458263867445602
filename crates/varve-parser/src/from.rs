//! Relations of FROM and their joins.

use sqlparser::ast::{Join, JoinConstraint, JoinOperator, ObjectName, TableFactor, TableWithJoins};
use varve_types::Result;

use crate::keyword::Keyword;
use crate::marker::{USING_ALIAS, marker};
use crate::name::single;
use crate::parser::{IsOptional, Parser};
use crate::table_factor::{only, table};
use crate::token::Token;

/// The kinds of joins that take a condition.
fn joined(kind: Keyword, outer: bool, constraint: JoinConstraint) -> JoinOperator {
    match (kind, outer) {
        (Keyword::INNER, _) => JoinOperator::Inner(constraint),
        (Keyword::LEFT, false) => JoinOperator::Left(constraint),
        (Keyword::LEFT, true) => JoinOperator::LeftOuter(constraint),
        (Keyword::RIGHT, false) => JoinOperator::Right(constraint),
        (Keyword::RIGHT, true) => JoinOperator::RightOuter(constraint),
        (Keyword::FULL, _) => JoinOperator::FullOuter(constraint),
        _ => JoinOperator::Join(constraint),
    }
}

#[inline(never)]
fn push_relation(tables: &mut Vec<TableWithJoins>, relation: Box<TableFactor>) {
    tables.push(TableWithJoins {
        relation: *relation,
        joins: Vec::new(),
    });
}

#[inline(never)]
fn add_join(joins: &mut Vec<Join>, relation: Box<TableFactor>, join_operator: JoinOperator) {
    joins.push(Join {
        relation: *relation,
        global: false,
        join_operator,
    });
}

impl Parser<'_> {
    /// Relations with commas between them.
    pub fn parse_from(&mut self) -> Result<Vec<TableWithJoins>> {
        let mut tables = Vec::new();
        loop {
            self.push_table(&mut tables)?;
            if !self.consume_token(&Token::Comma) {
                return Ok(tables);
            }
        }
    }

    /// The relation of `TABLE name`, which has no alias.
    pub(crate) fn push_table_of_query(&mut self, tables: &mut Vec<TableWithJoins>) -> Result<()> {
        let first = self.peek_token();
        let is_only = self.parse_keyword(Keyword::ONLY);
        let name = self.parse_object_name(true)?;
        let mut relation = Box::new(table(name, None, false));
        if is_only {
            only(&mut relation, first.position);
        }
        push_relation(tables, relation);
        let _descendants = self.consume_token(&Token::Mul);
        Ok(())
    }

    /// A relation with the joins behind it.
    #[inline(never)]
    pub(crate) fn push_table(&mut self, tables: &mut Vec<TableWithJoins>) -> Result<()> {
        let relation = self.relation()?;
        push_relation(tables, relation);
        match tables.last_mut() {
            Some(table) => self.joins(&mut table.joins),
            None => Ok(()),
        }
    }

    /// A relation with the joins behind it.
    #[inline(never)]
    pub fn parse_table_and_joins(&mut self) -> Result<TableWithJoins> {
        let mut tables = Vec::new();
        self.push_table(&mut tables)?;
        tables.pop().ok_or_else(|| self.error_at(self.peek_token()))
    }

    /// The joins behind a relation.
    pub(crate) fn joins(&mut self, joins: &mut Vec<Join>) -> Result<()> {
        loop {
            match self.peek_token().keyword {
                Keyword::CROSS => {
                    self.next_token();
                    self.expect_keyword(Keyword::JOIN)?;
                    let operator = JoinOperator::CrossJoin(JoinConstraint::None);
                    self.push_join(joins, operator)?;
                }
                Keyword::NATURAL => {
                    self.next_token();
                    let (kind, outer) = self.join_kind()?;
                    let operator = joined(kind, outer, JoinConstraint::Natural);
                    self.push_join(joins, operator)?;
                }
                _ if self.at_join() => self.push_joined(joins)?,
                _ => return Ok(()),
            }
        }
    }

    #[inline(never)]
    fn push_join(&mut self, joins: &mut Vec<Join>, join_operator: JoinOperator) -> Result<()> {
        let relation = self.relation()?;
        add_join(joins, relation, join_operator);
        Ok(())
    }

    /// A join with a condition.
    #[inline(never)]
    fn push_joined(&mut self, joins: &mut Vec<Join>) -> Result<()> {
        let (kind, outer) = self.join_kind()?;
        self.push_join_relation(joins)?;
        let constraint = self.join_constraint()?;
        if let Some(join) = joins.last_mut() {
            join.join_operator = joined(kind, outer, constraint);
        }
        Ok(())
    }

    #[inline(never)]
    fn push_join_relation(&mut self, joins: &mut Vec<Join>) -> Result<()> {
        let relation = self.joined_relation()?;
        add_join(joins, relation, JoinOperator::CrossApply);
        Ok(())
    }

    fn at_join(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::JOIN | Keyword::INNER | Keyword::LEFT | Keyword::RIGHT | Keyword::FULL
        )
    }

    /// The words up to JOIN: which kind, and whether OUTER is one of them.
    fn join_kind(&mut self) -> Result<(Keyword, bool)> {
        let kind = self.next_token().keyword;
        if kind == Keyword::JOIN {
            return Ok((kind, false));
        }
        if !matches!(
            kind,
            Keyword::INNER | Keyword::LEFT | Keyword::RIGHT | Keyword::FULL
        ) {
            self.prev_token();
            return self.unexpected();
        }
        let outer = kind != Keyword::INNER && self.parse_keyword(Keyword::OUTER);
        self.expect_keyword(Keyword::JOIN)?;
        Ok((kind, outer))
    }

    /// The right side of a join with a condition: joins before the condition belong to it.
    fn joined_relation(&mut self) -> Result<Box<TableFactor>> {
        let relation = self.relation()?;
        let nested = self.at_join()
            || matches!(self.peek_token().keyword, Keyword::CROSS | Keyword::NATURAL);
        match nested {
            true => self.nested_joins(relation),
            false => Ok(relation),
        }
    }

    #[inline(never)]
    fn nested_joins(&mut self, relation: Box<TableFactor>) -> Result<Box<TableFactor>> {
        self.enter()?;
        let mut joins = Vec::new();
        self.joins(&mut joins)?;
        self.leave();
        let table_with_joins = Box::new(TableWithJoins {
            relation: *relation,
            joins,
        });
        Ok(Box::new(TableFactor::NestedJoin {
            table_with_joins,
            alias: None,
        }))
    }

    #[inline(never)]
    fn join_constraint(&mut self) -> Result<JoinConstraint> {
        if self.parse_keyword(Keyword::ON) {
            return Ok(JoinConstraint::On(self.parse_expr()?));
        }
        self.expect_keyword(Keyword::USING)?;
        let optional = IsOptional::Mandatory;
        let columns = self.parse_parenthesized_column_list(optional, false)?;
        let columns = columns.into_iter().map(single);
        let mut columns: Vec<ObjectName> = columns.collect();
        let before = self.peek_token();
        if self.parse_keyword(Keyword::AS) {
            let alias = self.parse_identifier()?;
            columns.push(ObjectName::from(vec![
                marker(USING_ALIAS, before.position),
                alias,
            ]));
        }
        Ok(JoinConstraint::Using(columns))
    }
}
