use crate::tidy::finding::Finding;
use crate::tidy::rust_source::{RustSource, has_word};

const RULE: &str = "unsafe-code";
const HOME: &str = "varve-codec";

/// Unsafe code lives in one crate, and says each time why it is sound.
pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.code.iter().enumerate() {
        if !has_word(line, "unsafe") {
            continue;
        }
        if source.crate_name() != Some(HOME) {
            let message = format!("only `{HOME}` may be unsafe: write it safely, or move it there");
            findings.push(Finding::at(RULE, source.path, index, message));
        } else if !is_explained(source, index) {
            let message = "say in a `// SAFETY:` comment right above why this is sound";
            findings.push(Finding::at(RULE, source.path, index, message));
        }
    }
    findings
}

/// The comment stands on the same line or above, only attributes and the begun statement between.
fn is_explained(source: &RustSource<'_>, index: usize) -> bool {
    let says = |comment: &str| comment.contains("SAFETY:") || comment.contains("# Safety");
    if source
        .comments
        .get(index)
        .is_some_and(|comment| says(comment))
    {
        return true;
    }
    let above = source.code.iter().zip(&source.comments).take(index).rev();
    for (code, comment) in above {
        if says(comment) {
            return true;
        }
        let code = code.trim();
        let ends_other_code = code.ends_with([';', '{', '}']);
        let is_gap = code.is_empty() && comment.trim().is_empty();
        if ends_other_code || is_gap {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&RustSource::parse(path, text)).len()
    }

    #[test]
    fn unsafe_is_found_outside_its_crate() {
        assert_eq!(
            count("crates/varve-run/src/a.rs", "// SAFETY: no\nunsafe { a() }"),
            1
        );
        assert_eq!(
            count(
                "crates/varve-run/src/a.rs",
                "#![deny(unsafe_code)] // unsafe"
            ),
            0
        );
    }

    #[test]
    fn unsafe_needs_its_reason_right_above() {
        let path = "crates/varve-codec/src/a.rs";
        assert_eq!(count(path, "unsafe { a() }"), 1);
        assert_eq!(
            count(path, "// SAFETY: a is in bounds\nb();\nunsafe { a() }"),
            1
        );
        assert_eq!(count(path, "// SAFETY: a is in bounds.\nunsafe { a() }"), 0);
        assert_eq!(
            count(
                path,
                "// SAFETY: long\n// reason.\nlet x =\n    unsafe { a() };"
            ),
            0
        );
        assert_eq!(
            count(
                path,
                "/// # Safety\n/// In bounds.\n#[inline]\nunsafe fn a() {}"
            ),
            0
        );
    }
}
