//! The constructors of SQL/JSON: `JSON_OBJECT(k: v NULL ON NULL RETURNING jsonb)` and its like.
//!
//! What the trees cannot say becomes calls and arguments that have markers for names.

use sqlparser::ast::{
    DataType, Expr, FunctionArgOperator, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, JsonNullClause, JsonReturningClause, ObjectName, ObjectNamePart, Value,
    ValueWithSpan,
};
use varve_types::{Error, Result, SqlState};

use crate::call::{no_arguments, push_pair, push_plain};
use crate::expr::Node;
use crate::keyword::Keyword;
use crate::marker::{FORMAT_JSON, JSON_ROWS, UNIQUE_KEYS, marker};
use crate::parser::{Parser, span_at};
use crate::token::Token;

impl Parser<'_> {
    pub(crate) fn at_json_value(&self) -> bool {
        self.peek() == Token::Colon
            || matches!(self.peek_token().keyword, Keyword::VALUE | Keyword::FORMAT)
    }

    /// `key : value` or `key VALUE value`, behind the key; or FORMAT JSON behind a value.
    #[inline(never)]
    pub(crate) fn push_json(
        &mut self,
        args: &mut Vec<sqlparser::ast::FunctionArg>,
        key: Node,
    ) -> Result<()> {
        let operator = match self.peek() {
            Token::Colon => FunctionArgOperator::Colon,
            _ => FunctionArgOperator::Value,
        };
        if self.peek_keyword(Keyword::FORMAT) {
            let value = self.formatted(key)?;
            push_plain(args, value);
            return Ok(());
        }
        self.next_token();
        let value = self.node()?;
        let value = self.formatted(value)?;
        push_pair(args, key, value, operator);
        Ok(())
    }

    /// A value with the FORMAT JSON that may follow it.
    #[inline(never)]
    fn formatted(&mut self, value: Node) -> Result<Node> {
        if !self.peek_keyword(Keyword::FORMAT) {
            return Ok(value);
        }
        let position = self.peek_token().position;
        let mut list = no_arguments();
        push_plain(&mut list.args, value);
        if let Some(encoding) = self.format_json()? {
            let encoding = Expr::Value(ValueWithSpan {
                value: Value::SingleQuotedString(encoding.to_owned()),
                span: span_at(position),
            });
            push_plain(&mut list.args, Box::new(encoding));
        }
        self.marked_call(FORMAT_JSON, position, FunctionArguments::List(list))
    }

    fn marked_call(&mut self, name: &str, position: u32, args: FunctionArguments) -> Result<Node> {
        let name = ObjectName(vec![ObjectNamePart::Identifier(marker(name, position))]);
        let mut function = self.call_of(name, no_arguments())?;
        function.args = args;
        Ok(Box::new(Expr::Function(function)))
    }

    /// `FORMAT JSON [ENCODING name]`: the encoding.
    fn format_json(&mut self) -> Result<Option<&'static str>> {
        self.expect_keywords(&[Keyword::FORMAT, Keyword::JSON])?;
        if !self.parse_keyword(Keyword::ENCODING) {
            return Ok(None);
        }
        let written = self.parse_identifier()?.value.to_ascii_lowercase();
        let known = ["utf8", "utf16", "utf32"].into_iter();
        let mut known = known.filter(|name| *name == written);
        known.next().map(Some).ok_or_else(|| {
            let message = format!("unrecognized JSON encoding: {written}");
            Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
        })
    }

    /// The query of `JSON_ARRAY(SELECT ...)`.
    #[inline(never)]
    pub(crate) fn push_query(&mut self, list: &mut FunctionArgumentList) -> Result<()> {
        let position = self.peek_token().position;
        let query = self.query()?;
        let call = self.marked_call(JSON_ROWS, position, FunctionArguments::Subquery(query))?;
        let call = self.formatted(call)?;
        push_plain(&mut list.args, call);
        Ok(())
    }

    pub(crate) fn at_json_clause(&self) -> bool {
        matches!(self.peek_token().keyword, Keyword::RETURNING)
            || (matches!(self.peek_token().keyword, Keyword::NULL | Keyword::ABSENT)
                && self.second_is(Keyword::ON))
    }

    /// What follows the arguments of JSON_OBJECT and its like.
    #[inline(never)]
    pub(crate) fn json_clauses(&mut self, list: &mut FunctionArgumentList) -> Result<()> {
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
            let with = self.next_token();
            self.expect_keyword(Keyword::UNIQUE)?;
            let _ = self.parse_keyword(Keyword::KEYS);
            if with.keyword == Keyword::WITH {
                let name = || Box::new(Expr::Identifier(marker(UNIQUE_KEYS, with.position)));
                push_pair(
                    &mut list.args,
                    name(),
                    name(),
                    FunctionArgOperator::RightArrow,
                );
            }
        }
        if self.parse_keyword(Keyword::RETURNING) {
            let data_type = self.parse_data_type()?;
            if self.peek_keyword(Keyword::FORMAT) {
                self.returned_format(matches!(data_type, DataType::Bytea))?;
            }
            let returning = JsonReturningClause { data_type };
            list.clauses
                .push(FunctionArgumentClause::JsonReturningClause(returning));
        }
        Ok(())
    }

    /// FORMAT JSON of RETURNING: only what is so anyway.
    fn returned_format(&mut self, to_bytes: bool) -> Result<()> {
        let position = self.peek_token().position;
        let error = match (self.format_json()?, to_bytes) {
            (None, _) | (Some("utf8"), true) => return Ok(()),
            (Some(_), true) => {
                Error::new(SqlState::FEATURE_NOT_SUPPORTED, "unsupported JSON encoding")
                    .with_hint("Only UTF8 JSON encoding is supported.")
            }
            (Some(_), false) => {
                let message = "cannot set JSON encoding for non-bytea output types";
                Error::new(SqlState::FEATURE_NOT_SUPPORTED, message)
            }
        };
        Err(error.at(position))
    }
}

/// Whether a call may have the clauses of SQL/JSON.
pub(crate) fn is_json_call(name: &ObjectName) -> bool {
    let words = [
        "json_object",
        "json_array",
        "json_objectagg",
        "json_arrayagg",
    ];
    matches!(name.0.as_slice(), [ObjectNamePart::Identifier(ident)]
        if words.iter().any(|word| ident.value.eq_ignore_ascii_case(word)))
}
