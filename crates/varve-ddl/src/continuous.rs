//! Continuous aggregates: how they are made, and how some of their buckets are made anew.

use varve_catalog::{TableDef, ViewDef, ViewKind};
use varve_dml::chunks::time_values;
use varve_dml::notes::put_note;
use varve_dml::{StatementTxn, Writer, positions_of};
use varve_plan::{AggregateRange, NewAggregate};
use varve_store::Transaction;
use varve_types::{
    Batch, ColumnPredicate, CompareOp, Error, PredicateTest, Result, ScanSpec, SqlState, Value,
};

use crate::define::{create_table, put_table};
use crate::definer::{Defined, Definer};
use crate::utility::{made_of, put_view};

impl Definer<'_> {
    /// Makes a continuous aggregate, with all buckets that there are if it is to have rows.
    pub(crate) async fn create_aggregate(
        &self,
        txn: &mut StatementTxn,
        new: &NewAggregate,
    ) -> Result<Defined> {
        let filled = match &new.filled {
            None => None,
            Some((rows, end)) => {
                let rows = self.session.rows_of(&txn.store, &rows.plan).await?;
                let end = self.session.rows_of(&txn.store, &end.plan).await?;
                Some((rows, end.first().and_then(first_number)))
            }
        };
        self.guard_source(&mut txn.store, &new.view)?;
        let table = create_table(&mut txn.store, &new.table).await?;
        let notes = create_table(&mut txn.store, &new.notes).await?;
        let mut view = new.view.clone();
        view.object = txn.store.new_object_id();
        if let ViewKind::Materialized { rows, .. } = &mut view.kind {
            *rows = table.object;
        }
        if let Some(def) = view.continuous.as_deref_mut() {
            def.notes = notes.object;
            def.watermark = filled.as_ref().and_then(|(_, end)| *end);
            def.line = def.watermark;
        }
        put_view(&mut txn.store, &view)?;
        let count = match filled {
            None => None,
            Some((rows, _)) => Some(self.fill(txn, &table, &rows).await?),
        };
        Ok(made_of(count))
    }

    /// Whoever has begun to write to the source knows nothing of a new aggregate, and must not
    /// commit behind it.
    fn guard_source(&self, store: &mut Transaction, view: &ViewDef) -> Result<()> {
        let def = view.continuous.as_deref().ok_or_else(lost)?;
        for table in def.reads() {
            let table = self.catalog.tables.get(&table).ok_or_else(lost)?;
            let guarded = TableDef {
                version: table.version.saturating_add(1),
                ..TableDef::clone(table)
            };
            store.guard_tree(guarded.tree, guarded.version)?;
            put_table(store, &guarded)?;
        }
        Ok(())
    }

    /// Makes the buckets of a range anew, and forgets what was noted of them.
    pub(crate) async fn refresh_range(
        &self,
        txn: &mut StatementTxn,
        refresh: &AggregateRange,
    ) -> Result<Defined> {
        let AggregateRange {
            view,
            query,
            is_whole,
            range,
            least,
        } = refresh;
        let table = view.rows().and_then(|rows| self.catalog.tables.get(&rows));
        let def = view.continuous.as_deref();
        let notes = def.and_then(|def| self.catalog.tables.get(&def.notes));
        let (Some(table), Some(def), Some(notes)) = (table, def, notes) else {
            return Err(Error::internal("a continuous aggregate without its tables"));
        };
        let is_whole = self.session.rows_of(&txn.store, &is_whole.plan).await?;
        let answer = is_whole
            .first()
            .and_then(|batch| Some(batch.compact().column(0)?.value(0)));
        if answer != Some(Value::Boolean(true)) {
            let message = "a refreshed range must begin and end where buckets do";
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        let rows = self.session.rows_of(&txn.store, &query.plan).await?;
        self.delete_buckets(txn, table, (range.start, range.end))
            .await?;
        self.fill(txn, table, &rows).await?;
        self.cut_notes(txn, notes, (range.start, range.end)).await?;
        let known = def.watermark.or(*least).unwrap_or(range.start);
        if known < range.start {
            // Nothing was materialized there, and from now on it is below the watermark.
            let gap = (known, range.start.saturating_sub(1));
            put_note(&mut txn.store, notes, gap).await?;
        }
        if def.watermark.is_none_or(|known| known < range.end) {
            let mut raised = view.clone();
            if let Some(def) = raised.continuous.as_deref_mut() {
                def.watermark = Some(range.end);
                if def.line.is_none_or(|line| line < range.end) {
                    def.line = Some(range.end);
                    def.raised = def.raised.saturating_add(1);
                }
            }
            put_view(&mut txn.store, &raised)?;
        }
        Ok(Defined::command("REFRESH"))
    }

    async fn delete_buckets(
        &self,
        txn: &mut StatementTxn,
        table: &TableDef,
        (from, to): (i64, i64),
    ) -> Result<()> {
        let (at, column) = table.time_column().ok_or_else(lost)?;
        let bound = |time| Value::of_integer(column.ty, time).ok_or_else(lost);
        let tests = vec![(CompareOp::GtEq, bound(from)?), (CompareOp::Lt, bound(to)?)];
        let runner = Some(self.session as _);
        let mut writer = Writer::new(self.catalog, txn, self.context, self.cancel, runner);
        writer.delete_between(table, at, tests).await
    }

    /// Takes a range out of what was noted.
    async fn cut_notes(
        &self,
        txn: &mut StatementTxn,
        notes: &TableDef,
        (from, to): (i64, i64),
    ) -> Result<()> {
        let ty = notes.columns.first().ok_or_else(lost)?.ty;
        let test = |column, op, time| -> Result<ColumnPredicate> {
            let value = Value::of_integer(ty, time).ok_or_else(lost)?;
            let test = PredicateTest::Compare(op, value);
            Ok(ColumnPredicate { column, test })
        };
        let spec = ScanSpec {
            predicates: vec![test(0, CompareOp::Lt, to)?, test(1, CompareOp::GtEq, from)?],
            with_position: true,
            ..ScanSpec::of(notes.tree, vec![0, 1])
        };
        let mut positions = Vec::new();
        let mut left = Vec::new();
        let mut scan = txn.store.scan(spec).await?;
        while let Some(batch) = scan.next_batch().await? {
            self.cancel.check()?;
            let batch = batch.compact();
            let [first, last, ..] = batch.physical_columns() else {
                return Err(lost());
            };
            for (first, last) in time_values(first)?.into_iter().zip(time_values(last)?) {
                let parts = [(first, from.saturating_sub(1)), (to, last)];
                left.extend(parts.into_iter().filter(|(first, last)| first <= last));
            }
            positions.append(&mut positions_of(&[batch], 2)?);
        }
        drop(scan);
        txn.store.delete(notes.tree, &positions).await?;
        // Many notes may have ended in the same place.
        varve_sort::sort(&mut left);
        left.dedup();
        for part in left {
            put_note(&mut txn.store, notes, part).await?;
        }
        Ok(())
    }
}

fn first_number(batch: &Batch) -> Option<i64> {
    batch.compact().column(0)?.value(0).integer()
}

fn lost() -> Error {
    Error::internal("a continuous aggregate without its parts")
}

/// How often the line of an aggregate was raised; 1 for other views.
pub(crate) fn version_of(view: &ViewDef) -> u32 {
    view.continuous.as_deref().map_or(1, |def| def.raised)
}
