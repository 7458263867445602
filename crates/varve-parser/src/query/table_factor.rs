//! One relation of FROM.

use varve_ast::{
    Alias, AliasColumn, ExprKind, FromItem, FunctionRelation, Name, ObjectName, Query, QueryBody,
    Relation, RowsCall, RowsFunction, SampleMethod, SelectItem, Span, SubqueryRelation,
    TableRelation, TableSample,
};
use varve_lexer::{Class, Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;
use crate::query::select::empty_select;

impl Parser<'_> {
    /// A relation without the joins behind it.
    pub(crate) fn relation(&mut self) -> Result<Relation> {
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
    fn lateral(&mut self) -> Result<Relation> {
        self.next_token();
        if self.peek() == Token::LParen {
            self.next_token();
            let query = self.parse_query()?;
            self.expect_token(&Token::RParen)?;
            return self.subquery_relation(true, query);
        }
        if self.peek_keyword(Keyword::ROWS) && self.second_is(Keyword::FROM) {
            return self.rows_from(true);
        }
        let name = self.table_function_name()?;
        self.function_relation(true, name)
    }

    #[inline(never)]
    fn subquery_relation(&mut self, is_lateral: bool, query: Box<Query>) -> Result<Relation> {
        Ok(Relation::Subquery(Box::new(SubqueryRelation {
            is_lateral,
            query,
            alias: self.table_alias()?,
        })))
    }

    /// `ONLY t`, `ONLY (t)`
    #[inline(never)]
    fn only(&mut self) -> Result<Relation> {
        let place = self.next_token().span();
        let parentheses = self.consume_token(&Token::LParen);
        let name = self.parse_object_name()?;
        if parentheses {
            self.expect_token(&Token::RParen)?;
        }
        self.table(name, Some(place))
    }

    /// A call in a form of its own.
    #[inline(never)]
    fn call_as_table(&mut self) -> Result<Relation> {
        let first = self.next_span();
        let expr = match self.peek_token().keyword {
            Keyword::CAST | Keyword::COLLATION | Keyword::CURRENT_SCHEMA => {
                self.parse_restricted_expr()?
            }
            word if word.is_bare_function() => self.parse_restricted_expr()?,
            _ => return self.unexpected(),
        };
        let call = RowsFunction {
            call: RowsCall::Expr(Box::new(expr)),
            columns: Vec::new(),
        };
        Ok(Relation::Function(Box::new(FunctionRelation {
            is_lateral: false,
            functions: vec![call],
            is_rows_from: false,
            with_ordinality: false,
            alias: self.table_alias()?,
            span: self.since(first),
        })))
    }

    fn with_ordinality(&mut self) -> bool {
        self.parse_keywords(&[Keyword::WITH, Keyword::ORDINALITY])
    }

    /// A subquery, or a relation with its joins.
    #[inline(never)]
    fn relation_in_parentheses(&mut self) -> Result<Relation> {
        self.next_token();
        match self.at_query() {
            true => self.query_in_from(),
            false => self.joins_in_parentheses(),
        }
    }

    #[inline(never)]
    fn query_in_from(&mut self) -> Result<Relation> {
        let query = self.parse_query()?;
        self.expect_token(&Token::RParen)?;
        self.subquery_relation(false, query)
    }

    #[inline(never)]
    fn joins_in_parentheses(&mut self) -> Result<Relation> {
        self.enter()?;
        let inner = Box::new(self.parse_table_and_joins()?);
        self.leave();
        self.parenthesized(inner)
    }

    /// What a relation in parentheses is.
    #[inline(never)]
    fn parenthesized(&mut self, inner: Box<FromItem>) -> Result<Relation> {
        if !inner.joins.is_empty() || matches!(inner.relation, Relation::Joined { .. }) {
            self.expect_token(&Token::RParen)?;
            return Ok(Relation::Joined {
                item: inner,
                alias: self.table_alias()?,
            });
        }
        match inner.relation {
            Relation::Subquery(subquery) if !subquery.is_lateral && subquery.alias.is_none() => {
                // More parentheses around a query, or the first part of one.
                let query = match self.at_query_rest() {
                    true => self.query_behind(subquery.query)?,
                    false => subquery.query,
                };
                self.expect_token(&Token::RParen)?;
                self.subquery_relation(false, query)
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
            return self.name_of(next).map(ObjectName::simple);
        }
        self.parse_object_name()
    }

    #[inline(never)]
    fn table_or_function(&mut self) -> Result<Relation> {
        let name = self.table_function_name()?;
        if self.peek() == Token::LParen {
            return self.function_relation(false, name);
        }
        let _descendants = self.consume_token(&Token::Mul);
        self.table(name, None)
    }

    /// A table with its alias and its sample.
    #[inline(never)]
    fn table(&mut self, name: ObjectName, only: Option<Span>) -> Result<Relation> {
        let alias = self.table_alias()?;
        let sample = self.behind(Keyword::TABLESAMPLE, Parser::table_sample)?;
        Ok(Relation::Table(Box::new(TableRelation {
            name,
            only,
            alias,
            sample,
        })))
    }

    /// A function whose name was taken.
    #[inline(never)]
    fn function_relation(&mut self, is_lateral: bool, name: ObjectName) -> Result<Relation> {
        let first = name.span();
        let arguments = self.arguments(&name)?;
        let own = name.name.clone();
        let function = RowsFunction {
            call: RowsCall::Call { name, arguments },
            columns: Vec::new(),
        };
        let with_ordinality = self.with_ordinality();
        Ok(Relation::Function(Box::new(FunctionRelation {
            is_lateral,
            functions: vec![function],
            is_rows_from: false,
            with_ordinality,
            alias: self.function_alias(&own)?,
            span: self.since(first),
        })))
    }

    /// What follows CALL: the rows of a call.
    pub(crate) fn procedure_call(&mut self) -> Result<Query> {
        let first = self.next_span();
        let name = self.parse_function_name()?;
        let call = RowsCall::Call {
            arguments: self.arguments(&name)?,
            name,
        };
        let span = self.since(first);
        let columns = Vec::new();
        let relation = Relation::Function(Box::new(FunctionRelation {
            is_lateral: false,
            functions: vec![RowsFunction { call, columns }],
            is_rows_from: false,
            with_ordinality: false,
            alias: None,
            span,
        }));
        let mut select = empty_select(span);
        select.items.push(SelectItem::Star(span));
        select.from.push(FromItem {
            relation,
            joins: Vec::new(),
        });
        Ok(Query {
            with: None,
            body: Box::new(QueryBody::Select(select)),
            order_by: Vec::new(),
            limit: None,
            offset: None,
            locks: Vec::new(),
            span,
        })
    }

    /// `ROWS FROM (f(), g() AS (a int))`
    #[inline(never)]
    fn rows_from(&mut self, is_lateral: bool) -> Result<Relation> {
        let first = self.next_token().span();
        self.next_token();
        let functions = self.parse_parenthesized(Parser::rows_function)?;
        let (names, functions): (Vec<Name>, Vec<RowsFunction>) = functions.into_iter().unzip();
        let with_ordinality = self.with_ordinality();
        let alias = match names.first() {
            Some(own) => self.function_alias(own)?,
            None => None,
        };
        Ok(Relation::Function(Box::new(FunctionRelation {
            is_lateral,
            functions,
            is_rows_from: true,
            with_ordinality,
            alias,
            span: self.since(first),
        })))
    }

    /// A function of ROWS FROM, and its name.
    fn rows_function(&mut self) -> Result<(Name, RowsFunction)> {
        let name = self.table_function_name()?;
        if self.peek() != Token::LParen {
            return self.unexpected();
        }
        let own = name.name.clone();
        let call = RowsCall::Expr(self.call(name)?);
        let mut columns = Vec::new();
        if self.parse_keyword(Keyword::AS) {
            columns = self.parse_parenthesized(|parser| {
                Ok(AliasColumn {
                    name: parser.parse_label()?,
                    type_name: Some(parser.parse_data_type()?),
                })
            })?;
        }
        Ok((own, RowsFunction { call, columns }))
    }

    #[inline(never)]
    fn table_sample(&mut self) -> Result<TableSample> {
        let next = self.peek_token();
        let name = self.parse_function_name()?;
        let is_simple = name.qualifiers.is_empty();
        let method = match name.name.text.to_ascii_lowercase().as_str() {
            "bernoulli" if is_simple => SampleMethod::Bernoulli,
            "system" if is_simple => SampleMethod::System,
            _ => {
                let message = format!(
                    "tablesample method {} does not exist",
                    self.text_of(next).to_ascii_lowercase()
                );
                return Err(Error::new(SqlState::UNDEFINED_OBJECT, message).at(next.position));
            }
        };
        self.expect_token(&Token::LParen)?;
        let percentage = self.parse_expr()?;
        self.expect_token(&Token::RParen)?;
        let mut seed = None;
        if self.parse_keyword(Keyword::REPEATABLE) {
            self.expect_token(&Token::LParen)?;
            let value = self.parse_expr()?;
            let is_constant = matches!(
                value.kind,
                ExprKind::Literal(_) | ExprKind::Null | ExprKind::Parameter(_)
            );
            if !is_constant {
                return Err(Error::unsupported("an expression in REPEATABLE"));
            }
            self.expect_token(&Token::RParen)?;
            seed = Some(value);
        }
        Ok(TableSample {
            method,
            percentage,
            seed,
        })
    }

    /// The alias of a relation, with names of columns.
    #[inline(never)]
    pub(crate) fn table_alias(&mut self) -> Result<Option<Alias>> {
        if !self.parse_keyword(Keyword::AS) && !Parser::is_name(self.peek_token()) {
            return Ok(None);
        }
        let name = self.parse_identifier()?;
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(Parser::alias_column)?;
        }
        Ok(Some(Alias { name, columns }))
    }

    fn alias_column(&mut self) -> Result<AliasColumn> {
        Ok(AliasColumn {
            name: self.parse_identifier()?,
            type_name: None,
        })
    }

    /// The alias of a function, whose columns may have types; without a name it is the function's.
    #[inline(never)]
    fn function_alias(&mut self, function: &Name) -> Result<Option<Alias>> {
        let explicit = self.parse_keyword(Keyword::AS);
        let next = self.peek_token();
        let name = if explicit && next.token == Token::LParen {
            function.clone()
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
                    column.type_name = Some(parser.parse_data_type()?);
                    if parser.parse_keyword(Keyword::COLLATE) {
                        parser.parse_object_name()?;
                    }
                }
                Ok(column)
            })?;
        }
        Ok(Some(Alias { name, columns }))
    }
}
