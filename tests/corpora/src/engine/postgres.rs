//! A PostgreSQL server in the place of the engine: what it fails too is no failure of ours, and the
//! runners are tested by it.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use varve_postgres::{Connection, cells, columns, fields};

use super::worker::Request;
use super::{Answer, Column, Failure, FailureKind, Kind, Notice, Outcome, Table};

/// Names the server: `host:port`.
pub const ADDRESS_VARIABLE: &str = "VARVE_POSTGRES";
const ADDRESS_DEFAULT: &str = "127.0.0.1:5432";
/// What is copied goes out in messages of this size.
const COPY_CHUNK_BYTES: usize = 64 << 10;

/// Answers requests from a new database, which is dropped at the end.
pub(super) fn serve(setup: &[String], requests: &Receiver<Request>, outcomes: &Sender<Outcome>) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("corpora_{}_{number}", std::process::id());
    let create = format!("CREATE DATABASE {name} TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'");
    let made = Session::open("postgres").map(|mut server| server.query(&create, None));
    let mut sessions = BTreeMap::new();
    for request in requests {
        let outcome = match &made {
            Ok(Ok(_)) => answer(&name, setup, &mut sessions, &request),
            Ok(Err(failure)) => Err(failure.clone()),
            Err(error) => Err(lost(error)),
        };
        if outcomes.send(outcome).is_err() {
            break;
        }
    }
    drop(sessions);
    if let Ok(mut server) = Session::open("postgres") {
        let _ = server.query(
            &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            None,
        );
    }
}

fn answer(
    database: &str,
    setup: &[String],
    sessions: &mut BTreeMap<String, Session>,
    request: &Request,
) -> Outcome {
    if !sessions.contains_key(&request.connection) {
        let mut session = Session::open(database).map_err(|error| lost(&error))?;
        for sql in setup {
            let _ = session.query(sql, None);
        }
        sessions.insert(request.connection.clone(), session);
    }
    let session = sessions.get_mut(&request.connection);
    let session = session.expect("it was made");
    let outcome = session.query(&request.sql, request.copy.as_deref());
    if session.is_lost {
        sessions.remove(&request.connection);
    }
    outcome
}

fn lost(error: &io::Error) -> Box<Failure> {
    Failure::new(FailureKind::Panic, format!("the server is lost: {error}"))
}

/// A connection, until an error of the network ends it.
struct Session {
    connection: Connection,
    is_lost: bool,
}

impl Session {
    fn open(database: &str) -> io::Result<Session> {
        let address = std::env::var(ADDRESS_VARIABLE);
        let address = address.as_deref().unwrap_or(ADDRESS_DEFAULT);
        Ok(Session {
            connection: Connection::open(address, database)?,
            is_lost: false,
        })
    }

    fn query(&mut self, sql: &str, data: Option<&[u8]>) -> Outcome {
        match self.exchange(sql, data) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.is_lost = true;
                Err(lost(&error))
            }
        }
    }

    fn exchange(&mut self, sql: &str, data: Option<&[u8]>) -> io::Result<Outcome> {
        self.connection.ask(sql)?;
        let mut answer = Answer::default();
        let mut failed = None;
        loop {
            let message = self.connection.receive()?;
            let body = &message.body;
            match message.kind {
                b'Z' => break,
                b'T' => answer.table = Some(table_of(body)),
                b'H' => answer.table = Some(lines_table()),
                b'D' => {
                    if let Some(table) = &mut answer.table {
                        table.rows.push(cells(body));
                    }
                }
                b'd' => {
                    if let Some(table) = &mut answer.table {
                        let line = String::from_utf8_lossy(body).into_owned();
                        table.rows.push(vec![Some(line)]);
                    }
                }
                b'C' => complete(&mut answer, body),
                b'E' => failed = Some(failure(body)),
                b'N' => answer.notices.push(notice(body)),
                b'G' => self.copy_in(data)?,
                _ => {}
            }
        }
        Ok(failed.map_or(Ok(answer), Err))
    }

    /// Answers a server that waits for what COPY reads.
    fn copy_in(&mut self, data: Option<&[u8]>) -> io::Result<()> {
        let Some(data) = data else {
            return self.connection.send(b'f', b"there are no data\0");
        };
        for chunk in data.chunks(COPY_CHUNK_BYTES) {
            self.connection.send(b'd', chunk)?;
        }
        self.connection.send(b'c', &[])
    }
}

/// Takes the tag of a statement that has ended.
fn complete(answer: &mut Answer, body: &[u8]) {
    let tag = String::from_utf8_lossy(body);
    let tag = tag.trim_end_matches('\0');
    answer.affected = tag.rsplit(' ').next().and_then(|n| n.parse().ok());
    if !tag.starts_with("SELECT") && answer.affected.is_none() {
        answer.table = answer.table.take().filter(|_| tag.starts_with("SHOW"));
    }
}

fn notice(body: &[u8]) -> Notice {
    let fields = fields(body);
    let text = |key| fields.get(&key).cloned().unwrap_or_default();
    let mut message = text('M');
    for (key, name) in [('D', "DETAIL"), ('H', "HINT")] {
        if let Some(more) = fields.get(&key) {
            message.push_str(&format!("\n{name}:  {more}"));
        }
    }
    let severity = text('S');
    Notice { severity, message }
}

fn table_of(body: &[u8]) -> Table {
    let columns = columns(body).into_iter().map(|column| Column {
        name: column.name,
        kind: match column.type_oid {
            16 => Kind::Boolean,
            20 | 21 | 23 | 26 | 28 | 29 => Kind::Integer,
            700 | 701 | 790 | 1700 => Kind::Real,
            _ => Kind::Other,
        },
    });
    Table {
        columns: columns.collect(),
        rows: Vec::new(),
    }
}

/// What COPY sends out: a line a row.
fn lines_table() -> Table {
    Table {
        columns: vec![Column {
            name: "copy".to_owned(),
            kind: Kind::Other,
        }],
        rows: Vec::new(),
    }
}

fn failure(body: &[u8]) -> Box<Failure> {
    let mut fields = fields(body);
    Box::new(Failure {
        kind: FailureKind::Error,
        state: fields.remove(&'C').unwrap_or_default(),
        message: fields.remove(&'M').unwrap_or_default(),
        detail: fields.remove(&'D'),
        hint: fields.remove(&'H'),
        context: fields.remove(&'W'),
        position: fields.remove(&'P').and_then(|text| text.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::{failure, table_of};
    use crate::engine::Kind;

    #[test]
    fn messages_become_what_the_runners_compare() {
        let error = failure(b"SERROR\0C42P01\0Mno\0P8\0\0");
        assert_eq!((error.state.as_str(), error.position), ("42P01", Some(8)));
        let mut body = vec![0, 1, b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23];
        body.extend([0; 8]);
        assert_eq!(table_of(&body).columns[0].kind, Kind::Integer);
    }
}
