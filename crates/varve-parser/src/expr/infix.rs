//! What stands behind an operand: operators, IS, IN, BETWEEN, LIKE, casts.

use core::mem::replace;

use varve_ast::{
    Between, Cast, CastForm, Expr, ExprKind, InSubquery, JsonKind, JsonPredicate, Like, LikeKind,
    NormalForm, Operator, Quantified, Quantifier, Span, Truth,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::expr::precedence::{Kind, Node, level};
use crate::expr::primary::push_node;
use crate::parser::Parser;

/// Takes a node out to put another one around it, which starts where it does.
fn take(node: &mut Node) -> Node {
    let left = Expr {
        kind: ExprKind::Null,
        span: node.span,
        is_parenthesized: false,
    };
    replace(node, Box::new(left))
}

impl Parser<'_> {
    /// Puts what was made of a node that was taken out in its place.
    fn put(&self, place: &mut Node, kind: ExprKind) {
        place.span = self.since(place.span);
        place.kind = kind;
        place.is_parenthesized = false;
    }

    /// How tightly the operator that comes next binds; 0 for what is none.
    pub(crate) fn infix_level(&self, kind: Kind) -> u8 {
        let next = self.peek_token();
        match next.token {
            Token::Operator if self.is_double_equal(next) => level::COMPARE,
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
            self.double_colon(left, next)?;
            return Ok(false);
        }
        if next.keyword != Keyword::NoKeyword {
            return self.infix_word(left, next, kind);
        }
        if level >= level::COMPARE && self.at_quantifier() {
            let operator = self.operator_of(next);
            self.quantified(left, operator)?;
            return Ok(false);
        }
        let right = self.expr_above(level, kind)?;
        let operator = self.operator_of(next);
        self.join(left, operator, right);
        Ok(true)
    }

    #[inline(never)]
    fn join(&self, place: &mut Node, operator: Operator, right: Node) {
        let left = take(place);
        let kind = ExprKind::Infix {
            left,
            operator,
            right,
        };
        self.put(place, kind);
    }

    /// `x AND y`, `x OR y`
    #[inline(never)]
    fn logical(&mut self, place: &mut Node, word: Keyword, kind: Kind) -> Result<bool> {
        let is_and = word == Keyword::AND;
        let level = if is_and { level::AND } else { level::OR };
        let right = self.expr_above(level, kind)?;
        let left = take(place);
        let kind = match is_and {
            true => ExprKind::And(left, right),
            false => ExprKind::Or(left, right),
        };
        self.put(place, kind);
        Ok(true)
    }

    #[inline(never)]
    fn double_colon(&mut self, place: &mut Node, operator: Lexeme) -> Result<()> {
        let type_name = self.parse_data_type()?;
        let cast = Box::new(Cast {
            operand: *take(place),
            type_name,
            form: CastForm::Operator,
            operator: operator.span(),
        });
        self.put(place, ExprKind::Cast(cast));
        Ok(())
    }

    /// Whether `ANY (`, `SOME (` or `ALL (` comes next.
    fn at_quantifier(&self) -> bool {
        let quantifiers = [Keyword::ANY, Keyword::SOME, Keyword::ALL];
        quantifiers.contains(&self.peek_token().keyword)
            && self.peek_nth_token(1).token == Token::LParen
    }

    #[inline(never)]
    fn quantified(&mut self, place: &mut Node, operator: Operator) -> Result<()> {
        let quantifier = match self.next_token().keyword {
            Keyword::ALL => Quantifier::All,
            _ => Quantifier::Any,
        };
        let opening = self.next_token().span();
        let right = self.subquery_or_node(opening)?;
        self.expect_token(&Token::RParen)?;
        let quantified = Box::new(Quantified {
            left: *take(place),
            operator,
            quantifier,
            right: *right,
        });
        self.put(place, ExprKind::Quantified(quantified));
        Ok(())
    }

    /// A query or an expression behind a parenthesis.
    fn subquery_or_node(&mut self, opening: Span) -> Result<Node> {
        match self.at_query() {
            true => {
                let query = self.query()?;
                Ok(Box::new(Expr {
                    kind: ExprKind::Subquery(query),
                    span: self.since(opening),
                    is_parenthesized: false,
                }))
            }
            false => self.node_or_query(),
        }
    }

    #[inline(never)]
    fn infix_word(&mut self, left: &mut Node, first: Lexeme, kind: Kind) -> Result<bool> {
        let negated = first.keyword == Keyword::NOT;
        let word = match negated {
            true => self.next_token(),
            false => first,
        };
        match word.keyword {
            Keyword::AND | Keyword::OR => return self.logical(left, word.keyword, kind),
            Keyword::IS => return self.is(left, kind),
            Keyword::ISNULL => self.is_null(left, false),
            Keyword::NOTNULL => self.is_null(left, true),
            Keyword::IN => self.in_list(left, (first, word))?,
            Keyword::BETWEEN => {
                self.between(left, word.span(), negated)?;
                return Ok(true);
            }
            Keyword::LIKE | Keyword::ILIKE | Keyword::SIMILAR => {
                return self.like(left, word, negated);
            }
            Keyword::OVERLAPS => {
                let right = self.expr_above(level::BETWEEN, kind)?;
                let operator = self.word_operator(word, "overlaps");
                self.join(left, operator, right);
            }
            Keyword::OPERATOR => {
                let operator = self.operator_parts()?;
                if self.at_quantifier() {
                    self.quantified(left, operator)?;
                    return Ok(false);
                }
                let right = self.expr_above(level::OPERATOR, kind)?;
                self.join(left, operator, right);
            }
            Keyword::AT => self.at_time_zone(left, word.span())?,
            Keyword::COLLATE => {
                let collation = self.parse_object_name()?;
                let operand = take(left);
                let kind = ExprKind::Collate {
                    operand,
                    collation,
                    operator: word.span(),
                };
                self.put(left, kind);
            }
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        }
        Ok(false)
    }

    /// The operator that a word stands for.
    fn word_operator(&self, word: Lexeme, name: &str) -> Operator {
        Operator {
            qualifiers: Vec::new(),
            name: name.into(),
            span: word.span(),
        }
    }

    #[inline(never)]
    fn at_time_zone(&mut self, place: &mut Node, operator: Span) -> Result<()> {
        if self.parse_keyword(Keyword::LOCAL) {
            return Err(Error::unsupported("AT LOCAL"));
        }
        self.expect_keywords(&[Keyword::TIME, Keyword::ZONE])?;
        let zone = self.expr_above(level::AT, Kind::Full)?;
        let operand = take(place);
        let kind = ExprKind::AtTimeZone {
            operand,
            zone,
            operator,
        };
        self.put(place, kind);
        Ok(())
    }

    fn is_null(&self, place: &mut Node, is_negated: bool) {
        let operand = take(place);
        let kind = ExprKind::IsNull {
            operand,
            is_negated,
        };
        self.put(place, kind);
    }

    /// What follows IS; whether it ends with an operand.
    #[inline(never)]
    fn is(&mut self, left: &mut Node, kind: Kind) -> Result<bool> {
        let is_negated = self.parse_keyword(Keyword::NOT);
        let next = self.next_token();
        let truth = match next.keyword {
            Keyword::NULL => {
                self.is_null(left, is_negated);
                return Ok(false);
            }
            Keyword::TRUE => Truth::True,
            Keyword::FALSE => Truth::False,
            Keyword::UNKNOWN => Truth::Unknown,
            Keyword::DISTINCT => return self.is_distinct(left, is_negated, kind),
            Keyword::DOCUMENT => return Err(Error::unsupported("IS DOCUMENT")),
            Keyword::JSON => {
                self.json_predicate(left, is_negated);
                return Ok(false);
            }
            _ => {
                self.prev_token();
                let form = self.normal_form();
                self.expect_keyword(Keyword::NORMALIZED)?;
                let operand = take(left);
                let kind = ExprKind::IsNormalized {
                    operand,
                    form,
                    is_negated,
                };
                self.put(left, kind);
                return Ok(false);
            }
        };
        let operand = take(left);
        let kind = ExprKind::IsTruth {
            operand,
            truth,
            is_negated,
        };
        self.put(left, kind);
        Ok(false)
    }

    #[inline(never)]
    fn is_distinct(&mut self, place: &mut Node, is_negated: bool, kind: Kind) -> Result<bool> {
        let operator = self.expect_keyword(Keyword::FROM)?.span();
        let right = self.expr_above(level::IS, kind)?;
        let left = take(place);
        let kind = ExprKind::IsDistinct {
            left,
            right,
            is_negated,
            operator,
        };
        self.put(place, kind);
        Ok(true)
    }

    #[inline(never)]
    fn json_predicate(&mut self, place: &mut Node, is_negated: bool) {
        let kinds = [
            Keyword::VALUE,
            Keyword::SCALAR,
            Keyword::ARRAY,
            Keyword::OBJECT,
        ];
        let kind = self.parse_one_of_keywords(&kinds).map(|kind| match kind {
            Keyword::VALUE => JsonKind::Value,
            Keyword::SCALAR => JsonKind::Scalar,
            Keyword::ARRAY => JsonKind::Array,
            _ => JsonKind::Object,
        });
        let unique_keys = self.parse_keywords(&[Keyword::WITH, Keyword::UNIQUE]);
        if unique_keys || self.parse_keywords(&[Keyword::WITHOUT, Keyword::UNIQUE]) {
            let _ = self.parse_keyword(Keyword::KEYS);
        }
        let predicate = Box::new(JsonPredicate {
            operand: *take(place),
            kind,
            unique_keys,
            is_negated,
        });
        self.put(place, ExprKind::IsJson(predicate));
    }

    /// The name of a normal form of Unicode, if one comes next.
    pub(crate) fn normal_form(&mut self) -> Option<NormalForm> {
        let forms = [Keyword::NFC, Keyword::NFD, Keyword::NFKC, Keyword::NFKD];
        self.parse_one_of_keywords(&forms).map(|form| match form {
            Keyword::NFC => NormalForm::Nfc,
            Keyword::NFD => NormalForm::Nfd,
            Keyword::NFKC => NormalForm::Nfkc,
            _ => NormalForm::Nfkd,
        })
    }

    #[inline(never)]
    fn in_list(&mut self, left: &mut Node, (first, word): (Lexeme, Lexeme)) -> Result<()> {
        let is_negated = first.keyword == Keyword::NOT;
        let opening = self.expect_token(&Token::LParen)?.span();
        let mut item = self.subquery_or_node(opening)?;
        if self.peek() == Token::RParen && matches!(item.kind, ExprKind::Subquery(_)) {
            self.next_token();
            if let ExprKind::Subquery(query) = item.take_kind() {
                let subquery = Box::new(InSubquery {
                    operand: *take(left),
                    query,
                    is_negated,
                    operator: first.span(),
                });
                self.put(left, ExprKind::InSubquery(subquery));
            }
            return Ok(());
        }
        let mut items = Vec::new();
        push_node(&mut items, item);
        while self.consume_token(&Token::Comma) {
            let item = self.node()?;
            push_node(&mut items, item);
        }
        self.expect_token(&Token::RParen)?;
        let operand = take(left);
        let kind = ExprKind::InList {
            operand,
            items,
            is_negated,
            operator: word.span(),
        };
        self.put(left, kind);
        Ok(())
    }

    #[inline(never)]
    fn between(&mut self, left: &mut Node, operator: Span, is_negated: bool) -> Result<()> {
        let is_symmetric = self.parse_keyword(Keyword::SYMMETRIC);
        if !is_symmetric {
            let _ = self.parse_keyword(Keyword::ASYMMETRIC);
        }
        let low = self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_keyword(Keyword::AND)?;
        let high = self.expr_above(level::BETWEEN, Kind::Full)?;
        let between = Box::new(Between {
            operand: *take(left),
            low: *low,
            high: *high,
            is_negated,
            is_symmetric,
            operator,
        });
        self.put(left, ExprKind::Between(between));
        Ok(())
    }

    /// LIKE, ILIKE and SIMILAR TO.
    #[inline(never)]
    fn like(&mut self, left: &mut Node, word: Lexeme, is_negated: bool) -> Result<bool> {
        let kind = match word.keyword {
            Keyword::LIKE => LikeKind::Like,
            Keyword::ILIKE => LikeKind::Ilike,
            _ => LikeKind::Similar,
        };
        if kind == LikeKind::Similar {
            self.expect_keyword(Keyword::TO)?;
        } else if self.at_quantifier() {
            let name = match (kind, is_negated) {
                (LikeKind::Like, false) => "~~",
                (LikeKind::Like, true) => "!~~",
                (_, false) => "~~*",
                (_, true) => "!~~*",
            };
            let operator = self.word_operator(word, name);
            self.quantified(left, operator)?;
            return Ok(false);
        }
        let pattern = self.expr_above(level::BETWEEN, Kind::Full)?;
        let escape = match self.parse_keyword(Keyword::ESCAPE) {
            true => Some(*self.expr_above(level::BETWEEN, Kind::Full)?),
            false => None,
        };
        let like = Box::new(Like {
            kind,
            operand: *take(left),
            pattern: *pattern,
            escape,
            is_negated,
            operator: word.span(),
        });
        self.put(left, ExprKind::Like(like));
        Ok(true)
    }
}
