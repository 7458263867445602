use crate::tidy::finding::Finding;

const LARGE: &str = "large-file";
const GENERATED: &str = "generated-file";
const FILE_BYTES_MAX: usize = 500_000;
const BUILT_FOLDERS: [&str; 5] = ["dist", "pkg", "target", "node_modules", "test-results"];

/// Nothing large and nothing built belongs into the repository.
pub(crate) fn check(path: &str, bytes: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    if bytes > FILE_BYTES_MAX {
        let message =
            format!("{bytes} bytes, {FILE_BYTES_MAX} is the limit: generate or shrink it");
        findings.push(Finding::whole_file(LARGE, path, message));
    }
    let built = path.split('/').any(|part| BUILT_FOLDERS.contains(&part));
    if built || path.ends_with(".wasm") {
        let message = "it is built from other files: remove it and add it to .gitignore";
        findings.push(Finding::whole_file(GENERATED, path, message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_built_files_are_found() {
        let rules = |path: &str, bytes| {
            check(path, bytes)
                .into_iter()
                .map(|finding| finding.rule)
                .collect::<Vec<_>>()
        };
        assert_eq!(rules("demo/data.csv.gz", 500_001), [LARGE]);
        assert_eq!(rules("js/dist/index.js", 10), [GENERATED]);
        assert_eq!(rules("js/engine.wasm", 10), [GENERATED]);
        assert!(rules("crates/varve-types/src/distance.rs", 500_000).is_empty());
    }
}
