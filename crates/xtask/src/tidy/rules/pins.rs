use crate::tidy::exceptions::Excess;

/// Dependencies of a manifest that are held to one version. The lock file holds all of them; a
/// manifest does only where bytes or a protocol depend on the version.
pub(crate) fn check(path: &str, text: &str) -> Vec<Excess> {
    if path != "Cargo.toml" && !path.ends_with("/Cargo.toml") {
        return Vec::new();
    }
    let mut table = "";
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            table = line.trim_end().trim_end_matches(']');
        }
        let Some((before, _)) = line.split_once("\"=") else {
            continue;
        };
        let key = before.split(['=', ' ', '.']).next().unwrap_or_default();
        let name = match key {
            "version" => table.rsplit('.').next().unwrap_or_default(),
            name => name,
        };
        found.push(Excess {
            path: path.to_owned(),
            line: index + 1,
            key: name.to_owned(),
            size: 1,
            message: format!(
                "`{name}` is held to one version: leave that to Cargo.lock, or list it with a reason"
            ),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins(text: &str) -> Vec<(String, usize)> {
        let found = check("crates/a/Cargo.toml", text).into_iter();
        found.map(|excess| (excess.key, excess.line)).collect()
    }

    #[test]
    fn exact_versions_are_found() {
        let text = "[dependencies]\nidb = \"=0.6.5\"\nlibm = \"0.2.16\"\n\
                    tar = { version = \"=0.4.46\", default-features = false }\n\
                    [dependencies.cap]\nversion = \"=0.1.2\"\n";
        let expected = [("idb", 2), ("tar", 4), ("cap", 6)];
        assert_eq!(
            pins(text),
            expected.map(|(name, line)| (name.to_owned(), line))
        );
        assert!(check("a.md", text).is_empty());
    }
}
