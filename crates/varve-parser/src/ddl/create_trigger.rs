//! CREATE TRIGGER, and triggers by their name and table.

use varve_ast::{CreateTrigger, Name, NamedTrigger, TriggerTiming};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `CREATE [OR REPLACE] TRIGGER`.
    #[inline(never)]
    pub(crate) fn create_trigger(&mut self, or_replace: bool) -> Result<Box<CreateTrigger>> {
        let name = self.parse_identifier()?;
        let timing = self.trigger_timing()?;
        let (events, columns) = self.trigger_events()?;
        self.expect_keyword(Keyword::ON)?;
        let table = self.parse_object_name()?;
        let next = self.peek_token();
        for word in ["from", "not", "deferrable", "initially", "referencing"] {
            if self.peek_word(word) {
                let what = format!("{} of a trigger", word.to_ascii_uppercase());
                return Err(Error::unsupported(what).at(next.position));
            }
        }
        let for_each_row = self.trigger_level()?;
        let mut condition = None;
        if self.parse_keyword(Keyword::WHEN) {
            self.expect_token(&Token::LParen)?;
            condition = Some(self.expr_text()?);
            self.expect_token(&Token::RParen)?;
        }
        self.expect_word("execute")?;
        if !self.parse_word("function") {
            self.expect_word("procedure")?;
        }
        Ok(Box::new(CreateTrigger {
            or_replace,
            name,
            timing,
            on_insert: events.contains(&Keyword::INSERT),
            on_update: events.contains(&Keyword::UPDATE),
            on_delete: events.contains(&Keyword::DELETE),
            on_truncate: events.contains(&Keyword::TRUNCATE),
            columns,
            table,
            for_each_row,
            condition,
            function: self.parse_function_name()?,
            arguments: self.trigger_arguments()?,
        }))
    }

    fn trigger_timing(&mut self) -> Result<TriggerTiming> {
        if self.parse_word("before") {
            return Ok(TriggerTiming::Before);
        }
        if self.parse_word("instead") {
            self.expect_word("of")?;
            return Ok(TriggerTiming::InsteadOf);
        }
        self.expect_word("after")?;
        Ok(TriggerTiming::After)
    }

    /// `INSERT OR UPDATE OF columns ...`
    fn trigger_events(&mut self) -> Result<(Vec<Keyword>, Vec<Name>)> {
        let (mut events, mut columns) = (Vec::new(), Vec::new());
        loop {
            let next = self.next_token();
            let is_event = matches!(
                next.keyword,
                Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::TRUNCATE
            );
            if !is_event || events.contains(&next.keyword) {
                return Err(self.error_at(next));
            }
            events.push(next.keyword);
            if next.keyword == Keyword::UPDATE && self.parse_word("of") {
                columns = self.parse_comma_separated(Parser::parse_identifier)?;
            }
            if !self.parse_keyword(Keyword::OR) {
                return Ok((events, columns));
            }
        }
    }

    /// Whether it is `FOR EACH ROW`.
    fn trigger_level(&mut self) -> Result<bool> {
        if !self.parse_word("for") {
            return Ok(false);
        }
        let _ = self.parse_word("each");
        let for_each_row = self.parse_word("row");
        if !for_each_row {
            self.expect_word("statement")?;
        }
        Ok(for_each_row)
    }

    fn trigger_arguments(&mut self) -> Result<Vec<String>> {
        self.expect_token(&Token::LParen)?;
        if self.consume_token(&Token::RParen) {
            return Ok(Vec::new());
        }
        let arguments = self.parse_comma_separated(|parser| {
            let next = parser.peek_token();
            match next.token {
                token if Parser::is_string(token) => parser.parse_literal_string(),
                Token::Number => {
                    parser.next_token();
                    Ok(parser.text_of(next).to_owned())
                }
                _ => Ok(parser.parse_label()?.text),
            }
        })?;
        self.expect_token(&Token::RParen)?;
        Ok(arguments)
    }

    /// A trigger by its name and table.
    pub(crate) fn named_trigger(&mut self, with_if_exists: bool) -> Result<NamedTrigger> {
        let if_exists = with_if_exists && self.if_exists();
        let name = self.parse_identifier()?;
        self.expect_keyword(Keyword::ON)?;
        Ok(NamedTrigger {
            if_exists,
            name,
            table: self.parse_object_name()?,
        })
    }
}
