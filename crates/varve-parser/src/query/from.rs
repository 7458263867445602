//! Relations of FROM and their joins.

use varve_ast::{FromItem, Join, JoinCondition, JoinKind, Relation, TableRelation};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::{IsOptional, Parser};

#[inline(never)]
fn add_join(joins: &mut Vec<Join>, kind: JoinKind, condition: JoinCondition, relation: Relation) {
    joins.push(Join {
        kind,
        condition,
        relation,
    });
}

impl Parser<'_> {
    /// Relations with commas between them.
    pub fn parse_from(&mut self) -> Result<Vec<FromItem>> {
        self.parse_comma_separated(Parser::parse_table_and_joins)
    }

    /// The relation of `TABLE name`, which has no alias.
    #[inline(never)]
    pub(crate) fn table_of_query(&mut self) -> Result<FromItem> {
        let first = self.next_span();
        let only = self.parse_keyword(Keyword::ONLY).then_some(first);
        let name = self.parse_object_name()?;
        let _descendants = self.consume_token(&Token::Mul);
        Ok(FromItem {
            relation: Relation::Table(Box::new(TableRelation {
                name,
                only,
                alias: None,
                sample: None,
            })),
            joins: Vec::new(),
        })
    }

    /// A relation with the joins behind it.
    pub fn parse_table_and_joins(&mut self) -> Result<FromItem> {
        let mut item = FromItem {
            relation: self.relation()?,
            joins: Vec::new(),
        };
        self.joins(&mut item.joins)?;
        Ok(item)
    }

    /// The joins behind a relation.
    fn joins(&mut self, joins: &mut Vec<Join>) -> Result<()> {
        loop {
            match self.peek_token().keyword {
                Keyword::CROSS => {
                    self.next_token();
                    self.expect_keyword(Keyword::JOIN)?;
                    let relation = self.relation()?;
                    add_join(joins, JoinKind::Cross, JoinCondition::None, relation);
                }
                Keyword::NATURAL => {
                    self.next_token();
                    let kind = self.join_kind()?;
                    let relation = self.relation()?;
                    add_join(joins, kind, JoinCondition::Natural, relation);
                }
                _ if self.at_join() => {
                    let kind = self.join_kind()?;
                    let relation = self.joined_relation()?;
                    self.push_join(joins, kind, relation)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// A join whose condition comes next.
    #[inline(never)]
    fn push_join(
        &mut self,
        joins: &mut Vec<Join>,
        kind: JoinKind,
        relation: Relation,
    ) -> Result<()> {
        let condition = self.join_condition()?;
        add_join(joins, kind, condition, relation);
        Ok(())
    }

    fn at_join(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::JOIN | Keyword::INNER | Keyword::LEFT | Keyword::RIGHT | Keyword::FULL
        )
    }

    /// The words up to JOIN.
    fn join_kind(&mut self) -> Result<JoinKind> {
        let kind = match self.next_token().keyword {
            Keyword::JOIN => return Ok(JoinKind::Inner),
            Keyword::INNER => JoinKind::Inner,
            Keyword::LEFT => JoinKind::Left,
            Keyword::RIGHT => JoinKind::Right,
            Keyword::FULL => JoinKind::Full,
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        };
        if kind != JoinKind::Inner {
            let _ = self.parse_keyword(Keyword::OUTER);
        }
        self.expect_keyword(Keyword::JOIN)?;
        Ok(kind)
    }

    /// The right side of a join with a condition: joins before the condition belong to it.
    fn joined_relation(&mut self) -> Result<Relation> {
        let relation = self.relation()?;
        let has_joins = self.at_join()
            || matches!(self.peek_token().keyword, Keyword::CROSS | Keyword::NATURAL);
        match has_joins {
            true => self.relation_with_joins(relation),
            false => Ok(relation),
        }
    }

    #[inline(never)]
    fn relation_with_joins(&mut self, relation: Relation) -> Result<Relation> {
        self.enter()?;
        let mut item = Box::new(FromItem {
            relation,
            joins: Vec::new(),
        });
        self.joins(&mut item.joins)?;
        self.leave();
        Ok(Relation::Joined { item, alias: None })
    }

    /// `ON condition`, `USING (columns) [AS alias]`
    #[inline(never)]
    fn join_condition(&mut self) -> Result<JoinCondition> {
        if self.parse_keyword(Keyword::ON) {
            return Ok(JoinCondition::On(self.parse_expr()?));
        }
        self.expect_keyword(Keyword::USING)?;
        let columns = self.parse_parenthesized_column_list(IsOptional::Mandatory)?;
        let alias = self.behind(Keyword::AS, Parser::parse_identifier)?;
        Ok(JoinCondition::Using { columns, alias })
    }
}
