//! Queries: set operations, VALUES, and what stands behind them.

use varve_ast::{
    Dml, Lock, LockStrength, LockWait, Query, QueryBody, SetOperation, SetOperator, Span, Values,
};
use varve_lexer::{Keyword, Token, too_deep};
use varve_types::Result;

use crate::parser::Parser;

/// Most operations of sets in a row: each is one level of the tree.
const SET_OPERATIONS_MAX: u32 = 1_000;

/// A query of nothing but its body.
#[inline(never)]
fn plain_query(body: Box<QueryBody>) -> Box<Query> {
    Box::new(Query {
        with: None,
        body,
        order_by: Vec::new(),
        limit: None,
        offset: None,
        locks: Vec::new(),
        span: Span::default(),
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
        let first = self.next_span();
        let with = self.with()?;
        let changes = matches!(
            self.peek_token().keyword,
            Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::MERGE
        );
        let mut query = match changes {
            true => plain_query(self.changing_statement()?),
            false => {
                let body = self.query_body(0)?;
                let mut query = plain_query(body);
                self.query_tail(&mut query)?;
                query
            }
        };
        query.with = with;
        query.span = self.since(first);
        Ok(query)
    }

    /// What follows a query in parentheses that is the first part of a larger one.
    pub(crate) fn query_behind(&mut self, first: Box<Query>) -> Result<Box<Query>> {
        let start = first.span;
        let body = self.set_operations(Box::new(QueryBody::Query(first)), 0)?;
        let mut query = plain_query(body);
        self.query_tail(&mut query)?;
        query.span = self.since(start);
        Ok(query)
    }

    /// INSERT, UPDATE, DELETE or MERGE as the body of a query.
    #[inline(never)]
    fn changing_statement(&mut self) -> Result<Box<QueryBody>> {
        let first = self.next_token();
        let change = match first.keyword {
            Keyword::INSERT => Dml::Insert(Box::new(self.parse_insert(first)?)),
            Keyword::UPDATE => Dml::Update(Box::new(self.parse_update(first)?)),
            Keyword::DELETE => Dml::Delete(Box::new(self.parse_delete(first)?)),
            _ => Dml::Merge(Box::new(self.parse_merge(first)?)),
        };
        Ok(Box::new(QueryBody::Dml(Box::new(change))))
    }

    /// Queries and the set operations between them that bind more tightly than `floor`.
    fn query_body(&mut self, floor: u8) -> Result<Box<QueryBody>> {
        let next = self.peek_token();
        let first = match (next.token, next.keyword) {
            (Token::LParen, _) => {
                self.next_token();
                let query = self.parse_query()?;
                self.expect_token(&Token::RParen)?;
                Box::new(QueryBody::Query(query))
            }
            (_, Keyword::SELECT) => Box::new(QueryBody::Select(self.select()?)),
            (_, Keyword::VALUES) => self.values()?,
            (_, Keyword::TABLE) => self.table_query()?,
            _ => return self.unexpected(),
        };
        self.set_operations(first, floor)
    }

    #[inline(never)]
    fn set_operations(&mut self, mut left: Box<QueryBody>, floor: u8) -> Result<Box<QueryBody>> {
        let mut count = 0;
        loop {
            let next = self.peek_token();
            let (operator, level) = match next.keyword {
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
                return Err(too_deep().at(next.position));
            }
            self.next_token();
            let all = self.parse_keyword(Keyword::ALL);
            if !all {
                let _distinct = self.parse_keyword(Keyword::DISTINCT);
            }
            let right = self.query_body(level)?;
            left = Box::new(QueryBody::Set(SetOperation {
                operator,
                all,
                left,
                right,
                operator_span: next.span(),
            }));
        }
    }

    #[inline(never)]
    fn values(&mut self) -> Result<Box<QueryBody>> {
        let first = self.next_token().span();
        let rows = self.parse_comma_separated(|parser| {
            let opening = parser.next_span();
            let row = parser.parse_parenthesized(Parser::parse_expr)?;
            Ok((row, parser.since(opening)))
        })?;
        let (rows, row_spans) = rows.into_iter().unzip();
        Ok(Box::new(QueryBody::Values(Values {
            rows,
            row_spans,
            span: self.since(first),
        })))
    }

    /// `TABLE name`, which is `SELECT * FROM name`.
    #[inline(never)]
    fn table_query(&mut self) -> Result<Box<QueryBody>> {
        Ok(Box::new(QueryBody::Select(self.select_table()?)))
    }

    #[inline(never)]
    fn query_tail(&mut self, query: &mut Query) -> Result<()> {
        if self.peek_keyword(Keyword::ORDER) {
            query.order_by = self.order_by()?;
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
                        query.locks.push(self.lock()?);
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// What follows FOR.
    #[inline(never)]
    fn lock(&mut self) -> Result<Lock> {
        let strength = self.lock_strength()?;
        let tables = match self.parse_keyword(Keyword::OF) {
            true => self.parse_object_names()?,
            false => Vec::new(),
        };
        let wait = if self.parse_keyword(Keyword::NOWAIT) {
            LockWait::NoWait
        } else if self.parse_keyword(Keyword::SKIP) {
            self.expect_keyword(Keyword::LOCKED)?;
            LockWait::SkipLocked
        } else {
            LockWait::Wait
        };
        Ok(Lock {
            strength,
            tables,
            wait,
        })
    }

    fn lock_strength(&mut self) -> Result<LockStrength> {
        if self.parse_keyword(Keyword::NO) {
            self.expect_keywords(&[Keyword::KEY, Keyword::UPDATE])?;
            return Ok(LockStrength::NoKeyUpdate);
        }
        if self.parse_keyword(Keyword::KEY) {
            self.expect_keyword(Keyword::SHARE)?;
            return Ok(LockStrength::KeyShare);
        }
        if self.parse_keyword(Keyword::UPDATE) {
            return Ok(LockStrength::Update);
        }
        self.expect_keyword(Keyword::SHARE)?;
        Ok(LockStrength::Share)
    }
}
