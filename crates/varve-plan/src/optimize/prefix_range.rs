//! Conditions on the beginning of strings as ranges, which keys and zone maps know how to use:
//! strings are ordered by their bytes.

use varve_expr::Expr;
use varve_types::{CompareOp, LogicalType, Value};

/// What a condition says of the beginning of a string.
struct Beginning {
    text: String,
    /// Whether the string is that and no more.
    is_whole: bool,
    /// Whether that is all that the condition says.
    is_all: bool,
}

/// Comparisons that hold wherever `LIKE 'abc%'`, `^@` or `starts_with` does, and whether they say
/// the same; `None` for a condition that is none of these or says nothing of the beginning.
pub(super) fn prefix_range(condition: &Expr) -> Option<(Vec<Expr>, bool)> {
    let Expr::Call { function, args, .. } = condition else {
        return None;
    };
    let [input, Expr::Literal { value, .. }] = args.as_slice() else {
        return None;
    };
    let beginning = match function.name() {
        "~~" => of_pattern(value.str()?)?,
        "^@" | "starts_with" => Beginning {
            text: value.str()?.to_owned(),
            is_whole: false,
            is_all: true,
        },
        _ => return None,
    };
    let input = match input {
        Expr::Cast {
            input,
            to: LogicalType::Text,
            ..
        } if input.logical_type() == LogicalType::Varchar => input,
        input if input.logical_type() == LogicalType::Text => input,
        _ => return None,
    };
    let compared = |op, text: String| Expr::Compare {
        op,
        left: Box::new(input.clone()),
        right: Box::new(Expr::Literal {
            value: Value::text(text),
            ty: input.logical_type(),
        }),
    };
    let Beginning {
        text,
        is_whole,
        is_all,
    } = beginning;
    if is_whole {
        return Some((vec![compared(CompareOp::Eq, text)], is_all));
    }
    if text.is_empty() {
        return None;
    }
    let above = above_all(&text).map(|above| compared(CompareOp::Lt, above));
    let range = [compared(CompareOp::GtEq, text)].into_iter().chain(above);
    Some((range.collect(), is_all))
}

/// The beginning that a pattern asks for; `None` where its end is damaged.
fn of_pattern(pattern: &str) -> Option<Beginning> {
    let mut text = String::new();
    let mut characters = pattern.chars();
    loop {
        match characters.next() {
            None => {
                return Some(Beginning {
                    text,
                    is_whole: true,
                    is_all: true,
                });
            }
            Some('\\') => text.push(characters.next()?),
            Some(wildcard @ ('%' | '_')) => {
                let is_all = wildcard == '%' && characters.all(|rest| rest == '%');
                return Some(Beginning {
                    text,
                    is_whole: false,
                    is_all,
                });
            }
            Some(other) => text.push(other),
        }
    }
}

/// The least string above all that begin so; `None` where there is none.
fn above_all(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The range of characters passes over what is none.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{above_all, of_pattern};

    #[test]
    fn what_is_above_a_prefix() {
        let cases = [
            ("a", Some("b")),
            ("az", Some("a{")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}\u{10ffff}", None),
            ("\u{d7ff}", Some("\u{e000}")),
            ("\u{7f}", Some("\u{80}")),
            ("", None),
        ];
        for (prefix, above) in cases {
            assert_eq!(above_all(prefix).as_deref(), above, "{prefix:?}");
        }
    }

    #[test]
    fn what_a_pattern_begins_with() {
        let cases = [
            ("abc%", Some(("abc", false, true))),
            ("abc%%", Some(("abc", false, true))),
            ("abc%d", Some(("abc", false, false))),
            ("a_c%", Some(("a", false, false))),
            ("_", Some(("", false, false))),
            ("abc", Some(("abc", true, true))),
            ("a\\%b%", Some(("a%b", false, true))),
            ("a\\\\_", Some(("a\\", false, false))),
            ("", Some(("", true, true))),
            ("a\\", None),
        ];
        for (pattern, wanted) in cases {
            let found = of_pattern(pattern);
            let found = found.as_ref();
            let found = found.map(|found| (found.text.as_str(), found.is_whole, found.is_all));
            assert_eq!(found, wanted, "{pattern}");
        }
    }
}
