//! CREATE TABLE.

use varve_ast::{
    Column, CreateTable, LikeOption, LikeTable, ObjectName, OnCommit, PartitionBound, PartitionBy,
    PartitionValues, Span, TableElement,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// A table without anything.
#[inline(never)]
fn empty_table(name: ObjectName) -> Box<CreateTable> {
    Box::new(CreateTable {
        is_temporary: false,
        is_unlogged: false,
        is_global: None,
        if_not_exists: false,
        name,
        elements: Vec::new(),
        inherits: Vec::new(),
        partition_of: None,
        partition_by: None,
        options: Vec::new(),
        on_commit: None,
        span: Span::default(),
    })
}

impl Parser<'_> {
    /// What follows `CREATE ... TABLE`, of which `first` is the first word; what stands between the
    /// two is the caller's to set.
    pub(crate) fn create_table(&mut self, first: Lexeme) -> Result<Box<CreateTable>> {
        let if_not_exists = self.parse_if_not_exists()?;
        let mut create = empty_table(self.parse_object_name()?);
        create.if_not_exists = if_not_exists;
        let mut parent = None;
        if self.parse_keyword(Keyword::PARTITION) {
            self.expect_keyword(Keyword::OF)?;
            parent = Some(self.parse_object_name()?);
        } else if self.peek_keyword(Keyword::OF) {
            return Err(Error::unsupported("CREATE TABLE OF").at(self.peek_token().position));
        }
        if self.peek() == Token::LParen {
            create.elements = self.table_elements(parent.is_some())?;
        } else if parent.is_none() && !self.at_table_tail() {
            return self.unexpected();
        }
        if let Some(parent) = parent {
            create.partition_of = Some((parent, self.partition_values()?));
        }
        self.table_tail(&mut create)?;
        create.span = self.since(first.span());
        Ok(create)
    }

    fn at_table_tail(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::AS | Keyword::USING | Keyword::WITH | Keyword::ON | Keyword::TABLESPACE
        )
    }

    #[inline(never)]
    fn table_elements(&mut self, of_partition: bool) -> Result<Vec<TableElement>> {
        self.next_token();
        let mut elements = Vec::new();
        if self.consume_token(&Token::RParen) {
            return Ok(elements);
        }
        loop {
            if self.peek_keyword(Keyword::LIKE) {
                elements.push(TableElement::Like(self.like_table()?));
            } else if self.at_named_list("FAMILY") {
                // Which columns CockroachDB keeps side by side.
                self.next_token();
                if self.peek() != Token::LParen {
                    self.parse_identifier()?;
                }
                self.parse_parenthesized(Parser::parse_identifier)?;
            } else if let Some(constraint) = self.parse_optional_table_constraint()? {
                // Of a table without rows nothing is invalid.
                let _ = self.parse_keywords(&[Keyword::NOT, Keyword::VALID]);
                elements.push(TableElement::Constraint(constraint));
            } else {
                elements.push(TableElement::Column(self.table_column(of_partition)?));
            }
            if !self.consume_token(&Token::Comma) {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok(elements)
    }

    /// A column, which needs no type where a query or another table gives it one.
    fn table_column(&mut self, of_partition: bool) -> Result<Column> {
        let behind = self.peek_nth_token(1).token;
        if of_partition || matches!(behind, Token::Comma | Token::RParen) {
            let name = self.parse_identifier()?;
            if of_partition {
                let _ = self.parse_keywords(&[Keyword::WITH, Keyword::OPTIONS]);
            }
            return Ok(Column {
                name,
                type_name: None,
                constraints: self.parse_column_constraints()?,
            });
        }
        self.parse_column_def()
    }

    /// `LIKE table INCLUDING ...`
    fn like_table(&mut self) -> Result<LikeTable> {
        let first = self.next_token();
        let table = self.parse_object_name()?;
        let mut options = Vec::new();
        let signs = [Keyword::INCLUDING, Keyword::EXCLUDING];
        while let Some(sign) = self.parse_one_of_keywords(&signs) {
            options.push((sign == Keyword::INCLUDING, self.like_option()?));
        }
        Ok(LikeTable {
            table,
            options,
            span: self.since(first.span()),
        })
    }

    fn like_option(&mut self) -> Result<LikeOption> {
        let next = self.next_token();
        Ok(match next.keyword {
            Keyword::COMMENTS => LikeOption::Comments,
            Keyword::COMPRESSION => LikeOption::Compression,
            Keyword::CONSTRAINTS => LikeOption::Constraints,
            Keyword::DEFAULTS => LikeOption::Defaults,
            Keyword::IDENTITY => LikeOption::Identity,
            Keyword::GENERATED => LikeOption::Generated,
            Keyword::INDEXES => LikeOption::Indexes,
            Keyword::STATISTICS => LikeOption::Statistics,
            Keyword::STORAGE => LikeOption::Storage,
            Keyword::ALL => LikeOption::All,
            _ => return Err(self.error_at(next)),
        })
    }

    /// Which rows a partition takes.
    #[inline(never)]
    pub(crate) fn partition_values(&mut self) -> Result<PartitionValues> {
        if self.parse_keyword(Keyword::DEFAULT) {
            return Ok(PartitionValues::Default);
        }
        self.expect_keywords(&[Keyword::FOR, Keyword::VALUES])?;
        if self.parse_keyword(Keyword::IN) {
            let values = self.parse_parenthesized(Parser::parse_expr)?;
            return Ok(PartitionValues::In(values));
        }
        if self.parse_keyword(Keyword::FROM) {
            let from = self.parse_parenthesized(Parser::partition_bound)?;
            self.expect_keyword(Keyword::TO)?;
            let to = self.parse_parenthesized(Parser::partition_bound)?;
            return Ok(PartitionValues::Range { from, to });
        }
        self.expect_keyword(Keyword::WITH)?;
        self.expect_token(&Token::LParen)?;
        self.expect_word("modulus")?;
        let modulus = self.parse_literal_uint()?;
        self.expect_token(&Token::Comma)?;
        self.expect_word("remainder")?;
        let remainder = self.parse_literal_uint()?;
        self.expect_token(&Token::RParen)?;
        Ok(PartitionValues::Hash { modulus, remainder })
    }

    fn partition_bound(&mut self) -> Result<PartitionBound> {
        if self.parse_keyword(Keyword::MINVALUE) {
            return Ok(PartitionBound::Min);
        }
        if self.parse_keyword(Keyword::MAXVALUE) {
            return Ok(PartitionBound::Max);
        }
        Ok(PartitionBound::Value(self.parse_expr()?))
    }

    /// What stands behind the columns, in any order.
    #[inline(never)]
    fn table_tail(&mut self, create: &mut CreateTable) -> Result<()> {
        loop {
            match self.peek_token().keyword {
                Keyword::INHERITS => {
                    self.next_token();
                    create.inherits = self.parse_parenthesized(Parser::parse_object_name)?;
                }
                Keyword::PARTITION => {
                    self.next_token();
                    self.expect_keyword(Keyword::BY)?;
                    create.partition_by = Some(PartitionBy {
                        strategy: self.parse_label()?,
                        keys: self.parse_parenthesized(Parser::parse_unordered)?,
                    });
                }
                Keyword::USING => self.table_access_method()?,
                Keyword::WITHOUT => {
                    self.next_token();
                    self.expect_keyword(Keyword::OIDS)?;
                }
                Keyword::WITH => {
                    self.next_token();
                    create.options = self.parse_storage_options()?;
                }
                Keyword::ON => {
                    self.next_token();
                    self.expect_keyword(Keyword::COMMIT)?;
                    create.on_commit = Some(self.commit_action()?);
                }
                Keyword::TABLESPACE => self.expect_tablespace()?,
                _ => return Ok(()),
            }
        }
    }

    /// `TABLESPACE pg_default`: there is one.
    pub(crate) fn expect_tablespace(&mut self) -> Result<()> {
        self.expect_keyword(Keyword::TABLESPACE)?;
        let name = self.parse_identifier()?;
        if name.text.eq_ignore_ascii_case("pg_default") {
            return Ok(());
        }
        let message = format!("tablespace \"{}\" does not exist", name.text);
        let error = Error::new(SqlState::UNDEFINED_OBJECT, message);
        Err(error.with_hint("A store has one tablespace, pg_default."))
    }

    /// `USING heap`: there is one access method.
    pub(crate) fn table_access_method(&mut self) -> Result<()> {
        if !self.parse_keyword(Keyword::USING) {
            return Ok(());
        }
        let method = self.parse_identifier()?;
        if method.text.eq_ignore_ascii_case("heap") {
            return Ok(());
        }
        let message = format!("access method \"{}\" does not exist", method.text);
        Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
    }

    /// What follows `ON COMMIT`.
    pub(crate) fn commit_action(&mut self) -> Result<OnCommit> {
        let next = self.next_token();
        let on_commit = match next.keyword {
            Keyword::DROP => return Ok(OnCommit::Drop),
            Keyword::DELETE => OnCommit::Delete,
            Keyword::PRESERVE => OnCommit::Preserve,
            _ => return Err(self.error_at(next)),
        };
        self.expect_keyword(Keyword::ROWS)?;
        Ok(on_commit)
    }
}
