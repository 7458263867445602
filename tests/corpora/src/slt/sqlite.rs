//! SQLite's sqllogictest, read as an engine named `postgresql`. Records of other engines are none.

use super::lines::Lines;
use crate::record::{ErrorWanted, Expect, Place, Record, RowsWanted, Sort, Step};

const ENGINE: &str = "postgresql";

pub(super) fn parse(mut lines: Lines) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut ours = true;
    while let Some(line) = lines.take() {
        let place = lines.place();
        let line = line.split('#').next().unwrap_or_default().to_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["skipif", engine] => ours &= *engine != ENGINE,
            ["onlyif", engine] => ours &= *engine == ENGINE,
            ["halt"] if ours => break,
            ["halt"] | ["hash-threshold", _] => ours = true,
            [kind @ ("statement" | "query"), rest @ ..] => {
                let record = record(&mut lines, place, kind, rest);
                if std::mem::replace(&mut ours, true) {
                    steps.push(record);
                }
            }
            _ => steps.push(Step::Broken(place, line)),
        }
    }
    steps
}

fn record(lines: &mut Lines, place: Place, kind: &str, words: &[&str]) -> Step {
    let (sql, has_result) = lines.statement();
    let expect = match (kind, words) {
        ("statement", ["ok"]) => Expect::Ok,
        ("statement", ["error"]) => Expect::Error(ErrorWanted::Any),
        ("query", [types, rest @ ..]) => Expect::Rows(RowsWanted {
            types: (*types).to_owned(),
            sort: sort(rest.first().copied()),
            label: rest.get(1).map(|label| (*label).to_owned()),
            names: None,
            lines: if has_result {
                lines.block()
            } else {
                Vec::new()
            },
        }),
        _ => return Step::Broken(place, format!("{kind} {}", words.join(" "))),
    };
    Step::Run(Box::new(Record {
        place,
        sql,
        connection: String::new(),
        expect,
    }))
}

/// The order of a result by its word.
pub(super) fn sort(word: Option<&str>) -> Sort {
    match word {
        Some("rowsort") => Sort::Rows,
        Some("valuesort") => Sort::Values,
        _ => Sort::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::parse;
    use crate::record::{Expect, Sort, Step};

    #[test]
    fn records_of_other_engines_are_left_out() {
        let text = "hash-threshold 8\n\nskipif postgresql # no\nstatement ok\nA\n\n\
            onlyif mssql\nhalt\n\nonlyif postgresql\nquery IT rowsort label-1\nSELECT 1,\n2\n----\n1\n\
            2\n\nonlyif mysql\nquery I\nB\n----\n1\n\nstatement error\nC\n\nhalt\n\nstatement ok\nD\n";
        let steps = parse(Lines::new("f", text));
        assert_eq!(steps.len(), 2);
        let Step::Run(record) = &steps[0] else {
            panic!("{steps:?}")
        };
        assert_eq!(
            (record.sql.as_str(), record.place.line),
            ("SELECT 1,\n2", 11)
        );
        let Expect::Rows(rows) = &record.expect else {
            panic!("{record:?}")
        };
        assert_eq!(rows.types, "IT");
        assert_eq!(rows.sort, Sort::Rows);
        assert_eq!(rows.label.as_deref(), Some("label-1"));
        assert_eq!(rows.lines, ["1", "2"]);
    }
}
