//! DuckDB's tests: loops, requirements, `mode skip`, connections by name. A record in a loop runs
//! in each round and counts once.

use super::lines::Lines;
use super::loops::{rounds, substitute};
use super::sqlite::sort;
use crate::record::{ErrorWanted, Expect, Place, Record, RowsWanted, Step};

type Variables = Vec<(String, String)>;

pub(super) fn parse(mut lines: Lines) -> Vec<Step> {
    let mut reader = Reader {
        skipping: false,
        ours: true,
        steps: Vec::new(),
    };
    reader.body(&mut lines, &mut Variables::new(), true);
    reader.steps
}

struct Reader {
    /// Between `mode skip` and `mode unskip`.
    skipping: bool,
    ours: bool,
    steps: Vec<Step>,
}

impl Reader {
    /// Takes lines up to the end of a loop or of the file. Without `active` they are passed by.
    fn body(&mut self, lines: &mut Lines, variables: &mut Variables, active: bool) {
        while let Some(line) = lines.take() {
            let place = lines.place();
            let line = substitute(line.trim(), variables);
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                ["endloop"] => return,
                [
                    "loop" | "foreach" | "concurrentloop" | "concurrentforeach",
                    ..,
                ] => {
                    self.rounds(lines, variables, &words, active);
                }
                ["mode", "skip", ..] => self.skipping = true,
                ["mode", "unskip"] => self.skipping = false,
                ["skipif", condition, ..] => self.ours &= !holds(condition, variables),
                ["onlyif", condition, ..] => self.ours &= holds(condition, variables),
                ["statement" | "query", ..] => {
                    let step = record(lines, place, &words, variables);
                    let ours = std::mem::replace(&mut self.ours, true);
                    match step {
                        _ if !ours || !active => {}
                        Step::Run(record) if self.skipping => {
                            let left_out = Step::LeftOut(record.place, "mode skip");
                            self.steps.push(left_out);
                        }
                        step => self.steps.push(step),
                    }
                }
                [
                    "require" | "require-env" | "restart" | "load" | "include" | "unzip",
                    ..,
                ]
                | ["test-env" | "template" | "test_env", ..] => {
                    self.steps.push(Step::Needs(words.join(" ")));
                }
                [
                    "mode" | "sleep" | "halt" | "hash-threshold" | "set" | "reset",
                    ..,
                ]
                | ["reconnect" | "tags" | "continue", ..] => {}
                _ if active => self.steps.push(Step::Broken(place, line.clone())),
                _ => {}
            }
        }
    }

    fn rounds(
        &mut self,
        lines: &mut Lines,
        variables: &mut Variables,
        words: &[&str],
        active: bool,
    ) {
        let begin = lines.at();
        let (name, values) = rounds(words).unwrap_or_default();
        if values.is_empty() || !active {
            self.body(lines, variables, false);
            return;
        }
        for value in values {
            lines.go_to(begin);
            variables.push((name.clone(), value));
            self.body(lines, variables, true);
            variables.pop();
        }
    }
}

/// Conditions on loop variables; an engine's name is never ours.
fn holds(condition: &str, variables: &Variables) -> bool {
    let (name, value, equal) = if let Some((name, value)) = condition.split_once("<>") {
        (name, value, false)
    } else if let Some((name, value)) = condition.split_once('=') {
        (name, value, true)
    } else {
        return false;
    };
    let found = variables.iter().rev().find(|(known, _)| known == name);
    found.is_some_and(|(_, known)| (known == value) == equal)
}

fn record(lines: &mut Lines, place: Place, words: &[&str], variables: &Variables) -> Step {
    let (sql, has_result) = lines.statement();
    let sql = substitute(&sql, variables);
    let mut result = if has_result {
        lines.block()
    } else {
        Vec::new()
    };
    for line in &mut result {
        *line = substitute(line, variables);
    }
    let (expect, connection) = match words {
        ["statement", "ok", rest @ ..] => (Expect::Ok, rest.first()),
        ["statement", "maybe", rest @ ..] => (Expect::Any, rest.first()),
        ["statement", "error", rest @ ..] => (Expect::Error(wanted(&result)), rest.first()),
        ["query", types, rest @ ..] => {
            let sorted = rest
                .first()
                .is_some_and(|word| ["nosort", "rowsort", "valuesort", "sort"].contains(word));
            let rows = RowsWanted {
                types: (*types).to_owned(),
                sort: sort(rest.first().copied().filter(|_| sorted)),
                label: rest.get(1).map(|label| (*label).to_owned()),
                names: None,
                lines: result,
            };
            (Expect::Rows(rows), rest.first().filter(|_| !sorted))
        }
        _ => return Step::Broken(place, words.join(" ")),
    };
    Step::Run(Box::new(Record {
        place,
        sql,
        connection: connection.copied().unwrap_or_default().to_owned(),
        expect,
    }))
}

fn wanted(lines: &[String]) -> ErrorWanted {
    let text = lines.join("\n");
    match text.trim() {
        "" => ErrorWanted::Any,
        text => match text.strip_prefix("<REGEX>:") {
            Some(pattern) => ErrorWanted::Matches(pattern.to_owned()),
            None => ErrorWanted::Contains(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::parse;
    use crate::record::{ErrorWanted, Expect, Step};

    #[test]
    fn loops_modes_and_errors() {
        let text = "require json\n\nforeach a x y\n\nloop i 0 2\n\nonlyif i=1\nstatement ok con1\n\
            {a} ${i}\n\nendloop\n\nendloop\n\nmode skip\n\nstatement ok\nA\n\nmode unskip\n\n\
            statement error\nB\n----\n<REGEX>:b.*c\n\nquery II sort lab\nC\n----\n1\t2\n";
        let steps = parse(Lines::new("f", text));
        assert!(matches!(&steps[0], Step::Needs(what) if what == "require json"));
        let texts: Vec<&str> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Run(record) => Some(record.sql.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts, ["x 1", "y 1", "B", "C"]);
        assert!(matches!(steps[3], Step::LeftOut(..)));
        let Step::Run(error) = &steps[4] else {
            panic!()
        };
        let pattern = ErrorWanted::Matches("b.*c".to_owned());
        assert!(matches!(&error.expect, Expect::Error(wanted) if *wanted == pattern));
        let Step::Run(query) = &steps[5] else {
            panic!()
        };
        let Expect::Rows(rows) = &query.expect else {
            panic!()
        };
        assert_eq!(rows.label.as_deref(), Some("lab"));
    }
}
