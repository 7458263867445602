//! COPY.

use sqlparser::ast::{Expr, Ident, ObjectName, Query};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::parser::{IsOptional, Parser};
use crate::token::Token;

/// A COPY.
#[derive(Clone, Debug)]
pub struct Copy {
    /// What is copied.
    pub source: CopySource,
    /// `FROM`, else `TO`.
    pub is_from: bool,
    /// Where to or from.
    pub target: CopyTarget,
    /// Its options in order, in whichever way they are written.
    pub options: Vec<CopyOption>,
    /// `WHERE`
    pub filter: Option<Expr>,
}

/// What is copied.
#[derive(Clone, Debug)]
pub enum CopySource {
    /// A table, and the columns that are named.
    Table(ObjectName, Vec<Ident>),
    /// The rows of a query, or of a statement that changes rows.
    Query(Box<Query>),
}

/// Where COPY reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// `STDIN`, `STDOUT`
    Client,
    /// A file of the server.
    File,
    /// `PROGRAM`
    Program,
}

/// An option of COPY.
#[derive(Clone, Debug)]
pub struct CopyOption {
    /// Its name, in lower case.
    pub name: String,
    /// Where it stands.
    pub position: u32,
    /// Its value.
    pub value: CopyValue,
}

/// The value of an option of COPY.
#[derive(Clone, Debug)]
pub enum CopyValue {
    /// None is written.
    None,
    /// A word, a string or a number.
    Text(String),
    /// `*`
    All,
    /// Names of columns.
    Columns(Vec<Ident>),
}

impl Parser<'_> {
    /// What follows `COPY`.
    pub fn parse_copy(&mut self) -> Result<Copy> {
        let mut options = Vec::new();
        if self.peek_keyword(Keyword::BINARY) {
            options.push(self.format_option());
        }
        let source = match self.consume_token(&Token::LParen) {
            true => {
                let query = self.parse_query()?;
                self.expect_token(&Token::RParen)?;
                CopySource::Query(query)
            }
            false => CopySource::Table(
                self.parse_object_name(false)?,
                self.parse_parenthesized_column_list(IsOptional::Optional, false)?,
            ),
        };
        let is_from = match source {
            CopySource::Query(_) => self.expect_keyword(Keyword::TO).map(|_| false)?,
            CopySource::Table(..) => {
                self.expect_one_of_keywords(&[Keyword::FROM, Keyword::TO])? == Keyword::FROM
            }
        };
        let target = match self.parse_one_of_keywords(&[
            Keyword::STDIN,
            Keyword::STDOUT,
            Keyword::PROGRAM,
        ]) {
            Some(Keyword::PROGRAM) => self.parse_literal_string().map(|_| CopyTarget::Program)?,
            Some(_) => CopyTarget::Client,
            None => self.parse_literal_string().map(|_| CopyTarget::File)?,
        };
        if self.peek_keyword(Keyword::USING) || self.peek_keyword(Keyword::DELIMITERS) {
            let _ = self.parse_keyword(Keyword::USING);
            let next = self.expect_keyword(Keyword::DELIMITERS)?;
            options.push(CopyOption {
                name: "delimiter".to_owned(),
                position: next.position,
                value: CopyValue::Text(self.parse_literal_string()?),
            });
        }
        let _ = self.parse_keyword(Keyword::WITH);
        match self.peek() {
            Token::LParen => options.extend(self.parse_parenthesized(Parser::copy_option)?),
            _ => {
                while let Some(option) = self.bare_copy_option()? {
                    options.push(option);
                }
            }
        }
        let next = self.peek_token();
        let mut filter = None;
        if self.parse_keyword(Keyword::WHERE) {
            filter = Some(self.parse_expr()?);
            if !is_from {
                let message = "WHERE clause not allowed with COPY TO";
                return Err(Error::new(SqlState::SYNTAX_ERROR, message).at(next.position));
            }
        }
        Ok(Copy {
            source,
            is_from,
            target,
            options,
            filter,
        })
    }

    /// A word that names a format.
    fn format_option(&mut self) -> CopyOption {
        let next = self.next_token();
        CopyOption {
            name: "format".to_owned(),
            position: next.position,
            value: CopyValue::Text(self.text_of(next).to_ascii_lowercase()),
        }
    }

    /// An option in parentheses.
    fn copy_option(&mut self) -> Result<CopyOption> {
        let position = self.peek_token().position;
        let name = self.parse_label()?.value.to_ascii_lowercase();
        let value = match self.peek() {
            Token::Comma | Token::RParen => CopyValue::None,
            Token::Mul => {
                self.next_token();
                CopyValue::All
            }
            Token::LParen => CopyValue::Columns(self.parse_parenthesized(Parser::parse_label)?),
            token if Parser::is_string(token) => CopyValue::Text(self.parse_literal_string()?),
            Token::Number | Token::Minus | Token::Plus => {
                let sign = self.consume_token(&Token::Minus);
                let _plus = !sign && self.consume_token(&Token::Plus);
                let number = self.expect_token(&Token::Number)?;
                let digits = self.text_of(number);
                CopyValue::Text(format!("{}{digits}", if sign { "-" } else { "" }))
            }
            _ => {
                let word = self.parse_label()?;
                CopyValue::Text(match word.quote_style {
                    None => word.value.to_ascii_lowercase(),
                    Some(_) => word.value,
                })
            }
        };
        Ok(CopyOption {
            name,
            position,
            value,
        })
    }

    /// An option without parentheses, as they were written long ago.
    fn bare_copy_option(&mut self) -> Result<Option<CopyOption>> {
        let next = self.peek_token();
        let option = |name: &str, value| {
            Ok(Some(CopyOption {
                name: name.to_owned(),
                position: next.position,
                value,
            }))
        };
        let name = match next.keyword {
            Keyword::BINARY | Keyword::CSV => return Ok(Some(self.format_option())),
            Keyword::FREEZE => "freeze",
            Keyword::HEADER => "header",
            Keyword::DELIMITER => "delimiter",
            Keyword::NULL => "null",
            Keyword::QUOTE => "quote",
            Keyword::ESCAPE => "escape",
            Keyword::ENCODING => "encoding",
            Keyword::FORCE => {
                self.next_token();
                let kinds = [Keyword::QUOTE, Keyword::NOT, Keyword::NULL];
                let name = match self.expect_one_of_keywords(&kinds)? {
                    Keyword::QUOTE => "force_quote",
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        "force_not_null"
                    }
                    _ => "force_null",
                };
                return match name == "force_quote" && self.consume_token(&Token::Mul) {
                    true => option(name, CopyValue::All),
                    false => {
                        let columns = self.parse_comma_separated(Parser::parse_identifier)?;
                        option(name, CopyValue::Columns(columns))
                    }
                };
            }
            _ => return Ok(None),
        };
        self.next_token();
        if matches!(name, "freeze" | "header") {
            return option(name, CopyValue::None);
        }
        if name != "encoding" {
            let _ = self.parse_keyword(Keyword::AS);
        }
        let text = self.parse_literal_string()?;
        option(name, CopyValue::Text(text))
    }
}
