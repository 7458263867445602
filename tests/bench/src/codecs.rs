//! One set through every way: sizes, speeds, hashes.

use crate::measure::{Budget, mb_per_s, seconds_of};
use crate::ours::{self, Encoded};
use crate::peers::columnar::{self, Frames};
use crate::peers::general::General;
use crate::peers::{light_zstd, row_wise, whole_file};
use crate::set::{Column, Set, Values};
use std::hint::black_box;
use varve_codec::Stage;

/// The sets that are told against light codecs under zstd-3.
const WHOLE_TABLES: [&str; 2] = ["D13", "D14"];

/// A way to store a set, as measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// Bytes stored.
    pub bytes: u64,
    /// Megabytes of decoded values a second.
    pub encode_mb_per_s: f64,
    /// Megabytes of decoded values a second, one value a row at the end.
    pub decode_mb_per_s: f64,
}

/// A column of a set, as measured.
#[derive(Clone, Debug)]
pub struct ColumnResult {
    /// Its name.
    pub name: String,
    /// Bytes stored.
    pub bytes: u64,
    /// Its decoded bytes.
    pub decoded_bytes: u64,
    /// The tag that most blocks begin with, after its kind: `words 9`.
    pub codec: String,
    /// Seconds to decode it to one value a row.
    pub decode_seconds: f64,
}

/// A set, as measured.
#[derive(Clone, Debug)]
pub struct SetResult {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Number of rows.
    pub rows: usize,
    /// What speeds are told against.
    pub decoded_bytes: u64,
    /// The file, or the set as CSV.
    pub file_bytes: u64,
    /// BLAKE3 of the set as CSV.
    pub csv_hash: String,
    /// BLAKE3 of all that is stored.
    pub encoded_hash: String,
    /// The columns, under our codecs.
    pub columns: Vec<ColumnResult>,
    /// Our codecs, chosen, under LZ4 where it pays.
    pub ours: Way,
    /// Ours, decoded to the form that an executor takes.
    pub forms_mb_per_s: f64,
    /// The seed's way.
    pub row_wise: Way,
    /// Columns as plain bytes under LZ4.
    pub columnar_lz4: Way,
    /// Columns as plain bytes under zstd-3.
    pub columnar_zstd: Way,
    /// Bytes stored by our codecs, less what the lengths of the strings take as integers.
    pub bytes_without_lengths: u64,
    /// Our codecs under zstd-3: bytes.
    pub light_zstd_bytes: u64,
    /// Each column under its best single light codec and zstd-3: bytes of the sets that are whole
    /// tables.
    pub single_zstd_bytes: Option<u64>,
    /// The reference zstd, level 3, over the whole file; speeds are of the file's bytes.
    pub whole_file: Way,
    /// How fast columns of numbers decode: ours, columnar zstd-3.
    pub numbers_mb_per_s: Option<(f64, f64)>,
}

impl SetResult {
    /// Stored bytes over rows.
    pub fn bytes_a_row(&self, bytes: u64) -> f64 {
        bytes as f64 / self.rows.max(1) as f64
    }

    /// Stored bytes of the columns that `chosen` names, over rows.
    pub fn column_bytes_a_row(&self, chosen: impl Fn(&str) -> bool) -> f64 {
        let columns = self.columns.iter().filter(|column| chosen(&column.name));
        self.bytes_a_row(columns.map(|column| column.bytes).sum())
    }
}

/// Measures a set; `file` is what it was read from, unless it was generated.
pub fn measure(set: &Set, about: &str, file: Option<&[u8]>, budget: Budget) -> SetResult {
    let encoded = encode_all(set);
    for (column, encoded) in set.columns.iter().zip(&encoded) {
        ours::check(column, encoded);
    }
    let decoded_bytes = set.decoded_bytes();
    let speed = |seconds| mb_per_s(decoded_bytes, seconds);
    let encode_seconds = seconds_of(budget, || {
        black_box(encode_all(set));
    });
    let columns: Vec<ColumnResult> = set
        .columns
        .iter()
        .zip(&encoded)
        .map(|(column, encoded)| column_result(column, encoded, budget))
        .collect();
    let decode_seconds: f64 = columns.iter().map(|column| column.decode_seconds).sum();
    let forms_seconds = seconds_of(budget, || encoded.iter().for_each(ours::decode_forms));
    let ours = Way {
        bytes: encoded.iter().map(Encoded::bytes).sum(),
        encode_mb_per_s: speed(encode_seconds),
        decode_mb_per_s: speed(decode_seconds),
    };
    let csv;
    let file = match file {
        Some(file) => file,
        None => {
            csv = csv_of(set);
            &csv
        }
    };
    let lengths: u64 = set
        .columns
        .iter()
        .filter_map(lengths_of)
        .map(|lengths| ours::encode(&lengths, Stage::Lz4).bytes())
        .sum();
    let lz4 = columnar::encode_set(set, General::Lz4);
    let zstd = columnar::encode_set(set, General::Zstd);
    SetResult {
        name: set.name.clone(),
        about: about.to_owned(),
        rows: set.rows(),
        decoded_bytes,
        file_bytes: file.len() as u64,
        csv_hash: set.csv_hash().0,
        encoded_hash: ours::hash_of(&encoded),
        bytes_without_lengths: ours.bytes.saturating_sub(lengths),
        ours,
        forms_mb_per_s: speed(forms_seconds),
        row_wise: row_wise_way(set, budget),
        columnar_lz4: columnar_way(set, &lz4, General::Lz4, budget),
        columnar_zstd: columnar_way(set, &zstd, General::Zstd, budget),
        light_zstd_bytes: set.columns.iter().map(light_zstd::bytes).sum(),
        single_zstd_bytes: WHOLE_TABLES
            .contains(&set.name.as_str())
            .then(|| set.columns.iter().map(light_zstd::single_bytes).sum()),
        whole_file: whole_file_way(file, budget),
        numbers_mb_per_s: numbers(set, &encoded, &zstd, budget),
        columns,
    }
}

