//! Names.

use varve_ast::{Literal, LiteralKind, Name, ObjectName, SignedNumber};
use varve_lexer::{Class, Keyword, Lexeme, Token, name_text, string_text};
use varve_types::{Error, Result};

use crate::parser::{IsOptional, Parser};

/// An error of a token, whose place is counted from the token's start.
fn within(error: Error, lexeme: Lexeme) -> Error {
    error.moved(lexeme.position.saturating_sub(1))
}

impl<'a> Parser<'a> {
    /// A word of any kind as a name.
    pub(crate) fn name_of(&self, lexeme: Lexeme) -> Result<Name> {
        let raw = self.text_of(lexeme);
        let is_quoted = lexeme.token != Token::Word;
        let text = match is_quoted {
            true => name_text(lexeme.token, raw).map_err(|error| within(error, lexeme))?,
            false => raw.to_ascii_lowercase(),
        };
        Ok(Name {
            text,
            is_quoted,
            span: lexeme.span(),
        })
    }

    /// Whether a token may name something; `reserved` tells which keywords may not.
    fn names(lexeme: Lexeme, allowed: fn(Class) -> bool) -> bool {
        match lexeme.token {
            Token::Word => allowed(lexeme.keyword.class()),
            Token::QuotedWord | Token::UnicodeWord => true,
            _ => false,
        }
    }

    /// Whether a token may name a column or table.
    pub(crate) fn is_name(lexeme: Lexeme) -> bool {
        Parser::names(lexeme, |class| {
            matches!(class, Class::Unreserved | Class::ColumnName)
        })
    }

    /// Whether a token may name a function or type.
    pub(crate) fn is_type_name(lexeme: Lexeme) -> bool {
        Parser::names(lexeme, |class| {
            matches!(class, Class::Unreserved | Class::FunctionName)
        })
    }

    /// Whether a token may name anything but a label.
    pub(crate) fn is_nonreserved(lexeme: Lexeme) -> bool {
        Parser::names(lexeme, |class| class != Class::Reserved)
    }

    /// Whether a token may stand behind AS or a dot.
    pub(crate) fn is_label(lexeme: Lexeme) -> bool {
        Parser::names(lexeme, |_| true)
    }

    fn name_if(&mut self, is_allowed: bool) -> Result<Name> {
        let next = self.next_token();
        match is_allowed {
            true => self.name_of(next),
            false => Err(self.error_at(next)),
        }
    }

    /// The name of a column, table, constraint or the like.
    pub fn parse_identifier(&mut self) -> Result<Name> {
        self.name_if(Parser::is_name(self.peek_token()))
    }

    /// A name that may be any word but a reserved one: of roles, settings, types.
    pub fn parse_nonreserved(&mut self) -> Result<Name> {
        self.name_if(Parser::is_nonreserved(self.peek_token()))
    }

    /// Any word: behind AS or a dot.
    pub fn parse_label(&mut self) -> Result<Name> {
        self.name_if(Parser::is_label(self.peek_token()))
    }

    /// A name if one comes next.
    pub fn parse_optional_identifier(&mut self) -> Result<Option<Name>> {
        match Parser::is_name(self.peek_token()) {
            true => self.parse_identifier().map(Some),
            false => Ok(None),
        }
    }

    /// A name that may be qualified.
    pub fn parse_object_name(&mut self) -> Result<ObjectName> {
        let first = self.parse_identifier()?;
        self.name_from(first)
    }

    /// The name of a function or type, which may be qualified.
    pub fn parse_function_name(&mut self) -> Result<ObjectName> {
        let next = self.peek_token();
        let qualified = self.peek_nth_token(1).token == Token::Period;
        let allowed = match qualified {
            true => Parser::is_name(next),
            false => Parser::is_type_name(next),
        };
        let first = self.name_if(allowed)?;
        self.name_from(first)
    }

    /// A name whose first part was taken.
    pub(crate) fn name_from(&mut self, first: Name) -> Result<ObjectName> {
        let mut name = ObjectName::simple(first);
        while self.consume_token(&Token::Period) {
            let last = core::mem::replace(&mut name.name, self.parse_label()?);
            name.qualifiers.push(last);
        }
        Ok(name)
    }

    /// Names with commas between them.
    pub fn parse_object_names(&mut self) -> Result<Vec<ObjectName>> {
        self.parse_comma_separated(Parser::parse_object_name)
    }

    /// Names in parentheses.
    pub fn parse_parenthesized_column_list(&mut self, optional: IsOptional) -> Result<Vec<Name>> {
        if optional == IsOptional::Optional && self.peek() != Token::LParen {
            return Ok(Vec::new());
        }
        self.parse_parenthesized(Parser::parse_identifier)
    }

    /// Whether a token is a string of any kind.
    pub fn is_string(token: Token) -> bool {
        matches!(
            token,
            Token::SingleQuotedString
                | Token::EscapedStringLiteral
                | Token::UnicodeStringLiteral
                | Token::DollarQuotedString
        )
    }

    /// The text of a string token.
    pub fn string_of(&self, lexeme: Lexeme) -> Result<String> {
        string_text(lexeme.token, self.text_of(lexeme)).map_err(|error| within(error, lexeme))
    }

    /// A string.
    pub fn parse_literal_string(&mut self) -> Result<String> {
        let next = self.next_token();
        match Parser::is_string(next.token) {
            true => self.string_of(next),
            false => Err(self.error_at(next)),
        }
    }

    /// An integer that is not negative.
    pub fn parse_literal_uint(&mut self) -> Result<u64> {
        let next = self.next_token();
        let number = match next.token {
            Token::Number => self.text_of(next).replace('_', "").parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| self.error_at(next))
    }

    /// A number, which may have a sign.
    pub fn parse_number(&mut self) -> Result<SignedNumber> {
        let first = self.next_span();
        let is_negative = self.consume_token(&Token::Minus);
        if !is_negative {
            let _plus = self.consume_token(&Token::Plus);
        }
        if self.peek() != Token::Number {
            return self.unexpected();
        }
        let number = self.next_token();
        Ok(SignedNumber {
            is_negative,
            digits: self.text_of(number).to_owned(),
            span: self.since(first),
        })
    }

    /// A number, string or truth value; `None` for NULL, of which the word is taken.
    pub(crate) fn parse_constant(&mut self) -> Result<Option<Literal>> {
        let next = self.next_token();
        let kind = match next.token {
            Token::Number => LiteralKind::Number,
            Token::SingleQuotedString
            | Token::EscapedStringLiteral
            | Token::UnicodeStringLiteral
            | Token::DollarQuotedString => LiteralKind::Text,
            Token::NationalStringLiteral => LiteralKind::National,
            Token::HexStringLiteral => LiteralKind::Hex,
            Token::BitStringLiteral => LiteralKind::Bits,
            _ => match next.keyword {
                Keyword::NULL => return Ok(None),
                Keyword::TRUE => LiteralKind::True,
                Keyword::FALSE => LiteralKind::False,
                _ => return Err(self.error_at(next)),
            },
        };
        let text = match kind {
            LiteralKind::Number => self.text_of(next).to_owned(),
            LiteralKind::True | LiteralKind::False => String::new(),
            _ => self.string_of(next)?,
        };
        let span = next.span();
        Ok(Some(Literal { kind, text, span }))
    }
}
