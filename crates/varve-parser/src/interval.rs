//! Interval literals: `INTERVAL '1' DAY TO SECOND(3)`.

use sqlparser::ast::{DateTimeField, Expr, Interval};
use varve_types::Result;

use crate::expr::Node;
use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

impl Parser<'_> {
    /// What INTERVAL begins: a literal, or a column of this name.
    #[inline(never)]
    pub(crate) fn interval_word(&mut self) -> Result<Node> {
        let second = self.peek_nth_token(1).token;
        if second != Token::LParen && !Parser::is_string(second) {
            return self.column();
        }
        self.next_token();
        let precision = self.parse_optional_precision()?;
        if !Parser::is_string(self.peek()) {
            return self.unexpected();
        }
        let mut interval = Interval {
            value: Box::new(Expr::Value(self.parse_value()?)),
            leading_field: None,
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: precision,
        };
        if precision.is_none() {
            self.interval_qualifier(&mut interval)?;
        }
        Ok(Box::new(Expr::Interval(interval)))
    }

    fn interval_qualifier(&mut self, interval: &mut Interval) -> Result<()> {
        let first = self.peek_token().keyword;
        let Some((field, ends)) = field(first) else {
            return Ok(());
        };
        self.next_token();
        interval.leading_field = Some(field);
        if first == Keyword::SECOND {
            interval.leading_precision = self.parse_optional_precision()?;
        }
        if ends.is_empty() || !self.parse_keyword(Keyword::TO) {
            return Ok(());
        }
        let last = self.expect_one_of_keywords(ends)?;
        interval.last_field = self::field(last).map(|(field, _)| field);
        if last == Keyword::SECOND {
            interval.fractional_seconds_precision = self.parse_optional_precision()?;
        }
        Ok(())
    }
}

/// The field that a word is, and the fields that may follow TO.
fn field(word: Keyword) -> Option<(DateTimeField, &'static [Keyword])> {
    Some(match word {
        Keyword::YEAR => (DateTimeField::Year, &[Keyword::MONTH]),
        Keyword::MONTH => (DateTimeField::Month, &[]),
        Keyword::DAY => (
            DateTimeField::Day,
            &[Keyword::HOUR, Keyword::MINUTE, Keyword::SECOND],
        ),
        Keyword::HOUR => (DateTimeField::Hour, &[Keyword::MINUTE, Keyword::SECOND]),
        Keyword::MINUTE => (DateTimeField::Minute, &[Keyword::SECOND]),
        Keyword::SECOND => (DateTimeField::Second, &[]),
        _ => return None,
    })
}
