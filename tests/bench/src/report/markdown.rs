//! The page and its charts.

use super::chart::Chart;
use super::run::Report;
use super::table::{Table, figure, thousands};
use super::targets::Target;
use crate::codecs::SetResult;
use std::collections::BTreeMap;

/// Everything but the head of the page.
pub(super) fn text(report: &Report, targets: &[Target]) -> String {
    let mut text = String::new();
    let mut section = |title: &str, about: &str, table: String| {
        text.push_str(&format!("## {title}\n\n{about}\n\n{table}\n"));
    };
    section("Aims", "Losses stand here too.", target_table(targets));
    if !report.sets.is_empty() {
        let about = "Stored bytes a row, the id included where the set has one.";
        section("Generated sets: size", about, size_table(&sets(report)));
        let about = "Megabytes of decoded values a second on one core: 8 bytes a number, the bytes \
                     of a string and 4. `forms` leaves dictionaries, runs and constants as an \
                     executor takes them; all other figures end with one value a row.";
        section("Generated sets: speed", about, speed_table(&sets(report)));
        let about = "By the outermost codec of a column, over all sets.";
        section("Decoding by codec", about, codec_table(report));
    }
    if !report.named.is_empty() {
        let about = "Each codec as a user names it, on a column that suits it, without a general \
                     stage but where the codec is one.";
        section("Codecs by name", about, named_table(report));
    }
    if !report.files.is_empty() {
        let about = "Stored bytes over decoded bytes, in percent; numbers: decoding speed of the \
                     columns of numbers over that of columnar + zstd-3.";
        section(
            "Files that no generator made",
            about,
            file_table(&report.files),
        );
    }
    if !report.edge_files.is_empty() {
        let about = "The same for files that the authors of ALP generated, to test codecs by.";
        section(
            "Files that were generated to test codecs",
            about,
            file_table(&report.edge_files),
        );
    }
    if !report.sets.is_empty() {
        let about = "BLAKE3 of each set as CSV and of all that is stored of it. They are the same on \
                     every machine, natively and as wasm.";
        section("Hashes", about, hash_table(report));
    }
    text
}

/// The whole page.
pub(super) fn page(report: &Report, targets: &[Target]) -> String {
    format!(
        "# Codecs against their peers\n\n\
         Written by `cargo run --release -p xtask -- bench codecs` (size {}) on {}: {}, memcpy {} \
         GB/s in the same run. Times are processor time, medians of several passes; compare within \
         a run.\n\n\
         - **ours**: the cascade that the chooser takes, in blocks of 64 vectors, under LZ4 where \
         that pays.\n\
         - **row-wise + LZ4**: each row a tagged value in sorted blocks of 16 KiB, as RocksDB lays \
         them out.\n\
         - **columnar + LZ4**, **columnar + zstd-3**: plain values in frames of as many rows as ours \
         (8 vectors).\n\
         - **light + zstd-3**: our cascades with zstd-3 in place of LZ4.\n\
         - **zstd-3 of the file**: the reference `zstd` over the whole CSV or file.\n\n\
         ![Stored size](codecs-size.svg)\n\n![Decoding](codecs-decode.svg)\n\n![Files](codecs-files.svg)\n\n{}",
        report.size.letter(),
        report.date,
        report.machine,
        figure(report.copy_gb_per_s),
        text(report, targets)
    )
}

