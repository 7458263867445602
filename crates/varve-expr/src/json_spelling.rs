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

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
    use varve_types::{ElementType, LogicalType as T};

    use super::*;
    use crate::{DEFAULT_LOCALE, EvalContext, Parameters, evaluate_constant, parse_value};

    fn literal(text: &str, ty: T) -> Expr {
        let value = parse_value(text, ty, &DEFAULT_LOCALE).unwrap();
        Expr::Literal { value, ty }
    }

    fn call(name: &str, types: &[T], args: Vec<Expr>) -> Expr {
        let function = Function::find(name, types, args.len()).expect(name);
        Expr::Call {
            function,
            args,
            position: 7,
        }
    }

    fn key(text: &str) -> Expr {
        literal(text, T::Text)
    }

    /// The spellings of one lookup in a document, of which the first is known to be right.
    fn spellings(document: &Expr, keys: &[&str]) -> Vec<Expr> {
        let ty = document.logical_type();
        let inner = if ty == T::Text { T::Json } else { ty };
        let mut chain = document.clone();
        for (at, step) in keys.iter().enumerate() {
            let name = if at + 1 == keys.len() { "->>" } else { "->" };
            let of = chain.logical_type();
            chain = call(name, &[of, T::Text], vec![chain, key(step)]);
        }
        let path = format!("$.{}", keys.join("."));
        let mut all = vec![
            chain,
            call(
                "json_extract",
                &[ty, T::Text],
                vec![document.clone(), key(&path)],
            ),
        ];
        let mut read = document.clone();
        if ty == T::Text {
            all.push(call(
                "->>",
                &[ty, T::Text],
                vec![document.clone(), key(&path)],
            ));
            read = Expr::Cast {
                input: Box::new(read),
                to: T::Json,
                modifier: TypeMod::NONE,
                explicit: true,
                position: 3,
            };
        }
        let array = T::Array(ElementType::Text);
        let steps = literal(&format!("{{{}}}", keys.join(",")), array);
        all.push(call("#>>", &[inner, array], vec![read.clone(), steps]));
        let name = match inner {
            T::Jsonb => "jsonb_extract_path_text",
            _ => "json_extract_path_text",
        };
        let args = [read].into_iter().chain(keys.iter().map(|step| key(step)));
        all.push(call(name, &[inner, T::Text], args.collect()));
        all
    }

    fn value(expr: &Expr) -> String {
        let context = EvalContext {
            params: Parameters::NONE,
            outer: &[],
            locale: &DEFAULT_LOCALE,
            host: None,
        };
        format!("{:?}", evaluate_constant(expr, &context))
    }

    fn documents() -> impl Strategy<Value = String> {
        let scalar = prop_oneof![
            any::<i16>().prop_map(|number| number.to_string()),
            Just("1.50".to_owned()),
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("\"a\\u00e9\\\"\"".to_owned()),
            Just("\"{\\\"a\\\": 1}\"".to_owned()),
        ];
        scalar.prop_recursive(4, 24, 4, |inner| {
            let member = ("[abc]", inner.clone());
            prop_oneof![
                prop::collection::vec(member, 0..4).prop_map(|members| {
                    let members = members
                        .iter()
                        .map(|(key, value)| format!("\"{key}\" : {value}"));
                    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
                }),
                prop::collection::vec(inner, 0..3)
                    .prop_map(|items| format!("[ {}]", items.join(","))),
            ]
        })
    }

    proptest! {
        #[test]
        fn spellings_of_a_lookup_give_the_same(
            document in documents(),
            keys in prop::collection::vec("[abc]", 1..4),
        ) {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            for ty in [T::Text, T::Json, T::Jsonb] {
                let spellings = spellings(&literal(&document, ty), &keys);
                for other in &spellings {
                    prop_assert_eq!(value(&spellings[0]), value(other), "{:?}", other);
                    assert!(same_value(&spellings[0], other), "{other:?}");
                }
            }
        }
    }

    #[test]
    fn what_gives_something_else_is_no_spelling() {
        let column = |ty| Expr::Column { index: 0, ty };
        let arrow = |ty, step: &str| call("->>", &[ty, T::Text], vec![column(ty), key(step)]);
        let extract =
            |ty, path: &str| call("json_extract", &[ty, T::Text], vec![column(ty), key(path)]);
        let (text, jsonb) = (T::Text, T::Jsonb);
        let path = call(
            "jsonb_extract_path_text",
            &[jsonb, text],
            vec![column(jsonb), key("0")],
        );
        let differ = [
            (arrow(text, "a"), arrow(text, "b")),
            (
                arrow(text, "a"),
                call("->", &[text, text], vec![column(text), key("a")]),
            ),
            (arrow(jsonb, "$.a"), extract(jsonb, "$.a")),
            (arrow(jsonb, "0"), path),
            (arrow(text, "$"), extract(text, "$[0]")),
            (arrow(text, "a.b"), extract(text, "$.a.b")),
            (arrow(text, "$x"), extract(text, "$.\"$x\"")),
        ];
        for (left, right) in differ {
            assert!(!same_value(&left, &right), "{left:?} {right:?}");
        }
        let inside = |expr: Expr| call("lower", &[text], vec![expr]);
        let (left, right) = (arrow(text, "a.b"), extract(text, "$.\"a.b\""));
        assert!(same_value(&inside(left), &inside(right)));
    }
}
