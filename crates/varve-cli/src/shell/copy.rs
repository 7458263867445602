//! COPY with data of the client: inline in a script, typed, or in files (`\copy`).

use std::fs::File;
use std::io::{Read, Write};

use pollster::block_on;
use varve_psql::{Scanner, Statement};
use varve_types::Env;
use varvedb::ResultSet;

use super::Shell;
use super::input::{Line, Source};

/// Data is handed on in pieces of about this size.
const PIECE_BYTES: usize = 1 << 18;

const COPY_HELP: &str = "Enter data to be copied followed by a newline.\n\
    End with a backslash and a period on a line by itself, or an EOF signal.";

impl Shell {
    /// Runs a `COPY ... FROM STDIN` whose data stands in the lines that follow, up to `\.`. If the
    /// statement is refused its data is passed over, and not taken for statements.
    pub fn copy_from_source(&mut self, statement: &Statement, source: &mut dyn Source) -> bool {
        let begun = self.env.monotonic_us();
        let mut failed = !self.begin_copy(&statement.sql);
        if source.is_interactive() {
            if failed {
                return false;
            }
            self.output.line(COPY_HELP);
            self.output.flush();
        }
        let mut piece = Vec::new();
        loop {
            match source.line(">> ") {
                Ok(Line::Text(line)) => {
                    self.count_line();
                    if line == b"\\." || line == b"\\.\r" {
                        break;
                    }
                    piece.extend_from_slice(&line);
                    piece.push(b'\n');
                }
                Ok(Line::End) => break,
                Ok(Line::Interrupted) => {
                    self.abort_copy();
                    return false;
                }
                Err(message) => {
                    self.abort_copy();
                    self.complain_of(&message);
                    return false;
                }
            }
            if piece.len() >= PIECE_BYTES {
                failed = failed || !self.write_copy(&piece, &statement.sql);
                piece.clear();
            }
        }
        let done =
            !failed && self.write_copy(&piece, &statement.sql) && self.finish_copy(statement);
        if done {
            self.say_time(begun);
        }
        done
    }

    fn count_line(&mut self) {
        if let Some((_, number)) = &mut self.at {
            *number += 1;
        }
    }

    fn begin_copy(&mut self, sql: &str) -> bool {
        let Some(connection) = &mut self.connection else {
            self.complain_of("You are currently not connected to a database.");
            return false;
        };
        let begun = block_on(connection.session.copy_begin(sql));
        begun.inspect_err(|error| self.fail(error, sql)).is_ok()
    }

    fn write_copy(&mut self, bytes: &[u8], sql: &str) -> bool {
        let Some(connection) = &mut self.connection else {
            return false;
        };
        let written = block_on(connection.session.copy_write(bytes));
        written.inspect_err(|error| self.fail(error, sql)).is_ok()
    }

    fn abort_copy(&mut self) {
        if let Some(connection) = &mut self.connection
            && let Err(error) = block_on(connection.session.copy_abort())
        {
            self.fail(&error, "");
        }
    }

    fn finish_copy(&mut self, statement: &Statement) -> bool {
        match self.end_copy(&statement.sql) {
            Some(result) => {
                self.show(statement, &[result], self.quiet);
                true
            }
            None => false,
        }
    }

    fn end_copy(&mut self, sql: &str) -> Option<ResultSet> {
        let connection = self.connection.as_mut()?;
        match block_on(connection.session.copy_finish()) {
            Ok(result) => {
                self.note_success(Some(&result));
                Some(result)
            }
            Err(error) => {
                self.fail(&error, sql);
                None
            }
        }
    }

    /// A statement `COPY ... FROM 'file'`: the file is the user's, since server and client are one.
    pub fn copy_from_file_of_statement(
        &mut self,
        statement: &Statement,
        literal: &str,
    ) -> Option<Vec<ResultSet>> {
        let inner = literal.trim_matches('\'').replace("''", "'");
        let sql = statement.sql.replacen(literal, "STDIN", 1);
        self.copy_file_in(&sql, &inner).map(|result| vec![result])
    }

