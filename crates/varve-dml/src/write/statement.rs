//! Whole statements that change rows: their triggers, their rows, and what they answer.

use varve_catalog::{Event, TableDef};
use varve_plan::{InsertPlan, MergePlan, ModifyPlan, Plan, Returning};
use varve_types::{Batch, Error, Result, Selection, Value};

use super::runner::{RowPair, StatementRunner, Timing};
use super::triggers::{batch_of, before_row};
use super::writer::Writer;

/// What a statement has changed.
#[derive(Debug)]
pub struct Changed {
    /// The first word of PostgreSQL's command tag.
    pub command: &'static str,
    /// How many rows were inserted, updated or deleted.
    pub rows: u64,
    /// The rows of RETURNING; `None` where there is none.
    pub returned: Option<Vec<Batch>>,
    /// The key of the last row that was inserted, where that is one integer.
    pub inserted_key: Option<i64>,
}

fn inserted_key(table: &TableDef, rows: &[Batch]) -> Option<i64> {
    let last = rows.last()?;
    let row = last.rows().checked_sub(1)?;
    match last.column(table.integer_key()?)?.value(row) {
        Value::Int2(key) => Some(i64::from(key)),
        Value::Int4(key) => Some(i64::from(key)),
        Value::Int8(key) => Some(key),
        _ => None,
    }
}

fn count(rows: &[Batch]) -> u64 {
    rows.iter().map(Batch::rows).sum::<usize>() as u64
}

impl<'a> Writer<'a> {
    fn statement_runner(&self) -> Result<&'a dyn StatementRunner> {
        self.runner
            .ok_or_else(|| Error::internal("a statement without its session"))
    }

    /// Fires the triggers of a statement.
    pub async fn fire_statement(
        &mut self,
        table: &TableDef,
        event: Event,
        timing: Timing,
        assigned: &[usize],
    ) -> Result<()> {
        if self.catalog.triggers_of(table.object).is_empty() {
            return Ok(());
        }
        let runner = self.statement_runner()?;
        for mut trigger in runner.triggers(table, event, timing, assigned)? {
            trigger.fire(self.txn, None).await?;
        }
        Ok(())
    }

    async fn rows_of(&self, plan: &Plan) -> Result<Vec<Batch>> {
        self.statement_runner()?
            .rows_of(&self.txn.store, plan)
            .await
    }

    fn answer(
        &self,
        event: Event,
        returning: Option<&Returning>,
        rows: &[Batch],
    ) -> Result<Changed> {
        Ok(Changed {
            command: event.word(),
            rows: count(rows),
            returned: returning
                .map(|returning| self.returned(returning, rows))
                .transpose()?,
            inserted_key: None,
        })
    }

    /// Whether statements on a table are left to the INSTEAD OF triggers of a view.
    fn is_instead(&self, table: &TableDef) -> bool {
        self.catalog.views.contains_key(&table.object)
    }

    /// An INSERT.
    pub async fn run_insert(&mut self, plan: &InsertPlan) -> Result<Changed> {
        let (table, event) = (&plan.table, Event::Insert);
        let returning = plan.returning.as_ref();
        if self.is_instead(table) {
            return Box::pin(self.instead(table, event, &plan.source, returning)).await;
        }
        self.fire_statement(table, event, Timing::BEFORE_STATEMENT, &[])
            .await?;
        let rows = self.rows_of(&plan.source).await?;
        let conflict = plan.on_conflict.as_ref();
        let mut changed = None;
        let rows = if table.partitioning().is_some() {
            let wanted = returning.is_some() || !plan.checks.is_empty();
            let (count, rows) = self.insert_routed(table, conflict, &rows, wanted).await?;
            changed = Some(count);
            rows
        } else {
            let rows = self.before_insert(table, rows).await?;
            let rows = self.checked(table, &rows)?;
            match conflict {
                None => {
                    self.insert(table, &rows).await?;
                    rows
                }
                Some(conflict) => self.insert_or(table, conflict, &rows).await?,
            }
        };
        self.passed(&plan.checks, table, &rows)?;
        self.settle().await?;
        let mut answer = self.answer(event, returning, &rows)?;
        answer.rows = changed.unwrap_or(answer.rows);
        answer.inserted_key = inserted_key(table, &rows);
        self.fire_statement(table, event, Timing::AFTER_STATEMENT, &[])
            .await?;
        Ok(answer)
    }

    /// An UPDATE or a DELETE.
    pub async fn run_modify(&mut self, plan: &ModifyPlan, event: Event) -> Result<Changed> {
        let table = &plan.table;
        let returning = plan.returning.as_ref();
        if self.is_instead(table) {
            return Box::pin(self.instead(table, event, &plan.source, returning)).await;
        }
        let assigned: &[usize] = match event {
            Event::Update => &plan.assigned,
            _ => &[],
        };
        self.fire_statement(table, event, Timing::BEFORE_STATEMENT, assigned)
            .await?;
        let rows = self.rows_of(&plan.source).await?;
        let rows = match event {
            Event::Update => {
                let rows = self.update_rows(plan, rows).await?;
                self.passed(&plan.checks, table, &rows)?;
                rows
            }
            _ => self.delete_rows(plan, rows).await?,
        };
        self.settle().await?;
        let answer = self.answer(event, returning, &rows)?;
        self.fire_statement(table, event, Timing::AFTER_STATEMENT, assigned)
            .await?;
        Ok(answer)
    }

    /// A MERGE.
    pub async fn run_merge(&mut self, plan: &MergePlan) -> Result<Changed> {
        let table = &plan.table;
        let (events, assigned) = (plan.events(), plan.assigned());
        for event in &events {
            self.fire_statement(table, *event, Timing::BEFORE_STATEMENT, &assigned)
                .await?;
        }
        let rows = self.rows_of(&plan.source).await?;
        let rows = self.merge(plan, &rows).await?;
        self.settle().await?;
        for event in events.iter().rev() {
            self.fire_statement(table, *event, Timing::AFTER_STATEMENT, &assigned)
                .await?;
        }
        Ok(Changed {
            command: "MERGE",
            rows,
            returned: None,
            inserted_key: None,
        })
    }

    /// Fires the triggers of a view for the rows of a plan, which begin with its columns; of an
    /// UPDATE they end with those as they were. The rows that triggers pass over do not count.
    async fn instead(
        &mut self,
        view: &TableDef,
        event: Event,
        plan: &Plan,
        returning: Option<&Returning>,
    ) -> Result<Changed> {
        let runner = self.statement_runner()?;
        let rows = self.rows_of(plan).await?;
        let mut triggers = runner.triggers(view, event, Timing::AFTER_ROW, &[])?;
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
                let fired = before_row(self.txn, &mut triggers, RowPair { old, new });
                if let Some(RowPair { old, new }) = fired.await? {
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
        self.answer(event, returning, &answered)
    }
}
