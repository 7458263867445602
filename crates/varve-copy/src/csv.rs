//! Cuts CSV text into fields as PostgreSQL's COPY does, from chunks of any size.
//!
//! No crate is used because COPY must know whether a field was quoted (an unquoted empty field is
//! NULL, a quoted one is the empty string) and on which line a record began, which the common
//! readers do not tell.

use varve_types::Result;

use crate::record::{FieldKind, Record, RecordReader, Step, bad_file};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte of a record.
    RecordStart,
    /// In a field, outside quotes.
    Plain,
    /// Inside quotes.
    Quoted,
    /// After a quote inside quotes: the end of the quotes, or the first half of a doubled quote.
    QuoteInQuotes,
    /// After the escape inside quotes, where it is no quote.
    EscapeInQuotes,
    /// After a carriage return that ended a record: a line feed belongs to it.
    AfterReturn,
}

/// The state machine.
#[derive(Debug)]
pub struct CsvReader {
    delimiter: u8,
    quote: u8,
    escape: u8,
    state: State,
    quoted: bool,
    line: u64,
    record: Record,
}

impl CsvReader {
    /// A reader at the start of a file.
    pub fn new(delimiter: u8, quote: u8, escape: u8) -> CsvReader {
        CsvReader {
            delimiter,
            quote,
            escape,
            state: State::RecordStart,
            quoted: false,
            line: 1,
            record: Record::default(),
        }
    }

    /// How many of the next bytes stand for themselves.
    fn plain_bytes(&self, bytes: &[u8]) -> usize {
        let (quote, delimiter, escape) = (self.quote, self.delimiter, self.escape);
        let end = match self.state {
            State::Plain => bytes.iter().position(|byte| {
                *byte == delimiter || *byte == quote || *byte == b'\n' || *byte == b'\r'
            }),
            State::Quoted => bytes
                .iter()
                .position(|byte| *byte == quote || *byte == escape || *byte == b'\n'),
            _ => Some(0),
        };
        end.unwrap_or(bytes.len())
    }

    fn step(&mut self, byte: u8) -> Result<bool> {
        if self.state == State::AfterReturn {
            self.state = State::RecordStart;
            if byte == b'\n' {
                return Ok(false);
            }
        }
        if self.state == State::RecordStart {
            self.record.begin(self.line);
            self.state = State::Plain;
        }
        match self.state {
            State::EscapeInQuotes => {
                self.state = State::Quoted;
                if byte != self.quote && byte != self.escape {
                    self.push(self.escape)?;
                }
                self.push(byte)?;
                self.line += u64::from(byte == b'\n');
            }
            State::Quoted if byte == self.escape && byte != self.quote => {
                self.state = State::EscapeInQuotes;
            }
            State::Quoted if byte == self.quote => self.state = State::QuoteInQuotes,
            State::Quoted => {
                if byte == b'\n' {
                    self.line += 1;
                }
                self.push(byte)?;
            }
            State::QuoteInQuotes if byte == self.quote && self.escape == self.quote => {
                self.push(byte)?;
                self.state = State::Quoted;
            }
            _ => {
                self.state = State::Plain;
                if byte == self.quote {
                    self.quoted = true;
                    self.state = State::Quoted;
                } else if byte == self.delimiter {
                    self.end_field();
                } else if byte == b'\n' || byte == b'\r' {
                    self.line += 1;
                    self.end_field();
                    self.state = if byte == b'\r' {
                        State::AfterReturn
                    } else {
                        State::RecordStart
                    };
                    return Ok(true);
                } else {
                    self.push(byte)?;
                }
            }
        }
        Ok(false)
    }

    fn push(&mut self, byte: u8) -> Result<()> {
        self.record.push(&[byte])
    }

    fn end_field(&mut self) {
        let quoted = std::mem::take(&mut self.quoted);
        self.record.end_field(match quoted {
            true => FieldKind::Quoted,
            false => FieldKind::Plain,
        });
    }

    /// Whether the record is the line that ends the data.
    fn is_end(&self) -> bool {
        let field = self.record.field(0);
        self.record.len() == 1
            && field.is_some_and(|field| field.kind == FieldKind::Plain && field.bytes == b"\\.")
    }
}

