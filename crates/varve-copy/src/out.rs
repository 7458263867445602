//! COPY ... TO STDOUT: rows become text, CSV or PostgreSQL's binary format.

use std::sync::Arc;

use varve_expr::{Locale, write_cell};
use varve_plan::{CopyFormat, CopyHeader, CopyOptions, CopyOut};
use varve_types::{Batch, Column, LogicalType, VECTOR_ROWS, Value};

use crate::binary;

/// What `COPY ... TO STDOUT` gives: rows that become bytes when they are asked for.
#[derive(Clone, Debug)]
pub struct CopyData {
    options: CopyOptions,
    names: Vec<String>,
    batches: Vec<Batch>,
    locale: Locale,
}

impl CopyData {
    /// What a COPY makes of the rows that its statement gave.
    pub fn new(copy: &CopyOut, batches: Vec<Batch>, locale: &Locale) -> CopyData {
        CopyData {
            options: copy.options.clone(),
            names: copy.names.clone(),
            batches,
            locale: locale.clone(),
        }
    }

    /// Whether the bytes are no text.
    pub fn is_binary(&self) -> bool {
        self.options.format == CopyFormat::Binary
    }

    /// The bytes, a piece for about a thousand rows.
    pub fn chunks(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let first = core::iter::once_with(|| self.head());
        let rows = self.batches.iter().map(|batch| self.rows(batch));
        let last = core::iter::once_with(|| match self.is_binary() {
            true => binary::TRAILER.to_vec(),
            false => Vec::new(),
        });
        let chunks = first.chain(rows).chain(last);
        chunks.filter(|chunk| !chunk.is_empty())
    }

    /// The bytes as rows of one column, text or bytea, for clients that know only rows.
    pub fn into_rows(self) -> (LogicalType, Vec<Batch>) {
        let is_binary = self.is_binary();
        let ty = match is_binary {
            true => LogicalType::Bytea,
            false => LogicalType::Text,
        };
        let values: Vec<Value> = self
            .chunks()
            .map(|chunk| match is_binary {
                true => Value::Bytea(chunk.into()),
                false => Value::text(String::from_utf8_lossy(&chunk)),
            })
            .collect();
        let batches = values.chunks(VECTOR_ROWS).map(|values| {
            let column = Column::from_values(ty, values);
            Batch::new(vec![Arc::new(column)], values.len())
        });
        (ty, batches.collect())
    }

    /// What stands before the rows.
    fn head(&self) -> Vec<u8> {
        if self.is_binary() {
            return binary::HEADER.to_vec();
        }
        let mut bytes = Vec::new();
        if self.options.header != CopyHeader::None {
            for (at, name) in self.names.iter().enumerate() {
                self.separate(at, &mut bytes);
                self.put_text(name, false, &mut bytes);
            }
            bytes.push(b'\n');
        }
        bytes
    }

    fn rows(&self, batch: &Batch) -> Vec<u8> {
        let batch = batch.compact();
        let columns = batch.physical_columns().iter();
        let columns: Vec<&Column> = columns.map(|column| &**column).collect();
        let mut bytes = Vec::new();
        let mut text = String::new();
        for row in 0..batch.rows() {
            if self.is_binary() {
                binary::put_row(&columns, row, &self.locale, &mut bytes);
                continue;
            }
            for (at, column) in columns.iter().enumerate() {
                self.separate(at, &mut bytes);
                if column.is_null(row) {
                    bytes.extend_from_slice(self.options.null.as_bytes());
                    continue;
                }
                text.clear();
                write_cell(column, row, &self.locale, &mut text);
                let force = self.options.force_quote.contains(&at);
                self.put_text(&text, force, &mut bytes);
            }
            bytes.push(b'\n');
        }
        bytes
    }

    fn separate(&self, at: usize, bytes: &mut Vec<u8>) {
        if at > 0 {
            bytes.push(self.options.delimiter);
        }
    }

    fn put_text(&self, text: &str, force_quote: bool, bytes: &mut Vec<u8>) {
        match self.options.format {
            CopyFormat::Csv => self.put_csv(text, force_quote, bytes),
            _ => self.put_escaped(text, bytes),
        }
    }

    fn put_escaped(&self, text: &str, bytes: &mut Vec<u8>) {
        for byte in text.bytes() {
            let escape = match byte {
                8 => b'b',
                12 => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                11 => b'v',
                b'\\' => b'\\',
                byte if byte == self.options.delimiter => byte,
                byte => {
                    bytes.push(byte);
                    continue;
                }
            };
            bytes.extend([b'\\', escape]);
        }
    }

    fn put_csv(&self, text: &str, force_quote: bool, bytes: &mut Vec<u8>) {
        let CopyOptions {
            delimiter,
            quote,
            escape,
            null,
            ..
        } = &self.options;
        let is_special =
            |byte: u8| byte == *delimiter || byte == *quote || byte == b'\n' || byte == b'\r';
        let must_quote = force_quote
            || text == null
            || text == "\\." && self.names.len() == 1
            || text.bytes().any(is_special);
        if !must_quote {
            bytes.extend_from_slice(text.as_bytes());
            return;
        }
        bytes.push(*quote);
        for byte in text.bytes() {
            if byte == *quote || byte == *escape {
                bytes.push(*escape);
            }
            bytes.push(byte);
        }
        bytes.push(*quote);
    }
}