    fn copy_file_in(&mut self, sql: &str, path: &str) -> Option<ResultSet> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) => {
                self.complain_of(&format!("{path}: {error}"));
                return None;
            }
        };
        if !self.begin_copy(sql) {
            return None;
        }
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return self.end_copy(sql),
                Ok(read) => {
                    if !self.write_copy(piece.get(..read).unwrap_or_default(), sql) {
                        return None;
                    }
                }
                Err(error) => {
                    self.abort_copy();
                    self.complain_of(&format!("{path}: {error}"));
                    return None;
                }
            }
        }
    }

    /// `\copy`: COPY with a file of the client, or the lines that follow.
    pub fn copy_command(&mut self, text: &str, source: &mut dyn Source) -> bool {
        let Some(parts) = CopyText::of(text) else {
            self.complain_of(
                "\\copy: parse error: it takes TABLE or (QUERY), then FROM or TO and a file",
            );
            return false;
        };
        let CopyText {
            what,
            is_from,
            place,
            options,
        } = parts;
        let (direction, end) = if is_from {
            ("FROM", "STDIN")
        } else {
            ("TO", "STDOUT")
        };
        let sql = format!("COPY {what} {direction} {end} {options}");
        let statement = Scanner::split(&sql).into_iter().next().unwrap_or_default();
        match (&place, is_from) {
            (Target::Program, _) => {
                self.complain_of("\\copy: programs are not supported");
                false
            }
            (Target::Client, true) => self.copy_from_source(&statement, source),
            (Target::Client, false) => self.send(&statement, self.quiet),
            (Target::File(path), true) => match self.copy_file_in(&sql, path) {
                Some(result) => {
                    self.show(&statement, &[result], self.quiet);
                    true
                }
                None => false,
            },
            (Target::File(path), false) => self.copy_file_out(&statement, path),
        }
    }

    fn copy_file_out(&mut self, statement: &Statement, path: &str) -> bool {
        let Some(results) = self.execute(statement) else {
            return false;
        };
        let written = File::create(path).and_then(|mut file| {
            let copied = results.iter().filter_map(|result| result.copied.as_ref());
            for chunk in copied.flat_map(|copied| copied.chunks()) {
                file.write_all(&chunk)?;
            }
            file.flush()
        });
        if let Err(error) = written {
            self.complain_of(&format!("{path}: {error}"));
            return false;
        }
        for result in &results {
            let tag = statement.tag(result.command, result.affected_rows);
            self.say(&tag);
        }
        true
    }
}

/// Where `\copy` reads or writes.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// Standard input or output.
    Client,
    File(String),
    Program,
}

/// The parts of a `\copy`.
#[derive(Debug, PartialEq, Eq)]
struct CopyText {
    what: String,
    is_from: bool,
    place: Target,
    options: String,
}

impl CopyText {
    fn of(text: &str) -> Option<CopyText> {
        let (what, is_from, rest) = split_direction(text)?;
        let rest = rest.trim_start();
        let (place, options) = match rest.strip_prefix('\'') {
            Some(quoted) => {
                let end = quoted.find('\'')?;
                let path = quoted.get(..end)?.to_owned();
                (Target::File(path), quoted.get(end + 1..)?)
            }
            None => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || c == ';')
                    .unwrap_or(rest.len());
                let word = rest.get(..end)?;
                let place = match word.to_ascii_lowercase().as_str() {
                    "" => return None,
                    "stdin" | "stdout" | "pstdin" | "pstdout" => Target::Client,
                    "program" => Target::Program,
                    _ => Target::File(word.to_owned()),
                };
                (place, rest.get(end..)?)
            }
        };
        Some(CopyText {
            what: what.trim().to_owned(),
            is_from,
            place,
            options: options.trim().trim_end_matches(';').to_owned(),
        })
    }
}

/// What stands before FROM or TO outside quotes and parentheses, which it is, and what follows.
fn split_direction(text: &str) -> Option<(&str, bool, &str)> {
    let mut depth = 0u32;
    let mut quote = None;
    let mut word_from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if let Some(open) = quote {
            if c == open {
                quote = None;
            }
            continue;
        }
        if c.is_alphanumeric() || c == '_' {
            word_from.get_or_insert(at);
            continue;
        }
        if let Some(from) = word_from.take()
            && depth == 0
        {
            let word = text.get(from..at)?.to_ascii_lowercase();
            if word == "from" || word == "to" {
                return Some((text.get(..from)?, word == "from", text.get(at..)?));
            }
        }
        match c {
            '\'' | '"' => quote = Some(c),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{CopyText, Target};

    #[test]
    fn a_copy_names_its_file() {
        let cases = [
            (
                "t from a.csv csv header",
                "t",
                true,
                Target::File("a.csv".into()),
                "csv header",
            ),
            (
                "(select 1 from x) to '/tmp/a b' with (format csv);",
                "(select 1 from x)",
                false,
                Target::File("/tmp/a b".into()),
                "with (format csv)",
            ),
            (
                "\"to\" (a) FROM stdin",
                "\"to\" (a)",
                true,
                Target::Client,
                "",
            ),
            ("t to program 'cat'", "t", false, Target::Program, "'cat'"),
        ];
        for (text, what, is_from, place, options) in cases {
            let wanted = CopyText {
                what: what.to_owned(),
                is_from,
                place,
                options: options.to_owned(),
            };
            assert_eq!(CopyText::of(text), Some(wanted), "{text}");
        }
        assert_eq!(CopyText::of("t"), None);
    }
}
