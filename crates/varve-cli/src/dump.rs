//! Writes a database as a script.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use pollster::block_on;
use varve_types::{Error, SqlState};
use varvedb::DumpOptions;

use crate::opening::Opening;
use crate::place::{MAIN, Place};
use crate::{integrity, message, open};

/// What is to be dumped.
pub struct Job {
    pub place: PathBuf,
    /// None for the main one.
    pub database: Option<String>,
    pub options: DumpOptions,
    /// None for standard output.
    pub file: Option<PathBuf>,
}

/// Writes the script.
pub fn run(job: &Job, with: &Opening) -> Result<(), String> {
    let name = job.database.as_deref().unwrap_or(MAIN);
    if !job.place.is_dir() {
        return Err(format!("there is no database at {}", job.place.display()));
    }
    let mut place = Place::new(&job.place, with.clone());
    if !place.has(name) {
        return Err(format!("database \"{name}\" does not exist"));
    }
    // What can be read of a damaged one is dumped, without a change to its files.
    let folder = place.folder_of(name);
    let salvaged = match &folder {
        Some(folder) => open::salvaged(folder, with)?,
        None => None,
    };
    let database = match (&salvaged, &folder) {
        (Some(salvaged), _) => salvaged.database.clone(),
        (None, Some(folder)) => open::for_reading(folder, with)?,
        (None, None) => place.open(name)?,
    };
    let mut session = database.session();
    let mut out: BufWriter<Box<dyn Write>> = BufWriter::new(match &job.file {
        None => Box::new(std::io::stdout()),
        Some(path) => {
            Box::new(File::create(path).map_err(|error| format!("{}: {error}", path.display()))?)
        }
    });
    let io_error = |error: std::io::Error| Error::new(SqlState::IO_ERROR, error.to_string());
    let mut sink = |bytes: &[u8]| out.write_all(bytes).map_err(io_error);
    let dumped = block_on(session.dump(job.options, &mut sink));
    let dumped = dumped.and_then(|()| out.flush().map_err(io_error));
    drop(session);
    let closed = place.close(&database);
    dumped.map_err(|error| message::of(&error)).and(closed)?;
    match salvaged {
        Some(salvaged) => {
            integrity::print_losses(&salvaged);
            Err("the files are damaged: what could be read was dumped".to_owned())
        }
        None => Ok(()),
    }
}
