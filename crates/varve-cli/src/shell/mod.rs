//! The shell: runs scripts, piped SQL and what is typed as psql does.

mod command;
mod conditions;
mod connect;
mod copy;
mod describe;
mod input;
mod output;
mod relation;
mod run;
mod send;
mod settings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use varve_psql::{Format, Statement, Variables, Verbosity};
use varve_types::Env;
use varvedb::{Database, Session, SystemEnv};

use crate::message;
use crate::opening::Opening;
use crate::place::Place;
use input::{Script, Source, Terminal};
use output::Output;
use run::Flow;

/// What the shell is asked to do.
pub struct Job {
    /// The folder of the databases.
    pub place: PathBuf,
    /// The database to begin with; none for the main one.
    pub database: Option<String>,
    /// What to run, in order; what is typed or piped in if there is nothing.
    pub actions: Vec<Action>,
    /// Whether all of it is one transaction.
    pub single_transaction: bool,
    /// `name=value`, as `\set` takes them.
    pub variables: Vec<String>,
    /// `name=value`, as `\pset` takes them.
    pub formats: Vec<String>,
    /// Whether tags and greetings are left out.
    pub quiet: bool,
    /// Where results go, if not to standard output.
    pub output: Option<String>,
    /// Whether to list the databases instead.
    pub lists: bool,
}

/// One thing to run.
pub enum Action {
    /// The SQL of one request, or one command.
    Command(String),
    /// A script; `-` is standard input.
    File(PathBuf),
}

/// A database that is open.
struct Connection {
    name: String,
    database: Database,
    session: Session,
}

/// The state of a shell.
struct Shell {
    env: SystemEnv,
    place: Place,
    connection: Option<Connection>,
    variables: Variables,
    format: Format,
    title: Option<String>,
    verbosity: Verbosity,
    timing: bool,
    quiet: bool,
    output: Output,
    /// Whether `\o` has named a file.
    output_is_file: bool,
    /// The script that is being read and the number of its line, for messages.
    at: Option<(String, u64)>,
    /// The folder of that script.
    folder: PathBuf,
    /// The key of `\restrict`, while commands are refused.
    restricted_by: Option<String>,
    /// Scripts that read scripts.
    depth: u32,
    /// The statement that was sent last.
    previous: Statement,
}

