//! Conditions on the beginning of strings as ranges, which keys and zone maps know how to use:
//! strings are ordered by their bytes.

use varve_expr::Expr;
use varve_types::{CompareOp, PredicateTest, Value};

/// How a condition says what strings begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixForm {
    /// By the pattern of LIKE.
    Pattern,
    /// By the beginning itself: `^@`, `starts_with`.
    Text,
}

/// What the strings that pass a condition begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// How it is said.
    pub form: PrefixForm,
    /// The pattern or beginning, a text without column references; NULL passes no row.
    pub value: Expr,
}

/// Tests that hold wherever a condition on the beginning does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrefixRange {
    /// The tests; none where the condition says nothing of the beginning.
    pub tests: Vec<PredicateTest>,
    /// Whether they say all that the condition says.
    pub is_all: bool,
}

impl PrefixForm {
    /// What a pattern or beginning says.
    pub fn range(self, text: &str) -> PrefixRange {
        match self {
            PrefixForm::Pattern => of_pattern(text),
            PrefixForm::Text if text.is_empty() => PrefixRange {
                tests: vec![PredicateTest::IsNotNull],
                is_all: true,
            },
            PrefixForm::Text => begins(text, true),
        }
    }
}

/// The range of a pattern; nothing where its end is damaged, which LIKE refuses.
fn of_pattern(pattern: &str) -> PrefixRange {
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped) => text.push(escaped),
                None => return PrefixRange::default(),
            },
            '%' => return begins(&text, characters.all(|rest| rest == '%')),
            '_' => return begins(&text, false),
            other => text.push(other),
        }
    }
    PrefixRange {
        tests: vec![PredicateTest::Compare(CompareOp::Eq, Value::text(text))],
        is_all: true,
    }
}

/// The strings that begin so.
fn begins(text: &str, is_all: bool) -> PrefixRange {
    if text.is_empty() {
        return PrefixRange::default();
    }
    let compared = |op, text: String| PredicateTest::Compare(op, Value::text(text));
    let from = compared(CompareOp::GtEq, text.to_owned());
    let above = above_all(text).map(|above| compared(CompareOp::Lt, above));
    PrefixRange {
        tests: [from].into_iter().chain(above).collect(),
        is_all,
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
    use varve_types::{PredicateTest, Value};

    use super::{PrefixForm, PrefixRange, above_all};

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

    /// As `op text ...`, and `!` where that is all.
    fn shown(range: &PrefixRange) -> String {
        let test = |test: &PredicateTest| match test {
            PredicateTest::Compare(op, value) => {
                format!("{} {} ", op.symbol(), value.str().unwrap())
            }
            other => format!("{other:?} "),
        };
        let tests: String = range.tests.iter().map(test).collect();
        tests + if range.is_all { "!" } else { "" }
    }

    #[test]
    fn what_a_condition_says() {
        let patterns = [
            ("abc%", ">= abc < abd !"),
            ("abc%%", ">= abc < abd !"),
            ("abc%d", ">= abc < abd "),
            ("a_c%", ">= a < b "),
            ("_", ""),
            ("%", ""),
            ("abc", "= abc !"),
            ("a\\%b%", ">= a%b < a%c !"),
            ("a\\\\_", ">= a\\ < a] "),
            ("", "=  !"),
            ("a\\", ""),
            ("\u{10ffff}%", ">= \u{10ffff} !"),
        ];
        for (pattern, wanted) in patterns {
            let range = PrefixForm::Pattern.range(pattern);
            assert_eq!(shown(&range), wanted, "{pattern}");
        }
        for (text, wanted) in [("a%", ">= a% < a& !"), ("", "IsNotNull !")] {
            assert_eq!(shown(&PrefixForm::Text.range(text)), wanted, "{text}");
        }
    }

    #[test]
    fn a_range_has_just_what_begins_so() {
        let letters = [
            "",
            "a",
            "b",
            "\u{7f}",
            "\u{80}",
            "\u{d7ff}",
            "\u{e000}",
            "\u{10ffff}",
        ];
        let pairs = letters.map(|first| letters.map(|second| format!("{first}{second}")));
        let texts = pairs.concat();
        for text in &texts {
            let range = PrefixForm::Text.range(text);
            for value in &texts {
                let stored = Value::text(value.as_str());
                let accepted = range.tests.iter().all(|test| test.accepts(&stored));
                assert_eq!(accepted, value.starts_with(text), "{value:?} {text:?}");
            }
        }
    }
}
