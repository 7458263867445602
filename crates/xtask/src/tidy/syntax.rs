//! Rust files as syntax trees.

use super::finding::Finding;
use super::repository::Repository;
use super::rust_source::is_test_path;

/// A file that holds more than tests.
pub(crate) struct RustTree {
    pub(crate) path: String,
    pub(crate) tree: syn::File,
}

impl RustTree {
    /// The crate's folder name and the path below its `src`.
    pub(crate) fn place_in_crate(&self) -> Option<(&str, &str)> {
        self.path.strip_prefix("crates/")?.split_once("/src/")
    }
}

/// Every Rust file that holds more than tests; one that cannot be read is a finding.
pub(crate) fn parse_all(repository: &Repository) -> (Vec<RustTree>, Vec<Finding>) {
    let mut trees = Vec::new();
    let mut findings = Vec::new();
    for file in &repository.files {
        let Some(text) = &file.text else { continue };
        if !file.path.ends_with(".rs") || is_test_path(&file.path) {
            continue;
        }
        let path = file.path.clone();
        match syn::parse_file(text) {
            Ok(tree) => trees.push(RustTree { path, tree }),
            Err(error) => {
                let line_index = error.span().start().line.saturating_sub(1);
                findings.push(Finding::at("syntax", &path, line_index, error.to_string()));
            }
        }
    }
    (trees, findings)
}

/// Whether an item with these attributes is compiled for tests only.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        match &attribute.meta {
            syn::Meta::List(list) if path.is_ident("cfg") => list.tokens.to_string() == "test",
            _ => path.is_ident("test"),
        }
    })
}
