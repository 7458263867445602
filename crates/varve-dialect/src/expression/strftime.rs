//! The moment of the statement, in the forms that the sources have for it.

use sqlparser::ast::{Expr, Function, FunctionArguments};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::ddl::types::Type;
use crate::expression::literal::{Literal, arguments};
use crate::names;
use crate::scope::Writer;

/// SQLite's moments are in UTC.
const NOW: &str = "(now() AT TIME ZONE 'UTC')";

impl Writer<'_> {
    /// A call that gives the present moment, or a part of it.
    pub(crate) fn moment(&self, call: &Function) -> Option<SqlText> {
        let name = names::last(&call.name).ok()?.value.to_ascii_lowercase();
        let texts: Vec<String> = match &call.args {
            FunctionArguments::None => Vec::new(),
            _ => arguments(call)?
                .into_iter()
                .map(text)
                .collect::<Option<_>>()?,
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        match self.dialect {
            Dialect::Sqlite => self.of_sqlite(&name, &texts),
            Dialect::MySql => match name.as_str() {
                "now" | "current_timestamp" | "localtimestamp" | "localtime" | "sysdate" => {
                    Some(sql!["CURRENT_TIMESTAMP"])
                }
                "utc_timestamp" => Some(sql![NOW]),
                "curdate" | "current_date" => Some(sql!["CURRENT_DATE"]),
                "curtime" | "current_time" => Some(sql!["LOCALTIME"]),
                "unix_timestamp" if texts.is_empty() => Some(epoch()),
                _ => None,
            },
        }
    }

    fn of_sqlite(&self, name: &str, texts: &[&str]) -> Option<SqlText> {
        let format = match (name, texts) {
            ("current_timestamp", []) | ("datetime", [] | ["now"]) => "%Y-%m-%d %H:%M:%S",
            ("current_date", []) | ("date", [] | ["now"]) => "%Y-%m-%d",
            ("current_time", []) | ("time", [] | ["now"]) => "%H:%M:%S",
            ("unixepoch", [] | ["now"]) | ("strftime", ["%s"] | ["%s", "now"]) => {
                return Some(epoch());
            }
            ("strftime", [format] | [format, "now"]) => format,
            _ => return None,
        };
        if matches!(self.wanted, Type::TimestampTz(_)) && name != "strftime" {
            return Some(sql!["now()"]);
        }
        if self.wanted == Type::Text || name == "strftime" {
            let pattern = SqlText::literal(&pattern(format)?);
            return Some(sql!["to_char(", NOW, ", ", pattern, ")"]);
        }
        Some(match name {
            "current_date" | "date" => sql![NOW, "::date"],
            "current_time" | "time" => sql![NOW, "::time(0)"],
            _ => sql![NOW],
        })
    }
}

fn text(argument: &Expr) -> Option<String> {
    match Literal::without_columns(argument)? {
        Literal::Text(text) => Some(text),
        // The number of digits of MySQL's CURRENT_TIMESTAMP(6).
        Literal::Number(number) => Some(number),
        _ => None,
    }
}

fn epoch() -> SqlText {
    sql!["extract(epoch FROM now())::bigint"]
}

/// The pattern of `to_char` for a format of `strftime`.
fn pattern(format: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => pattern.push_str(match chars.next()? {
                'Y' => "YYYY",
                'm' => "MM",
                'd' => "DD",
                'H' => "HH24",
                'M' => "MI",
                'S' => "SS",
                'f' => "SS.MS",
                'j' => "DDD",
                _ => return None,
            }),
            '"' | '\\' => return None,
            c if c.is_alphabetic() => {
                pattern.push('"');
                pattern.push(c);
                pattern.push('"');
            }
            c => pattern.push(c),
        }
    }
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn formats_become_patterns() {
        let expected = "YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"";
        assert_eq!(pattern("%Y-%m-%dT%H:%M:%fZ").as_deref(), Some(expected));
        assert_eq!(pattern("%q"), None);
    }
}