impl RecordReader for CsvReader {
    fn read(&mut self, input: &[u8]) -> Result<Step> {
        let mut rest = input;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            if self.step(*byte)? {
                return Ok(match self.is_end() {
                    true => Step::End,
                    false => Step::Record(input.len() - rest.len()),
                });
            }
            if self.state == State::RecordStart {
                continue;
            }
            let (plain, after) = rest.split_at(self.plain_bytes(rest));
            self.record.show(&[*byte]);
            self.record.show(plain);
            self.record.push(plain)?;
            rest = after;
        }
        Ok(Step::More)
    }

    fn finish(&mut self) -> Result<bool> {
        match self.state {
            State::RecordStart | State::AfterReturn => Ok(false),
            State::Plain | State::QuoteInQuotes => {
                self.end_field();
                self.state = State::RecordStart;
                Ok(!self.is_end())
            }
            State::Quoted | State::EscapeInQuotes => Err(bad_file("unterminated CSV quoted field")),
        }
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::CsvReader;
    use crate::record::{FieldKind, RecordReader, Step};

    type Fields = Vec<(String, bool)>;
    /// A text and the line and fields (with whether they were quoted) of each of its records.
    type Case<'a> = (&'a str, &'a [(u64, &'a [(&'a str, bool)])]);

    fn read_all(text: &[u8], chunk_bytes: usize) -> Result<Vec<(u64, Fields)>, String> {
        let mut reader = CsvReader::new(b',', b'"', b'"');
        let mut records = Vec::new();
        let take = |reader: &CsvReader, records: &mut Vec<(u64, Fields)>| {
            let record = reader.record();
            let fields = (0..record.len()).map(|i| {
                let field = record.field(i).unwrap();
                (
                    String::from_utf8_lossy(field.bytes).into_owned(),
                    field.kind == FieldKind::Quoted,
                )
            });
            records.push((record.line, fields.collect()));
        };
        for chunk in text.chunks(chunk_bytes) {
            let mut rest = chunk;
            loop {
                match reader.read(rest).map_err(|error| error.to_string())? {
                    Step::More => break,
                    Step::End => return Ok(records),
                    Step::Record(taken) => {
                        take(&reader, &mut records);
                        rest = &rest[taken..];
                    }
                }
            }
        }
        if reader.finish().map_err(|error| error.to_string())? {
            take(&reader, &mut records);
        }
        Ok(records)
    }

    #[test]
    fn cuts_as_postgres_does() {
        let cases: [Case<'_>; 9] = [
            ("", &[]),
            ("a,b\n", &[(1, &[("a", false), ("b", false)])]),
            ("a,b", &[(1, &[("a", false), ("b", false)])]),
            (
                "a,\r\n\"\",c\r\n",
                &[
                    (1, &[("a", false), ("", false)]),
                    (2, &[("", true), ("c", false)]),
                ],
            ),
            (
                "\"a,\"\"b\"\"\",c\n",
                &[(1, &[("a,\"b\"", true), ("c", false)])],
            ),
            (
                "\"a\nb\",c\nd,e\n",
                &[
                    (1, &[("a\nb", true), ("c", false)]),
                    (3, &[("d", false), ("e", false)]),
                ],
            ),
            ("a\rb\r", &[(1, &[("a", false)]), (2, &[("b", false)])]),
            (
                "\n,\n",
                &[(1, &[("", false)]), (2, &[("", false), ("", false)])],
            ),
            ("a\"b,\"c\n", &[(1, &[("ab,c", true)])]),
        ];
        for (text, expected) in &cases {
            let expected: Vec<(u64, Fields)> = expected
                .iter()
                .map(|(line, fields)| {
                    (
                        *line,
                        fields
                            .iter()
                            .map(|(text, q)| ((*text).to_owned(), *q))
                            .collect(),
                    )
                })
                .collect();
            assert_eq!(
                read_all(text.as_bytes(), 1000).unwrap(),
                expected,
                "{text:?}"
            );
        }
        assert_eq!(
            read_all(b"a,\"b\n", 10).unwrap_err(),
            "unterminated CSV quoted field"
        );
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[ab,\"\r\n]{0,40}", chunk_bytes in 1..8usize) {
            let whole = read_all(text.as_bytes(), 1000);
            prop_assert_eq!(read_all(text.as_bytes(), chunk_bytes), whole);
        }

        #[test]
        fn quoted_fields_come_back(
            fields in proptest::collection::vec("[a,\"\r\n\u{e9}]{0,6}", 1..5),
        ) {
            let line: Vec<String> =
                fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
            let records = read_all(line.join(",").as_bytes(), 3).unwrap();
            let back: Vec<String> =
                records[0].1.iter().map(|(field, _)| field.clone()).collect();
            prop_assert_eq!(back, fields);
        }
    }
}
