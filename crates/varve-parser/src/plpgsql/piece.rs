//! What stands between the words of PL/pgSQL: SQL.

use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use super::Reader;
use super::code::{Piece, Source, SqlStep, Step};
use crate::parse;

impl Reader<'_> {
    /// A value: SQL up to a semicolon or, outside of parentheses and CASE, one of these words.
    pub(super) fn value(&mut self, ends: &[&str]) -> Result<usize> {
        self.sql_up_to("SELECT ", ends)
    }

    /// A statement that gives rows.
    pub(super) fn query(&mut self, ends: &[&str]) -> Result<usize> {
        self.sql_up_to("", ends)
    }

    fn sql_up_to(&mut self, before: &str, ends: &[&str]) -> Result<usize> {
        let (start, behind) = self.sql(ends);
        if start.position == behind.position {
            return Err(self.parser.error_at(behind));
        }
        let text = self.parser.text_between(start, behind).to_owned();
        self.piece(before, &text, start, before.is_empty())
    }

    /// What follows EXECUTE, with USING where that comes next.
    pub(super) fn dynamic(&mut self, ends: &[&str]) -> Result<Source> {
        let text = self.value(ends)?;
        let mut source = Source::Text(text, Vec::new());
        self.using(&mut source)?;
        Ok(source)
    }

    /// The values of `$1`, `$2`, ..., where they come next.
    pub(super) fn using(&mut self, source: &mut Source) -> Result<()> {
        if let Source::Text(_, values) = source
            && self.parser.parse_word("using")
        {
            loop {
                values.push(self.value(&[",", "into", "loop"])?);
                if !self.parser.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A statement of SQL, with INTO or without.
    pub(super) fn statement(&mut self) -> Result<()> {
        let first = self.parser.peek_token();
        let at = self.parser.index();
        let (start, behind) = self.sql(&[]);
        let end = self.parser.index();
        while self.parser.index() > at {
            self.parser.prev_token();
        }
        let mut into = Vec::new();
        let mut strict = false;
        let mut depth = 0_i32;
        let mut cut: Option<(Lexeme, Lexeme)> = None;
        let has_target = |keyword| matches!(keyword, Keyword::INSERT | Keyword::MERGE);
        let mut before = Keyword::NoKeyword;
        while self.parser.index() < end {
            let next = self.parser.next_token();
            match next.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Word
                    if depth == 0
                        && next.keyword == Keyword::INTO
                        && !has_target(before)
                        && cut.is_none() =>
                {
                    strict = self.parser.parse_word("strict");
                    into = self.targets()?;
                    cut = Some((next, self.parser.peek_token()));
                }
                _ => {}
            }
            before = next.keyword;
        }
        let text = match cut {
            None => self.parser.text_between(start, behind).to_owned(),
            Some((from, to)) => {
                let head = self.parser.text_between(start, from);
                // The words behind keep their places.
                let blank = self.parser.text_between(from, to).chars().map(|_| ' ');
                let blank: String = blank.collect();
                format!("{head}{blank}{}", self.parser.text_between(to, behind))
            }
        };
        let piece = self.piece("", &text, first, true)?;
        let step = SqlStep {
            source: Source::Piece(piece),
            must_take: into.is_empty(),
            into,
            strict,
        };
        self.push(Step::Sql(step), "at SQL statement", first);
        Ok(())
    }

    /// Passes over SQL; answers its first token and the one behind it.
    pub(super) fn sql(&mut self, ends: &[&str]) -> (Lexeme, Lexeme) {
        let start = self.parser.peek_token();
        let (mut depth, mut cases) = (0_i32, 0_u32);
        loop {
            let next = self.parser.peek_token();
            let text = match next.token {
                Token::Period if self.parser.peek_nth_token(1).token == Token::Period => "..",
                _ => self.parser.text_of(next),
            };
            let is_end = ends.iter().any(|word| text.eq_ignore_ascii_case(word));
            match next.token {
                Token::SemiColon | Token::EOF => return (start, next),
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                _ if depth == 0 && cases == 0 && is_end => return (start, next),
                _ => match next.keyword {
                    Keyword::CASE => cases += 1,
                    Keyword::END => cases = cases.saturating_sub(1),
                    _ => {}
                },
            }
            self.parser.next_token();
        }
    }

    /// Parses a piece of SQL that stands in the body from a token on. Errors name it where it is a
    /// statement.
    pub(super) fn piece(
        &mut self,
        before: &str,
        text: &str,
        start: Lexeme,
        is_statement: bool,
    ) -> Result<usize> {
        let place = |error: Error| {
            let own = u32::try_from(before.len()).unwrap_or(u32::MAX);
            let position = error.position().unwrap_or(1).saturating_sub(own).max(1);
            let position = start.position.saturating_add(position).saturating_sub(1);
            error.without_position().at(position)
        };
        let text = format!("{before}{}", text.trim_end());
        let mut parsed = parse(&text).map_err(place)?;
        let (Some(statement), true) = (parsed.pop(), parsed.is_empty()) else {
            return Err(self.parser.error_at(start));
        };
        self.code.pieces.push(Piece {
            statement,
            text: if is_statement { text } else { String::new() },
            scope: self.scope,
        });
        Ok(self.code.pieces.len() - 1)
    }
}
