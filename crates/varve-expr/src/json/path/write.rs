//! Paths as PostgreSQL's output function writes them.

use core::fmt::Write;

use super::{Chain, FLAGS, Item, Method, Operator, Path};
use crate::json::write::write_string;

/// Appends the text of a path.
pub(crate) fn write_path(path: &Path, out: &mut String) {
    if !path.lax {
        out.push_str("strict ");
    }
    write_chain(&path.chain, true, out);
}

/// `brackets` are put around an operator at the head of the chain.
fn write_chain(chain: &[Item], brackets: bool, out: &mut String) {
    let Some((head, steps)) = chain.split_first() else {
        return;
    };
    // What stands before a step is one thing.
    let is_operator = matches!(head, Item::Binary(..) | Item::LikeRegex { .. })
        || matches!(head, Item::Unary(Operator::Plus | Operator::Minus, _));
    let is_bare = matches!(head, Item::Number(_)) && !steps.is_empty();
    let open = (brackets || !steps.is_empty()) && is_operator || is_bare;
    if open {
        out.push('(');
    }
    write_item(head, out);
    if open {
        out.push(')');
    }
    for step in steps {
        write_item(step, out);
    }
}

fn priority(chain: &[Item]) -> u8 {
    match chain {
        [Item::Binary(operator, _)] => operator.priority(),
        [Item::LikeRegex { .. }] => 2,
        [Item::Unary(Operator::Plus | Operator::Minus, _)] => 5,
        _ => 6,
    }
}

/// An operand of an operator of this priority.
fn write_operand(operand: &[Item], above: u8, out: &mut String) {
    write_chain(operand, priority(operand) <= above, out);
}

fn write_item(item: &Item, out: &mut String) {
    // Writing to a string cannot fail.
    let mut put = |text: core::fmt::Arguments<'_>| {
        let _ = out.write_fmt(text);
    };
    match item {
        Item::Null => out.push_str("null"),
        Item::Boolean(bit) => put(format_args!("{bit}")),
        Item::Number(number) => put(format_args!("{number}")),
        Item::String(text) => write_string(text, out),
        Item::Variable(name) => {
            out.push('$');
            write_string(name, out);
        }
        Item::Root => out.push('$'),
        Item::Current => out.push('@'),
        Item::Last => out.push_str("last"),
        Item::Key(key) => {
            out.push('.');
            write_string(key, out);
        }
        Item::AnyKey => out.push_str(".*"),
        Item::AnyElement => out.push_str("[*]"),
        Item::Elements(subscripts) => write_subscripts(subscripts, out),
        Item::AnyDepth { first, last } => match (*first, *last) {
            (0, u32::MAX) => out.push_str(".**"),
            (u32::MAX, u32::MAX) => out.push_str(".**{last}"),
            (first, last) if first == last => put(format_args!(".**{{{first}}}")),
            (u32::MAX, last) => put(format_args!(".**{{last to {last}}}")),
            (first, u32::MAX) => put(format_args!(".**{{{first} to last}}")),
            (first, last) => put(format_args!(".**{{{first} to {last}}}")),
        },
        Item::Filter(condition) => {
            out.push_str("?(");
            write_chain(condition, false, out);
            out.push(')');
        }
        Item::Method(method) => put(format_args!(".{}()", Method::name(*method))),
        Item::Datetime(template) => {
            out.push_str(".datetime(");
            if let Some(template) = template {
                write_string(template, out);
            }
            out.push(')');
        }
        Item::Binary(operator, sides) => {
            let above = operator.priority();
            write_operand(&sides.0, above, out);
            let symbol = operator.symbol();
            let _ = write!(out, " {symbol} ");
            write_operand(&sides.1, above, out);
        }
        Item::Unary(operator, input) => match operator {
            Operator::Not => write_call("!(", input, ")", out),
            Operator::Exists => write_call("exists (", input, ")", out),
            Operator::IsUnknown => write_call("(", input, ") is unknown", out),
            sign => {
                out.push_str(sign.symbol());
                write_operand(input, 5, out);
            }
        },
        Item::LikeRegex {
            input,
            pattern,
            flags,
        } => {
            write_operand(input, 2, out);
            out.push_str(" like_regex ");
            write_string(pattern, out);
            if *flags != 0 {
                out.push_str(" flag \"");
                let set = FLAGS.iter().enumerate();
                let set = set.filter(|(bit, _)| flags & (1 << bit) != 0);
                out.extend(set.map(|(_, flag)| flag));
                out.push('"');
            }
        }
    }
}

fn write_call(before: &str, input: &[Item], after: &str, out: &mut String) {
    out.push_str(before);
    write_chain(input, false, out);
    out.push_str(after);
}

fn write_subscripts(subscripts: &[(Chain, Option<Chain>)], out: &mut String) {
    out.push('[');
    for (i, (from, to)) in subscripts.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_chain(from, false, out);
        if let Some(to) = to {
            out.push_str(" to ");
            write_chain(to, false, out);
        }
    }
    out.push(']');
}
