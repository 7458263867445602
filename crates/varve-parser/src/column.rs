//! Columns and constraints of tables.

use sqlparser::ast::{
    CheckConstraint, ColumnDef, ColumnOption, ColumnOptionDef, ConstraintCharacteristics,
    ConstraintReferenceMatchKind, ConstraintUsingIndex, DeferrableInitial, ExcludeConstraint,
    ExcludeConstraintElement, ExcludeConstraintOperator, Expr, ForeignKeyConstraint, GeneratedAs,
    GeneratedExpressionMode, Ident, IndexConstraint, KeyOrIndexDisplay, NullsDistinctOption,
    ObjectName, PrimaryKeyConstraint, ReferentialAction, SequenceOptions, SqlOption,
    TableConstraint, UniqueConstraint,
};
use varve_types::{Error, Result};

use crate::create_function::redundant;
use crate::keyword::Keyword;
use crate::parser::{IsOptional, Parser};
use crate::token::Token;

impl Parser<'_> {
    /// A column with its type and constraints.
    pub fn parse_column_def(&mut self) -> Result<ColumnDef> {
        let name = self.parse_identifier()?;
        let data_type = self.parse_data_type()?;
        let options = self.parse_column_options()?;
        Ok(ColumnDef {
            name,
            data_type,
            options,
        })
    }

    /// The constraints of a column.
    pub fn parse_column_options(&mut self) -> Result<Vec<ColumnOptionDef>> {
        let mut options = Vec::new();
        loop {
            // The last words of ALTER DOMAIN ... ADD.
            if self.peek_keyword(Keyword::NOT) && self.second_is(Keyword::VALID) {
                break Ok(options);
            }
            let name = match self.parse_keyword(Keyword::CONSTRAINT) {
                true => Some(self.parse_identifier()?),
                false => None,
            };
            let stored = [Keyword::STORAGE, Keyword::COMPRESSION];
            let first = self.peek_token();
            if name.is_none() && self.parse_one_of_keywords(&stored).is_some() {
                let option = ColumnOption::Options(vec![SqlOption::KeyValue {
                    key: Ident::new(self.text_of(first)),
                    value: Expr::Identifier(self.parse_label()?),
                }]);
                options.push(ColumnOptionDef { name, option });
                continue;
            }
            match self.column_option()? {
                Some(option) => options.push(ColumnOptionDef { name, option }),
                None if name.is_some() => return self.unexpected(),
                None => return Ok(options),
            }
        }
    }

    fn column_option(&mut self) -> Result<Option<ColumnOption>> {
        let next = self.peek_token();
        let option = match next.keyword {
            Keyword::NOT => {
                self.next_token();
                self.expect_keyword(Keyword::NULL)?;
                ColumnOption::NotNull
            }
            Keyword::NULL => {
                self.next_token();
                ColumnOption::Null
            }
            Keyword::DEFAULT => {
                self.next_token();
                ColumnOption::Default(self.parse_restricted_expr()?)
            }
            Keyword::COLLATE => {
                self.next_token();
                ColumnOption::Collation(self.parse_object_name(false)?)
            }
            Keyword::CHECK => ColumnOption::Check(self.check(None)?),
            Keyword::PRIMARY => {
                self.next_token();
                self.expect_keyword(Keyword::KEY)?;
                let mut key = primary_key(None);
                self.index_parameters()?;
                key.characteristics = self.parse_constraint_characteristics()?;
                ColumnOption::PrimaryKey(key)
            }
            Keyword::UNIQUE => {
                self.next_token();
                let mut unique = unique(None);
                unique.nulls_distinct = self.nulls_distinct()?;
                self.index_parameters()?;
                unique.characteristics = self.parse_constraint_characteristics()?;
                ColumnOption::Unique(unique)
            }
            Keyword::REFERENCES => ColumnOption::ForeignKey(self.references(None, Vec::new())?),
            Keyword::GENERATED => self.generated()?,
            _ => return Ok(None),
        };
        Ok(Some(option))
    }

    fn generated(&mut self) -> Result<ColumnOption> {
        self.next_token();
        let always = self.parse_keyword(Keyword::ALWAYS);
        if !always {
            self.expect_keywords(&[Keyword::BY, Keyword::DEFAULT])?;
        }
        self.expect_keyword(Keyword::AS)?;
        if self.parse_keyword(Keyword::IDENTITY) {
            let (name, options) = self.identity_options()?;
            return Ok(ColumnOption::Generated {
                generated_as: match always {
                    true => GeneratedAs::Always,
                    false => GeneratedAs::ByDefault,
                },
                sequence_options: Some(options),
                // The name of the sequence, for which the tree has no other place.
                generation_expr: name.map(|name| {
                    let parts = name.0.into_iter();
                    let idents = parts.filter_map(|part| part.as_ident().cloned());
                    Expr::CompoundIdentifier(idents.collect())
                }),
                generation_expr_mode: None,
                generated_keyword: true,
            });
        }
        if !always {
            return self.unexpected();
        }
        self.expect_token(&Token::LParen)?;
        let expr = self.parse_expr()?;
        self.expect_token(&Token::RParen)?;
        self.expect_keyword(Keyword::STORED)?;
        Ok(ColumnOption::Generated {
            generated_as: GeneratedAs::ExpStored,
            sequence_options: None,
            generation_expr: Some(expr),
            generation_expr_mode: Some(GeneratedExpressionMode::Stored),
            generated_keyword: true,
        })
    }

    /// The options of an identity column's sequence, and the name that they give it.
    pub(crate) fn identity_options(
        &mut self,
    ) -> Result<(Option<ObjectName>, Vec<SequenceOptions>)> {
        let (mut name, mut options) = (None, Vec::new());
        if !self.consume_token(&Token::LParen) {
            return Ok((name, options));
        }
        loop {
            let next = self.peek_token();
            if self.parse_keywords(&[Keyword::SEQUENCE, Keyword::NAME]) {
                if name.is_some() {
                    return Err(redundant(next.position));
                }
                name = Some(self.parse_object_name(false)?);
            } else if self.parse_keywords(&[Keyword::OWNED, Keyword::BY]) {
                self.parse_object_name(false)?;
                // The column is its owner.
                return Err(redundant(next.position));
            } else if self.parse_keyword(Keyword::LOGGED) {
                // As all of them are.
            } else if let Some(option) = self.sequence_option()? {
                let kind = core::mem::discriminant(&option);
                if options
                    .iter()
                    .any(|known| core::mem::discriminant(known) == kind)
                {
                    return Err(redundant(next.position));
                }
                options.push(option);
            } else {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok((name, options))
    }

    /// Options of a sequence, in any order; what is none of them is left.
    pub fn parse_sequence_options(&mut self) -> Result<Vec<SequenceOptions>> {
        let mut options = Vec::new();
        while let Some(option) = self.sequence_option()? {
            options.push(option);
        }
        Ok(options)
    }

    fn sequence_option(&mut self) -> Result<Option<SequenceOptions>> {
        let next = self.peek_token().keyword;
        let no = next == Keyword::NO;
        let word = match no {
            true => self.peek_nth_token(1).keyword,
            false => next,
        };
        if !matches!(
            (word, no),
            (Keyword::MINVALUE | Keyword::MAXVALUE | Keyword::CYCLE, _)
                | (Keyword::INCREMENT | Keyword::START | Keyword::CACHE, false)
        ) {
            return Ok(None);
        }
        self.next_token();
        if no {
            self.next_token();
        }
        Ok(Some(match word {
            Keyword::MINVALUE if no => SequenceOptions::MinValue(None),
            Keyword::MINVALUE => SequenceOptions::MinValue(Some(self.parse_number()?)),
            Keyword::MAXVALUE if no => SequenceOptions::MaxValue(None),
            Keyword::MAXVALUE => SequenceOptions::MaxValue(Some(self.parse_number()?)),
            Keyword::CYCLE => SequenceOptions::Cycle(!no),
            Keyword::CACHE => SequenceOptions::Cache(self.parse_number()?),
            Keyword::INCREMENT => {
                let by = self.parse_keyword(Keyword::BY);
                SequenceOptions::IncrementBy(self.parse_number()?, by)
            }
            _ => {
                let with = self.parse_keyword(Keyword::WITH);
                SequenceOptions::StartWith(self.parse_number()?, with)
            }
        }))
    }

    fn check(&mut self, name: Option<Ident>) -> Result<CheckConstraint> {
        self.next_token();
        self.expect_token(&Token::LParen)?;
        let expr = self.node()?;
        self.expect_token(&Token::RParen)?;
        let next = self.peek_token();
        if self.parse_keywords(&[Keyword::NO, Keyword::INHERIT]) {
            return Err(Error::unsupported("NO INHERIT of a constraint").at(next.position));
        }
        Ok(CheckConstraint {
            name,
            expr,
            no_inherit: false,
            enforced: None,
        })
    }

    fn nulls_distinct(&mut self) -> Result<NullsDistinctOption> {
        if !self.parse_keyword(Keyword::NULLS) {
            return Ok(NullsDistinctOption::None);
        }
        let not = self.parse_keyword(Keyword::NOT);
        self.expect_keyword(Keyword::DISTINCT)?;
        Ok(match not {
            true => NullsDistinctOption::NotDistinct,
            false => NullsDistinctOption::Distinct,
        })
    }

    /// What indexes of constraints are stored with.
    fn index_parameters(&mut self) -> Result<()> {
        if self.parse_keyword(Keyword::WITH) {
            let mut options = self.parse_storage_options()?;
            self.index_options.append(&mut options);
        }
        if self.parse_keywords(&[Keyword::USING, Keyword::INDEX]) {
            return self.expect_tablespace();
        }
        Ok(())
    }

    fn references(
        &mut self,
        name: Option<Ident>,
        columns: Vec<Ident>,
    ) -> Result<ForeignKeyConstraint> {
        self.expect_keyword(Keyword::REFERENCES)?;
        let foreign_table = self.parse_object_name(false)?;
        let referred_columns = self.parse_parenthesized_column_list(IsOptional::Optional, false)?;
        let mut key = ForeignKeyConstraint {
            name,
            index_name: None,
            columns,
            foreign_table,
            referred_columns,
            on_delete: None,
            on_update: None,
            match_kind: None,
            characteristics: None,
        };
        loop {
            if key.match_kind.is_none() && self.parse_keyword(Keyword::MATCH) {
                let kinds = [Keyword::FULL, Keyword::PARTIAL, Keyword::SIMPLE];
                key.match_kind = Some(match self.expect_one_of_keywords(&kinds)? {
                    Keyword::FULL => ConstraintReferenceMatchKind::Full,
                    Keyword::PARTIAL => ConstraintReferenceMatchKind::Partial,
                    _ => ConstraintReferenceMatchKind::Simple,
                });
            } else if self.parse_keyword(Keyword::ON) {
                let of_delete = self.expect_one_of_keywords(&[Keyword::DELETE, Keyword::UPDATE])?;
                let action = Some(self.referential_action()?);
                match of_delete {
                    Keyword::DELETE => key.on_delete = action,
                    _ => key.on_update = action,
                }
            } else {
                break;
            }
        }
        key.characteristics = self.parse_constraint_characteristics()?;
        Ok(key)
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

    /// DEFERRABLE, INITIALLY DEFERRED and the like.
    pub fn parse_constraint_characteristics(
        &mut self,
    ) -> Result<Option<ConstraintCharacteristics>> {
        let mut found = ConstraintCharacteristics {
            deferrable: None,
            initially: None,
            enforced: None,
        };
        let mut any = false;
        loop {
            if self.parse_keyword(Keyword::DEFERRABLE) {
                found.deferrable = Some(true);
            } else if self.parse_keywords(&[Keyword::NOT, Keyword::DEFERRABLE]) {
                found.deferrable = Some(false);
            } else if self.parse_keyword(Keyword::INITIALLY) {
                let times = [Keyword::IMMEDIATE, Keyword::DEFERRED];
                found.initially = Some(match self.expect_one_of_keywords(&times)? {
                    Keyword::IMMEDIATE => DeferrableInitial::Immediate,
                    _ => DeferrableInitial::Deferred,
                });
            } else {
                return Ok(any.then_some(found));
            }
            any = true;
        }
    }

    /// A constraint of a table, if one comes next.
    pub fn parse_optional_table_constraint(&mut self) -> Result<Option<TableConstraint>> {
        let name = match self.parse_keyword(Keyword::CONSTRAINT) {
            true => Some(self.parse_identifier()?),
            false => None,
        };
        let second = self.peek_nth_token(1);
        Ok(Some(match self.peek_token().keyword {
            Keyword::CHECK => TableConstraint::Check(self.check(name)?),
            Keyword::UNIQUE => self.unique_constraint(name)?,
            Keyword::PRIMARY => self.primary_key_constraint(name)?,
            Keyword::FOREIGN => {
                self.next_token();
                self.expect_keyword(Keyword::KEY)?;
                let optional = IsOptional::Mandatory;
                let columns = self.parse_parenthesized_column_list(optional, false)?;
                TableConstraint::ForeignKey(self.references(name, columns)?)
            }
            Keyword::INDEX if name.is_none() && self.at_named_list("INDEX") => {
                self.index_element()?
            }
            Keyword::EXCLUDE
                if name.is_some()
                    || second.token == Token::LParen
                    || second.keyword == Keyword::USING =>
            {
                TableConstraint::Exclude(self.exclude(name)?)
            }
            _ if name.is_some() => return self.unexpected(),
            _ => return Ok(None),
        }))
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

    /// `INDEX [name] (column, ...)`, as CockroachDB and MySQL have it.
    fn index_element(&mut self) -> Result<TableConstraint> {
        self.next_token();
        let name = match self.peek() {
            Token::LParen => None,
            _ => Some(self.parse_identifier()?),
        };
        Ok(TableConstraint::Index(IndexConstraint {
            display_as_key: false,
            name,
            index_type: None,
            columns: self.parse_parenthesized(Parser::parse_index_column)?,
            index_options: Vec::new(),
        }))
    }

    /// `USING INDEX name`
    fn using_index(&mut self, name: Option<Ident>) -> Result<ConstraintUsingIndex> {
        self.next_token();
        self.next_token();
        Ok(ConstraintUsingIndex {
            name,
            index_name: self.parse_identifier()?,
            characteristics: self.parse_constraint_characteristics()?,
        })
    }

    fn at_using_index(&self) -> bool {
        self.peek_keyword(Keyword::USING) && self.second_is(Keyword::INDEX)
    }

    fn unique_constraint(&mut self, name: Option<Ident>) -> Result<TableConstraint> {
        self.next_token();
        if self.at_using_index() {
            return Ok(TableConstraint::UniqueUsingIndex(self.using_index(name)?));
        }
        let mut unique = unique(name);
        if self.parse_keyword(Keyword::INDEX) && self.peek() != Token::LParen {
            unique.name = Some(self.parse_identifier()?);
        }
        unique.nulls_distinct = self.nulls_distinct()?;
        unique.columns = self.parse_parenthesized(Parser::parse_key_column)?;
        unique.include = self.include()?;
        self.index_parameters()?;
        unique.characteristics = self.parse_constraint_characteristics()?;
        Ok(TableConstraint::Unique(unique))
    }

    fn primary_key_constraint(&mut self, name: Option<Ident>) -> Result<TableConstraint> {
        self.next_token();
        self.expect_keyword(Keyword::KEY)?;
        if self.at_using_index() {
            return Ok(TableConstraint::PrimaryKeyUsingIndex(
                self.using_index(name)?,
            ));
        }
        let mut key = primary_key(name);
        key.columns = self.parse_parenthesized(Parser::parse_key_column)?;
        key.include = self.include()?;
        self.index_parameters()?;
        key.characteristics = self.parse_constraint_characteristics()?;
        Ok(TableConstraint::PrimaryKey(key))
    }

    fn exclude(&mut self, name: Option<Ident>) -> Result<ExcludeConstraint> {
        self.next_token();
        let index_method = match self.parse_keyword(Keyword::USING) {
            true => Some(self.parse_identifier()?),
            false => None,
        };
        let elements = self.parse_parenthesized(|parser| {
            let column = parser.parse_index_column()?;
            parser.expect_keyword(Keyword::WITH)?;
            let mut parts = parser.any_operator()?;
            let operator = match parts.len() {
                1 => ExcludeConstraintOperator::Token(parts.pop().unwrap_or_default()),
                _ => ExcludeConstraintOperator::PGOperator(parts),
            };
            Ok(ExcludeConstraintElement { column, operator })
        })?;
        let include = self.include()?;
        self.index_parameters()?;
        let mut where_clause = None;
        if self.parse_keyword(Keyword::WHERE) {
            self.expect_token(&Token::LParen)?;
            where_clause = Some(self.node()?);
            self.expect_token(&Token::RParen)?;
        }
        Ok(ExcludeConstraint {
            name,
            index_method,
            elements,
            include,
            where_clause,
            characteristics: self.parse_constraint_characteristics()?,
        })
    }
}

fn primary_key(name: Option<Ident>) -> PrimaryKeyConstraint {
    PrimaryKeyConstraint {
        name,
        index_name: None,
        index_type: None,
        columns: Vec::new(),
        include: Vec::new(),
        index_options: Vec::new(),
        characteristics: None,
    }
}

fn unique(name: Option<Ident>) -> UniqueConstraint {
    UniqueConstraint {
        name,
        index_name: None,
        index_type_display: KeyOrIndexDisplay::None,
        index_type: None,
        columns: Vec::new(),
        include: Vec::new(),
        index_options: Vec::new(),
        characteristics: None,
        nulls_distinct: NullsDistinctOption::None,
    }
}
