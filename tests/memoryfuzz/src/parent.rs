//! Gives statements to processes of little memory, and notes those that end them.

use core::fmt;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Error, Result, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::child;
use crate::statements::{Chance, Statements};

/// How it is called.
pub const USAGE: &str =
    "usage: memoryfuzz [--seed N] [--statements N] [--unlimited] [--show] [SQL]";

/// The address space of a process.
const ADDRESS_KIB: u32 = 256 * 1024;
/// The processor time of a process: no statement takes so long.
const CPU_SECONDS: u32 = 600;

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where chance begins.
    pub seed: u64,
    /// How many statements.
    pub statements: usize,
    /// Whether they are held to the memory limit.
    pub is_limited: bool,
    /// Whether every answer is printed.
    pub shows: bool,
    /// These instead of others.
    pub given: Vec<String>,
}

impl Plan {
    /// The plan that arguments ask for.
    pub fn parse(arguments: &[String]) -> core::result::Result<Plan, String> {
        let mut plan = Plan {
            seed: 1,
            statements: 3000,
            is_limited: true,
            shows: false,
            given: Vec::new(),
        };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let mut number = || {
                let number = rest.next().and_then(|number| number.parse().ok());
                number.ok_or_else(|| format!("{word} wants a number"))
            };
            match word.as_str() {
                "--seed" => plan.seed = number()?,
                "--statements" => {
                    plan.statements = usize::try_from(number()?).unwrap_or(usize::MAX);
                }
                child::UNLIMITED => plan.is_limited = false,
                "--show" => plan.shows = true,
                option if option.starts_with("--") => return Err(format!("unknown: {option}")),
                sql => plan.given.push(sql.to_owned()),
            }
        }
        Ok(plan)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// How many statements got each kind of answer.
    pub answers: BTreeMap<String, usize>,
    /// The statements that ended their process, and how.
    pub ended: Vec<(String, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (answer, count) in &self.answers {
            writeln!(f, "{count:7} {answer}")?;
        }
        for (statement, how) in &self.ended {
            writeln!(f, "{how}: {statement}")?;
        }
        Ok(())
    }
}

/// A process, and its input and output.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(program: &Path, is_limited: bool) -> Result<Process> {
        let limits = format!("ulimit -v {ADDRESS_KIB} -t {CPU_SECONDS} -c 0 && exec \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.arg("-c").arg(limits).arg(program).arg(child::WORD);
        if !is_limited {
            command.arg(child::UNLIMITED);
        }
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::other("a process without input and output"));
        };
        Ok(Process {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    /// The answer to a statement; `None` where the process has ended.
    fn ask(&mut self, statement: &str) -> Option<String> {
        writeln!(self.input, "{statement}").ok()?;
        let mut line = String::new();
        let bytes = self.output.read_line(&mut line).ok()?;
        (bytes > 0).then(|| line.trim_end().to_owned())
    }
}

/// Runs statements in processes of `program`, which begins one anew whenever one has ended.
pub fn run(program: &Path, plan: &Plan) -> Result<Report> {
    let mut report = Report::default();
    let mut chance = Chance::new(plan.seed);
    let all = Statements::new();
    let mut process = Process::start(program, plan.is_limited)?;
    let count = if plan.given.is_empty() {
        plan.statements
    } else {
        plan.given.len()
    };
    for number in 0..count {
        let statement = match plan.given.get(number) {
            Some(given) => given.clone(),
            None => all.statement(number, &mut chance),
        };
        match process.ask(&statement) {
            Some(answer) => {
                if plan.shows {
                    println!("{answer}: {statement}");
                }
                let kind = answer.split([' ', ':']).next().unwrap_or_default();
                *report.answers.entry(kind.to_owned()).or_default() += 1;
            }
            None => {
                let how = process.child.wait()?.to_string();
                report.ended.push((statement, how));
                process = Process::start(program, plan.is_limited)?;
            }
        }
    }
    drop(process.input);
    process.child.wait()?;
    Ok(report)
}
