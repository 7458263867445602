//! Triggers: BEFORE a row is written it may be changed or left out; AFTER the statement its rows
//! are looked at again.
//!
//! A table without triggers is asked for them once a statement, and that is all.

use std::sync::Arc;

use varve_expr::coerce_length;
use varve_sql::{Event, TableDef, TriggerDef, row_variables};
use varve_store::Transaction;
use varve_types::{
    ArrayValue, Batch, ColumnBuilder, ElementType, Error, LogicalType, Result, RowPosition,
    RowValue, Selection, SqlState, Value,
};

use super::routine::{Frame, Outcome, Routine};
use super::run::Run;
use crate::deferred::Deferred;
use crate::write::Writer;

/// A trigger that is ready to be fired, for many rows.
pub(super) struct Armed {
    condition: Option<Routine>,
    body: Routine,
    frame: Frame,
}

/// Rows that were changed, for the triggers that come after.
pub(crate) struct Written {
    table: Arc<TableDef>,
    event: Event,
    assigned: Vec<usize>,
    old: Vec<Batch>,
    new: Vec<Batch>,
}

/// A row as it was and as it is to be.
pub(super) struct Pair {
    pub old: Option<Vec<Value>>,
    pub new: Option<Vec<Value>>,
}

fn row_of(table: &TableDef, rows: &Batch, row: usize) -> Vec<Value> {
    let columns = rows.physical_columns().iter().take(table.columns.len());
    columns.map(|column| column.value(row)).collect()
}

pub(super) fn batch_of(table: &TableDef, rows: &[Vec<Value>]) -> Batch {
    let columns = table.columns.iter().enumerate().map(|(at, column)| {
        let mut builder = ColumnBuilder::with_capacity(column.ty, rows.len());
        for row in rows {
            builder.push(row.get(at).unwrap_or(&Value::Null));
        }
        Arc::new(builder.finish())
    });
    Batch::new(columns.collect(), rows.len())
}

