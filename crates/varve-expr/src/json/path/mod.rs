//! Jsonpath: the language of SQL/JSON that selects from a jsonb value.

mod lex;
mod moment;
mod parse;
mod place;
mod predicate;
mod query;
mod steps;
mod write;

use std::rc::Rc;

use varve_types::{Decimal, Result};

use crate::regex::{Options, Regex, Syntax};
pub(crate) use parse::parse_path;
pub(crate) use query::{Found, FoundRows, Query};
pub(crate) use write::write_path;

/// A path as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    /// Structural errors are passed over, arrays are unwrapped and scalars wrapped as needed.
    pub(crate) lax: bool,
    pub(crate) chain: Chain,
}

/// What a value comes from, and the steps from there.
pub(crate) type Chain = Vec<Item>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Null,
    Boolean(bool),
    Number(Decimal),
    String(String),
    /// `$name`
    Variable(String),
    /// `$`
    Root,
    /// `@`
    Current,
    /// `last`
    Last,
    /// `.key`
    Key(String),
    /// `.*`
    AnyKey,
    /// `[*]`
    AnyElement,
    /// `[1, 2 to 3]`
    Elements(Vec<(Chain, Option<Chain>)>),
    /// `.**{first to last}`
    AnyDepth {
        first: u32,
        last: u32,
    },
    /// `?(...)`
    Filter(Chain),
    /// `.type()` and the like.
    Method(Method),
    /// `.datetime("template")`
    Datetime(Option<String>),
    Binary(Operator, Box<(Chain, Chain)>),
    Unary(Operator, Chain),
    /// `like_regex "pattern" flag "flags"`
    LikeRegex {
        input: Chain,
        pattern: String,
        flags: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Abs,
    Ceiling,
    Double,
    Floor,
    KeyValue,
    Size,
    Type,
}

impl Method {
    const ALL: [(&'static str, Method); 7] = [
        ("abs", Method::Abs),
        ("ceiling", Method::Ceiling),
        ("double", Method::Double),
        ("floor", Method::Floor),
        ("keyvalue", Method::KeyValue),
        ("size", Method::Size),
        ("type", Method::Type),
    ];

    fn named(name: &str) -> Option<Method> {
        let found = Method::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, method)| method)
    }

    pub(crate) fn name(self) -> &'static str {
        let found = Method::ALL.into_iter().find(|(_, method)| *method == self);
        found.map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Not,
    Exists,
    IsUnknown,
    StartsWith,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

impl Operator {
    /// As it is written between its operands.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Not => "!",
            Operator::Exists => "exists",
            Operator::IsUnknown => "is unknown",
            Operator::StartsWith => "starts with",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
        }
    }

    /// How tightly it binds its two operands.
    fn priority(self) -> u8 {
        match self {
            Operator::Or => 0,
            Operator::And => 1,
            Operator::Plus | Operator::Minus => 3,
            Operator::Times | Operator::Divide | Operator::Modulo => 4,
            Operator::Not | Operator::Exists | Operator::IsUnknown => 6,
            _ => 2,
        }
    }

    /// Whether its result is a truth value.
    fn is_predicate(self) -> bool {
        !matches!(
            self,
            Operator::Plus
                | Operator::Minus
                | Operator::Times
                | Operator::Divide
                | Operator::Modulo
        )
    }
}

/// The flags of `like_regex`, by their bits.
pub(crate) const FLAGS: [char; 5] = ['i', 's', 'm', 'x', 'q'];
const FLAG_ANY_CASE: u8 = 1;
const FLAG_DOT_ALL: u8 = 2;
const FLAG_LINES: u8 = 4;
const FLAG_EXPANDED: u8 = 8;
const FLAG_QUOTE: u8 = 16;

/// The regular expression of `like_regex`.
fn regex(pattern: &str, flags: u8) -> Result<Rc<Regex>> {
    let has = |flag: u8| flags & flag != 0;
    let mut options = Options {
        ignore_case: has(FLAG_ANY_CASE),
        ..Options::DEFAULT
    };
    // The others do not count for a literal.
    if has(FLAG_QUOTE) {
        options.syntax = Syntax::Literal;
    } else {
        options.stop_at_newline = !has(FLAG_DOT_ALL);
        options.anchor_at_newline = has(FLAG_LINES);
    }
    Regex::cached(pattern, options)
}
