//! Windows.

use sqlparser::ast::{
    Expr, NamedWindowDefinition, NamedWindowExpr, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowSpec,
};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::marker::{
    EXCLUDE_CURRENT_ROW, EXCLUDE_GROUP, EXCLUDE_NO_OTHERS, EXCLUDE_TIES, WINDOW, marker,
};
use crate::parser::Parser;
use crate::token::Token;

impl Parser<'_> {
    /// An item of the WINDOW clause.
    pub(crate) fn named_window(&mut self) -> Result<NamedWindowDefinition> {
        let name = self.parse_identifier()?;
        self.expect_keyword(Keyword::AS)?;
        self.expect_token(&Token::LParen)?;
        let window = NamedWindowExpr::WindowSpec(self.parse_window_spec()?);
        Ok(NamedWindowDefinition(name, window))
    }

    /// A window behind its parenthesis, with the one that ends it.
    pub(crate) fn parse_window_spec(&mut self) -> Result<WindowSpec> {
        self.prev_token();
        let start = self.next_token().position;
        let mut spec = WindowSpec {
            window_name: None,
            partition_by: Vec::new(),
            order_by: Vec::new(),
            window_frame: None,
        };
        let next = self.peek_token();
        let begins_clause = matches!(
            next.keyword,
            Keyword::PARTITION | Keyword::RANGE | Keyword::ROWS | Keyword::GROUPS
        );
        if Parser::is_name(next) && !begins_clause {
            spec.window_name = Some(self.parse_identifier()?);
        }
        if self.parse_keyword(Keyword::PARTITION) {
            self.expect_keyword(Keyword::BY)?;
            spec.partition_by = self.parse_comma_separated(Parser::parse_expr)?;
        }
        if self.peek_keyword(Keyword::ORDER) {
            spec.order_by = self.order_by()?;
        }
        let units = match self.peek_token().keyword {
            Keyword::RANGE => Some(WindowFrameUnits::Range),
            Keyword::ROWS => Some(WindowFrameUnits::Rows),
            Keyword::GROUPS => Some(WindowFrameUnits::Groups),
            _ => None,
        };
        if let Some(units) = units {
            self.next_token();
            spec.window_frame = Some(self.frame(units, &mut spec.partition_by)?);
        }
        if spec.window_name.is_some() || spec.window_frame.is_some() {
            let place = Expr::Identifier(marker(WINDOW, start));
            spec.partition_by.insert(0, place);
        }
        self.expect_token(&Token::RParen)?;
        Ok(spec)
    }

    fn frame(
        &mut self,
        units: WindowFrameUnits,
        partition_by: &mut Vec<Expr>,
    ) -> Result<WindowFrame> {
        use WindowFrameBound as Bound;
        let between = self.parse_keyword(Keyword::BETWEEN);
        let start = self.peek_token();
        let start_bound = self.frame_bound()?;
        let mut end_bound = None;
        let mut end = start;
        if between {
            self.expect_keyword(Keyword::AND)?;
            end = self.peek_token();
            end_bound = Some(self.frame_bound()?);
        }
        let refused = match (&start_bound, &end_bound) {
            (Bound::Following(None), _) => {
                Some(("frame start cannot be UNBOUNDED FOLLOWING", start))
            }
            (_, Some(Bound::Preceding(None))) => {
                Some(("frame end cannot be UNBOUNDED PRECEDING", end))
            }
            (Bound::CurrentRow, Some(Bound::Preceding(_))) => Some((
                "frame starting from current row cannot have preceding rows",
                end,
            )),
            (Bound::Following(_), None) => Some((
                "frame starting from following row cannot end with current row",
                start,
            )),
            (Bound::Following(_), Some(Bound::CurrentRow | Bound::Preceding(_))) => Some((
                "frame starting from following row cannot have preceding rows",
                end,
            )),
            _ => None,
        };
        if let Some((message, lexeme)) = refused {
            return Err(Error::new(SqlState::WINDOWING_ERROR, message).at(lexeme.position));
        }
        let exclude = self.peek_token();
        if self.parse_keyword(Keyword::EXCLUDE) {
            let name = if self.parse_keyword(Keyword::CURRENT) {
                self.expect_keyword(Keyword::ROW)?;
                EXCLUDE_CURRENT_ROW
            } else if self.parse_keyword(Keyword::GROUP) {
                EXCLUDE_GROUP
            } else if self.parse_keyword(Keyword::TIES) {
                EXCLUDE_TIES
            } else {
                self.expect_keyword(Keyword::NO)?;
                self.expect_keyword(Keyword::OTHERS)?;
                EXCLUDE_NO_OTHERS
            };
            partition_by.insert(0, Expr::Identifier(marker(name, exclude.position)));
        }
        Ok(WindowFrame {
            units,
            start_bound,
            end_bound,
        })
    }

    fn frame_bound(&mut self) -> Result<WindowFrameBound> {
        if self.parse_keywords(&[Keyword::CURRENT, Keyword::ROW]) {
            return Ok(WindowFrameBound::CurrentRow);
        }
        let sides = [Keyword::PRECEDING, Keyword::FOLLOWING];
        let unbounded = self.peek_keyword(Keyword::UNBOUNDED)
            && sides.contains(&self.peek_nth_token(1).keyword);
        let offset = match unbounded {
            true => {
                self.next_token();
                None
            }
            false => Some(self.node()?),
        };
        Ok(match self.expect_one_of_keywords(&sides)? {
            Keyword::PRECEDING => WindowFrameBound::Preceding(offset),
            _ => WindowFrameBound::Following(offset),
        })
    }
}
