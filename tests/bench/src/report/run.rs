//! The whole run: measure, print, write.

use super::{json, markdown, targets};
use crate::codecs::{SetResult, measure};
use crate::corpora::{self, File};
use crate::generate::{GENERATORS, Size};
use crate::measure::{Budget, copy_gb_per_s};
use crate::named::{self, NamedResult};
use crate::ours;
use crate::peers::alp_crate;
use crate::peers::sqlite_zstd::{RowFrames, row_frames};
use crate::report::machine::{machine, today};
use crate::set::{Set, Values};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use varve_codec::{Codec, Stage};

const BUDGET: Budget = Budget { seconds: 0.1 };
/// There are hundreds of files, most of them small.
const FILE_BUDGET: Budget = Budget { seconds: 0.02 };
/// The set whose rows are told against frames of one row, always at size S.
pub(super) const TITLES: &str = "D8";

/// What to do.
#[derive(Debug)]
pub struct Options {
    /// How many rows the sets have.
    pub size: Size,
    /// A folder laid out like `corpora/compression`.
    pub data: PathBuf,
    /// Where everything measured goes.
    pub json: Option<PathBuf>,
    /// Where table and charts go.
    pub docs: Option<PathBuf>,
    /// Only sets and files whose name begins with one of these, if there are any.
    pub only: Vec<String>,
}

/// Everything measured.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) size: Size,
    pub(super) machine: String,
    pub(super) date: String,
    pub(super) copy_gb_per_s: f64,
    pub(super) sets: Vec<SetResult>,
    /// With the folder or archive of each.
    pub(super) files: Vec<(String, SetResult)>,
    /// Files that were generated to test codecs by.
    pub(super) edge_files: Vec<(String, SetResult)>,
    pub(super) skipped: Vec<String>,
    pub(super) row_frames: Option<RowFrames>,
    /// Bits that a value takes under the crate `alp`, by name of the file.
    pub(super) alp: BTreeMap<String, f64>,
    /// Each codec by its name.
    pub(super) named: Vec<NamedResult>,
    /// Bytes of FSST texts under FSST alone, less what the lengths take, by name of the file.
    pub(super) fsst_bytes: BTreeMap<String, u64>,
    /// Ratios that the FSST paper tells, by name of the file: whole block, line by line.
    pub(super) fsst_paper: BTreeMap<String, (f64, f64)>,
}

/// Measures and reports; an error is a file that cannot be written.
pub fn run(options: &Options) -> std::io::Result<()> {
    let wanted = |name: &str| {
        options.only.is_empty()
            || options
                .only
                .iter()
                .any(|only| name.starts_with(only.as_str()))
    };
    let mut report = Report {
        size: options.size,
        machine: machine(),
        date: today(),
        copy_gb_per_s: copy_gb_per_s(),
        sets: Vec::new(),
        files: Vec::new(),
        edge_files: Vec::new(),
        skipped: Vec::new(),
        row_frames: None,
        alp: BTreeMap::new(),
        named: Vec::new(),
        fsst_bytes: BTreeMap::new(),
        fsst_paper: paper_ratios(options),
    };
    println!(
        "{}, memcpy {:.1} GB/s",
        report.machine, report.copy_gb_per_s
    );
    for generator in GENERATORS.iter().filter(|generator| wanted(generator.name)) {
        let size = if generator.name == TITLES {
            Size::S
        } else {
            options.size
        };
        let set = generator.set(size);
        let result = measure(&set, generator.about, None, BUDGET);
        print_line(&result);
        if generator.name == TITLES {
            report.row_frames = titles_by_row(&set);
        }
        report.sets.push(result);
    }
    if options.only.is_empty() {
        report.named = named::measure(options.size, BUDGET);
    }
    let corpus = corpora::load(&options.data);
    for file in corpus.files.iter().filter(|file| wanted(&file.set.name)) {
        measure_file(file, &mut report);
    }
    report.skipped = corpus.skipped;
    for skipped in &report.skipped {
        println!("left out {skipped}");
    }
    let targets = targets::of(&report);
    println!("\n{}", markdown::text(&report, &targets));
    if let Some(path) = &options.json {
        let value = json::report(&report, &targets);
        fs::write(path, format!("{value:#}\n"))?;
    }
    if let Some(folder) = &options.docs {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("codecs.md"), markdown::page(&report, &targets))?;
        for (name, svg) in markdown::charts(&report) {
            fs::write(folder.join(name), svg)?;
        }
    }
    Ok(())
}

fn measure_file(file: &File, report: &mut Report) {
    let result = measure(&file.set, &file.group, Some(&file.raw), FILE_BUDGET);
    print_line(&result);
    if let [column] = file.set.columns.as_slice()
        && let Values::Float64(doubles) = &column.values
        && file.group == "rowgroup_f64le"
    {
        let bits = alp_crate::bits_per_value(doubles);
        report.alp.insert(file.set.name.clone(), bits);
    }
    if let ("fsst-dbtext", [column]) = (file.group.as_str(), file.set.columns.as_slice()) {
        let bytes = ours::encode_as(column, Stage::None, Codec::Fsst).bytes();
        let lengths = result.ours.bytes - result.bytes_without_lengths;
        report
            .fsst_bytes
            .insert(file.set.name.clone(), bytes.saturating_sub(lengths));
    }
    let files = if file.is_natural() {
        &mut report.files
    } else {
        &mut report.edge_files
    };
    files.push((file.group.clone(), result));
}

fn titles_by_row(set: &Set) -> Option<RowFrames> {
    match &set.columns.get(1)?.values {
        Values::Text(texts) => Some(row_frames(texts)),
        _ => None,
    }
}

/// Progress, and the hashes that a run elsewhere is compared with.
fn print_line(result: &SetResult) {
    println!(
        "{:<24} {:>9} rows {:>9.3} B/row, encode {:>6.0} decode {:>6.0} MB/s, csv {} encoded {}",
        result.name,
        result.rows,
        result.bytes_a_row(result.ours.bytes),
        result.ours.encode_mb_per_s,
        result.ours.decode_mb_per_s,
        short(&result.csv_hash),
        short(&result.encoded_hash),
    );
}

fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

fn paper_ratios(options: &Options) -> BTreeMap<String, (f64, f64)> {
    let path = options.data.join("fsst-dbtext/paper_ratios.csv");
    let text = fs::read_to_string(path).unwrap_or_default();
    let ratios = text.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let ratio = |at: usize| fields.get(at)?.parse().ok();
        Some(((*fields.first()?).to_owned(), (ratio(1)?, ratio(3)?)))
    });
    ratios.collect()
}
