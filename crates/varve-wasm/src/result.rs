//! Result sets as one block of bytes in Arrow memory layout, which JavaScript reads through typed
//! arrays.
//!
//! Numbers are little-endian. Every part begins at a multiple of 8 bytes; `pad` means zeros up to
//! the next one.
//!
//! | part | bytes |
//! |---|---|
//! | message | `u32` magic, `u32` sets; the sets |
//! | set | `u32` fields, `u32` batches, `u32` notices, `u32` command bytes, `i64` affected rows or -1; command, pad; the fields; the notices; the batches |
//! | field | `u32` type OID, `u32` name bytes; name, pad |
//! | notice | `u32` bytes of severity, message, detail and hint, 0 for one that is missing; SQLSTATE, pad; these four, each with pad |
//! | batch | `u32` rows, pad; a column for each field |
//! | column | `u8` form (0 plain, 1 dictionary), `u8` 1 with validity, `u8` layout, `u8` 0, `u32` dictionary number or 0; validity; plain: the values of all rows; dictionary: `u32` code for each row, pad, and the dictionary if it was not in the set before |
//! | validity | a bit a row, least significant first, 1 = present, pad |
//! | dictionary | `u32` values, pad; the values |
//! | values | layout 1: bits, pad; 2: `i32`, pad; 3: `i64`; 4: `f64`; 5: `u32` offsets, one more than values, pad; UTF-8, pad; 6: as 5, any bytes |
//!
//! Layout 5 has text, and what JavaScript has no type for as PostgreSQL writes it: numeric, time,
//! interval, uuid, jsonb, arrays, enums, names of the catalogs (`regclass` and the like). Layout
//! 6 has bytea. A real is the double nearest to its shortest text.
//!
//! Dictionaries of a set are numbered from 0 in the order in which they first occur, so a reader
//! knows a new one by its number. A NULL row holds any value and any code.

use std::sync::Arc;

use varve_types::{
    Batch, Bitmap, Column, ColumnData, ElementType, Error, LogicalType, Result, SqlState, parse_f64,
};
use varvedb::{DEFAULT_LOCALE, Locale, ResultSet, format_value, write_cell};

/// The first bytes of a message: `VRS2`.
const MAGIC: u32 = u32::from_le_bytes(*b"VRS2");

const FORM_PLAIN: u8 = 0;
const FORM_DICTIONARY: u8 = 1;

/// A dictionary of more values than this many times the rows that use it is not worth sending.
const DICTIONARY_VALUES_PER_ROW_MAX: usize = 4;

/// Encodes the results of a script, or the one result of a statement.
pub fn encode_results(sets: &[ResultSet]) -> Result<Vec<u8>> {
    let values_bytes: usize = sets
        .iter()
        .flat_map(|set| &set.batches)
        .map(Batch::memory_bytes)
        .sum();
    let mut writer = Writer {
        out: Vec::with_capacity(values_bytes + 1024),
        locale: Locale::default(),
    };
    writer.u32(MAGIC);
    writer.count(sets.len())?;
    for set in sets {
        encode_set(&mut writer, set)?;
    }
    Ok(writer.out)
}

fn encode_set(writer: &mut Writer, set: &ResultSet) -> Result<()> {
    writer.locale = set.locale.clone();
    writer.count(set.fields.len())?;
    writer.count(set.batches.len())?;
    writer.count(set.notices.len())?;
    writer.count(set.command.len())?;
    let affected_rows = set
        .affected_rows
        .map_or(Ok(-1), i64::try_from)
        .map_err(|_| too_large())?;
    writer.bytes(&affected_rows.to_le_bytes());
    writer.padded(set.command.as_bytes());
    for field in &*set.fields {
        writer.u32(field.ty.oid());
        writer.count(field.name.len())?;
        writer.padded(field.name.as_bytes());
    }
    for notice in &set.notices {
        let texts = [
            notice.severity,
            &notice.message,
            notice.detail.as_deref().unwrap_or_default(),
            notice.hint.as_deref().unwrap_or_default(),
        ];
        for text in texts {
            writer.count(text.len())?;
        }
        writer.padded(notice.state.code().as_bytes());
        for text in texts {
            writer.padded(text.as_bytes());
        }
    }
    let mut dictionaries = Vec::new();
    for batch in &set.batches {
        writer.count(batch.rows())?;
        writer.pad();
        for column in batch.compact().physical_columns() {
            encode_column(writer, column, &mut dictionaries)?;
        }
    }
    Ok(())
}

