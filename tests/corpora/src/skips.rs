//! `skips.toml`: what is not run, and why. Each `[[skip]]` has a family, a reason, and any of file
//! (a pattern), line, sql (a regular expression) and needs (the first words of a requirement).

use regex::Regex;

use crate::glob::matches;
use crate::record::Place;

#[derive(Debug, Default)]
pub struct Skips(Vec<Skip>);

#[derive(Debug, Default)]
struct Skip {
    family: String,
    file: Option<String>,
    line: Option<u32>,
    sql: Option<Regex>,
    needs: Option<String>,
    reason: String,
}

/// The list of the repository.
pub const REPOSITORY: &str = include_str!("../skips.toml");

impl Skips {
    /// Reads the few forms of TOML that the list is written in.
    pub fn parse(text: &str) -> Result<Skips, String> {
        let mut skips: Vec<Skip> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            let number = at + 1;
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line == "[[skip]]" {
                skips.push(Skip::default());
                continue;
            }
            let broken = || format!("skips.toml:{number}: {line}");
            let (key, value) = line.split_once('=').ok_or_else(broken)?;
            let skip = skips.last_mut().ok_or_else(broken)?;
            let value = value.trim();
            let text = unquoted(value);
            match key.trim() {
                "line" => skip.line = Some(value.parse().map_err(|_| broken())?),
                "family" => skip.family = text.ok_or_else(broken)?,
                "file" => skip.file = Some(text.ok_or_else(broken)?),
                "needs" => skip.needs = Some(text.ok_or_else(broken)?),
                "reason" => skip.reason = text.ok_or_else(broken)?,
                "sql" => {
                    let regex = Regex::new(&text.ok_or_else(broken)?);
                    skip.sql = Some(regex.map_err(|error| format!("{}: {error}", broken()))?);
                }
                _ => return Err(broken()),
            }
        }
        match skips
            .iter()
            .find(|skip| skip.reason.is_empty() || skip.family.is_empty())
        {
            Some(skip) => Err(format!("skips.toml: no reason or family: {skip:?}")),
            None => Ok(Skips(skips)),
        }
    }

    /// Why a record is skipped.
    pub fn of_record(&self, family: &str, place: &Place, sql: &str) -> Option<String> {
        let found = self.0.iter().find(|skip| {
            skip.needs.is_none()
                && skip.is_of(family, &place.file)
                && skip.line.is_none_or(|line| line == place.line)
                && skip.sql.as_ref().is_none_or(|regex| regex.is_match(sql))
        });
        found.map(|skip| skip.reason.clone())
    }

    /// The reasons for what is skipped of a family.
    pub fn reasons(&self, family: &str) -> impl Iterator<Item = &str> {
        let ours = self.0.iter().filter(move |skip| skip.family == family);
        ours.map(|skip| skip.reason.as_str())
    }

    /// Why the rest of a file is skipped that needs something.
    pub fn of_need(&self, family: &str, file: &str, need: &str) -> Option<String> {
        let found = self.0.iter().find(|skip| {
            skip.is_of(family, file)
                && skip
                    .needs
                    .as_ref()
                    .is_some_and(|words| need.starts_with(words.as_str()))
        });
        found.map(|skip| skip.reason.clone())
    }
}

impl Skip {
    fn is_of(&self, family: &str, file: &str) -> bool {
        self.family == family
            && self
                .file
                .as_ref()
                .is_none_or(|pattern| matches(pattern, file))
    }
}

/// A literal string in single quotes, or one in double quotes without escapes.
fn unquoted(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| *c == '\'' || *c == '"')?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    let plain = quote == '\'' || !inner.contains('\\');
    (plain && !inner.contains(quote)).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{REPOSITORY, Skips};
    use crate::record::Place;

    fn reason(skips: &Skips, family: &str, file: &str, line: u32, sql: &str) -> Option<String> {
        let file = Arc::from(file);
        skips.of_record(family, &Place { file, line }, sql)
    }

    #[test]
    fn the_list_of_the_repository_is_read() {
        Skips::parse(REPOSITORY).unwrap();
    }

    #[test]
    fn skips_are_found_by_what_they_name() {
        let text = "# c\n[[skip]]\nfamily = \"f\"\nfile = 'a/*'\nsql = '^x\\d'\nreason = \"one\"\n\
            [[skip]]\nfamily = \"f\"\nline = 3\nreason = \"two\"\n\
            [[skip]]\nfamily = \"f\"\nneeds = \"require json\"\nreason = \"three\"\n";
        let skips = Skips::parse(text).unwrap();
        assert_eq!(reason(&skips, "f", "a/b", 1, "x1").as_deref(), Some("one"));
        assert_eq!(reason(&skips, "f", "b/b", 1, "x1"), None);
        assert_eq!(reason(&skips, "f", "b/b", 3, "").as_deref(), Some("two"));
        assert_eq!(reason(&skips, "g", "b/b", 3, ""), None);
        let need = skips.of_need("f", "x", "require json");
        assert_eq!(need.as_deref(), Some("three"));
        assert!(Skips::parse("[[skip]]\nfamily = \"f\"\n").is_err());
        assert!(Skips::parse("reason = \"f\"\n").is_err());
        assert!(Skips::parse("[[skip]]\nsql = \"a\\d\"\n").is_err());
    }
}
