//! The page: ours beside the peer, with the ratio and what was aimed at.

use serde_json::json;
use varve_bench::measure::copy_gb_per_s;
use varve_bench::report::machine::{machine, today};
use varve_bench::report::table::{Table, figure};

use crate::cases::Figure;
use crate::encrypted::Pair;

/// What is aimed at: case, in memory, on the disk.
const AIMS: &[(&str, Option<f64>, Option<f64>)] = &[
    ("load", Some(600_000.0), Some(600_000.0)),
    ("open and first lookup", Some(50.0), Some(50.0)),
    ("lookup, hot", Some(5.0), Some(5.0)),
    ("insert, relaxed", Some(20.0), None),
    ("100 inserts at once, relaxed", Some(1_000.0), None),
    ("delete of 150 rows by range", Some(200.0), None),
    ("random updates, 1,000 at once", Some(200_000.0), None),
    ("bytes written per byte given", Some(10.0), Some(10.0)),
];

/// Both engines in one place.
pub struct Section {
    /// In memory, or on what disk.
    pub title: String,
    /// Whether it is in memory.
    pub in_memory: bool,
    /// Of VarveDB.
    pub ours: Vec<Figure>,
    /// Of SQLite.
    pub peer: Vec<Figure>,
}

/// The page with everything measured.
pub fn page(sections: &[Section], command: &str) -> String {
    let mut text = format!(
        "# The store against SQLite\n\nWritten by `{command}` on {}: {}, memcpy {} GB/s in the same \
         run. Medians; in memory processor time, on disk wall time. `SQLite` is `rusqlite` with its \
         bundled SQLite, write-ahead log, statements prepared, cache of 512 MiB; strict, relaxed and \
         async are its `synchronous` FULL, NORMAL and OFF. The ratio is ours over SQLite's, in the \
         direction in which more than 1 is better.\n",
        today(),
        machine(),
        figure(copy_gb_per_s()),
    );
    for section in sections {
        let mut table = Table::new(&["case", "unit", "ours", "SQLite", "ratio", "aim"]);
        for ours in &section.ours {
            let peer = section.peer.iter().find(|peer| peer.case == ours.case);
            let ratio = peer.map(|peer| ratio(ours, peer));
            let aim = AIMS.iter().find(|aim| aim.0 == ours.case);
            let aim = aim.and_then(|aim| if section.in_memory { aim.1 } else { aim.2 });
            let or_empty = |value: Option<f64>| value.map_or(String::new(), figure);
            table.row(vec![
                ours.case.clone(),
                ours.unit.to_owned(),
                figure(ours.value),
                or_empty(peer.map(|peer| peer.value)),
                or_empty(ratio),
                or_empty(aim),
            ]);
        }
        text.push_str(&format!("\n## {}\n\n{}", section.title, table.markdown()));
    }
    text
}

/// The first over the second, in the direction in which more than 1 is better.
fn ratio(ours: &Figure, other: &Figure) -> f64 {
    match ours.unit {
        "rows/s" => ours.value / other.value,
        _ => other.value / ours.value,
    }
}

/// The page of an encrypted store beside one in clear.
pub fn encryption_page(pair: &Pair, runs: usize, command: &str) -> String {
    let mut table = Table::new(&["case", "unit", "in clear", "encrypted", "ratio"]);
    for (clear, encrypted) in pair.clear.iter().zip(&pair.encrypted) {
        table.row(vec![
            clear.case.clone(),
            clear.unit.to_owned(),
            figure(clear.value),
            figure(encrypted.value),
            figure(ratio(encrypted, clear)),
        ]);
    }
    format!(
        "# What encryption costs natively\n\nWritten by `{command}` on {}: {}, memcpy {} GB/s in \
         the same run. Medians of {runs} loads of all orders on disk, the two stores in turn. \
         Processor time is that of all threads, the rest wall time. The ratio is that of the \
         encrypted store over the one in clear, in the direction in which more than 1 is better. An \
         open of the encrypted store stretches its passphrase, in 600,000 rounds of PBKDF2; with a \
         key it would not. Stored bytes are counted before they are encrypted: each \
         value takes 44 bytes more.\n\n{}",
        today(),
        machine(),
        figure(copy_gb_per_s()),
        table.markdown(),
    )
}

/// The same figures for programs.
pub fn as_json(sections: &[Section]) -> serde_json::Value {
    let figures = |figures: &[Figure]| -> Vec<serde_json::Value> {
        let one = |of: &Figure| json!({"case": of.case, "unit": of.unit, "value": of.value});
        figures.iter().map(one).collect()
    };
    let section = |of: &Section| {
        json!({
            "where": of.title,
            "varvedb": figures(&of.ours),
            "sqlite": figures(&of.peer),
        })
    };
    json!(sections.iter().map(section).collect::<Vec<_>>())
}
