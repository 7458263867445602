use crate::tidy::finding::Finding;
use crate::tidy::rust_source::{RustSource, is_test_path};

const LENGTH: &str = "file-length";
const WIDTH: &str = "line-width";
const FILE_LINES_MAX: usize = 600;
const LINE_CHARS_MAX: usize = 100;

/// Length without tests, and width of lines. The contents of strings, rows of tables and addresses
/// cannot be wrapped, so they do not count.
pub(crate) fn check_rust(source: &RustSource<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = too_long(source.path, source.product_lines)
        .into_iter()
        .collect();
    for (index, raw) in source.raw.iter().enumerate() {
        let chars = raw.chars().count();
        let is_table = source
            .comments
            .get(index)
            .is_some_and(|comment| comment.ends_with('|'));
        if chars <= LINE_CHARS_MAX || raw.contains("://") || is_table {
            continue;
        }
        if chars.saturating_sub(string_chars(source, index)) > LINE_CHARS_MAX {
            let message = format!("{chars} characters: wrap at {LINE_CHARS_MAX}");
            findings.push(Finding::at(WIDTH, source.path, index, message));
        }
    }
    findings
}

/// Length of a TypeScript or JavaScript file; its width is the formatter's business.
pub(crate) fn check_script(path: &str, text: &str) -> Option<Finding> {
    let is_script = [".ts", ".tsx", ".mjs", ".js"]
        .iter()
        .any(|end| path.ends_with(end));
    if !is_script || is_test_path(path) {
        return None;
    }
    too_long(path, text.lines().count())
}

fn too_long(path: &str, lines: usize) -> Option<Finding> {
    (lines > FILE_LINES_MAX).then(|| {
        let message = format!(
            "{lines} lines without tests: split it by concept, {FILE_LINES_MAX} is the limit"
        );
        Finding::whole_file(LENGTH, path, message)
    })
}

/// How many characters of a line are inside strings: those that are neither code nor comment.
fn string_chars(source: &RustSource<'_>, index: usize) -> usize {
    let (Some(raw), Some(code), Some(comment)) = (
        source.raw.get(index),
        source.code.get(index),
        source.comments.get(index),
    ) else {
        return 0;
    };
    let parts = raw.chars().zip(code.chars().zip(comment.chars()));
    parts
        .filter(|(c, (code, comment))| *c != ' ' && *code == ' ' && *comment == ' ')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> Vec<&'static str> {
        let findings = check_rust(&RustSource::parse("crates/a/src/b.rs", text));
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn long_files_are_found_and_tests_do_not_count() {
        assert_eq!(rust(&"a();\n".repeat(601)), [LENGTH]);
        assert!(rust(&"a();\n".repeat(600)).is_empty());
        let tests = format!(
            "a();\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "b();\n".repeat(700)
        );
        assert!(rust(&tests).is_empty());
        assert!(check_script("js/src/a.ts", &"a\n".repeat(601)).is_some());
        assert!(check_script("js/test/a.test.ts", &"a\n".repeat(601)).is_none());
        assert!(check_script("README.md", &"a\n".repeat(601)).is_none());
    }

    #[test]
    fn wide_lines_are_found_but_not_for_strings_and_addresses() {
        assert_eq!(rust(&format!("let a = {};", "1 + ".repeat(30))), [WIDTH]);
        assert_eq!(rust(&format!("// {}", "word ".repeat(30))), [WIDTH]);
        assert!(rust(&format!("let a = \"{}\";", "x".repeat(120))).is_empty());
        assert!(rust(&format!("//! | a | {} |", "x".repeat(120))).is_empty());
        assert!(rust(&format!("// https://a.org/{}", "x".repeat(120))).is_empty());
    }
}
