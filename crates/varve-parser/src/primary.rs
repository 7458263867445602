//! Operands: literals, columns, parentheses, and what keywords begin.

use sqlparser::ast::{
    AccessExpr, Array, CaseWhen, CastKind, Expr, Function, FunctionArguments, Ident, ObjectName,
    ObjectNamePart, Subscript, TypedString,
};
use varve_types::{Error, Result};

use crate::expr::Node;
use crate::keyword::{Class, Keyword};
use crate::marker::type_at;
use crate::name::single;
use crate::parser::{Parser, attached};
use crate::token::{Lexeme, Token};

/// A call of a function without anything beside its arguments.
pub(crate) fn plain_call(name: ObjectName, args: FunctionArguments) -> Expr {
    Expr::Function(Function {
        name,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args,
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    })
}

#[inline(never)]
fn push_when(conditions: &mut Vec<CaseWhen>, condition: Node, result: Node) {
    conditions.push(CaseWhen {
        condition: *condition,
        result: *result,
    });
}

/// Adds an item to a list.
#[inline(never)]
pub(crate) fn push_node(items: &mut Vec<Expr>, item: Node) {
    items.push(*item);
}

impl Parser<'_> {
    /// An operand.
    pub(crate) fn primary(&mut self) -> Result<Node> {
        let next = self.peek_token();
        match next.token {
            Token::LParen => self.parentheses(),
            Token::Word => self.word(next),
            Token::QuotedWord | Token::UnicodeWord => self.column(),
            Token::Placeholder => {
                let value = self.literal()?;
                self.access(value)
            }
            _ => self.literal(),
        }
    }

    #[inline(never)]
    fn literal(&mut self) -> Result<Node> {
        Ok(Box::new(Expr::Value(self.parse_value()?)))
    }

    /// Whether a query starts here, without a parenthesis before it.
    pub(crate) fn at_query(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE
        )
    }

    /// Whether parentheses that come next hold a query.
    pub fn at_parenthesized_query(&self) -> bool {
        let mut at = 0;
        while self.peek_nth_token(at).token == Token::LParen {
            at += 1;
        }
        at > 0
            && matches!(
                self.peek_nth_token(at).keyword,
                Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE
            )
    }

    /// Whether a query that was in parentheses goes on.
    pub(crate) fn at_query_rest(&self) -> bool {
        matches!(
            self.peek_token().keyword,
            Keyword::UNION
                | Keyword::EXCEPT
                | Keyword::INTERSECT
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::OFFSET
                | Keyword::FETCH
                | Keyword::FOR
        )
    }

    /// An expression, or a query that starts with a parenthesis.
    pub(crate) fn node_or_query(&mut self) -> Result<Node> {
        let node = self.node()?;
        if !self.at_query_rest() {
            return Ok(node);
        }
        match *node {
            Expr::Subquery(query) => Ok(Box::new(Expr::Subquery(self.query_behind(query)?))),
            _ => Ok(node),
        }
    }

    /// A subquery, row value or expression in parentheses.
    fn parentheses(&mut self) -> Result<Node> {
        self.next_token();
        let node = match self.at_query() {
            true => self.subquery()?,
            false => {
                let first = self.node_or_query()?;
                if self.peek() == Token::Comma {
                    self.tuple(first)?
                } else if matches!(*first, Expr::Subquery(_)) {
                    first
                } else {
                    Box::new(Expr::Nested(first))
                }
            }
        };
        self.expect_token(&Token::RParen)?;
        match self.peek() {
            Token::Period | Token::LBracket => self.access(node),
            _ => Ok(node),
        }
    }

    #[inline(never)]
    fn subquery(&mut self) -> Result<Node> {
        Ok(Box::new(Expr::Subquery(self.query()?)))
    }

    /// The fields of a row value behind the first one.
    #[inline(never)]
    fn tuple(&mut self, first: Node) -> Result<Node> {
        let mut items = Vec::new();
        push_node(&mut items, first);
        while self.consume_token(&Token::Comma) {
            let item = self.node()?;
            push_node(&mut items, item);
        }
        Ok(Box::new(Expr::Tuple(items)))
    }

    /// The fields and subscripts behind an operand.
    #[inline(never)]
    fn access(&mut self, root: Node) -> Result<Node> {
        let mut access_chain = Vec::new();
        self.access_chain(&mut access_chain)?;
        Ok(match access_chain.is_empty() {
            true => root,
            false => Box::new(Expr::CompoundFieldAccess { root, access_chain }),
        })
    }

    fn access_chain(&mut self, chain: &mut Vec<AccessExpr>) -> Result<()> {
        loop {
            if self.consume_token(&Token::Period) {
                let field = match self.peek() {
                    Token::Mul => Expr::Wildcard(attached(self.next_token())),
                    _ => Expr::Identifier(self.parse_label()?),
                };
                chain.push(AccessExpr::Dot(field));
            } else if self.consume_token(&Token::LBracket) {
                chain.push(AccessExpr::Subscript(self.subscript()?));
            } else {
                return Ok(());
            }
        }
    }

    /// A subscript or slice, behind its bracket.
    pub(crate) fn subscript(&mut self) -> Result<Subscript> {
        let ends = |parser: &Parser<'_>| matches!(parser.peek(), Token::RBracket | Token::Colon);
        let lower_bound = match ends(self) {
            true => None,
            false => Some(*self.node()?),
        };
        if !self.consume_token(&Token::Colon) {
            let Some(index) = lower_bound else {
                return self.unexpected();
            };
            self.expect_token(&Token::RBracket)?;
            return Ok(Subscript::Index { index });
        }
        let upper_bound = match ends(self) {
            true => None,
            false => Some(*self.node()?),
        };
        self.expect_token(&Token::RBracket)?;
        Ok(Subscript::Slice {
            lower_bound,
            upper_bound,
            stride: None,
        })
    }

    /// A column, call or typed string, whose first word stands here.
    #[inline(never)]
    pub(crate) fn column(&mut self) -> Result<Node> {
        let first = self.next_token();
        let ident = self.ident_of(first)?;
        match self.peek() {
            Token::LParen => self.call_or_typed(single(ident)),
            Token::Period | Token::LBracket => self.qualified(ident),
            token if Parser::is_string(token) => self.typed_string(ident),
            _ => Ok(Box::new(Expr::Identifier(ident))),
        }
    }

    /// What follows the first name of a qualified one.
    #[inline(never)]
    fn qualified(&mut self, first: Ident) -> Result<Node> {
        let mut names = vec![first];
        while self.peek() == Token::Period {
            self.next_token();
            if self.peek() == Token::Mul {
                let star = attached(self.next_token());
                let name = ObjectName(names.into_iter().map(ObjectNamePart::Identifier).collect());
                return Ok(Box::new(Expr::QualifiedWildcard(name, star)));
            }
            names.push(self.parse_label()?);
        }
        match self.peek() {
            Token::LBracket => {
                let mut names = names.into_iter().map(Expr::Identifier);
                let Some(root) = names.next() else {
                    return self.unexpected();
                };
                let mut access_chain: Vec<AccessExpr> = names.map(AccessExpr::Dot).collect();
                self.access_chain(&mut access_chain)?;
                let root = Box::new(root);
                Ok(Box::new(Expr::CompoundFieldAccess { root, access_chain }))
            }
            Token::LParen => {
                let name = names.into_iter().map(ObjectNamePart::Identifier).collect();
                self.call_or_typed(ObjectName(name))
            }
            token if Parser::is_string(token) => {
                let name = names.into_iter().map(ObjectNamePart::Identifier).collect();
                let data_type = self.named_type(ObjectName(name), false)?;
                self.typed(data_type)
            }
            _ => Ok(Box::new(Expr::CompoundIdentifier(names))),
        }
    }

    #[inline(never)]
    fn typed_string(&mut self, ident: Ident) -> Result<Node> {
        let data_type = self.named_type(single(ident), false)?;
        self.typed(data_type)
    }

    /// A string behind its type.
    fn typed(&mut self, data_type: sqlparser::ast::DataType) -> Result<Node> {
        if !Parser::is_string(self.peek()) {
            return self.unexpected();
        }
        Ok(Box::new(Expr::TypedString(TypedString {
            data_type,
            value: self.parse_value()?,
            uses_odbc_syntax: false,
        })))
    }

    /// A call, or `type(modifiers) 'string'`.
    #[inline(never)]
    fn call_or_typed(&mut self, name: ObjectName) -> Result<Node> {
        let mut end = 1;
        while matches!(self.peek_nth_token(end).token, Token::Number | Token::Comma) {
            end += 1;
        }
        if end > 1
            && self.peek_nth_token(end).token == Token::RParen
            && Parser::is_string(self.peek_nth_token(end + 1).token)
        {
            let data_type = self.named_type(name, true)?;
            return self.typed(data_type);
        }
        self.call(name)
    }

    /// What an unquoted word begins.
    fn word(&mut self, next: Lexeme) -> Result<Node> {
        match next.keyword.class() {
            Class::Unreserved if next.keyword == Keyword::DOUBLE => {
                match self.second_is(Keyword::PRECISION) {
                    true => self.keyword_type(),
                    false => self.column(),
                }
            }
            Class::Unreserved => self.column(),
            Class::ColumnName => self.column_word(next),
            Class::FunctionName => self.function_word(next),
            Class::Reserved => self.reserved_word(next),
        }
    }

    /// A keyword that may name functions and types, but no column.
    #[inline(never)]
    fn function_word(&mut self, next: Lexeme) -> Result<Node> {
        if next.keyword == Keyword::COLLATION && self.second_is(Keyword::FOR) {
            return self.collation_for();
        }
        let second = self.peek_nth_token(1);
        if second.token == Token::LParen || Parser::is_string(second.token) {
            return self.column();
        }
        match next.keyword {
            Keyword::CURRENT_SCHEMA => self.bare_call(),
            _ => {
                self.next_token();
                self.unexpected()
            }
        }
    }

    /// A function that is called without parentheses, or with a precision in them.
    #[inline(never)]
    fn bare_call(&mut self) -> Result<Node> {
        let next = self.next_token();
        let name = single(self.ident_of(next)?);
        let takes_precision = matches!(
            next.keyword,
            Keyword::CURRENT_TIME
                | Keyword::CURRENT_TIMESTAMP
                | Keyword::LOCALTIME
                | Keyword::LOCALTIMESTAMP
        );
        if takes_precision && self.peek() == Token::LParen {
            if self.peek_nth_token(1).token != Token::Number
                || self.peek_nth_token(2).token != Token::RParen
            {
                self.next_token();
                return self.unexpected();
            }
            return self.call(name);
        }
        Ok(Box::new(plain_call(name, FunctionArguments::None)))
    }

    /// A reserved word that begins an operand.
    #[inline(never)]
    fn reserved_word(&mut self, next: Lexeme) -> Result<Node> {
        match next.keyword {
            Keyword::NULL | Keyword::TRUE | Keyword::FALSE => self.literal(),
            Keyword::CASE => self.case(),
            Keyword::CAST => self.cast(),
            Keyword::ARRAY => self.array_word(),
            Keyword::DEFAULT => {
                let ident = self.ident_of(next)?;
                self.next_token();
                Ok(Box::new(Expr::Identifier(ident)))
            }
            Keyword::CURRENT_CATALOG
            | Keyword::CURRENT_DATE
            | Keyword::CURRENT_ROLE
            | Keyword::CURRENT_TIME
            | Keyword::CURRENT_TIMESTAMP
            | Keyword::CURRENT_USER
            | Keyword::LOCALTIME
            | Keyword::LOCALTIMESTAMP
            | Keyword::SESSION_USER
            | Keyword::SYSTEM_USER
            | Keyword::USER => self.bare_call(),
            _ => self.unexpected(),
        }
    }

    #[inline(never)]
    fn case(&mut self) -> Result<Node> {
        let case_token = attached(self.next_token());
        let operand = match self.peek_keyword(Keyword::WHEN) {
            true => None,
            false => Some(self.node()?),
        };
        let mut conditions = Vec::new();
        self.expect_keyword(Keyword::WHEN)?;
        loop {
            let condition = self.node()?;
            self.expect_keyword(Keyword::THEN)?;
            let result = self.node()?;
            push_when(&mut conditions, condition, result);
            if !self.parse_keyword(Keyword::WHEN) {
                break;
            }
        }
        let else_result = match self.parse_keyword(Keyword::ELSE) {
            true => Some(self.node()?),
            false => None,
        };
        let end_token = attached(self.expect_keyword(Keyword::END)?);
        Ok(Box::new(Expr::Case {
            case_token,
            end_token,
            operand,
            conditions,
            else_result,
        }))
    }

    /// `CAST(x AS type)`
    #[inline(never)]
    fn cast(&mut self) -> Result<Node> {
        self.next_token();
        self.expect_token(&Token::LParen)?;
        let expr = self.node()?;
        self.expect_keyword(Keyword::AS)?;
        self.cast_end(expr)
    }

    #[inline(never)]
    fn cast_end(&mut self, expr: Node) -> Result<Node> {
        let format = type_at(self.peek_token().position);
        let data_type = self.parse_data_type()?;
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(Expr::Cast {
            kind: CastKind::Cast,
            expr,
            data_type,
            format,
        }))
    }

    /// `ARRAY[...]`, `ARRAY(query)`
    #[inline(never)]
    fn array_word(&mut self) -> Result<Node> {
        let word = self.next_token();
        if self.peek() == Token::LBracket {
            return self.array(true);
        }
        self.expect_token(&Token::LParen)?;
        let query = self.query()?;
        self.expect_token(&Token::RParen)?;
        let name = single(self.ident_of(word)?);
        Ok(Box::new(plain_call(
            name,
            FunctionArguments::Subquery(query),
        )))
    }

    /// The elements of an array, some of which may be arrays in brackets.
    #[inline(never)]
    fn array(&mut self, named: bool) -> Result<Node> {
        self.enter()?;
        self.expect_token(&Token::LBracket)?;
        let mut elem = Vec::new();
        if self.peek() != Token::RBracket {
            loop {
                let element = match self.peek() {
                    Token::LBracket => self.array(false)?,
                    _ => self.node()?,
                };
                push_node(&mut elem, element);
                if !self.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        self.expect_token(&Token::RBracket)?;
        self.leave();
        Ok(Box::new(Expr::Array(Array { elem, named })))
    }

    /// A type that is a keyword, with the string behind it; the word alone is a column.
    #[inline(never)]
    pub(crate) fn keyword_type(&mut self) -> Result<Node> {
        let found = self.maybe_parse(|parser| {
            let data_type = parser.parse_data_type()?;
            match Parser::is_string(parser.peek()) {
                true => Ok(data_type),
                false => Err(Error::internal("no literal")),
            }
        })?;
        match found {
            Some(data_type) => self.typed(data_type),
            None => self.column(),
        }
    }
}
