//! The functions and aggregates that expressions are made of.

use crate::chance::Chance;
use crate::literals::{quoted, typed};
use crate::types::Ty;

const FUNCTIONS: &str = include_str!("../functions.txt");
const AGGREGATES: &str = include_str!("../aggregates.txt");

/// What an argument is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// Anything of a type.
    Of(Ty),
    /// One of a few constants.
    Word(Ty, &'static [&'static str]),
}

/// A function or operator with one signature.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: &'static str,
    pub args: Vec<Arg>,
    pub result: Ty,
    /// Whether it fails for some ordinary values.
    pub is_risky: bool,
}

/// An aggregate with one signature.
#[derive(Clone, Debug)]
pub struct Aggregate {
    pub name: &'static str,
    pub args: Vec<Ty>,
    pub result: Ty,
    pub depends_on_order: bool,
}

/// What there is to choose from.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    pub functions: Vec<Function>,
    pub aggregates: Vec<Aggregate>,
}

fn word(name: &str) -> Option<Arg> {
    let (ty, values): (Ty, &[&str]) = match name {
        "small" => (Ty::Int4, &["0", "1", "2", "3", "-1", "-2", "5", "12"]),
        "positive" => (Ty::Int4, &["1", "2", "3", "1", "4", "7"]),
        "codepoint" => (Ty::Int4, &["65", "97", "228", "8364", "128512"]),
        "field" => (
            Ty::Text,
            &[
                "year",
                "month",
                "day",
                "hour",
                "minute",
                "second",
                "quarter",
                "week",
                "decade",
                "century",
                "millennium",
                "microseconds",
                "milliseconds",
            ],
        ),
        "pattern" => (
            Ty::Text,
            &[
                "a", "^a", "b$", "a|b", "[a-c]+", "(a)(b)?", ".", "^$", "\\d+", "x*", "(?i)A",
                "a.c",
            ],
        ),
        "likes" => (
            Ty::Text,
            &[
                "a%", "%b", "%", "_", "a_c", "%a%b%", "", "ab", "A%", "%\\%%", "_%_",
            ],
        ),
        "flags" => (Ty::Text, &["i", "", "g", "c"]),
        "path" => (
            Ty::Texts,
            &["{a}", "{b}", "{0}", "{a,b}", "{b,0}", "{}", "{-1}", "{1,a}"],
        ),
        "key" => (Ty::Text, &["a", "b", "c", "0", ""]),
        "codec" => (Ty::Text, &["hex", "base64", "escape"]),
        "zone" => (Ty::Text, &["UTC", "GMT"]),
        "stride" => (Ty::Interval, &["1 hour", "15 minutes", "1 day", "7 days"]),
        _ => return None,
    };
    Some(Arg::Word(ty, values))
}

fn arg(name: &str) -> Arg {
    let of_type = Ty::of_name(name).map(Arg::Of);
    of_type
        .or_else(|| word(name))
        .unwrap_or_else(|| panic!("the list of functions has {name} for an argument"))
}

/// The lines of a list: mark, name, arguments and result.
fn lines(list: &'static str) -> impl Iterator<Item = [&'static str; 4]> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        words.try_into().expect("a line of four words")
    })
}

fn result(name: &str) -> Ty {
    Ty::of_name(name).expect("the type of a result")
}

impl Functions {
    /// All that PostgreSQL has.
    pub fn all() -> Functions {
        let names = |list: &'static str| list.split(',').filter(|name| *name != "-");
        let functions = lines(FUNCTIONS).map(|[mark, name, args, gives]| Function {
            name,
            args: names(args).map(arg).collect(),
            result: result(gives),
            is_risky: mark == "!",
        });
        let aggregates = lines(AGGREGATES).map(|[mark, name, args, gives]| Aggregate {
            name,
            args: names(args).map(result).collect(),
            result: result(gives),
            depends_on_order: mark == "o",
        });
        Functions {
            functions: functions.collect(),
            aggregates: aggregates.collect(),
        }
    }

    /// Those whose probe the engine understands.
    pub fn known(mut knows: impl FnMut(&str) -> bool) -> Functions {
        let mut all = Functions::all();
        all.functions.retain(|function| knows(&probe(function)));
        all.aggregates.retain(|aggregate| {
            let args: Vec<String> = aggregate.args.iter().map(|ty| null(*ty)).collect();
            let args = if args.is_empty() {
                "*".to_owned()
            } else {
                args.join(", ")
            };
            knows(&format!("SELECT {}({args})", aggregate.name))
        });
        all
    }
}

/// NULL of a type.
pub fn null(ty: Ty) -> String {
    format!("NULL::{}", ty.name())
}

/// A statement that only an engine without the function does not know.
fn probe(function: &Function) -> String {
    let types = function.args.iter().map(|arg| match arg {
        Arg::Of(ty) | Arg::Word(ty, _) => null(*ty),
    });
    let args = types.map(|text| crate::ast::Expr::leaf(Ty::Text, text));
    let call = crate::ast::Expr::call(function.result, function.name, args.collect());
    format!("SELECT {call}")
}

/// One of the constants of a word.
pub fn word_text(ty: Ty, values: &[&str], chance: &mut Chance) -> String {
    let value = chance.pick(values);
    match ty {
        // An unknown literal is resolved where it stands.
        Ty::Text if chance.percent(50) => quoted(value),
        _ => typed(ty, value),
    }
}

#[cfg(test)]
mod tests {
    use super::{Functions, probe};

    #[test]
    fn the_lists_can_be_read() {
        let all = Functions::all();
        assert!(all.functions.len() > 500 && all.aggregates.len() > 50);
        let plus = all.functions.iter().find(|function| function.name == "+");
        assert!(probe(plus.unwrap()).starts_with("SELECT ("));
    }
}
