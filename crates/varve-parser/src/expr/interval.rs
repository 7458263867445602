//! Interval literals: `INTERVAL '1' DAY TO SECOND(3)`.

use varve_ast::{Expr, ExprKind, IntervalField, IntervalLiteral};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::expr::precedence::Node;
use crate::parser::Parser;

impl Parser<'_> {
    /// What INTERVAL begins: a literal, or a column of this name.
    #[inline(never)]
    pub(crate) fn interval_word(&mut self) -> Result<Node> {
        let second = self.peek_nth_token(1).token;
        if second != Token::LParen && !Parser::is_string(second) {
            return self.column();
        }
        let word = self.next_token().span();
        let precision = self.parse_optional_precision()?;
        if !Parser::is_string(self.peek()) {
            return self.unexpected();
        }
        let Some(literal) = self.parse_constant()? else {
            return self.unexpected();
        };
        let mut interval = Box::new(IntervalLiteral {
            literal,
            first: None,
            last: None,
            precision,
        });
        if precision.is_none() {
            self.interval_qualifier(&mut interval)?;
        }
        Ok(Box::new(Expr {
            kind: ExprKind::Interval(interval),
            span: self.since(word),
            is_parenthesized: false,
        }))
    }

    fn interval_qualifier(&mut self, interval: &mut IntervalLiteral) -> Result<()> {
        let first = self.peek_token().keyword;
        let Some((field, ends)) = field(first) else {
            return Ok(());
        };
        self.next_token();
        interval.first = Some(field);
        if first == Keyword::SECOND {
            interval.precision = self.parse_optional_precision()?;
        }
        if ends.is_empty() || !self.parse_keyword(Keyword::TO) {
            return Ok(());
        }
        let last = self.expect_one_of_keywords(ends)?;
        interval.last = self::field(last).map(|(field, _)| field);
        if last == Keyword::SECOND {
            interval.precision = self.parse_optional_precision()?;
        }
        Ok(())
    }
}

/// The field that a word is, and the fields that may follow TO.
fn field(word: Keyword) -> Option<(IntervalField, &'static [Keyword])> {
    Some(match word {
        Keyword::YEAR => (IntervalField::Year, &[Keyword::MONTH]),
        Keyword::MONTH => (IntervalField::Month, &[]),
        Keyword::DAY => (
            IntervalField::Day,
            &[Keyword::HOUR, Keyword::MINUTE, Keyword::SECOND],
        ),
        Keyword::HOUR => (IntervalField::Hour, &[Keyword::MINUTE, Keyword::SECOND]),
        Keyword::MINUTE => (IntervalField::Minute, &[Keyword::SECOND]),
        Keyword::SECOND => (IntervalField::Second, &[]),
        _ => return None,
    })
}
