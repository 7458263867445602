//! A PostgreSQL server in the place of the engine: what it fails too is no failure of ours, and the
//! runners are tested by it. Speaks the simple query protocol over TCP, without a password.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::worker::Request;
use super::{Answer, Column, Failure, FailureKind, Kind, Notice, Outcome, Table};

/// Names the server: `host:port`.
pub const ADDRESS_VARIABLE: &str = "VARVE_POSTGRES";
const ADDRESS_DEFAULT: &str = "127.0.0.1:5432";
const USER: &str = "postgres";

/// Version 3.0 of the protocol.
const PROTOCOL: i32 = 196_608;
/// What is copied goes out in messages of this size.
const COPY_CHUNK_BYTES: usize = 64 << 10;

/// Answers requests from a new database, which is dropped at the end.
pub(super) fn serve(setup: &[String], requests: &Receiver<Request>, outcomes: &Sender<Outcome>) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("corpora_{}_{number}", std::process::id());
    let create = format!("CREATE DATABASE {name} TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'");
    let made = Connection::open("postgres").map(|mut server| server.query(&create, None));
    let mut connections = BTreeMap::new();
    for request in requests {
        let outcome = match &made {
            Ok(Ok(_)) => answer(&name, setup, &mut connections, &request),
            Ok(Err(failure)) => Err(failure.clone()),
            Err(error) => Err(lost(error)),
        };
        if outcomes.send(outcome).is_err() {
            break;
        }
    }
    drop(connections);
    if let Ok(mut server) = Connection::open("postgres") {
        let _ = server.query(
            &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            None,
        );
    }
}

fn answer(
    database: &str,
    setup: &[String],
    connections: &mut BTreeMap<String, Connection>,
    request: &Request,
) -> Outcome {
    if !connections.contains_key(&request.connection) {
        let mut connection = Connection::open(database).map_err(|error| lost(&error))?;
        for sql in setup {
            let _ = connection.query(sql, None);
        }
        connections.insert(request.connection.clone(), connection);
    }
    let connection = connections.get_mut(&request.connection);
    let connection = connection.expect("it was made");
    let outcome = connection.query(&request.sql, request.copy.as_deref());
    if connection.is_lost {
        connections.remove(&request.connection);
    }
    outcome
}

fn lost(error: &io::Error) -> Box<Failure> {
    Failure::new(FailureKind::Panic, format!("the server is lost: {error}"))
}

struct Connection {
    stream: BufReader<TcpStream>,
    is_lost: bool,
}

