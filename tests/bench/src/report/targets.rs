//! What the codecs were to reach, and what was measured.

use super::run::{Report, TITLES};
use super::table::figure;
use crate::codecs::SetResult;
use crate::measure::median;

/// A vector of rows: smaller sets are all header.
const ROWS_MIN: usize = 1025;

/// Codecs whose bits depend on those before.
const SLOW: [&str; 3] = ["gorilla", "chimp", "delta of delta"];

/// One aim.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) what: String,
    pub(super) limit: String,
    pub(super) measured: String,
    pub(super) met: bool,
}

/// Sets, columns and bytes a row at most.
const BYTES_A_ROW: [(&str, &str, f64); 9] = [
    ("D1a", "", 2.2),
    ("D1c", "", 1.2),
    ("D3 exact", "", 0.04),
    ("D3 5ms", "", 0.6),
    ("D4a", "", 0.42),
    ("D5", "", 0.02),
    ("D2b", "", 0.6),
    ("D2a", "", 3.6),
    ("D6", "usage_", 3.8),
];

/// Every aim whose data was measured.
pub(super) fn of(report: &Report) -> Vec<Target> {
    let mut targets = Vec::new();
    for (name, columns, limit) in BYTES_A_ROW.into_iter().chain([("D13", "", 17.0)]) {
        if let Some(set) = set(report, name) {
            let bytes = set.column_bytes_a_row(|column| column.starts_with(columns));
            let of = if columns.is_empty() {
                ""
            } else {
                ", the ten metrics"
            };
            targets.push(at_most(format!("{name}{of}, B/row"), limit, bytes));
        }
    }
    titles(report, &mut targets);
    never_larger(report, &mut targets);
    whole_tables(report, &mut targets);
    alp(report, &mut targets);
    fsst(report, &mut targets);
    speeds(report, &mut targets);
    files(report, &mut targets);
    targets
}

fn set<'a>(report: &'a Report, name: &str) -> Option<&'a SetResult> {
    report.sets.iter().find(|set| set.name == name)
}

fn at_most(what: String, limit: f64, measured: f64) -> Target {
    Target {
        what,
        limit: format!("<= {}", figure(limit)),
        measured: figure(measured),
        met: measured <= limit,
    }
}

fn at_least(what: String, limit: f64, measured: f64) -> Target {
    Target {
        what,
        limit: format!(">= {}", figure(limit)),
        measured: figure(measured),
        met: measured >= limit,
    }
}

fn titles(report: &Report, targets: &mut Vec<Target>) {
    if let (Some(set), Some(frames)) = (set(report, TITLES), report.row_frames) {
        let column = set.columns.iter().find(|column| column.name == "data");
        let ours = column.map_or(0, |column| column.bytes);
        let what = "D8 JSON (size S), of zstd-19 frames a row with a trained dictionary";
        let share = ours as f64 / frames.trained_bytes as f64;
        targets.push(at_most(what.to_owned(), 0.5, share));
    }
}

fn never_larger(report: &Report, targets: &mut Vec<Target>) {
    let share = |set: &SetResult| set.ours.bytes as f64 / set.columnar_lz4.bytes.max(1) as f64;
    let files = report
        .files
        .iter()
        .chain(&report.edge_files)
        .map(|(_, file)| file);
    for (kind, sets) in [
        ("set", report.sets.iter().collect::<Vec<_>>()),
        ("file", files.collect()),
    ] {
        let big = sets.into_iter().filter(|set| set.rows >= ROWS_MIN);
        if let Some(worst) = big.max_by(|a, b| share(a).total_cmp(&share(b))) {
            let what = format!("worst {kind} against columnar + LZ4 ({})", worst.name);
            targets.push(at_most(what, 1.01, share(worst)));
        }
    }
}

fn whole_tables(report: &Report, targets: &mut Vec<Target>) {
    for set in &report.sets {
        if let Some(single) = set.single_zstd_bytes {
            let ours = set.bytes_a_row(set.ours.bytes);
            let what = format!("{}, B/row, against single light codecs + zstd-3", set.name);
            targets.push(at_most(what, set.bytes_a_row(single), ours));
            let what = format!("{}, B/row, against our own cascades + zstd-3", set.name);
            targets.push(at_most(what, set.bytes_a_row(set.light_zstd_bytes), ours));
        }
    }
}

fn alp(report: &Report, targets: &mut Vec<Target>) {
    for (name, bits) in &report.alp {
        if let Some((_, file)) = report.files.iter().find(|(_, file)| file.name == *name) {
            let ours = 8.0 * file.bytes_a_row(file.ours.bytes);
            let what = format!("{name}, bits a value, against the crate alp + 1%");
            targets.push(at_most(what, bits * 1.01, ours));
        }
    }
}

