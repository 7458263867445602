//! CREATE, ALTER and DROP TRIGGER.

use sqlparser::ast::{Ident, ObjectName};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

/// `CREATE [OR REPLACE] TRIGGER`
#[derive(Debug)]
pub struct CreateTrigger {
    /// `OR REPLACE`
    pub or_replace: bool,
    /// Its name.
    pub name: Ident,
    /// `BEFORE`, else `AFTER` or `INSTEAD OF`.
    pub before: bool,
    /// `INSTEAD OF`
    pub instead: bool,
    /// `INSERT`
    pub insert: bool,
    /// `UPDATE`
    pub update: bool,
    /// `DELETE`
    pub delete: bool,
    /// `TRUNCATE`
    pub truncate: bool,
    /// `UPDATE OF`
    pub columns: Vec<Ident>,
    /// The table.
    pub table: ObjectName,
    /// `FOR EACH ROW`, else `FOR EACH STATEMENT`.
    pub for_each_row: bool,
    /// The text of `WHEN`.
    pub condition: Option<String>,
    /// The function.
    pub function: ObjectName,
    /// What `TG_ARGV` has.
    pub arguments: Vec<String>,
}

/// `DROP TRIGGER [IF EXISTS] name ON table`, `ALTER TRIGGER name ON table RENAME TO name`
#[derive(Debug)]
pub struct NamedTrigger {
    /// `IF EXISTS`
    pub if_exists: bool,
    /// Its name.
    pub name: Ident,
    /// The table.
    pub table: ObjectName,
}

impl Parser<'_> {
    /// What follows `CREATE [OR REPLACE] TRIGGER`.
    pub fn parse_create_trigger(&mut self, or_replace: bool) -> Result<Box<CreateTrigger>> {
        let name = self.parse_identifier()?;
        let before = self.parse_word("before");
        let instead = !before && self.parse_word("instead");
        if instead {
            self.expect_word("of")?;
        } else if !before {
            self.expect_word("after")?;
        }
        let mut create = CreateTrigger {
            or_replace,
            name,
            before,
            instead,
            insert: false,
            update: false,
            delete: false,
            truncate: false,
            columns: Vec::new(),
            table: ObjectName(Vec::new()),
            for_each_row: false,
            condition: None,
            function: ObjectName(Vec::new()),
            arguments: Vec::new(),
        };
        loop {
            let next = self.next_token();
            let event = match next.keyword {
                Keyword::INSERT => &mut create.insert,
                Keyword::UPDATE => &mut create.update,
                Keyword::DELETE => &mut create.delete,
                Keyword::TRUNCATE => &mut create.truncate,
                _ => return Err(self.error_at(next)),
            };
            if core::mem::replace(event, true) {
                return Err(self.error_at(next));
            }
            if next.keyword == Keyword::UPDATE && self.parse_word("of") {
                create.columns = self.parse_comma_separated(Parser::parse_identifier)?;
            }
            if !self.parse_keyword(Keyword::OR) {
                break;
            }
        }
        self.expect_keyword(Keyword::ON)?;
        create.table = self.parse_object_name(false)?;
        let next = self.peek_token();
        for word in ["from", "not", "deferrable", "initially", "referencing"] {
            if self.peek_word(word) {
                let what = format!("{} of a trigger", word.to_ascii_uppercase());
                return Err(Error::unsupported(what).at(next.position));
            }
        }
        if self.parse_word("for") {
            let _ = self.parse_word("each");
            create.for_each_row = self.parse_word("row");
            if !create.for_each_row {
                self.expect_word("statement")?;
            }
        }
        if self.parse_keyword(Keyword::WHEN) {
            self.expect_token(&Token::LParen)?;
            let start = self.peek_token();
            self.parse_expr()?;
            let text = self.text_between(start, self.peek_token()).trim_end();
            create.condition = Some(text.to_owned());
            self.expect_token(&Token::RParen)?;
        }
        self.expect_word("execute")?;
        if !self.parse_word("function") {
            self.expect_word("procedure")?;
        }
        create.function = self.parse_function_name()?;
        self.expect_token(&Token::LParen)?;
        if !self.consume_token(&Token::RParen) {
            create.arguments = self.parse_comma_separated(|parser| {
                let next = parser.peek_token();
                match next.token {
                    token if Parser::is_string(token) => parser.parse_literal_string(),
                    Token::Number => {
                        parser.next_token();
                        Ok(parser.text_of(next).to_owned())
                    }
                    _ => Ok(parser.parse_label()?.value),
                }
            })?;
            self.expect_token(&Token::RParen)?;
        }
        Ok(Box::new(create))
    }

    /// A trigger by its name and table.
    pub fn parse_named_trigger(&mut self, with_if_exists: bool) -> Result<NamedTrigger> {
        let if_exists = with_if_exists && self.if_exists();
        let name = self.parse_identifier()?;
        self.expect_keyword(Keyword::ON)?;
        Ok(NamedTrigger {
            if_exists,
            name,
            table: self.parse_object_name(false)?,
        })
    }
}
