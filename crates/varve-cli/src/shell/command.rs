//! Backslash commands.

use std::io::Write;
use std::path::{Path, PathBuf};

use varve_psql::{ArgumentKind, Cells, Layout, Statement, switch};
use varvedb::ResultSet;

use super::Shell;
use super::input::Script;
use super::run::{Flow, Reading};
use super::settings::on_off;

const HELP: &str = "\
Type SQL, ended by a semicolon, or a command:
  \\c NAME                open another database of this place (CREATE DATABASE makes one)
  \\conninfo              tell which database is open
  \\copy ...              COPY from or to a file, FROM stdin with the lines that follow
  \\d [NAME]              list tables, views and sequences, or describe one
  \\dt \\dv \\ds \\di [NAME]  list tables, views, sequences, indexes
  \\dn \\du \\df \\dT \\dD    list schemas, roles, functions, types, domains
  \\echo TEXT             print a text (\\qecho: where results go, \\warn: on standard error)
  \\encoding              tell the encoding, which is UTF8
  \\g [FILE] \\gx          send the statement, with its result to a file or expanded
  \\gset [PREFIX]         send the statement and keep its row in variables
  \\gexec                 send the statement, then each value of its result as a statement
  \\if \\elif \\else \\endif  run parts of a script
  \\i FILE, \\ir FILE      run a script (\\ir: beside the one that is running)
  \\l                     list the databases
  \\o [FILE]              send results to a file, or to standard output again
  \\p \\r \\w FILE          print, forget, write the statement that is begun
  \\pset NAME [VALUE]     set how results look; \\a \\t \\x \\C \\f for short
  \\q                     leave
  \\s                     list the stored bytes of tables and columns
  \\set [NAME [VALUE]]    set a variable, for :NAME :'NAME' :\"NAME\"; \\unset forgets it
  \\timing [on|off]       tell how long statements take
  \\! COMMAND             run a command of the system;  \\cd FOLDER, \\getenv";

impl Shell {
    /// Runs a command whose arguments follow in the line.
    pub fn command(&mut self, name: &str, reading: &mut Reading<'_>) -> Flow {
        if let Some(outcome) = self.condition(name, reading) {
            return match outcome {
                Ok(()) => Flow::Go,
                Err(message) => self.refuse(message),
            };
        }
        if !reading.conditions.is_active() {
            if matches!(name, "copy" | "!") {
                reading.scanner.rest_of_line();
            }
            return Flow::Go;
        }
        if matches!(name, "restrict" | "unrestrict") || self.restricted_by.is_some() {
            let words = self.words(reading, ArgumentKind::Word);
            return self.restrict(name, words.first().map_or("", String::as_str));
        }
        match name {
            "q" | "quit" => Flow::Quit,
            "g" | "gx" | "gset" | "gexec" => self.send_command(name, reading),
            "copy" => {
                let text = reading.scanner.rest_of_line();
                Flow::of(self.copy_command(&text, reading.source))
            }
            "!" => self.system_command(&reading.scanner.rest_of_line()),
            "c" | "connect" => {
                let words = self.words(reading, ArgumentKind::Identifier);
                match self.change_database(&words) {
                    true => Flow::Go,
                    // A script that is meant for another database must not go on in this one.
                    false => Flow::Lost,
                }
            }
            "i" | "include" | "ir" | "include_relative" => {
                let words = self.words(reading, ArgumentKind::Word);
                match words.first() {
                    Some(path) => self.include(path, name.contains('r')),
                    None => self.refuse(format!("\\{name}: missing required argument")),
                }
            }
            "r" | "reset" | "p" | "print" | "w" | "write" => self.buffer_command(name, reading),
            _ => {
                let kind = match name.starts_with('d') {
                    true => ArgumentKind::Name,
                    false => ArgumentKind::Word,
                };
                let words = self.words(reading, kind);
                match self.plain_command(name, &words) {
                    Ok(flow) => flow,
                    Err(message) => self.refuse(message),
                }
            }
        }
    }

    /// The arguments that follow in the line.
    fn words(&self, reading: &mut Reading<'_>, kind: ArgumentKind) -> Vec<String> {
        reading.scanner.arguments(kind, &self.variables)
    }

    /// `\!`
    fn system_command(&mut self, text: &str) -> Flow {
        self.output.flush();
        let mut shell = std::process::Command::new("sh");
        Flow::of(shell.arg("-c").arg(text).status().is_ok())
    }

    /// Commands about the statement that is begun.
    fn buffer_command(&mut self, name: &str, reading: &mut Reading<'_>) -> Flow {
        if name.starts_with('r') {
            reading.scanner.reset();
            self.say("Query buffer reset (cleared).");
            return Flow::Go;
        }
        let text = self.begun_or_previous(reading).sql;
        if name.starts_with('p') {
            self.output.line(&text);
            return Flow::Go;
        }
        let words = self.words(reading, ArgumentKind::Word);
        let path = words.first().map_or("", String::as_str);
        match std::fs::write(path, text + "\n") {
            Ok(()) => Flow::Go,
            Err(error) => self.refuse(format!("{path}: {error}")),
        }
    }

