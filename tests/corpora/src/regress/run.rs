//! Runs one script and judges its statements.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use varve_psql::{Format, Scanner};

use super::expected::{Answers, DataFinder, align};
use super::judge::judge;
use super::session::Psql;
use crate::causes::Causes;
use crate::engine::{Answer, Client, Failure, FailureKind, Outcome, failure};
use crate::psql::{Item, ItemKind, Send, scan, write_failure, write_table};
use crate::record::{Place, Verdict};
use crate::run::Judged;
use crate::server_files::ServerFiles;

/// What a script needs beside itself.
pub struct Fixture<'a> {
    /// Its path, for places.
    pub path: &'a str,
    pub script: &'a str,
    /// The expected output and its alternatives.
    pub outputs: Vec<&'a str>,
    pub files: &'a ServerFiles,
    /// What each session began with, which is what RESET goes back to.
    pub setup: &'a [&'a str],
    /// Why a statement is not run, if it is not.
    pub skip: &'a dyn Fn(&Place, &str) -> Option<String>,
}

static TO_STDOUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?is)^copy\b.*\bto\s+(?:stdout|stdin)\b").expect("a pattern"));

static RESET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:reset\s+(\w+)|set\s+(\w+)\s+(?:to|=)\s+default)\b").expect("a pattern")
});

/// A statement that ran, for the judgement at the end of its line.
struct Ran {
    place: Place,
    sql: String,
    outcome: Outcome,
    skipped: Option<String>,
}

/// Runs a script. Without outputs it is only run, to set the stage for another.
pub fn run(client: &mut Client, fixture: &Fixture, causes: &mut Causes) -> Vec<Judged> {
    let mut finder = DataFinder::default();
    let first: Vec<&str> = fixture
        .outputs
        .first()
        .copied()
        .unwrap_or("")
        .lines()
        .collect();
    let script = scan(fixture.script, |lines, begin, end| {
        first.is_empty() || finder.has_data(&first, lines, begin, end)
    });
    let outputs = fixture.outputs.iter().map(|output| align(&script, output));
    let outputs: Vec<Answers> = outputs.collect();
    let mut runner = Runner {
        client,
        fixture,
        psql: Psql::new(),
        causes,
        ran: Vec::new(),
        printed: String::new(),
    };
    let mut verdicts = Vec::new();
    for (at, item) in script.items.iter().enumerate() {
        runner.item(item);
        let next = script.items.get(at + 1);
        let is_last_of_line = next.is_none_or(|next| next.last_line != item.last_line);
        if is_last_of_line {
            runner.judge(item.last_line, &outputs, &mut verdicts);
        }
        if runner.psql.quits {
            break;
        }
    }
    verdicts
}

/// What `psql -a -q` prints of a script.
pub fn transcript(client: &mut Client, fixture: &Fixture) -> String {
    let mut causes = Causes::default();
    let mut runner = Runner {
        client,
        fixture,
        psql: Psql::new(),
        causes: &mut causes,
        ran: Vec::new(),
        printed: String::new(),
    };
    let mut text = String::new();
    let mut lines = fixture.script.lines();
    let mut printed_lines = 0;
    let script = scan(fixture.script, |lines, begin, end| {
        // A COPY that fails leaves its data to be read as SQL; so does one without data.
        let next = |line: &&str| line.to_lowercase().starts_with("copy ");
        !lines[begin..end].iter().any(next)
    });
    for item in &script.items {
        while printed_lines <= item.last_line {
            text.push_str(lines.next().unwrap_or(""));
            text.push('\n');
            printed_lines += 1;
        }
        runner.item(item);
        text.push_str(&std::mem::take(&mut runner.printed));
        if let ItemKind::Statement {
            data: Some(data), ..
        } = &item.kind
        {
            // The data and the line that ends it are not echoed.
            let count = data.lines().count() + 1;
            lines.by_ref().take(count).for_each(drop);
            printed_lines += count;
        }
        if runner.psql.quits {
            return text;
        }
    }
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

struct Runner<'a> {
    client: &'a mut Client,
    fixture: &'a Fixture<'a>,
    psql: Psql,
    causes: &'a mut Causes,
    /// Of the line that is being read.
    ran: Vec<Ran>,
    printed: String,
}

