//! Operators and their names.

use varve_ast::Operator;
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// Operators that stand before an operand.
const PREFIXES: [&str; 13] = [
    "+", "-", "~", "@", "|/", "||/", "!!", "#", "!", "@-@", "@@", "?-", "?|",
];

/// Refuses a name that no operator before an operand has.
pub(crate) fn check_prefix(operator: &Operator) -> Result<()> {
    if PREFIXES.contains(&operator.name.as_ref()) {
        return Ok(());
    }
    let message = format!("operator does not exist: {}", operator.name);
    Err(Error::new(SqlState::UNDEFINED_FUNCTION, message))
}

/// Whether a token is an operator.
pub(crate) fn is_operator(token: Token) -> bool {
    matches!(
        token,
        Token::Operator
            | Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::Mod
            | Token::Caret
            | Token::Eq
            | Token::Neq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
    )
}

impl Parser<'_> {
    /// The name of an operator that a token is; `!=` is `<>`, and SQLite's `==` is `=`.
    pub(crate) fn operator_text(&self, lexeme: Lexeme) -> &str {
        match lexeme.token {
            Token::Neq => "<>",
            Token::Operator if self.is_double_equal(lexeme) => "=",
            _ => self.text_of(lexeme),
        }
    }

    /// Whether a token is `==`, which compares as tightly as `=`.
    pub(crate) fn is_double_equal(&self, lexeme: Lexeme) -> bool {
        self.text_of(lexeme) == "=="
    }

    /// The operator that a token is.
    pub(crate) fn operator_of(&self, lexeme: Lexeme) -> Operator {
        Operator {
            qualifiers: Vec::new(),
            name: self.operator_text(lexeme).into(),
            span: lexeme.span(),
        }
    }

    /// `(schema.op)` behind OPERATOR, which was taken: its place is that of the word.
    pub(crate) fn operator_parts(&mut self) -> Result<Operator> {
        let span = self.last_span();
        self.expect_token(&Token::LParen)?;
        let mut qualifiers = Vec::new();
        let name = loop {
            let next = self.next_token();
            if is_operator(next.token) {
                break self.operator_text(next).into();
            }
            self.prev_token();
            qualifiers.push(self.parse_identifier()?);
            self.expect_token(&Token::Period)?;
        };
        self.expect_token(&Token::RParen)?;
        Ok(Operator {
            qualifiers,
            name,
            span: self.since(span),
        })
    }

    /// An operator or OPERATOR(...).
    pub(crate) fn any_operator(&mut self) -> Result<Operator> {
        if self.peek_keyword(Keyword::OPERATOR) {
            self.next_token();
            return self.operator_parts();
        }
        let next = self.next_token();
        match is_operator(next.token) {
            true => Ok(self.operator_of(next)),
            false => Err(self.error_at(next)),
        }
    }
}
