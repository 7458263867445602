//! CockroachDB's logic tests: queries end at a blank line, options are joined by commas, and errors
//! are patterns that may name a SQLSTATE.

use super::lines::Lines;
use crate::record::{ErrorWanted, Expect, Place, Record, RowsWanted, Sort, Step};

pub(super) fn parse(mut lines: Lines) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut connection = String::new();
    while let Some(line) = lines.take() {
        let place = lines.place();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            ["statement" | "query", ..] => {
                steps.push(record(&mut lines, place, line.trim(), &connection));
            }
            ["user", name] => connection = (*name).to_owned(),
            ["halt" | "skip", ..] => break,
            [
                "subtest" | "sleep" | "kv-batch-size" | "fix-txn-priorities",
                ..,
            ] => {}
            ["repeat" | "traceon" | "traceoff" | "set" | "let", ..] => {}
            ["skipif", "postgresql"] | ["onlyif", ..] => {
                lines.take();
                lines.statement();
            }
            ["skipif", ..] => {}
            _ => steps.push(Step::Broken(place, (*line).to_owned())),
        }
    }
    steps
}

fn record(lines: &mut Lines, place: Place, head: &str, connection: &str) -> Step {
    let mut words = head.splitn(3, char::is_whitespace).map(str::trim);
    let (kind, first) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let rest = words.next().unwrap_or_default();
    let (first, rest) = match first {
        "" => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        first => (first, rest),
    };
    let (sql, has_result) = lines.statement();
    let expect = match (kind, first) {
        (_, "error") => Expect::Error(wanted(rest.trim())),
        ("statement", "count") => match rest.trim().parse() {
            Ok(count) => Expect::Affected(count),
            Err(_) => return Step::Broken(place, head.to_owned()),
        },
        ("statement", _) => Expect::Ok,
        (_, types) => {
            let mut result = if has_result {
                lines.block()
            } else {
                Vec::new()
            };
            let options: Vec<&str> = rest.split([',', ' ']).collect();
            let with_names = options.contains(&"colnames") && !result.is_empty();
            let names = with_names.then(|| {
                let names = result.remove(0);
                names.split_whitespace().map(str::to_owned).collect()
            });
            let sort = match &options {
                options if options.contains(&"valuesort") => Sort::Values,
                options if options.contains(&"rowsort") => Sort::Rows,
                options if options.contains(&"partialsort") => Sort::Rows,
                _ => Sort::No,
            };
            Expect::Rows(RowsWanted {
                types: types.to_owned(),
                sort,
                label: None,
                names,
                lines: result,
            })
        }
    };
    Step::Run(Box::new(Record {
        place,
        sql,
        connection: connection.to_owned(),
        expect,
    }))
}

fn wanted(text: &str) -> ErrorWanted {
    match text.strip_prefix("pgcode ") {
        Some(rest) => {
            let state = rest.split_whitespace().next().unwrap_or_default();
            ErrorWanted::State(state.to_owned())
        }
        None if text.is_empty() => ErrorWanted::Any,
        None => ErrorWanted::Matches(text.trim_start_matches("pq: ").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::parse;
    use crate::record::{ErrorWanted, Expect, Sort, records_of};

    #[test]
    fn names_options_and_states() {
        let text = "# LogicTest: default\nuser testuser\n\nquery TI colnames,rowsort\nSELECT 1\n----\n\
            a  b\nx  1\n\nstatement error pgcode 40001 retry\nX\n\nstatement  ok\nY\n";
        let steps = parse(Lines::new("f", text));
        let records = records_of(&steps);
        let Expect::Rows(rows) = &records[0].expect else {
            panic!()
        };
        assert_eq!(rows.names, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((rows.sort, rows.lines.len()), (Sort::Rows, 1));
        assert_eq!(records[0].connection, "testuser");
        let state = ErrorWanted::State("40001".to_owned());
        assert!(matches!(&records[1].expect, Expect::Error(wanted) if *wanted == state));
        assert!(matches!(records[2].expect, Expect::Ok));
    }
}
