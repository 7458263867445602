//! Expressions, by precedence (PostgreSQL's `a_expr` and `b_expr`).
//!
//! A loop takes operators as long as they bind more tightly than the one before the expression, so
//! that chains need no depth of stack; nodes are boxed as soon as they are made, so that levels of
//! nesting need little of it.

use varve_ast::{Expr, ExprKind, Operator};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::expr::operator::check_prefix;
use crate::parser::Parser;

/// A node of a tree.
pub(crate) type Node = Box<Expr>;

/// How tightly operators bind, as the precedences of PostgreSQL's grammar.
pub(crate) mod level {
    pub(crate) const ANY: u8 = 0;
    pub(crate) const OR: u8 = 1;
    pub(crate) const AND: u8 = 2;
    pub(crate) const NOT: u8 = 3;
    pub(crate) const IS: u8 = 4;
    pub(crate) const COMPARE: u8 = 5;
    pub(crate) const BETWEEN: u8 = 6;
    pub(crate) const OPERATOR: u8 = 8;
    pub(crate) const ADD: u8 = 9;
    pub(crate) const MULTIPLY: u8 = 10;
    pub(crate) const POWER: u8 = 11;
    pub(crate) const AT: u8 = 12;
    pub(crate) const COLLATE: u8 = 13;
    pub(crate) const SIGN: u8 = 14;
    pub(crate) const CAST: u8 = 16;
}

/// What may stand in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Everything.
    Full,
    /// No AND, OR, NOT, BETWEEN, IN, LIKE, IS NULL: before words that would be ambiguous.
    Restricted,
}

impl Parser<'_> {
    /// An expression.
    pub fn parse_expr(&mut self) -> Result<Expr> {
        Ok(*self.node()?)
    }

    /// An expression before words that a full one would take: DEFAULT before NOT NULL.
    pub fn parse_restricted_expr(&mut self) -> Result<Expr> {
        self.enter()?;
        let expr = self.expr_above(level::ANY, Kind::Restricted)?;
        self.leave();
        Ok(*expr)
    }

    /// An expression.
    pub(crate) fn node(&mut self) -> Result<Node> {
        self.enter()?;
        let node = self.expr_above(level::ANY, Kind::Full)?;
        self.leave();
        Ok(node)
    }

    /// An expression of operators that bind more tightly than `floor`. Operands of operators go no
    /// deeper than there are levels of them, so they are not counted as nesting.
    pub(crate) fn expr_above(&mut self, floor: u8, kind: Kind) -> Result<Node> {
        let mut left = self.prefix(kind)?;
        // The level whose operators may not follow: `a < b < c`.
        let mut closed = u8::MAX;
        loop {
            let level = self.infix_level(kind);
            if level <= floor {
                break;
            }
            if level == closed {
                return self.unexpected();
            }
            let open_right = self.infix(&mut left, level, kind)?;
            let chains_not = matches!(level, level::IS | level::COMPARE | level::BETWEEN);
            closed = if open_right && chains_not {
                level
            } else {
                u8::MAX
            };
        }
        Ok(left)
    }

    /// What an operator before it applies to.
    fn operand(&mut self, floor: u8, kind: Kind) -> Result<Node> {
        self.enter()?;
        let operand = self.expr_above(floor, kind)?;
        self.leave();
        Ok(operand)
    }

    /// An operand with the operators before it.
    fn prefix(&mut self, kind: Kind) -> Result<Node> {
        let next = self.peek_token();
        match next.token {
            Token::Minus | Token::Plus => self.sign(kind),
            Token::Word if next.keyword == Keyword::NOT && kind == Kind::Full => self.not(kind),
            Token::Operator => self.operator_prefix(kind),
            Token::Word if next.keyword == Keyword::OPERATOR => self.named_prefix(kind),
            _ => self.primary(),
        }
    }

    #[inline(never)]
    fn not(&mut self, kind: Kind) -> Result<Node> {
        let word = self.next_token().span();
        // Just below its own level, since NOT may follow NOT.
        let operand = self.operand(level::NOT - 1, kind)?;
        Ok(Box::new(Expr {
            kind: ExprKind::Not(operand),
            span: self.since(word),
            is_parenthesized: false,
        }))
    }

    #[inline(never)]
    fn sign(&mut self, kind: Kind) -> Result<Node> {
        let next = self.next_token();
        let operand = self.operand(level::SIGN, kind)?;
        let operator = self.operator_of(next);
        Ok(self.prefixed(operator, operand))
    }

    /// An operator of more than a sign and its operand.
    #[inline(never)]
    fn operator_prefix(&mut self, kind: Kind) -> Result<Node> {
        let next = self.next_token();
        let operand = self.operand(level::OPERATOR, kind)?;
        let operator = self.operator_of(next);
        check_prefix(&operator).map_err(|error| error.at(next.position))?;
        Ok(self.prefixed(operator, operand))
    }

    /// `OPERATOR(schema.op) operand`
    #[inline(never)]
    fn named_prefix(&mut self, kind: Kind) -> Result<Node> {
        let next = self.next_token();
        if self.peek() != Token::LParen {
            self.prev_token();
            return self.primary();
        }
        let operator = self.operator_parts()?;
        check_prefix(&operator).map_err(|error| error.at(next.position))?;
        let operand = self.operand(level::OPERATOR, kind)?;
        Ok(self.prefixed(operator, operand))
    }

    fn prefixed(&self, operator: Operator, operand: Node) -> Node {
        let span = self.since(operator.span);
        Box::new(Expr {
            kind: ExprKind::Prefix { operator, operand },
            span,
            is_parenthesized: false,
        })
    }
}
