//! What stands behind an operand: operators, IS, IN, BETWEEN, LIKE, casts.

use core::mem::replace;

use sqlparser::ast::{
    BinaryOperator, CastKind, Expr, JsonKeyUniqueness, JsonPredicateType, NormalizationForm, Value,
    ValueWithSpan,
};
use varve_types::{Error, Result};

use crate::expr::{Kind, Node, level};
use crate::keyword::Keyword;
use crate::marker::{SYMMETRIC, marker, type_at};
use crate::operator::binary;
use crate::parser::{Parser, span_at};
use crate::primary::push_node;
use crate::token::Token;

/// Takes a node out to put another one around it.
fn take(node: &mut Node) -> Node {
    let null = Expr::Value(ValueWithSpan {
        value: Value::Null,
        span: span_at(0),
    });
    replace(node, Box::new(null))
}

#[inline(never)]
fn join(node: &mut Node, op: BinaryOperator, right: Node) {
    let left = take(node);
    **node = Expr::BinaryOp { left, op, right };
}

impl Parser<'_> {
    /// How tightly the operator that comes next binds; 0 for what is none.
    pub(crate) fn infix_level(&self, kind: Kind) -> u8 {
        let next = self.peek_token();
        match next.token {
            Token::Operator => level::OPERATOR,
            Token::Plus | Token::Minus => level::ADD,
            Token::Mul | Token::Div | Token::Mod => level::MULTIPLY,
            Token::Caret => level::POWER,
            Token::Eq | Token::Neq | Token::Lt | Token::Gt | Token::LtEq | Token::GtEq => {
                level::COMPARE
            }
            Token::DoubleColon => level::CAST,
            Token::Word => self.word_level(next.keyword, kind),
            _ => 0,
        }
    }

    fn word_level(&self, keyword: Keyword, kind: Kind) -> u8 {
        let second = self.peek_nth_token(1);
        if kind == Kind::Restricted {
            let third = self.peek_nth_token(2).keyword;
            return match keyword {
                Keyword::OPERATOR if second.token == Token::LParen => level::OPERATOR,
                Keyword::IS if second.keyword == Keyword::DISTINCT => level::IS,
                Keyword::IS if third == Keyword::DISTINCT && second.keyword == Keyword::NOT => {
                    level::IS
                }
                _ => 0,
            };
        }
        match keyword {
            Keyword::OR => level::OR,
            Keyword::AND => level::AND,
            Keyword::IS | Keyword::ISNULL | Keyword::NOTNULL => level::IS,
            Keyword::BETWEEN | Keyword::IN | Keyword::LIKE | Keyword::ILIKE | Keyword::OVERLAPS => {
                level::BETWEEN
            }
            // Without TO it is a word of SUBSTRING.
            Keyword::SIMILAR if second.keyword == Keyword::TO => level::BETWEEN,
            Keyword::NOT => match second.keyword {
                Keyword::BETWEEN
                | Keyword::IN
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::SIMILAR => level::BETWEEN,
                _ => 0,
            },
            Keyword::OPERATOR if second.token == Token::LParen => level::OPERATOR,
            Keyword::AT if matches!(second.keyword, Keyword::TIME | Keyword::LOCAL) => level::AT,
            Keyword::COLLATE => level::COLLATE,
            _ => 0,
        }
    }

    /// Puts the operator that comes next around `left`; whether its last operand is open, so that
    /// an operator of the same level may not follow.
    pub(crate) fn infix(&mut self, left: &mut Node, level: u8, kind: Kind) -> Result<bool> {
        let next = self.next_token();
        if next.token == Token::DoubleColon {
            self.double_colon(left)?;
            return Ok(false);
        }
        let op = match next.keyword {
            Keyword::NoKeyword => binary(self.text_of(next)),
            Keyword::AND => BinaryOperator::And,
            Keyword::OR => BinaryOperator::Or,
            _ => return self.infix_word(left, next.keyword, kind),
        };
        if level >= level::COMPARE && self.at_quantifier() {
            self.quantified(left, op)?;
            return Ok(false);
        }
        let right = self.expr_above(level, kind)?;
        join(left, op, right);
        Ok(true)
    }

    #[inline(never)]
    fn double_colon(&mut self, left: &mut Node) -> Result<()> {
        let format = type_at(self.peek_token().position);
        let data_type = self.parse_data_type()?;
        let expr = take(left);
        **left = Expr::Cast {
            kind: CastKind::DoubleColon,
            expr,
            data_type,
            format,
        };
        Ok(())
    }

    /// Whether `ANY (`, `SOME (` or `ALL (` comes next.
    fn at_quantifier(&self) -> bool {
        let quantifiers = [Keyword::ANY, Keyword::SOME, Keyword::ALL];
        quantifiers.contains(&self.peek_token().keyword)
            && self.peek_nth_token(1).token == Token::LParen
    }

    #[inline(never)]
    fn quantified(&mut self, left: &mut Node, compare_op: BinaryOperator) -> Result<()> {
        let quantifier = self.next_token().keyword;
        self.next_token();
        let right = match self.at_query() {
            true => Box::new(Expr::Subquery(self.query()?)),
            false => self.node_or_query()?,
        };
        self.expect_token(&Token::RParen)?;
        let left_node = take(left);
        **left = match quantifier {
            Keyword::ALL => Expr::AllOp {
                left: left_node,
                compare_op,
                right,
            },
            _ => Expr::AnyOp {
                left: left_node,
                compare_op,
                right,
                is_some: quantifier == Keyword::SOME,
            },
        };
        Ok(())
    }

    #[inline(never)]
    fn infix_word(&mut self, left: &mut Node, word: Keyword, kind: Kind) -> Result<bool> {
        let negated = word == Keyword::NOT;
        let word = match negated {
            true => self.next_token().keyword,
            false => word,
        };
        match word {
            Keyword::IS => return self.is(left, kind),
            Keyword::ISNULL => **left = Expr::IsNull(take(left)),
            Keyword::NOTNULL => **left = Expr::IsNotNull(take(left)),
            Keyword::IN => self.in_list(left, negated)?,
            Keyword::BETWEEN => {
                self.between(left, negated)?;
                return Ok(true);
            }
            Keyword::LIKE | Keyword::ILIKE | Keyword::SIMILAR => {
                return self.like(left, word, negated);
            }
            Keyword::OVERLAPS => {
                let right = self.expr_above(level::BETWEEN, kind)?;
                join(left, BinaryOperator::Overlaps, right);
            }
            Keyword::OPERATOR => {
                let parts = self.operator_parts()?;
                let op = BinaryOperator::PGCustomBinaryOperator(parts);
                if self.at_quantifier() {
                    self.quantified(left, op)?;
                    return Ok(false);
                }
                let right = self.expr_above(level::OPERATOR, kind)?;
                join(left, op, right);
            }
            Keyword::AT => {
                if self.parse_keyword(Keyword::LOCAL) {
                    return Err(Error::unsupported("AT LOCAL"));
                }
                self.expect_keywords(&[Keyword::TIME, Keyword::ZONE])?;
                let time_zone = self.expr_above(level::AT, kind)?;
                let timestamp = take(left);
                **left = Expr::AtTimeZone {
                    timestamp,
                    time_zone,
                };
            }
            Keyword::COLLATE => {
                let collation = self.parse_object_name(false)?;
                let expr = take(left);
                **left = Expr::Collate { expr, collation };
            }
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        }
        Ok(false)
    }

    /// What follows IS; whether it ends with an operand.
    #[inline(never)]
    fn is(&mut self, left: &mut Node, kind: Kind) -> Result<bool> {
        let negated = self.parse_keyword(Keyword::NOT);
        let next = self.next_token();
        let plain: fn(Node) -> Expr = match (next.keyword, negated) {
            (Keyword::NULL, false) => Expr::IsNull,
            (Keyword::NULL, true) => Expr::IsNotNull,
            (Keyword::TRUE, false) => Expr::IsTrue,
            (Keyword::TRUE, true) => Expr::IsNotTrue,
            (Keyword::FALSE, false) => Expr::IsFalse,
            (Keyword::FALSE, true) => Expr::IsNotFalse,
            (Keyword::UNKNOWN, false) => Expr::IsUnknown,
            (Keyword::UNKNOWN, true) => Expr::IsNotUnknown,
            (Keyword::DISTINCT, _) => {
                self.expect_keyword(Keyword::FROM)?;
                let right = self.expr_above(level::IS, kind)?;
                let left_node = take(left);
                **left = match negated {
                    true => Expr::IsNotDistinctFrom(left_node, right),
                    false => Expr::IsDistinctFrom(left_node, right),
                };
                return Ok(true);
            }
            (Keyword::DOCUMENT, _) => return Err(Error::unsupported("IS DOCUMENT")),
            (Keyword::JSON, _) => {
                let (kind, unique_keys) = self.json_predicate()?;
                let expr = take(left);
                **left = Expr::IsJson {
                    expr,
                    kind,
                    unique_keys,
                    negated,
                };
                return Ok(false);
            }
            _ => {
                self.prev_token();
                let form = self.normal_form();
                self.expect_keyword(Keyword::NORMALIZED)?;
                let expr = take(left);
                **left = Expr::IsNormalized {
                    expr,
                    form,
                    negated,
                };
                return Ok(false);
            }
        };
        **left = plain(take(left));
        Ok(false)
    }

    #[inline(never)]
    fn json_predicate(&mut self) -> Result<(Option<JsonPredicateType>, Option<JsonKeyUniqueness>)> {
        let kinds = [
            Keyword::VALUE,
            Keyword::SCALAR,
            Keyword::ARRAY,
            Keyword::OBJECT,
        ];
        let kind = self.parse_one_of_keywords(&kinds).map(|kind| match kind {
            Keyword::VALUE => JsonPredicateType::Value,
            Keyword::SCALAR => JsonPredicateType::Scalar,
            Keyword::ARRAY => JsonPredicateType::Array,
            _ => JsonPredicateType::Object,
        });
        let unique = if self.parse_keywords(&[Keyword::WITH, Keyword::UNIQUE]) {
            Some(JsonKeyUniqueness::WithUniqueKeys)
        } else if self.parse_keywords(&[Keyword::WITHOUT, Keyword::UNIQUE]) {
            Some(JsonKeyUniqueness::WithoutUniqueKeys)
        } else {
            None
        };
        if unique.is_some() {
            let _ = self.parse_keyword(Keyword::KEYS);
        }
        Ok((kind, unique))
    }

    /// The name of a normal form of Unicode, if one comes next.
    pub(crate) fn normal_form(&mut self) -> Option<NormalizationForm> {
        let forms = [Keyword::NFC, Keyword::NFD, Keyword::NFKC, Keyword::NFKD];
        self.parse_one_of_keywords(&forms).map(|form| match form {
            Keyword::NFC => NormalizationForm::NFC,
            Keyword::NFD => NormalizationForm::NFD,
            Keyword::NFKC => NormalizationForm::NFKC,
            _ => NormalizationForm::NFKD,
        })
    }

    #[inline(never)]
    fn in_list(&mut self, left: &mut Node, negated: bool) -> Result<()> {
        self.expect_token(&Token::LParen)?;
        let first = match self.at_query() {
            true => Box::new(Expr::Subquery(self.query()?)),
            false => self.node_or_query()?,
        };
        if matches!(*first, Expr::Subquery(_)) && self.peek() == Token::RParen {
            return self.in_query(left, first, negated);
        }
        self.in_items(left, first, negated)
    }

    #[inline(never)]
    fn in_query(&mut self, left: &mut Node, query: Node, negated: bool) -> Result<()> {
        self.next_token();
        if let Expr::Subquery(subquery) = *query {
            let expr = take(left);
            **left = Expr::InSubquery {
                expr,
                subquery,
                negated,
            };
        }
        Ok(())
    }

    #[inline(never)]
    fn in_items(&mut self, left: &mut Node, first: Node, negated: bool) -> Result<()> {
        let mut list = Vec::new();
        push_node(&mut list, first);
        while self.consume_token(&Token::Comma) {
            let item = self.node()?;
            push_node(&mut list, item);
        }
        self.expect_token(&Token::RParen)?;
        let expr = take(left);
        **left = Expr::InList {
            expr,
            list,
            negated,
        };
        Ok(())
    }

    #[inline(never)]
    fn between(&mut self, left: &mut Node, negated: bool) -> Result<()> {
        let symmetric = self.parse_keyword(Keyword::SYMMETRIC);
        if !symmetric {
            let _ = self.parse_keyword(Keyword::ASYMMETRIC);
        }
        let low = self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_keyword(Keyword::AND)?;
        let high = self.expr_above(level::BETWEEN, Kind::Full)?;
        let expr = take(left);
        let low = match symmetric {
            true => Box::new(Expr::Named {
                expr: low,
                name: marker(SYMMETRIC, 0),
            }),
            false => low,
        };
        **left = Expr::Between {
            expr,
            negated,
            low,
            high,
        };
        Ok(())
    }

    /// LIKE, ILIKE and SIMILAR TO.
    #[inline(never)]
    fn like(&mut self, left: &mut Node, word: Keyword, negated: bool) -> Result<bool> {
        if word == Keyword::SIMILAR {
            self.expect_keyword(Keyword::TO)?;
        } else if self.at_quantifier() {
            self.quantified(
                left,
                match (word, negated) {
                    (Keyword::LIKE, false) => BinaryOperator::PGLikeMatch,
                    (Keyword::LIKE, true) => BinaryOperator::PGNotLikeMatch,
                    (_, false) => BinaryOperator::PGILikeMatch,
                    (_, true) => BinaryOperator::PGNotILikeMatch,
                },
            )?;
            return Ok(false);
        }
        let pattern = self.expr_above(level::BETWEEN, Kind::Full)?;
        let escape_char = match self.parse_keyword(Keyword::ESCAPE) {
            true => Some(self.expr_above(level::BETWEEN, Kind::Full)?),
            false => None,
        };
        let expr = take(left);
        let any = false;
        **left = match word {
            Keyword::LIKE => Expr::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            },
            Keyword::ILIKE => Expr::ILike {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            },
            _ => Expr::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            },
        };
        Ok(true)
    }
}
