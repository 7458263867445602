//! Calls with words between their arguments: EXTRACT, POSITION, SUBSTRING, OVERLAY, TRIM.

use sqlparser::ast::{
    CeilFloorKind, DateTimeField, Expr, ExtractSyntax, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, NormalizationForm, ObjectName, ObjectNamePart,
    TrimWhereField, Value, ValueWithSpan,
};
use varve_types::{Error, Result};

use crate::expr::{Kind, Node, level};
use crate::keyword::Keyword;
use crate::name::single;
use crate::parser::{Parser, span_at};
use crate::primary::plain_call;
use crate::token::{Lexeme, Token};

/// A list of plain arguments.
pub(crate) fn plain_args(args: Vec<Node>) -> FunctionArguments {
    let unnamed = |arg: Node| FunctionArg::Unnamed(FunctionArgExpr::Expr(*arg));
    FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args: args.into_iter().map(unnamed).collect(),
        clauses: Vec::new(),
    })
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
            | Keyword::TIME
            | Keyword::TIMESTAMP
            | Keyword::VARCHAR => self.keyword_type(),
            Keyword::INTERVAL => self.interval_word(),
            _ if !called => self.column(),
            Keyword::EXISTS => self.exists(),
            Keyword::EXTRACT => self.extract(),
            Keyword::POSITION => self.position(),
            Keyword::SUBSTRING => self.substring(),
            Keyword::OVERLAY => self.overlay(),
            Keyword::TRIM => self.trim(),
            Keyword::NORMALIZE => self.normalize(),
            Keyword::COALESCE
            | Keyword::GREATEST
            | Keyword::GROUPING
            | Keyword::LEAST
            | Keyword::NULLIF
            | Keyword::ROW
            | Keyword::JSON_ARRAY
            | Keyword::JSON_ARRAYAGG
            | Keyword::JSON_OBJECT
            | Keyword::JSON_OBJECTAGG => {
                let word = self.next_token();
                self.call(single(self.ident_of(word)?))
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
        self.next_token();
        self.next_token();
        let subquery = self.query()?;
        self.expect_token(&Token::RParen)?;
        let negated = false;
        Ok(Box::new(Expr::Exists { subquery, negated }))
    }

    /// The name of a special call, with its parenthesis.
    fn opened(&mut self) -> Result<ObjectName> {
        let word = self.next_token();
        self.expect_token(&Token::LParen)?;
        Ok(single(self.ident_of(word)?))
    }

    /// `COLLATION FOR (x)`, which is a call of pg_collation_for.
    #[inline(never)]
    pub(crate) fn collation_for(&mut self) -> Result<Node> {
        let word = self.next_token();
        self.next_token();
        self.expect_token(&Token::LParen)?;
        let expr = self.node()?;
        self.expect_token(&Token::RParen)?;
        let ident = Ident {
            value: "pg_collation_for".to_owned(),
            quote_style: None,
            span: span_at(word.position),
        };
        Ok(Box::new(plain_call(single(ident), plain_args(vec![expr]))))
    }

    #[inline(never)]
    fn extract(&mut self) -> Result<Node> {
        self.next_token();
        self.next_token();
        let field = self.parse_date_time_field()?;
        self.expect_keyword(Keyword::FROM)?;
        let expr = self.node()?;
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(Expr::Extract {
            field,
            syntax: ExtractSyntax::From,
            expr,
        }))
    }

    /// A field of EXTRACT: a word or a string.
    #[inline(never)]
    pub fn parse_date_time_field(&mut self) -> Result<DateTimeField> {
        use DateTimeField as F;
        let next = self.peek_token();
        if Parser::is_string(next.token) {
            self.next_token();
            return Ok(F::Custom(Ident {
                value: self.string_of(next)?,
                quote_style: Some('\''),
                span: span_at(next.position),
            }));
        }
        if next.token != Token::Word {
            return Ok(F::Custom(self.parse_label()?));
        }
        let word = self.text_of(next).to_ascii_lowercase();
        let field = match word.as_str() {
            "year" => F::Year,
            "years" => F::Years,
            "month" => F::Month,
            "months" => F::Months,
            "week" => F::Week(None),
            "weeks" => F::Weeks,
            "day" => F::Day,
            "days" => F::Days,
            "date" => F::Date,
            "hour" => F::Hour,
            "hours" => F::Hours,
            "minute" => F::Minute,
            "minutes" => F::Minutes,
            "second" => F::Second,
            "seconds" => F::Seconds,
            "century" => F::Century,
            "decade" => F::Decade,
            "dow" => F::Dow,
            "doy" => F::Doy,
            "epoch" => F::Epoch,
            "isodow" => F::Isodow,
            "isoyear" => F::Isoyear,
            "julian" => F::Julian,
            "microsecond" => F::Microsecond,
            "microseconds" => F::Microseconds,
            "millennium" => F::Millennium,
            "millisecond" => F::Millisecond,
            "milliseconds" => F::Milliseconds,
            "quarter" => F::Quarter,
            "time" => F::Time,
            "timezone" => F::Timezone,
            "timezone_hour" => F::TimezoneHour,
            "timezone_minute" => F::TimezoneMinute,
            _ => return Ok(F::Custom(self.parse_label()?)),
        };
        self.next_token();
        Ok(field)
    }

    #[inline(never)]
    fn position(&mut self) -> Result<Node> {
        self.next_token();
        self.next_token();
        let expr = self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_keyword(Keyword::IN)?;
        let r#in = self.expr_above(level::ANY, Kind::Restricted)?;
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(Expr::Position { expr, r#in }))
    }

    /// The first argument of a call that may have words between its arguments; else the call.
    #[inline(never)]
    fn first_argument(&mut self, words: &[Keyword]) -> Result<Result<Node, Node>> {
        let name = self.opened()?;
        if self.peek() == Token::RParen || self.at_named_argument() {
            self.prev_token();
            return self.call(name).map(Err);
        }
        let first = self.node()?;
        match words.contains(&self.peek_token().keyword) {
            true => Ok(Ok(first)),
            false => self.call_from(name, first).map(Err),
        }
    }

    #[inline(never)]
    fn substring(&mut self) -> Result<Node> {
        let words = [Keyword::FROM, Keyword::FOR, Keyword::SIMILAR];
        let expr = match self.first_argument(&words)? {
            Ok(expr) => expr,
            Err(call) => return Ok(call),
        };
        let mut from = None;
        let mut length = None;
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
        Ok(Box::new(Expr::Substring {
            expr,
            substring_from: from,
            substring_for: length,
            special: false,
            shorthand: false,
        }))
    }

    #[inline(never)]
    fn overlay(&mut self) -> Result<Node> {
        let expr = match self.first_argument(&[Keyword::PLACING])? {
            Ok(expr) => expr,
            Err(call) => return Ok(call),
        };
        self.next_token();
        let overlay_what = self.node()?;
        self.expect_keyword(Keyword::FROM)?;
        let overlay_from = self.node()?;
        let overlay_for = match self.parse_keyword(Keyword::FOR) {
            true => Some(self.node()?),
            false => None,
        };
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(Expr::Overlay {
            expr,
            overlay_what,
            overlay_from,
            overlay_for,
        }))
    }

    #[inline(never)]
    fn trim(&mut self) -> Result<Node> {
        self.next_token();
        self.next_token();
        let sides = [Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING];
        let trim_where = self.parse_one_of_keywords(&sides).map(|side| match side {
            Keyword::BOTH => TrimWhereField::Both,
            Keyword::LEADING => TrimWhereField::Leading,
            _ => TrimWhereField::Trailing,
        });
        let mut trim_what = None;
        let mut expr = match self.peek_keyword(Keyword::FROM) {
            true => None,
            false => Some(self.node()?),
        };
        if self.parse_keyword(Keyword::FROM) {
            trim_what = expr.replace(self.node()?);
        }
        let Some(expr) = expr else {
            return self.unexpected();
        };
        let mut trim_characters = None;
        if self.consume_token(&Token::Comma) {
            trim_characters = Some(self.parse_comma_separated(Parser::parse_expr)?);
        }
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(Expr::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters,
        }))
    }

    /// `NORMALIZE(x, NFC)`: the form becomes a string.
    #[inline(never)]
    fn normalize(&mut self) -> Result<Node> {
        let name = self.opened()?;
        let mut args = vec![self.node()?];
        if self.consume_token(&Token::Comma) {
            let position = self.peek_token().position;
            let form = match self.normal_form() {
                Some(NormalizationForm::NFC) => "NFC",
                Some(NormalizationForm::NFD) => "NFD",
                Some(NormalizationForm::NFKC) => "NFKC",
                Some(NormalizationForm::NFKD) => "NFKD",
                None => return self.unexpected(),
            };
            args.push(Box::new(Expr::Value(ValueWithSpan {
                value: Value::SingleQuotedString(form.to_owned()),
                span: span_at(position),
            })));
        }
        self.expect_token(&Token::RParen)?;
        Ok(Box::new(plain_call(name, plain_args(args))))
    }

    /// Calls that the trees have a node of their own for.
    #[inline(never)]
    pub(crate) fn special_call(function: Function) -> Node {
        let word = match function.name.0.as_slice() {
            [ObjectNamePart::Identifier(ident)] if ident.quote_style.is_none() => {
                ident.value.to_ascii_lowercase()
            }
            _ => return Box::new(Expr::Function(function)),
        };
        let counts = match word.as_str() {
            "ceil" | "floor" => 1..=1,
            "substr" | "substring" => 2..=3,
            _ => return Box::new(Expr::Function(function)),
        };
        let plain = function.over.is_none()
            && function.filter.is_none()
            && function.within_group.is_empty()
            && matches!(&function.args, FunctionArguments::List(list)
            if list.duplicate_treatment.is_none()
                && list.clauses.is_empty()
                && counts.contains(&list.args.len())
                && list.args.iter().all(|arg| {
                    matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(_)))
                }));
        if !plain {
            return Box::new(Expr::Function(function));
        }
        let FunctionArguments::List(list) = function.args else {
            return Box::new(Expr::Function(function));
        };
        let mut args = list.args.into_iter().filter_map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(Box::new(expr)),
            _ => None,
        });
        let field = CeilFloorKind::DateTimeField(DateTimeField::NoDateTime);
        let expr = args
            .next()
            .unwrap_or_else(|| Box::new(Expr::Tuple(Vec::new())));
        Box::new(match word.as_str() {
            "ceil" => Expr::Ceil { expr, field },
            "floor" => Expr::Floor { expr, field },
            _ => Expr::Substring {
                expr,
                substring_from: args.next(),
                substring_for: args.next(),
                special: true,
                shorthand: word == "substr",
            },
        })
    }
}
