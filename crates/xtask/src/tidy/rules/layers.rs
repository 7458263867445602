use crate::tidy::finding::Finding;
use crate::tidy::metadata::Package;

const RULE: &str = "layers";

/// Which crates of ours each crate may use. The table of ARCHITECTURE.md says the same; a new edge
/// is a change of the architecture, so change both, and say why.
const MAY_USE: &[(&str, &[&str])] = &[
    ("varve-sort", &[]),
    ("varve-psql", &["varve-types"]),
    ("varve-types", &[]),
    ("varve-kernels", &[]),
    ("varve-codec", &["varve-kernels"]),
    ("varve-kv", &["varve-types"]),
    ("varve-kv-idb", &["varve-kv", "varve-types"]),
    ("varve-kv-rocksdb", &["varve-kv", "varve-types"]),
    ("varve-run", &["varve-codec", "varve-types"]),
    ("varve-expr", &["varve-types"]),
    (
        "varve-store",
        &["varve-kv", "varve-run", "varve-codec", "varve-types"],
    ),
    ("varve-parser", &["varve-types"]),
    ("varve-sql", &["varve-parser", "varve-expr", "varve-types"]),
    ("varve-exec", &["varve-sql", "varve-expr", "varve-types"]),
    (
        "varvedb",
        &[
            "varve-types",
            "varve-codec",
            "varve-kv",
            "varve-run",
            "varve-expr",
            "varve-store",
            "varve-sql",
            "varve-exec",
        ],
    ),
    (
        "varve-wasm",
        &["varvedb", "varve-kv", "varve-kv-idb", "varve-types"],
    ),
    (
        "varve-cli",
        &[
            "varvedb",
            "varve-kv",
            "varve-kv-rocksdb",
            "varve-psql",
            "varve-types",
        ],
    ),
    (
        "varve-server",
        &["varvedb", "varve-kv", "varve-kv-rocksdb", "varve-types"],
    ),
];

/// What any crate may use: it knows nothing of what is above it.
const ANYWHERE: &str = "varve-sort";

/// Crates for development may use any other. No row above lists them, so no shipped crate may.
const DEVELOPMENT: &[&str] = &["varve-sim", "xtask"];

pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut findings = Vec::new();
    for package in packages {
        let in_tests = package.folder == "tests" || package.folder.starts_with("tests/");
        if in_tests || DEVELOPMENT.contains(&package.name.as_str()) {
            continue;
        }
        let manifest = format!("{}/Cargo.toml", package.folder);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package.name) else {
            let message = format!("`{}` has no row in the layer table: add one", package.name);
            findings.push(Finding::whole_file(RULE, &manifest, message));
            continue;
        };
        let others = package.dependencies.iter();
        for name in others.filter(|name| ours(name) && name.as_str() != ANYWHERE) {
            if !allowed.contains(&name.as_str()) {
                let message = format!(
                    "`{}` may not use `{name}`: move the code to a layer that may, or pass a trait",
                    package.name
                );
                findings.push(Finding::whole_file(RULE, &manifest, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            description: String::new(),
            folder: folder.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            root_files: Vec::new(),
        }
    }

    #[test]
    fn an_edge_outside_the_table_is_found() {
        let packages = [
            package(
                "varve-store",
                "crates/varve-store",
                &["varve-kv", "varve-kv-idb", "roaring"],
            ),
            package("varve-kv", "crates/varve-kv", &[]),
            package("varve-kv-idb", "crates/varve-kv-idb", &[]),
        ];
        let findings = check(&packages);
        assert_eq!(findings.len(), 1);
        assert!(
            findings
                .iter()
                .all(|f| f.message.contains("may not use `varve-kv-idb`"))
        );
    }

    #[test]
    fn a_crate_without_a_row_is_found_and_tests_need_none() {
        let unknown = package("varve-new", "crates/varve-new", &[]);
        let tests = package("varvedb-tests", "tests", &["varve-new"]);
        assert_eq!(check(&[unknown, tests]).len(), 1);
    }
}
