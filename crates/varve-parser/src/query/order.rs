//! Items of ORDER BY.

use varve_ast::{Expr, NullsOrder, OrderDirection, OrderItem};
use varve_lexer::Keyword;
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// An item of ORDER BY.
    pub(crate) fn parse_order_item(&mut self) -> Result<OrderItem> {
        let expr = self.parse_expr()?;
        if !self.parse_keyword(Keyword::USING) {
            return self.order_item_options(expr);
        }
        let operator = self.any_operator()?;
        Ok(OrderItem {
            expr,
            direction: Some(OrderDirection::Using(operator)),
            nulls: self.nulls_order()?,
        })
    }

    /// ASC, DESC, NULLS FIRST and the like behind an expression.
    pub(crate) fn order_item_options(&mut self, expr: Expr) -> Result<OrderItem> {
        let direction = if self.parse_keyword(Keyword::ASC) {
            Some(OrderDirection::Ascending)
        } else if self.parse_keyword(Keyword::DESC) {
            Some(OrderDirection::Descending)
        } else {
            None
        };
        Ok(OrderItem {
            expr,
            direction,
            nulls: self.nulls_order()?,
        })
    }

    fn nulls_order(&mut self) -> Result<Option<NullsOrder>> {
        if !self.parse_keyword(Keyword::NULLS) {
            return Ok(None);
        }
        let places = [Keyword::FIRST, Keyword::LAST];
        Ok(Some(match self.expect_one_of_keywords(&places)? {
            Keyword::FIRST => NullsOrder::First,
            _ => NullsOrder::Last,
        }))
    }
}