/// Names and contents of the charts.
pub(super) fn charts(report: &Report) -> Vec<(&'static str, String)> {
    let big = || report.sets.iter().filter(|set| set.rows > 1024);
    let size = |set: &SetResult| {
        let share = |bytes: u64| 100.0 * bytes as f64 / set.row_wise.bytes.max(1) as f64;
        vec![
            share(set.ours.bytes),
            share(set.columnar_lz4.bytes),
            share(set.columnar_zstd.bytes),
        ]
    };
    let decode = |set: &SetResult| {
        let speeds = [
            set.ours.decode_mb_per_s,
            set.columnar_lz4.decode_mb_per_s,
            set.columnar_zstd.decode_mb_per_s,
            set.row_wise.decode_mb_per_s,
        ];
        speeds
            .iter()
            .map(|speed| speed / 1000.0)
            .collect::<Vec<_>>()
    };
    let sizes = Chart {
        title: "Stored size, in percent of row-wise + LZ4",
        series: &["ours", "columnar + LZ4", "columnar + zstd-3"],
        groups: big().map(|set| (set.name.clone(), size(set))).collect(),
        greatest: 100.0,
        unit: "%",
    };
    let speeds = Chart {
        title: "Decoding to one value a row, GB/s on one core",
        series: &[
            "ours",
            "columnar + LZ4",
            "columnar + zstd-3",
            "row-wise + LZ4",
        ],
        groups: big().map(|set| (set.name.clone(), decode(set))).collect(),
        greatest: 8.0,
        unit: "",
    };
    vec![
        ("codecs-size.svg", sizes.svg()),
        ("codecs-decode.svg", speeds.svg()),
        ("codecs-files.svg", file_chart(report).svg()),
    ]
}

/// All files of a folder or archive together.
fn file_chart(report: &Report) -> Chart<'_> {
    let mut groups: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (group, file) in &report.files {
        let sums = groups.entry(group).or_default();
        let ways = [&file.ours, &file.columnar_zstd, &file.columnar_lz4];
        for (sum, way) in sums.iter_mut().zip(ways) {
            *sum += way.bytes;
        }
    }
    let share = |[ours, zstd, lz4]: [u64; 3]| {
        let of_lz4 = |bytes: u64| 100.0 * bytes as f64 / lz4.max(1) as f64;
        vec![of_lz4(ours), of_lz4(zstd)]
    };
    let groups = groups.into_iter();
    Chart {
        title: "Files that no generator made: stored size, in percent of columnar + LZ4",
        series: &["ours", "columnar + zstd-3"],
        groups: groups
            .map(|(group, sums)| {
                (
                    group.rsplit('/').next().unwrap_or(group).to_owned(),
                    share(sums),
                )
            })
            .collect(),
        greatest: 120.0,
        unit: "%",
    }
}

fn sets(report: &Report) -> Vec<&SetResult> {
    report.sets.iter().collect()
}

fn target_table(targets: &[Target]) -> String {
    let mut table = Table::new(&["aim", "limit", "measured", ""]);
    for target in targets {
        let met = if target.met { "met" } else { "**missed**" };
        table.row(vec![
            target.what.clone(),
            target.limit.clone(),
            target.measured.clone(),
            met.to_owned(),
        ]);
    }
    table.markdown()
}

fn size_table(sets: &[&SetResult]) -> String {
    let mut table = Table::new(&[
        "set",
        "rows",
        "ours",
        "ratio",
        "row-wise + LZ4",
        "columnar + LZ4",
        "columnar + zstd-3",
        "light + zstd-3",
        "zstd-3 of the CSV",
    ]);
    for set in sets {
        let a_row = |bytes: u64| figure(set.bytes_a_row(bytes));
        table.row(vec![
            format!("{} ({})", set.name, set.about),
            thousands(set.rows as u64),
            a_row(set.ours.bytes),
            figure(set.decoded_bytes as f64 / set.ours.bytes.max(1) as f64),
            a_row(set.row_wise.bytes),
            a_row(set.columnar_lz4.bytes),
            a_row(set.columnar_zstd.bytes),
            a_row(set.light_zstd_bytes),
            a_row(set.whole_file.bytes),
        ]);
    }
    table.markdown()
}

