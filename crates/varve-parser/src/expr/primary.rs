//! Operands: literals, columns, parentheses, and what keywords begin.

use core::mem::replace;

use varve_ast::{
    Access, Argument, Call, Case, Cast, CastForm, Expr, ExprKind, Name, ObjectName, Query, Span,
    TypeName, TypedLiteral, When,
};
use varve_lexer::{Class, Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::expr::precedence::Node;
use crate::parser::Parser;

/// A call of a function without anything beside its arguments.
pub(crate) fn plain_call(name: ObjectName, arguments: Vec<Argument>) -> Call {
    Call {
        name,
        arguments,
        has_star: false,
        has_parentheses: true,
        is_distinct: false,
        order_by: Vec::new(),
        within_group: Vec::new(),
        filter: None,
        over: None,
    }
}

#[inline(never)]
fn push_when(whens: &mut Vec<When>, condition: Node, result: Node) {
    whens.push(When {
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
    /// A node that starts where `first` does and ends with the last token that was taken.
    pub(crate) fn node_since(&self, first: Span, kind: ExprKind) -> Node {
        let span = self.since(first);
        Box::new(Expr {
            kind,
            span,
            is_parenthesized: false,
        })
    }

    /// An operand.
    pub(crate) fn primary(&mut self) -> Result<Node> {
        let next = self.peek_token();
        match next.token {
            Token::LParen => self.parentheses(),
            Token::Word => self.word(next),
            Token::QuotedWord | Token::UnicodeWord => self.column(),
            Token::Placeholder => self.parameter(),
            _ => self.literal(),
        }
    }

    #[inline(never)]
    fn literal(&mut self) -> Result<Node> {
        let constant = self.parse_constant()?;
        let kind = constant.map_or(ExprKind::Null, ExprKind::Literal);
        Ok(self.node_since(self.last_span(), kind))
    }

    #[inline(never)]
    fn parameter(&mut self) -> Result<Node> {
        let next = self.next_token();
        let digits = self.text_of(next).trim_start_matches('$');
        // No statement has so many: the binder refuses the greatest number.
        let number = digits.parse().unwrap_or(u32::MAX);
        let root = self.node_since(next.span(), ExprKind::Parameter(number));
        self.access(root)
    }

    /// Whether a query starts here, without a parenthesis before it.
    pub(crate) fn at_query(&self) -> bool {
        self.is_query_at(0)
    }

    fn is_query_at(&self, n: usize) -> bool {
        matches!(
            self.peek_nth_token(n).keyword,
            Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE
        )
    }

    /// Whether parentheses that come next hold a query.
    pub fn at_parenthesized_query(&self) -> bool {
        let mut at = 0;
        while self.peek_nth_token(at).token == Token::LParen {
            at += 1;
        }
        at > 0 && self.is_query_at(at)
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
        let mut node = self.node()?;
        if !self.at_query_rest() || !matches!(node.kind, ExprKind::Subquery(_)) {
            return Ok(node);
        }
        if let ExprKind::Subquery(query) = node.take_kind() {
            let query = self.query_behind(query)?;
            node.kind = ExprKind::Subquery(query);
            node.span = self.since(node.span);
        }
        Ok(node)
    }

    /// A subquery, row value or expression in parentheses.
    fn parentheses(&mut self) -> Result<Node> {
        let opening = self.next_token().span();
        let mut node = match self.at_query() {
            true => self.subquery(opening)?,
            false => {
                let first = self.node_or_query()?;
                match self.peek() {
                    Token::Comma => self.tuple(first)?,
                    _ => first,
                }
            }
        };
        self.expect_token(&Token::RParen)?;
        if matches!(node.kind, ExprKind::Subquery(_)) {
            node.span = self.since(opening);
        }
        node.is_parenthesized = true;
        match self.peek() {
            Token::Period | Token::LBracket => self.access(node),
            _ => Ok(node),
        }
    }

    #[inline(never)]
    fn subquery(&mut self, opening: Span) -> Result<Node> {
        let query = self.query()?;
        Ok(self.node_since(opening, ExprKind::Subquery(query)))
    }

    /// The fields of a row value behind the first one.
    #[inline(never)]
    fn tuple(&mut self, first: Node) -> Result<Node> {
        let start = first.span;
        let mut fields = Vec::new();
        push_node(&mut fields, first);
        while self.consume_token(&Token::Comma) {
            let field = self.node()?;
            push_node(&mut fields, field);
        }
        let kind = ExprKind::Row {
            fields,
            is_explicit: false,
        };
        Ok(self.node_since(start, kind))
    }

    /// `ROW(x, y)`
    #[inline(never)]
    pub(crate) fn explicit_row(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.expect_token(&Token::LParen)?;
        let mut fields = Vec::new();
        if !self.consume_token(&Token::RParen) {
            fields = self.parse_comma_separated(Parser::parse_expr)?;
            self.expect_token(&Token::RParen)?;
        }
        let kind = ExprKind::Row {
            fields,
            is_explicit: true,
        };
        Ok(self.node_since(word, kind))
    }

    /// The fields and subscripts behind an operand.
    #[inline(never)]
    fn access(&mut self, root: Node) -> Result<Node> {
        let mut steps = Vec::new();
        self.access_steps(&mut steps)?;
        Ok(match steps.is_empty() {
            true => root,
            false => {
                let first = root.span;
                self.node_since(first, ExprKind::Access { root, steps })
            }
        })
    }

    fn access_steps(&mut self, steps: &mut Vec<Access>) -> Result<()> {
        loop {
            if self.consume_token(&Token::Period) {
                steps.push(match self.peek() {
                    Token::Mul => Access::Star(self.next_token().span()),
                    _ => Access::Field(self.parse_label()?),
                });
            } else if self.consume_token(&Token::LBracket) {
                let subscript = self.subscript()?;
                steps.push(subscript);
            } else {
                return Ok(());
            }
        }
    }

    /// A subscript or slice, behind its bracket.
    pub(crate) fn subscript(&mut self) -> Result<Access> {
        let ends = |parser: &Parser<'_>| matches!(parser.peek(), Token::RBracket | Token::Colon);
        let lower = match ends(self) {
            true => None,
            false => Some(*self.node()?),
        };
        if !self.consume_token(&Token::Colon) {
            let Some(index) = lower else {
                return self.unexpected();
            };
            self.expect_token(&Token::RBracket)?;
            return Ok(Access::Index(index));
        }
        let upper = match ends(self) {
            true => None,
            false => Some(*self.node()?),
        };
        self.expect_token(&Token::RBracket)?;
        Ok(Access::Slice { lower, upper })
    }

    /// A column, call or typed string, whose first word stands here.
    #[inline(never)]
    pub(crate) fn column(&mut self) -> Result<Node> {
        let first = self.next_token();
        let name = self.name_of(first)?;
        match self.peek() {
            Token::LParen => self.call_or_typed(ObjectName::simple(name)),
            Token::Period | Token::LBracket => self.qualified(name),
            token if Parser::is_string(token) => self.typed_string(ObjectName::simple(name)),
            _ => {
                let kind = ExprKind::Column(ObjectName::simple(name));
                Ok(self.node_since(first.span(), kind))
            }
        }
    }

    /// What follows the first name of a qualified one.
    #[inline(never)]
    fn qualified(&mut self, first: Name) -> Result<Node> {
        let start = first.span;
        let mut name = ObjectName::simple(first);
        while self.consume_token(&Token::Period) {
            if self.consume_token(&Token::Mul) {
                return Ok(self.node_since(start, ExprKind::TableStar(name)));
            }
            let last = replace(&mut name.name, self.parse_label()?);
            name.qualifiers.push(last);
        }
        match self.peek() {
            Token::LParen => self.call_or_typed(name),
            token if Parser::is_string(token) => self.typed_string(name),
            _ => {
                let column = self.node_since(start, ExprKind::Column(name));
                self.access(column)
            }
        }
    }

    #[inline(never)]
    fn typed_string(&mut self, name: ObjectName) -> Result<Node> {
        let type_name = self.type_before_string(name, false)?;
        self.typed(type_name)
    }

    /// A string behind its type, which is the place of it all.
    fn typed(&mut self, type_name: TypeName) -> Result<Node> {
        if !Parser::is_string(self.peek()) {
            return self.unexpected();
        }
        let Some(literal) = self.parse_constant()? else {
            return self.unexpected();
        };
        let span = literal.span;
        let typed = Box::new(TypedLiteral { type_name, literal });
        Ok(self.node_since(span, ExprKind::TypedLiteral(typed)))
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
            let type_name = self.type_before_string(name, true)?;
            return self.typed(type_name);
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
        let name = ObjectName::simple(self.name_of(next)?);
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
        let call = Box::new(Call {
            has_parentheses: false,
            ..plain_call(name, Vec::new())
        });
        Ok(self.node_since(next.span(), ExprKind::Call(call)))
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
                self.next_token();
                Ok(self.node_since(next.span(), ExprKind::Default))
            }
            word if word.is_bare_function() => self.bare_call(),
            _ => self.unexpected(),
        }
    }

    #[inline(never)]
    fn case(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        let operand = match self.peek_keyword(Keyword::WHEN) {
            true => None,
            false => Some(self.node()?),
        };
        let mut whens = Vec::new();
        self.expect_keyword(Keyword::WHEN)?;
        loop {
            let condition = self.node()?;
            self.expect_keyword(Keyword::THEN)?;
            let result = self.node()?;
            push_when(&mut whens, condition, result);
            if !self.parse_keyword(Keyword::WHEN) {
                break;
            }
        }
        let otherwise = self.behind(Keyword::ELSE, Parser::node)?;
        self.expect_keyword(Keyword::END)?;
        Ok(self.case_of(word, operand, whens, otherwise))
    }

    #[inline(never)]
    fn case_of(
        &self,
        word: Span,
        operand: Option<Node>,
        whens: Vec<When>,
        otherwise: Option<Node>,
    ) -> Node {
        let case = Box::new(Case {
            operand: operand.map(|operand| *operand),
            whens,
            otherwise: otherwise.map(|otherwise| *otherwise),
        });
        self.node_since(word, ExprKind::Case(case))
    }

    /// `CAST(x AS type)`
    #[inline(never)]
    fn cast(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.expect_token(&Token::LParen)?;
        let operand = self.node()?;
        self.expect_keyword(Keyword::AS)?;
        self.cast_end(operand, word)
    }

    #[inline(never)]
    fn cast_end(&mut self, operand: Node, operator: Span) -> Result<Node> {
        let type_name = self.parse_data_type()?;
        self.expect_token(&Token::RParen)?;
        let first = operand.span;
        let cast = Box::new(Cast {
            operand: *operand,
            type_name,
            form: CastForm::Call,
            operator,
        });
        Ok(self.node_since(first, ExprKind::Cast(cast)))
    }

    /// `ARRAY[...]`, `ARRAY(query)`
    #[inline(never)]
    fn array_word(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        if self.peek() == Token::LBracket {
            return self.array(word);
        }
        self.expect_token(&Token::LParen)?;
        let query: Box<Query> = self.query()?;
        self.expect_token(&Token::RParen)?;
        Ok(self.node_since(word, ExprKind::ArraySubquery(query)))
    }

    /// The elements of an array, some of which may be arrays in brackets.
    #[inline(never)]
    fn array(&mut self, first: Span) -> Result<Node> {
        self.enter()?;
        self.expect_token(&Token::LBracket)?;
        let mut elements = Vec::new();
        if self.peek() != Token::RBracket {
            loop {
                let element = match self.peek() {
                    Token::LBracket => self.array(self.next_span())?,
                    _ => self.node()?,
                };
                push_node(&mut elements, element);
                if !self.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        self.expect_token(&Token::RBracket)?;
        self.leave();
        Ok(self.node_since(first, ExprKind::Array(elements)))
    }

    /// A type that is a keyword, with the string behind it; the word alone is a column.
    #[inline(never)]
    pub(crate) fn keyword_type(&mut self) -> Result<Node> {
        let found = self.maybe_parse(|parser| {
            let type_name = parser.parse_data_type()?;
            match Parser::is_string(parser.peek()) {
                true => Ok(type_name),
                false => Err(Error::internal("no literal")),
            }
        })?;
        match found {
            Some(type_name) => self.typed(type_name),
            None => self.column(),
        }
    }
}
