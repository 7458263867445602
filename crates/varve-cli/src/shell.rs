//! The interactive shell, also for piped SQL.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use varvedb::Session;

use crate::{caret, open, statements, table};

const HELP: &str = "\
Type SQL, ended by a semicolon.
  \\d        list tables
  \\d TABLE  list the columns of a table
  \\s        list the stored bytes of tables and columns
  \\i FILE   run the SQL in a file
  \\q        leave";

/// Runs `command`, or what is piped in, or what is typed.
pub fn run(path: &Path, command: Option<&str>) -> Result<(), String> {
    let database = open::database(path)?;
    let mut session = database.session();
    let done = match command {
        Some(sql) => execute(&mut session, sql),
        None if std::io::stdin().is_terminal() => interact(&mut session),
        None => {
            let mut sql = String::new();
            std::io::stdin()
                .read_to_string(&mut sql)
                .map_err(|error| format!("cannot read standard input: {error}"))?;
            execute(&mut session, &sql)
        }
    };
    drop(session);
    let closed = pollster::block_on(database.close()).map_err(|error| caret::render(&error, ""));
    done.and(closed)
}

fn interact(session: &mut Session) -> Result<(), String> {
    let mut editor = DefaultEditor::new().map_err(|error| error.to_string())?;
    let history = history_file();
    if let Some(file) = &history {
        // The first shell has no history yet.
        let _ = editor.load_history(file);
    }
    println!("varve {}. \\? for help.", env!("CARGO_PKG_VERSION"));
    let mut pending = String::new();
    loop {
        let prompt = match (pending.is_empty(), session.in_transaction()) {
            (true, false) => "varve=> ",
            (true, true) => "varve*> ",
            (false, _) => "varve-> ",
        };
        match editor.readline(prompt) {
            Ok(line) => {
                if pending.is_empty() && line.trim_start().starts_with('\\') {
                    let _ = editor.add_history_entry(line.as_str());
                    if !meta_command(session, line.trim()) {
                        break;
                    }
                    continue;
                }
                if pending.is_empty() && line.trim().is_empty() {
                    continue;
                }
                pending.push_str(&line);
                if statements::is_complete(&pending) {
                    let _ = editor.add_history_entry(pending.as_str());
                    report(execute(session, &pending));
                    pending.clear();
                } else {
                    pending.push('\n');
                }
            }
            Err(ReadlineError::Interrupted) => pending.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.to_string()),
        }
    }
    if let Some(file) = &history
        && let Err(error) = editor.save_history(file)
    {
        eprintln!("the history was not saved to {}: {error}", file.display());
    }
    Ok(())
}

/// Runs a backslash command; false means leave.
fn meta_command(session: &mut Session, line: &str) -> bool {
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    match name {
        "\\q" => return false,
        "\\?" => println!("{HELP}"),
        "\\d" if argument.is_empty() => report(execute(
            session,
            "SELECT table_name, count(*) AS columns FROM varve_tables GROUP BY table_name ORDER BY 1",
        )),
        "\\d" => {
            let quoted = argument.replace('\'', "''");
            report(execute(
                session,
                &format!(
                    "SELECT column_name, data_type, nullable, primary_key FROM varve_tables \
                     WHERE table_name = '{quoted}' ORDER BY ordinal"
                ),
            ));
        }
        "\\s" => report(execute(session, "SELECT * FROM varve_storage")),
        "\\i" => match std::fs::read_to_string(argument) {
            Ok(sql) => report(execute(session, &sql)),
            Err(error) => eprintln!("cannot read {argument}: {error}"),
        },
        _ => eprintln!("no such command: {name}. \\? lists them."),
    }
    true
}

fn report(outcome: Result<(), String>) {
    if let Err(message) = outcome {
        eprintln!("{message}");
    }
}

fn execute(session: &mut Session, sql: &str) -> Result<(), String> {
    let results = pollster::block_on(session.execute_script(sql))
        .map_err(|error| caret::render(&error, sql))?;
    for result in &results {
        for notice in &result.notices {
            eprintln!("{}:  {}", notice.severity, notice.message);
            for (name, more) in [("DETAIL", &notice.detail), ("HINT", &notice.hint)] {
                if let Some(more) = more {
                    eprintln!("{name}:  {more}");
                }
            }
        }
        println!("{}", table::render(result));
    }
    Ok(())
}

fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".varve_history"))
}
