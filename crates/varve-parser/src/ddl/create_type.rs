//! CREATE and ALTER of types and domains.

use varve_ast::{AlterDomain, AlterEnum, CreateDomain, Ddl, EnumPlace};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `CREATE DOMAIN`.
    pub(crate) fn create_domain(&mut self) -> Result<Box<CreateDomain>> {
        let name = self.parse_object_name()?;
        let _as = self.parse_keyword(Keyword::AS);
        Ok(Box::new(CreateDomain {
            name,
            type_name: self.parse_data_type()?,
            constraints: self.parse_column_constraints()?,
        }))
    }

    /// What follows `ALTER DOMAIN`; `None` for what is not supported.
    pub(crate) fn alter_domain(&mut self) -> Result<Option<Ddl>> {
        let name = self.parse_object_name()?;
        let change = if self.parse_words(&["SET", "SCHEMA"]) {
            AlterDomain::SetSchema(self.parse_identifier()?)
        } else if self.parse_words(&["OWNER", "TO"]) {
            AlterDomain::Owner(self.parse_role()?)
        } else if self.parse_keyword(Keyword::ADD) || self.set_of_domain() {
            self.put_on_domain()?
        } else if self.parse_words(&["DROP", "DEFAULT"]) {
            AlterDomain::DropDefault
        } else if self.parse_words(&["DROP", "NOT", "NULL"]) {
            AlterDomain::DropNotNull
        } else if self.parse_words(&["DROP", "CONSTRAINT"]) {
            let if_exists = self.if_exists();
            let name = self.parse_identifier()?;
            let _cascade = self.cascade();
            AlterDomain::DropConstraint { name, if_exists }
        } else if self.parse_words(&["VALIDATE", "CONSTRAINT"]) {
            AlterDomain::Validate(self.parse_identifier()?)
        } else if self.parse_words(&["RENAME", "CONSTRAINT"]) {
            let from = self.parse_identifier()?;
            self.expect_keyword(Keyword::TO)?;
            let to = self.parse_identifier()?;
            AlterDomain::RenameConstraint { from, to }
        } else if self.parse_words(&["RENAME", "TO"]) {
            AlterDomain::RenameTo(self.parse_identifier()?)
        } else {
            return Ok(None);
        };
        Ok(Some(Ddl::AlterDomain { name, change }))
    }

    /// Takes SET before DEFAULT or NOT NULL.
    fn set_of_domain(&mut self) -> bool {
        let second = self.peek_nth_token(1).keyword;
        matches!(second, Keyword::DEFAULT | Keyword::NOT) && self.parse_keyword(Keyword::SET)
    }

    /// The one thing that a domain gets.
    fn put_on_domain(&mut self) -> Result<AlterDomain> {
        let first = self.peek_token();
        let mut constraints = self.parse_column_constraints()?;
        match constraints.pop() {
            Some(constraint) if constraints.is_empty() => Ok(AlterDomain::Put {
                constraint: Box::new(constraint),
                not_valid: self.parse_keywords(&[Keyword::NOT, Keyword::VALID]),
            }),
            _ => self.expected("one constraint", first),
        }
    }

    /// What follows `CREATE TYPE`; `None` for types that are not supported.
    pub(crate) fn create_type(&mut self) -> Result<Option<Ddl>> {
        let name = self.parse_object_name()?;
        if self.parse_words(&["AS", "ENUM"]) {
            let labels = self.in_parentheses(Parser::parse_literal_string)?;
            return Ok(Some(Ddl::CreateEnum { name, labels }));
        }
        if !self.parse_keyword(Keyword::AS) || self.peek() != Token::LParen {
            return Ok(None);
        }
        let fields = self.in_parentheses(|parser| {
            let name = parser.parse_identifier()?;
            Ok((name, parser.parse_data_type()?))
        })?;
        Ok(Some(Ddl::CreateRowType { name, fields }))
    }

    /// A list in parentheses that may be empty.
    fn in_parentheses<T>(&mut self, parse: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_token(&Token::LParen)?;
        let mut items = Vec::new();
        if !self.consume_token(&Token::RParen) {
            items = self.parse_comma_separated(parse)?;
            self.expect_token(&Token::RParen)?;
        }
        Ok(items)
    }

    /// What follows `ALTER TYPE`; `None` for what is not supported.
    pub(crate) fn alter_type(&mut self) -> Result<Option<Ddl>> {
        let name = self.parse_object_name()?;
        let change = if self.parse_words(&["ADD", "VALUE"]) {
            AlterEnum::Add {
                if_not_exists: self.parse_words(&["IF", "NOT", "EXISTS"]),
                label: self.parse_literal_string()?,
                place: self.enum_place()?,
            }
        } else if self.parse_words(&["RENAME", "VALUE"]) {
            let from = self.parse_literal_string()?;
            self.expect_keyword(Keyword::TO)?;
            let to = self.parse_literal_string()?;
            AlterEnum::RenameValue { from, to }
        } else if self.parse_words(&["RENAME", "TO"]) {
            AlterEnum::RenameTo(self.parse_identifier()?)
        } else if self.parse_words(&["SET", "SCHEMA"]) {
            AlterEnum::SetSchema(self.parse_identifier()?)
        } else if self.parse_words(&["OWNER", "TO"]) {
            AlterEnum::Owner(self.parse_role()?)
        } else {
            return Ok(None);
        };
        Ok(Some(Ddl::AlterEnum { name, change }))
    }

    /// Where a label is added.
    fn enum_place(&mut self) -> Result<EnumPlace> {
        Ok(if self.parse_keyword(Keyword::BEFORE) {
            EnumPlace::Before(self.parse_literal_string()?)
        } else if self.parse_keyword(Keyword::AFTER) {
            EnumPlace::After(self.parse_literal_string()?)
        } else {
            EnumPlace::End
        })
    }
}
