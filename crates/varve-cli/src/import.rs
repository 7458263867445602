//! Imports a CSV file with a progress bar.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use varve_psql::Verbosity;
use varve_types::{LogicalType, SqlText, Value};
use varvedb::{DEFAULT_LOCALE, Session, parse_value};

use crate::opening::Opening;
use crate::{message, open};

const CHUNK_BYTES: usize = 1 << 20;
/// Lines that types are guessed from.
const SAMPLE_LINES: usize = 1000;

/// What is to be imported.
pub struct Job {
    pub file: PathBuf,
    pub table: String,
    pub path: PathBuf,
    pub delimiter: char,
    pub null: String,
}

/// Makes the table if it is not there and imports the file, all rows or none.
pub fn run(job: &Job, with: &Opening) -> Result<(), String> {
    let file = File::open(&job.file)
        .map_err(|error| format!("cannot open {}: {error}", job.file.display()))?;
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
    let database = open::database(&job.path, with)?;
    let mut session = database.session();
    let imported = import(job, &mut session, &mut reader, bytes);
    drop(session);
    let closed = pollster::block_on(database.close()).map_err(|error| message::of(&error));
    let imported = format!("{} rows imported into {}", imported?, job.table);
    closed.and(message::print(&imported))
}

fn import(
    job: &Job,
    session: &mut Session,
    reader: &mut BufReader<File>,
    bytes: u64,
) -> Result<u64, String> {
    let header = reader
        .fill_buf()
        .map_err(|error| read_error(job, &error))?
        .to_vec();
    let created = if table_exists(session, &job.table)? {
        false
    } else {
        let columns = guess_columns(&String::from_utf8_lossy(&header), job)?;
        let sql = format!("CREATE TABLE {} ({columns})", quoted(&job.table));
        pollster::block_on(session.query(&sql, &[]))
            .map_err(|error| message::of_statement(&error, &sql, Verbosity::Verbose))?;
        true
    };
    let outcome = copy(job, session, reader, bytes);
    if created && outcome.is_err() {
        let sql = format!("DROP TABLE {}", quoted(&job.table));
        pollster::block_on(session.query(&sql, &[]))
            .map_err(|error| message::of_statement(&error, &sql, Verbosity::Verbose))?;
    }
    outcome
}

fn copy(
    job: &Job,
    session: &mut Session,
    reader: &mut BufReader<File>,
    bytes: u64,
) -> Result<u64, String> {
    let delimiter = SqlText::literal(&job.delimiter.to_string());
    let null = SqlText::literal(&job.null);
    let sql = format!(
        "COPY {} FROM STDIN WITH (FORMAT csv, HEADER true, DELIMITER {delimiter}, NULL {null})",
        quoted(&job.table)
    );
    let failed = |error: varve_types::Error| message::of(&error);
    pollster::block_on(session.copy_begin(&sql)).map_err(failed)?;
    let progress = ProgressBar::new(bytes).with_style(
        ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {msg} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => {
                pollster::block_on(session.copy_abort()).map_err(failed)?;
                return Err(read_error(job, &error));
            }
        };
        let rows = pollster::block_on(session.copy_write(chunk.get(..read).unwrap_or_default()))
            .map_err(failed)?;
        progress.inc(read as u64);
        progress.set_message(format!("{rows} rows"));
    }
    let result = pollster::block_on(session.copy_finish()).map_err(failed)?;
    progress.finish_and_clear();
    Ok(result.affected_rows.unwrap_or(0))
}

fn table_exists(session: &mut Session, table: &str) -> Result<bool, String> {
    let sql = "SELECT 1 FROM varve_tables WHERE table_name = $1";
    pollster::block_on(session.query(sql, &[Value::text(table)]))
        .map(|result| result.row_count() > 0)
        .map_err(|error| message::of_statement(&error, sql, Verbosity::Verbose))
}

/// `"name" type, ...` from a header line and the lines below it that were read with it.
fn guess_columns(head: &str, job: &Job) -> Result<String, String> {
    let mut lines = head.lines();
    let header = lines.next().filter(|line| !line.trim().is_empty());
    let Some(header) = header else {
        return Err(format!(
            "{} is empty: it needs a header line",
            job.file.display()
        ));
    };
    let names = cut(header, job.delimiter);
    // The last line of the buffer may be cut off in its middle.
    let mut sample: Vec<&str> = lines.take(SAMPLE_LINES).collect();
    if !head.ends_with('\n') {
        sample.pop();
    }
    let rows: Vec<Vec<String>> = sample.iter().map(|line| cut(line, job.delimiter)).collect();
    let columns = names.iter().enumerate().map(|(i, name)| {
        let cells: Vec<&str> = rows
            .iter()
            .filter_map(|row| row.get(i))
            .map(String::as_str)
            .filter(|cell| *cell != job.null && !cell.is_empty())
            .collect();
        format!("{} {}", quoted(name), guess_type(&cells).name())
    });
    Ok(columns.collect::<Vec<_>>().join(", "))
}

fn cut(line: &str, delimiter: char) -> Vec<String> {
    line.split(delimiter)
        .map(|cell| cell.trim().trim_matches('"').to_owned())
        .collect()
}

/// The narrowest type that reads every cell. `date` reads a time of day too and drops it, so what
/// has one is a timestamp.
fn guess_type(cells: &[&str]) -> LogicalType {
    let fits = |ty: LogicalType| {
        cells
            .iter()
            .all(|cell| parse_value(cell, ty, &DEFAULT_LOCALE).is_ok())
    };
    let has_time = |cell: &&str| cell.contains(':');
    let has_zone = |cell: &&str| {
        let time = cell.split_once(':').map_or("", |(_, time)| time);
        time.contains(['+', '-', 'Z', 'z'])
    };
    if cells.is_empty() {
        LogicalType::Text
    } else if fits(LogicalType::Int8) {
        LogicalType::Int8
    } else if fits(LogicalType::Float8) {
        LogicalType::Float8
    } else if !fits(LogicalType::TimestampTz) {
        LogicalType::Text
    } else if !cells.iter().any(has_time) {
        LogicalType::Date
    } else if cells.iter().any(has_zone) {
        LogicalType::TimestampTz
    } else {
        LogicalType::Timestamp
    }
}

fn quoted(name: &str) -> String {
    SqlText::quoted_name(name).into_string()
}

fn read_error(job: &Job, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", job.file.display())
}

#[cfg(test)]
mod tests {
    use varve_types::LogicalType;

    #[test]
    fn types_are_guessed_from_all_cells() {
        let cases: [(&[&str], LogicalType); 9] = [
            (&[], LogicalType::Text),
            (&["1", "-20"], LogicalType::Int8),
            (&["1", "2.5"], LogicalType::Float8),
            (&["1", "x"], LogicalType::Text),
            (&["2013-01-31"], LogicalType::Date),
            (
                &["2013-01-31 05:00:00", "2013-02-01"],
                LogicalType::Timestamp,
            ),
            (&["2013-01-31T05:00:00Z"], LogicalType::TimestampTz),
            (&["2013-01-31 05:00:00-03"], LogicalType::TimestampTz),
            (&["2013-01-31", "soon"], LogicalType::Text),
        ];
        for (cells, ty) in cases {
            assert_eq!(super::guess_type(cells), ty, "{cells:?}");
        }
    }
}
