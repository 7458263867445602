//! INSERT.

use varve_ast::{
    ConflictAction, ConflictTarget, Expr, Insert, InsertSource, OnConflict, Overriding, SelectItem,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `INSERT`, which is `first`.
    pub fn parse_insert(&mut self, first: Lexeme) -> Result<Insert> {
        self.expect_keyword(Keyword::INTO)?;
        let table = self.parse_object_name()?;
        let alias = self.behind(Keyword::AS, Parser::parse_identifier)?;
        let mut columns = Vec::new();
        if self.peek() == Token::LParen && !self.query_in_parentheses() {
            columns = self.parse_parenthesized(Parser::target_name)?;
        }
        let overriding = self.overriding()?;
        let source = if columns.is_empty() && self.parse_keyword(Keyword::DEFAULT) {
            self.expect_keyword(Keyword::VALUES)?;
            InsertSource::Defaults
        } else {
            InsertSource::Query(self.parse_query()?)
        };
        let on_conflict = self.behind(Keyword::ON, Parser::on_conflict)?;
        let returning = self.returning()?;
        Ok(Insert {
            table,
            alias,
            columns,
            overriding,
            source,
            on_conflict,
            returning,
            saves_dictionary: false,
            span: self.since(first.span()),
        })
    }

    /// `OVERRIDING ... VALUE`
    fn overriding(&mut self) -> Result<Option<Overriding>> {
        if !self.parse_keyword(Keyword::OVERRIDING) {
            return Ok(None);
        }
        let kinds = [Keyword::SYSTEM, Keyword::USER];
        let overriding = match self.expect_one_of_keywords(&kinds)? {
            Keyword::SYSTEM => Overriding::System,
            _ => Overriding::User,
        };
        self.expect_keyword(Keyword::VALUE)?;
        Ok(Some(overriding))
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

    fn on_conflict(&mut self) -> Result<OnConflict> {
        self.expect_keyword(Keyword::CONFLICT)?;
        let mut target = None;
        if self.parse_keyword(Keyword::ON) {
            self.expect_keyword(Keyword::CONSTRAINT)?;
            target = Some(ConflictTarget::Constraint(self.parse_object_name()?));
        } else if self.peek() == Token::LParen {
            target = Some(ConflictTarget::Index {
                elements: self.parse_parenthesized(Parser::parse_unordered)?,
                filter: self.selection()?,
            });
        }
        self.expect_keyword(Keyword::DO)?;
        let action = match self.parse_keyword(Keyword::NOTHING) {
            true => ConflictAction::Nothing,
            false => {
                self.expect_keywords(&[Keyword::UPDATE, Keyword::SET])?;
                ConflictAction::Update {
                    assignments: self.parse_comma_separated(Parser::parse_assignment)?,
                    filter: self.selection()?,
                }
            }
        };
        Ok(OnConflict { target, action })
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
