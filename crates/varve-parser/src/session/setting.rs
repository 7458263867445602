//! SET, RESET and SHOW.

use varve_ast::{Command, StatementBody};
use varve_lexer::{Keyword, Token};
use varve_types::{Result, SqlText};

use crate::parser::Parser;
use crate::statement::command;

impl Parser<'_> {
    /// What follows `SET`.
    pub(crate) fn set(&mut self) -> Result<StatementBody> {
        let local = self.parse_keyword(Keyword::LOCAL);
        let is_session = !local && self.parse_keyword(Keyword::SESSION);
        if is_session && self.parse_keyword(Keyword::CHARACTERISTICS) {
            self.expect_keyword(Keyword::AS)?;
            self.expect_keyword(Keyword::TRANSACTION)?;
            let modes = self.transaction_modes(false)?;
            return Ok(command(Command::SetCharacteristics(modes)));
        }
        let role = if is_session && self.parse_keyword(Keyword::AUTHORIZATION) {
            Some("session_authorization")
        } else {
            self.parse_keyword(Keyword::ROLE).then_some("role")
        };
        if let Some(name) = role {
            let value = match self.parse_keyword(Keyword::DEFAULT) {
                true => None,
                false => Some(self.setting_values(false)?),
            };
            let name = name.to_owned();
            return Ok(command(Command::Set { name, value, local }));
        }
        if !local && !is_session {
            if self.parse_keyword(Keyword::TRANSACTION) {
                return self.set_transaction();
            }
            if self.parse_keyword(Keyword::CONSTRAINTS) {
                return self.set_constraints();
            }
        }
        let (name, value) = match self.parse_keyword(Keyword::TIME) {
            true => ("timezone".to_owned(), self.time_zone_value()?),
            false => self.set_value()?,
        };
        Ok(command(Command::Set { name, value, local }))
    }

    /// What follows `SET TRANSACTION`.
    fn set_transaction(&mut self) -> Result<StatementBody> {
        if self.parse_keyword(Keyword::SNAPSHOT) {
            return Ok(self.unsupported(Some("SET TRANSACTION SNAPSHOT")));
        }
        let modes = self.transaction_modes(false)?;
        Ok(command(Command::SetTransaction(modes)))
    }

    /// What follows `SET CONSTRAINTS`.
    fn set_constraints(&mut self) -> Result<StatementBody> {
        let names = match self.parse_keyword(Keyword::ALL) {
            true => None,
            false => Some(self.parse_comma_separated(Parser::constraint_name)?),
        };
        let deferred = self.parse_keyword(Keyword::DEFERRED);
        if !deferred {
            self.expect_keyword(Keyword::IMMEDIATE)?;
        }
        Ok(command(Command::SetConstraints { names, deferred }))
    }

    /// A name without the schema `public`.
    fn constraint_name(&mut self) -> Result<String> {
        let first = self.parse_identifier()?.text;
        match first == "public" && self.consume_token(&Token::Period) {
            true => Ok(self.parse_identifier()?.text),
            false => Ok(first),
        }
    }

    /// `name = value`, `name TO value`
    fn set_value(&mut self) -> Result<(String, Option<String>)> {
        let name = self.setting()?;
        if !self.consume_token(&Token::Eq) {
            self.expect_keyword(Keyword::TO)?;
        }
        let value = match self.parse_keyword(Keyword::DEFAULT) {
            true => None,
            false => Some(self.setting_values(name == "search_path")?),
        };
        Ok((name, value))
    }

    /// What follows `SET TIME`.
    fn time_zone_value(&mut self) -> Result<Option<String>> {
        self.expect_keyword(Keyword::ZONE)?;
        if self.parse_keyword(Keyword::DEFAULT) || self.parse_keyword(Keyword::LOCAL) {
            return Ok(None);
        }
        if !self.parse_keyword(Keyword::INTERVAL) {
            return self.setting_values(false).map(Some);
        }
        let text = self.parse_literal_string()?;
        for word in [Keyword::HOUR, Keyword::TO, Keyword::MINUTE] {
            let _ = self.parse_keyword(word);
        }
        Ok(Some(format!("INTERVAL '{text}'")))
    }

    /// The name of a setting, which may have a prefix.
    fn setting(&mut self) -> Result<String> {
        let mut name = self.parse_identifier()?.text;
        while self.consume_token(&Token::Period) {
            name.push('.');
            name.push_str(&self.parse_identifier()?.text);
        }
        Ok(name.to_ascii_lowercase())
    }

    /// What follows `RESET` or `SHOW`; `None` for `ALL`.
    pub(crate) fn setting_or_all(&mut self) -> Result<Option<String>> {
        if self.parse_keyword(Keyword::ALL) {
            return Ok(None);
        }
        if self.parse_keyword(Keyword::TIME) {
            self.expect_keyword(Keyword::ZONE)?;
            return Ok(Some("timezone".to_owned()));
        }
        if self.parse_keyword(Keyword::SESSION) {
            self.expect_keyword(Keyword::AUTHORIZATION)?;
            return Ok(Some("session_authorization".to_owned()));
        }
        if self.parse_keyword(Keyword::TRANSACTION) {
            self.expect_keyword(Keyword::ISOLATION)?;
            self.expect_keyword(Keyword::LEVEL)?;
            return Ok(Some("transaction_isolation".to_owned()));
        }
        self.setting().map(Some)
    }

    /// The values of a setting as one text, commas between them; names in quotes where they need
    /// them.
    fn setting_values(&mut self, are_names: bool) -> Result<String> {
        let quoted = |value: &str| match are_names {
            true => SqlText::name(value).into_string(),
            false => value.to_owned(),
        };
        let mut text = String::new();
        loop {
            let minus = self.consume_token(&Token::Minus);
            let token = self.next_token();
            match token.token {
                Token::Number => {
                    if minus {
                        text.push('-');
                    }
                    text.push_str(self.text_of(token));
                }
                Token::SingleQuotedString | Token::EscapedStringLiteral if !minus => {
                    text.push_str(&quoted(&self.string_of(token)?));
                }
                Token::Word if !minus => {
                    text.push_str(&self.text_of(token).to_ascii_lowercase());
                }
                Token::QuotedWord if !minus => {
                    text.push_str(&quoted(&self.name_of(token)?.text));
                }
                _ => return Err(self.error_at(token)),
            }
            if !self.consume_token(&Token::Comma) {
                return Ok(text);
            }
            text.push_str(", ");
        }
    }
}
