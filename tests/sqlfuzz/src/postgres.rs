//! A PostgreSQL server: what it answers is right.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use varve_postgres::{Connection, cells, columns, fields};

use crate::answer::{Answer, Failure, FailureKind, Outcome};

/// What a session begins with: one plan a query, times in UTC, an end for what takes long.
const SETTINGS: [&str; 5] = [
    "SET TimeZone = 'UTC'",
    "SET statement_timeout = '5s'",
    "SET max_parallel_workers_per_gather = 0",
    "SET jit = off",
    "SET client_min_messages = error",
];

/// A connection to a database of its own, which is dropped with it.
pub struct Postgres {
    address: String,
    database: String,
    /// `server_version_num`
    pub version: u32,
    connection: Option<Connection>,
}

impl Postgres {
    /// Makes a database on a server.
    pub fn new(address: &str) -> Result<Postgres, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let database = format!("sqlfuzz_{}_{number}", std::process::id());
        let create = format!(
            "CREATE DATABASE {database} TEMPLATE template0 LOCALE 'C.UTF-8' ENCODING 'UTF8'"
        );
        let failed = |error: io::Error| format!("{address}: {error}");
        let mut server = Connection::open(address, "postgres").map_err(failed)?;
        let mut ask = |sql: &str| {
            let outcome = query(&mut server, sql).map_err(failed)?;
            outcome.map_err(|failure| failure.to_string())
        };
        ask(&create)?;
        let version = ask("SHOW server_version_num")?;
        let version = version.rows.iter().flatten().flatten().next();
        let version = version.and_then(|text| text.parse().ok());
        Ok(Postgres {
            address: address.to_owned(),
            database,
            version: version.ok_or("the server does not tell its version")?,
            connection: None,
        })
    }

    pub fn query(&mut self, sql: &str) -> Outcome {
        let outcome = self
            .connected()
            .and_then(|connection| query(connection, sql));
        outcome.unwrap_or_else(|error| {
            self.connection = None;
            let message = format!("the server is lost: {error}");
            Err(Failure::new(FailureKind::Panic, message))
        })
    }

    fn connected(&mut self) -> io::Result<&mut Connection> {
        if self.connection.is_none() {
            let mut connection = Connection::open(&self.address, &self.database)?;
            for setting in SETTINGS {
                let _ = query(&mut connection, setting)?;
            }
            self.connection = Some(connection);
        }
        Ok(self.connection.as_mut().expect("it was made"))
    }

    /// Takes everything out of the database.
    pub fn clear(&mut self) {
        let _ = self.query("DROP SCHEMA public CASCADE");
        let _ = self.query("CREATE SCHEMA public");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.connection = None;
        if let Ok(mut server) = Connection::open(&self.address, "postgres") {
            let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database);
            let _ = query(&mut server, &drop);
        }
    }
}

/// Sends a query and collects what it answers.
fn query(connection: &mut Connection, sql: &str) -> io::Result<Outcome> {
    connection.ask(sql)?;
    let mut answer = Answer::default();
    let mut failed = None;
    loop {
        let message = connection.receive()?;
        match message.kind {
            b'Z' => break,
            b'T' => {
                let columns = columns(&message.body).into_iter();
                answer.types = columns.map(|column| column.type_oid).collect();
            }
            b'D' => answer.rows.push(cells(&message.body)),
            b'E' => failed = Some(failure(&message.body)),
            _ => {}
        }
    }
    Ok(failed.map_or(Ok(answer), Err))
}

fn failure(body: &[u8]) -> Failure {
    let mut fields = fields(body);
    let mut failure = Failure::new(FailureKind::Error, "");
    failure.state = fields.remove(&'C').unwrap_or_default();
    failure.message = fields.remove(&'M').unwrap_or_default();
    failure
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn an_error_is_its_code_and_its_message() {
        let error = failure(b"SERROR\0C42P01\0Mno\0P8\0\0");
        assert_eq!(
            (error.state.as_str(), error.message.as_str()),
            ("42P01", "no")
        );
    }
}
