//! What routines ask of the session around them: they run statements, and statements fire triggers
//! and call functions in turn.

use std::sync::Arc;

use varve_catalog::Catalog;
use varve_dml::{StatementTxn, values_of};
use varve_expr::Locale;
use varve_plan::Bound;
use varve_store::Transaction;
use varve_system_views::Field;
use varve_types::meter::Cancel;
use varve_types::{Batch, Env, LocalFuture, Notice, Result, Value};

/// The statement that calls a routine.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// What runs the statements of the body.
    pub session: &'a dyn RoutineSession,
    /// The catalog that the statement sees.
    pub catalog: &'a Arc<Catalog>,
    /// How it writes values.
    pub locale: &'a Locale,
    /// Stops it.
    pub cancel: &'a dyn Cancel,
    /// Clock and turns of other tasks.
    pub env: &'a Arc<dyn Env>,
    /// How many routines are around it.
    pub depth: u32,
}

/// What a statement of a routine runs with.
#[derive(Clone, Copy)]
pub struct Within<'a> {
    /// The catalog as the statements before have left it.
    pub catalog: &'a Arc<Catalog>,
    /// How values are written.
    pub locale: &'a Locale,
    /// The values of the variables.
    pub parameters: &'a [Value],
}

/// What a statement of a routine answers.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The first word of PostgreSQL's command tag.
    pub command: &'static str,
    /// The columns; none for statements that give no rows.
    pub fields: Arc<[Field]>,
    /// The rows.
    pub batches: Vec<Batch>,
    /// Rows inserted, updated, deleted or copied.
    pub affected_rows: Option<u64>,
}

impl Answer {
    /// Number of rows.
    pub(crate) fn row_count(&self) -> usize {
        self.batches.iter().map(Batch::rows).sum()
    }

    /// All rows as values.
    pub(crate) fn rows(&self) -> Vec<Vec<Value>> {
        values_of(&self.batches)
    }
}

/// Runs the statements of routines.
pub trait RoutineSession {
    /// The catalog as a transaction sees it now.
    fn catalog_now(&self, transaction: &Transaction) -> Result<Arc<Catalog>>;

    /// Takes what a routine says to the user.
    fn notice(&self, notice: Notice);

    /// Runs a bound statement one level deeper.
    fn run_bound<'a>(
        &'a self,
        txn: &'a mut StatementTxn,
        bound: &'a Bound,
        within: Within<'a>,
    ) -> LocalFuture<'a, Result<Answer>>;
}
