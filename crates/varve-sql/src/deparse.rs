//! Bound expressions as SQL text, for EXPLAIN.

use varve_expr::{DEFAULT_LOCALE, Expr, format_value};
use varve_types::{PredicateTest, Value};

/// An expression over columns of these names, in parentheses where it is an operation.
pub(crate) fn deparse(expr: &Expr, columns: &[String]) -> String {
    deparse_with(expr, columns, &|_| None)
}

/// The same, with other texts for the expressions that `special` has one for.
pub(crate) fn deparse_with(
    expr: &Expr,
    columns: &[String],
    special: &dyn Fn(&Expr) -> Option<String>,
) -> String {
    if let Some(text) = special(expr) {
        return text;
    }
    let show = |expr: &Expr| deparse_with(expr, columns, special);
    let list = |exprs: &[Expr]| exprs.iter().map(show).collect::<Vec<_>>().join(", ");
    let joined = |items: &[Expr], between: &str| {
        let shown: Vec<String> = items.iter().map(show).collect();
        format!("({})", shown.join(between))
    };
    match expr {
        Expr::Column { index, .. } => columns
            .get(*index)
            .cloned()
            .unwrap_or_else(|| format!("column{index}")),
        Expr::Literal { value, ty } if value.is_null() => format!("NULL::{ty}"),
        Expr::Literal { value, .. } => constant(value),
        Expr::Parameter { index, .. } => format!("${}", index + 1),
        // PostgreSQL shows them so too; parameters of the statement count from 1.
        Expr::Outer { slot, .. } => format!("$outer{slot}"),
        Expr::Compare { op, left, right } => {
            format!("({} {} {})", show(left), op.symbol(), show(right))
        }
        Expr::Distinct {
            left,
            right,
            negated,
        } => {
            let op = if *negated {
                "IS NOT DISTINCT FROM"
            } else {
                "IS DISTINCT FROM"
            };
            format!("({} {op} {})", show(left), show(right))
        }
        Expr::And(items) => joined(items, " AND "),
        Expr::Or(items) => joined(items, " OR "),
        Expr::Not(input) => format!("(NOT {})", show(input)),
        Expr::IsNull { input, negated } => {
            let test = if *negated { "IS NOT NULL" } else { "IS NULL" };
            format!("({} {test})", show(input))
        }
        Expr::InList {
            input,
            list,
            negated,
        } => {
            let op = if *negated { "NOT IN" } else { "IN" };
            format!("({} {op} {})", show(input), joined(list, ", "))
        }
        Expr::Call { function, args, .. } if function.name().starts_with('\0') => {
            deparse_form(function.name(), args, &show)
        }
        Expr::Call { function, args, .. } => match (function.is_operator(), args.as_slice()) {
            (true, [left, right]) => {
                format!("({} {} {})", show(left), function.name(), show(right))
            }
            (true, [input]) => format!("({} {})", function.name(), show(input)),
            _ => format!("{}({})", function.name(), list(args)),
        },
        Expr::Cast {
            input,
            to,
            modifier,
            ..
        } => format!("({})::{}", show(input), modifier.name_of(*to)),
        Expr::Case {
            branches,
            otherwise,
            ..
        } => {
            let mut text = "CASE".to_owned();
            for (condition, result) in branches {
                text.push_str(&format!(" WHEN {} THEN {}", show(condition), show(result)));
            }
            if let Some(otherwise) = otherwise {
                text.push_str(&format!(" ELSE {}", show(otherwise)));
            }
            text.push_str(" END");
            text
        }
        Expr::Coalesce { args, .. } => format!("COALESCE({})", list(args)),
    }
}

/// A form of SQL that is computed by a function.
fn deparse_form(name: &str, args: &[Expr], show: &dyn Fn(&Expr) -> String) -> String {
    let shown: Vec<String> = args.iter().map(show).collect();
    match (name, shown.as_slice()) {
        ("\0array" | "\0arrays", items) => format!("ARRAY[{}]", items.join(", ")),
        ("\0element", [array, subscripts @ ..]) => {
            let subscripts = subscripts.iter().map(|subscript| format!("[{subscript}]"));
            format!("{array}{}", subscripts.collect::<String>())
        }
        ("\0slice", [array, bounds @ ..]) => {
            let bounds = bounds.chunks(3).map(|bounds| match bounds {
                [_, lower, upper] => format!("[{lower}:{upper}]"),
                _ => String::new(),
            });
            format!("{array}{}", bounds.collect::<String>())
        }
        ("\0any" | "\0all", [symbol, left, right]) => {
            let word = if name == "\0any" { "ANY" } else { "ALL" };
            let symbol = symbol.trim_end_matches("::text").trim_matches('\'');
            format!("({left} {symbol} {word} ({right}))")
        }
        (name, args) => format!("{}({})", name.trim_start_matches('\0'), args.join(", ")),
    }
}

/// Expressions with commas between them.
pub(crate) fn deparse_list(exprs: &[Expr], columns: &[String]) -> String {
    let shown: Vec<String> = exprs.iter().map(|expr| deparse(expr, columns)).collect();
    shown.join(", ")
}

/// A test of a column.
pub(crate) fn deparse_predicate(column: &str, test: &PredicateTest) -> String {
    match test {
        PredicateTest::Compare(op, value) => {
            format!("({column} {} {})", op.symbol(), constant(value))
        }
        PredicateTest::In(values) => {
            let shown: Vec<String> = values.iter().map(constant).collect();
            format!("({column} IN ({}))", shown.join(", "))
        }
        PredicateTest::IsNull => format!("({column} IS NULL)"),
        PredicateTest::IsNotNull => format!("({column} IS NOT NULL)"),
    }
}

/// A constant: numbers as they are, all else quoted with its type.
fn constant(value: &Value) -> String {
    let text = format_value(value, &DEFAULT_LOCALE);
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Int4(_) | Value::Int8(_) => text,
        Value::Float8(number) if number.is_finite() => text,
        Value::Numeric(number) if number.is_finite() => text,
        other => {
            let ty = other.logical_type().map_or("text", |ty| ty.name());
            format!("'{}'::{ty}", text.replace('\'', "''"))
        }
    }
}
