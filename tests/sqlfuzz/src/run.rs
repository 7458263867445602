//! Cases in turn, on several threads, and what became of them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::arguments::{Arguments, CaseName};
use crate::chance::Chance;
use crate::compare::Difference;
use crate::engine::{Engine, STACK_BYTES, THREAD};
use crate::functions::Functions;
use crate::oracle::{Case, Oracle, Verdict};
use crate::postgres::Postgres;
use crate::reduce::{reduced, reduced_world};
use crate::stage::Stage;
use crate::world::{Flavour, World};

/// Cases over one world.
pub const CASES_OF_SEED: u64 = 200;
/// Rebuilt worlds that the reduction of one failure may take.
const WORLDS_MAX: u32 = 120;

/// What became of the cases of one oracle.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub passed: u64,
    pub differs: BTreeMap<Difference, u64>,
    pub skipped: BTreeMap<Difference, u64>,
    pub refused: u64,
    pub failed: u64,
}

/// A failure, as small as it could be made.
#[derive(Clone, Debug)]
pub struct Found {
    pub name: CaseName,
    pub message: String,
    /// Makes the tables.
    pub script: Vec<String>,
    pub statements: Vec<String>,
}

/// What became of all.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub counts: BTreeMap<Oracle, Counts>,
    pub shapes: BTreeMap<&'static str, u64>,
    /// What the engine says that it does not support: how often, and for which case first.
    pub refusals: BTreeMap<String, (u64, CaseName)>,
    pub found: Vec<Found>,
    /// Statements that the engine ran.
    pub statements: u64,
    pub seconds: f64,
}

/// Which functions the engine has.
pub fn known_functions() -> Functions {
    let mut engine = Engine::new();
    Functions::known(|probe| match engine.query(probe) {
        Ok(_) => true,
        Err(failure) => !matches!(
            failure.state.as_str(),
            "42883" | "0A000" | "42601" | "42704"
        ),
    })
}

/// What all threads share.
struct Shared<'a> {
    arguments: &'a Arguments,
    functions: Functions,
    next_seed: AtomicU64,
    /// Cases and expressions that are still to be checked.
    queries_left: AtomicU64,
    expressions_left: AtomicU64,
    report: Mutex<Report>,
    began: Instant,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        let limit = self.arguments.seconds.map(Duration::from_secs);
        let late = limit.is_some_and(|limit| self.began.elapsed() >= limit);
        let failures = self.report.lock().map_or(0, |report| report.found.len());
        late || failures >= self.arguments.failures
    }

    /// Takes one of what is left.
    fn take(left: &AtomicU64) -> bool {
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        taken.is_ok()
    }
}

/// Runs what the arguments say.
pub fn run(arguments: &Arguments) -> Result<Report, String> {
    let shared = Shared {
        arguments,
        functions: known_functions(),
        next_seed: AtomicU64::new(arguments.seed),
        queries_left: AtomicU64::new(arguments.queries),
        expressions_left: AtomicU64::new(arguments.expressions),
        report: Mutex::default(),
        began: Instant::now(),
    };
    let failed = Mutex::new(None);
    let work = || {
        if let Err(message) = worker(&shared)
            && let Ok(mut failed) = failed.lock()
        {
            *failed = Some(message);
        }
    };
    let threads = if arguments.cases.is_empty() {
        arguments.threads
    } else {
        1
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().name(THREAD.to_owned());
            let started = thread.stack_size(STACK_BYTES).spawn_scoped(scope, work);
            started.expect("a thread");
        }
    });
    if let Some(message) = failed.into_inner().unwrap_or_default() {
        return Err(message);
    }
    let mut report = shared.report.into_inner().unwrap_or_default();
    report.seconds = shared.began.elapsed().as_secs_f64();
    report
        .found
        .sort_by_key(|found| (found.name.seed, found.name.index));
    Ok(report)
}

fn worker(shared: &Shared<'_>) -> Result<(), String> {
    let arguments = shared.arguments;
    let mut postgres = match &arguments.postgres {
        Some(address) => Some(Postgres::new(address)?),
        None => None,
    };
    if !arguments.cases.is_empty() {
        for name in &arguments.cases {
            let mut stage = Stage::new(World::new(name.seed), postgres.as_mut());
            one(shared, &mut stage, *name);
        }
        return Ok(());
    }
    loop {
        let seed = shared.next_seed.fetch_add(1, Ordering::Relaxed);
        let mut stage = Stage::new(World::new(seed), postgres.as_mut());
        let mut turns = arguments.oracles.iter().copied().cycle();
        for index in 0..CASES_OF_SEED {
            let wants_expression = Shared::take(&shared.expressions_left);
            if shared.is_over() || (!wants_expression && !has_queries(shared)) {
                return Ok(());
            }
            if wants_expression {
                let oracle = Oracle::Expression;
                one(
                    shared,
                    &mut stage,
                    CaseName {
                        oracle,
                        seed,
                        index,
                    },
                );
            }
            if Shared::take(&shared.queries_left)
                && let Some(oracle) = turns.next()
            {
                one(
                    shared,
                    &mut stage,
                    CaseName {
                        oracle,
                        seed,
                        index,
                    },
                );
            }
        }
        if let Ok(mut report) = shared.report.lock() {
            report.statements += stage.statements;
        }
    }
}

