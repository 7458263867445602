//! The rules that have a list of exceptions.

use std::fs;

use super::exceptions::{self, Excess};
use super::finding::Finding;
use super::repository::Repository;
use super::rules::{circles, folders, functions, pins, words};
use super::syntax::RustTree;

/// Where the lists are.
const FOLDER: &str = "crates/xtask/exceptions";
const WORDS: &str = "private-words";
const PINS: &str = "exact-pins";

/// What breaks one rule, with or without an exception.
struct Checked {
    rule: &'static str,
    found: Vec<Excess>,
}

impl Checked {
    fn list(&self) -> String {
        list_of(self.rule)
    }
}

fn list_of(rule: &str) -> String {
    format!("{FOLDER}/{rule}.txt")
}

/// What breaks a rule without an exception, and exceptions that nothing needs.
pub(crate) fn check(repository: &Repository, trees: &[RustTree]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for checked in apply(repository, trees) {
        let path = checked.list();
        let list = repository.text(&path).unwrap_or_default();
        findings.extend(exceptions::compare(
            checked.rule,
            &path,
            list,
            &checked.found,
        ));
    }
    let pins = list_of(PINS);
    findings.extend(without_reason(
        &pins,
        repository.text(&pins).unwrap_or_default(),
    ));
    findings
}

/// Exceptions that stay, without saying why.
fn without_reason(path: &str, list: &str) -> Vec<Finding> {
    exceptions::parse(list)
        .iter()
        .filter(|exception| exception.fields.is_empty())
        .map(|exception| {
            let message = format!("say after ` | ` why `{}` is one", exception.key);
            Finding::at(PINS, path, exception.line_index, message)
        })
        .collect()
}

/// Takes off the lists what nothing needs any more.
pub(crate) fn shrink(repository: &Repository, trees: &[RustTree]) -> Result<(), String> {
    for checked in apply(repository, trees) {
        let path = checked.list();
        let list = repository.text(&path).unwrap_or_default();
        let shrunk = exceptions::shrunk(list, &checked.found);
        if shrunk != list {
            let file = repository.root.join(&path);
            fs::write(file, shrunk).map_err(|error| format!("{path}: {error}"))?;
        }
    }
    Ok(())
}

fn apply(repository: &Repository, trees: &[RustTree]) -> Vec<Checked> {
    let paths: Vec<&str> = repository
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    let texts = repository
        .files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)));
    let words_path = list_of(WORDS);
    let words = repository.text(&words_path).unwrap_or_default();
    let checked = |rule, found| Checked { rule, found };
    vec![
        checked(
            "long-functions",
            trees.iter().flat_map(functions::too_long).collect(),
        ),
        checked(
            "many-parameters",
            trees
                .iter()
                .flat_map(functions::too_many_parameters)
                .collect(),
        ),
        checked("full-folders", folders::check(&paths)),
        checked("module-circles", circles::check(trees)),
        checked(WORDS, words::check(repository, &words_path, words)),
        checked(
            "exact-pins",
            texts
                .flat_map(|(path, text)| pins::check(path, text))
                .collect(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::tidy::repository::TrackedFile;
    use crate::tidy::syntax::parse_all;

    fn repository(files: &[(&str, &str)]) -> Repository {
        let file = |(path, text): &(&str, &str)| TrackedFile {
            path: (*path).to_owned(),
            bytes: text.len(),
            text: Some((*text).to_owned()),
        };
        Repository {
            root: PathBuf::new(),
            files: files.iter().map(file).collect(),
            packages: Vec::new(),
        }
    }

    fn broken(files: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let repository = repository(files);
        let (trees, _) = parse_all(&repository);
        let findings = check(&repository, &trees).into_iter();
        findings
            .map(|finding| (finding.rule, finding.path))
            .collect()
    }

    #[test]
    fn each_rule_finds_what_is_planted_and_passes_what_is_listed() {
        let long = format!(
            "use crate::b::B;\npub(crate) struct A;\nfn f(a: A, b: A, c: A, d: A, e: A, g: A, \
             h: A) {{\n{}}}\n",
            "turn();\n".repeat(70)
        );
        let empty: Vec<String> = (0..26).map(|number| format!("docs/{number}.md")).collect();
        let mut files = vec![
            ("crates/k/src/a/mod.rs", long.as_str()),
            (
                "crates/k/src/b/mod.rs",
                "use crate::a::A;\npub(crate) struct B;\n",
            ),
            ("crates/k/Cargo.toml", "[dependencies]\nidb = \"=0.6.5\"\n"),
        ];
        files.extend(empty.iter().map(|path| (path.as_str(), "")));
        let path = "crates/k/src/a/mod.rs".to_owned();
        let words = list_of(WORDS);
        let expected = [
            ("long-functions", path.clone()),
            ("many-parameters", path.clone()),
            ("full-folders", "docs".to_owned()),
            ("module-circles", path),
            ("module-circles", "crates/k/src/b/mod.rs".to_owned()),
            (WORDS, words.clone()),
            (PINS, "crates/k/Cargo.toml".to_owned()),
        ];
        files.push((&words, "turn | commit lock | crates | 69\n"));
        assert_eq!(broken(&files), expected);
        files.pop();

        let lists = [
            ("long-functions", "crates/k/src/a/mod.rs f\n"),
            ("many-parameters", "crates/k/src/a/mod.rs f\n"),
            ("full-folders", "docs | 26\n"),
            ("module-circles", "k: a -> b\nk: b -> a\n"),
            (WORDS, "turn | commit lock | crates | 70\n"),
            (PINS, "idb | a reason\n"),
        ];
        let lists = lists.map(|(rule, text)| (list_of(rule), text));
        files.extend(lists.iter().map(|(path, text)| (path.as_str(), *text)));
        assert_eq!(broken(&files), []);
        // With nothing left to allow, every line of a list is too much.
        let only_lists = files.split_off(files.len() - lists.len());
        assert_eq!(broken(&only_lists).len(), 7);
    }

    #[test]
    fn a_pin_without_a_reason_is_found() {
        assert!(without_reason("list", "# Why.\na | it must\n").is_empty());
        assert_eq!(without_reason("list", "a | it must\nb\n").len(), 1);
    }
}
