use crate::tidy::finding::Finding;
use crate::tidy::rust_source::RustSource;

const IGNORED: &str = "ignored-test";
const ALLOWED: &str = "silenced-lint";
const SWITCHED_OFF: &str = "code-switched-off";

/// Attributes that hide what should be repaired or deleted.
pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.code.iter().enumerate() {
        let mut add = |rule, message: &str| {
            findings.push(Finding::at(rule, source.path, index, message));
        };
        if line.contains("#[ignore") {
            add(
                IGNORED,
                "run the test, move it to the long runs, or delete it",
            );
        }
        let in_product = index < source.product_lines && !is_on_test_module(source, index);
        let allows = line.contains("#[allow(") || line.contains("#![allow(");
        if allows && (in_product || line.contains("dead_code")) {
            add(
                ALLOWED,
                "repair it, or write `#[expect(lint, reason = \"...\")]`",
            );
        }
        if in_product && line.contains("[expect(") && !has_reason(source, index) {
            add(ALLOWED, "say why: `#[expect(lint, reason = \"...\")]`");
        }
        if line.contains("cfg(any())") || line.contains("cfg(false)") {
            add(SWITCHED_OFF, "delete it: git remembers");
        }
    }
    findings
}

/// What stands on a declaration of tests is not about shipped code.
fn is_on_test_module(source: &RustSource<'_>, index: usize) -> bool {
    let before = index
        .checked_sub(1)
        .and_then(|above| source.code.get(above));
    before.is_some_and(|line| line.trim() == "#[cfg(test)]")
}

/// An attribute may run over several lines.
fn has_reason(source: &RustSource<'_>, index: usize) -> bool {
    let mut attribute = String::new();
    for line in source.code.iter().skip(index) {
        attribute.push_str(line);
        if line.contains(")]") {
            break;
        }
    }
    attribute.contains("reason =")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let findings = check(&RustSource::parse("crates/a/src/b.rs", text));
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn attributes_that_hide_are_found() {
        assert_eq!(rules("#[test]\n#[ignore = \"slow\"]\nfn a() {}"), [IGNORED]);
        assert_eq!(rules("#[allow(dead_code)]"), [ALLOWED]);
        assert_eq!(rules("#[allow(clippy::panic)]"), [ALLOWED]);
        assert_eq!(rules("#[expect(dead_code)]"), [ALLOWED]);
        assert_eq!(rules("#[cfg(any())]"), [SWITCHED_OFF]);
    }

    #[test]
    fn a_reason_or_a_test_makes_it_good() {
        assert!(rules("#[expect(\n    clippy::panic,\n    reason = \"cannot be\",\n)]").is_empty());
        let test = "#[cfg(test)]\nmod tests {\n#![allow(clippy::panic)]\n}";
        assert!(rules(test).is_empty());
        assert!(rules("#[cfg(test)]\n#[allow(clippy::panic)]\nmod tests;").is_empty());
        assert!(rules("let a = \"#[ignore]\";").is_empty());
    }
}