fn speed_table(sets: &[&SetResult]) -> String {
    let mut table = Table::new(&[
        "set",
        "encode ours",
        "row-wise",
        "LZ4",
        "zstd-3",
        "decode ours",
        "forms",
        "row-wise",
        "LZ4",
        "zstd-3",
    ]);
    for set in sets {
        let speeds = [
            set.ours.encode_mb_per_s,
            set.row_wise.encode_mb_per_s,
            set.columnar_lz4.encode_mb_per_s,
            set.columnar_zstd.encode_mb_per_s,
            set.ours.decode_mb_per_s,
            set.forms_mb_per_s,
            set.row_wise.decode_mb_per_s,
            set.columnar_lz4.decode_mb_per_s,
            set.columnar_zstd.decode_mb_per_s,
        ];
        let mut row = vec![set.name.clone()];
        row.extend(speeds.iter().map(|speed| thousands(speed.round() as u64)));
        table.row(row);
    }
    table.markdown()
}

/// Name, columns and GB/s of each codec that was outermost in a column of a set of some size.
pub(super) fn by_codec(report: &Report) -> Vec<(String, usize, f64)> {
    let mut sums: BTreeMap<&str, (usize, u64, f64)> = BTreeMap::new();
    for set in report.sets.iter().filter(|set| set.rows > 1024) {
        for column in &set.columns {
            let sum = sums.entry(&column.codec).or_default();
            sum.0 += 1;
            sum.1 += column.decoded_bytes;
            sum.2 += column.decode_seconds;
        }
    }
    let speed = |(name, (columns, bytes, seconds)): (&str, (usize, u64, f64))| {
        (
            name.to_owned(),
            columns,
            bytes as f64 / 1e9 / seconds.max(1e-9),
        )
    };
    sums.into_iter().map(speed).collect()
}

fn codec_table(report: &Report) -> String {
    let mut table = Table::new(&["codec", "columns", "decode, GB/s"]);
    for (name, columns, speed) in by_codec(report) {
        table.row(vec![name, columns.to_string(), figure(speed)]);
    }
    table.markdown()
}

fn named_table(report: &Report) -> String {
    let head = [
        "codec",
        "column",
        "became",
        "bits a value",
        "encode MB/s",
        "decode GB/s",
    ];
    let mut table = Table::new(&head);
    for named in &report.named {
        table.row(vec![
            named.codec.to_owned(),
            named.column.clone(),
            named.became.clone(),
            figure(named.bits_per_value),
            figure(named.encode_mb_per_s),
            figure(named.decode_mb_per_s / 1000.0),
        ]);
    }
    table.markdown()
}

/// The last folder and the file, which is enough to find it.
fn short_name(group: &str, name: &str) -> String {
    let path = format!("{group}/{name}");
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn file_table(files: &[(String, SetResult)]) -> String {
    let mut table = Table::new(&[
        "file",
        "rows",
        "ours",
        "columnar + zstd-3",
        "columnar + LZ4",
        "zstd-3 of the file",
        "smaller",
        "numbers",
    ]);
    for (group, file) in files {
        let percent = |bytes: u64| figure(100.0 * bytes as f64 / file.decoded_bytes.max(1) as f64);
        let smaller = file.ours.bytes < file.columnar_zstd.bytes;
        let numbers = file
            .numbers_mb_per_s
            .map(|(ours, zstd)| format!("{}x", figure(ours / zstd)));
        table.row(vec![
            short_name(group, &file.name),
            thousands(file.rows as u64),
            percent(file.ours.bytes),
            percent(file.columnar_zstd.bytes),
            percent(file.columnar_lz4.bytes),
            percent(file.whole_file.bytes),
            if smaller { "yes" } else { "no" }.to_owned(),
            numbers.unwrap_or_default(),
        ]);
    }
    table.markdown()
}

fn hash_table(report: &Report) -> String {
    let mut table = Table::new(&["set", "CSV", "stored"]);
    for set in &report.sets {
        let start = |hash: &str| format!("`{}`", hash.get(..32).unwrap_or(hash));
        table.row(vec![
            set.name.clone(),
            start(&set.csv_hash),
            start(&set.encoded_hash),
        ]);
    }
    table.markdown()
}
