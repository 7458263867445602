//! RAISE, ASSERT, GET DIAGNOSTICS.

use varve_lexer::{Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use super::block::target;
use super::code::{Raise, Step};
use super::{Reader, unsupported};

/// What GET DIAGNOSTICS and GET STACKED DIAGNOSTICS tell.
const CURRENT: [&str; 1] = ["row_count"];
const STACKED: [&str; 9] = [
    "returned_sqlstate",
    "message_text",
    "pg_exception_detail",
    "pg_exception_hint",
    "pg_exception_context",
    "table_name",
    "column_name",
    "constraint_name",
    "pg_datatype_name",
];

impl Reader<'_> {
    /// What follows RAISE.
    pub(super) fn raise(&mut self, at: Lexeme) -> Result<()> {
        let first = self.parser.peek_token();
        let levels = ["debug", "log", "info", "notice", "warning", "exception"];
        let level = levels.iter().find(|level| self.parser.parse_word(level));
        let mut raise = Raise {
            level: level.unwrap_or(&"exception").to_ascii_uppercase(),
            format: String::new(),
            values: Vec::new(),
            options: Vec::new(),
            condition: None,
        };
        let next = self.parser.peek_token();
        match next.token {
            Token::SemiColon if level.is_none() => {
                self.push(Step::Raise(None), "at RAISE", at);
                return Ok(());
            }
            Token::SemiColon => return Err(self.parser.error_at(next)),
            Token::Word if self.parser.peek_word("using") => {}
            Token::Word if self.parser.parse_word("sqlstate") => {
                raise.condition = Some(self.parser.parse_literal_string()?);
            }
            Token::Word => {
                raise.condition = Some(self.parser.parse_label()?.text);
            }
            _ => {
                raise.format = self.parser.parse_literal_string()?;
                while self.parser.consume_token(&Token::Comma) {
                    let value = self.value(&[",", "using"])?;
                    raise.values.push(value);
                }
            }
        }
        if self.parser.parse_word("using") {
            loop {
                let name = self.parser.parse_label()?.text.to_ascii_lowercase();
                if !self.assignment() {
                    return Err(self.parser.error_at(self.parser.peek_token()));
                }
                let value = self.value(&[","])?;
                raise.options.push((name, value));
                if !self.parser.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        let places = raise.format.replace("%%", "").matches('%').count();
        if raise.condition.is_none() && places != raise.values.len() {
            let message = match places > raise.values.len() {
                true => "too few parameters specified for RAISE",
                false => "too many parameters specified for RAISE",
            };
            return Err(Error::new(SqlState::SYNTAX_ERROR, message).at(first.position));
        }
        self.push(Step::Raise(Some(raise)), "at RAISE", at);
        Ok(())
    }

    /// What follows ASSERT.
    pub(super) fn assert(&mut self, at: Lexeme) -> Result<()> {
        let what = "at ASSERT";
        let (fails, behind) = (self.label(), self.label());
        let condition = self.value(&[","])?;
        self.push(Step::JumpUnless(condition, fails), what, at);
        self.push(Step::Jump(behind, self.open), what, at);
        self.place(fails);
        if self.parser.consume_token(&Token::Comma) {
            let message = self.value(&[])?;
            let raise = Raise {
                level: "EXCEPTION".to_owned(),
                format: String::new(),
                values: Vec::new(),
                options: vec![("message".to_owned(), message)],
                condition: Some("assert_failure".to_owned()),
            };
            self.push(Step::Raise(Some(raise)), what, at);
        }
        let fail = Step::Fail(SqlState::ASSERT_FAILURE, "assertion failed", "");
        self.push(fail, what, at);
        self.place(behind);
        Ok(())
    }

    /// What follows GET.
    pub(super) fn diagnostics(&mut self, at: Lexeme) -> Result<()> {
        let is_stacked = self.parser.parse_word("stacked");
        let _ = !is_stacked && self.parser.parse_word("current");
        self.parser.expect_word("diagnostics")?;
        let mut items = Vec::new();
        loop {
            let first = self.parser.peek_token();
            let target = target(&mut self.parser)?;
            self.check_target(&target, first)?;
            if !self.assignment() {
                return Err(self.parser.error_at(self.parser.peek_token()));
            }
            let next = self.parser.peek_token();
            let item = self.parser.parse_label()?.text.to_ascii_lowercase();
            let known = if is_stacked { &STACKED[..] } else { &CURRENT };
            if !known.contains(&item.as_str()) {
                let what = format!("{} in GET DIAGNOSTICS", item.to_ascii_uppercase());
                return Err(unsupported(&what, next));
            }
            items.push((target, item));
            if !self.parser.consume_token(&Token::Comma) {
                break;
            }
        }
        let what = match is_stacked {
            true => "at GET STACKED DIAGNOSTICS",
            false => "at GET DIAGNOSTICS",
        };
        self.push(Step::Diagnostics(is_stacked, items), what, at);
        Ok(())
    }
}
