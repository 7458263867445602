//! Lists of what may break a rule today. They may only shrink.
//!
//! A list is a text file with one exception a line, in fields between ` | `: the first is its key,
//! and a number at the end is a limit. Lines that begin with `#` and empty lines are passed over.

use std::collections::BTreeMap;

use super::finding::Finding;

/// Something that breaks a rule, unless a list has its key.
pub(crate) struct Excess {
    pub(crate) path: String,
    /// Counted from 1; 0 when no line is meant.
    pub(crate) line: usize,
    pub(crate) key: String,
    pub(crate) size: usize,
    pub(crate) message: String,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exception<'a> {
    pub(crate) line_index: usize,
    pub(crate) key: &'a str,
    /// What stands between the key and the limit.
    pub(crate) fields: Vec<&'a str>,
    pub(crate) limit: Option<usize>,
}

pub(crate) fn parse(text: &str) -> Vec<Exception<'_>> {
    text.lines()
        .enumerate()
        .filter_map(|(line_index, line)| parse_line(line_index, line))
        .collect()
}

fn parse_line(line_index: usize, line: &str) -> Option<Exception<'_>> {
    if line.starts_with('#') || line.trim().is_empty() {
        return None;
    }
    let mut fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let key = fields.remove(0);
    let limit = fields.last().and_then(|last| last.parse().ok());
    if limit.is_some() {
        fields.pop();
    }
    Some(Exception {
        line_index,
        key,
        fields,
        limit,
    })
}

/// What is not in the list at `path`, and what the list has though nothing needs it any more.
pub(crate) fn compare(
    rule: &'static str,
    path: &str,
    text: &str,
    found: &[Excess],
) -> Vec<Finding> {
    let list = parse(text);
    let mut findings = Vec::new();
    for excess in found {
        let listed = list.iter().find(|exception| exception.key == excess.key);
        let is_allowed = listed
            .is_some_and(|exception| exception.limit.is_none_or(|limit| excess.size <= limit));
        if !is_allowed {
            findings.push(Finding {
                path: excess.path.clone(),
                line: excess.line,
                rule,
                message: match listed.and_then(|exception| exception.limit) {
                    Some(limit) => format!("{}; {path} allows {limit}", excess.message),
                    None => excess.message.clone(),
                },
            });
        }
    }
    let sizes = sizes(found);
    for exception in &list {
        let message = match (sizes.get(exception.key), exception.limit) {
            (None, _) => "is an exception no more: take it off".to_owned(),
            (Some(size), Some(limit)) if *size < limit => format!("is {size} now: lower the limit"),
            _ => continue,
        };
        let message = format!(
            "`{}` {message} (`cargo xtask tidy --shrink` does)",
            exception.key
        );
        findings.push(Finding::at(rule, path, exception.line_index, message));
    }
    findings
}

/// The list without what nothing needs any more, and with limits no higher than what was found.
pub(crate) fn shrunk(text: &str, found: &[Excess]) -> String {
    let sizes = sizes(found);
    let mut shrunk = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = match parse_line(index, line) {
            None => line.to_owned(),
            Some(exception) => match (sizes.get(exception.key), exception.limit) {
                (None, _) => continue,
                (Some(size), Some(limit)) if *size < limit => {
                    let before = line.rsplit_once(" | ").map_or(line, |(before, _)| before);
                    format!("{before} | {size}")
                }
                _ => line.to_owned(),
            },
        };
        shrunk.push_str(&line);
        shrunk.push('\n');
    }
    shrunk
}

/// The largest size by key.
fn sizes(found: &[Excess]) -> BTreeMap<&str, usize> {
    let mut sizes = BTreeMap::new();
    for excess in found {
        let size = sizes.entry(excess.key.as_str()).or_insert(0);
        *size = excess.size.max(*size);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# Why.\n\na | a reason\nb | 5\n";

    fn excess(key: &str, size: usize) -> Excess {
        Excess {
            path: "file".to_owned(),
            line: 3,
            key: key.to_owned(),
            size,
            message: format!("{size} is too much"),
        }
    }

    fn messages(found: &[Excess]) -> Vec<String> {
        let findings = compare("rule", "list", LIST, found);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_are_keys_fields_and_limits() {
        let list = parse("a b | c | 7\n# no\nd");
        let expected = |line_index, key, fields, limit| Exception {
            line_index,
            key,
            fields,
            limit,
        };
        assert_eq!(
            list,
            [
                expected(0, "a b", vec!["c"], Some(7)),
                expected(2, "d", Vec::new(), None)
            ]
        );
    }

    #[test]
    fn what_is_listed_passes_and_what_is_new_fails() {
        assert!(messages(&[excess("a", 9), excess("b", 5)]).is_empty());
        let found = [excess("a", 9), excess("b", 6), excess("c", 1)];
        assert_eq!(
            messages(&found),
            [
                "file:3: [rule] 6 is too much; list allows 5",
                "file:3: [rule] 1 is too much"
            ]
        );
    }

    #[test]
    fn a_list_that_could_be_shorter_fails() {
        let [stale, high] = messages(&[excess("b", 4)]).try_into().unwrap();
        assert!(stale.starts_with("list:3: [rule] `a` is an exception no more"));
        assert!(high.starts_with("list:4: [rule] `b` is 4 now"));
    }

    #[test]
    fn a_list_shrinks_and_never_grows() {
        assert_eq!(shrunk(LIST, &[excess("b", 4)]), "# Why.\n\nb | 4\n");
        assert_eq!(
            shrunk(LIST, &[excess("a", 1), excess("b", 6), excess("c", 2)]),
            LIST
        );
    }
}
