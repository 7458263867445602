//! Names.

use sqlparser::ast::{
    DollarQuotedString, Expr, Ident, ObjectName, ObjectNamePart, UnaryOperator, Value,
    ValueWithSpan,
};
use varve_types::{Error, Result};

use crate::keyword::{Class, Keyword};
use crate::parser::{IsOptional, Parser, span_at};
use crate::quoted::{dollar_tag, name_text, string_text};
use crate::token::{Lexeme, Token};

/// A name of one part.
pub(crate) fn single(ident: Ident) -> ObjectName {
    ObjectName(vec![ObjectNamePart::Identifier(ident)])
}

/// An error of a token, whose place is counted from the token's start.
fn within(error: Error, lexeme: Lexeme) -> Error {
    error.moved(lexeme.position.saturating_sub(1))
}

impl<'a> Parser<'a> {
    /// A word of any kind as an identifier.
    pub(crate) fn ident_of(&self, lexeme: Lexeme) -> Result<Ident> {
        let raw = self.text_of(lexeme);
        let (value, quote_style) = match lexeme.token {
            Token::Word => (raw.to_owned(), None),
            token => {
                let text = name_text(token, raw).map_err(|error| within(error, lexeme))?;
                (text, Some('"'))
            }
        };
        Ok(Ident {
            value,
            quote_style,
            span: span_at(lexeme.position),
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

    fn ident_if(&mut self, is_allowed: bool) -> Result<Ident> {
        let next = self.next_token();
        match is_allowed {
            true => self.ident_of(next),
            false => Err(self.error_at(next)),
        }
    }

    /// The name of a column, table, constraint or the like.
    pub fn parse_identifier(&mut self) -> Result<Ident> {
        self.ident_if(Parser::is_name(self.peek_token()))
    }

    /// A name that may be any word but a reserved one: of roles, settings, types.
    pub fn parse_nonreserved(&mut self) -> Result<Ident> {
        self.ident_if(Parser::is_nonreserved(self.peek_token()))
    }

    /// Any word: behind AS or a dot.
    pub fn parse_label(&mut self) -> Result<Ident> {
        self.ident_if(Parser::is_label(self.peek_token()))
    }

    /// A name if one comes next.
    pub fn parse_optional_identifier(&mut self) -> Result<Option<Ident>> {
        match Parser::is_name(self.peek_token()) {
            true => self.parse_identifier().map(Some),
            false => Ok(None),
        }
    }

    /// A name that may be qualified. The flag is for sqlparser's callers: it says nothing here.
    pub fn parse_object_name(&mut self, _in_table_clause: bool) -> Result<ObjectName> {
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
        let first = self.ident_if(allowed)?;
        self.name_from(first)
    }

    /// A name whose first part was taken.
    pub(crate) fn name_from(&mut self, first: Ident) -> Result<ObjectName> {
        let mut parts = vec![ObjectNamePart::Identifier(first)];
        while self.consume_token(&Token::Period) {
            parts.push(ObjectNamePart::Identifier(self.parse_label()?));
        }
        Ok(ObjectName(parts))
    }

    /// Names with commas between them.
    pub fn parse_object_names(&mut self) -> Result<Vec<ObjectName>> {
        self.parse_comma_separated(|parser| parser.parse_object_name(false))
    }

    /// Names in parentheses.
    pub fn parse_parenthesized_column_list(
        &mut self,
        optional: IsOptional,
        _allow_empty: bool,
    ) -> Result<Vec<Ident>> {
        if optional == IsOptional::Optional && self.peek() != Token::LParen {
            return Ok(Vec::new());
        }
        self.parse_parenthesized(Parser::parse_identifier)
    }

    /// Names in parentheses, which may be qualified.
    pub fn parse_parenthesized_qualified_column_list(
        &mut self,
        optional: IsOptional,
        _allow_empty: bool,
    ) -> Result<Vec<ObjectName>> {
        if optional == IsOptional::Optional && self.peek() != Token::LParen {
            return Ok(Vec::new());
        }
        self.parse_parenthesized(|parser| parser.parse_object_name(false))
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
    pub fn parse_number(&mut self) -> Result<Expr> {
        let sign = match self.peek() {
            Token::Minus => Some(UnaryOperator::Minus),
            Token::Plus => Some(UnaryOperator::Plus),
            _ => None,
        };
        if sign.is_some() {
            self.next_token();
        }
        if self.peek() != Token::Number {
            return self.unexpected();
        }
        let number = Expr::Value(self.parse_value()?);
        Ok(match sign {
            Some(op) => Expr::UnaryOp {
                op,
                expr: Box::new(number),
            },
            None => number,
        })
    }

    /// A literal or parameter.
    pub fn parse_value(&mut self) -> Result<ValueWithSpan> {
        let next = self.next_token();
        let raw = self.text_of(next);
        let value = match next.token {
            Token::Number => Value::Number(raw.to_owned(), false),
            Token::Placeholder => Value::Placeholder(raw.to_owned()),
            Token::SingleQuotedString => Value::SingleQuotedString(self.string_of(next)?),
            Token::EscapedStringLiteral => Value::EscapedStringLiteral(self.string_of(next)?),
            Token::UnicodeStringLiteral => Value::UnicodeStringLiteral(self.string_of(next)?),
            Token::NationalStringLiteral => Value::NationalStringLiteral(self.string_of(next)?),
            Token::HexStringLiteral => Value::HexStringLiteral(self.string_of(next)?),
            Token::BitStringLiteral => Value::SingleQuotedByteStringLiteral(self.string_of(next)?),
            Token::DollarQuotedString => Value::DollarQuotedString(DollarQuotedString {
                value: self.string_of(next)?,
                tag: Some(dollar_tag(raw))
                    .filter(|tag| !tag.is_empty())
                    .map(str::to_owned),
            }),
            _ => match next.keyword {
                Keyword::NULL => Value::Null,
                Keyword::TRUE => Value::Boolean(true),
                Keyword::FALSE => Value::Boolean(false),
                _ => return Err(self.error_at(next)),
            },
        };
        Ok(ValueWithSpan {
            value,
            span: span_at(next.position),
        })
    }
}
