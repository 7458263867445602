//! Which runs a seed stands for.

use core::fmt;
use core::str::FromStr;

use varve_kv::KvError;
use varve_kv::fault::CallFault;
use varve_store::StoreSettings;

use crate::chance::Chance;
use crate::failure::Failure;
use crate::faults::{Bug, Planted};
use crate::round::{Base, Ended, Plan, run_round};
use crate::world::Excuses;

/// Rounds of a seed: each starts from what one run of the round before left.
const ROUNDS: u64 = 3;

/// What goes wrong in the runs of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// The process dies in each call in turn, which is carried out or not.
    Crash,
    /// Each call in turn fails, loses its answer or its connection.
    Fault,
    /// The storage is full at each write in turn.
    Full,
    /// Each task is dropped after each of its polls in turn.
    Drop,
    /// Another handle is opened at some time, and calls go wrong.
    Fence,
}

impl Scenario {
    /// All of them.
    pub const ALL: [Scenario; 5] = [
        Scenario::Crash,
        Scenario::Fault,
        Scenario::Full,
        Scenario::Drop,
        Scenario::Fence,
    ];

    fn name(self) -> &'static str {
        match self {
            Scenario::Crash => "crash",
            Scenario::Fault => "fault",
            Scenario::Full => "full",
            Scenario::Drop => "drop",
            Scenario::Fence => "fence",
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scenario {
    type Err = String;

    fn from_str(name: &str) -> Result<Scenario, String> {
        let found = Scenario::ALL.into_iter().find(|all| all.name() == name);
        found.ok_or_else(|| format!("there is no scenario {name}"))
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Runs from an open to the comparison after the next.
    pub runs: u64,
    /// Times that the process died.
    pub crashes: u64,
}

impl Report {
    /// Adds another report.
    pub fn add(&mut self, other: Report) {
        self.runs += other.runs;
        self.crashes += other.crashes;
    }
}

/// All runs of a seed. A failure carries the trace of its run, which was repeated for it.
pub fn run(seed: u64, scenario: Scenario, bug: Bug) -> Result<Report, Failure> {
    let _planted = Planted::new(bug);
    let mut chance = Chance::new(seed);
    let mut seeds = Seeds {
        scenario,
        report: Report::default(),
        base: Base::default(),
        plan: plan(&mut chance, bug),
    };
    // What the first round starts from.
    seeds.plan.seed = chance.next_u64();
    let first = seeds.one(None)?;
    seeds.base = first.base;
    for _ in 0..ROUNDS {
        seeds.plan = plan(&mut chance, bug);
        seeds.round(&mut chance)?;
    }
    Ok(seeds.report)
}

struct Seeds {
    scenario: Scenario,
    report: Report,
    base: Base,
    plan: Plan,
}

impl Seeds {
    fn one(&mut self, what: Option<&str>) -> Result<Ended, Failure> {
        let ended = run_round(&self.base, &self.plan).or_else(|_| {
            // Once more, for its trace.
            let traced = Plan {
                with_trace: true,
                ..self.plan.clone()
            };
            run_round(&self.base, &traced)
        });
        let ended = ended.map_err(|failure| Failure {
            message: match what {
                Some(what) => format!("{what}: {}", failure.message),
                None => failure.message,
            },
            ..failure
        })?;
        self.report.runs += 1;
        self.report.crashes += ended.crashes;
        Ok(ended)
    }

    fn round(&mut self, chance: &mut Chance) -> Result<(), Failure> {
        let next = match self.scenario {
            Scenario::Crash => self.crashes(chance)?,
            Scenario::Fault => self.faults(chance)?,
            Scenario::Full => self.quotas(chance)?,
            Scenario::Drop => self.drops(chance)?,
            Scenario::Fence => self.fences(chance)?,
        };
        self.base = next;
        Ok(())
    }

    fn crashes(&mut self, chance: &mut Chance) -> Result<Base, Failure> {
        let mut kept = None;
        for call in 1.. {
            for carried_out in [false, true] {
                self.plan.fault = Some((call, CallFault::Crash { carried_out }));
                let ended = self.one(Some(&format!("crash in call {call}, {carried_out}")))?;
                if !ended.has_met_fault {
                    return Ok(kept.unwrap_or(ended.base));
                }
                if kept.is_none() || chance.one_in(20) {
                    kept = Some(ended.base);
                }
            }
        }
        Ok(self.base.clone())
    }

    fn faults(&mut self, chance: &mut Chance) -> Result<Base, Failure> {
        let mut kept = None;
        for call in 1.. {
            let (fault, excuses) = any_fault(chance);
            self.plan.excuses = excuses;
            self.plan.fault = Some((call, fault.clone()));
            let ended = self.one(Some(&format!("call {call}, {fault:?}")))?;
            if !ended.has_met_fault {
                return Ok(kept.unwrap_or(ended.base));
            }
            if kept.is_none() || chance.one_in(20) {
                kept = Some(ended.base);
            }
        }
        Ok(self.base.clone())
    }

    fn quotas(&mut self, chance: &mut Chance) -> Result<Base, Failure> {
        self.plan.excuses.full = true;
        let mut quota_bytes = 0;
        let mut next = self.base.clone();
        for _ in 0..60 {
            self.plan.quota_bytes = Some(quota_bytes);
            next = self
                .one(Some(&format!("quota of {quota_bytes} more bytes")))?
                .base;
            quota_bytes += 50 + chance.below(600);
        }
        Ok(next)
    }

    fn drops(&mut self, chance: &mut Chance) -> Result<Base, Failure> {
        self.plan.excuses.io = true;
        let mut next = self.base.clone();
        for task in 0.. {
            let mut polls = 0;
            loop {
                self.plan.drop_task = Some((task, polls));
                let ended = self.one(Some(&format!("task {task} dropped after {polls} polls")))?;
                if task >= ended.tasks {
                    return Ok(next);
                }
                next = ended.base;
                if !ended.has_met_fault {
                    break;
                }
                polls += 1 + chance.below(8);
            }
        }
        Ok(next)
    }

    fn fences(&mut self, chance: &mut Chance) -> Result<Base, Failure> {
        self.plan.fence = true;
        let mut next = self.base.clone();
        for _ in 0..40 {
            self.plan.seed = chance.next_u64();
            let mut excuses = Excuses::default();
            self.plan.fault = chance.one_in(2).then(|| {
                let (fault, needed) = any_fault(chance);
                excuses = needed;
                (1 + chance.below(120), fault)
            });
            excuses.fenced = true;
            self.plan.excuses = excuses;
            next = self
                .one(Some(&format!("another opener, {:?}", self.plan.fault)))?
                .base;
        }
        Ok(next)
    }
}

fn any_fault(chance: &mut Chance) -> (CallFault, Excuses) {
    let mut excuses = Excuses::default();
    let fault = match chance.below(4) {
        0 => {
            excuses.full = true;
            return (CallFault::Fail(KvError::StorageFull), excuses);
        }
        1 => CallFault::Fail(KvError::Backend {
            message: "injected".to_owned(),
        }),
        2 => CallFault::LoseAnswer,
        _ => CallFault::Close,
    };
    excuses.io = true;
    (fault, excuses)
}

/// Bounds so low that a few rows pass them, and a few actors.
fn plan(chance: &mut Chance, bug: Bug) -> Plan {
    // Few have room for large values.
    let memtable_bytes_max = match chance.below(16) {
        0 => 256 << 10,
        some => 2 << 10 << (some % 3),
    };
    let mut settings = StoreSettings {
        memtable_bytes_max,
        log_values_max: 3 + u32::try_from(chance.below(8)).unwrap_or(0),
        write_batch_bytes_max: 512 << chance.below(4),
        page_cache_bytes_max: chance.below(2) * (32 << 10),
        group_cache_bytes_max: chance.below(2) * (32 << 10),
        row_cache_bytes_max: chance.below(2) * (4 << 10),
        scratch_bytes_max: 1 << 20,
        reserve_bytes: 0,
        run_bytes_max: 2 << 10 << chance.below(4),
        async_delay_us: chance.below(100_000),
    };
    if chance.one_in(2) {
        settings.reserve_bytes = 512 << chance.below(4);
    }
    Plan {
        seed: chance.next_u64(),
        settings,
        bug,
        writers: 1 + chance.below(3),
        readers: chance.below(3),
        transactions: 2 + chance.below(3),
        job_orders: chance.below(2) * (1 + chance.below(8)),
        yields_max: u32::try_from(chance.below(4)).unwrap_or(0),
        fault: None,
        quota_bytes: None,
        drop_task: None,
        fence: false,
        excuses: Excuses::default(),
        with_trace: false,
    }
}
