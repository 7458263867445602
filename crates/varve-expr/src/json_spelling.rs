//! The spellings of a lookup in a JSON document, of which one stands for all.
//!
//! `d -> 'a' ->> 'b'`, `d #>> '{a,b}'`, `jsonb_extract_path_text(d, 'a', 'b')`,
//! `json_extract(d, '$.a.b')` and, for a text, `d ->> '$.a.b'` and `d::json -> 'a' ->> 'b'` give
//! the same for every document. That is so for keys only: an index into an array means something
//! else in each of them, and so does a key that looks like one.

use varve_types::{ArrayValue, LogicalType, TypeMod, Value};

use crate::json::{PathStep, parse_index, parse_sqlite_path};
use crate::tree::walk::{for_each_child_mut, same_meaning};
use crate::tree::{Expr, Function};

/// Whether two expressions compute the same, however they spell lookups in JSON.
pub fn same_value(left: &Expr, right: &Expr) -> bool {
    same_meaning(left, right) || same_meaning(&one_spelling(left), &one_spelling(right))
}

/// An expression with one spelling of its lookups.
fn one_spelling(expr: &Expr) -> Expr {
    if let Some(chain) = lookup(expr).and_then(Lookup::chain) {
        return chain;
    }
    let mut expr = expr.clone();
    for_each_child_mut(&mut expr, &mut |child| *child = one_spelling(child));
    expr
}

/// Keys that are followed through a document.
struct Lookup<'a> {
    document: &'a Expr,
    keys: Vec<String>,
    /// Whether the last gives text.
    as_text: bool,
}

impl Lookup<'_> {
    /// The lookup by `->` and `->>`; of a text, which is read as json first.
    fn chain(self) -> Option<Expr> {
        let mut chain = one_spelling(self.document);
        if chain.logical_type() == LogicalType::Text {
            chain = Expr::Cast {
                input: Box::new(chain),
                to: LogicalType::Json,
                modifier: TypeMod::NONE,
                explicit: true,
                position: 0,
            };
        }
        let last = self.keys.len().checked_sub(1)?;
        for (at, key) in self.keys.into_iter().enumerate() {
            let name = if at == last && self.as_text {
                "->>"
            } else {
                "->"
            };
            let key = Expr::Literal {
                value: Value::text(key),
                ty: LogicalType::Text,
            };
            let types = [chain.logical_type(), LogicalType::Text];
            chain = Expr::Call {
                function: Function::find(name, &types, 2)?,
                args: vec![chain, key],
                position: 0,
            };
        }
        Some(chain)
    }
}

/// The lookup that an expression is.
fn lookup(expr: &Expr) -> Option<Lookup<'_>> {
    let Expr::Call { function, args, .. } = expr else {
        return None;
    };
    let (document, rest) = args.split_first()?;
    let first = text_of(rest.first()?);
    let (keys, as_text) = match function.name() {
        name @ ("->" | "->>") => {
            let key = first?;
            let keys = match document.logical_type() {
                LogicalType::Text if key.starts_with('$') => keys_of_path(key)?,
                LogicalType::Text | LogicalType::Json | LogicalType::Jsonb => vec![key.to_owned()],
                _ => return None,
            };
            (keys, name == "->>")
        }
        "json_extract" if rest.len() == 1 => (keys_of_path(first?)?, true),
        name @ ("#>" | "#>>") => (keys_of_array(rest.first()?)?, name == "#>>"),
        "json_extract_path" | "jsonb_extract_path" if !function.is_spread() => {
            (keys_among(rest)?, false)
        }
        "json_extract_path_text" | "jsonb_extract_path_text" if !function.is_spread() => {
            (keys_among(rest)?, true)
        }
        _ => return None,
    };
    if keys.is_empty() {
        return None;
    }
    let (document, keys) = match lookup(document).filter(|inner| !inner.as_text) {
        Some(inner) => (inner.document, [inner.keys, keys].concat()),
        None => (as_written(document), keys),
    };
    Some(Lookup {
        document,
        keys,
        as_text,
    })
}

/// The text that is cast to json.
fn as_written(document: &Expr) -> &Expr {
    match document {
        Expr::Cast {
            input,
            to: LogicalType::Json,
            ..
        } if input.logical_type() == LogicalType::Text => input,
        document => document,
    }
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal { value, .. } => value.str(),
        _ => None,
    }
}

/// A path of keys alone.
fn keys_of_path(path: &str) -> Option<Vec<String>> {
    let steps = parse_sqlite_path(path).ok()?.into_iter();
    let key = |step| match step {
        PathStep::Key(key) => Some(key),
        PathStep::Element(_) => None,
    };
    steps.map(key).collect()
}

/// A key; `None` for what would mean an element where it comes to an array.
fn plain_key(key: &str) -> Option<String> {
    parse_index(key).is_none().then(|| key.to_owned())
}

fn keys_among(steps: &[Expr]) -> Option<Vec<String>> {
    steps.iter().map(|step| plain_key(text_of(step)?)).collect()
}

fn keys_of_array(steps: &Expr) -> Option<Vec<String>> {
    let Expr::Literal {
        value: Value::Array(element, stored),
        ..
    } = steps
    else {
        return None;
    };
    let steps = ArrayValue::read(*element, stored).ok()?.values;
    steps.iter().map(|step| plain_key(step.str()?)).collect()
}
