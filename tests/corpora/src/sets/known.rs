//! Answers of PostgreSQL to the queries of sets that came without answers. `--answers DIR` with the
//! backend postgres writes them.
//!
//! The answer to a query stands under a line `== path`: a line for each row, sorted, as such
//! queries leave the order open; of a long answer the number of rows and the MD5 of the lines.

use std::collections::BTreeMap;
use std::path::Path;

use crate::engine::Answer;
use crate::slt::{canonical, hash_line};

/// Longer answers are kept as a hash.
const TEXT_BYTES_MAX: usize = 1_500;

pub(super) struct Known<'a> {
    answers: BTreeMap<&'a str, String>,
    /// Where what is answered goes instead of being compared, and its text.
    written: Option<(&'a Path, String)>,
}

impl<'a> Known<'a> {
    /// The answers in a text, or the folder that takes them.
    pub fn new(text: &'a str, folder: Option<&'a Path>) -> Known<'a> {
        let parts = text.split("\n== ").skip(1);
        let answer = |part: &'a str| {
            let (path, lines) = part.split_once('\n').unwrap_or((part, ""));
            (path, lines.trim_end_matches('\n').to_owned())
        };
        Known {
            answers: parts.map(answer).collect(),
            written: folder.map(|folder| (folder, String::new())),
        }
    }

    /// What is wrong with the answer to a query: its class, and what was expected.
    pub fn wrong(&mut self, path: &str, answer: &Answer) -> Option<(String, String)> {
        let got = lines(answer);
        if let Some((_, written)) = &mut self.written {
            written.push_str(&format!("\n== {path}\n{got}"));
            return None;
        }
        match self.answers.get(path) {
            Some(wanted) if *wanted == got.trim_end_matches('\n') => None,
            Some(wanted) => Some(("wrong values".to_owned(), wanted.clone())),
            None => Some(("no known answer".to_owned(), String::new())),
        }
    }

    /// Writes the file of the answers of a family, where they are wanted.
    pub fn save(self, family: &str) -> Result<(), String> {
        let Some((folder, text)) = self.written else {
            return Ok(());
        };
        let path = folder.join(format!("{family}.txt"));
        let head = format!(
            "# What PostgreSQL answers, written by\n\
             # VARVE_POSTGRES=HOST:PORT cargo xtask corpora --backend postgres --family {family} \
             --answers tests/corpora/answers\n"
        );
        std::fs::write(&path, head + &text)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }
}

/// An answer as it is kept.
fn lines(answer: &Answer) -> String {
    let rows = || answer.table.iter().flat_map(|table| &table.rows);
    let text = |cell: fn(&str) -> String| -> Vec<String> {
        let line = |row: &Vec<Option<String>>| {
            let cells = row.iter().map(|text| match text {
                Some(text) => cell(text),
                None => "\\N".to_owned(),
            });
            cells.collect::<Vec<_>>().join("|")
        };
        let mut lines: Vec<String> = rows().map(line).collect();
        lines.sort_unstable();
        lines
    };
    let all = text(canonical);
    if all.iter().map(String::len).sum::<usize>() > TEXT_BYTES_MAX {
        return hash_line(&text(rounded)) + "\n";
    }
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// Fractions with seven digits: the last digits of a sum of doubles depend on its order, and one
/// wrong digit changes a hash.
fn rounded(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.contains(['.', 'e']) => format!("{number:.6e}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Known;
    use crate::engine::{Answer, Table};

    fn answer(rows: &[&[Option<&str>]]) -> Answer {
        let row = |row: &&[Option<&str>]| row.iter().map(|cell| cell.map(str::to_owned)).collect();
        Answer {
            table: Some(Table {
                columns: Vec::new(),
                rows: rows.iter().map(row).collect(),
            }),
            ..Answer::default()
        }
    }

    #[test]
    fn an_answer_is_known_by_its_rows_in_any_order() {
        let mut known = Known::new("# head\n\n== a\n1|x\n2.5000000000e0|\\N\n\n== b\n", None);
        let one = answer(&[&[Some("2.50"), None], &[Some("1"), Some("x")]]);
        assert_eq!(known.wrong("a", &one), None);
        assert_eq!(known.wrong("b", &answer(&[])), None);
        assert!(known.wrong("b", &one).is_some());
        assert!(
            known
                .wrong("a", &answer(&[&[Some("1"), Some("x")]]))
                .is_some()
        );
        assert!(known.wrong("c", &one).is_some());
    }

    #[test]
    fn long_answers_are_known_by_a_hash_that_noise_does_not_change() {
        let mut known = Known::new("", Some(Path::new("")));
        let number = |last: &str| format!("0.123456789012345{last}");
        let long = |last| -> Answer {
            let cell = number(last);
            answer(&vec![&[Some(cell.as_str())][..]; 500])
        };
        assert_eq!(known.wrong("a", &long("1")), None);
        let (_, text) = known.written.clone().unwrap();
        assert!(text.contains("500 values hashing to"));
        let mut known = Known::new(&text, None);
        assert_eq!(known.wrong("a", &long("2")), None);
        let other = answer(&vec![&[Some("0.1234")][..]; 500]);
        assert!(known.wrong("a", &other).is_some());
    }
}