    fn refuse(&mut self, message: impl AsRef<str>) -> Flow {
        self.complain_of(message.as_ref());
        Flow::Failed
    }

    /// `\restrict KEY`, with which dumps begin: until `\unrestrict KEY` no other command is taken.
    fn restrict(&mut self, name: &str, key: &str) -> Flow {
        match (name, &self.restricted_by) {
            (_, None) if key.is_empty() => {
                self.refuse(format!("\\{name}: missing required argument"))
            }
            ("restrict", None) => {
                self.restricted_by = Some(key.to_owned());
                Flow::Go
            }
            ("unrestrict", Some(known)) if known == key => {
                self.restricted_by = None;
                Flow::Go
            }
            ("unrestrict", Some(_)) => self.refuse("\\unrestrict: wrong key"),
            ("unrestrict", None) => self.refuse("\\unrestrict: not currently in restricted mode"),
            _ => self.refuse("backslash commands are restricted; only \\unrestrict is allowed"),
        }
    }

    /// `\if` and what belongs to it; `None` for other commands.
    fn condition(&mut self, name: &str, reading: &mut Reading<'_>) -> Option<Result<(), String>> {
        let done = match name {
            "if" => {
                let counts = reading.conditions.is_active();
                let value = self.condition_value(reading, counts);
                reading.conditions.begin(value);
                Ok(())
            }
            "elif" => {
                let counts = reading.conditions.awaits_elif();
                let value = self.condition_value(reading, counts);
                reading.conditions.elif(value)
            }
            "else" => reading.conditions.otherwise(),
            "endif" => reading.conditions.end(),
            _ => return None,
        };
        Some(done.map_err(str::to_owned))
    }

    fn condition_value(&mut self, reading: &mut Reading<'_>, counts: bool) -> bool {
        let words = self.words(reading, ArgumentKind::Word);
        let text = words.join(" ");
        if !counts {
            return false;
        }
        switch(&text).unwrap_or_else(|| {
            let kind = "\\if expression";
            self.complain_of(&format!(
                "unrecognized value \"{text}\" for \"{kind}\": Boolean expected"
            ));
            false
        })
    }

    fn begun_or_previous(&self, reading: &Reading<'_>) -> Statement {
        match reading.scanner.is_empty() {
            true => self.previous.clone(),
            false => Statement {
                sql: reading.scanner.buffer().trim_end().to_owned(),
                words: Vec::new(),
            },
        }
    }

    /// Commands that send the statement that is begun, or the last one again.
    fn send_command(&mut self, name: &str, reading: &mut Reading<'_>) -> Flow {
        let words = self.words(reading, ArgumentKind::Word);
        let word = words.first().map(String::as_str);
        let rest = reading.scanner.take_rest();
        let statement = rest.unwrap_or_else(|| self.previous.clone());
        if word.is_some_and(|word| word.starts_with('(')) {
            return self.refuse(format!("\\{name}: options are not supported"));
        }
        if statement.sql.is_empty() {
            return Flow::Go;
        }
        self.previous = statement.clone();
        if statement.reads_stdin() {
            return Flow::of(self.copy_from_source(&statement, reading.source));
        }
        let done = match name {
            "gset" => self.execute(&statement).is_some_and(|results| {
                results
                    .last()
                    .is_some_and(|result| self.keep_row(word.unwrap_or(""), result))
            }),
            "gexec" => match self.execute(&statement) {
                Some(results) => {
                    let values = results
                        .iter()
                        .flat_map(ResultSet::text_rows)
                        .flatten()
                        .flatten();
                    let values: Vec<String> = values.collect();
                    let mut done = true;
                    for sql in &values {
                        done &= self.send_text(sql, self.quiet);
                    }
                    done
                }
                None => false,
            },
            _ => {
                let expanded = self.format.expanded;
                self.format.expanded |= name == "gx";
                let done = self.send_to(&statement, word);
                self.format.expanded = expanded;
                done
            }
        };
        Flow::of(done)
    }

    fn send_to(&mut self, statement: &Statement, file: Option<&str>) -> bool {
        let Some(file) = file else {
            return self.send(statement, self.quiet);
        };
        let mut output = match super::output::Output::of_file(file) {
            Ok(output) => output,
            Err(message) => {
                self.complain_of(&message);
                return false;
            }
        };
        std::mem::swap(&mut self.output, &mut output);
        let done = self.send(statement, self.quiet);
        std::mem::swap(&mut self.output, &mut output);
        if let Some(failure) = output.failure() {
            self.complain_of(failure);
        }
        done && output.failure().is_none()
    }

    /// `\gset`: the columns of the one row become variables.
    fn keep_row(&mut self, prefix: &str, result: &ResultSet) -> bool {
        let rows: Vec<Cells> = result.text_rows().collect();
        let [row] = rows.as_slice() else {
            let what = if rows.is_empty() {
                "no rows"
            } else {
                "more than one row"
            };
            self.complain_of(&format!("{what} returned for \\gset"));
            return false;
        };
        for (field, value) in result.fields.iter().zip(row) {
            let name = format!("{prefix}{}", field.name);
            match value {
                Some(value) => self.variables.set(&name, value.as_str()),
                None => self.variables.unset(&name),
            }
        }
        true
    }

