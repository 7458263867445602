//! Values that stand in the source as they are.

use core::fmt::Write;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use crate::names;

/// A value of the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Default,
    Bool(bool),
    Number(String),
    Text(String),
    Bytes(Vec<u8>),
    /// Digits 0 and 1.
    Bits(String),
}

impl Literal {
    /// The value that an expression is, if it is one.
    pub(crate) fn of(expr: &Expr) -> Option<Literal> {
        match expr {
            Expr::Value(value) => of_value(&value.value),
            Expr::Nested(inner) => Literal::of(inner),
            // The character set of a text that follows.
            Expr::Prefixed { value, .. } => Literal::of(value),
            Expr::UnaryOp { op, expr } => match (op, Literal::of(expr)?) {
                (UnaryOperator::Plus, Literal::Number(number)) => Some(Literal::Number(number)),
                (UnaryOperator::Minus, Literal::Number(number)) => {
                    Some(Literal::Number(match number.strip_prefix('-') {
                        Some(positive) => positive.to_owned(),
                        None => format!("-{number}"),
                    }))
                }
                _ => None,
            },
            Expr::Identifier(name)
                if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default") =>
            {
                Some(Literal::Default)
            }
            Expr::Function(call) => folded(call).map(Literal::Text),
            _ => None,
        }
    }

    /// The same where no column can be meant, so that what is in double quotes is a text.
    pub(crate) fn without_columns(expr: &Expr) -> Option<Literal> {
        match expr {
            Expr::Identifier(name) if name.quote_style == Some('"') => {
                Some(Literal::Text(name.value.clone()))
            }
            expr => Literal::of(expr),
        }
    }
}

fn of_value(value: &Value) -> Option<Literal> {
    Some(match value {
        Value::Null => Literal::Null,
        Value::Boolean(value) => Literal::Bool(*value),
        Value::Number(number, _) => Literal::Number(number.clone()),
        Value::SingleQuotedString(text)
        | Value::DoubleQuotedString(text)
        | Value::NationalStringLiteral(text)
        | Value::EscapedStringLiteral(text) => Literal::Text(text.clone()),
        Value::HexStringLiteral(digits) => Literal::Bytes(unhex(digits)?),
        Value::SingleQuotedByteStringLiteral(digits)
            if digits.bytes().all(|byte| matches!(byte, b'0' | b'1')) =>
        {
            Literal::Bits(digits.clone())
        }
        _ => return None,
    })
}

/// SQLite's shell writes texts with line feeds as `replace('a\nb','\n',char(10))`, later ones as
/// `unistr('a\u000ab')`.
fn folded(call: &Function) -> Option<String> {
    let arguments = arguments(call)?;
    let text = |at: usize| match Literal::of(arguments.get(at)?)? {
        Literal::Text(text) => Some(text),
        _ => None,
    };
    let name = names::last(&call.name).ok()?.value.to_ascii_lowercase();
    match (name.as_str(), arguments.len()) {
        ("replace", 3) => {
            let (from, to) = (text(1)?, text(2)?);
            // Longer ones could be nested to texts of any length.
            let shrinks = !from.is_empty() && to.len() <= from.len();
            shrinks.then(|| text(0).map(|text| text.replace(&from, &to)))?
        }
        ("char", 1) => match Literal::of(arguments.first()?)? {
            Literal::Number(code) => char::from_u32(code.parse().ok()?).map(String::from),
            _ => None,
        },
        ("unistr", 1) => unistr(&text(0)?),
        _ => None,
    }
}

/// The plain arguments of a call, if it has no others.
pub(crate) fn arguments(call: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &call.args else {
        return None;
    };
    let plain = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    plain.collect()
}

fn unistr(text: &str) -> Option<String> {
    let mut parts = text.split('\\');
    let mut out = parts.next()?.to_owned();
    while let Some(part) = parts.next() {
        let digits = match part.bytes().next() {
            // A doubled backslash.
            None => {
                out.push('\\');
                out.push_str(parts.next()?);
                continue;
            }
            Some(b'u') => 1..5,
            Some(b'U') => 1..9,
            Some(b'+') => 1..7,
            Some(_) => 0..4,
        };
        let code = u32::from_str_radix(part.get(digits.clone())?, 16).ok()?;
        out.push(char::from_u32(code)?);
        out.push_str(part.get(digits.end..)?);
    }
    Some(out)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text does not fail.
        _ = write!(text, "{byte:02X}");
    }
    text
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let even = match digits.len() % 2 {
        0 => digits.to_owned(),
        _ => format!("0{digits}"),
    };
    let pairs = (0..even.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(even.get(at..at + 2)?, 16).ok())
        .collect()
}
