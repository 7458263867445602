//! Everything measured, as JSON.

use super::run::Report;
use super::targets::Target;
use crate::codecs::{SetResult, Way};
use serde_json::{Value, json};

pub(super) fn report(report: &Report, targets: &[Target]) -> Value {
    json!({
        "size": report.size.letter(),
        "machine": report.machine,
        "date": report.date,
        "copy_gb_per_s": report.copy_gb_per_s,
        "sets": report.sets.iter().map(set).collect::<Vec<_>>(),
        "files": files(&report.files),
        "edge_files": files(&report.edge_files),
        "skipped": report.skipped,
        "row_frames": report.row_frames.map(|frames| json!({
            "raw_bytes": frames.raw_bytes,
            "zstd19_bytes": frames.plain_bytes,
            "zstd19_with_dictionary_bytes": frames.trained_bytes,
            "dictionary_bytes": frames.dictionary_bytes,
        })),
        "codecs": report.named.iter().map(|named| json!({
            "codec": named.codec,
            "column": named.column,
            "became": named.became,
            "bits_per_value": named.bits_per_value,
            "encode_mb_per_s": named.encode_mb_per_s,
            "decode_mb_per_s": named.decode_mb_per_s,
        })).collect::<Vec<_>>(),
        "fsst_alone_bytes_without_lengths": report.fsst_bytes,
        "alp_crate_bits_per_value": report.alp,
        "targets": targets.iter().map(|target| json!({
            "what": target.what,
            "limit": target.limit,
            "measured": target.measured,
            "met": target.met,
        })).collect::<Vec<_>>(),
    })
}

fn files(files: &[(String, SetResult)]) -> Vec<Value> {
    let file = |(group, result): &(String, SetResult)| {
        let mut value = set(result);
        value["group"] = json!(group);
        value
    };
    files.iter().map(file).collect()
}

fn set(result: &SetResult) -> Value {
    json!({
        "name": result.name,
        "rows": result.rows,
        "decoded_bytes": result.decoded_bytes,
        "csv_bytes": result.file_bytes,
        "csv_blake3": result.csv_hash,
        "encoded_blake3": result.encoded_hash,
        "ours": way(&result.ours),
        "ours_to_forms_mb_per_s": result.forms_mb_per_s,
        "row_wise_lz4": way(&result.row_wise),
        "columnar_lz4": way(&result.columnar_lz4),
        "columnar_zstd3": way(&result.columnar_zstd),
        "light_zstd3_bytes": result.light_zstd_bytes,
        "single_light_zstd3_bytes": result.single_zstd_bytes,
        "zstd3_of_file": way(&result.whole_file),
        "numbers_mb_per_s": result.numbers_mb_per_s.map(|(ours, zstd)| json!({
            "ours": ours,
            "columnar_zstd3": zstd,
        })),
        "columns": result.columns.iter().map(|column| json!({
            "name": column.name,
            "bytes": column.bytes,
            "decoded_bytes": column.decoded_bytes,
            "codec": column.codec,
            "decode_seconds": column.decode_seconds,
        })).collect::<Vec<_>>(),
    })
}

fn way(way: &Way) -> Value {
    json!({
        "bytes": way.bytes,
        "encode_mb_per_s": way.encode_mb_per_s,
        "decode_mb_per_s": way.decode_mb_per_s,
    })
}
