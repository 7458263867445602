//! Reads lines and runs what they hold.

use varve_psql::{Event, Scanner, Statement};

use super::Shell;
use super::conditions::Conditions;
use super::input::{Line, Source};

/// Scripts that read scripts that read scripts.
const DEPTH_MAX: u32 = 64;

/// How a script goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Go,
    /// It ends here.
    Quit,
    /// Something failed, which ends it if it is to stop on errors.
    Failed,
    /// There is no database any more.
    Lost,
}

impl Flow {
    /// Of something that failed or not.
    pub fn of(succeeded: bool) -> Flow {
        if succeeded { Flow::Go } else { Flow::Failed }
    }
}

/// An input that is being read.
pub struct Reading<'a> {
    pub source: &'a mut dyn Source,
    pub scanner: Scanner,
    pub conditions: Conditions,
}

impl Shell {
    /// Runs all lines of a source; `Failed` means that it was ended by an error.
    pub fn run_lines(&mut self, source: &mut dyn Source) -> Flow {
        if self.depth >= DEPTH_MAX {
            self.complain_of("scripts are nested too deeply");
            return Flow::Failed;
        }
        let (at, depth) = (self.at.take(), self.depth);
        self.at = source.name().map(|name| (name.to_owned(), 0));
        self.depth += 1;
        let mut reading = Reading {
            source,
            scanner: Scanner::default(),
            conditions: Conditions::default(),
        };
        let flow = self.read(&mut reading);
        self.depth = depth;
        self.at = at;
        flow
    }

    fn read(&mut self, reading: &mut Reading<'_>) -> Flow {
        loop {
            let flow = match self.next_line(reading) {
                Ok(Some(line)) => self.run_line(&line, reading),
                Ok(None) => return self.end(reading),
                Err(message) => {
                    self.complain_of(&message);
                    return Flow::Failed;
                }
            };
            if self.output.failure().is_some() {
                return Flow::Quit;
            }
            match flow {
                Flow::Failed if !self.stops_on_error() || reading.source.is_interactive() => {}
                Flow::Lost if reading.source.is_interactive() => {}
                Flow::Go => {}
                flow => return flow,
            }
        }
    }

    /// The next line of the script, counted.
    fn next_line(&mut self, reading: &mut Reading<'_>) -> Result<Option<String>, String> {
        let prompt = match reading.source.is_interactive() {
            true => self.prompt(reading),
            false => String::new(),
        };
        loop {
            match reading.source.line(&prompt)? {
                Line::Text(line) => {
                    let is_first = self.at.as_mut().is_some_and(|(_, number)| {
                        *number += 1;
                        *number == 1
                    });
                    let line = String::from_utf8(line).map_err(|_| {
                        "the text is not UTF-8, the one encoding that there is".to_owned()
                    })?;
                    let line = match line.strip_prefix('\u{feff}') {
                        Some(rest) if is_first => rest.to_owned(),
                        _ => line,
                    };
                    return Ok(Some(line));
                }
                Line::Interrupted => reading.scanner.reset(),
                Line::End => return Ok(None),
            }
        }
    }

    fn prompt(&self, reading: &Reading<'_>) -> String {
        let Some(connection) = &self.connection else {
            return "!> ".to_owned();
        };
        let state = match (
            connection.session.in_transaction(),
            reading.scanner.prompt(),
        ) {
            (true, '=') => '*',
            (_, state) => state,
        };
        format!("{}{state}> ", connection.name)
    }

    fn run_line(&mut self, line: &str, reading: &mut Reading<'_>) -> Flow {
        if self.variables.get("ECHO") == Some("all") && !reading.source.is_interactive() {
            self.output.line(line);
        }
        reading.scanner.push_line(line);
        loop {
            let flow = match reading.scanner.next_event(&self.variables) {
                Event::LineEnd => return Flow::Go,
                Event::Statement(statement) if reading.conditions.is_active() => {
                    self.run_statement(statement, reading)
                }
                Event::Statement(_) => Flow::Go,
                Event::Command(name) => {
                    let flow = self.command(&name, reading);
                    reading.scanner.end_command();
                    flow
                }
            };
            if self.output.failure().is_some() {
                return Flow::Quit;
            }
            match flow {
                Flow::Go => {}
                Flow::Failed if !self.stops_on_error() || reading.source.is_interactive() => {}
                flow => return flow,
            }
        }
    }

    fn run_statement(&mut self, statement: Statement, reading: &mut Reading<'_>) -> Flow {
        let done = match statement.reads_stdin() {
            true => self.copy_from_source(&statement, reading.source),
            false => self.send(&statement, self.quiet),
        };
        self.previous = statement;
        Flow::of(done)
    }

    /// The end of the input: what has no semicolon is run too, unless it was typed.
    fn end(&mut self, reading: &mut Reading<'_>) -> Flow {
        let rest = reading.scanner.take_rest();
        if reading.conditions.is_open() {
            self.complain_of("reached EOF without finding closing \\endif(s)");
            return Flow::of(!self.stops_on_error());
        }
        match rest {
            Some(statement) if !reading.source.is_interactive() => {
                match self.run_statement(statement, reading) {
                    Flow::Failed if !self.stops_on_error() => Flow::Go,
                    flow => flow,
                }
            }
            _ => Flow::Go,
        }
    }
}
