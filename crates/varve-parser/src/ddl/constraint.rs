//! Constraints of tables, and what those of columns have of them.

use varve_ast::{
    CheckConstraint, Deferral, DefinedOption, ExclusionConstraint, ExclusionElement, ForeignKey,
    KeyConstraint, Match, Name, ReferentialAction, TableConstraint, TableConstraintKind,
};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result};

use crate::parser::{IsOptional, Parser};

impl Parser<'_> {
    /// A constraint of a table, if one comes next.
    #[inline(never)]
    pub(crate) fn parse_optional_table_constraint(&mut self) -> Result<Option<TableConstraint>> {
        let mut name = self.behind(Keyword::CONSTRAINT, Parser::parse_identifier)?;
        let first = self.peek_token();
        let second = self.peek_nth_token(1);
        let kind = match first.keyword {
            Keyword::CHECK => TableConstraintKind::Check(self.check_constraint()?),
            Keyword::UNIQUE => TableConstraintKind::Unique(self.unique_constraint(&mut name)?),
            Keyword::PRIMARY => TableConstraintKind::PrimaryKey(self.primary_key_constraint()?),
            Keyword::FOREIGN => {
                self.next_token();
                self.expect_keyword(Keyword::KEY)?;
                let columns = self.parse_parenthesized_column_list(IsOptional::Mandatory)?;
                TableConstraintKind::ForeignKey(self.references(columns)?)
            }
            Keyword::INDEX if name.is_none() && self.at_named_list("INDEX") => {
                // As CockroachDB and MySQL have it.
                self.next_token();
                if self.peek() != Token::LParen {
                    name = Some(self.parse_identifier()?);
                }
                TableConstraintKind::Index(self.parse_parenthesized(Parser::parse_index_element)?)
            }
            Keyword::EXCLUDE
                if name.is_some()
                    || second.token == Token::LParen
                    || second.keyword == Keyword::USING =>
            {
                TableConstraintKind::Exclusion(self.exclusion_constraint()?)
            }
            _ if name.is_some() => return self.unexpected(),
            _ => return Ok(None),
        };
        let span = self.since(first.span());
        Ok(Some(TableConstraint { name, kind, span }))
    }

    /// Whether `WORD [name] (column ...` comes next, which is no column of that name: a type would
    /// have a number in the parentheses.
    pub(crate) fn at_named_list(&self, word: &str) -> bool {
        if !self.peek_word(word) {
            return false;
        }
        let behind = |n: usize| self.peek_nth_token(n).token;
        let is_word = |token| matches!(token, Token::Word | Token::QuotedWord);
        match behind(1) {
            Token::LParen => true,
            name => is_word(name) && behind(2) == Token::LParen && is_word(behind(3)),
        }
    }

    pub(crate) fn check_constraint(&mut self) -> Result<CheckConstraint> {
        self.next_token();
        self.expect_token(&Token::LParen)?;
        let condition = self.parse_expr()?;
        self.expect_token(&Token::RParen)?;
        let next = self.peek_token();
        if self.parse_keywords(&[Keyword::NO, Keyword::INHERIT]) {
            return Err(Error::unsupported("NO INHERIT of a constraint").at(next.position));
        }
        Ok(CheckConstraint { condition })
    }

    /// `NULLS [NOT] DISTINCT`, if it comes next.
    pub(crate) fn nulls_distinct(&mut self) -> Result<Option<bool>> {
        if !self.parse_keyword(Keyword::NULLS) {
            return Ok(None);
        }
        let is_distinct = !self.parse_keyword(Keyword::NOT);
        self.expect_keyword(Keyword::DISTINCT)?;
        Ok(Some(is_distinct))
    }

    /// What indexes of constraints are stored with.
    pub(crate) fn index_parameters(&mut self) -> Result<Vec<DefinedOption>> {
        let options = match self.parse_keyword(Keyword::WITH) {
            true => self.parse_storage_options()?,
            false => Vec::new(),
        };
        if self.parse_keywords(&[Keyword::USING, Keyword::INDEX]) {
            self.expect_tablespace()?;
        }
        Ok(options)
    }

    /// `UNIQUE`; `UNIQUE INDEX name` gives the constraint its name.
    fn unique_constraint(&mut self, name: &mut Option<Name>) -> Result<KeyConstraint> {
        self.next_token();
        if self.at_using_index() {
            return self.using_index();
        }
        if self.parse_keyword(Keyword::INDEX) && self.peek() != Token::LParen {
            *name = Some(self.parse_identifier()?);
        }
        let nulls_distinct = self.nulls_distinct()?;
        self.table_key(nulls_distinct)
    }

    fn primary_key_constraint(&mut self) -> Result<KeyConstraint> {
        self.next_token();
        self.expect_keyword(Keyword::KEY)?;
        match self.at_using_index() {
            true => self.using_index(),
            false => self.table_key(None),
        }
    }

    /// The columns of a key and what follows them.
    fn table_key(&mut self, nulls_distinct: Option<bool>) -> Result<KeyConstraint> {
        Ok(KeyConstraint {
            columns: self.parse_parenthesized(Parser::parse_identifier)?,
            include: self.include()?,
            nulls_distinct,
            using_index: None,
            options: self.index_parameters()?,
            deferral: self.deferral()?,
        })
    }

    fn at_using_index(&self) -> bool {
        self.peek_keyword(Keyword::USING) && self.second_is(Keyword::INDEX)
    }

    /// `USING INDEX name`
    fn using_index(&mut self) -> Result<KeyConstraint> {
        self.next_token();
        self.next_token();
        Ok(KeyConstraint {
            columns: Vec::new(),
            include: Vec::new(),
            nulls_distinct: None,
            using_index: Some(self.parse_identifier()?),
            options: Vec::new(),
            deferral: self.deferral()?,
        })
    }

    /// `REFERENCES` and what follows it.
    pub(crate) fn references(&mut self, columns: Vec<Name>) -> Result<ForeignKey> {
        self.expect_keyword(Keyword::REFERENCES)?;
        let table = self.parse_object_name()?;
        let referred = self.parse_parenthesized_column_list(IsOptional::Optional)?;
        let (mut match_kind, mut on_delete, mut on_update) = (None, None, None);
        loop {
            if match_kind.is_none() && self.parse_keyword(Keyword::MATCH) {
                let kinds = [Keyword::FULL, Keyword::PARTIAL, Keyword::SIMPLE];
                match_kind = Some(match self.expect_one_of_keywords(&kinds)? {
                    Keyword::FULL => Match::Full,
                    Keyword::PARTIAL => Match::Partial,
                    _ => Match::Simple,
                });
            } else if self.parse_keyword(Keyword::ON) {
                let changes = [Keyword::DELETE, Keyword::UPDATE];
                match self.expect_one_of_keywords(&changes)? {
                    Keyword::DELETE => on_delete = Some(self.referential_action()?),
                    _ => on_update = Some(self.referential_action()?),
                }
            } else {
                break;
            }
        }
        Ok(ForeignKey {
            columns,
            table,
            referred,
            match_kind,
            on_delete,
            on_update,
            deferral: self.deferral()?,
        })
    }

    fn referential_action(&mut self) -> Result<ReferentialAction> {
        let next = self.next_token();
        let action = match next.keyword {
            Keyword::NO => {
                self.expect_keyword(Keyword::ACTION)?;
                ReferentialAction::NoAction
            }
            Keyword::RESTRICT => ReferentialAction::Restrict,
            Keyword::CASCADE => ReferentialAction::Cascade,
            Keyword::SET => {
                match self.expect_one_of_keywords(&[Keyword::NULL, Keyword::DEFAULT])? {
                    Keyword::NULL => ReferentialAction::SetNull,
                    _ => ReferentialAction::SetDefault,
                }
            }
            _ => return Err(self.error_at(next)),
        };
        if next.keyword == Keyword::SET && self.peek() == Token::LParen {
            let what = "a list of columns of a referential action";
            return Err(Error::unsupported(what).at(self.peek_token().position));
        }
        Ok(action)
    }

    /// DEFERRABLE, INITIALLY DEFERRED and the like, if any of them come next.
    pub(crate) fn deferral(&mut self) -> Result<Option<Deferral>> {
        let mut found = None;
        loop {
            let deferral = found.unwrap_or_default();
            found = Some(if self.parse_keyword(Keyword::DEFERRABLE) {
                Deferral {
                    is_deferrable: Some(true),
                    ..deferral
                }
            } else if self.parse_keywords(&[Keyword::NOT, Keyword::DEFERRABLE]) {
                Deferral {
                    is_deferrable: Some(false),
                    ..deferral
                }
            } else if self.parse_keyword(Keyword::INITIALLY) {
                let times = [Keyword::IMMEDIATE, Keyword::DEFERRED];
                let time = self.expect_one_of_keywords(&times)?;
                Deferral {
                    is_initially_deferred: Some(time == Keyword::DEFERRED),
                    ..deferral
                }
            } else {
                return Ok(found);
            });
        }
    }

    fn exclusion_constraint(&mut self) -> Result<ExclusionConstraint> {
        self.next_token();
        let method = self.behind(Keyword::USING, Parser::parse_identifier)?;
        let elements = self.parse_parenthesized(|parser| {
            let element = parser.parse_index_element()?;
            parser.expect_keyword(Keyword::WITH)?;
            let operator = parser.any_operator()?;
            Ok(ExclusionElement { element, operator })
        })?;
        let include = self.include()?;
        let options = self.index_parameters()?;
        let mut filter = None;
        if self.parse_keyword(Keyword::WHERE) {
            self.expect_token(&Token::LParen)?;
            filter = Some(self.parse_expr()?);
            self.expect_token(&Token::RParen)?;
        }
        Ok(ExclusionConstraint {
            method,
            elements,
            include,
            options,
            filter,
            deferral: self.deferral()?,
        })
    }
}
