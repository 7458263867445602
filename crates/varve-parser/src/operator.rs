//! Operators and their names.

use sqlparser::ast::{BinaryOperator, UnaryOperator};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::{Lexeme, Token};

/// The operator of a text between two operands.
pub(crate) fn binary(text: &str) -> BinaryOperator {
    use BinaryOperator as Op;
    match text {
        "+" => Op::Plus,
        "-" => Op::Minus,
        "*" => Op::Multiply,
        "/" => Op::Divide,
        "%" => Op::Modulo,
        "^" => Op::PGExp,
        "=" => Op::Eq,
        "<" => Op::Lt,
        ">" => Op::Gt,
        "<=" => Op::LtEq,
        ">=" => Op::GtEq,
        "<>" | "!=" => Op::NotEq,
        "||" => Op::StringConcat,
        "|" => Op::BitwiseOr,
        "&" => Op::BitwiseAnd,
        "#" => Op::PGBitwiseXor,
        "<<" => Op::PGBitwiseShiftLeft,
        ">>" => Op::PGBitwiseShiftRight,
        "&&" => Op::PGOverlap,
        "^@" => Op::PGStartsWith,
        "~" => Op::PGRegexMatch,
        "~*" => Op::PGRegexIMatch,
        "!~" => Op::PGRegexNotMatch,
        "!~*" => Op::PGRegexNotIMatch,
        "~~" => Op::PGLikeMatch,
        "~~*" => Op::PGILikeMatch,
        "!~~" => Op::PGNotLikeMatch,
        "!~~*" => Op::PGNotILikeMatch,
        "->" => Op::Arrow,
        "->>" => Op::LongArrow,
        "#>" => Op::HashArrow,
        "#>>" => Op::HashLongArrow,
        "@>" => Op::AtArrow,
        "<@" => Op::ArrowAt,
        "#-" => Op::HashMinus,
        "@?" => Op::AtQuestion,
        "@@" => Op::AtAt,
        "?" => Op::Question,
        "?&" => Op::QuestionAnd,
        "?|" => Op::QuestionPipe,
        "##" => Op::DoubleHash,
        "&<" => Op::AndLt,
        "&>" => Op::AndGt,
        "?-" => Op::QuestionDash,
        "&<|" => Op::AndLtPipe,
        "|&>" => Op::PipeAndGt,
        "<->" => Op::LtDashGt,
        "<^" => Op::LtCaret,
        ">^" => Op::GtCaret,
        "?#" => Op::QuestionHash,
        "?||" => Op::QuestionDoublePipe,
        "?-|" => Op::QuestionDashPipe,
        "~=" => Op::TildeEq,
        "<<|" => Op::LtLtPipe,
        "|>>" => Op::PipeGtGt,
        "@" => Op::At,
        other => Op::Custom(other.to_owned()),
    }
}

/// The operator of a text before an operand.
pub(crate) fn unary(text: &str) -> Result<UnaryOperator> {
    use UnaryOperator as Op;
    Ok(match text {
        "+" => Op::Plus,
        "-" => Op::Minus,
        "~" => Op::BitwiseNot,
        "@" => Op::PGAbs,
        "|/" => Op::PGSquareRoot,
        "||/" => Op::PGCubeRoot,
        "!!" => Op::PGPrefixFactorial,
        "#" => Op::Hash,
        "!" => Op::BangNot,
        "@-@" => Op::AtDashAt,
        "@@" => Op::DoubleAt,
        "?-" => Op::QuestionDash,
        "?|" => Op::QuestionPipe,
        other => {
            let message = format!("operator does not exist: {other}");
            return Err(Error::new(SqlState::UNDEFINED_FUNCTION, message));
        }
    })
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
    /// The name of an operator that a token is; `!=` is `<>`.
    pub(crate) fn operator_text(&self, lexeme: Lexeme) -> &str {
        match lexeme.token {
            Token::Neq => "<>",
            _ => self.text_of(lexeme),
        }
    }

    /// `(schema.op)` behind OPERATOR.
    pub(crate) fn operator_parts(&mut self) -> Result<Vec<String>> {
        self.expect_token(&Token::LParen)?;
        let mut parts = Vec::new();
        loop {
            let next = self.next_token();
            if is_operator(next.token) {
                parts.push(self.operator_text(next).to_owned());
                break;
            }
            self.prev_token();
            parts.push(self.parse_identifier()?.value);
            self.expect_token(&Token::Period)?;
        }
        self.expect_token(&Token::RParen)?;
        Ok(parts)
    }

    /// An operator or OPERATOR(...): its parts.
    pub(crate) fn any_operator(&mut self) -> Result<Vec<String>> {
        if self.peek_keyword(Keyword::OPERATOR) {
            self.next_token();
            return self.operator_parts();
        }
        let next = self.next_token();
        match is_operator(next.token) {
            true => Ok(vec![self.operator_text(next).to_owned()]),
            false => Err(self.error_at(next)),
        }
    }
}