/// Runs what is asked for; answers psql's exit status.
pub fn run(job: Job, with: Opening) -> ExitCode {
    let (mut shell, begun) = Shell::new(&job, with);
    let status = match begun {
        Ok(()) => shell.run_job(job),
        Err(message) => {
            shell.complain(&format!("varve: error: {message}"));
            Status::NoConnection
        }
    };
    let left = shell.leave();
    let written = shell
        .output
        .failure()
        .map_or(Ok(()), |why| Err(why.to_owned()));
    match left.and(written) {
        Ok(()) => ExitCode::from(status as u8),
        Err(message) => {
            message::tell(&format!("varve: error: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// The end of the process, with psql's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Status {
    Done = 0,
    Failed = 1,
    NoConnection = 2,
    /// A statement of a script failed, and `ON_ERROR_STOP` was set.
    ScriptStopped = 3,
}

impl Shell {
    fn new(job: &Job, with: Opening) -> (Shell, Result<(), String>) {
        let mut shell = Shell {
            env: SystemEnv::new(),
            place: Place::new(&job.place, with),
            connection: None,
            variables: Variables::default(),
            format: Format::default(),
            title: None,
            verbosity: Verbosity::default(),
            timing: false,
            quiet: job.quiet,
            output: Output::default(),
            output_is_file: job.output.is_some(),
            at: None,
            folder: PathBuf::new(),
            restricted_by: None,
            depth: 0,
            previous: Statement::default(),
        };
        let begun = shell.begin(job);
        (shell, begun)
    }

    fn begin(&mut self, job: &Job) -> Result<(), String> {
        self.set_first_variables();
        for pair in &job.variables {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            self.set_variable(name, value)?;
        }
        let quiet = std::mem::replace(&mut self.quiet, true);
        for pair in &job.formats {
            let (name, value) = pair
                .split_once('=')
                .map_or((pair.as_str(), None), |(n, v)| (n, Some(v)));
            self.set_format(name, value)?;
        }
        self.quiet = quiet;
        if let Some(output) = &job.output {
            self.output.redirect(Some(output))?;
        }
        let name = job.database.as_deref().unwrap_or(crate::place::MAIN);
        self.connect(name)
    }

    fn run_job(&mut self, job: Job) -> Status {
        if job.lists {
            return if self.list_databases() {
                Status::Done
            } else {
                Status::Failed
            };
        }
        if job.actions.is_empty() {
            return self.run_standard_input();
        }
        if job.single_transaction && !self.send_text("BEGIN", true) {
            return Status::Failed;
        }
        let mut status = Status::Done;
        for action in job.actions {
            status = match action {
                Action::Command(text) => self.run_command_text(&text),
                Action::File(path) => self.run_file(&path),
            };
            if self.output.failure().is_some() {
                status = Status::Failed;
                break;
            }
            if status != Status::Done && (self.stops_on_error() || job.single_transaction) {
                break;
            }
        }
        if job.single_transaction {
            let end = if status == Status::Done {
                "COMMIT"
            } else {
                "ROLLBACK"
            };
            if !self.send_text(end, true) {
                return Status::Failed;
            }
        }
        status
    }

    fn run_standard_input(&mut self) -> Status {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() {
            let mut script = Script::standard_input(None);
            return self.run_source(&mut script);
        }
        match Terminal::new() {
            Ok(mut terminal) => {
                if !self.quiet {
                    let version = env!("CARGO_PKG_VERSION");
                    self.output.line(&format!("varve {version}. \\? for help."));
                    self.output.flush();
                }
                let status = self.run_source(&mut terminal);
                terminal.save();
                status
            }
            Err(message) => {
                self.complain(&format!("varve: error: {message}"));
                Status::Failed
            }
        }
    }

    fn run_file(&mut self, path: &Path) -> Status {
        let script = match path.to_str() {
            Some("-") => Ok(Script::standard_input(Some("<stdin>".to_owned()))),
            _ => Script::open(path),
        };
        match script {
            Ok(mut script) => {
                if let Some(folder) = path.parent() {
                    self.folder = folder.to_owned();
                }
                self.run_source(&mut script)
            }
            Err(message) => {
                self.complain(&format!("varve: error: {message}"));
                Status::Failed
            }
        }
    }

    fn run_source(&mut self, source: &mut dyn Source) -> Status {
        match self.run_lines(source) {
            Flow::Go | Flow::Quit => Status::Done,
            Flow::Failed => Status::ScriptStopped,
            Flow::Lost => Status::NoConnection,
        }
    }

    /// `-c`: a command, or statements that are one request.
    fn run_command_text(&mut self, text: &str) -> Status {
        if text.starts_with('\\') {
            let mut source = Script::of_text(text);
            return match self.run_lines(&mut source) {
                Flow::Go | Flow::Quit => Status::Done,
                Flow::Failed => Status::Failed,
                Flow::Lost => Status::NoConnection,
            };
        }
        match self.send_text(text, self.quiet) {
            true => Status::Done,
            false => Status::Failed,
        }
    }

    fn stops_on_error(&self) -> bool {
        self.variables.is_on("ON_ERROR_STOP")
    }

    /// Prints a message, with the place in the script.
    fn complain(&mut self, message: &str) {
        self.output.flush();
        match &self.at {
            Some((name, line)) => message::tell(&format!("varve:{name}:{line}: {message}")),
            None => message::tell(message),
        }
    }

    /// Prints an error of the shell itself.
    fn complain_of(&mut self, message: &str) {
        match self.at.is_some() {
            true => self.complain(&format!("error: {message}")),
            false => self.complain(message),
        }
    }

    /// What a command of the shell says unless it is to be quiet.
    fn say(&mut self, text: &str) {
        if !self.quiet {
            self.output.line(text);
        }
    }

    fn say_time(&mut self, begun_us: u64) {
        if self.timing {
            let elapsed_us = self.env.monotonic_us().saturating_sub(begun_us);
            let (whole, part) = (elapsed_us / 1000, elapsed_us % 1000);
            self.output.line(&format!("Time: {whole}.{part:03} ms"));
        }
    }

    fn leave(&mut self) -> Result<(), String> {
        self.output.flush();
        self.disconnect()
    }
}
