//! Cuts text format into fields: lines, a delimiter between fields, and backslashes before what
//! means something else.

use varve_types::Result;

use crate::record::{FieldKind, Record, RecordReader, Step, bad_file, check_length};

/// How lines end, known from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Newline,
    Return,
    Both,
}

/// A line is gathered whole, then cut: what stands behind a backslash is never an end of it.
#[derive(Debug)]
pub struct TextReader {
    delimiter: u8,
    null: Vec<u8>,
    default: Option<Vec<u8>>,
    line_end: LineEnd,
    /// The line that is being read.
    raw: Vec<u8>,
    /// Its last byte is a backslash that takes the next one with it.
    is_escaped: bool,
    /// The last byte was a carriage return: a line feed may belong to it.
    after_return: bool,
    line: u64,
    record: Record,
}

impl TextReader {
    /// A reader at the start of a file.
    pub fn new(delimiter: u8, null: &str, default: Option<&str>) -> TextReader {
        TextReader {
            delimiter,
            null: null.as_bytes().to_vec(),
            default: default.map(|default| default.as_bytes().to_vec()),
            line_end: LineEnd::Unknown,
            raw: Vec::new(),
            is_escaped: false,
            after_return: false,
            line: 0,
            record: Record::default(),
        }
    }

    /// Takes a byte that may end the line; answers whether it does.
    fn step(&mut self, byte: u8) -> Result<bool> {
        if std::mem::take(&mut self.after_return) {
            if byte == b'\n' && matches!(self.line_end, LineEnd::Unknown | LineEnd::Both) {
                self.line_end = LineEnd::Both;
                return Ok(false);
            }
            match self.line_end {
                LineEnd::Unknown => self.line_end = LineEnd::Return,
                LineEnd::Both => return Err(self.stray(b'\r')),
                _ => {}
            }
        }
        if self.is_escaped {
            self.is_escaped = false;
            self.raw.push(byte);
            return Ok(false);
        }
        match (byte, self.line_end) {
            (b'\n', LineEnd::Unknown) => self.line_end = LineEnd::Newline,
            (b'\n', LineEnd::Newline) => {}
            (b'\r', LineEnd::Unknown | LineEnd::Both) => self.after_return = true,
            (b'\r', LineEnd::Return) => {}
            (b'\n' | b'\r', _) => return Err(self.stray(byte)),
            _ => {
                self.is_escaped = byte == b'\\';
                self.raw.push(byte);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An end of a line that the lines before do not have.
    fn stray(&mut self, byte: u8) -> varve_types::Error {
        self.begin();
        let (what, hint) = match byte {
            b'\n' => ("newline", "Use \"\\n\" to represent newline."),
            _ => (
                "carriage return",
                "Use \"\\r\" to represent carriage return.",
            ),
        };
        bad_file(format!("literal {what} found in data")).with_hint(hint)
    }

    fn begin(&mut self) {
        self.line += 1;
        self.record.begin(self.line);
    }

    /// Cuts the line that was gathered; answers whether it is a record, not the end of the data.
    fn cut(&mut self) -> Result<bool> {
        let raw = std::mem::take(&mut self.raw);
        if raw == b"\\." {
            return Ok(false);
        }
        self.begin();
        self.record.show(&raw);
        let mut rest = raw.as_slice();
        loop {
            let mut end = 0;
            let mut has_escapes = false;
            while let Some(byte) = rest.get(end).filter(|byte| **byte != self.delimiter) {
                let escapes = *byte == b'\\';
                has_escapes |= escapes;
                end += 1 + usize::from(escapes);
            }
            let (field, behind) = rest.split_at(end.min(rest.len()));
            if field == self.null {
                self.record.end_field(FieldKind::Null);
            } else if self.default.as_deref() == Some(field) {
                self.record.end_field(FieldKind::Default);
            } else {
                match has_escapes {
                    true => self.push_escaped(field)?,
                    false => self.record.push(field)?,
                }
                self.record.end_field(FieldKind::Value);
            }
            match behind.split_first() {
                Some((_, behind)) => rest = behind,
                None => break,
            }
        }
        // The next line needs about as much.
        self.raw = raw;
        self.raw.clear();
        Ok(true)
    }

    fn push_escaped(&mut self, field: &[u8]) -> Result<()> {
        let mut rest = field;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
            let (plain, behind) = rest.split_at(at);
            self.record.push(plain)?;
            let Some((escaped, behind)) = behind.get(1..).and_then(<[u8]>::split_first) else {
                // A backslash that ends the data stands for itself.
                rest = behind;
                break;
            };
            rest = behind;
            let mut digits = |radix: u32, most: usize, first: Option<u8>| {
                let mut value = first.map_or(0, |digit| u32::from(digit - b'0'));
                let mut taken = usize::from(first.is_some());
                while taken < most
                    && let Some((digit, behind)) = rest.split_first()
                    && let Some(digit) = char::from(*digit).to_digit(radix)
                {
                    value = value * radix + digit;
                    rest = behind;
                    taken += 1;
                }
                u8::try_from(value & 0xFF).ok().filter(|_| taken > 0)
            };
            let byte = match escaped {
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                b'0'..=b'7' => digits(8, 3, Some(*escaped)).unwrap_or_default(),
                b'x' => digits(16, 2, None).unwrap_or(b'x'),
                b'.' => return Err(bad_file("end-of-copy marker corrupt")),
                byte => *byte,
            };
            self.record.push(&[byte])?;
        }
        self.record.push(rest)
    }
}

impl RecordReader for TextReader {
    fn read(&mut self, input: &[u8]) -> Result<Step> {
        let mut rest = input;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            if self.step(*byte)? {
                return Ok(match self.cut()? {
                    true => Step::Record(input.len() - rest.len()),
                    false => Step::End,
                });
            }
            if !self.is_escaped && !self.after_return {
                let end = rest
                    .iter()
                    .position(|byte| matches!(byte, b'\n' | b'\r' | b'\\'));
                let (plain, after) = rest.split_at(end.unwrap_or(rest.len()));
                self.raw.extend_from_slice(plain);
                rest = after;
            }
            check_length(self.raw.len())?;
        }
        Ok(Step::More)
    }

    fn finish(&mut self) -> Result<bool> {
        match self.raw.is_empty() {
            true => Ok(false),
            false => self.cut(),
        }
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::TextReader;
    use crate::record::{FieldKind, RecordReader, Step};

    /// The fields of all records, NULL as `None`, or the error.
    fn read_all(text: &[u8], chunk_bytes: usize) -> Result<Vec<Vec<Option<String>>>, String> {
        let mut reader = TextReader::new(b'\t', "\\N", None);
        let mut records = Vec::new();
        let take = |reader: &TextReader, records: &mut Vec<_>| {
            let record = reader.record();
            let fields = (0..record.len()).map(|at| {
                let field = record.field(at).unwrap();
                let text = String::from_utf8_lossy(field.bytes).into_owned();
                (field.kind != FieldKind::Null).then_some(text)
            });
            records.push(fields.collect());
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
    fn lines_are_cut_as_postgresql_cuts_them() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            ("", vec![]),
            ("a\tb\n", vec![vec![some("a"), some("b")]]),
            ("a\r\n\\N\r\n", vec![vec![some("a")], vec![None]]),
            ("\n", vec![vec![some("")]]),
            ("a\n\\.\nb\n", vec![vec![some("a")]]),
            ("a", vec![vec![some("a")]]),
            (
                "\\t\\\\\\x41\\101\\q\\\t\\\nb\t\\\\N\n",
                vec![vec![some("\t\\AAq\t\nb"), some("\\N")]],
            ),
            ("x\\NN\n", vec![vec![some("xNN")]]),
        ];
        for (text, expected) in cases {
            assert_eq!(read_all(text.as_bytes(), 1000), Ok(expected), "{text:?}");
        }
        let errors = [
            ("a\nb\rc\n", "literal carriage return found in data"),
            ("a\r\nb\n", "literal newline found in data"),
            ("a\\.b\n", "end-of-copy marker corrupt"),
        ];
        for (text, message) in errors {
            let error = read_all(text.as_bytes(), 1000).unwrap_err();
            assert_eq!(error, message, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[ab\\\\N.\t\r\n]{0,40}", chunk_bytes in 1..8usize) {
            let whole = read_all(text.as_bytes(), 1000);
            prop_assert_eq!(read_all(text.as_bytes(), chunk_bytes), whole);
        }
    }
}
