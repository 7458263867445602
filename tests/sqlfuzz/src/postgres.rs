//! A PostgreSQL server: what it answers is right. Speaks the simple query protocol over TCP,
//! without a password.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::answer::{Answer, Failure, FailureKind, Outcome, Row};

const USER: &str = "postgres";
/// Version 3.0 of the protocol.
const PROTOCOL: i32 = 196_608;

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
            let outcome = server.query(sql).map_err(failed)?;
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
            .and_then(|connection| connection.query(sql));
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
                let _ = connection.query(setting)?;
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
            let _ = server.query(&drop);
        }
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(address: &str, database: &str) -> io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut connection = Connection {
            stream: BufReader::new(stream),
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

    fn query(&mut self, sql: &str) -> io::Result<Outcome> {
        self.write(Some(b'Q'), &[sql.as_bytes(), &[0]].concat())?;
        let mut answer = Answer::default();
        let mut failed = None;
        loop {
            let (kind, body) = self.read()?;
            match kind {
                b'Z' => break,
                b'T' => answer.types = types(&body),
                b'D' => answer.rows.push(row(&body)),
                b'E' => failed = Some(failure(&body)),
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

fn types(body: &[u8]) -> Vec<u32> {
    let mut body = Body(body);
    let columns = (0..body.i16()).map(|_| {
        body.text();
        body.take(6);
        let oid = body.i32().cast_unsigned();
        body.take(8);
        oid
    });
    columns.collect()
}

fn row(body: &[u8]) -> Row {
    let mut body = Body(body);
    let cells = (0..body.i16()).map(|_| match body.i32() {
        -1 => None,
        len => Some(String::from_utf8_lossy(&body.take(len as usize)).into_owned()),
    });
    cells.collect()
}

fn failure(body: &[u8]) -> Failure {
    let mut body = Body(body);
    let mut failure = Failure::new(FailureKind::Error, "");
    while let Some(&key) = body.take(1).first().filter(|key| **key != 0) {
        let text = body.text();
        match key {
            b'C' => failure.state = text,
            b'M' => failure.message = text,
            _ => {}
        }
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::{failure, row, types};

    #[test]
    fn messages_are_read_and_torn_ones_do_no_harm() {
        let error = failure(b"SERROR\0C42P01\0Mno\0P8\0\0");
        assert_eq!(
            (error.state.as_str(), error.message.as_str()),
            ("42P01", "no")
        );
        let cells = row(&[0, 2, 255, 255, 255, 255, 0, 0, 0, 1, b'x']);
        assert_eq!(cells, [None, Some("x".to_owned())]);
        let mut body = vec![0, 1, b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23];
        body.extend([0; 8]);
        assert_eq!(types(&body), [23]);
        row(&[0, 9, 0]);
        types(&[0, 3, b'a']);
    }
}
