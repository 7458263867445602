//! MERGE.

use varve_ast::{Merge, MergeAction, MergeWhen, Relation, Values};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `MERGE`, which is `first`.
    pub fn parse_merge(&mut self, first: Lexeme) -> Result<Merge> {
        self.expect_keyword(Keyword::INTO)?;
        let table = self.changed_table()?;
        self.expect_keyword(Keyword::USING)?;
        let source = self.parse_table_and_joins()?;
        let source = match source.joins.is_empty() {
            true => source.relation,
            false => Relation::Joined {
                item: Box::new(source),
                alias: None,
            },
        };
        self.expect_keyword(Keyword::ON)?;
        let condition = self.parse_expr()?;
        let mut clauses = Vec::new();
        while self.peek_keyword(Keyword::WHEN) || clauses.is_empty() {
            clauses.push(self.merge_clause()?);
        }
        Ok(Merge {
            table,
            source,
            condition,
            clauses,
            span: self.since(first.span()),
        })
    }

    fn merge_clause(&mut self) -> Result<MergeWhen> {
        let first = self.expect_keyword(Keyword::WHEN)?;
        let is_matched = !self.parse_keyword(Keyword::NOT);
        self.expect_keyword(Keyword::MATCHED)?;
        let condition = self.behind(Keyword::AND, Parser::parse_expr)?;
        self.expect_keyword(Keyword::THEN)?;
        let action = match self.next_token().keyword {
            Keyword::DO => {
                self.expect_keyword(Keyword::NOTHING)?;
                MergeAction::Nothing
            }
            Keyword::DELETE if is_matched => MergeAction::Delete,
            Keyword::UPDATE if is_matched => {
                self.expect_keyword(Keyword::SET)?;
                MergeAction::Update(self.parse_comma_separated(Parser::parse_assignment)?)
            }
            Keyword::INSERT if !is_matched => self.merge_insert()?,
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        };
        Ok(MergeWhen {
            is_matched,
            condition,
            action,
            span: self.since(first.span()),
        })
    }

    /// Without rows it is DEFAULT VALUES.
    fn merge_insert(&mut self) -> Result<MergeAction> {
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(Parser::target_name)?;
        }
        if self.peek_keyword(Keyword::OVERRIDING) {
            return Err(Error::unsupported("OVERRIDING in MERGE"));
        }
        let first = self.next_span();
        let mut values = Values::default();
        if self.parse_keyword(Keyword::DEFAULT) {
            self.expect_keyword(Keyword::VALUES)?;
        } else {
            self.expect_keyword(Keyword::VALUES)?;
            let opening = self.next_span();
            let row = self.parse_parenthesized(Parser::parse_expr)?;
            values.rows.push(row);
            values.row_spans.push(self.since(opening));
        }
        values.span = self.since(first);
        Ok(MergeAction::Insert { columns, values })
    }
}
