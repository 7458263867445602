//! CREATE TABLE.

use sqlparser::ast::{
    ColumnDef, CreateTable, CreateTableOptions, DataType, Expr, ForValues, HiveDistributionStyle,
    Ident, ObjectName, OnCommit, PartitionBoundValue, SqlOption, UtilityOption, Value,
    ValueWithSpan, WithData,
};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::marker::{LIKE, marker};
use crate::name::single;
use crate::parser::{Parser, span_at};
use crate::primary::plain_call;
use crate::token::Token;

/// A table without anything.
#[inline(never)]
fn empty_table(name: ObjectName) -> Box<CreateTable> {
    Box::new(CreateTable {
        or_replace: false,
        temporary: false,
        unlogged: false,
        external: false,
        dynamic: false,
        global: None,
        if_not_exists: false,
        transient: false,
        volatile: false,
        iceberg: false,
        snapshot: false,
        name,
        columns: Vec::new(),
        constraints: Vec::new(),
        hive_distribution: HiveDistributionStyle::NONE,
        hive_formats: None,
        table_options: CreateTableOptions::None,
        file_format: None,
        location: None,
        query: None,
        without_rowid: false,
        like: None,
        clone: None,
        version: None,
        comment: None,
        on_commit: None,
        on_cluster: None,
        primary_key: None,
        order_by: None,
        partition_by: None,
        cluster_by: None,
        clustered_by: None,
        inherits: None,
        partition_of: None,
        for_values: None,
        strict: false,
        copy_grants: false,
        enable_schema_evolution: None,
        change_tracking: None,
        data_retention_time_in_days: None,
        max_data_extension_time_in_days: None,
        default_ddl_collation: None,
        with_aggregation_policy: None,
        with_row_access_policy: None,
        with_storage_lifecycle_policy: None,
        with_tags: None,
        external_volume: None,
        with_connection: None,
        base_location: None,
        catalog: None,
        catalog_sync: None,
        storage_serialization_policy: None,
        target_lag: None,
        warehouse: None,
        refresh_mode: None,
        initialize: None,
        require_user: false,
        diststyle: None,
        distkey: None,
        sortkey: None,
        backup: None,
        multiset: None,
        fallback: None,
        with_data: None,
    })
}