impl Connection {
    fn open(database: &str) -> io::Result<Connection> {
        let address = std::env::var(ADDRESS_VARIABLE);
        let stream = TcpStream::connect(address.as_deref().unwrap_or(ADDRESS_DEFAULT))?;
        stream.set_nodelay(true)?;
        let mut connection = Connection {
            stream: BufReader::new(stream),
            is_lost: false,
        };
        let mut body = PROTOCOL.to_be_bytes().to_vec();
        for text in ["user", USER, "database", database, ""] {
            body.extend(text.as_bytes());
            body.push(0);
        }
        connection.write(None, &body)?;
        loop {
            match connection.read()? {
                (b'Z', _) => return Ok(connection),
                (b'E', body) => return Err(io::Error::other(failure(&body).message)),
                (b'R', body) if body.get(..4) != Some(&[0, 0, 0, 0]) => {
                    return Err(io::Error::other("the server wants a password"));
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
        let mut message: Vec<u8> = kind.into_iter().collect();
        message.extend((body.len() as i32 + 4).to_be_bytes());
        message.extend(body);
        self.stream.get_mut().write_all(&message)
    }

    fn read(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let len = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut body = vec![0; (len - 4).max(0) as usize];
        self.stream.read_exact(&mut body)?;
        Ok((head[0], body))
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
        self.write(Some(b'Q'), &[sql.as_bytes(), &[0]].concat())?;
        let mut answer = Answer::default();
        let mut failed = None;
        loop {
            let (kind, body) = self.read()?;
            match kind {
                b'Z' => break,
                b'T' => answer.table = Some(table_of(&body)),
                b'H' => answer.table = Some(lines_table()),
                b'D' => {
                    if let Some(table) = &mut answer.table {
                        table.rows.push(row(&body));
                    }
                }
                b'd' => {
                    if let Some(table) = &mut answer.table {
                        let line = String::from_utf8_lossy(&body).into_owned();
                        table.rows.push(vec![Some(line)]);
                    }
                }
                b'C' => {
                    let tag = String::from_utf8_lossy(&body).into_owned();
                    let tag = tag.trim_end_matches('\0');
                    answer.affected = tag.rsplit(' ').next().and_then(|n| n.parse().ok());
                    if !tag.starts_with("SELECT") && answer.affected.is_none() {
                        answer.table = answer.table.filter(|_| tag.starts_with("SHOW"));
                    }
                }
                b'E' => failed = Some(failure(&body)),
                b'N' => {
                    let fields = fields(&body);
                    let text = |key| fields.get(&key).cloned().unwrap_or_default();
                    let mut message = text('M');
                    for (key, name) in [('D', "DETAIL"), ('H', "HINT")] {
                        if let Some(more) = fields.get(&key) {
                            message.push_str(&format!("\n{name}:  {more}"));
                        }
                    }
                    let severity = text('S');
                    answer.notices.push(Notice { severity, message });
                }
                b'G' => match data {
                    Some(data) => {
                        for chunk in data.chunks(COPY_CHUNK_BYTES) {
                            self.write(Some(b'd'), chunk)?;
                        }
                        self.write(Some(b'c'), &[])?;
                    }
                    None => self.write(Some(b'f'), b"there are no data\0")?,
                },
                _ => {}
            }
        }
        Ok(failed.map_or(Ok(answer), Err))
    }
}

/// Reads numbers and texts of a message, zeros behind its end.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn take(&mut self, len: usize) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken.to_vec()
    }

    fn i16(&mut self) -> i16 {
        self.take(2).try_into().map_or(0, i16::from_be_bytes)
    }

    fn i32(&mut self) -> i32 {
        self.take(4).try_into().map_or(0, i32::from_be_bytes)
    }

    fn text(&mut self) -> String {
        let len = self.0.iter().position(|byte| *byte == 0);
        let text = self.take(len.unwrap_or(self.0.len()));
        self.take(1);
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn table_of(body: &[u8]) -> Table {
    let mut body = Body(body);
    let columns = (0..body.i16()).map(|_| {
        let name = body.text();
        body.take(6);
        let kind = match body.i32() {
            16 => Kind::Boolean,
            20 | 21 | 23 | 26 | 28 | 29 => Kind::Integer,
            700 | 701 | 790 | 1700 => Kind::Real,
            _ => Kind::Other,
        };
        body.take(8);
        Column { name, kind }
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

fn row(body: &[u8]) -> Vec<Option<String>> {
    let mut body = Body(body);
    let cells = (0..body.i16()).map(|_| match body.i32() {
        -1 => None,
        len => Some(String::from_utf8_lossy(&body.take(len as usize)).into_owned()),
    });
    cells.collect()
}

/// The fields of an error or a notice by their letters.
fn fields(body: &[u8]) -> BTreeMap<char, String> {
    let mut body = Body(body);
    let mut fields = BTreeMap::new();
    while let Some(&key) = body.take(1).first().filter(|key| **key != 0) {
        fields.insert(char::from(key), body.text());
    }
    fields
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
    use super::{failure, row, table_of};
    use crate::engine::Kind;

    #[test]
    fn messages_are_read_and_torn_ones_do_no_harm() {
        let error = failure(b"SERROR\0C42P01\0Mno\0P8\0\0");
        assert_eq!((error.state.as_str(), error.position), ("42P01", Some(8)));
        let cells = row(&[0, 2, 255, 255, 255, 255, 0, 0, 0, 1, b'x']);
        assert_eq!(cells, [None, Some("x".to_owned())]);
        let mut body = vec![0, 1, b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23];
        body.extend([0; 8]);
        assert_eq!(table_of(&body).columns[0].kind, Kind::Integer);
        row(&[0, 9, 0]);
        table_of(&[0, 3, b'a']);
    }
}
