//! The statements that are cut and changed.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use varve_corpora::archive::{SourceFile, read_folder};

/// Longer ones say nothing new.
const STATEMENT_BYTES_MAX: usize = 4096;

/// The answers of every backend, which are in each checkout.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sql");

/// Families of the corpora whose files are SQL with words of a test runner between it.
const FAMILIES: [&str; 7] = [
    "cockroach",
    "datafusion",
    "duckdb",
    "gluesql",
    "postgres-regress",
    "risinglight",
    "risingwave",
];

/// Our own statements and, where there is a folder of corpora, theirs.
pub fn statements(corpora: Option<&Path>) -> io::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    collect(&read_folder(Path::new(OWN))?, &mut found);
    for family in FAMILIES {
        let folder = corpora.map(|corpora| corpora.join(family));
        if let Some(folder) = folder.filter(|folder| folder.exists()) {
            collect(&read_folder(&folder)?, &mut found);
        }
    }
    Ok(found.into_iter().collect())
}

/// Takes paragraphs up to the answers below them, and without the runner's line above them.
fn collect(files: &[SourceFile], found: &mut BTreeSet<String>) {
    for file in files {
        let is_answer = file.path.ends_with(".out") || file.path.ends_with(".csv");
        if is_answer {
            continue;
        }
        for paragraph in file.text().split("\n\n") {
            let lines = paragraph.lines().skip_while(|line| {
                let of_runner = ["#", "statement ", "query ", "skipif", "onlyif"];
                line.is_empty() || of_runner.iter().any(|word| line.starts_with(word))
            });
            let lines: Vec<&str> = lines.take_while(|line| *line != "----").collect();
            let text = lines.join("\n");
            if !text.is_empty() && text.len() <= STATEMENT_BYTES_MAX {
                found.insert(text);
            }
        }
    }
}
