use crate::tidy::finding::Finding;
use crate::tidy::metadata::Package;

const HEAD: &str = "crate-head";
const DESCRIPTION: &str = "crate-description";

/// A crate begins with what it is for and what always holds in it.
pub(crate) fn check_head(path: &str, text: &str) -> Option<Finding> {
    let mut head = text.lines().take_while(|line| line.starts_with("//!"));
    let says = head.any(|line| line.contains("Invariant:"));
    (!says).then(|| {
        let message = "begin with `//!` lines: two sentences of purpose, then `Invariant:` lines";
        Finding::whole_file(HEAD, path, message)
    })
}

pub(crate) fn check_description(package: &Package) -> Option<Finding> {
    package.description.trim().is_empty().then(|| {
        let path = format!("{}/Cargo.toml", package.folder);
        Finding::whole_file(DESCRIPTION, &path, "fill in `description`: one sentence")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_without_invariants_is_found() {
        assert!(check_head("a", "//! Purpose.\n\nmod a;\n// Invariant: too late\n").is_some());
        assert!(check_head("a", "mod a;\n").is_some());
        assert!(check_head("a", "//! Purpose.\n//!\n//! Invariant: holds.\nmod a;\n").is_none());
    }

    #[test]
    fn an_empty_description_is_found() {
        let mut package = Package {
            name: "a".to_owned(),
            description: " ".to_owned(),
            folder: "crates/a".to_owned(),
            dependencies: Vec::new(),
            root_files: Vec::new(),
        };
        assert!(check_description(&package).is_some());
        package.description = "What it is.".to_owned();
        assert!(check_description(&package).is_none());
    }
}
