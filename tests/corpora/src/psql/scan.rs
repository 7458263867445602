//! What a script consists of, before it is run: its statements, its commands, and the lines that
//! `psql -a` would echo, by which an expected output is laid beside it.

use varve_psql::{Event, Scanner, Statement, Variables};

/// Commands that take the rest of their line.
const LINE_COMMANDS: [&str; 8] = ["copy", "sf", "sv", "ef", "ev", "!", "h", "help"];

/// A script with the lines that `psql -a` would echo.
#[derive(Debug, Default)]
pub struct Script {
    pub items: Vec<Item>,
    /// Number (from 0) and text of each line that is echoed.
    pub echoes: Vec<(usize, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub kind: ItemKind,
    /// Lines from 0: where it begins, and where it ends and has its output.
    pub first_line: usize,
    pub last_line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Statement {
        statement: Statement,
        send: Send,
        /// What follows a `COPY ... FROM STDIN`.
        data: Option<String>,
    },
    /// A command of psql and the text after it.
    Command { name: String, rest: String },
}

/// How a statement is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Send {
    /// By a semicolon, or at the end of the script.
    Plain,
    /// By `\g`, `\gx`, `\gset`, `\gexec`, `\gdesc`, ... with the text after it.
    Command { name: String, rest: String },
}

/// Cuts a script. `has_data` is asked for each COPY from standard input whether the lines from the
/// first number to before the second one, where `\.` stands, are its data; they are not if the COPY
/// fails before it reads.
pub fn scan(text: &str, mut has_data: impl FnMut(&[&str], usize, usize) -> bool) -> Script {
    let lines: Vec<&str> = text.lines().collect();
    let mut cutter = Cutter {
        scanner: Scanner::raw(),
        first_line: None,
        last: Statement::default(),
        script: Script::default(),
    };
    let mut at = 0;
    while at < lines.len() {
        let in_quote = !matches!(cutter.scanner.prompt(), '=' | '-' | '(');
        if in_quote || !lines[at].is_empty() {
            cutter.script.echoes.push((at, lines[at].to_owned()));
        }
        let items_before = cutter.script.items.len();
        cutter.line(lines[at], at);
        at += 1;
        for item in &mut cutter.script.items[items_before..] {
            let ItemKind::Statement {
                statement, data, ..
            } = &mut item.kind
            else {
                continue;
            };
            let end = (at..lines.len()).find(|line| lines[*line] == "\\.");
            if let (true, Some(end)) = (statement.reads_stdin(), end)
                && has_data(&lines, at, end)
            {
                let mut text = lines[at..end].join("\n");
                if end > at {
                    text.push('\n');
                }
                *data = Some(text);
                at = end + 1;
            }
        }
    }
    if let Some(rest) = cutter.scanner.take_rest() {
        cutter.send(rest, Send::Plain, lines.len().saturating_sub(1));
    }
    cutter.script
}

struct Cutter {
    scanner: Scanner,
    /// Where the statement began that is being read.
    first_line: Option<usize>,
    /// The statement that was sent last.
    last: Statement,
    script: Script,
}

impl Cutter {
    fn line(&mut self, line: &str, number: usize) {
        self.scanner.push_line(line);
        loop {
            match self.scanner.next_event(&Variables::default()) {
                Event::Statement(statement) => self.send(statement, Send::Plain, number),
                Event::Command(name) => self.command(name, number),
                Event::LineEnd => break,
            }
        }
        match self.scanner.buffer().is_empty() {
            true => self.first_line = None,
            false => _ = self.first_line.get_or_insert(number),
        }
    }

    fn command(&mut self, name: String, number: usize) {
        let rest = match LINE_COMMANDS.contains(&name.as_str()) {
            true => self.scanner.rest_of_line(),
            false => self.scanner.arguments_text(),
        };
        self.scanner.end_command();
        let sends = name.starts_with('g') && !name.starts_with("get");
        if sends || name == "watch" || name == "crosstabview" {
            // Without a statement the last one is sent again.
            let statement = self.scanner.take_rest();
            let statement = statement.unwrap_or_else(|| self.last.clone());
            if !statement.sql.is_empty() {
                self.send(statement, Send::Command { name, rest }, number);
            }
        } else if !name.is_empty() {
            if name == "r" || name == "reset" {
                self.scanner.reset();
            }
            self.script.items.push(Item {
                kind: ItemKind::Command { name, rest },
                first_line: number,
                last_line: number,
            });
        }
    }

    fn send(&mut self, statement: Statement, send: Send, number: usize) {
        self.last.clone_from(&statement);
        self.script.items.push(Item {
            kind: ItemKind::Statement {
                statement,
                send,
                data: None,
            },
            first_line: self.first_line.take().unwrap_or(number),
            last_line: number,
        });
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
