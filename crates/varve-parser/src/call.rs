//! Calls of functions.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, ObjectName, OrderByExpr,
    WindowType,
};
use varve_types::Result;

use crate::expr::Node;
use crate::json_call::is_json_call;
use crate::keyword::Keyword;
use crate::marker::{VARIADIC, marker};
use crate::parser::{Parser, attached};
use crate::token::Token;

impl Parser<'_> {
    /// A call whose name was taken.
    #[inline(never)]
    pub(crate) fn call(&mut self, name: ObjectName) -> Result<Node> {
        let function = self.parse_function_call(name)?;
        Ok(Parser::special_call(function))
    }

    /// A call whose name, parenthesis and first argument were taken.
    #[inline(never)]
    pub(crate) fn call_from(&mut self, name: ObjectName, first: Node) -> Result<Node> {
        let mut args = no_arguments();
        push_plain(&mut args.args, first);
        while self.consume_token(&Token::Comma) {
            self.push_argument(&mut args.args, false)?;
        }
        self.expect_token(&Token::RParen)?;
        let function = self.call_of(name, args)?;
        Ok(Parser::special_call(function))
    }

    /// The arguments of a call, and what follows them.
    pub fn parse_function_call(&mut self, name: ObjectName) -> Result<Function> {
        let mut args = no_arguments();
        self.list(&name, &mut args)?;
        self.call_of(name, args)
    }

    pub(crate) fn call_of(
        &mut self,
        name: ObjectName,
        args: FunctionArgumentList,
    ) -> Result<Function> {
        let mut function = Function {
            name,
            uses_odbc_syntax: false,
            parameters: FunctionArguments::None,
            args: FunctionArguments::List(args),
            within_group: Vec::new(),
            filter: None,
            null_treatment: None,
            over: None,
        };
        if matches!(
            self.peek_token().keyword,
            Keyword::WITHIN | Keyword::FILTER | Keyword::OVER
        ) {
            self.behind_call(&mut function)?;
        }
        Ok(function)
    }

    #[inline(never)]
    fn behind_call(&mut self, function: &mut Function) -> Result<()> {
        if self.parse_keywords(&[Keyword::WITHIN, Keyword::GROUP]) {
            self.expect_token(&Token::LParen)?;
            function.within_group = self.order_by()?;
            self.expect_token(&Token::RParen)?;
        }
        if self.peek_keyword(Keyword::FILTER) && self.peek_nth_token(1).token == Token::LParen {
            self.next_token();
            self.next_token();
            self.expect_keyword(Keyword::WHERE)?;
            function.filter = Some(self.node()?);
            self.expect_token(&Token::RParen)?;
        }
        if self.parse_keyword(Keyword::OVER) {
            function.over = Some(match self.consume_token(&Token::LParen) {
                true => WindowType::WindowSpec(self.parse_window_spec()?),
                false => WindowType::NamedWindow(self.parse_identifier()?),
            });
        }
        Ok(())
    }

    /// `ORDER BY` and its items.
    pub(crate) fn order_by(&mut self) -> Result<Vec<OrderByExpr>> {
        self.expect_keywords(&[Keyword::ORDER, Keyword::BY])?;
        self.parse_comma_separated(Parser::parse_order_by_expr)
    }

    /// The arguments of a call with their parentheses.
    pub(crate) fn arguments(&mut self, name: &ObjectName) -> Result<FunctionArgumentList> {
        let mut list = no_arguments();
        self.list(name, &mut list)?;
        Ok(list)
    }

    #[inline(never)]
    fn list(&mut self, name: &ObjectName, list: &mut FunctionArgumentList) -> Result<()> {
        self.expect_token(&Token::LParen)?;
        if self.consume_token(&Token::RParen) {
            return Ok(());
        }
        let of_json = is_json_call(name);
        if of_json && self.at_query() {
            self.push_query(list)?;
        }
        if self.consume_token(&Token::Mul) {
            list.args
                .push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
            self.expect_token(&Token::RParen)?;
            return Ok(());
        }
        list.duplicate_treatment = match self.peek_token().keyword {
            Keyword::DISTINCT => Some(DuplicateTreatment::Distinct),
            Keyword::ALL => Some(DuplicateTreatment::All),
            _ => None,
        };
        if list.duplicate_treatment.is_some() {
            self.next_token();
        }
        if list.args.is_empty() && !(of_json && self.at_json_clause()) {
            loop {
                self.push_argument(&mut list.args, of_json)?;
                if !self.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        if self.peek_keyword(Keyword::ORDER) {
            list.clauses
                .push(FunctionArgumentClause::OrderBy(self.order_by()?));
        }
        if of_json {
            self.json_clauses(list)?;
        }
        self.expect_token(&Token::RParen)?;
        Ok(())
    }

    /// An argument.
    fn push_argument(&mut self, args: &mut Vec<FunctionArg>, of_json: bool) -> Result<()> {
        if self.at_named_argument() {
            return self.push_named(args);
        }
        let expr = self.node()?;
        match of_json && self.at_json_value() {
            true => self.push_json(args, expr),
            false => {
                push_plain(args, expr);
                Ok(())
            }
        }
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
    fn push_named(&mut self, args: &mut Vec<FunctionArg>) -> Result<()> {
        let first = self.next_token();
        let (name, operator) = match first.keyword {
            Keyword::VARIADIC => {
                let mut name = VARIADIC.to_owned();
                if self.at_named_argument() {
                    let of = self.next_token();
                    let ident = self.ident_of(of)?;
                    name.push_str(&match ident.quote_style {
                        Some(_) => ident.value,
                        None => ident.value.to_ascii_lowercase(),
                    });
                    self.next_token();
                }
                (
                    marker(&name, first.position),
                    FunctionArgOperator::RightArrow,
                )
            }
            _ => {
                let operator = match self.next_token().token {
                    Token::RArrow => FunctionArgOperator::RightArrow,
                    _ => FunctionArgOperator::Assignment,
                };
                (self.ident_of(first)?, operator)
            }
        };
        let arg = self.node()?;
        push_pair(args, Box::new(Expr::Identifier(name)), arg, operator);
        Ok(())
    }

    /// `*` of a select list.
    pub(crate) fn star(&mut self) -> sqlparser::ast::helpers::attached_token::AttachedToken {
        attached(self.next_token())
    }
}

#[inline(never)]
pub(crate) fn push_plain(args: &mut Vec<FunctionArg>, expr: Node) {
    args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(*expr)));
}

#[inline(never)]
pub(crate) fn push_pair(
    args: &mut Vec<FunctionArg>,
    name: Node,
    arg: Node,
    operator: FunctionArgOperator,
) {
    args.push(FunctionArg::ExprNamed {
        name: *name,
        arg: FunctionArgExpr::Expr(*arg),
        operator,
    });
}

pub(crate) fn no_arguments() -> FunctionArgumentList {
    FunctionArgumentList {
        duplicate_treatment: None,
        args: Vec::new(),
        clauses: Vec::new(),
    }
}
