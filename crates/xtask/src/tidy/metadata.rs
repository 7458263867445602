use serde_json::Value;

/// What the rules need to know of one workspace package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Relative to the root of the repository.
    pub(crate) folder: String,
    /// Names of what it uses when built; dev-dependencies are left out.
    pub(crate) dependencies: Vec<String>,
    /// Files from which modules are reached: libraries, binaries, tests, benches, build scripts.
    pub(crate) root_files: Vec<String>,
}

/// Reads the output of `cargo metadata --no-deps`.
pub(crate) fn parse(json: &str, root: &str) -> Result<Vec<Package>, String> {
    let metadata: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let packages = packages.ok_or("cargo metadata lists no packages")?;
    packages
        .iter()
        .map(|package| parse_package(package, root))
        .collect()
}

fn parse_package(package: &Value, root: &str) -> Result<Package, String> {
    let relative = |path: &str| {
        let inside = path.strip_prefix(root).unwrap_or(path);
        inside.trim_start_matches('/').to_owned()
    };
    let manifest = relative(text(package, "manifest_path")?);
    let dependencies = items(package, "dependencies")
        .iter()
        .filter(|item| item.get("kind").and_then(Value::as_str) != Some("dev"))
        .map(|item| text(item, "name").map(str::to_owned))
        .collect::<Result<_, _>>()?;
    let root_files = items(package, "targets")
        .iter()
        .map(|item| text(item, "src_path").map(relative))
        .collect::<Result<_, _>>()?;
    Ok(Package {
        name: text(package, "name")?.to_owned(),
        description: text(package, "description").unwrap_or_default().to_owned(),
        folder: manifest
            .trim_end_matches("Cargo.toml")
            .trim_end_matches('/')
            .to_owned(),
        dependencies,
        root_files,
    })
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("cargo metadata lacks `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_read_with_paths_inside_the_repository() {
        let json = r#"{"packages": [{
            "name": "varve-kv", "description": "d", "manifest_path": "/r/crates/varve-kv/Cargo.toml",
            "dependencies": [{"name": "varve-types", "kind": null}, {"name": "proptest", "kind": "dev"},
                {"name": "cc", "kind": "build"}],
            "targets": [{"src_path": "/r/crates/varve-kv/src/lib.rs"}]
        }]}"#;
        let expected = Package {
            name: "varve-kv".to_owned(),
            description: "d".to_owned(),
            folder: "crates/varve-kv".to_owned(),
            dependencies: vec!["varve-types".to_owned(), "cc".to_owned()],
            root_files: vec!["crates/varve-kv/src/lib.rs".to_owned()],
        };
        assert_eq!(parse(json, "/r"), Ok(vec![expected]));
        assert!(parse("{}", "/r").is_err());
        assert!(parse("not json", "/r").is_err());
    }
}
