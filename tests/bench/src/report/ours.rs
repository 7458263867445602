//! Our codecs alone, natively: what a run in Node is compared with.

use crate::codecs::encode_all;
use crate::generate::{GENERATORS, Size};
use crate::measure::{Budget, mb_per_s, seconds_of};
use crate::ours::{Encoded, decode_flat, decode_forms, hash_of};
use crate::set::Set;
use serde_json::{Value, json};
use std::hint::black_box;

const BUDGET: Budget = Budget { seconds: 0.1 };

/// Hashes of every set whose name begins with one of `only`, if there are any, and speeds on
/// demand.
pub fn report(size: Size, only: &[String], speeds: bool) -> Value {
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| name.starts_with(only));
    let sets = GENERATORS.iter().filter(|generator| wanted(generator.name));
    let results = sets.map(|generator| set_report(&generator.set(size), speeds));
    json!({ "size": size.letter(), "sets": results.collect::<Vec<_>>() })
}

fn set_report(set: &Set, speeds: bool) -> Value {
    let encoded = encode_all(set);
    let mut value = json!({
        "name": set.name,
        "rows": set.rows(),
        "csv_blake3": set.csv_hash().0,
        "encoded_blake3": hash_of(&encoded),
        "bytes": encoded.iter().map(Encoded::bytes).sum::<u64>(),
        "decoded_bytes": set.decoded_bytes(),
    });
    if speeds {
        let speed =
            |work: &mut dyn FnMut()| mb_per_s(set.decoded_bytes(), seconds_of(BUDGET, work));
        let encode = speed(&mut || {
            black_box(encode_all(set));
        });
        let decode = speed(&mut || {
            for column in &encoded {
                decode_flat(column, |flat, _, _| {
                    black_box(flat);
                });
            }
        });
        value["encode_mb_per_s"] = json!(encode);
        value["decode_mb_per_s"] = json!(decode);
        value["forms_mb_per_s"] = json!(speed(&mut || encoded.iter().for_each(decode_forms)));
    }
    value
}
