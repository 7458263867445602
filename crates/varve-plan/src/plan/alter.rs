//! What ALTER TABLE does, bound against one catalog.

use std::sync::Arc;

use varve_catalog::model::index::IndexDef;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_types::TreeId;

use crate::plan::utility::{Definition, Dropped};

/// A table that becomes another one.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// As it is.
    pub before: Arc<TableDef>,
    /// As it will be, without the indexes that it gets.
    pub after: TableDef,
    /// Where its rows are written anew: each column over the columns as they are; none for one that
    /// gets its default.
    pub rewrite: Option<Vec<Option<Expr>>>,
    /// Whether rows must be looked at: for columns that are not NULL any more, and checks.
    pub verify: bool,
    /// The indexes that it gets.
    pub indexes: Vec<IndexDef>,
    /// The indexes that it loses.
    pub dropped_indexes: Vec<TreeId>,
    /// Sequences of columns that get them, by position.
    pub sequences: Vec<(usize, SequenceDef)>,
    /// The names of foreign keys that rows must be checked against.
    pub references: Vec<String>,
    /// What else goes.
    pub dropped: Vec<Dropped>,
    /// What else becomes another one.
    pub changed: Vec<Definition>,
    /// Other tables that become other ones: those below, or what it joins or leaves.
    pub also: Vec<AlterTable>,
    /// Whether it says how rows are stored, so that it tells how many are to be stored otherwise.
    pub is_about_storage: bool,
}
