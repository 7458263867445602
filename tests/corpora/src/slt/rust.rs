//! The dialect of sqllogictest-rs, in which RisingWave, RisingLight and DataFusion write: files
//! include others, errors are patterns, conditions name labels.

use super::Texts;
use super::lines::Lines;
use super::sqlite::sort;
use crate::glob::matches;
use crate::record::{ErrorWanted, Expect, Place, Record, RowsWanted, Step};

/// Most files within files.
const INCLUDES_DEEP_MAX: u32 = 16;

/// Names of this engine in conditions.
const ENGINES: [&str; 2] = ["postgres", "postgresql"];

pub(super) fn parse(mut lines: Lines, texts: &Texts, depth: u32) -> Vec<Step> {
    let mut reader = Reader {
        texts,
        depth,
        connection: String::new(),
        ours: true,
        steps: Vec::new(),
    };
    while let Some(line) = lines.take() {
        if !reader.line(&mut lines, &line) {
            break;
        }
    }
    reader.steps
}

struct Reader<'a> {
    texts: &'a Texts,
    depth: u32,
    connection: String,
    ours: bool,
    steps: Vec<Step>,
}

impl Reader<'_> {
    /// Takes what begins with a line; whether the file goes on.
    fn line(&mut self, lines: &mut Lines, line: &str) -> bool {
        let place = lines.place();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            ["skipif", engine, ..] => self.ours &= !ENGINES.contains(engine),
            ["onlyif", engine, ..] => self.ours &= ENGINES.contains(engine),
            ["halt"] => return false,
            ["include", pattern] => self.include(lines.file(), pattern),
            ["connection", name] => self.connection = (*name).to_owned(),
            ["subtest" | "sleep" | "hash-threshold" | "control", ..] => {}
            ["system", ..] => {
                lines.block();
                self.take_ours();
                self.steps.push(Step::Needs("system".to_owned()));
            }
            ["statement" | "query", ..] => {
                let step = self.record(lines, place, line.trim_start());
                if self.take_ours() {
                    self.steps.push(step);
                }
            }
            // RisingWave's own tool for another user; without one the rest says little.
            ["user", ..] => {}
            _ => self.steps.push(Step::Broken(place, line.to_owned())),
        }
        true
    }

    fn take_ours(&mut self) -> bool {
        std::mem::replace(&mut self.ours, true)
    }

    fn include(&mut self, from: &str, pattern: &str) {
        let pattern = join(from, pattern);
        let found = self.texts.range::<str, _>(..);
        let found = found.filter(|(path, _)| matches(&pattern, path) && path.as_str() != from);
        for (path, text) in found {
            if self.depth < INCLUDES_DEEP_MAX {
                let lines = Lines::new(path, text);
                self.steps.extend(parse(lines, self.texts, self.depth + 1));
            }
        }
    }

    fn record(&mut self, lines: &mut Lines, place: Place, head: &str) -> Step {
        let (kind, rest) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        let rest = rest.trim();
        let (first, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (sql, has_result) = lines.statement();
        let expect = match (kind, first) {
            (_, "error") => {
                let wanted = if !more.trim().is_empty() {
                    pattern(more.trim())
                } else if has_result {
                    ErrorWanted::Contains(lines.block_to_two_blanks().join("\n").trim().to_owned())
                } else {
                    ErrorWanted::Any
                };
                Expect::Error(wanted)
            }
            ("statement", "count") => match more.trim().parse() {
                Ok(count) => Expect::Affected(count),
                Err(_) => return Step::Broken(place, head.to_owned()),
            },
            ("statement", _) => Expect::Ok,
            (_, types) => {
                let words: Vec<&str> = more.split_whitespace().collect();
                Expect::Rows(RowsWanted {
                    types: types.to_owned(),
                    sort: sort(words.first().copied()),
                    label: None,
                    names: None,
                    lines: if has_result {
                        lines.block()
                    } else {
                        Vec::new()
                    },
                })
            }
        };
        Step::Run(Box::new(Record {
            place,
            sql,
            connection: self.connection.clone(),
            expect,
        }))
    }
}

fn pattern(text: &str) -> ErrorWanted {
    let state = text
        .strip_prefix("pgcode ")
        .or_else(|| text.strip_prefix('(')?.strip_suffix(')'));
    match state {
        Some(state) if state.len() == 5 => ErrorWanted::State(state.to_owned()),
        _ => ErrorWanted::Matches(text.to_owned()),
    }
}

/// A path relative to the folder of a file, without `.` and `..`.
fn join(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::lines::Lines;
    use super::{Texts, join, parse};
    use crate::record::{ErrorWanted, Expect, Step};

    #[test]
    fn paths_are_relative_to_the_file() {
        assert_eq!(join("a/b/c.slt", "../x/*.part"), "a/x/*.part");
        assert_eq!(join("c.slt", "./x"), "x");
    }

    #[test]
    fn files_include_others_and_errors_are_patterns() {
        let mut texts = Texts::new();
        texts.insert(
            "a/p.slt.part".to_owned(),
            Arc::from("query I\nSELECT 1\n----\n1\n"),
        );
        let text = "include ./*.slt.part\n\nstatement error pgcode 42601\nX\n\nstatement error\nY\n\
            ----\nfirst line\n\nsecond\n\n\nstatement count 3\nZ\n\nconnection other\nonlyif madsim\n\
            query T\nW\n----\n\nquery error no such (thing|other)\nV\n";
        let steps = parse(Lines::new("a/b.slt", text), &texts, 0);
        let expects: Vec<&Expect> = steps
            .iter()
            .map(|step| match step {
                Step::Run(record) => &record.expect,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(expects.len(), 5);
        assert!(matches!(expects[0], Expect::Rows(rows) if rows.lines == ["1"]));
        let wanted = |expect: &Expect| match expect {
            Expect::Error(wanted) => wanted.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(wanted(expects[1]), ErrorWanted::State("42601".to_owned()));
        let text = "first line\n\nsecond".to_owned();
        assert_eq!(wanted(expects[2]), ErrorWanted::Contains(text));
        assert!(matches!(expects[3], Expect::Affected(3)));
        let Step::Run(last) = &steps[4] else { panic!() };
        assert_eq!(last.connection, "other");
    }
}
