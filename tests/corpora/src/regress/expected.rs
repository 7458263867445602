//! Which part of an expected output belongs to which statement. The output repeats the lines of the
//! script; what stands between the line that ends a statement and the next line of the script is
//! its answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::psql::Script;

/// The answers by the number of the line that they follow; none where the output has not the lines
/// of the script.
pub type Answers = BTreeMap<usize, Option<Vec<String>>>;

pub fn align(script: &Script, output: &str) -> Answers {
    let output: Vec<&str> = output.lines().map(str::trim_end).collect();
    let events: BTreeSet<usize> = script.items.iter().map(|item| item.last_line).collect();
    let mut answers = Answers::new();
    let mut at = 0;
    let mut last_event: Option<usize> = None;
    let mut run: Vec<&str> = Vec::new();
    for (number, line) in &script.echoes {
        run.push(line.trim_end());
        if !events.contains(number) {
            continue;
        }
        match find(&output, &run, at) {
            Some(begin) => {
                if let Some(event) = last_event {
                    answers.insert(event, Some(own(&output[at..begin])));
                }
                at = begin + run.len();
                last_event = Some(*number);
            }
            None => {
                // Where this one's answer begins is not known, nor where the last one's ends.
                if let Some(event) = last_event.take() {
                    answers.insert(event, None);
                }
                answers.insert(*number, None);
            }
        }
        run.clear();
    }
    if let Some(event) = last_event {
        let end = find(&output, &run, at).unwrap_or(output.len());
        let end = if run.is_empty() { output.len() } else { end };
        answers.insert(event, Some(own(&output[at..end])));
    }
    answers
}

fn own(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn find(output: &[&str], run: &[&str], from: usize) -> Option<usize> {
    if run.is_empty() {
        return Some(from);
    }
    let mut windows = output.get(from..)?.windows(run.len());
    windows.position(|lines| lines == run).map(|at| at + from)
}

/// Whether the lines of a script from `begin` to before `end` are data, which are not repeated:
/// then the line behind them comes in the output before the first of them would.
#[derive(Default)]
pub struct DataFinder {
    at: usize,
}

impl DataFinder {
    pub fn has_data(&mut self, output: &[&str], lines: &[&str], begin: usize, end: usize) -> bool {
        let statement = lines[begin - 1].trim_end();
        if let Some(found) = find(output, &[statement], self.at) {
            self.at = found + 1;
        }
        let first_of = |from: usize| {
            let line = lines[from..].iter().find(|line| !line.is_empty())?;
            find(output, &[line.trim_end()], self.at)
        };
        match (first_of(begin), first_of(end + 1)) {
            (None, _) => true,
            (Some(first), Some(behind)) => behind <= first,
            (Some(_), None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DataFinder, align};
    use crate::psql::scan;

    #[test]
    fn answers_stand_between_the_lines_of_the_script() {
        let text = "-- c\n\nSELECT\n 1;\nSELECT 2; SELECT 3;\n-- end\n";
        let output = "-- c\nSELECT\n 1;\nx\nSELECT 2; SELECT 3;\ny\nz\n-- end\n";
        let answers = align(&scan(text, |_, _, _| false), output);
        let answer = |line: usize| answers[&line].clone().unwrap_or_default().join(",");
        assert_eq!(answer(3), "x");
        assert_eq!(answer(4), "y,z");
        let answers = align(&scan(text, |_, _, _| false), "-- c\nother\n");
        assert_eq!(answers[&3], None);
    }

    #[test]
    fn data_are_lines_that_the_output_has_not() {
        let text = "COPY t FROM stdin;\n1\n\\.\nCOPY t (x) FROM stdin;\nSELECT 1;\nCOPY t FROM stdin;\n\
            2\n\\.\n";
        let output = "COPY t FROM stdin;\nCOPY t (x) FROM stdin;\nERROR:  no\nSELECT 1;\n\
            COPY t FROM stdin;\n";
        let output: Vec<&str> = output.lines().collect();
        let mut finder = DataFinder::default();
        let script = scan(text, |lines, begin, end| {
            finder.has_data(&output, lines, begin, end)
        });
        let data = script.items.iter().filter(|item| {
            matches!(
                &item.kind,
                crate::psql::ItemKind::Statement { data: Some(_), .. }
            )
        });
        assert_eq!((script.items.len(), data.count()), (4, 2));
    }
}
