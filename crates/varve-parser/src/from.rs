//! Relations of FROM and their joins.

use sqlparser::ast::{Join, JoinConstraint, JoinOperator, TableFactor, TableWithJoins};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::name::single;
use crate::parser::{IsOptional, Parser};

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

impl Parser<'_> {
    /// A relation with the joins behind it.
    pub fn parse_table_and_joins(&mut self) -> Result<TableWithJoins> {
        let mut table = TableWithJoins {
            relation: self.parse_table_factor()?,
            joins: Vec::new(),
        };
        self.joins(&mut table.joins)?;
        Ok(table)
    }

    /// The joins behind a relation.
    pub(crate) fn joins(&mut self, joins: &mut Vec<Join>) -> Result<()> {
        loop {
            match self.peek_token().keyword {
                Keyword::CROSS => {
                    self.next_token();
                    self.expect_keyword(Keyword::JOIN)?;
                    joins.push(Join {
                        relation: self.parse_table_factor()?,
                        global: false,
                        join_operator: JoinOperator::CrossJoin(JoinConstraint::None),
                    });
                }
                Keyword::NATURAL => {
                    self.next_token();
                    let (kind, outer) = self.join_kind()?;
                    joins.push(Join {
                        relation: self.parse_table_factor()?,
                        global: false,
                        join_operator: joined(kind, outer, JoinConstraint::Natural),
                    });
                }
                _ if self.at_join() => {
                    let (kind, outer) = self.join_kind()?;
                    let relation = self.joined_relation()?;
                    let constraint = self.join_constraint()?;
                    joins.push(Join {
                        relation,
                        global: false,
                        join_operator: joined(kind, outer, constraint),
                    });
                }
                _ => return Ok(()),
            }
        }
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
    fn joined_relation(&mut self) -> Result<TableFactor> {
        let relation = self.parse_table_factor()?;
        let nested = self.at_join()
            || matches!(self.peek_token().keyword, Keyword::CROSS | Keyword::NATURAL);
        if !nested {
            return Ok(relation);
        }
        self.enter()?;
        let mut table = TableWithJoins {
            relation,
            joins: Vec::new(),
        };
        self.joins(&mut table.joins)?;
        self.leave();
        Ok(TableFactor::NestedJoin {
            table_with_joins: Box::new(table),
            alias: None,
        })
    }

    fn join_constraint(&mut self) -> Result<JoinConstraint> {
        if self.parse_keyword(Keyword::ON) {
            return Ok(JoinConstraint::On(self.parse_expr()?));
        }
        self.expect_keyword(Keyword::USING)?;
        let optional = IsOptional::Mandatory;
        let columns = self.parse_parenthesized_column_list(optional, false)?;
        if self.peek_keyword(Keyword::AS) {
            return Err(Error::unsupported("an alias of JOIN USING"));
        }
        let columns = columns.into_iter().map(single);
        Ok(JoinConstraint::Using(columns.collect()))
    }
}
