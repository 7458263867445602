use std::collections::BTreeSet;

use crate::tidy::finding::Finding;
use crate::tidy::rust_source::RustSource;

const RULE: &str = "orphan-file";

/// Rust files that no `mod` declaration reaches from `root_files`: they are never compiled.
pub(crate) fn check(
    paths: &[&str],
    root_files: &[&str],
    read: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut waiting: Vec<(String, bool)> = root_files
        .iter()
        .map(|path| ((*path).to_owned(), true))
        .collect();
    while let Some((path, is_root)) = waiting.pop() {
        let Some(text) = read(&path) else { continue };
        if !reached.insert(path.clone()) {
            continue;
        }
        let modules = declared_modules(&RustSource::parse(&path, &text), is_root);
        waiting.extend(modules.into_iter().map(|module| (module, false)));
    }
    paths
        .iter()
        .filter(|path| path.ends_with(".rs") && !reached.contains(**path))
        .map(|path| {
            let message = "no `mod` declaration reaches it: declare it or delete it";
            Finding::whole_file(RULE, path, message)
        })
        .collect()
}

/// Every file that a `mod name;` in `source` may mean.
fn declared_modules(source: &RustSource<'_>, is_root: bool) -> Vec<String> {
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", source.path));
    let inner = match file.trim_end_matches(".rs") {
        _ if is_root => folder.to_owned(),
        "mod" => folder.to_owned(),
        stem => format!("{folder}/{stem}"),
    };
    let mut modules = Vec::new();
    let mut path_attribute = None;
    for (line, raw) in source.code.iter().zip(&source.raw) {
        if line.trim().starts_with("#[path = ") {
            path_attribute = raw.split('"').nth(1);
        }
        let Some(name) = declared_name(line) else {
            continue;
        };
        match path_attribute.take() {
            Some(path) => modules.push(format!("{folder}/{path}")),
            None => modules.extend([
                format!("{inner}/{name}.rs"),
                format!("{inner}/{name}/mod.rs"),
            ]),
        }
    }
    modules
}

/// The name in `mod name;`, with any visibility before it.
fn declared_name(line: &str) -> Option<&str> {
    let mut words = line.trim().strip_suffix(';')?.rsplit(' ');
    let (name, keyword) = (words.next()?, words.next()?);
    let is_module = keyword == "mod" && words.all(|word| word.starts_with("pub"));
    is_module.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orphans(files: &[(&str, &str)], roots: &[&str]) -> Vec<String> {
        let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        let findings = check(&paths, roots, |path| {
            files
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| (*text).to_owned())
        });
        findings.into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn a_file_that_nothing_declares_is_found() {
        let files = [
            (
                "a/src/lib.rs",
                "mod one;\nmod key;\npub(crate) mod two;\n// mod parked;\n",
            ),
            ("a/src/one.rs", "mod inner;\n"),
            ("a/src/one/inner.rs", ""),
            ("a/src/two/mod.rs", "#[cfg(test)]\nmod tests;\n"),
            ("a/src/two/tests.rs", ""),
            ("a/src/parked.rs", ""),
            (
                "a/src/key.rs",
                "#[cfg(test)]\n#[path = \"key_tests.rs\"]\nmod tests;\n",
            ),
            ("a/src/key_tests.rs", ""),
            ("a/tests/black_box.rs", "mod common;\n"),
            ("a/tests/common/mod.rs", ""),
            ("README.md", ""),
        ];
        let roots = ["a/src/lib.rs", "a/tests/black_box.rs"];
        assert_eq!(orphans(&files, &roots), ["a/src/parked.rs"]);
    }
}
