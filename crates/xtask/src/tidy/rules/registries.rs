use crate::tidy::finding::Finding;

const RULE: &str = "registry-host";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Lock files and settings name packages and hashes, never where one machine fetched them.
pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let breaks: fn(&str) -> bool = match name {
        "package-lock.json" => |line| line.starts_with("\"resolved\": \"http"),
        "Cargo.lock" => |line| line.starts_with("source = ") && !line.contains(CRATES_IO),
        ".npmrc" => |line| line.contains("registry=") && line.contains("//"),
        "config.toml" => |line| line.starts_with("registry =") || line.starts_with("replace-with"),
        _ => return Vec::new(),
    };
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| breaks(line.trim()));
    let message = "it names where one machine fetches packages: use the public registry";
    lines
        .map(|(index, _)| Finding::at(RULE, path, index, message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_lock_files_and_settings() {
        let cases = [
            (
                "package-lock.json",
                "      \"resolved\": \"https://mirror.example/a.tgz\",",
                1,
            ),
            ("package-lock.json", "      \"resolved\": \"js\",", 0),
            (
                "Cargo.lock",
                "source = \"registry+https://mirror.example/index\"",
                1,
            ),
            (
                "Cargo.lock",
                "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
                0,
            ),
            (".npmrc", "registry=https://mirror.example/", 1),
            (".npmrc", "omit-lockfile-registry-resolved=true", 0),
            (".cargo/config.toml", "replace-with = \"mirror\"", 1),
            ("README.md", "registry=https://mirror.example/", 0),
        ];
        for (path, text, count) in cases {
            assert_eq!(check(path, text).len(), count, "{path}: {text}");
        }
    }
}
