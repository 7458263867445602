//! Each codec by its name, on a column that suits it.

use crate::generate::{Size, generator};
use crate::measure::{Budget, mb_per_s, seconds_of};
use crate::ours;
use std::hint::black_box;
use varve_codec::{Codec, Stage};

/// Codec, set and column.
const SUITED: [(Codec, &str, &str); 11] = [
    (Codec::Plain, "D1a", "price"),
    (Codec::Alp, "D1a", "price"),
    (Codec::Alp, "D12 doubles", "d"),
    (Codec::Gorilla, "D14 by device", "temp"),
    (Codec::Chimp, "D14 by device", "temp"),
    (Codec::Delta, "D3 5ms", "ts"),
    (Codec::DeltaOfDelta, "D3 5ms", "ts"),
    (Codec::Dictionary, "D4a", "status"),
    (Codec::RunEnds, "D5", "region"),
    (Codec::Fsst, "D2a", "email"),
    (Codec::Lz4, "D13", "note"),
];

/// A codec, as measured.
#[derive(Clone, Debug)]
pub struct NamedResult {
    /// As SQL calls it.
    pub codec: &'static str,
    /// The set and its column.
    pub column: String,
    /// What most vectors became.
    pub became: String,
    /// Stored bits of a value.
    pub bits_per_value: f64,
    /// Megabytes of decoded values a second.
    pub encode_mb_per_s: f64,
    /// Megabytes of decoded values a second, one value a row.
    pub decode_mb_per_s: f64,
}

/// Measures all of them.
pub fn measure(size: Size, budget: Budget) -> Vec<NamedResult> {
    let one = |(codec, set_name, column_name): &(Codec, &str, &str)| {
        let set = generator(set_name)?.set(size);
        let column = set
            .columns
            .iter()
            .find(|column| column.name == *column_name)?;
        let stage = if *codec == Codec::Lz4 {
            Stage::Lz4
        } else {
            Stage::None
        };
        let encoded = ours::encode_as(column, stage, *codec);
        ours::check(column, &encoded);
        let speed =
            |work: &mut dyn FnMut()| mb_per_s(column.decoded_bytes(), seconds_of(budget, work));
        Some(NamedResult {
            codec: codec.name(),
            column: format!("{set_name} {column_name}"),
            became: encoded.codec(),
            bits_per_value: 8.0 * encoded.bytes() as f64 / column.rows().max(1) as f64,
            encode_mb_per_s: speed(&mut || {
                black_box(ours::encode_as(column, stage, *codec));
            }),
            decode_mb_per_s: speed(&mut || {
                ours::decode_flat(&encoded, |flat, _, _| {
                    black_box(flat);
                });
            }),
        })
    };
    SUITED.iter().filter_map(one).collect()
}
