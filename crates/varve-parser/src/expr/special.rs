//! Calls with words between their arguments: EXTRACT, POSITION, SUBSTRING, OVERLAY, TRIM.

use varve_ast::{
    Argument, Expr, ExprKind, Literal, LiteralKind, Name, NormalForm, ObjectName, SpecialCall,
    TrimSide,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::expr::precedence::{Kind, Node, level};
use crate::expr::primary::plain_call;
use crate::parser::Parser;

/// Plain arguments.
fn plain_arguments(values: Vec<Node>) -> Vec<Argument> {
    let plain = |value: Node| Argument {
        name: None,
        variadic: None,
        value: *value,
    };
    values.into_iter().map(plain).collect()
}

/// The first argument of a call that may have words between its arguments.
enum FirstArgument {
    /// One of the words comes next.
    BeforeWord(Node),
    /// It is a call like any other.
    OfCall(Node),
}

impl Parser<'_> {
    /// A keyword that may name columns, but no function: it begins a form of its own, or is a
    /// column.
    #[inline(never)]
    pub(crate) fn column_word(&mut self, next: Lexeme) -> Result<Node> {
        let called = self.peek_nth_token(1).token == Token::LParen;
        match next.keyword {
            Keyword::BIGINT
            | Keyword::BIT
            | Keyword::BOOLEAN
            | Keyword::CHAR
            | Keyword::CHARACTER
            | Keyword::DEC
            | Keyword::DECIMAL
            | Keyword::FLOAT
            | Keyword::INT
            | Keyword::INTEGER
            | Keyword::NATIONAL
            | Keyword::NCHAR
            | Keyword::NUMERIC
            | Keyword::REAL
            | Keyword::SMALLINT
            | Keyword::TIMESTAMP
            | Keyword::VARCHAR => self.keyword_type(),
            // SQLite's function, but for `time(3) '12:00'`.
            Keyword::TIME if called && self.peek_nth_token(2).token != Token::Number => {
                let word = self.next_token();
                self.call(ObjectName::simple(self.name_of(word)?))
            }
            Keyword::TIME => self.keyword_type(),
            Keyword::INTERVAL => self.interval_word(),
            _ if !called => self.column(),
            _ => self.called_word(next),
        }
    }

    /// A keyword of a form of its own, before a parenthesis.
    #[inline(never)]
    fn called_word(&mut self, next: Lexeme) -> Result<Node> {
        match next.keyword {
            Keyword::EXISTS => self.exists(),
            Keyword::EXTRACT => self.extract(),
            Keyword::POSITION => self.position(),
            Keyword::SUBSTRING => self.substring(),
            Keyword::OVERLAY => self.overlay(),
            Keyword::TRIM => self.trim(),
            Keyword::NORMALIZE => self.normalize(),
            Keyword::ROW => self.explicit_row(),
            Keyword::COALESCE
            | Keyword::GREATEST
            | Keyword::GROUPING
            | Keyword::LEAST
            | Keyword::NULLIF
            | Keyword::JSON_ARRAY
            | Keyword::JSON_ARRAYAGG
            | Keyword::JSON_OBJECT
            | Keyword::JSON_OBJECTAGG => {
                let word = self.next_token();
                self.call(ObjectName::simple(self.name_of(word)?))
            }
            Keyword::TREAT => Err(Error::unsupported("TREAT")),
            Keyword::XMLCONCAT
            | Keyword::XMLELEMENT
            | Keyword::XMLEXISTS
            | Keyword::XMLFOREST
            | Keyword::XMLPARSE
            | Keyword::XMLPI
            | Keyword::XMLROOT
            | Keyword::XMLSERIALIZE => Err(Error::unsupported("XML").at(next.position)),
            _ => self.column(),
        }
    }

    #[inline(never)]
    fn exists(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.next_token();
        let query = self.query()?;
        self.expect_token(&Token::RParen)?;
        Ok(self.node_since(word, ExprKind::Exists(query)))
    }

    /// The name of a special call, with its parenthesis.
    fn opened(&mut self) -> Result<ObjectName> {
        let word = self.next_token();
        self.expect_token(&Token::LParen)?;
        Ok(ObjectName::simple(self.name_of(word)?))
    }

    /// `COLLATION FOR (x)`, which is a call of pg_collation_for.
    #[inline(never)]
    pub(crate) fn collation_for(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.next_token();
        self.expect_token(&Token::LParen)?;
        let value = self.node()?;
        self.expect_token(&Token::RParen)?;
        let name = Name {
            text: "pg_collation_for".to_owned(),
            is_quoted: false,
            span: word,
        };
        let call = plain_call(ObjectName::simple(name), plain_arguments(vec![value]));
        Ok(self.node_since(word, ExprKind::Call(Box::new(call))))
    }

    /// A special call behind its last parenthesis.
    #[inline(never)]
    fn special(&self, word: varve_ast::Span, call: SpecialCall) -> Node {
        self.node_since(word, ExprKind::Special(Box::new(call)))
    }

    #[inline(never)]
    fn extract(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.next_token();
        let field = self.extracted_field()?;
        self.expect_keyword(Keyword::FROM)?;
        let operand = *self.node()?;
        self.expect_token(&Token::RParen)?;
        Ok(self.special(word, SpecialCall::Extract { field, operand }))
    }

    /// A field of EXTRACT: a word or a string.
    #[inline(never)]
    fn extracted_field(&mut self) -> Result<Name> {
        let next = self.peek_token();
        if !Parser::is_string(next.token) {
            return self.parse_label();
        }
        self.next_token();
        Ok(Name {
            text: self.string_of(next)?,
            is_quoted: true,
            span: next.span(),
        })
    }

    #[inline(never)]
    fn position(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.next_token();
        let part = *self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_keyword(Keyword::IN)?;
        let operand = *self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_token(&Token::RParen)?;
        Ok(self.special(word, SpecialCall::Position { part, operand }))
    }

    #[inline(never)]
    fn first_argument(&mut self, words: &[Keyword]) -> Result<FirstArgument> {
        let name = self.opened()?;
        if self.peek() == Token::RParen || self.at_named_argument() {
            self.prev_token();
            return self.call(name).map(FirstArgument::OfCall);
        }
        let first = self.node()?;
        match words.contains(&self.peek_token().keyword) {
            true => Ok(FirstArgument::BeforeWord(first)),
            false => self.call_from(name, first).map(FirstArgument::OfCall),
        }
    }

    #[inline(never)]
    fn substring(&mut self) -> Result<Node> {
        let word = self.next_span();
        let words = [Keyword::FROM, Keyword::FOR, Keyword::SIMILAR];
        let operand = match self.first_argument(&words)? {
            FirstArgument::BeforeWord(operand) => operand,
            FirstArgument::OfCall(call) => return Ok(call),
        };
        let (mut from, mut length): (Option<Node>, Option<Node>) = (None, None);
        if self.parse_keyword(Keyword::SIMILAR) {
            // A pattern and its escape mean the same behind FROM and FOR.
            from = Some(self.node()?);
            self.expect_keyword(Keyword::ESCAPE)?;
            length = Some(self.node()?);
        }
        loop {
            if from.is_none() && self.parse_keyword(Keyword::FROM) {
                from = Some(self.node()?);
            } else if length.is_none() && self.parse_keyword(Keyword::FOR) {
                length = Some(self.node()?);
            } else {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        let call = SpecialCall::Substring {
            operand: *operand,
            from: from.map(|from| *from),
            length: length.map(|length| *length),
        };
        Ok(self.special(word, call))
    }

    #[inline(never)]
    fn overlay(&mut self) -> Result<Node> {
        let word = self.next_span();
        let operand = match self.first_argument(&[Keyword::PLACING])? {
            FirstArgument::BeforeWord(operand) => operand,
            FirstArgument::OfCall(call) => return Ok(call),
        };
        self.next_token();
        let placing = *self.node()?;
        self.expect_keyword(Keyword::FROM)?;
        let from = *self.node()?;
        let length = match self.parse_keyword(Keyword::FOR) {
            true => Some(*self.node()?),
            false => None,
        };
        self.expect_token(&Token::RParen)?;
        let call = SpecialCall::Overlay {
            operand: *operand,
            placing,
            from,
            length,
        };
        Ok(self.special(word, call))
    }

    #[inline(never)]
    fn trim(&mut self) -> Result<Node> {
        let word = self.next_token().span();
        self.next_token();
        let sides = [Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING];
        let side = self.parse_one_of_keywords(&sides).map(|side| match side {
            Keyword::BOTH => TrimSide::Both,
            Keyword::LEADING => TrimSide::Leading,
            _ => TrimSide::Trailing,
        });
        let mut characters: Option<Node> = None;
        let mut operand = match self.peek_keyword(Keyword::FROM) {
            true => None,
            false => Some(self.node()?),
        };
        if self.parse_keyword(Keyword::FROM) {
            characters = operand.replace(self.node()?);
        }
        let Some(operand) = operand else {
            return self.unexpected();
        };
        let mut listed: Vec<Expr> = Vec::new();
        if self.consume_token(&Token::Comma) {
            listed = self.parse_comma_separated(Parser::parse_expr)?;
        }
        self.expect_token(&Token::RParen)?;
        let call = SpecialCall::Trim {
            side,
            operand: *operand,
            characters: characters.map(|characters| *characters),
            listed,
        };
        Ok(self.special(word, call))
    }

    /// `NORMALIZE(x, NFC)`: the form becomes a string.
    #[inline(never)]
    fn normalize(&mut self) -> Result<Node> {
        let word = self.next_span();
        let name = self.opened()?;
        let mut values = vec![self.node()?];
        if self.consume_token(&Token::Comma) {
            let span = self.next_span();
            let form = match self.normal_form() {
                Some(NormalForm::Nfc) => "NFC",
                Some(NormalForm::Nfd) => "NFD",
                Some(NormalForm::Nfkc) => "NFKC",
                Some(NormalForm::Nfkd) => "NFKD",
                None => return self.unexpected(),
            };
            let literal = Literal {
                kind: LiteralKind::Text,
                text: form.to_owned(),
                span,
            };
            values.push(self.node_since(span, ExprKind::Literal(literal)));
        }
        self.expect_token(&Token::RParen)?;
        let call = plain_call(name, plain_arguments(values));
        Ok(self.node_since(word, ExprKind::Call(Box::new(call))))
    }
}