impl Parser<'_> {
    /// What follows `CREATE ... TABLE`; the words before it are the caller's to set.
    pub fn parse_create_table(&mut self) -> Result<Box<CreateTable>> {
        let if_not_exists = self.parse_if_not_exists()?;
        let mut create = empty_table(self.parse_object_name(false)?);
        create.if_not_exists = if_not_exists;
        if self.parse_keyword(Keyword::PARTITION) {
            self.expect_keyword(Keyword::OF)?;
            create.partition_of = Some(self.parse_object_name(false)?);
        } else if self.peek_keyword(Keyword::OF) {
            return Err(Error::unsupported("CREATE TABLE OF").at(self.peek_token().position));
        }
        if self.peek() == Token::LParen {
            self.table_elements(&mut create)?;
        } else if create.partition_of.is_none() && !self.at_table_tail() {
            return self.unexpected();
        }
        if create.partition_of.is_some() {
            create.for_values = Some(self.for_values()?);
        }
        self.table_tail(&mut create)?;
        Ok(create)
    }

    fn at_table_tail(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::AS | Keyword::USING | Keyword::WITH | Keyword::ON | Keyword::TABLESPACE
        )
    }

    #[inline(never)]
    fn table_elements(&mut self, create: &mut CreateTable) -> Result<()> {
        self.next_token();
        if self.consume_token(&Token::RParen) {
            return Ok(());
        }
        loop {
            if self.peek_keyword(Keyword::LIKE) {
                create.columns.push(self.like_element()?);
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
                create.constraints.push(constraint);
            } else {
                create
                    .columns
                    .push(self.table_column(create.partition_of.is_some())?);
            }
            if !self.consume_token(&Token::Comma) {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok(())
    }

    /// A column, which needs no type where a query or another table gives it one.
    fn table_column(&mut self, of_partition: bool) -> Result<ColumnDef> {
        let behind = self.peek_nth_token(1).token;
        if of_partition || matches!(behind, Token::Comma | Token::RParen) {
            let name = self.parse_identifier()?;
            if of_partition {
                let _ = self.parse_keywords(&[Keyword::WITH, Keyword::OPTIONS]);
            }
            return Ok(ColumnDef {
                name,
                data_type: DataType::Unspecified,
                options: self.parse_column_options()?,
            });
        }
        self.parse_column_def()
    }

    /// `LIKE table INCLUDING ...`
    fn like_element(&mut self) -> Result<ColumnDef> {
        let place = self.next_token().position;
        let table = self.parse_object_name(false)?;
        let mut options = Vec::new();
        let signs = [Keyword::INCLUDING, Keyword::EXCLUDING];
        while let Some(sign) = self.parse_one_of_keywords(&signs) {
            let what = self.expect_one_of_keywords(&[
                Keyword::COMMENTS,
                Keyword::COMPRESSION,
                Keyword::CONSTRAINTS,
                Keyword::DEFAULTS,
                Keyword::IDENTITY,
                Keyword::GENERATED,
                Keyword::INDEXES,
                Keyword::STATISTICS,
                Keyword::STORAGE,
                Keyword::ALL,
            ])?;
            let sign = match sign {
                Keyword::INCLUDING => '+',
                _ => '-',
            };
            options.push(format!("{sign}{}", what.as_str()));
        }
        Ok(ColumnDef {
            name: marker(LIKE, place),
            data_type: DataType::Custom(table, options),
            options: Vec::new(),
        })
    }

    #[inline(never)]
    pub(crate) fn for_values(&mut self) -> Result<ForValues> {
        if self.parse_keyword(Keyword::DEFAULT) {
            return Ok(ForValues::Default);
        }
        self.expect_keywords(&[Keyword::FOR, Keyword::VALUES])?;
        if self.parse_keyword(Keyword::IN) {
            return Ok(ForValues::In(self.parse_parenthesized(Parser::parse_expr)?));
        }
        if self.parse_keyword(Keyword::FROM) {
            let from = self.parse_parenthesized(Parser::partition_bound)?;
            self.expect_keyword(Keyword::TO)?;
            let to = self.parse_parenthesized(Parser::partition_bound)?;
            return Ok(ForValues::From { from, to });
        }
        self.expect_keyword(Keyword::WITH)?;
        self.expect_token(&Token::LParen)?;
        self.expect_word("modulus")?;
        let modulus = self.parse_literal_uint()?;
        self.expect_token(&Token::Comma)?;
        self.expect_word("remainder")?;
        let remainder = self.parse_literal_uint()?;
        self.expect_token(&Token::RParen)?;
        Ok(ForValues::With { modulus, remainder })
    }

    fn partition_bound(&mut self) -> Result<PartitionBoundValue> {
        if self.parse_keyword(Keyword::MINVALUE) {
            return Ok(PartitionBoundValue::MinValue);
        }
        if self.parse_keyword(Keyword::MAXVALUE) {
            return Ok(PartitionBoundValue::MaxValue);
        }
        Ok(PartitionBoundValue::Expr(self.parse_expr()?))
    }

    #[inline(never)]
    fn table_tail(&mut self, create: &mut CreateTable) -> Result<()> {
        loop {
            let next = self.peek_token();
            match next.keyword {
                Keyword::INHERITS => {
                    self.next_token();
                    let tables =
                        self.parse_parenthesized(|parser| parser.parse_object_name(false))?;
                    create.inherits = Some(tables);
                }
                Keyword::PARTITION => {
                    self.next_token();
                    self.expect_keyword(Keyword::BY)?;
                    let name = single(self.parse_label()?);
                    let args =
                        self.parse_parenthesized(|parser| Ok(Box::new(parser.parse_unordered()?)))?;
                    let args = crate::special::plain_args(args);
                    create.partition_by = Some(Box::new(plain_call(name, args)));
                }
                Keyword::USING => self.table_access_method()?,
                Keyword::WITHOUT => {
                    self.next_token();
                    self.expect_keyword(Keyword::OIDS)?;
                }
                Keyword::WITH => {
                    self.next_token();
                    create.table_options = CreateTableOptions::With(self.parse_storage_options()?);
                }
                Keyword::ON => {
                    self.next_token();
                    self.expect_keyword(Keyword::COMMIT)?;
                    create.on_commit = Some(self.on_commit()?);
                }
                Keyword::TABLESPACE => self.expect_tablespace()?,
                Keyword::AS => {
                    self.next_token();
                    return self.table_query_tail(create);
                }
                _ => return Ok(()),
            }
        }
    }

    /// `TABLESPACE pg_default`: there is one.
    pub fn expect_tablespace(&mut self) -> Result<()> {
        self.expect_keyword(Keyword::TABLESPACE)?;
        let name = self.parse_identifier()?;
        if name.value.eq_ignore_ascii_case("pg_default") {
            return Ok(());
        }
        let message = format!("tablespace \"{}\" does not exist", name.value);
        let error = Error::new(SqlState::UNDEFINED_OBJECT, message);
        Err(error.with_hint("A store has one tablespace, pg_default."))
    }

    /// `USING heap`: there is one access method.
    pub fn table_access_method(&mut self) -> Result<()> {
        if !self.parse_keyword(Keyword::USING) {
            return Ok(());
        }
        let method = self.parse_identifier()?;
        if method.value.eq_ignore_ascii_case("heap") {
            return Ok(());
        }
        let message = format!("access method \"{}\" does not exist", method.value);
        Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
    }

    fn table_query_tail(&mut self, create: &mut CreateTable) -> Result<()> {
        let next = self.peek_token();
        if next.keyword == Keyword::EXECUTE {
            return Err(Error::unsupported("CREATE TABLE AS EXECUTE").at(next.position));
        }
        create.query = Some(self.parse_query()?);
        if self.parse_keyword(Keyword::WITH) {
            let data = !self.parse_keyword(Keyword::NO);
            self.expect_keyword(Keyword::DATA)?;
            create.with_data = Some(WithData {
                data,
                statistics: None,
            });
        }
        Ok(())
    }

    fn on_commit(&mut self) -> Result<OnCommit> {
        let next = self.next_token();
        let on_commit = match next.keyword {
            Keyword::DROP => return Ok(OnCommit::Drop),
            Keyword::DELETE => OnCommit::DeleteRows,
            Keyword::PRESERVE => OnCommit::PreserveRows,
            _ => return Err(self.error_at(next)),
        };
        self.expect_keyword(Keyword::ROWS)?;
        Ok(on_commit)
    }

    /// Storage parameters in parentheses.
    pub fn parse_storage_options(&mut self) -> Result<Vec<SqlOption>> {
        self.parse_parenthesized(|parser| {
            let mut key = parser.parse_label()?;
            while parser.consume_token(&Token::Period) {
                let part: Ident = parser.parse_label()?;
                key.value.push('.');
                key.value.push_str(&part.value);
            }
            if !parser.consume_token(&Token::Eq) {
                return Ok(SqlOption::Ident(key));
            }
            let value = parser.option_value()?;
            Ok(SqlOption::KeyValue { key, value })
        })
    }

    /// Options in parentheses, of EXPLAIN and the like: names with a value or without.
    pub fn parse_utility_options(&mut self) -> Result<Vec<UtilityOption>> {
        self.parse_parenthesized(|parser| {
            let name = parser.parse_label()?;
            let arg = match parser.peek() {
                Token::Comma | Token::RParen => None,
                _ => Some(parser.option_value()?),
            };
            Ok(UtilityOption { name, arg })
        })
    }

    /// The value of an option: a number, string or word.
    pub(crate) fn option_value(&mut self) -> Result<Expr> {
        let next = self.peek_token();
        match next.token {
            Token::Plus | Token::Minus | Token::Number => self.parse_number(),
            Token::Word if matches!(next.keyword, Keyword::TRUE | Keyword::FALSE) => {
                Ok(Expr::Value(self.parse_value()?))
            }
            Token::Word if next.keyword == Keyword::NONE => {
                self.next_token();
                Ok(Expr::Value(ValueWithSpan {
                    value: Value::SingleQuotedString("none".to_owned()),
                    span: span_at(next.position),
                }))
            }
            Token::Word | Token::QuotedWord | Token::UnicodeWord => {
                Ok(Expr::Identifier(self.parse_label()?))
            }
            _ => Ok(Expr::Value(self.parse_value()?)),
        }
    }
}
