//! psql's variables in a text: `:name`, `:'name'` as a literal, `:"name"` as an identifier,
//! `:{?name}`. Nothing is put into quoted text and comments, and `::` is a cast.

use std::collections::BTreeMap;

pub type Variables = BTreeMap<String, String>;

pub fn substitute(text: &str, variables: &Variables) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\'' | '"' => quoted_len(rest, c),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '$' => dollar_len(rest, out.chars().next_back()),
            ':' if rest.starts_with("::") || rest.starts_with(":=") => 2,
            ':' => match variable(rest, variables) {
                Some((value, taken)) => {
                    out.push_str(&value);
                    rest = &rest[taken..];
                    continue;
                }
                None => 1,
            },
            c => c.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

fn quoted_len(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

/// The length of `$tag$ ... $tag$`, or of the dollar sign alone.
fn dollar_len(text: &str, before: Option<char>) -> usize {
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return 1;
    }
    let Some(end) = text[1..].find('$') else {
        return 1;
    };
    let tag = &text[..end + 2];
    let inner = &tag[1..=end];
    let is_tag = inner.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !inner.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return 1;
    }
    let close = text[tag.len()..].find(tag);
    close.map_or(text.len(), |at| at + 2 * tag.len())
}

/// The value at a colon and the bytes that it stands for.
fn variable(text: &str, variables: &Variables) -> Option<(String, usize)> {
    let rest = &text[1..];
    let name_len = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        end.unwrap_or(text.len())
    };
    if let Some(inner) = rest.strip_prefix("{?") {
        let name = &inner[..name_len(inner)];
        inner[name.len()..].starts_with('}').then_some(())?;
        let known = if variables.contains_key(name) {
            "TRUE"
        } else {
            "FALSE"
        };
        return Some((known.to_owned(), name.len() + 4));
    }
    for quote in ['\'', '"'] {
        if let Some(inner) = rest.strip_prefix(quote) {
            let name = &inner[..name_len(inner)];
            inner[name.len()..].starts_with(quote).then_some(())?;
            let doubled = format!("{quote}{quote}");
            let value = variables.get(name)?.replace(quote, &doubled);
            return Some((format!("{quote}{value}{quote}"), name.len() + 3));
        }
    }
    let name = &rest[..name_len(rest)];
    let value = variables.get(name)?;
    Some((value.clone(), name.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::{Variables, substitute};

    #[test]
    fn variables_stand_outside_quotes_only() {
        let mut variables = Variables::new();
        variables.insert("a".to_owned(), "x'y".to_owned());
        let wanted = "x'y 'x''y' \"x'y\" ':a' $$:a$$ b::a TRUE FALSE :b $1";
        let text = ":a :'a' :\"a\" ':a' $$:a$$ b::a :{?a} :{?c} :b $1";
        assert_eq!(substitute(text, &variables), wanted);
    }
}
