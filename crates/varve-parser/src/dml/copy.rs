//! COPY.

use varve_ast::{Copy, CopyOption, CopySource, CopyTarget, CopyValue, Expr};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::{IsOptional, Parser};

impl Parser<'_> {
    /// What follows `COPY`.
    pub fn parse_copy(&mut self) -> Result<Copy> {
        let mut options = Vec::new();
        if self.peek_keyword(Keyword::BINARY) {
            options.push(self.format_option());
        }
        let source = self.copy_source()?;
        let is_from = match source {
            CopySource::Query(_) => self.expect_keyword(Keyword::TO).map(|_| false)?,
            CopySource::Table(..) => {
                self.expect_one_of_keywords(&[Keyword::FROM, Keyword::TO])? == Keyword::FROM
            }
        };
        let target = self.copy_target()?;
        if self.peek_keyword(Keyword::USING) || self.peek_keyword(Keyword::DELIMITERS) {
            let _ = self.parse_keyword(Keyword::USING);
            let word = self.expect_keyword(Keyword::DELIMITERS)?;
            options.push(CopyOption {
                name: "delimiter".to_owned(),
                value: CopyValue::Text(self.parse_literal_string()?),
                span: self.since(word.span()),
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
        Ok(Copy {
            source,
            is_from,
            target,
            options,
            filter: self.copy_filter(is_from)?,
        })
    }

    /// A query in parentheses, or a table and its columns.
    fn copy_source(&mut self) -> Result<CopySource> {
        if self.consume_token(&Token::LParen) {
            let query = self.parse_query()?;
            self.expect_token(&Token::RParen)?;
            return Ok(CopySource::Query(query));
        }
        let name = self.parse_object_name()?;
        let columns = self.parse_parenthesized_column_list(IsOptional::Optional)?;
        Ok(CopySource::Table(name, columns))
    }

    fn copy_target(&mut self) -> Result<CopyTarget> {
        let words = [Keyword::STDIN, Keyword::STDOUT, Keyword::PROGRAM];
        let target = match self.parse_one_of_keywords(&words) {
            Some(Keyword::PROGRAM) => CopyTarget::Program,
            Some(_) => return Ok(CopyTarget::Client),
            None => CopyTarget::File,
        };
        self.parse_literal_string()?;
        Ok(target)
    }

    /// `WHERE`, which only COPY FROM takes.
    fn copy_filter(&mut self, is_from: bool) -> Result<Option<Expr>> {
        let word = self.peek_token();
        let filter = self.selection()?;
        match filter {
            Some(_) if !is_from => {
                let message = "WHERE clause not allowed with COPY TO";
                Err(Error::new(SqlState::SYNTAX_ERROR, message).at(word.position))
            }
            filter => Ok(filter),
        }
    }

    /// A word that names a format.
    fn format_option(&mut self) -> CopyOption {
        let word = self.next_token();
        CopyOption {
            name: "format".to_owned(),
            value: CopyValue::Text(self.text_of(word).to_ascii_lowercase()),
            span: word.span(),
        }
    }

    /// An option in parentheses.
    fn copy_option(&mut self) -> Result<CopyOption> {
        let first = self.next_span();
        let name = self.parse_label()?.text.to_ascii_lowercase();
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
            _ => CopyValue::Text(self.parse_label()?.text),
        };
        Ok(CopyOption {
            name,
            value,
            span: self.since(first),
        })
    }

    /// An option without parentheses, as they were written long ago.
    fn bare_copy_option(&mut self) -> Result<Option<CopyOption>> {
        let first = self.peek_token();
        let name = match first.keyword {
            Keyword::BINARY | Keyword::CSV => return Ok(Some(self.format_option())),
            Keyword::FREEZE => "freeze",
            Keyword::HEADER => "header",
            Keyword::DELIMITER => "delimiter",
            Keyword::NULL => "null",
            Keyword::QUOTE => "quote",
            Keyword::ESCAPE => "escape",
            Keyword::ENCODING => "encoding",
            Keyword::FORCE => "force",
            _ => return Ok(None),
        };
        self.next_token();
        let (name, value) = match name {
            "force" => self.forced_columns()?,
            "freeze" | "header" => (name, CopyValue::None),
            _ => {
                if name != "encoding" {
                    let _ = self.parse_keyword(Keyword::AS);
                }
                (name, CopyValue::Text(self.parse_literal_string()?))
            }
        };
        Ok(Some(CopyOption {
            name: name.to_owned(),
            value,
            span: self.since(first.span()),
        }))
    }

    /// What follows `FORCE`: the name of the option, and its columns.
    fn forced_columns(&mut self) -> Result<(&'static str, CopyValue)> {
        let kinds = [Keyword::QUOTE, Keyword::NOT, Keyword::NULL];
        let name = match self.expect_one_of_keywords(&kinds)? {
            Keyword::QUOTE => "force_quote",
            Keyword::NOT => {
                self.expect_keyword(Keyword::NULL)?;
                "force_not_null"
            }
            _ => "force_null",
        };
        let value = match name == "force_quote" && self.consume_token(&Token::Mul) {
            true => CopyValue::All,
            false => CopyValue::Columns(self.parse_comma_separated(Parser::parse_identifier)?),
        };
        Ok((name, value))
    }
}
