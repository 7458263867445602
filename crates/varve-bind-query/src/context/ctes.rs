//! Named queries in reach.

use varve_types::{Error, LogicalType, SqlState};

use varve_plan::optimize::taken;
use varve_plan::plan::{Plan, WithNode};
use varve_plan::scope::error::located;

/// The names and types of columns.
pub type Columns = Vec<(String, LogicalType)>;

/// A named query in reach.
#[derive(Clone)]
pub struct CteBinding {
    pub(crate) id: usize,
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Columns,
    /// `None` while its own recursive part is bound, and where it changes rows.
    pub plan: Option<Plan>,
    pub(crate) materialized: Option<bool>,
    /// How many of its last columns `*` does not stand for.
    pub hidden: usize,
    pub(crate) state: State,
}

/// What a name of WITH means where it is met.
#[derive(Clone, Copy)]
pub enum State {
    /// A query that is bound.
    Bound,
    /// A query that stands behind the one which is bound; of WITH RECURSIVE it may be read.
    Later {
        /// Its number in the WITH.
        number: usize,
        /// Whether that is WITH RECURSIVE.
        recursive: bool,
    },
    /// The query that is bound, which may not read itself here.
    Within(Misuse),
    /// The query whose recursive term is bound.
    Step {
        /// Whether it was read already.
        is_read: bool,
    },
}

/// Why a query may not read itself.
#[derive(Clone, Copy)]
pub enum Misuse {
    /// It is no UNION.
    Form,
    /// It changes rows.
    Change,
    /// It is the first part of a UNION.
    NonRecursiveTerm,
}

/// Where names of recursive queries are met, for errors: empty where they may be.
pub const IN_SUBQUERY: &str = "a subquery";

/// As [`IN_SUBQUERY`].
pub const IN_OUTER_JOIN: &str = "an outer join";

impl CteBinding {
    /// What a statement that changes rows returns.
    pub fn of_change(id: usize, name: String, columns: Vec<(String, LogicalType)>) -> CteBinding {
        CteBinding {
            id,
            columns,
            ..CteBinding::unbound(name, State::Bound)
        }
    }

    pub(crate) fn unbound(name: String, state: State) -> CteBinding {
        CteBinding {
            id: 0,
            name,
            columns: Vec::new(),
            plan: None,
            materialized: None,
            hidden: 0,
            state,
        }
    }
}

pub(crate) fn recursion_error(message: impl Into<String>, position: u32) -> Error {
    located(Error::new(SqlState::INVALID_RECURSION, message), position)
}

/// How often a plan scans a named query.
pub fn uses(plan: &Plan, id: usize) -> usize {
    let mut count = match plan {
        Plan::CteScan(scan) => usize::from(scan.id == id),
        _ => 0,
    };
    plan.for_each_input(&mut |input| count += uses(input, id));
    count
}

/// The plan with a named query that it may read: put in its place where it is read once, else run
/// once for all readers.
pub fn with_definition(mut body: Plan, cte: CteBinding) -> Plan {
    let Some(definition) = cte.plan else {
        return body;
    };
    let inlined = match (uses(&body, cte.id), cte.materialized) {
        (0, _) => return body,
        (1, Some(true)) => false,
        (1, _) => true,
        (_, materialized) => materialized == Some(false),
    };
    if inlined {
        put_in(&mut body, cte.id, &definition);
        return body;
    }
    Plan::With(WithNode {
        id: cte.id,
        name: cte.name,
        definition: Box::new(definition),
        body: Box::new(body),
    })
}

pub(crate) fn put_in(plan: &mut Plan, id: usize, definition: &Plan) {
    if matches!(plan, Plan::CteScan(scan) if scan.id == id) {
        let _scan = taken(plan);
        *plan = definition.clone();
        return;
    }
    plan.for_each_input_mut(&mut |input| put_in(input, id, definition));
}
