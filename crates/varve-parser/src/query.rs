//! Queries: WITH, set operations, ORDER BY, LIMIT, FOR UPDATE.

use sqlparser::ast::{
    Cte, CteAsMaterialized, Expr, Fetch, Ident, LimitClause, LockClause, LockType, NonBlock,
    ObjectName, ObjectNamePart, Offset, OffsetRows, OrderBy, OrderByExpr, OrderByKind,
    OrderByOptions, OrderBySort, Parens, Query, SetExpr, SetOperator, SetQuantifier, Setting,
    Statement, TableAlias, Values, With,
};
use varve_types::{Error, Result, SqlState};

use crate::fault::too_deep;
use crate::keyword::Keyword;
use crate::marker::{BREADTH_FIRST, CYCLE, DEPTH_FIRST, KEY_SHARE, NO_KEY_UPDATE, marker};
use crate::parser::{Parser, attached};
use crate::token::Token;

/// Most operations of sets in a row: each is one level of the tree.
const SET_OPERATIONS_MAX: u32 = 1_000;

/// A query of nothing but its body.
#[inline(never)]
pub(crate) fn plain_query(body: Box<SetExpr>) -> Box<Query> {
    Box::new(Query {
        with: None,
        body,
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    })
}

impl Parser<'_> {
    /// A query, or a statement that changes tables with what WITH says before it.
    pub fn parse_query(&mut self) -> Result<Box<Query>> {
        self.enter()?;
        let query = self.query()?;
        self.leave();
        Ok(query)
    }

    /// A query in an expression, which counts as a level itself.
    pub(crate) fn query(&mut self) -> Result<Box<Query>> {
        let with = self.with()?;
        let changes = matches!(
            self.peek_token().keyword,
            Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::MERGE
        );
        let mut query = match changes {
            true => plain_query(self.changing_statement()?),
            false => {
                let body = self.set_expr(0)?;
                let mut query = plain_query(body);
                self.query_tail(&mut query)?;
                query
            }
        };
        query.with = with;
        Ok(query)
    }

    /// What follows a query in parentheses that is the first part of a larger one.
    pub(crate) fn query_behind(&mut self, first: Box<Query>) -> Result<Box<Query>> {
        let body = self.set_operations(Box::new(SetExpr::Query(first)), 0)?;
        let mut query = plain_query(body);
        self.query_tail(&mut query)?;
        Ok(query)
    }

    /// INSERT, UPDATE, DELETE or MERGE as the body of a query.
    #[inline(never)]
    fn changing_statement(&mut self) -> Result<Box<SetExpr>> {
        let next = self.peek_token();
        let body = match next.keyword {
            Keyword::INSERT => {
                let first = self.next_token();
                SetExpr::Insert(Statement::Insert(self.parse_insert(first)?))
            }
            Keyword::UPDATE => {
                let first = self.next_token();
                SetExpr::Update(self.parse_update(first)?)
            }
            Keyword::DELETE => {
                let first = self.next_token();
                SetExpr::Delete(self.parse_delete(first)?)
            }
            Keyword::MERGE => {
                let first = self.next_token();
                SetExpr::Merge(self.parse_merge(first)?)
            }
            _ => return self.unexpected(),
        };
        Ok(Box::new(body))
    }

    #[inline(never)]
    fn with(&mut self) -> Result<Option<With>> {
        if !self.peek_keyword(Keyword::WITH) {
            return Ok(None);
        }
        let with_token = attached(self.next_token());
        Ok(Some(With {
            with_token,
            recursive: self.parse_keyword(Keyword::RECURSIVE),
            cte_tables: self.parse_comma_separated(Parser::cte)?,
        }))
    }

    #[inline(never)]
    fn cte(&mut self) -> Result<Cte> {
        let name = self.parse_identifier()?;
        let mut columns = Vec::new();
        if self.peek() == Token::LParen {
            columns = self.parse_parenthesized(Parser::alias_column)?;
        }
        self.expect_keyword(Keyword::AS)?;
        let materialized = if self.parse_keyword(Keyword::MATERIALIZED) {
            Some(CteAsMaterialized::Materialized)
        } else if self.parse_keyword(Keyword::NOT) {
            self.expect_keyword(Keyword::MATERIALIZED)?;
            Some(CteAsMaterialized::NotMaterialized)
        } else {
            None
        };
        self.expect_token(&Token::LParen)?;
        let mut query = self.parse_query()?;
        let closing = self.expect_token(&Token::RParen)?;
        self.walk(&mut query)?;
        Ok(Cte {
            alias: TableAlias {
                explicit: false,
                name,
                columns,
                at: None,
            },
            query,
            from: None,
            materialized,
            closing_paren_token: attached(closing),
        })
    }

    /// Queries and the set operations between them that bind more tightly than `floor`.
    fn set_expr(&mut self, floor: u8) -> Result<Box<SetExpr>> {
        let next = self.peek_token();
        let first = match (next.token, next.keyword) {
            (Token::LParen, _) => {
                self.next_token();
                let query = self.parse_query()?;
                self.expect_token(&Token::RParen)?;
                Box::new(SetExpr::Query(query))
            }
            (_, Keyword::SELECT) => Box::new(SetExpr::Select(self.select()?)),
            (_, Keyword::VALUES) => self.values()?,
            (_, Keyword::TABLE) => self.table_query()?,
            _ => return self.unexpected(),
        };
        self.set_operations(first, floor)
    }

    #[inline(never)]
    fn set_operations(&mut self, mut left: Box<SetExpr>, floor: u8) -> Result<Box<SetExpr>> {
        let mut count = 0;
        loop {
            let (op, level) = match self.peek_token().keyword {
                Keyword::UNION => (SetOperator::Union, 1),
                Keyword::EXCEPT => (SetOperator::Except, 1),
                Keyword::INTERSECT => (SetOperator::Intersect, 2),
                _ => return Ok(left),
            };
            if level <= floor {
                return Ok(left);
            }
            count += 1;
            if count > SET_OPERATIONS_MAX {
                return Err(too_deep().at(self.peek_token().position));
            }
            self.next_token();
            let set_quantifier = if self.parse_keyword(Keyword::ALL) {
                SetQuantifier::All
            } else if self.parse_keyword(Keyword::DISTINCT) {
                SetQuantifier::Distinct
            } else {
                SetQuantifier::None
            };
            let right = self.set_expr(level)?;
            left = Box::new(SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            });
        }
    }

    #[inline(never)]
    fn values(&mut self) -> Result<Box<SetExpr>> {
        self.next_token();
        let rows = self.parse_comma_separated(|parser| {
            let opening = parser.expect_token(&Token::LParen)?;
            let content = parser.parse_comma_separated(Parser::parse_expr)?;
            let closing = parser.expect_token(&Token::RParen)?;
            Ok(Parens {
                opening_token: attached(opening),
                content,
                closing_token: attached(closing),
            })
        })?;
        Ok(Box::new(SetExpr::Values(Values {
            explicit_row: false,
            value_keyword: false,
            rows,
        })))
    }

    /// `TABLE name`, which is `SELECT * FROM name`.
    #[inline(never)]
    fn table_query(&mut self) -> Result<Box<SetExpr>> {
        Ok(Box::new(SetExpr::Select(self.select_table()?)))
    }

    #[inline(never)]
    fn query_tail(&mut self, query: &mut Query) -> Result<()> {
        if self.peek_keyword(Keyword::ORDER) {
            query.order_by = Some(OrderBy {
                kind: OrderByKind::Expressions(self.order_by()?),
                interpolate: None,
            });
        }
        let mut limited = false;
        loop {
            match self.peek_token().keyword {
                Keyword::LIMIT | Keyword::OFFSET | Keyword::FETCH if !limited => {
                    limited = true;
                    self.limit(query)?;
                }
                Keyword::FOR if query.locks.is_empty() => {
                    while self.parse_keyword(Keyword::FOR) {
                        self.lock(&mut query.locks)?;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    #[inline(never)]
    fn limit(&mut self, query: &mut Query) -> Result<()> {
        let mut limit = None;
        let mut offset = None;
        let mut all = false;
        loop {
            let next = self.peek_token();
            let limits = limit.is_some() || all || query.fetch.is_some();
            match next.keyword {
                Keyword::LIMIT if !limits => {
                    self.next_token();
                    match self.parse_keyword(Keyword::ALL) {
                        true => all = true,
                        false => limit = Some(self.parse_expr()?),
                    }
                    if self.peek() == Token::Comma {
                        let message = "LIMIT #,# syntax is not supported";
                        let error = Error::new(SqlState::SYNTAX_ERROR, message);
                        return Err(error
                            .with_hint("Use separate LIMIT and OFFSET clauses.")
                            .at(next.position));
                    }
                }
                Keyword::FETCH if !limits => {
                    self.next_token();
                    query.fetch = Some(self.fetch()?);
                }
                Keyword::OFFSET if offset.is_none() => {
                    self.next_token();
                    let value = self.parse_expr()?;
                    let rows = match self.peek_token().keyword {
                        Keyword::ROW => OffsetRows::Row,
                        Keyword::ROWS => OffsetRows::Rows,
                        _ => OffsetRows::None,
                    };
                    if !matches!(rows, OffsetRows::None) {
                        self.next_token();
                    }
                    offset = Some(Offset { value, rows });
                }
                _ => break,
            }
        }
        if limit.is_some() || offset.is_some() {
            query.limit_clause = Some(LimitClause::LimitOffset {
                limit,
                offset,
                limit_by: Vec::new(),
            });
        }
        Ok(())
    }

    /// SEARCH and CYCLE behind a named query.
    #[inline(never)]
    fn walk(&mut self, query: &mut Query) -> Result<()> {
        let mut clauses = Vec::new();
        let position = self.peek_token().position;
        if self.parse_keyword(Keyword::SEARCH) {
            let order = self.expect_one_of_keywords(&[Keyword::DEPTH, Keyword::BREADTH])?;
            self.expect_keyword(Keyword::FIRST)?;
            self.expect_keyword(Keyword::BY)?;
            let columns = self.walk_columns()?;
            let name = match order == Keyword::DEPTH {
                true => DEPTH_FIRST,
                false => BREADTH_FIRST,
            };
            clauses.push(Setting {
                key: marker(name, position),
                value: Expr::Tuple(columns),
            });
        }
        let position = self.peek_token().position;
        if self.parse_keyword(Keyword::CYCLE) {
            let mut parts = self.walk_columns()?;
            let mut values = Vec::new();
            if self.parse_keyword(Keyword::TO) {
                values.push(*self.primary()?);
                self.expect_keyword(Keyword::DEFAULT)?;
                values.push(*self.primary()?);
            }
            self.expect_keyword(Keyword::USING)?;
            parts.push(Expr::Identifier(self.parse_identifier()?));
            parts.append(&mut values);
            clauses.push(Setting {
                key: marker(CYCLE, position),
                value: Expr::Tuple(parts),
            });
        }
        if !clauses.is_empty() {
            query.settings = Some(clauses);
        }
        Ok(())
    }

    /// `column, ... SET column`
    fn walk_columns(&mut self) -> Result<Vec<Expr>> {
        let columns = self.parse_comma_separated(Parser::parse_identifier)?;
        let columns = columns.into_iter().map(Expr::Identifier).collect();
        self.expect_keyword(Keyword::SET)?;
        let added = Expr::Identifier(self.parse_identifier()?);
        Ok(vec![Expr::Tuple(columns), added])
    }

    #[inline(never)]
    fn fetch(&mut self) -> Result<Fetch> {
        self.expect_one_of_keywords(&[Keyword::FIRST, Keyword::NEXT])?;
        let rows = [Keyword::ROW, Keyword::ROWS];
        let quantity = match self.peek() {
            _ if rows.contains(&self.peek_token().keyword) => None,
            Token::Plus | Token::Minus => Some(self.parse_number()?),
            _ => Some(*self.primary()?),
        };
        self.expect_one_of_keywords(&rows)?;
        let with_ties = self.parse_keyword(Keyword::WITH);
        self.expect_keyword(match with_ties {
            true => Keyword::TIES,
            false => Keyword::ONLY,
        })?;
        Ok(Fetch {
            with_ties,
            percent: false,
            quantity,
        })
    }

    /// What follows FOR; a clause over several tables becomes one for each.
    #[inline(never)]
    fn lock(&mut self, locks: &mut Vec<LockClause>) -> Result<()> {
        let weak = self.parse_keyword(Keyword::NO);
        if weak {
            self.expect_keyword(Keyword::KEY)?;
        }
        let key = !weak && self.parse_keyword(Keyword::KEY);
        let update = !key && self.parse_keyword(Keyword::UPDATE);
        if !update {
            if weak {
                return self.unexpected();
            }
            self.expect_keyword(Keyword::SHARE)?;
        }
        let tables = match self.parse_keyword(Keyword::OF) {
            true => self.parse_object_names()?.into_iter().map(Some).collect(),
            false => vec![None],
        };
        let waits = if self.parse_keyword(Keyword::NOWAIT) {
            1
        } else if self.parse_keyword(Keyword::SKIP) {
            self.expect_keyword(Keyword::LOCKED)?;
            2
        } else {
            0
        };
        let weaker = match (weak, key) {
            (true, _) => Some(marker(NO_KEY_UPDATE, 0)),
            (_, true) => Some(marker(KEY_SHARE, 0)),
            _ => None,
        };
        let marked = |of: Option<ObjectName>| match &weaker {
            None => of,
            Some(weaker) => {
                let names = of.map_or_else(Vec::new, |of| of.0).into_iter();
                let weaker = ObjectNamePart::Identifier(weaker.clone());
                Some(ObjectName(core::iter::once(weaker).chain(names).collect()))
            }
        };
        locks.extend(tables.into_iter().map(marked).map(|of| LockClause {
            lock_type: match update {
                true => LockType::Update,
                false => LockType::Share,
            },
            of,
            nonblock: match waits {
                1 => Some(NonBlock::Nowait),
                2 => Some(NonBlock::SkipLocked),
                _ => None,
            },
        }));
        Ok(())
    }

    /// An item of ORDER BY.
    pub fn parse_order_by_expr(&mut self) -> Result<OrderByExpr> {
        let expr = self.parse_expr()?;
        if self.parse_keyword(Keyword::USING) {
            let mut parts = self.any_operator()?;
            let operator = parts.pop().unwrap_or_default();
            let mut name: Vec<Ident> = parts.into_iter().map(Ident::new).collect();
            name.push(Ident::new(operator));
            let options = OrderByOptions {
                sort: Some(OrderBySort::Using(ObjectName::from(name))),
                nulls_first: self.nulls_first()?,
            };
            return Ok(OrderByExpr {
                expr,
                options,
                with_fill: None,
            });
        }
        self.order_by_options(expr)
    }

    /// ASC, DESC, NULLS FIRST and the like behind an expression.
    pub(crate) fn order_by_options(&mut self, expr: Expr) -> Result<OrderByExpr> {
        let sort = if self.parse_keyword(Keyword::ASC) {
            Some(OrderBySort::Asc)
        } else if self.parse_keyword(Keyword::DESC) {
            Some(OrderBySort::Desc)
        } else {
            None
        };
        let nulls_first = self.nulls_first()?;
        Ok(OrderByExpr {
            expr,
            options: OrderByOptions { sort, nulls_first },
            with_fill: None,
        })
    }

    fn nulls_first(&mut self) -> Result<Option<bool>> {
        if !self.parse_keyword(Keyword::NULLS) {
            return Ok(None);
        }
        let place = self.expect_one_of_keywords(&[Keyword::FIRST, Keyword::LAST])?;
        Ok(Some(place == Keyword::FIRST))
    }
}
