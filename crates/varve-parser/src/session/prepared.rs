//! What a session keeps: prepared statements and cursors.

use varve_ast::{
    Command, DeclareCursor, Direction, DiscardWhat, Execute, Prepare, Session, StatementBody,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;
use crate::statement::command;

impl Parser<'_> {
    /// What follows `PREPARE`.
    pub(crate) fn prepare(&mut self) -> Result<StatementBody> {
        if self.peek_keyword(Keyword::TRANSACTION) {
            return Ok(self.unsupported(None));
        }
        let name = self.parse_identifier()?;
        let types = match self.peek() {
            Token::LParen => self.parse_parenthesized(Parser::parse_data_type)?,
            _ => Vec::new(),
        };
        self.expect_keyword(Keyword::AS)?;
        let first = self.peek_token();
        let is_prepared = matches!(
            first.keyword,
            Keyword::SELECT
                | Keyword::INSERT
                | Keyword::UPDATE
                | Keyword::DELETE
                | Keyword::MERGE
                | Keyword::VALUES
                | Keyword::WITH
                | Keyword::TABLE
        );
        if !is_prepared && first.token != Token::LParen {
            return self.unexpected();
        }
        let text = self.text_from(first).to_owned();
        self.skip_rest();
        Ok(StatementBody::Session(Session::Prepare(Box::new(
            Prepare {
                name,
                types,
                text,
                span: self.since(first.span()),
            },
        ))))
    }

    /// What follows `EXECUTE`.
    pub(crate) fn execute(&mut self) -> Result<Execute> {
        let name = self.parse_identifier()?;
        let arguments = match self.peek() {
            Token::LParen => self.parse_parenthesized(Parser::parse_expr)?,
            _ => Vec::new(),
        };
        Ok(Execute {
            name,
            arguments,
            around: None,
        })
    }

    /// What follows CREATE, which is `first`, if it is `TABLE ... AS EXECUTE ...`; else nothing is
    /// taken.
    pub(crate) fn table_of_prepared(&mut self, first: Lexeme) -> Result<Option<Execute>> {
        let is = |at, wanted| self.peek_nth_token(at).keyword == wanted;
        let mut tokens = (0..).take_while(|at| self.peek_nth_token(*at).token != Token::EOF);
        let found = tokens.find(|at| is(*at, Keyword::AS) && is(at + 1, Keyword::EXECUTE));
        let Some(before) = found else {
            return Ok(None);
        };
        for _ in 0..=before {
            self.next_token();
        }
        let head = self.text_between(first, self.peek_token()).to_owned();
        self.expect_keyword(Keyword::EXECUTE)?;
        let mut statement = self.execute()?;
        let tail = self.text_from(self.peek_token()).to_owned();
        self.skip_rest();
        statement.around = Some((head, tail));
        Ok(Some(statement))
    }

    /// What follows `DECLARE`.
    pub(crate) fn declare(&mut self) -> Result<DeclareCursor> {
        let name = self.parse_identifier()?;
        let mut is_scroll = None;
        loop {
            if self.parse_keyword(Keyword::SCROLL) {
                is_scroll = Some(true);
            } else if self.parse_keywords(&[Keyword::NO, Keyword::SCROLL]) {
                is_scroll = Some(false);
            } else if self.parse_keyword(Keyword::BINARY) {
                return Err(Error::unsupported("a BINARY cursor"));
            } else if !(self.parse_keyword(Keyword::INSENSITIVE)
                || self.parse_keyword(Keyword::ASENSITIVE))
            {
                break;
            }
        }
        self.expect_keyword(Keyword::CURSOR)?;
        let is_held = self.parse_keywords(&[Keyword::WITH, Keyword::HOLD]);
        let _without = self.parse_keywords(&[Keyword::WITHOUT, Keyword::HOLD]);
        self.expect_keyword(Keyword::FOR)?;
        Ok(DeclareCursor {
            name,
            is_scroll,
            is_held,
            query: self.parse_query()?,
        })
    }

    /// What follows `FETCH` or `MOVE`: `[direction] [FROM | IN] cursor`.
    pub(crate) fn fetch_rows(&mut self, is_move: bool) -> Result<Command> {
        // A direction's word may also be the name of the cursor.
        let is_last = self.peek_nth_token(1).token == Token::EOF;
        let direction = match is_last {
            true => Direction::Forward(1),
            false => self.direction()?,
        };
        let _ = self.parse_one_of_keywords(&[Keyword::FROM, Keyword::IN]);
        Ok(Command::Fetch {
            name: self.parse_identifier()?.text,
            direction,
            is_move,
        })
    }

    fn direction(&mut self) -> Result<Direction> {
        let words = [
            Keyword::NEXT,
            Keyword::PRIOR,
            Keyword::FIRST,
            Keyword::LAST,
            Keyword::ABSOLUTE,
            Keyword::RELATIVE,
            Keyword::BACKWARD,
            Keyword::FORWARD,
        ];
        Ok(match self.parse_one_of_keywords(&words) {
            Some(Keyword::NEXT) => Direction::Forward(1),
            Some(Keyword::PRIOR) => Direction::Backward(1),
            Some(Keyword::FIRST) => Direction::Absolute(1),
            Some(Keyword::LAST) => Direction::Absolute(-1),
            Some(Keyword::ABSOLUTE) => Direction::Absolute(self.row_number()?),
            Some(Keyword::RELATIVE) => Direction::Relative(self.row_number()?),
            Some(Keyword::BACKWARD) => Direction::Backward(self.row_count()?),
            _ => Direction::Forward(self.row_count()?),
        })
    }

    /// `ALL`, a number, or one row.
    fn row_count(&mut self) -> Result<i64> {
        match self.parse_keyword(Keyword::ALL) {
            true => Ok(i64::MAX),
            false => Ok(self.whole_number()?.unwrap_or(1)),
        }
    }

    fn row_number(&mut self) -> Result<i64> {
        match self.whole_number()? {
            Some(number) => Ok(number),
            None => self.unexpected(),
        }
    }

    /// A whole number with its sign, if one comes next.
    fn whole_number(&mut self) -> Result<Option<i64>> {
        let minus = self.consume_token(&Token::Minus);
        let _plus = !minus && self.consume_token(&Token::Plus);
        let next = self.peek_token();
        if next.token != Token::Number {
            return match minus {
                true => self.unexpected(),
                false => Ok(None),
            };
        }
        let digits = self.text_of(next);
        let sign = if minus { "-" } else { "" };
        match format!("{sign}{digits}").parse() {
            Ok(number) => {
                self.next_token();
                Ok(Some(number))
            }
            Err(_) => self.unexpected(),
        }
    }

    /// A name; `None` for `ALL`.
    pub(crate) fn name_or_all(&mut self) -> Result<Option<String>> {
        match self.parse_keyword(Keyword::ALL) {
            true => Ok(None),
            false => Ok(Some(self.parse_identifier()?.text)),
        }
    }

    /// What follows `DISCARD`.
    pub(crate) fn discard(&mut self) -> Result<StatementBody> {
        let word = self.name_or_all()?;
        Ok(command(Command::Discard(match word.as_deref() {
            None => DiscardWhat::All,
            Some("plans") => DiscardWhat::Plans,
            Some("sequences") => DiscardWhat::Sequences,
            Some("temp" | "temporary") => DiscardWhat::Temporary,
            Some(_) => return Ok(self.unsupported(Some("this form of DISCARD"))),
        })))
    }
}
