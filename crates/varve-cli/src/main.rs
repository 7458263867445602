//! `varve`: a shell and an importer over a database in a RocksDB folder.
//! It turns text into calls of the facade and results into text; what SQL means is none of its
//! business.
//!
//! Invariant: exit status 0 means that everything asked for was done; errors go to standard error.

mod caret;
mod import;
mod integrity;
mod open;
mod shell;
mod statements;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "varve",
    version,
    about = "A PostgreSQL-flavoured SQL database in a folder"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run SQL, typed or piped, in the database at PATH (made if it is not there)
    Shell {
        /// The folder of the database
        path: PathBuf,
        /// Run this SQL and leave
        #[arg(short, long, value_name = "SQL")]
        command: Option<String>,
    },
    /// Read everything that is stored in the database at PATH and tell what is damaged
    Check {
        /// The folder of the database
        path: PathBuf,
    },
    /// Put the damaged database at PATH right as far as that is possible, and tell what was lost
    Repair {
        /// The folder of the database
        path: PathBuf,
        /// Delete what this and earlier repairs put aside
        #[arg(long)]
        drop_quarantined: bool,
    },
    /// Import a CSV file with a header line, all rows or none
    Import {
        /// The CSV file
        file: PathBuf,
        /// The table; made with types guessed from the file if it is not there
        #[arg(long)]
        table: String,
        /// The folder of the database
        #[arg(long, default_value = "varve-data")]
        path: PathBuf,
        /// The character between fields
        #[arg(long, default_value = ",")]
        delimiter: char,
        /// Unquoted text that stands for NULL
        #[arg(long, default_value = "")]
        null: String,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Shell { path, command } => shell::run(&path, command.as_deref()),
        Command::Check { path } => integrity::check(&path),
        Command::Repair {
            path,
            drop_quarantined,
        } => integrity::repair(&path, drop_quarantined),
        Command::Import {
            file,
            table,
            path,
            delimiter,
            null,
        } => import::run(&import::Job {
            file,
            table,
            path,
            delimiter,
            null,
        }),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
