//! A data set: named columns of equal length, and the hash of it as CSV.

use std::io::Write;

/// Strings in Arrow's layout: string `i` is `offsets[i]..offsets[i + 1]` of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// One more than strings.
    pub offsets: Vec<u32>,
    /// All strings one after another.
    pub bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }
}

impl Texts {
    /// Adds a string.
    pub fn push(&mut self, text: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(text.as_ref());
        let end = u32::try_from(self.bytes.len()).expect("a text column is below 4 GiB");
        self.offsets.push(end);
    }

    /// Forgets all strings; the memory is kept.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.truncate(1);
    }

    /// String `row`.
    pub fn get(&self, row: usize) -> &[u8] {
        &self.bytes[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Texts {
        let mut texts = Texts::default();
        items.into_iter().for_each(|item| texts.push(item));
        texts
    }
}

/// One value a row; where a row is NULL, 0 or the empty string.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers that fit 32 bits.
    Int32(Vec<i64>),
    /// Integers of 64 bits.
    Int64(Vec<i64>),
    /// Doubles.
    Float64(Vec<f64>),
    /// Booleans.
    Bool(Vec<bool>),
    /// UTF-8 text.
    Text(Texts),
    /// Byte strings.
    Bytes(Texts),
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Values,
    /// Which rows have a value; all, where this is none.
    pub validity: Option<Vec<bool>>,
}

impl Column {
    /// A column without NULL.
    pub fn new(name: &str, values: Values) -> Column {
        Column {
            name: name.to_owned(),
            values,
            validity: None,
        }
    }

    /// The same column, with NULL where `validity` is false.
    pub fn with_validity(self, validity: Vec<bool>) -> Column {
        let all = validity.iter().all(|valid| *valid);
        Column {
            validity: (!all).then_some(validity),
            ..self
        }
    }

    /// Makes the values of rows that `validity` does not name 0 or empty.
    pub fn clear_invalid(&mut self, validity: &[bool]) {
        fn clear<T: Default>(values: &mut [T], validity: &[bool]) {
            for (value, _) in values
                .iter_mut()
                .zip(validity)
                .filter(|(_, valid)| !**valid)
            {
                *value = T::default();
            }
        }
        match &mut self.values {
            Values::Int32(ints) | Values::Int64(ints) => clear(ints, validity),
            Values::Float64(doubles) => clear(doubles, validity),
            Values::Bool(bools) => clear(bools, validity),
            Values::Text(texts) | Values::Bytes(texts) => {
                let kept = |row: usize| if validity[row] { texts.get(row) } else { &[] };
                *texts = (0..texts.len()).map(kept).collect();
            }
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match &self.values {
            Values::Int32(ints) | Values::Int64(ints) => ints.len(),
            Values::Float64(doubles) => doubles.len(),
            Values::Bool(bools) => bools.len(),
            Values::Text(texts) | Values::Bytes(texts) => texts.len(),
        }
    }

    /// Whether row `row` has a value.
    pub fn is_valid(&self, row: usize) -> bool {
        self.validity.as_ref().is_none_or(|validity| validity[row])
    }

    /// Whether it holds numbers.
    pub fn is_number(&self) -> bool {
        matches!(
            self.values,
            Values::Int32(_) | Values::Int64(_) | Values::Float64(_)
        )
    }

    /// What speeds are told against: 8 bytes a number, the bytes of a string and 4, a bit a
    /// boolean.
    pub fn decoded_bytes(&self) -> u64 {
        let rows = self.rows() as u64;
        match &self.values {
            Values::Int32(_) | Values::Int64(_) | Values::Float64(_) => 8 * rows,
            Values::Bool(_) => rows.div_ceil(8),
            Values::Text(texts) | Values::Bytes(texts) => texts.bytes.len() as u64 + 4 * rows,
        }
    }
}

/// A data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// What tables call it, such as `D1a`.
    pub name: String,
    /// Its columns, all of the same length.
    pub columns: Vec<Column>,
}

