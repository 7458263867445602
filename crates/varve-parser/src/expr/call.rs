//! Calls of functions.

use varve_ast::{Argument, Call, ExprKind, Name, ObjectName, OrderItem, Over};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result};

use crate::expr::json_call::{JsonArguments, is_json_call};
use crate::expr::precedence::Node;
use crate::expr::primary::plain_call;
use crate::parser::Parser;

/// What stands in the parentheses of a call.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) items: Vec<Argument>,
    /// `*`
    has_star: bool,
    /// `DISTINCT`
    is_distinct: bool,
    order_by: Vec<OrderItem>,
    /// What only the constructors of SQL/JSON have.
    pub(crate) json: JsonArguments,
}

impl Parser<'_> {
    /// A call whose name was taken.
    #[inline(never)]
    pub(crate) fn call(&mut self, name: ObjectName) -> Result<Node> {
        let mut arguments = Arguments::default();
        self.list(&name, &mut arguments)?;
        self.called(name, arguments)
    }

    /// A call whose name, parenthesis and first argument were taken.
    #[inline(never)]
    pub(crate) fn call_from(&mut self, name: ObjectName, first: Node) -> Result<Node> {
        let mut arguments = Arguments::default();
        push_plain(&mut arguments.items, first);
        while self.consume_token(&Token::Comma) {
            self.push_argument(&mut arguments, false)?;
        }
        self.expect_token(&Token::RParen)?;
        self.called(name, arguments)
    }

    /// A call behind its arguments.
    fn called(&mut self, name: ObjectName, arguments: Arguments) -> Result<Node> {
        let first = name.span();
        let mut call = Box::new(plain_call(name, Vec::new()));
        call.has_star = arguments.has_star;
        call.is_distinct = arguments.is_distinct;
        call.order_by = arguments.order_by;
        if matches!(
            self.peek_token().keyword,
            Keyword::WITHIN | Keyword::FILTER | Keyword::OVER
        ) {
            self.behind_call(&mut call)?;
        }
        if arguments.json.is_there {
            return self.json_constructor(call, arguments.items, arguments.json);
        }
        call.arguments = arguments.items;
        Ok(self.node_since(first, ExprKind::Call(call)))
    }

    #[inline(never)]
    fn behind_call(&mut self, call: &mut Call) -> Result<()> {
        if self.parse_keywords(&[Keyword::WITHIN, Keyword::GROUP]) {
            self.expect_token(&Token::LParen)?;
            call.within_group = self.order_by()?;
            self.expect_token(&Token::RParen)?;
        }
        if self.peek_keyword(Keyword::FILTER) && self.peek_nth_token(1).token == Token::LParen {
            self.next_token();
            self.next_token();
            self.expect_keyword(Keyword::WHERE)?;
            call.filter = Some(self.node()?);
            self.expect_token(&Token::RParen)?;
        }
        if self.parse_keyword(Keyword::OVER) {
            call.over = Some(match self.consume_token(&Token::LParen) {
                true => Over::Spec(Box::new(self.parse_window_spec()?)),
                false => Over::Name(self.parse_identifier()?),
            });
        }
        Ok(())
    }

    /// `ORDER BY` and its items.
    pub(crate) fn order_by(&mut self) -> Result<Vec<OrderItem>> {
        self.expect_keywords(&[Keyword::ORDER, Keyword::BY])?;
        self.parse_comma_separated(Parser::parse_order_item)
    }

    /// The arguments of a function in FROM, with their parentheses.
    pub(crate) fn arguments(&mut self, name: &ObjectName) -> Result<Vec<Argument>> {
        let first = self.peek_token();
        let mut arguments = Arguments::default();
        self.list(name, &mut arguments)?;
        match arguments.json.plain(&mut arguments.items) {
            true => Ok(arguments.items),
            false => Err(Error::unsupported("this form of argument").at(first.position)),
        }
    }

    #[inline(never)]
    fn list(&mut self, name: &ObjectName, arguments: &mut Arguments) -> Result<()> {
        self.expect_token(&Token::LParen)?;
        let of_json = is_json_call(name);
        arguments.json.is_there = of_json;
        arguments.json.is_object = name.name.text.starts_with("json_object");
        if self.consume_token(&Token::RParen) {
            return Ok(());
        }
        if of_json && self.at_query() {
            self.json_query(arguments)?;
        }
        if self.consume_token(&Token::Mul) {
            arguments.has_star = true;
            arguments.json.is_there = false;
            self.expect_token(&Token::RParen)?;
            return Ok(());
        }
        match self.peek_token().keyword {
            Keyword::DISTINCT => {
                arguments.is_distinct = true;
                self.next_token();
            }
            Keyword::ALL => {
                self.next_token();
            }
            _ => {}
        }
        if arguments.json.query.is_none() && !(of_json && self.at_json_clause()) {
            loop {
                self.push_argument(arguments, of_json)?;
                if !self.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        if self.peek_keyword(Keyword::ORDER) {
            arguments.order_by = self.order_by()?;
        }
        if of_json {
            self.json_clauses(&mut arguments.json)?;
        }
        self.expect_token(&Token::RParen)?;
        Ok(())
    }

    /// An argument.
    fn push_argument(&mut self, arguments: &mut Arguments, of_json: bool) -> Result<()> {
        if self.at_named_argument() {
            // No constructor has such an argument.
            if !arguments.json.plain(&mut arguments.items) {
                return self.unexpected();
            }
            return self.push_named(&mut arguments.items);
        }
        let value = self.node()?;
        if of_json {
            return self.push_json(arguments, value);
        }
        push_plain(&mut arguments.items, value);
        Ok(())
    }

    pub(crate) fn at_named_argument(&self) -> bool {
        let first = self.peek_token();
        first.keyword == Keyword::VARIADIC
            || (Parser::is_type_name(first)
                && matches!(
                    self.peek_nth_token(1).token,
                    Token::RArrow | Token::Assignment
                ))
    }

    /// `VARIADIC x`, `name => x`, `VARIADIC name => x`
    #[inline(never)]
    fn push_named(&mut self, items: &mut Vec<Argument>) -> Result<()> {
        let mut variadic = None;
        let mut name: Option<Name> = None;
        if self.peek_keyword(Keyword::VARIADIC) {
            variadic = Some(self.next_token().span());
        }
        if variadic.is_none() || self.at_named_argument() {
            let word = self.next_token();
            name = Some(self.name_of(word)?);
            self.next_token();
        }
        let value = self.node()?;
        items.push(Argument {
            name,
            variadic,
            value: *value,
        });
        Ok(())
    }
}

#[inline(never)]
pub(crate) fn push_plain(items: &mut Vec<Argument>, value: Node) {
    items.push(Argument {
        name: None,
        variadic: None,
        value: *value,
    });
}
