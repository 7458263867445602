//! Databases: `\c`, `CREATE DATABASE`, `DROP DATABASE`, `\l`.

use varve_psql::{Align, Cells, Statement, identifier};
use varve_types::{Error, SqlState};
use varvedb::Notice;

use super::{Connection, Shell};
use crate::place::{MAIN, Place};

impl Shell {
    /// Opens a database in place of the one that is open.
    pub fn connect(&mut self, name: &str) -> Result<(), String> {
        if !self.place.has(name) {
            return Err(format!("database \"{name}\" does not exist"));
        }
        self.disconnect()?;
        let database = self.place.open(name)?;
        self.connection = Some(Connection {
            name: if Place::is_main(name) { MAIN } else { name }.to_owned(),
            session: database.session(),
            database,
        });
        self.variables.set("DBNAME", name);
        Ok(())
    }

    /// Closes the database that is open.
    pub fn disconnect(&mut self) -> Result<(), String> {
        match self.connection.take() {
            Some(Connection {
                database, session, ..
            }) => {
                drop(session);
                self.place.close(&database)
            }
            None => Ok(()),
        }
    }

    /// `\c`: whether it connected. The database that was open stays open if there is no other.
    pub fn change_database(&mut self, words: &[String]) -> bool {
        let name = words
            .iter()
            .find(|word| !word.starts_with("-reuse-previous"))
            .map(|word| database_of(word))
            .filter(|name| !name.is_empty() && name != "-");
        if let Some(name) = name
            && let Err(message) = self.connect(&name)
        {
            self.complain_of(&format!("\\connect: {message}"));
            return false;
        }
        if let Some(connection) = &self.connection {
            let text = format!(
                "You are now connected to database \"{}\" as user \"postgres\".",
                connection.name
            );
            self.say(&text);
        }
        true
    }

    /// `\conninfo`
    pub fn tell_connection(&mut self) {
        let text = match &self.connection {
            Some(connection) => format!(
                "You are connected to database \"{}\" in \"{}\".",
                connection.name,
                self.place.name()
            ),
            None => "You are currently not connected to a database.".to_owned(),
        };
        self.output.line(&text);
    }

    /// `\l`
    pub fn list_databases(&mut self) -> bool {
        let heads = ["Name", "Owner", "Encoding", "Collate", "Ctype"];
        let rows = self.place.names().into_iter().map(|name| -> Cells {
            let cells = [name.as_str(), "postgres", "UTF8", "C", "C"];
            cells.iter().map(|cell| Some((*cell).to_owned())).collect()
        });
        let rows: Vec<Cells> = rows.collect();
        let heads = heads.map(|name| (name, Align::Left));
        self.print_own_table("List of databases", &heads, &rows, None);
        true
    }

    /// Runs `CREATE DATABASE` and `DROP DATABASE`, which are about the place and not about the
    /// database that is open: whether it succeeded. `None` for other statements.
    pub fn database_statement(&mut self, statement: &Statement) -> Option<bool> {
        let is_create = statement.begins(&["create", "database"]);
        if !is_create && !statement.begins(&["drop", "database"]) {
            return None;
        }
        let if_exists = statement.word(2) == "if" && statement.word(3) == "exists";
        let name = identifier(statement.word(if if_exists { 4 } else { 2 }));
        let done = match is_create {
            true => self.create_database(&name),
            false => self.drop_database(&name, if_exists),
        };
        match &done {
            Ok(()) => {
                self.note_success(None);
                if !self.quiet {
                    self.output
                        .line(&statement.tag(if is_create { "CREATE" } else { "DROP" }, None));
                }
            }
            Err(error) => self.fail(error, &statement.sql),
        }
        Some(done.is_ok())
    }

    fn create_database(&mut self, name: &str) -> Result<(), Error> {
        self.check_outside_block("CREATE DATABASE")?;
        if name.is_empty() {
            return Err(Error::new(
                SqlState::SYNTAX_ERROR,
                "CREATE DATABASE needs a name",
            ));
        }
        if self.place.has(name) {
            let message = format!("database \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_DATABASE, message));
        }
        self.place.create(name).map_err(io_error)
    }

    fn drop_database(&mut self, name: &str, if_exists: bool) -> Result<(), Error> {
        self.check_outside_block("DROP DATABASE")?;
        if !self.place.has(name) {
            let message = format!("database \"{name}\" does not exist");
            if !if_exists {
                return Err(Error::new(SqlState::INVALID_CATALOG_NAME, message));
            }
            self.notice(&Notice {
                severity: "NOTICE",
                state: SqlState::SUCCESSFUL_COMPLETION,
                message: format!("{message}, skipping"),
                detail: None,
                hint: None,
            });
            return Ok(());
        }
        let is_open = self
            .connection
            .as_ref()
            .is_some_and(|open| open.name == name);
        if is_open || Place::is_main(name) {
            let message = match is_open {
                true => "cannot drop the currently open database".to_owned(),
                false => format!("cannot drop the main database \"{name}\""),
            };
            return Err(Error::new(SqlState::OBJECT_IN_USE, message));
        }
        self.place.remove(name).map_err(io_error)
    }

    fn check_outside_block(&self, what: &str) -> Result<(), Error> {
        let connection = self.connection.as_ref();
        match connection.is_some_and(|open| open.session.in_transaction()) {
            true => Err(Error::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{what} cannot run inside a transaction block"),
            )),
            false => Ok(()),
        }
    }
}

fn io_error(message: String) -> Error {
    Error::new(SqlState::IO_ERROR, message)
}

/// The database that an argument of `\c` names: itself, a connection string or an address.
fn database_of(word: &str) -> String {
    let address = word.split_once("://").map(|(_, rest)| rest);
    if let Some(rest) = address {
        let path = rest.split_once('/').map_or("", |(_, path)| path);
        return path.split('?').next().unwrap_or_default().to_owned();
    }
    match word.split_once("dbname=") {
        Some((_, rest)) => match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split('\'').next().unwrap_or_default().to_owned(),
            None => rest.split(' ').next().unwrap_or_default().to_owned(),
        },
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_database_is_found_in_what_follows_connect() {
        for (word, name) in [
            ("chinook", "chinook"),
            ("dbname='my db' host=x", "my db"),
            ("host=x dbname=a", "a"),
            ("postgresql://me@localhost:5432/a?x=y", "a"),
        ] {
            assert_eq!(super::database_of(word), name);
        }
    }
}
