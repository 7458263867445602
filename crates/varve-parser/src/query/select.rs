//! SELECT.

use varve_ast::{Access, Distinct, Expr, ExprKind, GroupItem, IntoTable, Select, SelectItem, Span};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

/// A SELECT without anything.
#[inline(never)]
pub(crate) fn empty_select(span: Span) -> Box<Select> {
    Box::new(Select {
        distinct: None,
        items: Vec::new(),
        into: None,
        from: Vec::new(),
        filter: None,
        group_by: Vec::new(),
        having: None,
        windows: Vec::new(),
        span,
    })
}

#[inline(never)]
fn put(place: &mut Option<Expr>, condition: Box<Expr>) {
    *place = Some(*condition);
}

impl Parser<'_> {
    /// What SELECT begins, up to the next set operation, ORDER BY or LIMIT.
    pub(crate) fn select(&mut self) -> Result<Box<Select>> {
        let mut select = empty_select(self.next_token().span());
        self.distinct(&mut select)?;
        if select.distinct.is_some() || !self.at_projection_end() {
            self.projection(&mut select.items)?;
        }
        if self.parse_keyword(Keyword::INTO) {
            select.into = Some(self.select_into()?);
        }
        if self.parse_keyword(Keyword::FROM) {
            select.from = self.parse_from()?;
        }
        if self.parse_keyword(Keyword::WHERE) {
            let condition = self.node()?;
            put(&mut select.filter, condition);
        }
        if self.parse_keyword(Keyword::GROUP) {
            select.group_by = self.group_by()?;
        }
        if self.parse_keyword(Keyword::HAVING) {
            let condition = self.node()?;
            put(&mut select.having, condition);
        }
        if self.parse_keyword(Keyword::WINDOW) {
            select.windows = self.parse_comma_separated(Parser::named_window)?;
        }
        select.span = self.since(select.span);
        Ok(select)
    }

    /// `TABLE name`
    #[inline(never)]
    pub(crate) fn select_table(&mut self) -> Result<Box<Select>> {
        let first = self.next_token().span();
        let mut select = empty_select(first);
        select.items.push(SelectItem::Star(first));
        select.from.push(self.table_of_query()?);
        select.span = self.since(first);
        Ok(select)
    }

    fn projection(&mut self, items: &mut Vec<SelectItem>) -> Result<()> {
        loop {
            if self.peek() == Token::Mul {
                items.push(SelectItem::Star(self.next_token().span()));
            } else {
                let expr = self.node()?;
                self.push_item(items, expr)?;
            }
            if !self.consume_token(&Token::Comma) {
                return Ok(());
            }
        }
    }

    #[inline(never)]
    fn push_item(&mut self, items: &mut Vec<SelectItem>, expr: Box<Expr>) -> Result<()> {
        let item = self.item_of(expr)?;
        items.push(item);
        Ok(())
    }

    #[inline(never)]
    fn distinct(&mut self, select: &mut Select) -> Result<()> {
        if self.parse_keyword(Keyword::ALL) || !self.parse_keyword(Keyword::DISTINCT) {
            return Ok(());
        }
        select.distinct = Some(match self.parse_keyword(Keyword::ON) {
            true => Distinct::On(self.parse_parenthesized(Parser::parse_expr)?),
            false => Distinct::Rows,
        });
        Ok(())
    }

    /// Whether nothing is selected: `SELECT FROM t`.
    fn at_projection_end(&self) -> bool {
        let next = self.peek_token();
        matches!(next.token, Token::EOF | Token::RParen)
            || matches!(
                next.keyword,
                Keyword::EXCEPT
                    | Keyword::FETCH
                    | Keyword::FOR
                    | Keyword::FROM
                    | Keyword::GROUP
                    | Keyword::HAVING
                    | Keyword::INTERSECT
                    | Keyword::INTO
                    | Keyword::LIMIT
                    | Keyword::OFFSET
                    | Keyword::ON
                    | Keyword::ORDER
                    | Keyword::RETURNING
                    | Keyword::UNION
                    | Keyword::WHERE
                    | Keyword::WINDOW
                    | Keyword::WITH
            )
    }

    /// An item of a select list or of RETURNING.
    pub fn parse_select_item(&mut self) -> Result<SelectItem> {
        if self.peek() == Token::Mul {
            return Ok(SelectItem::Star(self.next_token().span()));
        }
        let expr = self.node()?;
        self.item_of(expr)
    }

    /// The item of an expression, with its label.
    #[inline(never)]
    fn item_of(&mut self, mut expr: Box<Expr>) -> Result<SelectItem> {
        // In parentheses a star is no item.
        let last = self.last_span();
        if last.end == expr.span.end
            && let Some(item) = star_item(&mut expr, last)
        {
            return Ok(item);
        }
        let next = self.peek_token();
        let is_bare = Parser::is_label(next) && next.keyword.is_bare_label();
        let alias = match self.parse_keyword(Keyword::AS) || is_bare {
            true => Some(self.parse_label()?),
            false => None,
        };
        Ok(SelectItem::Expr { expr: *expr, alias })
    }

    #[inline(never)]
    fn select_into(&mut self) -> Result<IntoTable> {
        let _ = self.parse_one_of_keywords(&[Keyword::LOCAL, Keyword::GLOBAL]);
        let temporary = [Keyword::TEMPORARY, Keyword::TEMP];
        let is_temporary = self.parse_one_of_keywords(&temporary).is_some();
        let is_unlogged = self.parse_keyword(Keyword::UNLOGGED);
        let _ = self.parse_keyword(Keyword::TABLE);
        Ok(IntoTable {
            name: self.parse_object_name()?,
            is_temporary,
            is_unlogged,
        })
    }

    #[inline(never)]
    fn group_by(&mut self) -> Result<Vec<GroupItem>> {
        self.expect_keyword(Keyword::BY)?;
        if self.parse_keyword(Keyword::DISTINCT) {
            return Err(Error::unsupported("GROUP BY DISTINCT"));
        }
        let _ = self.parse_keyword(Keyword::ALL);
        self.parse_comma_separated(Parser::group_item)
    }

    fn group_item(&mut self) -> Result<GroupItem> {
        let second = self.peek_nth_token(1).token;
        match self.peek_token().keyword {
            Keyword::GROUPING if self.second_is(Keyword::SETS) => {
                self.next_token();
                self.next_token();
                Ok(GroupItem::Sets(
                    self.parse_parenthesized(Parser::group_set)?,
                ))
            }
            Keyword::ROLLUP if second == Token::LParen => {
                self.next_token();
                Ok(GroupItem::Rollup(
                    self.parse_parenthesized(Parser::group_set)?,
                ))
            }
            Keyword::CUBE if second == Token::LParen => {
                self.next_token();
                Ok(GroupItem::Cube(
                    self.parse_parenthesized(Parser::group_set)?,
                ))
            }
            _ if self.peek() == Token::LParen && second == Token::RParen => {
                self.next_token();
                self.next_token();
                Ok(GroupItem::Set(Vec::new()))
            }
            _ => self.grouped_expr(),
        }
    }

    /// An expression; a row in parentheses is a set.
    #[inline(never)]
    fn grouped_expr(&mut self) -> Result<GroupItem> {
        let mut expr = self.node()?;
        Ok(match expr.take_kind() {
            ExprKind::Row {
                fields,
                is_explicit: false,
            } => GroupItem::Set(fields),
            kind => GroupItem::Expr(Expr {
                kind,
                span: expr.span,
                is_parenthesized: expr.is_parenthesized,
            }),
        })
    }

    /// A set of GROUPING SETS, ROLLUP or CUBE.
    fn group_set(&mut self) -> Result<GroupItem> {
        self.enter()?;
        let item = self.group_item()?;
        self.leave();
        Ok(item)
    }
}

/// The item of `t.*` or `(x).*`.
#[inline(never)]
fn star_item(expr: &mut Expr, star: Span) -> Option<SelectItem> {
    match &mut expr.kind {
        ExprKind::TableStar(table) => Some(SelectItem::TableStar {
            table: table.clone(),
            star,
        }),
        ExprKind::Access { steps, .. } => {
            steps.pop_if(|step| matches!(step, Access::Star(_)))?;
            let row = match expr.take_kind() {
                ExprKind::Access { root, steps } if steps.is_empty() => root,
                kind => Box::new(Expr {
                    kind,
                    span: expr.span,
                    is_parenthesized: false,
                }),
            };
            Some(SelectItem::RowStar { row, star })
        }
        _ => None,
    }
}
