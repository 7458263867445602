//! Columns of tables and what is said of them.

use varve_ast::{Column, ColumnConstraint, ColumnConstraintKind, Identity, KeyConstraint, Name};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// A column with its type and constraints.
    pub(crate) fn parse_column_def(&mut self) -> Result<Column> {
        Ok(Column {
            name: self.parse_identifier()?,
            type_name: Some(self.parse_data_type()?),
            constraints: self.parse_column_constraints()?,
        })
    }

    /// The constraints of a column, and what else is said of it.
    pub(crate) fn parse_column_constraints(&mut self) -> Result<Vec<ColumnConstraint>> {
        let mut constraints = Vec::new();
        loop {
            // The last words of ALTER DOMAIN ... ADD.
            if self.peek_keyword(Keyword::NOT) && self.second_is(Keyword::VALID) {
                break Ok(constraints);
            }
            let name = self.behind(Keyword::CONSTRAINT, Parser::parse_identifier)?;
            let first = self.peek_token();
            let found = match (first.keyword, &name) {
                (Keyword::STORAGE, None) => {
                    self.next_token();
                    Some(ColumnConstraintKind::Storage(self.parse_label()?))
                }
                (Keyword::COMPRESSION, None) => {
                    self.next_token();
                    Some(ColumnConstraintKind::Compression(self.parse_compression()?))
                }
                _ => self.column_constraint()?,
            };
            match found {
                Some(kind) => constraints.push(ColumnConstraint {
                    name,
                    kind,
                    span: self.since(first.span()),
                }),
                None if name.is_some() => return self.unexpected(),
                None => return Ok(constraints),
            }
        }
    }

    /// The name of a compression method, with its level in parentheses where it has one.
    pub(crate) fn parse_compression(&mut self) -> Result<Name> {
        let mut name = self.parse_label()?;
        if self.consume_token(&Token::LParen) {
            let level = self.parse_number()?;
            self.expect_token(&Token::RParen)?;
            let sign = if level.is_negative { "-" } else { "" };
            name.text = format!("{}({sign}{})", name.text, level.digits);
        }
        Ok(name)
    }

    fn column_constraint(&mut self) -> Result<Option<ColumnConstraintKind>> {
        let constraint = match self.peek_token().keyword {
            Keyword::NOT => {
                self.next_token();
                self.expect_keyword(Keyword::NULL)?;
                ColumnConstraintKind::NotNull
            }
            Keyword::NULL => {
                self.next_token();
                ColumnConstraintKind::Null
            }
            Keyword::DEFAULT => {
                self.next_token();
                ColumnConstraintKind::Default(self.parse_restricted_expr()?)
            }
            Keyword::COLLATE => {
                self.next_token();
                ColumnConstraintKind::Collation(self.parse_object_name()?)
            }
            Keyword::CHECK => ColumnConstraintKind::Check(self.check_constraint()?),
            Keyword::PRIMARY => {
                self.next_token();
                self.expect_keyword(Keyword::KEY)?;
                ColumnConstraintKind::PrimaryKey(self.column_key(None)?)
            }
            Keyword::UNIQUE => {
                self.next_token();
                let nulls_distinct = self.nulls_distinct()?;
                ColumnConstraintKind::Unique(self.column_key(nulls_distinct)?)
            }
            Keyword::REFERENCES => ColumnConstraintKind::References(self.references(Vec::new())?),
            Keyword::GENERATED => self.generated()?,
            _ => return Ok(None),
        };
        Ok(Some(constraint))
    }

    /// What follows PRIMARY KEY or UNIQUE of a column.
    fn column_key(&mut self, nulls_distinct: Option<bool>) -> Result<KeyConstraint> {
        Ok(KeyConstraint {
            columns: Vec::new(),
            include: Vec::new(),
            nulls_distinct,
            using_index: None,
            options: self.index_parameters()?,
            deferral: self.deferral()?,
        })
    }

    fn generated(&mut self) -> Result<ColumnConstraintKind> {
        self.next_token();
        let is_always = self.always_or_by_default()?;
        self.expect_keyword(Keyword::AS)?;
        if self.parse_keyword(Keyword::IDENTITY) {
            let (sequence, options) = self.identity_options()?;
            return Ok(ColumnConstraintKind::Identity(Identity {
                is_always,
                sequence,
                options,
            }));
        }
        if !is_always {
            return self.unexpected();
        }
        self.expect_token(&Token::LParen)?;
        let expr = self.parse_expr()?;
        self.expect_token(&Token::RParen)?;
        self.expect_keyword(Keyword::STORED)?;
        Ok(ColumnConstraintKind::Generated(expr))
    }

    /// `ALWAYS`, else `BY DEFAULT`.
    pub(crate) fn always_or_by_default(&mut self) -> Result<bool> {
        let is_always = self.parse_keyword(Keyword::ALWAYS);
        if !is_always {
            self.expect_keywords(&[Keyword::BY, Keyword::DEFAULT])?;
        }
        Ok(is_always)
    }
}
