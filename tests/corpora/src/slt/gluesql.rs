//! GlueSQL's fixtures: SQL, each statement followed by what is expected of it in comments.

use super::lines::Lines;
use crate::record::{ErrorWanted, Expect, Place, Record, RowsWanted, Step};

pub(super) fn parse(mut lines: Lines) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut sql: Vec<String> = Vec::new();
    let mut begin: Option<Place> = None;
    let mut expectation: Option<Expectation> = None;
    loop {
        let line = lines.take();
        let comment = line.as_ref().and_then(|line| line.strip_prefix("--"));
        if let (Some(found), Some(comment)) = (&mut expectation, comment)
            && found.take(comment)
        {
            continue;
        }
        if let Some(found) = expectation.take() {
            let place = begin.take().unwrap_or_else(|| lines.place());
            steps.push(found.step(place, sql.join("\n")));
            sql.clear();
        }
        let Some(line) = line else { break };
        match line.strip_prefix("--").map(str::trim) {
            Some(comment) => expectation = Expectation::begin(comment),
            None if line.trim().is_empty() && sql.is_empty() => {}
            None => {
                begin.get_or_insert_with(|| lines.place());
                sql.push((*line).to_owned());
            }
        }
    }
    steps
}

/// What stands after one `@expect:`.
struct Expectation {
    kind: String,
    table: Vec<String>,
    json: Option<String>,
}

impl Expectation {
    fn begin(comment: &str) -> Option<Expectation> {
        let kind = comment.strip_prefix("@expect:")?;
        Some(Expectation {
            kind: kind.trim().to_owned(),
            table: Vec::new(),
            json: None,
        })
    }

    /// Takes a comment that belongs to it.
    fn take(&mut self, comment: &str) -> bool {
        let comment = comment.trim();
        if let Some(json) = comment.strip_prefix("@json:") {
            self.json = Some(json.trim().to_owned());
            return true;
        }
        if comment.starts_with('@') {
            return false;
        }
        match &mut self.json {
            Some(json) => json.push_str(comment),
            None => self.table.push(comment.to_owned()),
        }
        true
    }

    fn step(self, place: Place, sql: String) -> Step {
        let (kind, what) = self.kind.split_once(' ').unwrap_or((&self.kind, ""));
        let number = self.json.as_deref().and_then(|json| json.parse().ok());
        let expect = match (kind, what) {
            ("ok", _) => Expect::Ok,
            ("error", _) => Expect::Error(ErrorWanted::Any),
            ("count", count) => match count.parse() {
                Ok(count) => Expect::RowCount(count),
                Err(_) => return Step::Broken(place, self.kind),
            },
            ("payload", "Insert" | "Update" | "Delete") if number.is_some() => {
                Expect::Affected(number.unwrap_or(0))
            }
            ("payload", what) if !what.starts_with("Show") => Expect::Ok,
            _ => Expect::Rows(RowsWanted {
                lines: self.table.iter().skip(2).map(|line| row(line)).collect(),
                ..RowsWanted::default()
            }),
        };
        Step::Run(Box::new(Record {
            place,
            sql,
            connection: String::new(),
            expect,
        }))
    }
}

/// The cells of `| 1 | "a" |`, strings without their quotes.
fn row(line: &str) -> String {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    let cells = inner.split('|').map(|cell| {
        let cell = cell.trim();
        let text = cell
            .strip_prefix('"')
            .and_then(|cell| cell.strip_suffix('"'));
        text.map_or(cell.to_owned(), |text| text.replace("\\\"", "\""))
    });
    cells.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::parse;
    use crate::record::{Expect, records_of};

    #[test]
    fn statements_and_what_follows_them() {
        let text = "-- @name: x\nSELECT a\nFROM t\n-- @expect-index: none\n-- @expect:\n\
            -- | a: I64 | b: Str |\n-- | ------ | ------ |\n-- | 1 | \"x y\" |\n\nDELETE FROM t\n\
            -- @expect: payload Delete\n-- @json: 3\n\nX;\n-- @expect: error Some.Thing\n\
            -- @json: {\n--  1 }\n\nY;\n-- @expect: count 2\n";
        let steps = parse(Lines::new("f", text));
        let records = records_of(&steps);
        assert_eq!(records.len(), 4);
        assert_eq!(records[0].sql, "SELECT a\nFROM t");
        assert_eq!(records[0].place.line, 2);
        assert!(matches!(&records[0].expect, Expect::Rows(rows) if rows.lines == ["1 x y"]));
        assert!(matches!(records[1].expect, Expect::Affected(3)));
        assert!(matches!(records[2].expect, Expect::Error(_)));
        assert!(matches!(records[3].expect, Expect::RowCount(2)));
    }
}
