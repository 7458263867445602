//! Ways to know what a query must answer.

mod allowance;
mod partition;
mod peer;

use std::collections::BTreeSet;

use allowance::{Ask, Peer};

use crate::answer::{Failure, FailureKind, Outcome};
use crate::ast::{Expr, Query};
use crate::chance::Chance;
use crate::compare::Difference;
use crate::functions::Functions;
use crate::generate::{Generator, Tolerance};
use crate::pivot;
use crate::stage::Stage;
use crate::world::World;

/// A way to know the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oracle {
    /// Ternary logic partitioning: rows for which `p`, `NOT p` and `p IS NULL` hold are all rows.
    Tlp,
    /// As many rows pass WHERE as have a true condition in the select list.
    Norec,
    /// Pivoted query synthesis: a row for which all conditions are known to hold must be there.
    Pqs,
    /// Keys, indexes, CHECKPOINT and the order of rows change plans, not answers.
    Plans,
    /// PostgreSQL gives the same answer to a query.
    Postgres,
    /// PostgreSQL computes the same value.
    Expression,
}

impl Oracle {
    pub const ALL: [Oracle; 6] = [
        Oracle::Tlp,
        Oracle::Norec,
        Oracle::Pqs,
        Oracle::Plans,
        Oracle::Postgres,
        Oracle::Expression,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Oracle::Tlp => "tlp",
            Oracle::Norec => "norec",
            Oracle::Pqs => "pqs",
            Oracle::Plans => "plans",
            Oracle::Postgres => "postgres",
            Oracle::Expression => "expression",
        }
    }

    pub fn of_name(name: &str) -> Option<Oracle> {
        Oracle::ALL.into_iter().find(|oracle| oracle.name() == name)
    }

    pub fn needs_server(self) -> bool {
        matches!(self, Oracle::Postgres | Oracle::Expression)
    }
}

/// What is checked: a query with what the oracle needs beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub oracle: Oracle,
    pub query: Query,
    /// The conditions by which rows are partitioned, counted or kept.
    pub conditions: Vec<Expr>,
    /// Which form of the oracle.
    pub form: Form,
    /// Whether the order of the rows leaves no choice.
    pub ordered: bool,
    pub tolerance: Tolerance,
    pub shapes: BTreeSet<&'static str>,
}

/// The forms that oracles have.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    Rows,
    Distinct,
    /// Aggregates with what makes one of them of the parts.
    Aggregate(&'static str, &'static str),
    Having,
    On,
    /// One statement with UNION ALL.
    Union,
    /// The pivot row must be there, or must not.
    Pivot {
        row: Vec<String>,
        is_there: bool,
    },
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Passed,
    /// Passed but for a difference that is none of the engine's faults.
    Differs(Difference),
    /// The engine says that it does not support it.
    Refused(String),
    /// Nothing can be said.
    Skipped(Difference),
    Failed(String),
}

impl Case {
    /// A random case.
    pub fn new(
        oracle: Oracle,
        chance: Chance,
        world: &World,
        functions: &Functions,
    ) -> Option<Case> {
        let mut generator = Generator::new(chance, world, functions);
        match oracle {
            Oracle::Tlp => partition::tlp(&mut generator),
            Oracle::Norec => partition::norec(&mut generator),
            Oracle::Pqs => pivot::case(generator.chance, world),
            Oracle::Plans | Oracle::Postgres => {
                let (query, ordered) = generator.any_query();
                Some(Case::of(
                    oracle,
                    generator,
                    query,
                    Vec::new(),
                    Form::Rows,
                    ordered,
                ))
            }
            Oracle::Expression => Some(peer::expression(generator, world)),
        }
    }

    fn of(
        oracle: Oracle,
        generator: Generator<'_>,
        query: Query,
        conditions: Vec<Expr>,
        form: Form,
        ordered: bool,
    ) -> Case {
        Case {
            oracle,
            query,
            conditions,
            form,
            ordered,
            tolerance: generator.tolerance,
            shapes: generator.shapes,
        }
    }

    pub fn check(&self, stage: &mut Stage<'_>) -> Verdict {
        match self.oracle {
            Oracle::Tlp => partition::check_tlp(self, stage),
            Oracle::Norec => partition::check_norec(self, stage),
            Oracle::Pqs => pivot::check(self, stage),
            Oracle::Plans => {
                let mut ask = |sql: &str| [stage.full(sql), stage.plain(sql)];
                self.compared(Peer::Ours, &mut ask)
            }
            Oracle::Postgres | Oracle::Expression => {
                let peer = Peer::Postgres(stage.peer_version());
                let mut ask = |sql: &str| [stage.full(sql), stage.peer(sql)];
                self.compared(peer, &mut ask)
            }
        }
    }

    fn compared(&self, peer: Peer, ask: &mut Ask<'_>) -> Verdict {
        let [ours, theirs] = ask(&self.query.to_string());
        peer::judge(self, &ours, &theirs, peer, ask)
    }

    /// The statements that show the failure.
    pub fn statements(&self) -> Vec<String> {
        match self.oracle {
            Oracle::Tlp => partition::tlp_statements(self),
            Oracle::Norec => partition::norec_statements(self),
            Oracle::Pqs => vec![pivot::statement(self)],
            _ => vec![self.query.to_string()],
        }
    }
}

/// The verdict on an outcome that needs no other to compare with.
fn hopeless(outcome: &Outcome) -> Option<Verdict> {
    let failure = outcome.as_ref().err()?;
    if failure.kind == FailureKind::Panic || failure.class() == "XX" {
        return Some(Verdict::Failed(failure.to_string()));
    }
    if failure.class() == "0A" || is_ambiguous(failure) {
        return Some(Verdict::Refused(failure.to_string()));
    }
    None
}

/// Whether a call could mean several functions: the generator does not know which types tell.
fn is_ambiguous(failure: &Failure) -> bool {
    failure.state == "42725"
}

/// The verdict on a query of ours that fails where only the data could be at fault.
pub(crate) fn unanswered(failure: &Failure) -> Verdict {
    let outcome = Err(failure.clone());
    hopeless(&outcome).unwrap_or_else(|| {
        if failure.is_of_data() {
            Verdict::Skipped(Difference::Failing)
        } else {
            Verdict::Failed(failure.to_string())
        }
    })
}
