//! Options with names: storage parameters, and those of EXPLAIN, VACUUM and the like.

use varve_ast::{DefinedOption, LiteralKind, OptionValue, OptionValueKind};
use varve_lexer::Token;
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// What is said twice.
pub(crate) fn redundant(position: u32) -> Error {
    Error::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options").at(position)
}

impl Parser<'_> {
    /// Storage parameters in parentheses: `(name = value, prefix.name)`.
    pub(crate) fn parse_storage_options(&mut self) -> Result<Vec<DefinedOption>> {
        self.parse_parenthesized(|parser| {
            let mut name = parser.parse_label()?;
            while parser.consume_token(&Token::Period) {
                let part = parser.parse_label()?;
                name.text.push('.');
                name.text.push_str(&part.text);
                name.span = name.span.to(part.span);
            }
            let value = match parser.consume_token(&Token::Eq) {
                true => Some(parser.option_value()?),
                false => None,
            };
            Ok(DefinedOption { name, value })
        })
    }

    /// Options in parentheses, of EXPLAIN and the like: names with a value or without.
    pub(crate) fn parse_utility_options(&mut self) -> Result<Vec<DefinedOption>> {
        self.parse_parenthesized(Parser::utility_option)
    }

    fn utility_option(&mut self) -> Result<DefinedOption> {
        let name = self.parse_label()?;
        let value = match self.peek() {
            Token::Comma | Token::RParen => None,
            _ => Some(self.option_value()?),
        };
        Ok(DefinedOption { name, value })
    }

    /// The value of an option.
    pub(crate) fn option_value(&mut self) -> Result<OptionValue> {
        let first = self.peek_token();
        let (kind, text) = match first.token {
            Token::Plus | Token::Minus | Token::Number => {
                let number = self.parse_number()?;
                let sign = if number.is_negative { "-" } else { "" };
                (OptionValueKind::Number, format!("{sign}{}", number.digits))
            }
            Token::Word | Token::QuotedWord | Token::UnicodeWord => {
                (OptionValueKind::Word, self.parse_label()?.text)
            }
            Token::Placeholder => {
                self.next_token();
                (OptionValueKind::Other, String::new())
            }
            _ => match self.parse_constant()? {
                Some(literal) if literal.kind == LiteralKind::Text => {
                    (OptionValueKind::Text, literal.text)
                }
                _ => (OptionValueKind::Other, String::new()),
            },
        };
        Ok(OptionValue {
            kind,
            text,
            span: self.since(first.span()),
        })
    }

    /// Options of a statement in parentheses, if they come next; each must be one of these.
    pub(crate) fn known_options(
        &mut self,
        statement: &str,
        known: &[&str],
    ) -> Result<Vec<DefinedOption>> {
        if self.peek() != Token::LParen {
            return Ok(Vec::new());
        }
        let options = self.parse_parenthesized(|parser| {
            let position = parser.peek_token().position;
            Ok((position, parser.utility_option()?))
        })?;
        for (position, option) in &options {
            let name = option.name.text.as_str();
            if !known.contains(&name) {
                let message = format!("unrecognized {statement} option \"{name}\"");
                return Err(Error::new(SqlState::SYNTAX_ERROR, message).at(*position));
            }
            check_option(option)?;
        }
        Ok(options.into_iter().map(|(_, option)| option).collect())
    }
}

/// Refuses what an option cannot be.
fn check_option(option: &DefinedOption) -> Result<()> {
    let word = option.value.as_ref().map(|value| value.text.as_str());
    let message = match option.name.text.as_str() {
        "buffer_usage_limit" => return Ok(()),
        "parallel" => {
            let workers = word.and_then(|word| word.parse().ok());
            if workers.is_some_and(|workers| (0..=1024).contains(&workers)) {
                return Ok(());
            }
            "parallel workers for vacuum must be between 0 and 1024".to_owned()
        }
        "index_cleanup" if word == Some("auto") => return Ok(()),
        _ if switch(word).is_some() => return Ok(()),
        name => format!("{name} requires a Boolean value"),
    };
    Err(Error::new(SqlState::SYNTAX_ERROR, message))
}

/// Whether an option is on, where it is one that can be.
fn switch(word: Option<&str>) -> Option<bool> {
    let Some(word) = word else {
        return Some(true);
    };
    match word.to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// Whether an option is given, and not as OFF.
pub(crate) fn is_given(options: &[DefinedOption], name: &str) -> bool {
    let mut named = options.iter().rev();
    let last = named.find(|option| option.name.text == name);
    let word = |value: &OptionValue| switch(Some(&value.text));
    last.is_some_and(|last| last.value.as_ref().map_or(Some(true), word) == Some(true))
}
