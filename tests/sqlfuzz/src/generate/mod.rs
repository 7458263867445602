//! Random queries whose answers do not depend on the order in which rows come or are added up.

mod aggregate;
mod condition;
mod expr;
mod from;
mod query;
mod recursive;
mod scope;
mod select;
mod window;

use std::collections::BTreeSet;

use crate::ast::{Expr, Query};
use crate::chance::Chance;
use crate::functions::Functions;
use crate::types::Ty;
use crate::world::World;

pub use scope::{Rel, Scope};

/// Parts of one statement; beyond that there are leaves only.
const NODES_MAX: u32 = 60;

/// How exactly the answers of two engines must agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// Digits of floats depend on the order of a sum, or on a library of mathematics.
    pub digits: bool,
    /// Those of singles do, whatever the sum became.
    pub singles: bool,
    /// One of several equal values is taken, which may look different.
    pub looks: bool,
}

/// A named query that may be read.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    columns: Vec<(String, Ty)>,
    rows: f64,
}

/// Makes the parts of one statement.
pub struct Generator<'a> {
    pub chance: Chance,
    world: &'a World,
    functions: &'a Functions,
    /// What the statement has.
    pub shapes: BTreeSet<&'static str>,
    pub tolerance: Tolerance,
    /// Whether functions are used that fail for ordinary values.
    pub is_risky: bool,
    nodes_left: u32,
    names: u32,
    /// How deep queries stand in queries.
    level: u32,
    /// About how many rows the last query gives.
    rows_made: f64,
    named: Vec<Named>,
}

impl<'a> Generator<'a> {
    pub fn new(chance: Chance, world: &'a World, functions: &'a Functions) -> Generator<'a> {
        Generator {
            chance,
            world,
            functions,
            shapes: BTreeSet::new(),
            tolerance: Tolerance::default(),
            is_risky: false,
            nodes_left: NODES_MAX,
            names: 0,
            level: 0,
            rows_made: 1.0,
            named: Vec::new(),
        }
    }

    fn shape(&mut self, shape: &'static str) {
        self.shapes.insert(shape);
    }

    /// A name that is nowhere else in the statement.
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Whether there is room for something large.
    fn has_room(&mut self) -> bool {
        self.nodes_left = self.nodes_left.saturating_sub(1);
        self.nodes_left > 0
    }

    /// Some type.
    fn ty(&mut self) -> Ty {
        let common = [
            Ty::Int4,
            Ty::Int4,
            Ty::Int8,
            Ty::Text,
            Ty::Text,
            Ty::Numeric,
            Ty::Bool,
            Ty::Float8,
            Ty::Date,
            Ty::Timestamp,
        ];
        if self.chance.percent(75) {
            return self.chance.pick(&common);
        }
        let all: Vec<Ty> = Ty::all().collect();
        self.chance.pick(&all)
    }

    /// One to four types.
    fn types(&mut self) -> Vec<Ty> {
        (0..1 + self.chance.index(3)).map(|_| self.ty()).collect()
    }

    /// A query of any kind, and whether its ORDER BY leaves no choice.
    pub fn any_query(&mut self) -> (Query, bool) {
        let types = self.types();
        self.query(&types, &Scope::default())
    }

    /// An expression over a small table, or over nothing; the table's alias is its name.
    pub fn lone_expression(&mut self, scope: &Scope) -> Expr {
        let ty = self.ty();
        let depth = 1 + u32::try_from(self.chance.index(4)).unwrap_or(0);
        self.expr(ty, depth, scope)
    }

    pub fn some_type(&mut self) -> Ty {
        self.ty()
    }

    /// The names of the aggregates that there are.
    pub fn known_aggregates(&self) -> Vec<&'static str> {
        let all = self.functions.aggregates.iter();
        all.map(|aggregate| aggregate.name).collect()
    }
}