fn encode_column(
    writer: &mut Writer,
    column: &Arc<Column>,
    dictionaries: &mut Vec<Arc<Column>>,
) -> Result<()> {
    if let ColumnData::Dictionary { codes, values } = column.data() {
        let known = dictionaries
            .iter()
            .position(|sent| Arc::ptr_eq(sent, values));
        let pays = values.len() <= codes.len() * DICTIONARY_VALUES_PER_ROW_MAX;
        if known.is_some() || pays {
            let number = known.unwrap_or(dictionaries.len());
            writer.head(FORM_DICTIONARY, column, layout(values)?);
            writer.count(number)?;
            writer.validity(column.validity());
            for code in codes {
                writer.u32(*code);
            }
            writer.pad();
            if known.is_none() {
                writer.count(values.len())?;
                writer.pad();
                encode_values(writer, values)?;
                dictionaries.push(Arc::clone(values));
            }
            return Ok(());
        }
    }
    let column = column.flatten();
    writer.head(FORM_PLAIN, &column, layout(&column)?);
    writer.u32(0);
    writer.validity(column.validity());
    encode_values(writer, &column)
}

/// Whether the numbers of a type say nothing to a reader who has not got the catalog.
fn is_sent_as_text(ty: LogicalType) -> bool {
    ty.is_reg() || matches!(ty, LogicalType::Time | LogicalType::Enum(_))
}

fn layout(column: &Column) -> Result<u8> {
    if is_sent_as_text(column.logical_type()) {
        return Ok(5);
    }
    match column.data() {
        ColumnData::Boolean(_) => Ok(1),
        ColumnData::Int32(_) => Ok(2),
        ColumnData::Int64(_) => Ok(3),
        ColumnData::Float64(_) => Ok(4),
        ColumnData::Binary(_) if column.logical_type() == LogicalType::Bytea => Ok(6),
        ColumnData::Text(_) | ColumnData::Decimal(_) | ColumnData::Binary(_) => Ok(5),
        _ => Err(Error::internal("a flattened column is still encoded")),
    }
}

fn encode_values(writer: &mut Writer, column: &Column) -> Result<()> {
    if is_sent_as_text(column.logical_type()) {
        return encode_as_text(writer, column);
    }
    match column.data() {
        ColumnData::Boolean(bits) => writer.bytes(bits.as_bytes()),
        ColumnData::Int32(values) => {
            values
                .iter()
                .for_each(|value| writer.bytes(&value.to_le_bytes()));
        }
        ColumnData::Int64(values) => {
            values
                .iter()
                .for_each(|value| writer.bytes(&value.to_le_bytes()));
        }
        ColumnData::Float64(_) if column.logical_type() == LogicalType::Float4 => {
            for row in 0..column.len() {
                let shortest = parse_f64(&format_value(&column.value(row), &DEFAULT_LOCALE));
                writer.bytes(&shortest.unwrap_or(f64::NAN).to_le_bytes());
            }
        }
        ColumnData::Float64(values) => {
            values
                .iter()
                .for_each(|value| writer.bytes(&value.to_le_bytes()));
        }
        ColumnData::Text(strings) => {
            strings
                .offsets()
                .iter()
                .for_each(|offset| writer.u32(*offset));
            writer.pad();
            writer.bytes(strings.text().as_bytes());
        }
        ColumnData::Binary(values) if column.logical_type() == LogicalType::Bytea => {
            values
                .offsets()
                .iter()
                .for_each(|offset| writer.u32(*offset));
            writer.pad();
            writer.bytes(values.bytes());
        }
        ColumnData::Decimal(_) | ColumnData::Binary(_) => return encode_as_text(writer, column),
        _ => {
            return Err(Error::internal(
                "an encoded column where a plain one belongs",
            ));
        }
    }
    writer.pad();
    Ok(())
}

/// Whether the reader makes of each element of an array what it makes of a single value, which
/// does not come as text.
fn has_native_elements(ty: LogicalType) -> bool {
    use ElementType::{Bytea, Date, Float4, Float8, Timestamp, TimestampTz};
    matches!(
        ty,
        LogicalType::Array(Bytea | Date | Float4 | Float8 | Timestamp | TimestampTz)
    )
}

/// The values as PostgreSQL writes them: under the session's settings, but for what the reader
/// reads on.
fn encode_as_text(writer: &mut Writer, column: &Column) -> Result<()> {
    let locale = if has_native_elements(column.logical_type()) {
        DEFAULT_LOCALE.clone()
    } else {
        writer.locale.clone()
    };
    let mut text = String::new();
    writer.u32(0);
    for row in 0..column.len() {
        write_cell(column, row, &locale, &mut text);
        writer.count(text.len())?;
    }
    writer.pad();
    writer.bytes(text.as_bytes());
    writer.pad();
    Ok(())
}

fn too_large() -> Error {
    Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "the result is too large")
}