impl Run<'_> {
    /// The triggers of a table that an event fires.
    pub(super) fn armed(
        &self,
        table: &TableDef,
        event: Event,
        (before, for_each_row): (bool, bool),
        assigned: &[usize],
    ) -> Result<Vec<Armed>> {
        let mut armed = Vec::new();
        for def in self.catalog.triggers_of(table.object) {
            let is_of = (def.before, def.for_each_row) == (before, for_each_row);
            if !is_of || !def.fires(event, table, assigned) {
                continue;
            }
            let function = self.catalog.functions.get(&def.function);
            let function = function.ok_or_else(|| Error::internal("a trigger has no function"))?;
            let body = Routine::new(function.code()?);
            let mut frame = self.frame(table, event, def);
            frame.name = self.catalog.shown_function(function).into_string();
            frame.declare(&body.code, self.catalog)?;
            armed.push(Armed {
                condition: def.condition_code()?.map(Routine::new),
                body,
                frame,
            });
        }
        Ok(armed)
    }

    /// The variables of a trigger, those of NEW and OLD first.
    fn frame(&self, table: &TableDef, event: Event, def: &TriggerDef) -> Frame {
        let mut frame = Frame::default();
        if def.for_each_row {
            for record in ["new", "old"] {
                frame.add_record(record, row_variables(table, record));
            }
        }
        let level = if def.for_each_row { "ROW" } else { "STATEMENT" };
        let schema = self.catalog.schema_name(table.schema);
        let texts = [
            ("tg_name", def.name.as_str()),
            ("tg_when", def.when()),
            ("tg_level", level),
            ("tg_op", event.word()),
            ("tg_relname", &table.name),
            ("tg_table_name", &table.name),
            ("tg_table_schema", schema),
        ];
        for (name, text) in texts {
            frame.add("", name, LogicalType::Text, Value::text(text));
        }
        let count = i32::try_from(def.arguments.len()).unwrap_or(i32::MAX);
        frame.add("", "tg_nargs", LogicalType::Int4, Value::Int4(count));
        let arguments = def.arguments.iter().map(|text| Value::text(text.as_str()));
        let mut arguments = ArrayValue::of(ElementType::Text, arguments.collect());
        for dimension in &mut arguments.dimensions {
            dimension.lower = 0;
        }
        let ty = LogicalType::Array(ElementType::Text);
        frame.add("", "tg_argv", ty, Value::array(&arguments));
        frame
    }

    /// Fires a trigger for a row or a statement; `false` where its condition does not hold.
    async fn fired(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        armed: &mut Armed,
        pair: Option<&Pair>,
    ) -> Result<Option<Outcome>> {
        if let Some(Pair { old, new }) = pair {
            let width = armed.frame.variables.iter();
            let width = width.take_while(|known| known.qualifier == "new").count();
            for (from, row) in [(0, new), (width, old)] {
                for at in 0..width {
                    let value = row.as_ref().and_then(|row| row.get(at)).cloned();
                    if let Some(known) = armed.frame.values.get_mut(from + at) {
                        *known = value.unwrap_or(Value::Null);
                    }
                }
            }
        }
        if let Some(condition) = &mut armed.condition {
            let tested = self
                .call(transaction, deferred, condition, &mut armed.frame)
                .await?;
            if !matches!(tested, Outcome::Value(Value::Boolean(true))) {
                return Ok(None);
            }
        }
        let outcome = self
            .call(transaction, deferred, &mut armed.body, &mut armed.frame)
            .await?;
        if let Outcome::Ended | Outcome::Nothing = outcome {
            let message = "control reached end of trigger procedure without RETURN";
            let error = Error::new(SqlState::NO_RETURN_STATEMENT, message);
            let context = format!("PL/pgSQL function {}", armed.frame.name);
            return Err(error.in_context(context));
        }
        Ok(Some(outcome))
    }

    /// Fires the triggers of a statement.
    pub(crate) async fn fire_statement(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        (table, event, before): (&TableDef, Event, bool),
        assigned: &[usize],
    ) -> Result<()> {
        if self.catalog.triggers_of(table.object).is_empty() {
            return Ok(());
        }
        for mut armed in self.armed(table, event, (before, false), assigned)? {
            self.fired(transaction, deferred, &mut armed, None).await?;
        }
        Ok(())
    }

    /// Fires the triggers before a row is written; `None` where one of them leaves it out.
    pub(super) async fn before_row(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        (table, event): (&TableDef, Event),
        armed: &mut [Armed],
        mut pair: Pair,
    ) -> Result<Option<Pair>> {
        for armed in armed {
            let outcome = self
                .fired(transaction, deferred, armed, Some(&pair))
                .await?;
            let mut new = match outcome {
                None | Some(Outcome::Unchanged | Outcome::Ended | Outcome::Nothing) => continue,
                Some(Outcome::Value(Value::Null) | Outcome::Row(None)) => return Ok(None),
                Some(Outcome::Value(Value::Row(_, stored))) => {
                    let row = RowValue::decode(&stored).unwrap_or_default().fields;
                    let mut given = row.into_iter().map(|(_, value)| value);
                    let values = table.columns.iter().map(|column| {
                        let value = given.next().unwrap_or(Value::Null);
                        varve_expr::cast_value(&value, column.ty, true, self.locale)
                    });
                    values.collect::<Result<Vec<Value>>>()?
                }
                Some(Outcome::Value(_)) => {
                    let message = "cannot return non-composite value from function returning \
                                   composite type";
                    return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
                }
                Some(Outcome::Record(name)) => match (name.as_str(), event) {
                    ("new", Event::Delete) | ("old", Event::Insert) => return Ok(None),
                    ("old", Event::Delete) => continue,
                    (record, _) => {
                        let from = if record == "new" {
                            0
                        } else {
                            table.columns.len()
                        };
                        let values = armed.frame.values.iter().skip(from);
                        values.take(table.columns.len()).cloned().collect()
                    }
                },
                Some(Outcome::Row(Some(named))) => {
                    let Some(mut new) = pair.new.clone() else {
                        continue;
                    };
                    for (name, value) in named {
                        let mut columns = table.columns.iter().zip(&mut new);
                        if let Some((column, place)) =
                            columns.find(|(column, _)| column.name == name)
                        {
                            let to = column.ty;
                            *place = varve_expr::cast_value(&value, to, false, self.locale)?;
                        }
                    }
                    new
                }
            };
            for (column, value) in table.columns.iter().zip(&mut new) {
                let given = core::mem::replace(value, Value::Null);
                *value = coerce_length(given, column.ty, column.modifier, false)?;
            }
            pair.new = Some(new);
        }
        Ok(Some(pair))
    }
}

