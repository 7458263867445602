//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use varve_dialect::Dialect;
use varvedb::DumpOptions;

use crate::dump;
use crate::export;
use crate::import;
use crate::import_script;
use crate::opening::Opening;
use crate::passphrase;
use crate::place::IN_MEMORY;
use crate::shell::{Action, Job};

/// The folder of databases that none was named for.
const DEFAULT_PLACE: &str = "varve-data";

const PLACES: &str = "\
A place is a folder with a database, made if it is not there, or memory:// for one that ends with
the process. CREATE DATABASE makes further ones in the same place, kept in folders below PLACE/databases;
DROP DATABASE deletes them, \\c NAME or -d NAME opens them. The one of the place itself is called
varvedb, and postgres in scripts.
A file in place of PLACE is run as a script, in the place varve-data.

With a passphrase, in the file of --passphrase-file or in the variable VARVE_PASSPHRASE, a new
database is encrypted, and an encrypted one is opened. It holds for all databases of the place.

Exit status: 0 done; 1 a command failed; 2 no such database; 3 a script stopped at an error because
ON_ERROR_STOP was set.";

/// What is to be done.
pub enum Command {
    Shell(Job),
    Check {
        path: PathBuf,
    },
    Repair {
        path: PathBuf,
        drop_quarantined: bool,
    },
    ChangePassphrase {
        place: PathBuf,
        new: Option<PathBuf>,
    },
    Import(import::Job),
    ImportScript(import_script::Job),
    Dump(dump::Job),
    Export(export::Job),
    ImportStore(export::ImportJob),
}

#[derive(Parser)]
#[command(
    name = "varve",
    version,
    about = "A PostgreSQL-flavoured SQL database in a folder, with a shell that runs psql's scripts",
    after_help = PLACES,
    args_conflicts_with_subcommands = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    #[command(flatten)]
    shell: ShellArguments,
    /// The file with the passphrase of an encrypted database; without it, VARVE_PASSPHRASE has it
    #[arg(long, global = true, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// A setting with which databases are opened, as SHOW names it, such as
    /// rocksdb.write_buffer_bytes=32MB
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    setting: Vec<String>,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Run SQL, typed or piped (what `varve` without a command does)
    #[command(after_help = PLACES)]
    Shell(ShellArguments),
    /// Write the database as a script of SQL that loads here and into PostgreSQL
    Dump {
        /// The folder of the databases
        place: PathBuf,
        /// The database, of those that CREATE DATABASE made
        #[arg(short, long, value_name = "NAME")]
        dbname: Option<String>,
        /// Leave the rows out
        #[arg(short, long, conflicts_with = "data_only")]
        schema_only: bool,
        /// Only rows and the values of sequences
        #[arg(short = 'a', long)]
        data_only: bool,
        /// Rows as INSERT statements instead of COPY
        #[arg(long)]
        inserts: bool,
        /// Write to this file
        #[arg(short, long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Write the whole database into one file, in clear, for import-store and for browsers
    Export(export::Job),
    /// Make the database at PLACE of an export, and of those made --since it, in their order
    ImportStore(export::ImportJob),
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
    /// Give all encrypted databases of PLACE another passphrase; no data is written anew
    ChangePassphrase {
        /// The folder of the databases
        place: PathBuf,
        /// The file with the new passphrase; without it, VARVE_NEW_PASSPHRASE has it
        #[arg(long, value_name = "FILE")]
        new_passphrase_file: Option<PathBuf>,
    },
    /// Import a CSV file with a header line, or a script of another database, whole or not at all
    Import {
        /// The CSV file, or the script
        file: PathBuf,
        /// The table; made with types guessed from the file if it is not there
        #[arg(long, required_unless_present = "dialect")]
        table: Option<String>,
        /// The file is a script of this database: sqlite (what .dump prints) or mysql (mysqldump)
        #[arg(long, conflicts_with_all = ["table", "delimiter", "null"])]
        dialect: Option<Dialect>,
        /// Tell what cannot be translated or fails, and go on without it
        #[arg(long, requires = "dialect")]
        keep_going: bool,
        /// The folder of the database
        #[arg(long, default_value = DEFAULT_PLACE)]
        path: PathBuf,
        /// The character between fields
        #[arg(long, default_value = ",")]
        delimiter: char,
        /// Unquoted text that stands for NULL
        #[arg(long, default_value = "")]
        null: String,
    },
}

#[derive(Args)]
struct ShellArguments {
    /// The folder of the databases, memory://, or a script to run
    place: Option<PathBuf>,
    /// The database to begin with, of those that CREATE DATABASE made
    #[arg(short, long, value_name = "NAME")]
    dbname: Option<String>,
    /// Run this SQL as one request, or this backslash command, and leave (may be repeated)
    #[arg(short, long, value_name = "SQL")]
    command: Vec<String>,
    /// Run this script, - for standard input, and leave (may be repeated)
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Set a variable, as \set does
    #[arg(
        short,
        long = "set",
        visible_alias = "variable",
        value_name = "NAME=VALUE"
    )]
    variables: Vec<String>,
    /// Run all of -c and -f as one transaction
    #[arg(short = '1', long)]
    single_transaction: bool,
    /// Print results only
    #[arg(short, long)]
    quiet: bool,
    /// Print all lines of scripts
    #[arg(short = 'a', long)]
    echo_all: bool,
    /// Print statements as they are sent
    #[arg(short = 'e', long)]
    echo_queries: bool,
    /// Rows without alignment
    #[arg(short = 'A', long)]
    no_align: bool,
    /// Rows without names and counts
    #[arg(short, long)]
    tuples_only: bool,
    /// Rows as records of lines
    #[arg(short = 'x', long)]
    expanded: bool,
    /// Rows as comma-separated values
    #[arg(long)]
    csv: bool,
    /// What stands between fields that are not aligned
    #[arg(short = 'F', long, value_name = "TEXT")]
    field_separator: Option<String>,
    /// Set how results look, as \pset does
    #[arg(short = 'P', long, value_name = "NAME=VALUE")]
    pset: Vec<String>,
    /// Send results to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// List the databases and leave
    #[arg(short, long)]
    list: bool,
    /// Taken for psql's sake: there is no start-up file
    #[arg(short = 'X', long, hide = true)]
    no_psqlrc: bool,
}

