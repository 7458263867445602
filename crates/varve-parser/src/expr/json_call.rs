//! The constructors of SQL/JSON: `JSON_OBJECT(k: v NULL ON NULL RETURNING jsonb)` and its like.

use varve_ast::{
    Argument, BaseType, Call, ExprKind, JsonConstructor, JsonEntry, JsonNulls, JsonValue,
    ObjectName, Query, Span, TypeName,
};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::expr::call::{Arguments, push_plain};
use crate::expr::precedence::Node;
use crate::parser::Parser;

/// `FORMAT JSON [ENCODING name]`: the encoding, and where it stands.
type Format = (Option<&'static str>, Span);

/// What the constructors of SQL/JSON have beside arguments.
#[derive(Default)]
pub(crate) struct JsonArguments {
    /// Whether the call is one of theirs.
    pub(crate) is_there: bool,
    /// Whether it makes objects.
    pub(crate) is_object: bool,
    /// `JSON_ARRAY(query)`
    pub(crate) query: Option<Box<Query>>,
    query_format: Option<Format>,
    /// Its arguments, but for those that have names.
    entries: Vec<JsonEntry>,
    nulls: Option<JsonNulls>,
    unique_keys: Option<Span>,
    returning: Option<TypeName>,
}

impl JsonArguments {
    /// Moves the entries to the arguments of a plain call; false where they say more than it can.
    pub(crate) fn plain(&mut self, items: &mut Vec<Argument>) -> bool {
        let is_plain = |entry: &JsonEntry| entry.key.is_none() && entry.value.format.is_none();
        if self.has_clauses() || !self.entries.iter().all(is_plain) {
            return false;
        }
        for entry in core::mem::take(&mut self.entries) {
            push_plain(items, Box::new(entry.value.value));
        }
        true
    }

    /// Whether something is said that a plain call cannot say.
    fn has_clauses(&self) -> bool {
        self.query.is_some()
            || self.nulls.is_some()
            || self.unique_keys.is_some()
            || self.returning.is_some()
    }
}

impl Parser<'_> {
    /// An argument: `key : value`, `key VALUE value`, or a value, each with the format that may
    /// follow it. Its first expression was taken.
    #[inline(never)]
    pub(crate) fn push_json(&mut self, arguments: &mut Arguments, first: Node) -> Result<()> {
        let is_keyed = self.peek() == Token::Colon || self.peek_keyword(Keyword::VALUE);
        let mut others = arguments.json.entries.iter();
        let is_mixed = others.any(|entry| entry.key.is_some() != is_keyed);
        let has_format = !is_keyed && self.peek_keyword(Keyword::FORMAT);
        let is_misplaced = match arguments.json.is_object {
            true => has_format,
            false => is_keyed,
        };
        if is_mixed || is_misplaced {
            return self.unexpected();
        }
        let (key, value) = match is_keyed {
            true => {
                self.next_token();
                (Some(*first), self.node()?)
            }
            false => (None, first),
        };
        let format = match self.peek_keyword(Keyword::FORMAT) {
            true => Some(self.json_format()?),
            false => None,
        };
        arguments.json.entries.push(JsonEntry {
            key,
            value: JsonValue {
                value: *value,
                format,
            },
        });
        Ok(())
    }

    /// What a call of such a name is: a constructor, or a plain call where its arguments are not
    /// those of one.
    #[inline(never)]
    pub(crate) fn json_constructor(
        &mut self,
        mut call: Box<Call>,
        named: Vec<Argument>,
        mut json: JsonArguments,
    ) -> Result<Node> {
        let first = call.name.span();
        // Without a key it is the function `json_object(text[])`.
        let is_keyed = |entry: &JsonEntry| entry.key.is_some() == json.is_object;
        let is_constructor = json.entries.iter().all(is_keyed) || json.has_clauses();
        if named.is_empty() && !call.is_distinct && is_constructor {
            let constructor = Box::new(JsonConstructor {
                call: *call,
                entries: json.entries,
                query: json.query,
                query_format: json.query_format,
                nulls: json.nulls,
                unique_keys: json.unique_keys,
                returning: json.returning,
            });
            return Ok(self.node_since(first, ExprKind::Json(constructor)));
        }
        call.arguments = named;
        if !json.plain(&mut call.arguments) {
            return Err(Error::unsupported("this form of argument"));
        }
        Ok(self.node_since(first, ExprKind::Call(call)))
    }

    /// `FORMAT JSON [ENCODING name]`
    fn json_format(&mut self) -> Result<Format> {
        let first = self.next_span();
        let encoding = self.format_json()?;
        Ok((encoding, self.since(first)))
    }

    fn format_json(&mut self) -> Result<Option<&'static str>> {
        self.expect_keywords(&[Keyword::FORMAT, Keyword::JSON])?;
        if !self.parse_keyword(Keyword::ENCODING) {
            return Ok(None);
        }
        let written = self.parse_identifier()?.text.to_ascii_lowercase();
        let known = ["utf8", "utf16", "utf32"].into_iter();
        let mut known = known.filter(|name| *name == written);
        known.next().map(Some).ok_or_else(|| {
            let message = format!("unrecognized JSON encoding: {written}");
            Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
        })
    }

    /// The query of `JSON_ARRAY(SELECT ...)`.
    #[inline(never)]
    pub(crate) fn json_query(&mut self, arguments: &mut Arguments) -> Result<()> {
        arguments.json.query = Some(self.query()?);
        if self.peek_keyword(Keyword::FORMAT) {
            arguments.json.query_format = Some(self.json_format()?);
        }
        Ok(())
    }

    pub(crate) fn at_json_clause(&self) -> bool {
        matches!(self.peek_token().keyword, Keyword::RETURNING)
            || (matches!(self.peek_token().keyword, Keyword::NULL | Keyword::ABSENT)
                && self.second_is(Keyword::ON))
    }

    /// What follows the arguments of JSON_OBJECT and its like.
    #[inline(never)]
    pub(crate) fn json_clauses(&mut self, json: &mut JsonArguments) -> Result<()> {
        json.nulls = match self.peek_token().keyword {
            Keyword::NULL => Some(JsonNulls::Null),
            Keyword::ABSENT => Some(JsonNulls::Absent),
            _ => None,
        };
        if json.nulls.is_some() {
            self.next_token();
            self.expect_keywords(&[Keyword::ON, Keyword::NULL])?;
        }
        if self.peek_keyword(Keyword::WITH) || self.peek_keyword(Keyword::WITHOUT) {
            let with = self.next_token();
            self.expect_keyword(Keyword::UNIQUE)?;
            let _ = self.parse_keyword(Keyword::KEYS);
            if with.keyword == Keyword::WITH {
                json.unique_keys = Some(with.span());
            }
        }
        if self.parse_keyword(Keyword::RETURNING) {
            let type_name = self.parse_data_type()?;
            if self.peek_keyword(Keyword::FORMAT) {
                self.returned_format(is_bytea(&type_name))?;
            }
            json.returning = Some(type_name);
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

fn is_bytea(type_name: &TypeName) -> bool {
    type_name.dimensions.is_empty()
        && matches!(&type_name.base, BaseType::Named { name, modifiers }
            if name.qualifiers.is_empty() && modifiers.is_empty() && name.name.text == "bytea")
}

/// Whether a call may have the clauses of SQL/JSON.
pub(crate) fn is_json_call(name: &ObjectName) -> bool {
    let words = [
        "json_object",
        "json_array",
        "json_objectagg",
        "json_arrayagg",
    ];
    name.qualifiers.is_empty() && words.contains(&name.name.text.as_str())
}
