//! SELECT.

use sqlparser::ast::{
    AccessExpr, Distinct, Expr, GroupByExpr, ObjectNamePart, Select, SelectFlavor, SelectInto,
    SelectItem, SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
    helpers::attached_token::AttachedToken,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::{Parser, attached};
use crate::token::Token;

/// A SELECT without anything.
#[inline(never)]
fn empty_select(select_token: AttachedToken) -> Box<Select> {
    Box::new(Select {
        select_token,
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: Vec::new(),
        exclude: None,
        into: None,
        from: Vec::new(),
        lateral_views: Vec::new(),
        prewhere: None,
        selection: None,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    })
}

#[inline(never)]
fn put(place: &mut Option<Expr>, condition: Box<Expr>) {
    *place = Some(*condition);
}

#[inline(never)]
fn plain_wildcard(wildcard_token: AttachedToken) -> WildcardAdditionalOptions {
    WildcardAdditionalOptions {
        wildcard_token,
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
    }
}

impl Parser<'_> {
    /// What SELECT begins, up to the next set operation, ORDER BY or LIMIT.
    pub(crate) fn select(&mut self) -> Result<Box<Select>> {
        let mut select = empty_select(attached(self.next_token()));
        self.distinct(&mut select)?;
        if select.distinct.is_some() || !self.at_projection_end() {
            self.projection(&mut select.projection)?;
        }
        if self.parse_keyword(Keyword::INTO) {
            self.select_into(&mut select)?;
        }
        if self.parse_keyword(Keyword::FROM) {
            select.from = self.parse_from()?;
        }
        if self.parse_keyword(Keyword::WHERE) {
            let condition = self.node()?;
            put(&mut select.selection, condition);
        }
        if self.parse_keyword(Keyword::GROUP) {
            self.group_by(&mut select)?;
        }
        if self.parse_keyword(Keyword::HAVING) {
            let condition = self.node()?;
            put(&mut select.having, condition);
        }
        if self.parse_keyword(Keyword::WINDOW) {
            self.windows(&mut select)?;
        }
        Ok(select)
    }

    /// `TABLE name`
    #[inline(never)]
    pub(crate) fn select_table(&mut self) -> Result<Box<Select>> {
        let first = attached(self.next_token());
        let mut select = empty_select(first.clone());
        let star = SelectItem::Wildcard(plain_wildcard(first));
        select.projection.push(star);
        self.push_table_of_query(&mut select.from)?;
        Ok(select)
    }

    fn projection(&mut self, items: &mut Vec<SelectItem>) -> Result<()> {
        loop {
            if self.peek() == Token::Mul {
                items.push(SelectItem::Wildcard(plain_wildcard(self.star())));
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
        if self.parse_keyword(Keyword::ALL) {
            select.distinct = Some(Distinct::All);
            if self.at_projection_end() {
                select.distinct = None;
            }
            return Ok(());
        }
        if !self.parse_keyword(Keyword::DISTINCT) {
            return Ok(());
        }
        select.distinct = Some(match self.parse_keyword(Keyword::ON) {
            true => Distinct::On(self.parse_parenthesized(Parser::parse_expr)?),
            false => Distinct::Distinct,
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
            return Ok(SelectItem::Wildcard(plain_wildcard(self.star())));
        }
        let expr = self.node()?;
        self.item_of(expr)
    }

    /// The item of an expression, with its label.
    #[inline(never)]
    fn item_of(&mut self, expr: Box<Expr>) -> Result<SelectItem> {
        match *expr {
            Expr::QualifiedWildcard(name, star) => {
                let kind = SelectItemQualifiedWildcardKind::ObjectName(name);
                Ok(SelectItem::QualifiedWildcard(kind, plain_wildcard(star)))
            }
            Expr::CompoundFieldAccess { root, access_chain }
                if matches!(
                    access_chain.last(),
                    Some(AccessExpr::Dot(Expr::Wildcard(_)))
                ) =>
            {
                Ok(all_fields(root, access_chain, self.last_attached()))
            }
            expr => self.labelled(expr),
        }
    }

    #[inline(never)]
    fn labelled(&mut self, expr: Expr) -> Result<SelectItem> {
        let next = self.peek_token();
        let alias = if self.parse_keyword(Keyword::AS) {
            self.parse_label()?
        } else if Parser::is_label(next) && next.keyword.is_bare_label() {
            self.next_token();
            self.ident_of(next)?
        } else {
            return Ok(SelectItem::UnnamedExpr(expr));
        };
        Ok(SelectItem::ExprWithAlias { expr, alias })
    }

    #[inline(never)]
    fn windows(&mut self, select: &mut Select) -> Result<()> {
        select.window_before_qualify = true;
        select.named_window = self.parse_comma_separated(Parser::named_window)?;
        Ok(())
    }

    #[inline(never)]
    fn select_into(&mut self, select: &mut Select) -> Result<()> {
        let _ = self.parse_one_of_keywords(&[Keyword::LOCAL, Keyword::GLOBAL]);
        let temporary = [Keyword::TEMPORARY, Keyword::TEMP];
        let temporary = self.parse_one_of_keywords(&temporary).is_some();
        let unlogged = self.parse_keyword(Keyword::UNLOGGED);
        let table = self.parse_keyword(Keyword::TABLE);
        let name = self.parse_object_name(false)?;
        let mut idents: Vec<_> = name
            .0
            .into_iter()
            .filter_map(|part| match part {
                ObjectNamePart::Identifier(ident) => Some(ident),
                ObjectNamePart::Function(_) => None,
            })
            .collect();
        let target = match idents.len() {
            1 => Expr::Identifier(idents.remove(0)),
            _ => Expr::CompoundIdentifier(idents),
        };
        select.into = Some(SelectInto {
            temporary,
            unlogged,
            table,
            targets: vec![target],
        });
        Ok(())
    }

    #[inline(never)]
    fn group_by(&mut self, select: &mut Select) -> Result<()> {
        self.expect_keyword(Keyword::BY)?;
        if self.parse_keyword(Keyword::DISTINCT) {
            return Err(Error::unsupported("GROUP BY DISTINCT"));
        }
        let _ = self.parse_keyword(Keyword::ALL);
        let items = self.parse_comma_separated(Parser::group_item)?;
        select.group_by = GroupByExpr::Expressions(items, Vec::new());
        Ok(())
    }

    fn group_item(&mut self) -> Result<Expr> {
        let called = self.peek_nth_token(1).token == Token::LParen;
        match self.peek_token().keyword {
            Keyword::GROUPING if self.second_is(Keyword::SETS) => {
                self.next_token();
                self.next_token();
                Ok(Expr::GroupingSets(
                    self.parse_parenthesized(Parser::group_set)?,
                ))
            }
            Keyword::ROLLUP if called => {
                self.next_token();
                Ok(Expr::Rollup(self.parse_parenthesized(Parser::group_set)?))
            }
            Keyword::CUBE if called => {
                self.next_token();
                Ok(Expr::Cube(self.parse_parenthesized(Parser::group_set)?))
            }
            _ if self.peek() == Token::LParen && self.peek_nth_token(1).token == Token::RParen => {
                self.next_token();
                self.next_token();
                Ok(Expr::Tuple(Vec::new()))
            }
            _ => self.parse_expr(),
        }
    }

    /// A set of GROUPING SETS, ROLLUP or CUBE.
    fn group_set(&mut self) -> Result<Vec<Expr>> {
        self.enter()?;
        let item = self.group_item()?;
        self.leave();
        Ok(match item {
            Expr::Tuple(items) => items,
            Expr::Nested(item) => vec![*item],
            item => vec![item],
        })
    }
}

/// `(x).*`
#[inline(never)]
fn all_fields(
    root: Box<Expr>,
    mut access_chain: Vec<AccessExpr>,
    star: AttachedToken,
) -> SelectItem {
    access_chain.pop();
    let expr = match access_chain.is_empty() {
        true => *root,
        false => Expr::CompoundFieldAccess { root, access_chain },
    };
    let kind = SelectItemQualifiedWildcardKind::Expr(expr);
    SelectItem::QualifiedWildcard(kind, plain_wildcard(star))
}