    /// `\i` and `\ir`
    fn include(&mut self, path: &str, beside: bool) -> Flow {
        let path = match beside && !Path::new(path).is_absolute() {
            true => self.folder.join(path),
            false => PathBuf::from(path),
        };
        let mut script = match Script::open(&path) {
            Ok(script) => script,
            Err(message) => return self.refuse(message),
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let folder = std::mem::replace(&mut self.folder, folder);
        let flow = self.run_lines(&mut script);
        self.folder = folder;
        match flow {
            Flow::Quit => Flow::Go,
            flow => flow,
        }
    }

    /// Commands that only take words.
    fn plain_command(&mut self, name: &str, words: &[String]) -> Result<Flow, String> {
        let first = words.first().map(String::as_str);
        match name {
            "?" | "h" | "help" => self.output.line(HELP),
            "echo" | "qecho" | "warn" => self.echo(name, words)?,
            "set" | "unset" | "getenv" => self.variable_command(name, words)?,
            "pset" | "x" | "t" | "f" | "C" | "a" => self.format_command(name, words)?,
            "o" | "out" => {
                self.output.redirect(first)?;
                self.output_is_file = first.is_some();
            }
            "timing" => {
                self.timing = match first {
                    Some(word) => switch(word).unwrap_or(self.timing),
                    None => !self.timing,
                };
                let text = format!("Timing is {}.", on_off(self.timing));
                self.say(&text);
            }
            "encoding" => match first {
                None => self.output.line("UTF8"),
                Some(name) if is_utf8(name) => {}
                Some(name) => return Err(format!("{name}: there is no encoding but UTF8")),
            },
            "conninfo" => self.tell_connection(),
            "l" | "l+" | "list" => return Ok(Flow::of(self.list_databases())),
            "s" => {
                return Ok(Flow::of(
                    self.send_text("SELECT * FROM varve_storage", true),
                ));
            }
            "cd" => {
                let home = std::env::var("HOME").unwrap_or_default();
                let folder = first.unwrap_or(&home);
                std::env::set_current_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
            }
            "prompt" | "password" | "e" | "edit" | "ef" | "ev" | "sf" | "sv" | "crosstabview"
            | "gdesc" | "watch" | "bind" | "errverbose" | "H" | "html" | "setenv" | "T"
            | "copyright" | "lo_import" | "lo_export" | "lo_list" | "lo_unlink" | "z" | "dp" => {
                return Err(format!("\\{name} is not supported"));
            }
            name if name.starts_with('d') => return Ok(Flow::of(self.describe(name, first)?)),
            _ => return Err(format!("invalid command \\{name}")),
        }
        Ok(Flow::Go)
    }

    fn echo(&mut self, name: &str, words: &[String]) -> Result<(), String> {
        let (end, words) = match words {
            [option, rest @ ..] if option == "-n" => ("", rest),
            words => ("\n", words),
        };
        let text = words.join(" ") + end;
        match name {
            "warn" => {
                self.output.flush();
                let _ = write!(std::io::stderr(), "{text}");
            }
            "echo" if self.output_is_file => {
                let mut out = std::io::stdout();
                write!(out, "{text}")
                    .and_then(|()| out.flush())
                    .map_err(|error| format!("cannot write to standard output: {error}"))?;
            }
            _ => self.output.bytes(text.as_bytes()),
        }
        Ok(())
    }

    fn variable_command(&mut self, command: &str, words: &[String]) -> Result<(), String> {
        match (command, words) {
            ("set", []) => {
                let all = self.variables.iter();
                let lines: Vec<String> = all
                    .map(|(name, value)| format!("{name} = '{value}'"))
                    .collect();
                lines.iter().for_each(|line| self.output.line(line));
            }
            ("set", [name, values @ ..]) => self.set_variable(name, &values.concat())?,
            ("getenv", [name, of]) => {
                if let Ok(value) = std::env::var(of) {
                    self.set_variable(name, &value)?;
                }
            }
            ("unset", words) => {
                for name in words {
                    self.unset_variable(name)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `\pset` and its short forms.
    fn format_command(&mut self, command: &str, words: &[String]) -> Result<(), String> {
        let mut words = words.iter().map(String::as_str);
        let first = words.next();
        match command {
            "pset" => {
                let name = first.ok_or("\\pset: missing required argument")?;
                self.set_format(name, words.next())
            }
            "x" => self.set_format("expanded", first),
            "t" => self.set_format("tuples_only", first),
            "f" => self.set_format("fieldsep", first),
            "C" => self.set_format("title", first),
            _ => {
                let aligned = self.format.layout == Layout::Aligned;
                let layout = if aligned { "unaligned" } else { "aligned" };
                self.set_format("format", Some(layout))
            }
        }
    }
}

fn is_utf8(name: &str) -> bool {
    ["UTF8", "UTF-8", "UNICODE"].contains(&name.to_ascii_uppercase().as_str())
}
