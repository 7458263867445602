//! One relation of FROM.

use sqlparser::ast::{
    CastKind, Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, ObjectNamePart, Query,
    SetExpr, TableAlias, TableAliasColumnDef, TableFactor, TableFunctionArgs, TableSample,
    TableSampleKind, TableSampleMethod, TableSampleModifier, TableSampleQuantity, TableSampleSeed,
    TableSampleSeedModifier, TableWithJoins,
};
use varve_types::{Error, Result, SqlState};

use crate::keyword::{Class, Keyword};
use crate::marker::{ONLY, ROWS_FROM, marker};
use crate::name::single;
use crate::parser::Parser;
use crate::query::plain_query;
use crate::token::Token;

/// A table, or with arguments a function.
#[inline(never)]
pub(crate) fn table(
    name: ObjectName,
    args: Option<Vec<FunctionArg>>,
    with_ordinality: bool,
) -> TableFactor {
    TableFactor::Table {
        name,
        alias: None,
        args: args.map(|args| TableFunctionArgs {
            args,
            settings: None,
        }),
        with_hints: Vec::new(),
        version: None,
        with_ordinality,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

impl Parser<'_> {
    /// A relation without the joins behind it.
    pub fn parse_table_factor(&mut self) -> Result<TableFactor> {
        Ok(*self.relation()?)
    }

    /// A relation without the joins behind it.
    pub(crate) fn relation(&mut self) -> Result<Box<TableFactor>> {
        let next = self.peek_token();
        match next.keyword {
            Keyword::LATERAL => self.lateral(),
            Keyword::ONLY => self.only(),
            Keyword::ROWS if self.second_is(Keyword::FROM) => self.rows_from(false),
            Keyword::XMLTABLE => Err(Error::unsupported("XMLTABLE").at(next.position)),
            _ if next.token == Token::LParen => self.relation_in_parentheses(),
            Keyword::CAST | Keyword::COLLATION | Keyword::CURRENT_SCHEMA => self.call_as_table(),
            _ if next.token == Token::Word && next.keyword.class() == Class::Reserved => {
                self.call_as_table()
            }
            _ => self.table_or_function(),
        }
    }

    #[inline(never)]
    fn lateral(&mut self) -> Result<Box<TableFactor>> {
        self.next_token();
        if self.peek() == Token::LParen {
            self.next_token();
            let subquery = self.parse_query()?;
            self.expect_token(&Token::RParen)?;
            return self.derived(true, subquery);
        }
        if self.peek_keyword(Keyword::ROWS) && self.second_is(Keyword::FROM) {
            return self.rows_from(true);
        }
        let name = self.table_function_name()?;
        let args = self.arguments(&name)?.args;
        let with_ordinality = self.with_ordinality();
        let alias = self.function_alias(&name)?;
        Ok(Box::new(TableFactor::Function {
            lateral: true,
            name,
            args,
            with_ordinality,
            alias,
        }))
    }

    #[inline(never)]
    fn derived(&mut self, lateral: bool, subquery: Box<Query>) -> Result<Box<TableFactor>> {
        Ok(Box::new(TableFactor::Derived {
            lateral,
            subquery,
            alias: self.table_alias()?,
            sample: None,
        }))
    }

    /// `ONLY t`
    #[inline(never)]
    fn only(&mut self) -> Result<Box<TableFactor>> {
        let place = self.next_token().position;
        let parentheses = self.consume_token(&Token::LParen);
        let name = self.parse_object_name(true)?;
        if parentheses {
            self.expect_token(&Token::RParen)?;
        }
        let mut relation = table(name, None, false);
        only(&mut relation, place);
        self.aliased_table(relation)
    }

    /// A call in a form of its own.
    #[inline(never)]
    fn call_as_table(&mut self) -> Result<Box<TableFactor>> {
        let expr = match self.peek_token().keyword {
            Keyword::CAST
            | Keyword::COLLATION
            | Keyword::CURRENT_CATALOG
            | Keyword::CURRENT_DATE
            | Keyword::CURRENT_ROLE
            | Keyword::CURRENT_SCHEMA
            | Keyword::CURRENT_TIME
            | Keyword::CURRENT_TIMESTAMP
            | Keyword::CURRENT_USER
            | Keyword::LOCALTIME
            | Keyword::LOCALTIMESTAMP
            | Keyword::SESSION_USER
            | Keyword::USER => self.parse_restricted_expr()?,
            _ => return self.unexpected(),
        };
        let alias = self.table_alias()?;
        Ok(Box::new(TableFactor::TableFunction { expr, alias }))
    }

    fn with_ordinality(&mut self) -> bool {
        self.parse_keywords(&[Keyword::WITH, Keyword::ORDINALITY])
    }

    /// A subquery, or a relation with its joins.
    #[inline(never)]
    fn relation_in_parentheses(&mut self) -> Result<Box<TableFactor>> {
        self.next_token();
        match self.at_query() {
            true => self.derived_in_parentheses(),
            false => self.joins_in_parentheses(),
        }
    }

    #[inline(never)]
    fn derived_in_parentheses(&mut self) -> Result<Box<TableFactor>> {
        let subquery = self.parse_query()?;
        self.expect_token(&Token::RParen)?;
        self.derived(false, subquery)
    }

    #[inline(never)]
    fn joins_in_parentheses(&mut self) -> Result<Box<TableFactor>> {
        self.enter()?;
        let mut inner = Vec::new();
        self.push_table(&mut inner)?;
        self.leave();
        self.parenthesized(inner)
    }

    /// What a relation in parentheses is.
    #[inline(never)]
    fn parenthesized(&mut self, mut inner: Vec<TableWithJoins>) -> Result<Box<TableFactor>> {
        match inner.pop() {
            Some(TableWithJoins {
                relation:
                    TableFactor::Derived {
                        lateral: false,
                        subquery,
                        alias: None,
                        sample: None,
                    },
                joins,
            }) if joins.is_empty() => {
                // More parentheses around a query, or the first part of one.
                let subquery = match self.at_query_rest() {
                    true => self.query_behind(subquery)?,
                    false => plain_query(Box::new(SetExpr::Query(subquery))),
                };
                self.expect_token(&Token::RParen)?;
                self.derived(false, subquery)
            }
            Some(inner)
                if !inner.joins.is_empty()
                    || matches!(inner.relation, TableFactor::NestedJoin { .. }) =>
            {
                self.expect_token(&Token::RParen)?;
                Ok(Box::new(TableFactor::NestedJoin {
                    table_with_joins: Box::new(inner),
                    alias: self.table_alias()?,
                }))
            }
            _ => self.unexpected(),
        }
    }

    /// The name of a function in FROM, or of a table.
    fn table_function_name(&mut self) -> Result<ObjectName> {
        let next = self.peek_token();
        let called = self.peek_nth_token(1).token == Token::LParen;
        if called && Parser::is_nonreserved(next) {
            self.next_token();
            return Ok(single(self.ident_of(next)?));
        }
        self.parse_object_name(true)
    }

    #[inline(never)]
    fn table_or_function(&mut self) -> Result<Box<TableFactor>> {
        let name = self.table_function_name()?;
        if self.peek() != Token::LParen {
            let _ = self.consume_token(&Token::Mul);
            return self.aliased_table(table(name, None, false));
        }
        let args = self.arguments(&name)?.args;
        let with_ordinality = self.with_ordinality();
        let alias_of = self.function_alias(&name)?;
        let mut relation = table(name, Some(args), with_ordinality);
        if let TableFactor::Table { alias, .. } = &mut relation {
            *alias = alias_of;
        }
        Ok(Box::new(relation))
    }

    fn aliased_table(&mut self, mut relation: TableFactor) -> Result<Box<TableFactor>> {
        if let TableFactor::Table { alias, sample, .. } = &mut relation {
            *alias = self.table_alias()?;
            if self.parse_keyword(Keyword::TABLESAMPLE) {
                *sample = Some(TableSampleKind::AfterTableAlias(self.table_sample()?));
            }
        }
        Ok(Box::new(relation))
    }

    /// `ROWS FROM (f(), g() AS (a int))`: the columns that a call defines are casts behind it.
    #[inline(never)]
    fn rows_from(&mut self, lateral: bool) -> Result<Box<TableFactor>> {
        let place = self.next_token().position;
        self.next_token();
        let args: Vec<Vec<Expr>> = self.parse_parenthesized(|parser| {
            let name = parser.table_function_name()?;
            if parser.peek() != Token::LParen {
                return parser.unexpected();
            }
            let call = parser.call(name)?;
            let mut group = vec![*call];
            if parser.parse_keyword(Keyword::AS) {
                group.extend(parser.parse_parenthesized(|parser| {
                    let name = parser.parse_label()?;
                    Ok(Expr::Cast {
                        kind: CastKind::Cast,
                        expr: Box::new(Expr::Identifier(name)),
                        data_type: parser.parse_data_type()?,
                        format: None,
                    })
                })?);
            }
            Ok(group)
        })?;
        let args = args.into_iter().flatten();
        let args = args.map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)));
        let args: Vec<FunctionArg> = args.collect();
        let name = single(marker(ROWS_FROM, place));
        let with_ordinality = self.with_ordinality();
        let alias = self.function_alias(&name)?;
        if lateral {
            return Ok(Box::new(TableFactor::Function {
                lateral,
                name,
                args,
                with_ordinality,
                alias,
            }));
        }
        let mut relation = table(name, Some(args), with_ordinality);
        if let TableFactor::Table { alias: of, .. } = &mut relation {
            *of = alias;
        }
        Ok(Box::new(relation))
    }

    #[inline(never)]
    fn table_sample(&mut self) -> Result<Box<TableSample>> {
        let next = self.peek_token();
        let name = self.parse_function_name()?;
        let method = match name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => name.value.to_ascii_lowercase(),
            _ => String::new(),
        };
        let method = match method.as_str() {
            "bernoulli" => TableSampleMethod::Bernoulli,
            "system" => TableSampleMethod::System,
            _ => {
                let message = format!(
                    "tablesample method {} does not exist",
                    self.text_of(next).to_ascii_lowercase()
                );
                return Err(Error::new(SqlState::UNDEFINED_OBJECT, message).at(next.position));
            }
        };
        self.expect_token(&Token::LParen)?;
        let value = self.parse_expr()?;
        self.expect_token(&Token::RParen)?;
        let mut seed = None;
        if self.parse_keyword(Keyword::REPEATABLE) {
            self.expect_token(&Token::LParen)?;
            let value = match self.parse_expr()? {
                Expr::Value(value) => value,
                _ => return Err(Error::unsupported("an expression in REPEATABLE")),
            };
            self.expect_token(&Token::RParen)?;
            seed = Some(TableSampleSeed {
                modifier: TableSampleSeedModifier::Repeatable,
                value,
            });
        }
        Ok(Box::new(TableSample {
            modifier: TableSampleModifier::TableSample,
            name: Some(method),
            quantity: Some(TableSampleQuantity {
                parenthesized: true,
                value,
                unit: None,
            }),
            seed,
            bucket: None,
            offset: None,
        }))
    }

    /// The alias of a relation, with names of columns.
    #[inline(never)]
    pub(crate) fn table_alias(&mut self) -> Result<Option<TableAlias>> {
        let explicit = self.parse_keyword(Keyword::AS);
        let next = self.peek_token();
        if !explicit && !Parser::is_name(next) {
            return Ok(None);
        }
        let name = self.parse_identifier()?;
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(Parser::alias_column)?;
        }
        Ok(Some(TableAlias {
            explicit,
            name,
            columns,
            at: None,
        }))
    }

    pub(crate) fn alias_column(&mut self) -> Result<TableAliasColumnDef> {
        let name = self.parse_identifier()?;
        Ok(TableAliasColumnDef {
            name,
            data_type: None,
        })
    }

    /// The alias of a function, whose columns may have types; without a name it is the function's.
    #[inline(never)]
    fn function_alias(&mut self, function: &ObjectName) -> Result<Option<TableAlias>> {
        let explicit = self.parse_keyword(Keyword::AS);
        let next = self.peek_token();
        let name = if explicit && next.token == Token::LParen {
            match function.0.last() {
                Some(ObjectNamePart::Identifier(name)) => name.clone(),
                _ => Ident::new(""),
            }
        } else if explicit || Parser::is_name(next) {
            self.parse_identifier()?
        } else {
            return Ok(None);
        };
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(|parser| {
                let mut column = parser.alias_column()?;
                if !matches!(parser.peek(), Token::Comma | Token::RParen) {
                    column.data_type = Some(parser.parse_data_type()?);
                    if parser.parse_keyword(Keyword::COLLATE) {
                        parser.parse_object_name(false)?;
                    }
                }
                Ok(column)
            })?;
        }
        Ok(Some(TableAlias {
            explicit,
            name,
            columns,
            at: None,
        }))
    }
}

/// Marks a table that is meant without those which inherit from it.
pub(crate) fn only(relation: &mut TableFactor, position: u32) {
    if let TableFactor::Table { partitions, .. } = relation {
        partitions.push(marker(ONLY, position));
    }
}
