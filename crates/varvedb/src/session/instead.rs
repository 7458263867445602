//! INSTEAD OF triggers: what a statement would do to the rows of a view is left to them.

use varve_sql::{Event, Plan, Returning, TableDef};
use varve_types::{Batch, Result, Selection, Value};

use super::run::{Run, answer};
use super::triggers::{Pair, batch_of};
use crate::ResultSet;
use crate::statement_txn::StatementTxn;

impl Run<'_> {
    /// Whether a statement writes to a view with such triggers.
    pub(super) fn is_instead(&self, table: &TableDef) -> bool {
        self.catalog.views.contains_key(&table.object)
    }

    /// Fires the triggers of a view for the rows of a plan, which begin with its columns; of an
    /// UPDATE they end with those as they were. The rows that triggers pass over do not count.
    pub(super) async fn instead(
        &self,
        txn: &mut StatementTxn,
        (view, event): (&TableDef, Event),
        plan: &Plan,
        returning: Option<&Returning>,
    ) -> Result<ResultSet> {
        let rows = self.rows_of(&txn.store, plan).await?;
        let mut armed = self.armed(view, event, (false, true), &[])?;
        let width = view.columns.len();
        let mut answered = Vec::with_capacity(rows.len());
        for batch in &rows {
            let columns = batch.physical_columns();
            let (mut numbers, mut kept) = (Vec::new(), Vec::new());
            for (number, row) in (0..).zip(0..batch.rows()) {
                let from = |first: usize| -> Vec<Value> {
                    let columns = columns.iter().skip(first).take(width);
                    columns.map(|column| column.value(row)).collect()
                };
                let (old, new) = match event {
                    Event::Insert => (None, Some(from(0))),
                    Event::Update => (Some(from(columns.len() - width)), Some(from(0))),
                    Event::Delete | Event::Truncate => (Some(from(0)), None),
                };
                let of = (view, event);
                let pair = Pair { old, new };
                let fired = self.before_row(txn, of, &mut armed, pair);
                if let Some(Pair { old, new }) = fired.await? {
                    numbers.push(number);
                    kept.extend(new.or(old));
                }
            }
            let behind = batch.select(&Selection::new(numbers)).compact();
            let behind = behind.physical_columns().iter().skip(width).cloned();
            let own = batch_of(view, &kept);
            let columns = own.physical_columns().iter().cloned().chain(behind);
            answered.push(Batch::new(columns.collect(), kept.len()));
        }
        let writer = self.writer(txn);
        answer(&writer, event.word(), returning, &answered)
    }
}
