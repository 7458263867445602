//! Calls of functions.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, JsonNullClause,
    JsonReturningClause, ObjectName, ObjectNamePart, OrderByExpr, WindowType,
};
use varve_types::{Error, Result};

use crate::expr::Node;
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
    pub(crate) fn call_from(&mut self, name: ObjectName, first: FunctionArg) -> Result<Node> {
        let mut args = no_arguments();
        args.args.push(first);
        while self.consume_token(&Token::Comma) {
            args.args.push(self.argument(false)?);
        }
        self.expect_token(&Token::RParen)?;
        let function = self.call_of(name, args)?;
        Ok(Parser::special_call(function))
    }

    /// The arguments of a call, and what follows them.
    pub fn parse_function_call(&mut self, name: ObjectName) -> Result<Function> {
        let args = self.arguments(&name)?;
        self.call_of(name, args)
    }

    fn call_of(&mut self, name: ObjectName, args: FunctionArgumentList) -> Result<Function> {
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
        self.expect_token(&Token::LParen)?;
        let mut list = no_arguments();
        if self.consume_token(&Token::RParen) {
            return Ok(list);
        }
        let of_json = is_json_call(name);
        if self.consume_token(&Token::Mul) {
            list.args
                .push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
            self.expect_token(&Token::RParen)?;
            return Ok(list);
        }
        list.duplicate_treatment = match self.peek_token().keyword {
            Keyword::DISTINCT => Some(DuplicateTreatment::Distinct),
            Keyword::ALL => Some(DuplicateTreatment::All),
            _ => None,
        };
        if list.duplicate_treatment.is_some() {
            self.next_token();
        }
        if !(of_json && self.at_json_clause()) {
            loop {
                list.args.push(self.argument(of_json)?);
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
            self.json_clauses(&mut list)?;
        }
        self.expect_token(&Token::RParen)?;
        Ok(list)
    }

    pub(crate) fn argument(&mut self, of_json: bool) -> Result<FunctionArg> {
        let first = self.peek_token();
        if first.keyword == Keyword::VARIADIC {
            self.next_token();
            return Ok(FunctionArg::ExprNamed {
                name: Expr::Identifier(marker(VARIADIC, first.position)),
                arg: FunctionArgExpr::Expr(*self.node()?),
                operator: FunctionArgOperator::RightArrow,
            });
        }
        let operator = match self.peek_nth_token(1).token {
            Token::RArrow => Some(FunctionArgOperator::RightArrow),
            Token::Assignment => Some(FunctionArgOperator::Assignment),
            _ => None,
        };
        if let Some(operator) = operator.filter(|_| Parser::is_type_name(first)) {
            self.next_token();
            self.next_token();
            return Ok(FunctionArg::ExprNamed {
                name: Expr::Identifier(self.ident_of(first)?),
                arg: FunctionArgExpr::Expr(*self.node()?),
                operator,
            });
        }
        let expr = self.node()?;
        if of_json && self.peek_keyword(Keyword::FORMAT) {
            return Err(Error::unsupported("FORMAT JSON").at(self.peek_token().position));
        }
        let operator = match (of_json, self.peek()) {
            (true, Token::Colon) => Some(FunctionArgOperator::Colon),
            (true, _) if self.peek_keyword(Keyword::VALUE) => Some(FunctionArgOperator::Value),
            _ => None,
        };
        let Some(operator) = operator else {
            return Ok(FunctionArg::Unnamed(match *expr {
                Expr::QualifiedWildcard(name, _) => FunctionArgExpr::QualifiedWildcard(name),
                expr => FunctionArgExpr::Expr(expr),
            }));
        };
        self.next_token();
        let arg = FunctionArgExpr::Expr(*self.node()?);
        if self.peek_keyword(Keyword::FORMAT) {
            return Err(Error::unsupported("FORMAT JSON").at(self.peek_token().position));
        }
        Ok(FunctionArg::ExprNamed {
            name: *expr,
            arg,
            operator,
        })
    }

    fn at_json_clause(&self) -> bool {
        matches!(self.peek_token().keyword, Keyword::RETURNING)
            || (matches!(self.peek_token().keyword, Keyword::NULL | Keyword::ABSENT)
                && self.second_is(Keyword::ON))
    }

    /// What follows the arguments of JSON_OBJECT and its like.
    #[inline(never)]
    fn json_clauses(&mut self, list: &mut FunctionArgumentList) -> Result<()> {
        let clause = match self.peek_token().keyword {
            Keyword::NULL => Some(JsonNullClause::NullOnNull),
            Keyword::ABSENT => Some(JsonNullClause::AbsentOnNull),
            _ => None,
        };
        if let Some(clause) = clause {
            self.next_token();
            self.expect_keywords(&[Keyword::ON, Keyword::NULL])?;
            list.clauses
                .push(FunctionArgumentClause::JsonNullClause(clause));
        }
        if self.peek_keyword(Keyword::WITH) || self.peek_keyword(Keyword::WITHOUT) {
            let with = self.next_token().keyword == Keyword::WITH;
            self.expect_keyword(Keyword::UNIQUE)?;
            let _ = self.parse_keyword(Keyword::KEYS);
            if with {
                return Err(Error::unsupported("WITH UNIQUE KEYS"));
            }
        }
        if self.parse_keyword(Keyword::RETURNING) {
            let data_type = self.parse_data_type()?;
            if self.parse_keyword(Keyword::FORMAT) {
                return Err(Error::unsupported("FORMAT in RETURNING"));
            }
            let returning = JsonReturningClause { data_type };
            list.clauses
                .push(FunctionArgumentClause::JsonReturningClause(returning));
        }
        Ok(())
    }

    /// `*` of a select list.
    pub(crate) fn star(&mut self) -> sqlparser::ast::helpers::attached_token::AttachedToken {
        attached(self.next_token())
    }
}

fn no_arguments() -> FunctionArgumentList {
    FunctionArgumentList {
        duplicate_treatment: None,
        args: Vec::new(),
        clauses: Vec::new(),
    }
}

fn is_json_call(name: &ObjectName) -> bool {
    let words = [
        "json_object",
        "json_array",
        "json_objectagg",
        "json_arrayagg",
    ];
    matches!(name.0.as_slice(), [ObjectNamePart::Identifier(ident)]
        if words.iter().any(|word| ident.value.eq_ignore_ascii_case(word)))
}
