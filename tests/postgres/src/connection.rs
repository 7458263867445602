use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;

use crate::message::fields;

const USER: &str = "postgres";
/// Version 3.0 of the protocol.
const PROTOCOL: u32 = 196_608;
/// A length counts itself.
const LENGTH_BYTES: u32 = 4;

/// A session on a server.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// What the server sends.
pub struct Message {
    /// The letter of the protocol that says what it is.
    pub kind: u8,
    /// What is behind the length.
    pub body: Vec<u8>,
}

impl Connection {
    /// Begins a session on a database of the server at `host:port`.
    pub fn open(address: &str, database: &str) -> io::Result<Connection> {
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
            let message = connection.receive()?;
            match message.kind {
                b'Z' => return Ok(connection),
                b'E' => {
                    let text = fields(&message.body).remove(&'M');
                    return Err(io::Error::other(text.unwrap_or_default()));
                }
                b'R' if message.body.get(..4) != Some(&[0, 0, 0, 0]) => {
                    return Err(io::Error::other("the server wants a password"));
                }
                _ => {}
            }
        }
    }

    /// Sends statements; what they answer is to be received up to the message `Z`.
    pub fn ask(&mut self, sql: &str) -> io::Result<()> {
        self.send(b'Q', &[sql.as_bytes(), &[0]].concat())
    }

    /// Sends a message.
    pub fn send(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        self.write(Some(kind), body)
    }

    /// Waits for a message.
    pub fn receive(&mut self) -> io::Result<Message> {
        let mut kind = [0; 1];
        let mut length = [0; 4];
        self.stream.read_exact(&mut kind)?;
        self.stream.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length).saturating_sub(LENGTH_BYTES);
        let mut body = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.stream.read_exact(&mut body)?;
        let [kind] = kind;
        Ok(Message { kind, body })
    }

    fn write(&mut self, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
        let length = u32::try_from(body.len()).map_err(io::Error::other)?;
        let mut message: Vec<u8> = kind.into_iter().collect();
        message.extend((length + LENGTH_BYTES).to_be_bytes());
        message.extend(body);
        self.stream.get_mut().write_all(&message)
    }
}
