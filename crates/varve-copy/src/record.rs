//! Records as the readers of COPY cut them, whatever the format.

use varve_types::{Error, Result, SqlState};

/// The longest record: far above any row that a run takes.
const RECORD_BYTES_MAX: usize = 64 << 20;
/// The most of a line that an error shows.
const SHOWN_BYTES_MAX: usize = 100;

/// One record: its fields one after another, and where they end.
#[derive(Debug, Default)]
pub struct Record {
    bytes: Vec<u8>,
    fields: Vec<FieldEnd>,
    /// The line, from 1, on which the record began.
    pub line: u64,
    /// The beginning of the record as it was read.
    shown: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct FieldEnd {
    end: usize,
    kind: FieldKind,
}

/// What is known of a field beside its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Its text may stand for NULL.
    Plain,
    /// Part of it stood in quotes: it is no NULL unless the statement says so.
    Quoted,
    /// It is what it is.
    Value,
    /// It is NULL.
    Null,
    /// It is the default of its column.
    Default,
}

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawField<'a> {
    pub bytes: &'a [u8],
    pub kind: FieldKind,
}

/// What a reader has found in the bytes that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All of them were taken.
    More,
    /// A record is complete after so many bytes.
    Record(usize),
    /// The end of the data: what follows is passed over.
    End,
}

/// Cuts bytes into records.
pub trait RecordReader {
    /// Reads up to the end of one record.
    fn read(&mut self, input: &[u8]) -> Result<Step>;

    /// Ends the input; answers whether a last record is complete now.
    fn finish(&mut self) -> Result<bool>;

    /// The record that was completed last, or that is being read.
    fn record(&self) -> &Record;
}

impl Record {
    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Field `i`.
    pub fn field(&self, i: usize) -> Option<RawField<'_>> {
        let FieldEnd { end, kind } = *self.fields.get(i)?;
        let start = match i.checked_sub(1) {
            Some(before) => self.fields.get(before)?.end,
            None => 0,
        };
        Some(RawField {
            bytes: self.bytes.get(start..end)?,
            kind,
        })
    }

    /// Begins a record.
    pub fn begin(&mut self, line: u64) {
        self.bytes.clear();
        self.fields.clear();
        self.shown.clear();
        self.line = line;
    }

    /// Adds to the field that is being read.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        check_length(self.bytes.len() + bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the field that is being read.
    pub fn end_field(&mut self, kind: FieldKind) {
        let end = self.bytes.len();
        self.fields.push(FieldEnd { end, kind });
    }

    /// Remembers the beginning of the line for errors.
    pub fn show(&mut self, bytes: &[u8]) {
        let room = (SHOWN_BYTES_MAX + 1).saturating_sub(self.shown.len());
        self.shown.extend(bytes.iter().take(room));
    }

    /// What an error shows of the line.
    pub fn shown(&self) -> String {
        shortened(&self.shown)
    }
}

/// Bytes as an error shows them, cut where they are long.
pub fn shortened(bytes: &[u8]) -> String {
    if bytes.len() <= SHOWN_BYTES_MAX {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut end = SHOWN_BYTES_MAX;
    // Not within a character.
    while end > 0 && bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end -= 1;
    }
    let shown = bytes.get(..end).unwrap_or_default();
    format!("{}...", String::from_utf8_lossy(shown))
}

/// Refuses a record that is too long.
pub fn check_length(bytes: usize) -> Result<()> {
    match bytes > RECORD_BYTES_MAX {
        true => Err(Error::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("record longer than {RECORD_BYTES_MAX} bytes"),
        )),
        false => Ok(()),
    }
}

/// `22P04`
pub fn bad_file(message: impl Into<String>) -> Error {
    Error::new(SqlState::BAD_COPY_FILE_FORMAT, message)
}
