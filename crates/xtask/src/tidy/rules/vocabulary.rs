use crate::tidy::finding::Finding;
use crate::tidy::rust_source::{RustSource, has_word};

/// Words of an outside world, and the crates that may speak of it.
struct Outside {
    rule: &'static str,
    words: &'static [&'static str],
    homes: &'static [&'static str],
    world: &'static str,
}

const OUTSIDES: [Outside; 2] = [
    Outside {
        rule: "javascript-outside",
        words: &[
            "js_sys",
            "web_sys",
            "wasm_bindgen",
            "wasm_bindgen_futures",
            "JsValue",
        ],
        homes: &[
            "varve-kv-idb",
            "varve-wasm",
            "varve-wasm-dialect",
            "varve-wasm-zstd",
        ],
        world: "JavaScript",
    },
    Outside {
        rule: "rocksdb-outside",
        words: &["rocksdb"],
        homes: &["varve-kv-rocksdb"],
        world: "RocksDB",
    },
];

pub(crate) fn check(source: &RustSource<'_>) -> Vec<Finding> {
    let Some(name) = source.crate_name() else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for outside in OUTSIDES
        .iter()
        .filter(|outside| !outside.homes.contains(&name))
    {
        for (index, line) in source.product_code() {
            if let Some(word) = outside.words.iter().find(|word| has_word(line, word)) {
                let message = format!(
                    "`{word}`: only {} may know of {}; pass a trait of `varve-types` or `varve-kv`",
                    outside.homes.join(", "),
                    outside.world
                );
                findings.push(Finding::at(outside.rule, source.path, index, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        let findings = check(&RustSource::parse(path, text));
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn an_outside_world_stays_in_its_crates() {
        let js = "use wasm_bindgen::JsValue;";
        assert_eq!(
            rules("crates/varve-store/src/a.rs", js),
            ["javascript-outside"]
        );
        assert!(rules("crates/varve-wasm/src/a.rs", js).is_empty());
        let rocks = "use rocksdb::DB;";
        assert_eq!(
            rules("crates/varve-cli/src/main.rs", rocks),
            ["rocksdb-outside"]
        );
        assert!(rules("crates/varve-kv-rocksdb/src/a.rs", rocks).is_empty());
        assert!(rules("crates/varve-cli/src/main.rs", "use varve_kv_rocksdb::A;").is_empty());
        assert!(
            rules(
                "crates/varve-store/src/a.rs",
                "// JsValue is not known here"
            )
            .is_empty()
        );
    }
}