/// Encodes every column with the chooser on.
pub fn encode_all(set: &Set) -> Vec<Encoded> {
    let encode = |column| ours::encode(column, Stage::Lz4);
    set.columns.iter().map(encode).collect()
}

/// The lengths of the strings of a column.
fn lengths_of(column: &Column) -> Option<Column> {
    let (Values::Text(texts) | Values::Bytes(texts)) = &column.values else {
        return None;
    };
    let lengths = texts
        .offsets
        .windows(2)
        .map(|pair| i64::from(pair[1] - pair[0]));
    Some(Column::new("lengths", Values::Int32(lengths.collect())))
}

fn column_result(column: &Column, encoded: &Encoded, budget: Budget) -> ColumnResult {
    ColumnResult {
        name: column.name.clone(),
        bytes: encoded.bytes(),
        decoded_bytes: column.decoded_bytes(),
        codec: encoded.codec(),
        decode_seconds: seconds_of(budget, || {
            ours::decode_flat(encoded, |flat, _, _| {
                black_box(flat);
            });
        }),
    }
}

fn csv_of(set: &Set) -> Vec<u8> {
    let mut csv = Vec::new();
    set.write_csv(&mut csv).expect("a buffer takes any bytes");
    csv
}

fn row_wise_way(set: &Set, budget: Budget) -> Way {
    let blocks = row_wise::encode(set);
    let bytes = set.decoded_bytes();
    let encode = seconds_of(budget, || {
        black_box(row_wise::encode(set));
    });
    let decode = seconds_of(budget, || {
        black_box(row_wise::decode(set, &blocks));
    });
    Way {
        bytes: row_wise::bytes(&blocks),
        encode_mb_per_s: mb_per_s(bytes, encode),
        decode_mb_per_s: mb_per_s(bytes, decode),
    }
}

fn columnar_way(set: &Set, frames: &[Frames], general: General, budget: Budget) -> Way {
    let bytes = set.decoded_bytes();
    let encode = seconds_of(budget, || {
        black_box(columnar::encode_set(set, general));
    });
    let decode = seconds_of(budget, || {
        for (column, frames) in set.columns.iter().zip(frames) {
            columnar::decode(column, frames, general);
        }
    });
    Way {
        bytes: frames.iter().map(columnar::bytes).sum(),
        encode_mb_per_s: mb_per_s(bytes, encode),
        decode_mb_per_s: mb_per_s(bytes, decode),
    }
}

fn whole_file_way(file: &[u8], budget: Budget) -> Way {
    let packed = whole_file::encode(file);
    let encode = seconds_of(budget, || {
        black_box(whole_file::encode(file));
    });
    let decode = seconds_of(budget, || {
        black_box(whole_file::decode(&packed));
    });
    Way {
        bytes: packed.len() as u64,
        encode_mb_per_s: mb_per_s(file.len() as u64, encode),
        decode_mb_per_s: mb_per_s(file.len() as u64, decode),
    }
}

fn numbers(set: &Set, encoded: &[Encoded], zstd: &[Frames], budget: Budget) -> Option<(f64, f64)> {
    let columns = || set.columns.iter().zip(encoded.iter().zip(zstd));
    let numbers = || columns().filter(|(column, _)| column.is_number());
    let bytes: u64 = numbers().map(|(column, _)| column.decoded_bytes()).sum();
    if bytes == 0 {
        return None;
    }
    let ours = seconds_of(budget, || {
        for (_, (encoded, _)) in numbers() {
            ours::decode_flat(encoded, |flat, _, _| {
                black_box(flat);
            });
        }
    });
    let peer = seconds_of(budget, || {
        for (column, (_, frames)) in numbers() {
            columnar::decode(column, frames, General::Zstd);
        }
    });
    Some((mb_per_s(bytes, ours), mb_per_s(bytes, peer)))
}
