//! The loops of DuckDB's tests: over numbers, over words, and over named lists of types.

const SIGNED: [&str; 5] = ["tinyint", "smallint", "integer", "bigint", "hugeint"];
const UNSIGNED: [&str; 5] = ["utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"];
const OTHERS: [&str; 6] = ["bool", "interval", "varchar", "date", "time", "timestamp"];

/// Most rounds of one loop that run: the rest would say the same again.
const ROUNDS_MAX: usize = 64;

/// The values of a loop's variable; nothing where the line is no loop.
pub(super) fn rounds(words: &[&str]) -> Option<(String, Vec<String>)> {
    match words {
        ["loop" | "concurrentloop", name, from, to] => {
            let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
            let values = (from..to).take(ROUNDS_MAX).map(|value| value.to_string());
            Some(((*name).to_owned(), values.collect()))
        }
        ["foreach" | "concurrentforeach", name, values @ ..] => {
            let mut all: Vec<String> = Vec::new();
            for value in values {
                match value.strip_prefix('!') {
                    Some(without) => all.retain(|value| value != without),
                    None => all.extend(expand(value)),
                }
            }
            Some(((*name).to_owned(), all))
        }
        _ => None,
    }
}

fn expand(value: &str) -> Vec<String> {
    let floats = ["float", "double"];
    let lists: Vec<&[&str]> = match value {
        "<signed>" => vec![&SIGNED],
        "<unsigned>" => vec![&UNSIGNED],
        "<integral>" => vec![&SIGNED, &UNSIGNED],
        "<numeric>" => vec![&SIGNED, &UNSIGNED, &floats],
        "<alltypes>" => vec![&SIGNED, &UNSIGNED, &floats, &OTHERS],
        _ => return vec![value.trim_matches('"').to_owned()],
    };
    lists
        .concat()
        .iter()
        .map(|name| (*name).to_owned())
        .collect()
}

/// A text with the values of loop variables, innermost first, spelt `{name}` or `${name}`.
pub(super) fn substitute(text: &str, variables: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    for (name, value) in variables.iter().rev() {
        for (name, value) in name.split(',').zip(value.split(',')) {
            let whole = if name.contains(',') {
                name
            } else {
                name.trim()
            };
            text = text.replace(&format!("${{{whole}}}"), value);
            text = text.replace(&format!("{{{whole}}}"), value);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{rounds, substitute};

    #[test]
    fn loops_give_numbers_words_and_types() {
        let words = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            rounds(&words).map(|(_, values)| values.join(" "))
        };
        assert_eq!(words("loop i 2 5").as_deref(), Some("2 3 4"));
        assert_eq!(words("foreach t a \"b\"").as_deref(), Some("a b"));
        let signed = "smallint integer bigint hugeint";
        assert_eq!(
            words("foreach t <signed> !tinyint").as_deref(),
            Some(signed)
        );
        assert_eq!(words("endloop"), None);
        let variables = [("i".to_owned(), "1".to_owned())];
        assert_eq!(substitute("a{i}${i}{j}", &variables), "a11{j}");
    }
}
