use crate::tidy::finding::Finding;
use crate::tidy::rust_source::{RustSource, has_word};

const COMMENTED: &str = "commented-out-code";
const REMINDER: &str = "reminder-without-issue";
const REMINDERS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// How a statement or an item begins, in Rust or TypeScript.
const OPENINGS: [&str; 19] = [
    "use ", "pub ", "mod ", "let ", "fn ", "impl ", "struct ", "enum ", "const ", "static ", "#[",
    "#![", "import ", "export ", "return ", "if ", "for ", "while ", "} else",
];

pub(crate) fn check_rust(source: &RustSource<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, comment) in source.comments.iter().enumerate() {
        findings.extend(check_comment(source.path, index, comment.trim()));
    }
    findings
}

/// The same for TypeScript, where a comment is told by how its line begins.
pub(crate) fn check_script(path: &str, text: &str) -> Vec<Finding> {
    if ![".ts", ".tsx", ".mjs", ".js", ".css"]
        .iter()
        .any(|end| path.ends_with(end))
    {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if ["//", "/*", "*"].iter().any(|mark| line.starts_with(mark)) {
            findings.extend(check_comment(path, index, line));
        }
    }
    findings
}

fn check_comment(path: &str, index: usize, comment: &str) -> Option<Finding> {
    let reminder = REMINDERS.iter().find(|word| has_word(comment, word));
    if let Some(word) = reminder
        && !comment.contains(&format!("{word}(#"))
    {
        let message = format!("write `{word}(#12)` with the number of an open issue, or do it");
        return Some(Finding::at(REMINDER, path, index, message));
    }
    let is_documentation = ["///", "//!", "/*", "*"]
        .iter()
        .any(|mark| comment.starts_with(mark));
    let text = comment.strip_prefix("//")?.trim();
    (!is_documentation && looks_like_code(text)).then(|| {
        Finding::at(
            COMMENTED,
            path,
            index,
            "delete it: git remembers, and readers cannot tell",
        )
    })
}

fn looks_like_code(text: &str) -> bool {
    if ["{", "}", "};", "});", "})"].contains(&text) {
        return true;
    }
    let opens = OPENINGS.iter().any(|opening| text.starts_with(opening));
    let ends = text.ends_with([';', '{', ']', '}']);
    let calls = text.ends_with(");") || (text.ends_with(';') && text.contains(" = "));
    (opens && ends) || calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let findings = check_rust(&RustSource::parse("crates/a/src/b.rs", text));
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn commented_out_code_is_found() {
        for text in [
            "// mod parked;",
            "// let a = 1;",
            "    // self.flush(batch);",
            "// }",
            "// total = total + 1;",
            "// if a > b {",
            "// #[test]",
        ] {
            assert_eq!(rules(text), [COMMENTED], "{text}");
        }
        let script = check_script("js/src/a.ts", "// import { a } from './a.js';\n");
        assert_eq!(script.len(), 1);
    }

    #[test]
    fn prose_and_examples_are_not_code() {
        for text in [
            "// Keys are sorted; values follow.",
            "// if the browser closed the connection, it is reopened",
            "/// let a = 1;",
            "let a = \"// let b = 1;\";",
            "// `let a = 1;` would copy",
        ] {
            assert!(rules(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_reminder_needs_an_issue() {
        assert_eq!(rules("// TODO: later"), [REMINDER]);
        assert_eq!(rules("a(); // FIXME"), [REMINDER]);
        assert!(rules("// TODO(#12): later").is_empty());
        assert!(rules("let a = \"TODO\";").is_empty());
        assert!(rules("// TODOS").is_empty());
        assert_eq!(check_script("a.mjs", "/** XXX */").len(), 1);
        assert!(check_script("a.md", "// let a = 1;").is_empty());
    }
}
