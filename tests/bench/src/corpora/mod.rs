//! Data that others wrote, as sets: every file of a folder laid out like `corpora/compression`, and
//! the series, tables and documents in the folders beside it.

mod arrow;
mod cells;
mod flights;
mod lines;
mod table;
#[cfg(test)]
mod tests;
mod unpack;

use crate::set::Set;
use std::collections::HashSet;
use std::path::Path;

/// What its authors generated, to test a codec by.
const GENERATED: [&str; 2] = ["alp/generated_edge", "issues"];

/// A file, or all files of a kind in an archive.
#[derive(Debug)]
pub struct File {
    /// The folder or archive that it is from.
    pub group: String,
    /// What it holds.
    pub set: Set,
    /// Its bytes.
    pub raw: Vec<u8>,
}

impl File {
    /// Whether people or their instruments made the data.
    pub fn is_natural(&self) -> bool {
        !GENERATED.contains(&self.group.as_str())
    }
}

/// What a folder gave.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The files that were understood.
    pub files: Vec<File>,
    /// What was not, and why.
    pub skipped: Vec<String>,
}

/// Folders and archives beside the one of compression, with data that no generator made.
const BESIDE: [&str; 7] = [
    "timeseries/nab.tar.zst",
    "timeseries/darts.tar.zst",
    "timeseries/statsmodels.tar.zst",
    "timeseries/timescaledb_prices.tar.zst",
    "timeseries/nycflights13",
    "tables/vega",
    "json",
];
/// Published figures and not data.
const FIGURES: [&str; 3] = [
    "expected_first_vector.csv",
    "paper_bits_per_value.csv",
    "paper_ratios.csv",
];

/// Reads the folder, and what lies beside it.
pub fn load(folder: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    let beside = folder.parent().unwrap_or(folder);
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut copies = 0;
    let folders = std::iter::once(folder.to_owned()).chain(BESIDE.iter().map(|at| beside.join(at)));
    for path in folders {
        if !path.exists() {
            let name = path.strip_prefix(beside).unwrap_or(&path).display();
            corpus.skipped.push(format!("{name}: not there"));
            continue;
        }
        let mut sql: Vec<(String, Vec<u8>)> = Vec::new();
        unpack::visit(&path, &mut |group, name, raw| {
            if FIGURES.contains(&name.rsplit('/').next().unwrap_or(name)) {
                return;
            }
            if name.ends_with(".sql") {
                return sql.push((group.to_owned(), raw));
            }
            if !seen.insert(raw.clone()) {
                return copies += 1;
            }
            match read(group, name, &raw) {
                Some(set) => corpus.files.push(File {
                    group: group.to_owned(),
                    set,
                    raw,
                }),
                None => corpus
                    .skipped
                    .push(format!("{group}/{name}: of no kind that is read")),
            }
        });
        corpus.files.extend(statements(sql));
    }
    if copies > 0 {
        let message = format!("{copies} files that are the same as another");
        corpus.skipped.push(message);
    }
    corpus
}

fn read(group: &str, name: &str, raw: &[u8]) -> Option<Set> {
    if raw.is_empty() {
        return None;
    }
    let file = name.rsplit('/').next().unwrap_or(name);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "bin" => Some(lines::doubles_le(name, raw)),
        "csv" | "tsv" | "tbl" if group.starts_with("alp") || lines::is_doubles(raw) => {
            Some(lines::doubles(name, raw))
        }
        "csv" | "tsv" | "tbl" => Some(table::read(name, raw)),
        "ndjson" | "txt" | "" => Some(lines::texts(name, raw)),
        "json" => flights::read(name, raw),
        "arrow" => arrow::flights(name, raw),
        _ => None,
    }
}

/// All SQL files of an archive as one column, a file a row.
fn statements(sql: Vec<(String, Vec<u8>)>) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for group in sql.chunk_by(|(a, _), (b, _)| a == b) {
        let texts = group.iter().map(|(_, raw)| raw.as_slice());
        files.push(File {
            group: group[0].0.clone(),
            set: lines::one_column("all .sql", texts.clone()),
            raw: texts.collect::<Vec<_>>().concat(),
        });
    }
    files
}
