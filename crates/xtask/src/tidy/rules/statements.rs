use crate::tidy::finding::Finding;
use crate::tidy::rust_source::RustSource;

const RULE: &str = "matches-as-statement";
const CALL: &str = "matches!(";

/// `matches!(..);` throws its answer away: what was meant is an assertion.
pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    let text = source.code.join("\n");
    let mut findings = Vec::new();
    for (at, _) in text.match_indices(CALL) {
        let (Some(before), Some(inside)) = (text.get(..at), text.get(at + CALL.len()..)) else {
            continue;
        };
        let begins = before
            .trim_end()
            .chars()
            .next_back()
            .is_none_or(|c| ";{}".contains(c));
        if begins && after_call(inside).is_some_and(|after| after.trim_start().starts_with(';')) {
            let line_index = before.matches('\n').count();
            let message = "its answer is lost: write `assert!(matches!(..))`";
            findings.push(Finding::at(RULE, source.path, line_index, message));
        }
    }
    findings
}

/// What follows the parenthesis that closes the call.
fn after_call(inside: &str) -> Option<&str> {
    let mut depth = 1_usize;
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(chars.as_str());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let findings = check(&RustSource::parse("crates/a/src/b.rs", text));
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_lost_answer_is_found() {
        assert_eq!(lines("fn a() {\n    matches!(b(), Some(_));\n}"), [2]);
        assert_eq!(lines("let x = 1;\nmatches!(\n  x,\n  1\n);"), [2]);
    }

    #[test]
    fn a_used_answer_is_not() {
        assert!(lines("fn a() -> bool {\n    matches!(b(), Some(_))\n}").is_empty());
        assert!(lines("assert!(matches!(b(), Some(_)));").is_empty());
        assert!(lines("let x =\n    matches!(b(), Some(_));").is_empty());
    }
}
