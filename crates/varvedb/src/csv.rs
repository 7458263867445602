//! Cuts CSV text into fields as PostgreSQL's COPY does, from chunks of any size.
//!
//! No crate is used because COPY must know whether a field was quoted (an unquoted empty field is
//! NULL, a quoted one is the empty string) and on which line a record began, which the common
//! readers do not tell.

use varve_types::{Error, Result, SqlState};

/// One record: its fields one after another, and where they end.
#[derive(Debug, Default)]
pub(crate) struct Record {
    bytes: Vec<u8>,
    fields: Vec<FieldEnd>,
    /// The line, from 1, on which the record began.
    pub line: u64,
}

#[derive(Debug, Clone, Copy)]
struct FieldEnd {
    end: usize,
    quoted: bool,
}

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawField<'a> {
    pub bytes: &'a [u8],
    /// Whether any part of it stood in quotes: then it is never NULL.
    pub quoted: bool,
}

impl Record {
    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Field `i`.
    pub fn field(&self, i: usize) -> Option<RawField<'_>> {
        let FieldEnd { end, quoted } = *self.fields.get(i)?;
        let start = match i.checked_sub(1) {
            Some(before) => self.fields.get(before)?.end,
            None => 0,
        };
        Some(RawField {
            bytes: self.bytes.get(start..end)?,
            quoted,
        })
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.fields.clear();
    }
}

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
    /// After a carriage return that ended a record: a line feed belongs to it.
    AfterReturn,
}

/// The state machine. A record is bounded by `record_bytes_max`.
#[derive(Debug)]
pub(crate) struct CsvReader {
    delimiter: u8,
    quote: u8,
    state: State,
    quoted: bool,
    line: u64,
    record: Record,
    record_bytes_max: usize,
}

impl CsvReader {
    /// A reader at the start of a file.
    pub fn new(delimiter: u8, quote: u8, record_bytes_max: usize) -> CsvReader {
        CsvReader {
            delimiter,
            quote,
            state: State::RecordStart,
            quoted: false,
            line: 1,
            record: Record {
                line: 1,
                ..Record::default()
            },
            record_bytes_max,
        }
    }

    /// Reads up to the end of one record; answers how many bytes of `input` were taken and whether
    /// [`CsvReader::record`] is complete. Not complete means that all of `input` was taken.
    pub fn read(&mut self, input: &[u8]) -> Result<(usize, bool)> {
        let mut rest = input;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            if self.step(*byte)? {
                return Ok((input.len() - rest.len(), true));
            }
            let plain = self.plain_bytes(rest);
            let (plain, after) = rest.split_at(plain);
            self.push_all(plain)?;
            rest = after;
        }
        Ok((input.len(), false))
    }

    /// How many of the next bytes stand for themselves.
    fn plain_bytes(&self, bytes: &[u8]) -> usize {
        let (quote, delimiter) = (self.quote, self.delimiter);
        let end = match self.state {
            State::Plain => bytes.iter().position(|byte| {
                *byte == delimiter || *byte == quote || *byte == b'\n' || *byte == b'\r'
            }),
            State::Quoted => bytes
                .iter()
                .position(|byte| *byte == quote || *byte == b'\n'),
            _ => Some(0),
        };
        end.unwrap_or(bytes.len())
    }

    /// Ends the input; answers whether a last record without a line end is complete now.
    pub fn finish(&mut self) -> Result<bool> {
        match self.state {
            State::RecordStart | State::AfterReturn => Ok(false),
            State::Plain | State::QuoteInQuotes => {
                self.end_field();
                self.state = State::RecordStart;
                Ok(true)
            }
            State::Quoted => Err(Error::new(
                SqlState::BAD_COPY_FILE_FORMAT,
                "unterminated CSV quoted field",
            )),
        }
    }

    /// The record that was completed last.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The line that is being read, from 1.
    pub fn record_line(&self) -> u64 {
        self.record.line
    }

    fn step(&mut self, byte: u8) -> Result<bool> {
        if self.state == State::AfterReturn {
            self.state = State::RecordStart;
            if byte == b'\n' {
                return Ok(false);
            }
        }
        if self.state == State::RecordStart {
            self.record.clear();
            self.record.line = self.line;
            self.state = State::Plain;
        }
        match self.state {
            State::Quoted if byte == self.quote => self.state = State::QuoteInQuotes,
            State::Quoted => {
                if byte == b'\n' {
                    self.line += 1;
                }
                self.push(byte)?;
            }
            State::QuoteInQuotes if byte == self.quote => {
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
        self.push_all(&[byte])
    }

    fn push_all(&mut self, bytes: &[u8]) -> Result<()> {
        if self.record.bytes.len() + bytes.len() > self.record_bytes_max {
            return Err(Error::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("CSV record longer than {} bytes", self.record_bytes_max),
            ));
        }
        self.record.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn end_field(&mut self) {
        let end = self.record.bytes.len();
        self.record.fields.push(FieldEnd {
            end,
            quoted: self.quoted,
        });
        self.quoted = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::CsvReader;

    type Fields = Vec<(String, bool)>;
    /// A text and the line and fields (with whether they were quoted) of each of its records.
    type Case<'a> = (&'a str, &'a [(u64, &'a [(&'a str, bool)])]);

    fn read_all(text: &[u8], chunk_bytes: usize) -> Result<Vec<(u64, Fields)>, String> {
        let mut reader = CsvReader::new(b',', b'"', 1000);
        let mut records = Vec::new();
        let take = |reader: &CsvReader, records: &mut Vec<(u64, Fields)>| {
            let record = reader.record();
            let fields = (0..record.len()).map(|i| {
                let field = record.field(i).unwrap();
                (
                    String::from_utf8_lossy(field.bytes).into_owned(),
                    field.quoted,
                )
            });
            records.push((record.line, fields.collect()));
        };
        for chunk in text.chunks(chunk_bytes) {
            let mut rest = chunk;
            while !rest.is_empty() {
                let (taken, complete) = reader.read(rest).map_err(|error| error.to_string())?;
                rest = &rest[taken..];
                if complete {
                    take(&reader, &mut records);
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
        assert!(
            read_all(&[b'a'; 1001], 10)
                .unwrap_err()
                .contains("longer than 1000")
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
