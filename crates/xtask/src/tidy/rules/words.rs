use crate::tidy::exceptions::{self, Excess};
use crate::tidy::repository::Repository;
use crate::tidy::rust_source::RustSource;

/// How often each private word of the list at `list_path` is still used. A line of the list has the
/// word, the standard word, the paths in which it means that, and how often it may be there.
pub(crate) fn check(repository: &Repository, list_path: &str, list: &str) -> Vec<Excess> {
    let texts: Vec<Text<'_>> = repository
        .files
        .iter()
        .filter(|file| !file.path.starts_with("crates/xtask/"))
        .filter_map(|file| Some(Text::new(&file.path, file.text.as_deref()?)))
        .collect();
    let words = exceptions::parse(list).into_iter();
    words
        .map(|exception| {
            let standard = exception.fields.first().copied().unwrap_or_default();
            let places = exception.fields.get(1).copied().unwrap_or_default();
            let meant = texts.iter().filter(|text| text.is_in(places));
            let count = meant.map(|text| text.count(exception.key)).sum();
            Excess {
                path: list_path.to_owned(),
                line: exception.line_index + 1,
                key: exception.key.to_owned(),
                size: count,
                message: format!(
                    "`{}` is used {count} times in {places}: write `{standard}`",
                    exception.key
                ),
            }
        })
        .collect()
}

struct Text<'a> {
    path: &'a str,
    text: &'a str,
    small: String,
}

impl<'a> Text<'a> {
    fn new(path: &'a str, text: &'a str) -> Text<'a> {
        Text {
            path,
            text,
            small: text.to_ascii_lowercase(),
        }
    }

    /// Whether the file is one of `places`, or in one of them.
    fn is_in(&self, places: &str) -> bool {
        places.split(' ').any(|place| {
            let rest = self.path.strip_prefix(place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// A word in small letters counts in any part of any name and in prose, with its plural. One
    /// that begins with a capital is a type, or a part of its name, and counts in code only.
    fn count(&self, word: &str) -> usize {
        if !word.starts_with(char::is_uppercase) {
            let places = self.small.match_indices(word);
            return places
                .filter(|(at, _)| is_word(self.text, *at, word.len(), true))
                .count();
        }
        if !self.path.ends_with(".rs") || !self.text.contains(word) {
            return 0;
        }
        let source = RustSource::parse(self.path, self.text);
        let count = |line: &String| {
            let places = line.match_indices(word);
            places
                .filter(|(at, _)| is_word(line, *at, word.len(), false))
                .count()
        };
        source.code.iter().map(count).sum()
    }
}

/// Whether a word, or its plural if it may have one, is what the text has from `at` on.
fn is_word(text: &str, at: usize, length: usize, has_plural: bool) -> bool {
    let end = at + length;
    let plural = text
        .get(end..end + 1)
        .is_some_and(|next| "sS".contains(next));
    let is_end = is_border(text, end) || has_plural && plural && is_border(text, end + 1);
    is_border(text, at) && is_end
}

/// Whether no word goes on at `at`: letters end there, or a capital begins the next part of a name.
fn is_border(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at..).and_then(|text| text.chars().next());
    let (Some(before), Some(after)) = (before, after) else {
        return true;
    };
    let is_inside = before.is_alphabetic() && after.is_alphabetic();
    !is_inside || before.is_lowercase() && after.is_uppercase()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::tidy::repository::TrackedFile;

    fn count_in(word: &str, path: &str, text: &str) -> usize {
        Text::new(path, text).count(word)
    }

    #[test]
    fn words_are_counted_in_names_and_prose() {
        let text = "/// Claims the row.\nfn claim_of(a: RowClaim) { claimed(reclaim); }\n";
        assert_eq!(count_in("claim", "a.rs", text), 3);
        assert_eq!(count_in("claim", "a.md", "A claim; claims, claimed."), 2);
        assert_eq!(
            count_in("mark", "a.rs", "MARKS_MAX, MARKER, setMark, marked, mark2"),
            3
        );
    }

    #[test]
    fn a_type_is_counted_in_code_only() {
        let text = "// Own rows.\nstruct OwnRows(Own, Owner); fn own() { \"Own\"; }\n";
        assert_eq!(count_in("Own", "a.rs", text), 2);
        assert_eq!(count_in("Own", "a.md", "Own"), 0);
        assert_eq!(
            count_in("LentSettings", "a.rs", "fn f(a: LentSettings) {}"),
            1
        );
    }

    #[test]
    fn a_word_counts_where_it_is_meant() {
        let file = |path: &str| TrackedFile {
            path: path.to_owned(),
            bytes: 0,
            text: Some("// a turn\n".to_owned()),
        };
        let paths = [
            "crates/a/src/x.rs",
            "crates/ab/src/x.rs",
            "docs/a.md",
            "crates/xtask/a.rs",
        ];
        let repository = Repository {
            root: PathBuf::new(),
            files: paths.into_iter().map(file).collect(),
            packages: Vec::new(),
        };
        let list = "turn | commit lock | crates/a docs crates/xtask | 1\n";
        let found = check(&repository, "list.txt", list);
        let [turn] = found.try_into().ok().unwrap();
        assert_eq!((turn.key.as_str(), turn.size, turn.line), ("turn", 2, 1));
    }
}
