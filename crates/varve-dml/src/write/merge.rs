//! MERGE: which rows meet which clause, and what becomes of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use varve_expr::{evaluate, evaluate_filter};
use varve_plan::{MergeAction, MergePlan, ModifyPlan, Plan};
use varve_types::{Batch, Error, Result, RowPosition, Selection, SqlState};

use crate::read::rows::positions_of;
use crate::write::writer::Writer;

impl Writer<'_> {
    /// Changes the table by the rows of the source; answers how many rows were changed.
    pub async fn merge(&mut self, plan: &MergePlan, rows: &[Batch]) -> Result<u64> {
        let table = &plan.table;
        let at = table.columns.len();
        let mut changed = ModifyPlan {
            table: Arc::clone(table),
            children: plan.children.clone(),
            source: Plan::Values {
                rows: Vec::new(),
                types: Vec::new(),
            },
            assigned: Vec::new(),
            checks: Vec::new(),
            returning: None,
        };
        let mut chosen: Vec<Vec<Batch>> = vec![Vec::new(); plan.clauses.len()];
        for batch in rows {
            self.choose(plan, batch, &mut chosen)?;
        }
        let mut known: BTreeSet<(RowPosition, u64)> = BTreeSet::new();
        let mut count = 0;
        let mut inserted = Vec::new();
        for (clause, rows) in plan.clauses.iter().zip(&chosen) {
            if rows.is_empty() || clause.action == MergeAction::Nothing {
                continue;
            }
            count += rows.iter().map(Batch::rows).sum::<usize>() as u64;
            if let MergeAction::Insert(exprs) = &clause.action {
                inserted.append(&mut self.made(exprs, rows)?);
                continue;
            }
            let positions = positions_of(rows, at)?;
            let of = match plan.children.as_slice() {
                [] => vec![0; positions.len()],
                _ => positions_of(rows, at + 1)?.iter().map(|of| of.0).collect(),
            };
            let mut places = positions.iter().copied().zip(of);
            if !places.all(|place| known.insert(place)) {
                return Err(second_time_error());
            }
            match &clause.action {
                MergeAction::Update { exprs, assigned } if !plan.children.is_empty() => {
                    changed.assigned.clone_from(assigned);
                    let mut made = self.made(exprs, rows)?;
                    for (made, rows) in made.iter_mut().zip(rows) {
                        let mut columns = made.physical_columns().to_vec();
                        let places = rows.physical_columns().iter().skip(at).take(2);
                        columns.extend(places.map(Arc::clone));
                        *made = Batch::new(columns, rows.rows());
                    }
                    self.update_children(&changed, &made).await?;
                }
                MergeAction::Delete if !plan.children.is_empty() => {
                    self.delete_children(&changed, rows, at).await?;
                }
                MergeAction::Update { exprs, assigned } => {
                    let made = self.made(exprs, rows)?;
                    let (made, positions, assigned) = self
                        .before_update_rows(table, made, positions, assigned)
                        .await?;
                    let changed = self.checked(table, &made)?;
                    self.update(table, &positions, &changed, &assigned).await?;
                }
                _ => {
                    let mut positions = positions;
                    if let Some(kept) = self.before_delete_rows(table, &positions).await? {
                        let mut kept = kept.into_iter();
                        positions.retain(|_| kept.next().unwrap_or(true));
                    }
                    self.delete(table, &positions).await?;
                }
            }
        }
        if table.partitioning().is_some() {
            self.insert_routed(table, None, &inserted, false).await?;
            return Ok(count);
        }
        let inserted = self.before_insert(table, inserted).await?;
        let inserted = self.checked(table, &inserted)?;
        self.insert(table, &inserted).await?;
        Ok(count)
    }

    /// Gives each row of a batch to the first clause that it fits.
    fn choose(&self, plan: &MergePlan, batch: &Batch, chosen: &mut [Vec<Batch>]) -> Result<()> {
        let position = batch.column(plan.table.columns.len());
        let position = position.ok_or_else(|| Error::internal("rows without their positions"))?;
        let numbers = 0..u32::try_from(batch.rows()).unwrap_or(u32::MAX);
        let (mut unmatched, mut matched): (Vec<u32>, Vec<u32>) =
            numbers.partition(|row| position.is_null(*row as usize));
        for (clause, chosen) in plan.clauses.iter().zip(chosen) {
            let left = match clause.matched {
                true => &mut matched,
                false => &mut unmatched,
            };
            if left.is_empty() {
                continue;
            }
            let rows = batch.select(&Selection::new(left.clone())).compact();
            let Some(filter) = &clause.filter else {
                chosen.push(rows);
                left.clear();
                continue;
            };
            let fitting = evaluate_filter(filter, &rows, &self.context)?;
            let mut numbers = fitting.rows().iter().peekable();
            let mut number = 0;
            left.retain(|_| {
                number += 1;
                numbers.next_if_eq(&&(number - 1)).is_none()
            });
            if !fitting.is_empty() {
                chosen.push(rows.select(&fitting).compact());
            }
        }
        Ok(())
    }

    fn made(&self, exprs: &[varve_expr::Expr], rows: &[Batch]) -> Result<Vec<Batch>> {
        let made = |batch: &Batch| {
            let columns = exprs.iter();
            let columns = columns.map(|expr| evaluate(expr, batch, &self.context));
            Ok(Batch::new(columns.collect::<Result<_>>()?, batch.rows()))
        };
        rows.iter().map(made).collect()
    }
}

fn second_time_error() -> Error {
    let message = "MERGE command cannot affect row a second time";
    Error::new(SqlState::CARDINALITY_VIOLATION, message)
        .with_hint("Ensure that not more than one source row matches any one target row.")
}
