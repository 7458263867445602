use crate::tidy::finding::Finding;
use crate::tidy::rust_source::RustSource;

const RULE: &str = "number-default";
const CALL: &str = "try_from(";
const DEFAULTS: [&str; 2] = [".unwrap_or(", ".unwrap_or_default("];

/// Where what is computed is written.
const WRITERS: [&str; 3] = [
    "crates/varve-kv/src/",
    "crates/varve-run/src/",
    "crates/varve-store/src/",
];

/// Files where a number that does not fit has a right default, and which it is.
const ALLOWED: [(&str, &str); 8] = [
    ("crates/varve-kv/src/conformance/", "numbers of tests"),
    ("crates/varve-run/src/fixtures.rs", "numbers of tests"),
    (
        "crates/varve-run/src/key_vector.rs",
        "a search that finds none",
    ),
    (
        "crates/varve-store/src/bulk_load/options.rs",
        "a speed that is shown",
    ),
    ("crates/varve-store/src/store/log.rs", "a count for a limit"),
    ("crates/varve-run/src/writer.rs", "a size for a limit"),
    (
        "crates/varve-store/src/compaction/choose.rs",
        "a size to choose by",
    ),
    ("crates/varve-store/src/read/scan.rs", "rows for a limit"),
];

/// A number that does not fit must not go on as another one in what writes.
pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    let is_writer = WRITERS.iter().any(|path| source.path.starts_with(path));
    let is_allowed = ALLOWED
        .iter()
        .any(|(path, _)| source.path.starts_with(path));
    if !is_writer || is_allowed {
        return Vec::new();
    }
    let lines: Vec<&str> = source.product_code().map(|(_, line)| line).collect();
    let text = lines.join("\n");
    let mut findings = Vec::new();
    for (at, _) in text.match_indices(CALL) {
        let after = text.get(at + CALL.len()..).and_then(after_call);
        let after = after.unwrap_or_default().trim_start();
        if DEFAULTS.iter().any(|default| after.starts_with(default)) {
            let line_index = text.get(..at).map_or(0, |text| text.matches('\n').count());
            let message = "a number that does not fit goes on as another: use `or_broken`";
            findings.push(Finding::at(RULE, source.path, line_index, message));
        }
    }
    findings
}

/// What follows the parenthesis that closes the call.
fn after_call(inside: &str) -> Option<&str> {
    let mut depth = 1_usize;
    let closing = inside.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    inside.get(closing? + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let findings = check(&RustSource::parse(path, text));
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn defaults_of_numbers_are_found_in_writers() {
        let text = "fn a(b: usize) {\n    u32::try_from(c(b))\n        .unwrap_or(u32::MAX);\n}\n\
                    fn d(b: usize) -> u8 {\n    u8::try_from(b).unwrap_or_default()\n}";
        assert_eq!(lines("crates/varve-run/src/b.rs", text), [2, 6]);
        assert!(lines("crates/varve-bind/src/b.rs", text).is_empty());
        assert!(lines("crates/varve-store/src/store/log.rs", text).is_empty());
    }

    #[test]
    fn other_answers_are_none() {
        let text = "fn a() {\n    u32::try_from(b).or_broken(\"c\")?;\n    d.unwrap_or(0);\n}";
        assert!(lines("crates/varve-run/src/b.rs", text).is_empty());
    }
}