impl Runner<'_> {
    fn judge(&mut self, line: usize, outputs: &[Answers], verdicts: &mut Vec<Judged>) {
        let printed = std::mem::take(&mut self.printed);
        for ran in std::mem::take(&mut self.ran) {
            let verdict = match ran.skipped {
                Some(reason) => Verdict::Skipped(reason),
                None => {
                    let mut best: Option<Verdict> = None;
                    for answers in outputs {
                        let expected = answers.get(&line).and_then(Option::as_deref);
                        let verdict =
                            judge(&ran.sql, expected, &printed, &ran.outcome, self.causes);
                        if best.is_none() || verdict == Verdict::Passed {
                            best = Some(verdict);
                        }
                    }
                    let Some(verdict) = best else {
                        self.note_stage(&ran);
                        continue;
                    };
                    verdict
                }
            };
            verdicts.push((ran.place, ran.sql, verdict));
        }
    }

    /// What failed while the stage was set explains what fails on it.
    fn note_stage(&mut self, ran: &Ran) {
        let failure = failure(&ran.outcome);
        if let Some(class) = self.causes.note(&ran.sql, failure) {
            let verdict = Verdict::failed(class, String::new(), String::new());
            self.causes.explain(&ran.sql, false, verdict);
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Command { name, rest } if name == "copy" => {
                let text = Scanner::expand(&format!("copy {rest}"), &self.psql.variables);
                if self.psql.is_active() && self.fixture.files.is_read_by(&text) {
                    let _ = self.execute(&text, None);
                }
            }
            ItemKind::Command { name, rest } => {
                if let Some(text) = self.psql.command(name, rest) {
                    self.printed.push_str(&text);
                }
            }
            ItemKind::Statement {
                statement,
                send,
                data,
            } if self.psql.is_active() => {
                self.statement(item, &statement.sql, send, data.as_deref());
            }
            ItemKind::Statement { .. } => {}
        }
    }

    fn statement(&mut self, item: &Item, sql: &str, send: &Send, data: Option<&str>) {
        let sql = Scanner::expand(sql, &self.psql.variables);
        let place = Place {
            file: Arc::from(self.fixture.path),
            line: item.first_line as u32 + 1,
        };
        let skipped = (self.fixture.skip)(&place, &sql);
        let (name, rest) = match send {
            Send::Plain => ("", ""),
            Send::Command { name, rest } => (name.as_str(), rest.as_str()),
        };
        let outcome = match (&skipped, name) {
            (Some(_), _) => Ok(Answer::default()),
            (None, "" | "g" | "gx" | "gset" | "gexec") => self.execute(&sql, data),
            (None, other) => Err(Failure::new(
                FailureKind::Error,
                format!("the runner has no \\{other}"),
            )),
        };
        if skipped.is_none() {
            self.print(&sql, name, rest, &outcome);
        }
        if let Some(found) = RESET.captures(&sql) {
            let name = found.get(1).or(found.get(2));
            let name = name.map_or(String::new(), |name| name.as_str().to_lowercase());
            for set in self.fixture.setup {
                if name == "all" || set.contains(&name) {
                    let _ = self.execute(set, None);
                }
            }
        }
        self.ran.push(Ran {
            place,
            sql,
            outcome,
            skipped,
        });
    }

    fn execute(&mut self, sql: &str, data: Option<&str>) -> Outcome {
        // Each script has sessions of its own, as each psql has.
        let connection = format!("{} {}", self.fixture.script.len(), self.psql.connections);
        if let Some(data) = data {
            return self
                .client
                .copy_in(&connection, sql, data.as_bytes().to_vec());
        }
        self.fixture.files.execute(self.client, &connection, sql)
    }

    fn print(&mut self, sql: &str, name: &str, rest: &str, outcome: &Outcome) {
        match outcome {
            Err(failure) => {
                write_failure(failure, sql, self.psql.verbosity, &mut self.printed);
            }
            Ok(answer) => {
                for notice in &answer.notices {
                    let line = format!("{}:  {}\n", notice.severity, notice.message);
                    self.printed.push_str(&line);
                }
                match name {
                    "gset" => self.psql.keep(rest, answer),
                    "gexec" => self.execute_cells(answer),
                    name => self.print_table(sql, answer, name == "gx"),
                }
            }
        }
    }

    fn print_table(&mut self, sql: &str, answer: &Answer, expanded: bool) {
        let Some(table) = &answer.table else { return };
        if TO_STDOUT.is_match(sql) {
            for cell in table.rows.iter().flatten().flatten() {
                self.printed.push_str(cell.trim_end_matches('\n'));
                self.printed.push('\n');
            }
            return;
        }
        let format = Format {
            expanded: expanded || self.psql.format.expanded,
            ..self.psql.format.clone()
        };
        write_table(table, &format, &mut self.printed);
    }

    /// `\gexec`: each value is a statement.
    fn execute_cells(&mut self, answer: &Answer) {
        let Some(table) = &answer.table else { return };
        for sql in table.rows.iter().flatten().flatten() {
            self.printed.push_str(&format!("{sql}\n"));
            let outcome = self.execute(sql, None);
            self.print(sql, "", "", &outcome);
        }
    }
}