/// Reads the command line, and what databases are opened with; a wrong one ends the process with a
/// message.
pub fn read() -> (Command, Opening) {
    let matches = Arguments::command().get_matches();
    let mut arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let refuse = |kind, message: &str| -> ! { Arguments::command().error(kind, message).exit() };
    let file = arguments.passphrase_file.take();
    let encryption = passphrase::read(file.as_deref(), passphrase::VARIABLE)
        .unwrap_or_else(|message| refuse(ErrorKind::Io, &message));
    let has_settings = !arguments.setting.is_empty();
    let mut opening = Opening {
        encryption,
        ..Opening::default()
    };
    for given in arguments.setting.drain(..) {
        opening
            .set(&given)
            .unwrap_or_else(|message| refuse(ErrorKind::InvalidValue, &message));
    }
    let command = command(arguments, &matches);
    if let Command::Shell(job) = &command
        && job.place.as_os_str() == IN_MEMORY
    {
        if opening.encryption.is_some() {
            let message = "a database in memory is stored nowhere, so it is not encrypted: \
                           leave the passphrase out";
            refuse(ErrorKind::ArgumentConflict, message);
        }
        if has_settings {
            let message = "a database in memory has no such settings: leave --setting out";
            refuse(ErrorKind::ArgumentConflict, message);
        }
    }
    (command, opening)
}

fn command(arguments: Arguments, matches: &ArgMatches) -> Command {
    match arguments.command {
        None => Command::Shell(job(arguments.shell, matches)),
        Some(Subcommands::Shell(shell)) => {
            let matches = matches.subcommand_matches("shell").unwrap_or(matches);
            Command::Shell(job(shell, matches))
        }
        Some(Subcommands::Dump {
            place,
            dbname,
            schema_only,
            data_only,
            inserts,
            file,
        }) => Command::Dump(dump::Job {
            place,
            database: dbname,
            options: DumpOptions {
                schema: !data_only,
                data: !schema_only,
                inserts,
            },
            file,
        }),
        Some(Subcommands::Export(job)) => Command::Export(job),
        Some(Subcommands::ImportStore(job)) => Command::ImportStore(job),
        Some(Subcommands::Check { path }) => Command::Check { path },
        Some(Subcommands::Repair {
            path,
            drop_quarantined,
        }) => Command::Repair {
            path,
            drop_quarantined,
        },
        Some(Subcommands::ChangePassphrase {
            place,
            new_passphrase_file: new,
        }) => Command::ChangePassphrase { place, new },
        Some(Subcommands::Import {
            file,
            dialect: Some(dialect),
            keep_going,
            path,
            ..
        }) => Command::ImportScript(import_script::Job {
            file,
            dialect,
            keep_going,
            path,
        }),
        Some(Subcommands::Import {
            file,
            table,
            path,
            delimiter,
            null,
            ..
        }) => Command::Import(import::Job {
            file,
            table: table.unwrap_or_default(),
            path,
            delimiter,
            null,
        }),
    }
}

fn job(mut shell: ShellArguments, matches: &ArgMatches) -> Job {
    let mut place = shell.place.take();
    let script = place.take_if(|path| path.is_file());
    let mut variables = Vec::new();
    if shell.echo_all {
        variables.push("ECHO=all".to_owned());
    } else if shell.echo_queries {
        variables.push("ECHO=queries".to_owned());
    }
    variables.append(&mut shell.variables);
    let mut formats = Vec::new();
    let mut format = |is_set: bool, text: &str| {
        if is_set {
            formats.push(text.to_owned());
        }
    };
    format(shell.no_align, "format=unaligned");
    format(shell.csv, "format=csv");
    format(shell.tuples_only, "tuples_only=on");
    format(shell.expanded, "expanded=on");
    if let Some(separator) = &shell.field_separator {
        format(true, &format!("fieldsep={separator}"));
    }
    formats.append(&mut shell.pset);
    let place = place.unwrap_or_else(|| PathBuf::from(DEFAULT_PLACE));
    Job {
        database: shell.dbname.take(),
        single_transaction: shell.single_transaction,
        quiet: shell.quiet,
        output: shell.output.take(),
        lists: shell.list,
        actions: actions(shell, script, matches),
        place,
        variables,
        formats,
    }
}

/// What is to be run, in the order in which it was given.
fn actions(shell: ShellArguments, script: Option<PathBuf>, matches: &ArgMatches) -> Vec<Action> {
    let indices = |name: &str| -> Vec<usize> {
        let indices = matches.indices_of(name);
        indices.map(Iterator::collect).unwrap_or_default()
    };
    let commands = shell.command.into_iter().map(Action::Command);
    let files = shell.file.into_iter().map(Action::File);
    let mut actions: Vec<(usize, Action)> = indices("command").into_iter().zip(commands).collect();
    actions.extend(indices("file").into_iter().zip(files));
    actions.extend(script.map(|script| (usize::MAX, Action::File(script))));
    actions.sort_by_key(|(at, _)| *at);
    actions.into_iter().map(|(_, action)| action).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Arguments::command().debug_assert();
    }
}
