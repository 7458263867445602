//! Windows.

use varve_ast::{Frame, FrameBound, FrameExclusion, FrameUnits, NamedWindow, Span, WindowSpec};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

impl Parser<'_> {
    /// An item of the WINDOW clause.
    pub(crate) fn named_window(&mut self) -> Result<NamedWindow> {
        let name = self.parse_identifier()?;
        self.expect_keyword(Keyword::AS)?;
        self.expect_token(&Token::LParen)?;
        let spec = self.parse_window_spec()?;
        Ok(NamedWindow { name, spec })
    }

    /// A window behind its parenthesis, with the one that ends it.
    pub(crate) fn parse_window_spec(&mut self) -> Result<WindowSpec> {
        let opening = self.last_span();
        let next = self.peek_token();
        let begins_clause = matches!(
            next.keyword,
            Keyword::PARTITION | Keyword::RANGE | Keyword::ROWS | Keyword::GROUPS
        );
        let mut base = None;
        if Parser::is_name(next) && !begins_clause {
            base = Some(self.parse_identifier()?);
        }
        let mut partition_by = Vec::new();
        if self.parse_keyword(Keyword::PARTITION) {
            self.expect_keyword(Keyword::BY)?;
            partition_by = self.parse_comma_separated(Parser::parse_expr)?;
        }
        let mut order_by = Vec::new();
        if self.peek_keyword(Keyword::ORDER) {
            order_by = self.order_by()?;
        }
        let frame = self.frame()?;
        self.expect_token(&Token::RParen)?;
        Ok(WindowSpec {
            base,
            partition_by,
            order_by,
            frame,
            span: self.since(opening),
        })
    }

    #[inline(never)]
    fn frame(&mut self) -> Result<Option<Frame>> {
        let units = match self.peek_token().keyword {
            Keyword::RANGE => FrameUnits::Range,
            Keyword::ROWS => FrameUnits::Rows,
            Keyword::GROUPS => FrameUnits::Groups,
            _ => return Ok(None),
        };
        self.next_token();
        let has_end = self.parse_keyword(Keyword::BETWEEN);
        let first = self.peek_token();
        let start = self.frame_bound()?;
        let mut end = None;
        let mut last = first;
        if has_end {
            self.expect_keyword(Keyword::AND)?;
            last = self.peek_token();
            end = Some(self.frame_bound()?);
        }
        check_bounds((&start, first), (end.as_ref(), last))?;
        Ok(Some(Frame {
            units,
            start,
            end,
            exclusion: self.frame_exclusion()?,
        }))
    }

    fn frame_exclusion(&mut self) -> Result<Option<(FrameExclusion, Span)>> {
        let first = self.next_span();
        if !self.parse_keyword(Keyword::EXCLUDE) {
            return Ok(None);
        }
        let exclusion = if self.parse_keyword(Keyword::CURRENT) {
            self.expect_keyword(Keyword::ROW)?;
            FrameExclusion::CurrentRow
        } else if self.parse_keyword(Keyword::GROUP) {
            FrameExclusion::Group
        } else if self.parse_keyword(Keyword::TIES) {
            FrameExclusion::Ties
        } else {
            self.expect_keywords(&[Keyword::NO, Keyword::OTHERS])?;
            FrameExclusion::NoOthers
        };
        Ok(Some((exclusion, self.since(first))))
    }

    fn frame_bound(&mut self) -> Result<FrameBound> {
        if self.parse_keywords(&[Keyword::CURRENT, Keyword::ROW]) {
            return Ok(FrameBound::CurrentRow);
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
            Keyword::PRECEDING => FrameBound::Preceding(offset),
            _ => FrameBound::Following(offset),
        })
    }
}

/// Refuses frames that end before they start. Each bound comes with its first word.
fn check_bounds(
    (start, first): (&FrameBound, Lexeme),
    (end, last): (Option<&FrameBound>, Lexeme),
) -> Result<()> {
    use FrameBound as Bound;
    let (message, at) = match (start, end) {
        (Bound::Following(None), _) => ("frame start cannot be UNBOUNDED FOLLOWING", first),
        (_, Some(Bound::Preceding(None))) => ("frame end cannot be UNBOUNDED PRECEDING", last),
        (Bound::CurrentRow, Some(Bound::Preceding(_))) => (
            "frame starting from current row cannot have preceding rows",
            last,
        ),
        (Bound::Following(_), None) => (
            "frame starting from following row cannot end with current row",
            first,
        ),
        (Bound::Following(_), Some(Bound::CurrentRow | Bound::Preceding(_))) => (
            "frame starting from following row cannot have preceding rows",
            last,
        ),
        _ => return Ok(()),
    };
    Err(Error::new(SqlState::WINDOWING_ERROR, message).at(at.position))
}