impl Set {
    /// A set of columns that are equally long.
    pub fn new(name: &str, columns: Vec<Column>) -> Set {
        let rows = columns.first().map_or(0, Column::rows);
        assert!(columns.iter().all(|column| column.rows() == rows), "{name}");
        Set {
            name: name.to_owned(),
            columns,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::rows)
    }

    /// The sum over its columns.
    pub fn decoded_bytes(&self) -> u64 {
        self.columns.iter().map(Column::decoded_bytes).sum()
    }

    /// The BLAKE3 hash of the set as CSV, in hex, and the length of that CSV.
    pub fn csv_hash(&self) -> (String, u64) {
        let mut hasher = blake3::Hasher::new();
        let bytes = self
            .write_csv(&mut hasher)
            .expect("a hasher takes any bytes");
        (hasher.finalize().to_hex().to_string(), bytes)
    }

    /// Writes the set as CSV: a line of names, then rows; NULL is nothing, the empty string is
    /// `""`, doubles are shortest, byte strings hex. Returns the bytes written.
    pub fn write_csv(&self, out: &mut impl Write) -> std::io::Result<u64> {
        let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        let mut buffer = names.join(",").into_bytes();
        buffer.push(b'\n');
        let mut written = 0;
        for row in 0..self.rows() {
            for (i, column) in self.columns.iter().enumerate() {
                if i > 0 {
                    buffer.push(b',');
                }
                if column.is_valid(row) {
                    put_cell(&column.values, row, &mut buffer);
                }
            }
            buffer.push(b'\n');
            if buffer.len() >= 1 << 16 {
                written += buffer.len() as u64;
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)?;
        Ok(written + buffer.len() as u64)
    }
}

fn put_cell(values: &Values, row: usize, out: &mut Vec<u8>) {
    let done = match values {
        Values::Int32(ints) | Values::Int64(ints) => write!(out, "{}", ints[row]),
        // Every bit of a NaN counts.
        Values::Float64(doubles) if doubles[row].is_nan() => {
            write!(out, "NaN:{:016x}", doubles[row].to_bits())
        }
        Values::Float64(doubles) => write!(out, "{}", doubles[row]),
        Values::Bool(bools) => write!(out, "{}", if bools[row] { "t" } else { "f" }),
        Values::Text(texts) => {
            put_text(texts.get(row), out);
            Ok(())
        }
        Values::Bytes(bytes) => {
            out.extend_from_slice(b"\\x");
            bytes
                .get(row)
                .iter()
                .try_for_each(|byte| write!(out, "{byte:02x}"))
        }
    };
    done.expect("a buffer takes any bytes");
}

fn put_text(text: &[u8], out: &mut Vec<u8>) {
    let quoted = text.is_empty() || text.iter().any(|byte| b",\"\r\n".contains(byte));
    if !quoted {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::{Column, Set, Values};

    #[test]
    fn csv_tells_every_type_apart() {
        let set = Set::new(
            "t",
            vec![
                Column::new("i", Values::Int64(vec![1, 0])).with_validity(vec![true, false]),
                Column::new("d", Values::Float64(vec![0.1, -0.0])),
                Column::new("b", Values::Bool(vec![true, false])),
                Column::new("t", Values::Text(["", "a,\"b\""].iter().collect())),
                Column::new("x", Values::Bytes([[0_u8, 255], [1, 2]].iter().collect())),
            ],
        );
        let mut csv = Vec::new();
        let bytes = set.write_csv(&mut csv).unwrap();
        let text = "i,d,b,t,x\n1,0.1,t,\"\",\\x00ff\n,-0,f,\"a,\"\"b\"\"\",\\x0102\n";
        assert_eq!(String::from_utf8(csv).unwrap(), text);
        assert_eq!(bytes, text.len() as u64);
    }
}
