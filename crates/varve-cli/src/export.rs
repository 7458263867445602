//! A whole database as one file, and a database made of such files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use pollster::block_on;
use varvedb::{Database, KnownContents};

use crate::opening::Opening;
use crate::place::{MAIN, Place};
use crate::{message, open};

/// The file that stands for standard input and output.
const STANDARD: &str = "-";
/// Files are read in pieces of this size.
const PIECE_BYTES: usize = 256 * 1024;

/// What is to be exported.
#[derive(Args)]
pub struct Job {
    /// The folder of the databases
    place: PathBuf,
    /// The file, which must not be there yet; - for standard output
    file: PathBuf,
    /// The database, of those that CREATE DATABASE made
    #[arg(short = 'd', long = "dbname", value_name = "NAME")]
    database: Option<String>,
    /// Leave out what this earlier export of the same database holds
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
}

/// What is to be imported.
#[derive(Args)]
pub struct ImportJob {
    /// The files; - for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The folder of the database: a new one, or one made of what the first file goes on from
    place: PathBuf,
}

/// Writes the export. A file that could not be completed is deleted.
pub fn export(job: &Job, with: &Opening) -> Result<(), String> {
    let name = job.database.as_deref().unwrap_or(MAIN);
    open::check_is_folder(&job.place)?;
    let mut place = Place::new(&job.place, with.clone());
    if !place.has(name) {
        return Err(format!("database \"{name}\" does not exist"));
    }
    let since = job.since.as_deref().map(contents_of).transpose()?;
    let database = match place.folder_of(name) {
        Some(folder) => open::for_reading(&folder, with)?,
        None => place.open(name)?,
    };
    let written = write_file(&database, since.as_ref(), &job.file);
    let closed = place.close(&database);
    written.and(closed)
}

fn write_file(
    database: &Database,
    since: Option<&KnownContents>,
    path: &Path,
) -> Result<(), String> {
    if path == Path::new(STANDARD) {
        return write(database, since, &mut std::io::stdout().lock(), path);
    }
    let file = File::create_new(path).map_err(|error| in_file(path, &error))?;
    let written = write(database, since, &mut BufWriter::new(&file), path);
    let written = written.and_then(|()| file.sync_all().map_err(|error| in_file(path, &error)));
    if written.is_err() {
        // What is there of it would be refused anyway.
        let _ = std::fs::remove_file(path);
    }
    written
}

fn write(
    database: &Database,
    since: Option<&KnownContents>,
    out: &mut dyn Write,
    path: &Path,
) -> Result<(), String> {
    let engine = |error| message::of(&error);
    let mut export = block_on(database.export(since)).map_err(engine)?;
    while let Some(chunk) = block_on(export.next_chunk()).map_err(|error| engine(error.into()))? {
        out.write_all(&chunk)
            .map_err(|error| in_file(path, &error))?;
    }
    out.flush().map_err(|error| in_file(path, &error))
}

/// What an earlier export holds, by its beginning.
fn contents_of(path: &Path) -> Result<KnownContents, String> {
    let mut file = File::open(path).map_err(|error| in_file(path, &error))?;
    let mut beginning = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let bytes = file
            .read(&mut piece)
            .map_err(|error| in_file(path, &error))?;
        beginning.extend_from_slice(piece.get(..bytes).unwrap_or_default());
        let read = KnownContents::read(&beginning);
        match read.map_err(|error| message::of(&error.into()))? {
            Some(known) => return Ok(known),
            None if bytes == 0 => return Err(format!("{}: it ends too early", path.display())),
            None => {}
        }
    }
}

/// Makes the database of a whole export and those that go on from it, or adds those to what it was
/// made of.
pub fn import(job: &ImportJob, with: &Opening) -> Result<(), String> {
    let ImportJob { files, place } = job;
    let is_new = !place.exists();
    let imported = import_all(files, place, with);
    if imported.is_err() && is_new {
        // All files or none.
        let _ = std::fs::remove_dir_all(place);
    }
    imported
}

fn import_all(files: &[PathBuf], place: &Path, with: &Opening) -> Result<(), String> {
    let engine = |error| message::of(&error);
    let mut import = open::import(place, with)?;
    for path in files {
        if let Err(message) = import_file(&mut import, path) {
            block_on(import.abort());
            return Err(message);
        }
    }
    let database = block_on(import.finish()).map_err(engine)?;
    block_on(database.close()).map_err(engine)
}

fn import_file(import: &mut varvedb::Import, path: &Path) -> Result<(), String> {
    let mut input: Box<dyn Read> = match path == Path::new(STANDARD) {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(BufReader::new(
            File::open(path).map_err(|error| in_file(path, &error))?,
        )),
    };
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let bytes = input
            .read(&mut piece)
            .map_err(|error| in_file(path, &error))?;
        let read = piece.get(..bytes).unwrap_or_default();
        if read.is_empty() {
            return Ok(());
        }
        let taken = block_on(import.write(read));
        taken.map_err(|error| format!("{}: {}", path.display(), message::of(&error)))?;
    }
}

fn in_file(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
