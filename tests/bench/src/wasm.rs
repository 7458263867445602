//! The sets and our codecs as a module that Node calls; Node measures, since there is no clock
//! here.

use crate::generate::{GENERATORS, Size, generator};
use crate::ours::{self, Encoded};
use crate::set::{Set, Texts, Values};
use std::hint::black_box;
use varve_codec::Stage;
use wasm_bindgen::prelude::wasm_bindgen;

/// The names of all sets.
#[wasm_bindgen(js_name = setNames)]
pub fn set_names() -> Vec<String> {
    GENERATORS
        .iter()
        .map(|generator| generator.name.to_owned())
        .collect()
}

/// A generated set, and its encoded columns once there are any.
#[wasm_bindgen]
pub struct BenchSet {
    set: Set,
    encoded: Vec<Encoded>,
}

#[wasm_bindgen]
impl BenchSet {
    /// The set of that name, at size S, M or L.
    pub fn generate(name: &str, size: &str) -> Option<BenchSet> {
        let set = generator(name)?.set(Size::parse(size)?);
        Some(BenchSet {
            set,
            encoded: Vec::new(),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.set.rows()
    }

    /// What speeds are told against.
    #[wasm_bindgen(js_name = decodedBytes)]
    pub fn decoded_bytes(&self) -> f64 {
        self.set.decoded_bytes() as f64
    }

    /// BLAKE3 of the set as CSV.
    #[wasm_bindgen(js_name = csvHash)]
    pub fn csv_hash(&self) -> String {
        self.set.csv_hash().0
    }

    /// Encodes every column with the chooser on, and returns the bytes stored.
    pub fn encode(&mut self) -> f64 {
        let encode = |column| ours::encode(column, Stage::Lz4);
        self.encoded = self.set.columns.iter().map(encode).collect();
        self.encoded.iter().map(Encoded::bytes).sum::<u64>() as f64
    }

    /// BLAKE3 of all that is stored.
    #[wasm_bindgen(js_name = encodedHash)]
    pub fn encoded_hash(&self) -> String {
        ours::hash_of(&self.encoded)
    }

    /// Decodes every column to one value a row.
    #[wasm_bindgen(js_name = decodeFlat)]
    pub fn decode_flat(&self) {
        for encoded in &self.encoded {
            ours::decode_flat(encoded, |flat, _, _| {
                black_box(flat);
            });
        }
    }

    /// Decodes every column to the form that an executor takes.
    #[wasm_bindgen(js_name = decodeForms)]
    pub fn decode_forms(&self) {
        self.encoded.iter().for_each(ours::decode_forms);
    }

    /// Stops where a column does not come back as it was.
    pub fn check(&self) {
        for (column, encoded) in self.set.columns.iter().zip(&self.encoded) {
            ours::check(column, encoded);
        }
    }
}

/// The columns, for benchmarks that give them to databases.
#[wasm_bindgen]
impl BenchSet {
    /// Names of the columns.
    #[wasm_bindgen(js_name = columnNames)]
    pub fn column_names(&self) -> Vec<String> {
        let columns = self.set.columns.iter();
        columns.map(|column| column.name.clone()).collect()
    }

    /// The integers of a column; none where it holds something else.
    pub fn ints(&self, column: usize) -> Option<Vec<i64>> {
        match &self.set.columns.get(column)?.values {
            Values::Int32(ints) | Values::Int64(ints) => Some(ints.clone()),
            _ => None,
        }
    }

    /// The doubles of a column; none where it holds something else.
    pub fn doubles(&self, column: usize) -> Option<Vec<f64>> {
        match &self.set.columns.get(column)?.values {
            Values::Float64(doubles) => Some(doubles.clone()),
            _ => None,
        }
    }

    /// The bytes of all texts of a column, one after another.
    #[wasm_bindgen(js_name = textBytes)]
    pub fn text_bytes(&self, column: usize) -> Option<Vec<u8>> {
        Some(self.texts(column)?.bytes.clone())
    }

    /// Where each text begins, and where the last one ends.
    #[wasm_bindgen(js_name = textOffsets)]
    pub fn text_offsets(&self, column: usize) -> Option<Vec<u32>> {
        Some(self.texts(column)?.offsets.clone())
    }

    /// 1 for each row that has a value, 0 for NULL; none where every row has one.
    pub fn validity(&self, column: usize) -> Option<Vec<u8>> {
        let validity = self.set.columns.get(column)?.validity.as_ref()?;
        Some(validity.iter().map(|valid| u8::from(*valid)).collect())
    }

    fn texts(&self, column: usize) -> Option<&Texts> {
        match &self.set.columns.get(column)?.values {
            Values::Text(texts) => Some(texts),
            _ => None,
        }
    }
}
