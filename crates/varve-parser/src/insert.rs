//! INSERT.

use sqlparser::ast::{
    ConflictTarget, DoUpdate, Expr, Ident, Insert, MysqlInsertPriority, OnConflict,
    OnConflictAction, OnInsert, SelectItem, Setting, TableAliasWithoutColumns, TableObject,
};
use varve_types::Result;

use crate::keyword::Keyword;
use crate::parser::{Parser, attached};
use crate::token::{Lexeme, Token};

/// What an INSERT says that its tree has no fields for: fields of other dialects hold it.
#[derive(Clone, Copy, Debug)]
pub struct InsertClauses<'t> {
    /// `OVERRIDING ... VALUE`
    pub overriding: Option<Overriding>,
    /// The columns and expressions after ON CONFLICT.
    pub target: &'t [Expr],
    /// The condition after them.
    pub target_filter: Option<&'t Expr>,
}

/// `OVERRIDING ... VALUE`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// `SYSTEM`
    System,
    /// `USER`
    User,
}

impl InsertClauses<'_> {
    /// The clauses of a tree.
    pub fn of(insert: &Insert) -> InsertClauses<'_> {
        let overriding = insert.priority.as_ref().map(|priority| match priority {
            MysqlInsertPriority::HighPriority => Overriding::System,
            _ => Overriding::User,
        });
        let filter = insert
            .settings
            .as_ref()
            .and_then(|settings| settings.last());
        InsertClauses {
            overriding,
            target: insert.partitioned.as_deref().unwrap_or_default(),
            target_filter: filter.map(|filter| &filter.value),
        }
    }
}

impl Parser<'_> {
    /// What follows `INSERT`, with its clauses in fields of other dialects (see
    /// [`InsertClauses::of`]).
    pub fn parse_insert(&mut self, insert_token: Lexeme) -> Result<Insert> {
        self.expect_keyword(Keyword::INTO)?;
        let mut insert = Insert {
            insert_token: attached(insert_token),
            optimizer_hints: Vec::new(),
            or: None,
            ignore: false,
            into: true,
            table: TableObject::TableName(self.parse_object_name(false)?),
            table_alias: None,
            columns: Vec::new(),
            overwrite: false,
            source: None,
            assignments: Vec::new(),
            partitioned: None,
            after_columns: Vec::new(),
            has_table_keyword: false,
            on: None,
            returning: None,
            output: None,
            replace_into: false,
            priority: None,
            insert_alias: None,
            settings: None,
            format_clause: None,
            multi_table_insert_type: None,
            multi_table_into_clauses: Vec::new(),
            multi_table_when_clauses: Vec::new(),
            multi_table_else_clause: None,
        };
        if self.parse_keyword(Keyword::AS) {
            insert.table_alias = Some(TableAliasWithoutColumns {
                explicit: true,
                alias: self.parse_identifier()?,
            });
        }
        if self.peek() == Token::LParen && !self.query_in_parentheses() {
            insert.columns = self.parse_parenthesized(Parser::target_name)?;
        }
        if self.parse_keyword(Keyword::OVERRIDING) {
            let kinds = [Keyword::SYSTEM, Keyword::USER];
            insert.priority = Some(match self.expect_one_of_keywords(&kinds)? {
                Keyword::SYSTEM => MysqlInsertPriority::HighPriority,
                _ => MysqlInsertPriority::LowPriority,
            });
            self.expect_keyword(Keyword::VALUE)?;
        }
        if insert.columns.is_empty() && self.parse_keyword(Keyword::DEFAULT) {
            self.expect_keyword(Keyword::VALUES)?;
        } else {
            insert.source = Some(self.parse_query()?);
        }
        if self.parse_keyword(Keyword::ON) {
            insert.on = Some(OnInsert::OnConflict(self.on_conflict(&mut insert)?));
        }
        insert.returning = self.returning()?;
        Ok(insert)
    }

    /// Whether parentheses that come next hold a query and not names.
    fn query_in_parentheses(&self) -> bool {
        let second = self.peek_nth_token(1);
        second.token == Token::LParen
            || matches!(
                second.keyword,
                Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE
            )
    }

    fn on_conflict(&mut self, insert: &mut Insert) -> Result<OnConflict> {
        self.expect_keyword(Keyword::CONFLICT)?;
        let mut conflict_target = None;
        if self.parse_keyword(Keyword::ON) {
            self.expect_keyword(Keyword::CONSTRAINT)?;
            let name = self.parse_object_name(false)?;
            conflict_target = Some(ConflictTarget::OnConstraint(name));
        } else if self.peek() == Token::LParen {
            insert.partitioned = Some(self.parse_parenthesized(Parser::parse_unordered)?);
            if self.parse_keyword(Keyword::WHERE) {
                insert.settings = Some(vec![Setting {
                    key: Ident::new("where"),
                    value: self.parse_expr()?,
                }]);
            }
        }
        self.expect_keyword(Keyword::DO)?;
        if self.parse_keyword(Keyword::NOTHING) {
            return Ok(OnConflict {
                conflict_target,
                action: OnConflictAction::DoNothing,
            });
        }
        self.expect_keywords(&[Keyword::UPDATE, Keyword::SET])?;
        let assignments = self.parse_comma_separated(Parser::parse_assignment)?;
        let selection = self.selection()?;
        Ok(OnConflict {
            conflict_target,
            action: OnConflictAction::DoUpdate(DoUpdate {
                assignments,
                selection,
            }),
        })
    }

    /// `WHERE` and its condition.
    pub(crate) fn selection(&mut self) -> Result<Option<Expr>> {
        match self.parse_keyword(Keyword::WHERE) {
            true => self.parse_expr().map(Some),
            false => Ok(None),
        }
    }

    /// `RETURNING` and its items.
    pub(crate) fn returning(&mut self) -> Result<Option<Vec<SelectItem>>> {
        match self.parse_keyword(Keyword::RETURNING) {
            true => self
                .parse_comma_separated(Parser::parse_select_item)
                .map(Some),
            false => Ok(None),
        }
    }
}