impl Writer<'_> {
    fn has_triggers(&self, table: &TableDef) -> bool {
        !self.catalog.triggers_of(table.object).is_empty()
    }

    /// Rows that are to be inserted, after the triggers before them.
    pub(crate) async fn before_insert(
        &mut self,
        table: &TableDef,
        rows: Vec<Batch>,
    ) -> Result<Vec<Batch>> {
        let Some(run) = self.run.filter(|_| self.has_triggers(table)) else {
            return Ok(rows);
        };
        let mut armed = run.armed(table, Event::Insert, (true, true), &[])?;
        if armed.is_empty() {
            return Ok(rows);
        }
        let mut changed = Vec::with_capacity(rows.len());
        for batch in rows {
            // What is generated is not yet there.
            let mut kept = Vec::with_capacity(batch.rows());
            for row in 0..batch.rows() {
                let pair = Pair {
                    old: None,
                    new: Some(row_of(table, &batch, row)),
                };
                let of = (table, Event::Insert);
                let pair = run.before_row(self.transaction, self.deferred, of, &mut armed, pair);
                kept.extend(pair.await?.and_then(|pair| pair.new));
            }
            changed.push(batch_of(table, &kept));
        }
        Ok(changed)
    }

    /// Rows that are to be updated, with what stands behind their columns, the columns that they
    /// differ in and their positions, after the triggers before them.
    pub(crate) async fn before_update_rows(
        &mut self,
        table: &TableDef,
        rows: Vec<Batch>,
        positions: Vec<RowPosition>,
        assigned: &[usize],
    ) -> Result<(Vec<Batch>, Vec<RowPosition>, Vec<usize>)> {
        let unchanged = assigned.to_vec();
        let Some(run) = self.run.filter(|_| self.has_triggers(table)) else {
            return Ok((rows, positions, unchanged));
        };
        let mut armed = run.armed(table, Event::Update, (true, true), assigned)?;
        if armed.is_empty() {
            return Ok((rows, positions, unchanged));
        }
        let mut old = self.whole_rows(table, &positions).await?.into_iter();
        let mut places = positions.into_iter();
        let mut kept_positions = Vec::new();
        let mut changed = Vec::with_capacity(rows.len());
        for batch in rows {
            let mut numbers = Vec::new();
            let mut kept = Vec::new();
            for row in 0..batch.rows() {
                let (old, position) = (old.next(), places.next());
                let pair = Pair {
                    old,
                    new: Some(row_of(table, &batch, row)),
                };
                let of = (table, Event::Update);
                let pair = run.before_row(self.transaction, self.deferred, of, &mut armed, pair);
                if let Some(Pair { new: Some(new), .. }) = pair.await? {
                    numbers.push(u32::try_from(row).unwrap_or(u32::MAX));
                    kept.push(new);
                    kept_positions.extend(position);
                }
            }
            let behind = batch.select(&Selection::new(numbers)).compact();
            let behind = behind.physical_columns().iter().skip(table.columns.len());
            let own = batch_of(table, &kept);
            let columns = own.physical_columns().iter().chain(behind).map(Arc::clone);
            changed.push(Batch::new(columns.collect(), kept.len()));
        }
        // A trigger may have changed any column.
        let all = (0..table.columns.len()).collect();
        Ok((changed, kept_positions, all))
    }

    /// Which of the rows at some positions are to be deleted, after the triggers before them;
    /// `None` for all.
    pub(crate) async fn before_delete_rows(
        &mut self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Option<Vec<bool>>> {
        let Some(run) = self.run.filter(|_| self.has_triggers(table)) else {
            return Ok(None);
        };
        let mut armed = run.armed(table, Event::Delete, (true, true), &[])?;
        if armed.is_empty() {
            return Ok(None);
        }
        let mut kept = Vec::with_capacity(positions.len());
        for old in self.whole_rows(table, positions).await? {
            let pair = Pair {
                old: Some(old),
                new: None,
            };
            let of = (table, Event::Delete);
            let pair = run.before_row(self.transaction, self.deferred, of, &mut armed, pair);
            kept.push(pair.await?.is_some());
        }
        Ok(Some(kept))
    }

    async fn whole_rows(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Vec<Vec<Value>>> {
        let batches = self.whole_batches(table, positions).await?;
        let rows = batches.iter().flat_map(|batch| {
            let rows = 0..batch.rows();
            rows.map(move |row| row_of(table, batch, row))
        });
        Ok(rows.collect())
    }

    async fn whole_batches(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Vec<Batch>> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let rows = self.transaction.fetch(table.tree, positions, &columns);
        Ok(rows.await?)
    }

    /// Whether triggers come after an event.
    fn has_after(&self, table: &TableDef, event: Event, assigned: &[usize]) -> bool {
        self.run.is_some()
            && (self.catalog.triggers_of(table.object).iter())
                .any(|def| !def.before && def.for_each_row && def.fires(event, table, assigned))
    }

    /// Keeps rows for the triggers after them: those at some positions as they are still, and new
    /// ones.
    pub(crate) async fn note_written(
        &mut self,
        table: &TableDef,
        event: Event,
        positions: &[RowPosition],
        new: &[Batch],
        assigned: &[usize],
    ) -> Result<()> {
        if !self.has_after(table, event, assigned) {
            return Ok(());
        }
        let Some(table) = self.catalog.tables.get(&table.object).cloned() else {
            return Ok(());
        };
        let old = self.whole_batches(&table, positions).await?;
        self.written.push(Written {
            table,
            event,
            assigned: assigned.to_vec(),
            old,
            new: new.to_vec(),
        });
        Ok(())
    }

    /// Fires the triggers after the rows that were written.
    pub(crate) async fn fire_after(&mut self) -> Result<()> {
        let Some(run) = self.run else {
            return Ok(());
        };
        for written in core::mem::take(&mut self.written) {
            let Written {
                table,
                event,
                assigned,
                old,
                new,
            } = written;
            let mut armed = run.armed(&table, event, (false, true), &assigned)?;
            let rows = |batches: Vec<Batch>| {
                let table = Arc::clone(&table);
                batches.into_iter().flat_map(move |batch| {
                    let rows: Vec<Vec<Value>> = (0..batch.rows())
                        .map(|row| row_of(&table, &batch, row))
                        .collect();
                    rows
                })
            };
            let (mut old, mut new) = (rows(old), rows(new));
            loop {
                let pair = Pair {
                    old: old.next(),
                    new: new.next(),
                };
                if pair.old.is_none() && pair.new.is_none() {
                    break;
                }
                for armed in &mut armed {
                    run.fired(self.transaction, self.deferred, armed, Some(&pair))
                        .await?;
                }
            }
        }
        Ok(())
    }
}
