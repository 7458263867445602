//! COPY.

use sqlparser::ast::{
    CopyLegacyCsvOption, CopyLegacyOption, CopyOption, CopySource, CopyTarget, Ident, Statement,
};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::parser::{IsOptional, Parser};
use crate::token::Token;

impl Parser<'_> {
    /// What follows `COPY`.
    pub fn parse_copy(&mut self) -> Result<Statement> {
        let binary = self.parse_keyword(Keyword::BINARY);
        let source = match self.consume_token(&Token::LParen) {
            true => {
                let query = self.parse_query()?;
                self.expect_token(&Token::RParen)?;
                CopySource::Query(query)
            }
            false => CopySource::Table {
                table_name: self.parse_object_name(false)?,
                columns: self.parse_parenthesized_column_list(IsOptional::Optional, false)?,
            },
        };
        let to = match source {
            CopySource::Query(_) => self.expect_keyword(Keyword::TO).map(|_| true)?,
            CopySource::Table { .. } => {
                self.expect_one_of_keywords(&[Keyword::FROM, Keyword::TO])? == Keyword::TO
            }
        };
        let target = if self.parse_keyword(Keyword::STDIN) {
            CopyTarget::Stdin
        } else if self.parse_keyword(Keyword::STDOUT) {
            CopyTarget::Stdout
        } else if self.parse_keyword(Keyword::PROGRAM) {
            CopyTarget::Program {
                command: self.parse_literal_string()?,
            }
        } else {
            CopyTarget::File {
                filename: self.parse_literal_string()?,
            }
        };
        let mut legacy_options = Vec::new();
        if binary {
            legacy_options.push(CopyLegacyOption::Binary);
        }
        if self.parse_keyword(Keyword::USING) {
            self.expect_keyword(Keyword::DELIMITERS)?;
            legacy_options.push(CopyLegacyOption::Delimiter(
                self.one_character("delimiter")?,
            ));
        }
        let _ = self.parse_keyword(Keyword::WITH);
        let mut options = Vec::new();
        if self.peek() == Token::LParen {
            options = self.parse_parenthesized(Parser::copy_option)?;
        } else {
            while let Some(option) = self.legacy_copy_option()? {
                legacy_options.push(option);
            }
        }
        if self.peek_keyword(Keyword::WHERE) {
            let error = match to {
                true => {
                    let message = "WHERE clause not allowed with COPY TO";
                    Error::new(SqlState::SYNTAX_ERROR, message)
                }
                false => Error::unsupported("WHERE in COPY"),
            };
            return Err(error.at(self.peek_token().position));
        }
        Ok(Statement::Copy {
            source,
            to,
            target,
            options,
            legacy_options,
            values: Vec::new(),
        })
    }

    /// A string of one character.
    fn one_character(&mut self, what: &str) -> Result<char> {
        let _ = self.parse_keyword(Keyword::AS);
        let place = self.peek_token().position;
        let text = self.parse_literal_string()?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => {
                let message = format!("COPY {what} must be a single one-byte character");
                Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).at(place))
            }
        }
    }

    /// An option in parentheses.
    fn copy_option(&mut self) -> Result<CopyOption> {
        let key = self.peek_token();
        let name = self.parse_label()?.value.to_ascii_lowercase();
        Ok(match name.as_str() {
            "format" => CopyOption::Format(self.parse_label_or_string()?),
            "freeze" => CopyOption::Freeze(self.copy_flag()?),
            "delimiter" => CopyOption::Delimiter(self.one_character("delimiter")?),
            "null" => CopyOption::Null(self.parse_literal_string()?),
            "header" => CopyOption::Header(self.copy_flag()?),
            "quote" => CopyOption::Quote(self.one_character("quote")?),
            "escape" => CopyOption::Escape(self.one_character("escape")?),
            "force_quote" => CopyOption::ForceQuote(self.copy_columns()?),
            "force_not_null" => CopyOption::ForceNotNull(self.copy_columns()?),
            "force_null" => CopyOption::ForceNull(self.copy_columns()?),
            "encoding" => CopyOption::Encoding(self.parse_literal_string()?),
            "default" => return Err(Error::unsupported("DEFAULT in COPY").at(key.position)),
            _ => {
                let message = format!("option \"{name}\" not recognized");
                return Err(Error::new(SqlState::SYNTAX_ERROR, message).at(key.position));
            }
        })
    }

    fn parse_label_or_string(&mut self) -> Result<Ident> {
        let next = self.peek_token();
        if !Parser::is_string(next.token) {
            return self.parse_label();
        }
        Ok(Ident {
            value: self.parse_literal_string()?,
            quote_style: Some('\''),
            span: crate::parser::span_at(next.position),
        })
    }

    /// The value of an option that is on or off: on where none is written.
    fn copy_flag(&mut self) -> Result<bool> {
        let next = self.peek_token();
        if matches!(next.token, Token::Comma | Token::RParen) {
            return Ok(true);
        }
        self.next_token();
        let word = match Parser::is_string(next.token) {
            true => self.string_of(next)?,
            false => self.text_of(next).to_owned(),
        };
        match word.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Ok(true),
            "false" | "off" | "0" => Ok(false),
            "match" => Err(Error::unsupported("HEADER MATCH").at(next.position)),
            _ => Err(self.error_at(next)),
        }
    }

    /// Names in parentheses, or none for `*`.
    fn copy_columns(&mut self) -> Result<Vec<Ident>> {
        match self.consume_token(&Token::Mul) {
            true => Ok(Vec::new()),
            false => self.parse_parenthesized(Parser::parse_identifier),
        }
    }

    /// An option without parentheses, as they were written long ago.
    fn legacy_copy_option(&mut self) -> Result<Option<CopyLegacyOption>> {
        let next = self.peek_token();
        let csv = |option| CopyLegacyOption::Csv(vec![option]);
        self.next_token();
        Ok(Some(match next.keyword {
            Keyword::BINARY => CopyLegacyOption::Binary,
            Keyword::CSV => CopyLegacyOption::Csv(Vec::new()),
            Keyword::HEADER => CopyLegacyOption::Header,
            Keyword::DELIMITER => CopyLegacyOption::Delimiter(self.one_character("delimiter")?),
            Keyword::NULL => {
                let _ = self.parse_keyword(Keyword::AS);
                CopyLegacyOption::Null(self.parse_literal_string()?)
            }
            Keyword::QUOTE => csv(CopyLegacyCsvOption::Quote(self.one_character("quote")?)),
            Keyword::ESCAPE => csv(CopyLegacyCsvOption::Escape(self.one_character("escape")?)),
            Keyword::FORCE => {
                let kinds = [Keyword::QUOTE, Keyword::NOT, Keyword::NULL];
                match self.expect_one_of_keywords(&kinds)? {
                    Keyword::QUOTE => csv(CopyLegacyCsvOption::ForceQuote(match self.peek() {
                        Token::Mul => self.copy_columns()?,
                        _ => self.parse_comma_separated(Parser::parse_identifier)?,
                    })),
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        csv(CopyLegacyCsvOption::ForceNotNull(
                            self.parse_comma_separated(Parser::parse_identifier)?,
                        ))
                    }
                    _ => return Err(Error::unsupported("FORCE NULL").at(next.position)),
                }
            }
            Keyword::FREEZE => return Err(Error::unsupported("FREEZE").at(next.position)),
            Keyword::ENCODING => return Err(Error::unsupported("ENCODING").at(next.position)),
            _ => {
                self.prev_token();
                return Ok(None);
            }
        }))
    }
}