fn has_queries(shared: &Shared<'_>) -> bool {
    shared.queries_left.load(Ordering::Relaxed) > 0
}

/// Checks one case and notes how it ended.
fn one(shared: &Shared<'_>, stage: &mut Stage<'_>, name: CaseName) {
    if let Err((statement, failure)) = stage.prepare() {
        note_failure(
            shared,
            name,
            format!("the world cannot be made: {failure}"),
            vec![statement],
        );
        return;
    }
    let chance = Chance::of_case(name.seed, name.index);
    let Some(case) = Case::new(name.oracle, chance, &stage.world, &shared.functions) else {
        return;
    };
    let verdict = case.check(stage);
    if let Ok(mut report) = shared.report.lock() {
        report.note(name, &case, &verdict);
    }
    if matches!(verdict, Verdict::Refused(_)) && !shared.arguments.cases.is_empty() {
        eprintln!("-- {name}\n{};", case.statements().join(";\n"));
    }
    if let Verdict::Failed(message) = verdict {
        let found = if shared.arguments.quick {
            Found {
                name,
                message,
                script: stage.world.statements(Flavour::Full),
                statements: case.statements(),
            }
        } else {
            smaller(stage, &case, name, &message)
        };
        if let Ok(mut report) = shared.report.lock() {
            eprintln!("{found}");
            report.found.push(found);
        }
    }
}

fn note_failure(shared: &Shared<'_>, name: CaseName, message: String, statements: Vec<String>) {
    if let Ok(mut report) = shared.report.lock() {
        let found = Found {
            name,
            message,
            script: Vec::new(),
            statements,
        };
        eprintln!("{found}");
        report.found.push(found);
    }
}

/// What failures of one kind have in common.
fn kind_of(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').take(4).collect();
    let is_state = message.get(5..6) == Some(":");
    let known = ["panic:", "only", "types", "all", "the row", "WHERE"];
    if is_state || known.iter().any(|word| message.starts_with(word)) {
        words.join(" ")
    } else {
        "wrong".to_owned()
    }
}

fn smaller(stage: &mut Stage<'_>, case: &Case, name: CaseName, message: &str) -> Found {
    let kind = kind_of(message);
    let is_same = |verdict: &Verdict| match verdict {
        Verdict::Failed(message) => kind_of(message) == kind,
        _ => false,
    };
    let small = reduced(case, |candidate| is_same(&candidate.check(stage)));
    let whole = stage.world.clone();
    let mut rebuilt = 0;
    let world = reduced_world(&whole, |candidate| {
        rebuilt += 1;
        if rebuilt > WORLDS_MAX {
            return false;
        }
        stage.enter(candidate.clone());
        stage.prepare().is_ok() && is_same(&small.check(stage))
    });
    stage.enter(world.clone());
    let message = match small.check(stage) {
        Verdict::Failed(message) => message,
        _ => message.to_owned(),
    };
    stage.enter(whole);
    Found {
        name,
        message,
        script: world.statements(Flavour::Full),
        statements: small.statements(),
    }
}

impl Report {
    fn note(&mut self, name: CaseName, case: &Case, verdict: &Verdict) {
        let counts = self.counts.entry(case.oracle).or_default();
        match verdict {
            Verdict::Passed => counts.passed += 1,
            Verdict::Differs(difference) => *counts.differs.entry(*difference).or_default() += 1,
            Verdict::Skipped(difference) => *counts.skipped.entry(*difference).or_default() += 1,
            Verdict::Refused(message) => {
                counts.refused += 1;
                let of_message = self.refusals.entry(message.clone());
                of_message.or_insert((0, name)).0 += 1;
            }
            Verdict::Failed(_) => counts.failed += 1,
        }
        if !matches!(verdict, Verdict::Skipped(_) | Verdict::Refused(_)) {
            for shape in &case.shapes {
                *self.shapes.entry(shape).or_default() += 1;
            }
        }
    }
}