struct Writer {
    out: Vec<u8>,
    /// Of the result that is being written.
    locale: Locale,
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn u32(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn count(&mut self, count: usize) -> Result<()> {
        self.u32(u32::try_from(count).map_err(|_| too_large())?);
        Ok(())
    }

    fn pad(&mut self) {
        self.out.resize(self.out.len().next_multiple_of(8), 0);
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
        self.pad();
    }

    fn head(&mut self, form: u8, column: &Column, layout: u8) {
        self.bytes(&[form, u8::from(column.validity().is_some()), layout, 0]);
    }

    fn validity(&mut self, validity: Option<&Bitmap>) {
        if let Some(bits) = validity {
            self.padded(bits.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varve_types::{Batch, Bitmap, Column, ColumnData, LogicalType, Selection, SqlState, Value};
    use varvedb::{Field, Notice, ResultSet};

    use super::encode_results;

    /// The message of the first test; the package's own tests read the same one.
    const GOLDEN: &str = include_str!("../../../js/test/result.hex");

    fn fields(types: &[LogicalType]) -> Vec<Field> {
        types
            .iter()
            .map(|ty| Field {
                name: "c".to_owned(),
                ty: *ty,
            })
            .collect()
    }

    fn dictionary(codes: &[u32], values: &Arc<Column>, validity: Option<Bitmap>) -> Arc<Column> {
        Arc::new(Column::dictionary(codes.to_vec(), Arc::clone(values), validity).unwrap())
    }

    /// The message as hexadecimal words of 8 bytes, which is how its parts are aligned.
    fn words(sets: &[ResultSet]) -> Vec<String> {
        let bytes = encode_results(sets).unwrap();
        assert_eq!(bytes.len() % 8, 0);
        let hex = |word: &[u8]| word.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.chunks(8).map(hex).collect()
    }

    #[test]
    fn every_form_and_layout_has_its_bytes() {
        let present = |bits: [bool; 2]| Some(bits.into_iter().collect::<Bitmap>());
        let plain = |ty, data, validity| Arc::new(Column::plain(ty, data, validity).unwrap());
        let text = |strings: [&str; 2]| ColumnData::Text(strings.into_iter().collect());
        let values = plain(LogicalType::Text, text(["x", "\u{e9}"]), None);
        let columns = vec![
            plain(
                LogicalType::Boolean,
                ColumnData::Boolean([true, false].into_iter().collect()),
                None,
            ),
            plain(
                LogicalType::Int4,
                ColumnData::Int32(vec![-1, 7]),
                present([true, false]),
            ),
            plain(LogicalType::Int8, ColumnData::Int64(vec![1, -2]), None),
            plain(
                LogicalType::Float8,
                ColumnData::Float64(vec![1.5, -0.0]),
                None,
            ),
            plain(LogicalType::Text, text(["ab", "c"]), None),
            dictionary(&[1, 0], &values, present([true, false])),
            dictionary(&[0, 0], &values, None),
            Arc::new(Column::constant(LogicalType::Int4, &Value::Int4(3), 2)),
        ];
        let types: Vec<LogicalType> = columns.iter().map(|column| column.logical_type()).collect();
        let set = ResultSet {
            fields: fields(&types).into(),
            batches: vec![Batch::new(columns, 2)],
            command: "SELECT",
            ..ResultSet::default()
        };
        let golden: Vec<&str> = GOLDEN
            .split([',', '\n'])
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(words(&[set]), golden);
    }

    #[test]
    fn a_command_has_its_count_and_notices_and_no_columns() {
        let set = ResultSet {
            command: "INSERT",
            affected_rows: Some(3),
            ..ResultSet::default()
        };
        let expected = "5652533201000000,0000000000000000,0000000006000000,0300000000000000,\
                        494e534552540000";
        assert_eq!(words(&[set]).join(","), expected);
        assert_eq!(words(&[]).join(","), "5652533200000000");
    }

    #[test]
    fn a_notice_keeps_its_detail_and_hint() {
        let notice = |detail: Option<&str>| Notice {
            severity: "NOTICE",
            state: SqlState::SUCCESSFUL_COMPLETION,
            message: "m".to_owned(),
            detail: detail.map(str::to_owned),
            hint: Some("help".to_owned()),
        };
        let set = ResultSet {
            notices: vec![notice(Some("why")), notice(None)],
            ..ResultSet::default()
        };
        let written = words(&[set]);
        let lengths = ["0600000001000000", "0300000004000000"];
        let (code, severity, message) =
            ("3030303030000000", "4e4f544943450000", "6d00000000000000");
        let (why, help) = ("7768790000000000", "68656c7000000000");
        let first = [lengths[0], lengths[1], code, severity, message, why, help];
        let second = [
            lengths[0],
            "0000000004000000",
            code,
            severity,
            message,
            help,
        ];
        assert_eq!(written[4..], [&first[..], &second[..]].concat());
    }

    #[test]
    fn selections_are_applied_and_dictionaries_too_wide_for_their_rows_are_not_sent() {
        let strings: Vec<Value> = (0..9).map(|i| Value::text(i.to_string())).collect();
        let values = Arc::new(Column::from_values(LogicalType::Text, &strings));
        let batch = Batch::new(vec![dictionary(&[8, 7, 6], &values, None)], 3);
        let set = |batch| ResultSet {
            fields: fields(&[LogicalType::Text]).into(),
            batches: vec![batch],
            command: "SELECT",
            ..ResultSet::default()
        };
        let form = |batch: Batch| words(&[set(batch)])[8].get(..2).map(str::to_owned);
        assert_eq!(form(batch.clone()).as_deref(), Some("01"));
        assert_eq!(
            form(batch.select(&Selection::new(vec![0, 2]))).as_deref(),
            Some("00")
        );
    }
}
