//! MERGE.

use sqlparser::ast::{
    Merge, MergeAction, MergeClause, MergeClauseKind, MergeInsertExpr, MergeInsertKind,
    MergeUpdateExpr, MergeUpdateKind, Parens, Statement, TableFactor, Values,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::{Parser, attached};
use crate::token::{Lexeme, Token};

impl Parser<'_> {
    /// What follows `MERGE`.
    pub fn parse_merge(&mut self, merge_token: Lexeme) -> Result<Statement> {
        self.expect_keyword(Keyword::INTO)?;
        let table = self.changed_table()?;
        self.expect_keyword(Keyword::USING)?;
        let source = self.parse_table_and_joins()?;
        let source = match source.joins.is_empty() {
            true => source.relation,
            false => TableFactor::NestedJoin {
                table_with_joins: Box::new(source),
                alias: None,
            },
        };
        self.expect_keyword(Keyword::ON)?;
        let on = self.node()?;
        let mut clauses = Vec::new();
        while self.peek_keyword(Keyword::WHEN) || clauses.is_empty() {
            clauses.push(self.merge_clause()?);
        }
        Ok(Statement::Merge(Merge {
            merge_token: attached(merge_token),
            optimizer_hints: Vec::new(),
            into: true,
            table,
            source,
            on,
            clauses,
            output: None,
        }))
    }

    fn merge_clause(&mut self) -> Result<MergeClause> {
        let when_token = attached(self.expect_keyword(Keyword::WHEN)?);
        let clause_kind = match self.parse_keyword(Keyword::NOT) {
            true => MergeClauseKind::NotMatched,
            false => MergeClauseKind::Matched,
        };
        let matched = matches!(clause_kind, MergeClauseKind::Matched);
        self.expect_keyword(Keyword::MATCHED)?;
        let predicate = match self.parse_keyword(Keyword::AND) {
            true => Some(self.parse_expr()?),
            false => None,
        };
        self.expect_keyword(Keyword::THEN)?;
        let action = self.next_token();
        let action = match action.keyword {
            Keyword::DO => MergeAction::DoNothing {
                do_token: attached(action),
                nothing_token: attached(self.expect_keyword(Keyword::NOTHING)?),
            },
            Keyword::DELETE if matched => MergeAction::Delete {
                delete_token: attached(action),
            },
            Keyword::UPDATE if matched => {
                self.expect_keyword(Keyword::SET)?;
                MergeAction::Update(MergeUpdateExpr {
                    update_token: attached(action),
                    kind: MergeUpdateKind::Set(
                        self.parse_comma_separated(Parser::parse_assignment)?,
                    ),
                    update_predicate: None,
                    delete_predicate: None,
                })
            }
            Keyword::INSERT if !matched => self.merge_insert(action)?,
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        };
        Ok(MergeClause {
            when_token,
            clause_kind,
            predicate,
            action,
        })
    }

    /// Without rows it is DEFAULT VALUES.
    fn merge_insert(&mut self, insert: Lexeme) -> Result<MergeAction> {
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(Parser::target_name)?;
        }
        if self.peek_keyword(Keyword::OVERRIDING) {
            return Err(Error::unsupported("OVERRIDING in MERGE"));
        }
        let kind_token = self.next_attached();
        let mut rows = Vec::new();
        if self.parse_keyword(Keyword::DEFAULT) {
            self.expect_keyword(Keyword::VALUES)?;
        } else {
            self.expect_keyword(Keyword::VALUES)?;
            let opening = self.expect_token(&Token::LParen)?;
            let content = self.parse_comma_separated(Parser::parse_expr)?;
            let closing = self.expect_token(&Token::RParen)?;
            rows.push(Parens {
                opening_token: attached(opening),
                content,
                closing_token: attached(closing),
            });
        }
        Ok(MergeAction::Insert(MergeInsertExpr {
            insert_token: attached(insert),
            columns,
            kind_token,
            kind: MergeInsertKind::Values(Values {
                explicit_row: false,
                value_keyword: false,
                rows,
            }),
            insert_predicate: None,
        }))
    }
}