fn fsst(report: &Report, targets: &mut Vec<Target>) {
    let mut logs = Vec::new();
    let mut worst: Option<(f64, String)> = None;
    for (group, file) in &report.files {
        if let ("fsst-dbtext", Some((block, line))) =
            (group.as_str(), report.fsst_paper.get(&file.name))
        {
            let text_bytes = file.decoded_bytes - 4 * file.rows as u64;
            let ours = text_bytes as f64 / file.bytes_without_lengths.max(1) as f64;
            logs.push((ours / block).ln());
            let alone = report
                .fsst_bytes
                .get(&file.name)
                .copied()
                .unwrap_or(0)
                .max(1);
            let share = text_bytes as f64 / alone as f64 / line;
            if worst.as_ref().is_none_or(|(least, _)| share < *least) {
                worst = Some((share, file.name.clone()));
            }
        }
    }
    if let Some((share, name)) = worst {
        let what = format!("FSST alone over the paper's line ratio, worst file ({name})");
        targets.push(at_least(what, 1.0, share));
    }
    if !logs.is_empty() {
        let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        let what = "FSST texts: geometric mean of ours over the paper's whole-block FSST, lengths excluded";
        targets.push(at_least(what.to_owned(), 1.3, mean));
    }
}

fn speeds(report: &Report, targets: &mut Vec<Target>) {
    let timed = |set: &&SetResult| {
        let group = set
            .name
            .split(|c: char| c.is_ascii_lowercase() || c == ' ')
            .next();
        ["D1", "D3", "D4", "D5", "D6"].contains(&group.unwrap_or_default())
    };
    let sets = || report.sets.iter().filter(timed);
    let gb =
        |speeds: Vec<f64>| median(&mut speeds.iter().map(|mb| mb / 1000.0).collect::<Vec<_>>());
    if sets().next().is_some() {
        let flat = gb(sets().map(|set| set.ours.decode_mb_per_s).collect());
        let forms = gb(sets().map(|set| set.forms_mb_per_s).collect());
        let what = "decode, GB/s, median over D1, D3 to D6, one value a row";
        targets.push(at_least(what.to_owned(), 2.0, flat));
        let what = "the same, dictionaries and runs left as an executor takes them";
        targets.push(at_least(what.to_owned(), 2.0, forms));
        let encode = median(
            &mut sets()
                .map(|set| set.ours.encode_mb_per_s)
                .collect::<Vec<_>>(),
        );
        let what = "encode with the chooser on, MB/s, median over D1, D3 to D6";
        targets.push(at_least(what.to_owned(), 150.0, encode));
    }
    if !report.sets.is_empty() {
        let speeds = report.sets.iter().filter(|set| set.rows >= ROWS_MIN);
        let mut speeds: Vec<f64> = speeds.map(|set| set.ours.encode_mb_per_s).collect();
        let what = "encode with the chooser on, MB/s, median over all sets";
        targets.push(at_least(what.to_owned(), 150.0, median(&mut speeds)));
    }
    let by_codec = super::markdown::by_codec(report).into_iter();
    let named = report.named.iter().map(|named| {
        let name = format!("{} by name, {}", named.codec, named.became);
        (name, named.decode_mb_per_s / 1000.0)
    });
    let codecs = by_codec.map(|(name, _, speed)| (name, speed)).chain(named);
    let quick = codecs.filter(|(name, _)| !SLOW.iter().any(|slow| name.contains(slow)));
    if let Some((name, speed)) = quick.min_by(|a, b| a.1.total_cmp(&b.1)) {
        let what = format!(
            "slowest codec but {} ({name}), decode GB/s",
            SLOW.join(", ")
        );
        targets.push(at_least(what, 0.5, speed));
    }
}

fn files(report: &Report, targets: &mut Vec<Target>) {
    if report.files.is_empty() {
        return;
    }
    let smaller = |file: &&(String, SetResult)| file.1.ours.bytes < file.1.columnar_zstd.bytes;
    let count = report.files.iter().filter(smaller).count();
    let all = report.files.len();
    let what =
        format!("files that no generator made, smaller than columnar + zstd-3 ({count} of {all})");
    targets.push(at_least(what, 0.75, count as f64 / all as f64));
    let with_rows = report
        .files
        .iter()
        .filter(|(_, file)| file.rows >= ROWS_MIN);
    let speeds = with_rows.filter_map(|(_, file)| file.numbers_mb_per_s);
    let mut ratios: Vec<f64> = speeds.map(|(ours, zstd)| ours / zstd).collect();
    let what =
        "their numbers, decoding speed over that of columnar + zstd-3, median over 1,024 rows";
    targets.push(at_least(what.to_owned(), 3.0, median(&mut ratios)));
}
