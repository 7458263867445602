use std::collections::BTreeMap;

use crate::tidy::exceptions::Excess;

const FILES_MAX: usize = 25;

/// Folders in which nobody finds a file by looking; files of folders in them do not count.
pub(crate) fn check(paths: &[&str]) -> Vec<Excess> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *counts.entry(folder).or_default() += 1;
    }
    let full = counts.into_iter().filter(|(_, count)| *count > FILES_MAX);
    full.map(|(folder, count)| Excess {
        path: folder.to_owned(),
        line: 0,
        key: folder.to_owned(),
        size: count,
        message: format!("{count} files, {FILES_MAX} is the limit: make folders by concept"),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_folders_are_found() {
        let paths = |count: usize| -> Vec<String> {
            let files = (0..count).map(|number| format!("a/b/{number}.rs"));
            files.chain(["a/c.rs".to_owned(), "d".to_owned()]).collect()
        };
        let found = |count| {
            let paths = paths(count);
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let found = check(&paths).into_iter();
            found
                .map(|excess| (excess.key, excess.size))
                .collect::<Vec<_>>()
        };
        assert!(found(25).is_empty());
        assert_eq!(found(26), [("a/b".to_owned(), 26)]);
    }
}
