//! MERGE: which rows meet which clause, and what becomes of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use varve_expr::{Expr, evaluate, evaluate_filter};
use varve_plan::{MergeAction, MergePlan, ModifyPlan, Plan};
use varve_types::{Batch, Error, Result, RowPosition, Selection, SqlState};

use crate::read::rows::positions_of;
use crate::write::writer::Writer;

/// Rows of the source that a clause takes, and the row of the table that each of them meets.
struct Matched<'m> {
    rows: &'m [Batch],
    /// With the number of its child; 0 where there are none.
    places: Vec<(RowPosition, u64)>,
}

impl Matched<'_> {
    fn of<'m>(plan: &MergePlan, rows: &'m [Batch]) -> Result<Matched<'m>> {
        let at = plan.table.columns.len();
        let positions = positions_of(rows, at)?;
        let children = match plan.children.as_slice() {
            [] => vec![0; positions.len()],
            _ => positions_of(rows, at + 1)?.iter().map(|of| of.0).collect(),
        };
        let places = positions.into_iter().zip(children).collect();
        Ok(Matched { rows, places })
    }

    fn positions(&self) -> Vec<RowPosition> {
        self.places.iter().map(|(position, _)| *position).collect()
    }
}

/// What changes rows in the children of the table.
fn change_of_children(plan: &MergePlan, assigned: &[usize]) -> ModifyPlan {
    ModifyPlan {
        table: Arc::clone(&plan.table),
        children: plan.children.clone(),
        source: Plan::Values {
            rows: Vec::new(),
            types: Vec::new(),
        },
        assigned: assigned.to_vec(),
        checks: Vec::new(),
        returning: None,
    }
}

impl Writer<'_> {
    /// Changes the table by the rows of the source; answers how many rows were changed.
    pub async fn merge(&mut self, plan: &MergePlan, rows: &[Batch]) -> Result<u64> {
        let table = &plan.table;
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
            let matched = Matched::of(plan, rows)?;
            if !matched.places.iter().all(|place| known.insert(*place)) {
                return Err(second_time_error());
            }
            match &clause.action {
                MergeAction::Update { exprs, assigned } => {
                    self.merge_update(plan, &matched, exprs, assigned).await?;
                }
                _ => self.merge_delete(plan, &matched).await?,
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

    async fn merge_update(
        &mut self,
        plan: &MergePlan,
        matched: &Matched<'_>,
        exprs: &[Expr],
        assigned: &[usize],
    ) -> Result<()> {
        let mut made = self.made(exprs, matched.rows)?;
        if !plan.children.is_empty() {
            for (made, rows) in made.iter_mut().zip(matched.rows) {
                let mut columns = made.physical_columns().to_vec();
                let places = rows.physical_columns().iter();
                let places = places.skip(plan.table.columns.len()).take(2);
                columns.extend(places.map(Arc::clone));
                *made = Batch::new(columns, rows.rows());
            }
            let changed = change_of_children(plan, assigned);
            self.update_children(&changed, &made).await?;
            return Ok(());
        }
        let table = &plan.table;
        let (made, positions, assigned) = self
            .before_update_rows(table, made, matched.positions(), assigned)
            .await?;
        let changed = self.checked(table, &made)?;
        self.update(table, &positions, &changed, &assigned).await
    }

    async fn merge_delete(&mut self, plan: &MergePlan, matched: &Matched<'_>) -> Result<()> {
        let table = &plan.table;
        if !plan.children.is_empty() {
            let changed = change_of_children(plan, &[]);
            let at = table.columns.len();
            self.delete_children(&changed, matched.rows, at).await?;
            return Ok(());
        }
        let mut positions = matched.positions();
        if let Some(kept) = self.before_delete_rows(table, &positions).await? {
            let mut kept = kept.into_iter();
            positions.retain(|_| kept.next().unwrap_or(true));
        }
        self.delete(table, &positions).await
    }

    /// Gives each row of a batch to the first clause that it fits.
    fn choose(&self, plan: &MergePlan, batch: &Batch, chosen: &mut [Vec<Batch>]) -> Result<()> {
        let position = batch.column(plan.table.columns.len());
        let position = position.ok_or_else(|| Error::internal("rows without their positions"))?;
        let numbers = batch.row_numbers();
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

    fn made(&self, exprs: &[Expr], rows: &[Batch]) -> Result<Vec<Batch>> {
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
