//! Sends statements and prints what they answer.

use pollster::block_on;
use varve_psql::{Align, Cells, Scanner, Statement, Table, write_table};
use varve_types::{Env, Error, LogicalType};
use varvedb::{Notice, ResultSet};

use super::Shell;
use crate::message;

impl Shell {
    /// Runs a text and prints its results; whether it succeeded.
    pub fn send_text(&mut self, sql: &str, quiet: bool) -> bool {
        let statements = Scanner::split(sql);
        let statement = match statements.as_slice() {
            [one] => one.clone(),
            _ => Statement {
                sql: sql.to_owned(),
                words: Vec::new(),
            },
        };
        self.send(&statement, quiet)
    }

    /// Runs a statement, or several in one text, and prints the results; whether it succeeded.
    pub fn send(&mut self, statement: &Statement, quiet: bool) -> bool {
        let begun = self.env.monotonic_us();
        let Some(results) = self.execute(statement) else {
            return false;
        };
        self.show(statement, &results, quiet);
        self.say_time(begun);
        self.output.flush();
        true
    }

    /// Runs a statement, or several in one text. Errors are printed, notices too.
    pub fn execute(&mut self, statement: &Statement) -> Option<Vec<ResultSet>> {
        if matches!(self.variables.get("ECHO"), Some("queries")) {
            self.output.line(&statement.sql);
        }
        if let Some(done) = self.database_statement(statement) {
            return done.then(|| vec![ResultSet::default()]);
        }
        if let Some(file) = statement.reads_file() {
            let file = file.to_owned();
            return self.copy_from_file_of_statement(statement, &file);
        }
        self.begin_if_wanted(statement);
        let Some(connection) = &mut self.connection else {
            self.complain_of("You are currently not connected to a database.");
            return None;
        };
        match block_on(connection.session.execute_script(&statement.sql)) {
            Ok(results) => {
                for notice in results.iter().flat_map(|result| &result.notices) {
                    self.notice(notice);
                }
                self.note_success(results.last());
                Some(results)
            }
            Err(error) => {
                self.fail(&error, &statement.sql);
                None
            }
        }
    }

    /// `AUTOCOMMIT off`: a statement outside a block begins one.
    fn begin_if_wanted(&mut self, statement: &Statement) {
        const OUTSIDE: [&str; 5] = ["begin", "start", "commit", "rollback", "vacuum"];
        let is_off = self.variables.get("AUTOCOMMIT") == Some("off");
        if let Some(connection) = &mut self.connection
            && is_off
            && !connection.session.in_transaction()
            && !OUTSIDE.contains(&statement.word(0))
        {
            // It cannot fail outside a block.
            let _ = block_on(connection.session.query("BEGIN", &[]));
        }
    }

    /// Prints an error and keeps it in the variables.
    pub fn fail(&mut self, error: &Error, sql: &str) {
        self.variables.set("ERROR", "true");
        self.variables.set("SQLSTATE", error.state().code());
        self.variables
            .set("LAST_ERROR_SQLSTATE", error.state().code());
        self.variables.set("LAST_ERROR_MESSAGE", error.message());
        self.variables.set("ROW_COUNT", "0");
        if self.variables.get("ECHO") == Some("errors") {
            self.complain(&format!("STATEMENT:  {sql}"));
        }
        self.complain(&message::of_statement(error, sql, self.verbosity));
    }

    pub fn notice(&mut self, notice: &Notice) {
        self.complain(&message::of_notice(notice, self.verbosity));
    }

    pub fn note_success(&mut self, result: Option<&ResultSet>) {
        let rows = result.map_or(0, |result| match result.affected_rows {
            Some(rows) => rows,
            None => result.row_count() as u64,
        });
        self.variables.set("ERROR", "false");
        self.variables.set("SQLSTATE", "00000");
        self.variables.set("ROW_COUNT", rows.to_string());
    }

    /// Prints the results of a text.
    pub fn show(&mut self, statement: &Statement, results: &[ResultSet], quiet: bool) {
        let parts = match results {
            [_] => Vec::new(),
            _ => Scanner::split(&statement.sql),
        };
        for (at, result) in results.iter().enumerate() {
            let statement = parts.get(at).unwrap_or(statement);
            let has_rows = result.gives_rows();
            if has_rows && result.copied.is_none() {
                self.show_table(result);
            }
            if let Some(copied) = &result.copied {
                for chunk in copied.chunks() {
                    self.output.bytes(&chunk);
                }
            } else if !quiet && (!has_rows || result.affected_rows.is_some()) {
                let tag = statement.tag(result.command, result.affected_rows);
                if !tag.is_empty() {
                    self.output.line(&tag);
                }
            }
        }
    }

    /// Prints the rows of a result.
    pub fn show_table(&mut self, result: &ResultSet) {
        let columns = columns(result);
        let rows: Vec<Cells> = result.text_rows().collect();
        let title = self.title.clone();
        self.print_table(&Table {
            title: title.as_deref(),
            columns: &columns,
            rows: &rows,
            footers: None,
        });
    }

    /// Prints a table in the format that is set.
    pub fn print_table(&mut self, table: &Table<'_>) {
        let mut text = String::new();
        write_table(table, &self.format, &mut text);
        self.output.bytes(text.as_bytes());
    }

    /// Prints a table of the shell's own, in which NULL is shown as nothing.
    pub fn print_own_table(
        &mut self,
        title: &str,
        heads: &[(&str, Align)],
        rows: &[Cells],
        footers: Option<&[String]>,
    ) {
        let columns: Vec<_> = heads
            .iter()
            .map(|(name, align)| ((*name).to_owned(), *align))
            .collect();
        let null = std::mem::take(&mut self.format.null);
        self.print_table(&Table {
            title: Some(title),
            columns: &columns,
            rows,
            footers,
        });
        self.format.null = null;
    }

    /// The rows that a query of the shell's own gives.
    pub fn rows_of(&mut self, sql: &str) -> Option<Vec<Cells>> {
        let connection = self.connection.as_mut()?;
        match block_on(connection.session.query(sql, &[])) {
            Ok(result) => Some(result.text_rows().collect()),
            Err(error) => {
                self.fail(&error, sql);
                None
            }
        }
    }
}

fn columns(result: &ResultSet) -> Vec<(String, Align)> {
    let column = |field: &varvedb::Field| {
        let is_right = field.ty.is_numeric() || field.ty == LogicalType::Oid;
        let align = if is_right { Align::Right } else { Align::Left };
        (field.name.clone(), align)
    };
    result.fields.iter().map(column).collect()
}
