use crate::tidy::finding::Finding;

const RULE: &str = "machine-path";

/// Folders of one machine. Written in two halves, so that this file does not break its own rule.
const FOLDERS: [&str; 4] = [
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
];

/// A path that exists on one machine only is of no use in the repository.
pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(folder) = FOLDERS.iter().find(|folder| begins_path(line, folder)) {
            let message = format!("`{folder}` is a folder of one machine: make it relative");
            findings.push(Finding::at(RULE, path, index, message));
        }
    }
    findings
}

/// Whether `folder` begins an absolute path in `line`, and is not the middle of another one.
fn begins_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || ".-_}*".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in FOLDERS {
            assert_eq!(check("a.md", &format!("see {folder}notes")).len(), 1);
            assert_eq!(check("a.md", &format!("\"file://{folder}notes\"")).len(), 1);
            assert_eq!(check("a.md", &format!("docs{folder}notes")).len(), 0);
        }
    }
}
