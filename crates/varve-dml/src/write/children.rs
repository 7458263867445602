//! Changes of rows that are in several tables: partitions, and tables that inherit from others.

use std::sync::Arc;

use varve_catalog::{IndexDef, TableDef, over_columns, relation_oid};
use varve_expr::Expr;
use varve_plan::{Arbiter, ChildTable, ConflictUpdate, ModifyPlan, OnConflict};
use varve_sort::VecMap;
use varve_types::{
    Batch, Column, Error, Invariant, LogicalType, Result, RowPosition, Selection, Value,
};

use crate::read::rows::positions_of;
use crate::write::route::{Routed, astray, check_bounds, in_order_of, routed};
use crate::write::table_rows::{checked, with_generated};
use crate::write::upsert::{gather_one, gathered};
use crate::write::writer::{Writer, kept_rows, once_each};

impl Writer<'_> {
    /// Inserts rows into a partitioned table. Where they are wanted it answers them, with the OID
    /// of the partition that each went to behind their columns.
    pub async fn insert_routed(
        &mut self,
        table: &Arc<TableDef>,
        conflict: Option<&OnConflict>,
        rows: &[Batch],
        wanted: bool,
    ) -> Result<(u64, Vec<Batch>)> {
        let mut whole = Vec::with_capacity(rows.len());
        for batch in rows {
            let batch = with_generated(table, batch, &self.context)?;
            check_bounds(self.catalog, table, &batch, &self.context)?;
            whole.push(batch);
        }
        let mut count = 0;
        let mut answered: Vec<(usize, Batch, usize)> = Vec::new();
        for group in routed(self.catalog, table, &whole, &self.context)? {
            let Routed {
                table: leaf,
                rows,
                numbers,
            } = group;
            let given = rows.rows();
            let mut rows = self.before_insert(&leaf, vec![rows]).await?;
            for batch in &mut rows {
                *batch = checked(&leaf, batch, &self.context)?;
            }
            // Triggers may leave rows out.
            let is_whole = matches!(rows.as_slice(), [all] if all.rows() == given);
            match conflict {
                None => self.insert(&leaf, &rows).await?,
                Some(conflict) => {
                    let conflict = of_partition(table, &leaf, conflict)?;
                    rows = self.insert_or(&leaf, &conflict, &rows).await?;
                }
            }
            count += rows.iter().map(Batch::rows).sum::<usize>() as u64;
            let places = table.places_in(&leaf).or_broken("columns of a child")?;
            for batch in rows.iter().filter(|_| wanted) {
                let batch = with_oid(&in_order_of(&places, batch), &leaf);
                let first = numbers.first().copied().unwrap_or_default();
                let number = |row: usize| match conflict {
                    None if is_whole => numbers.get(row).copied().unwrap_or(first),
                    _ => first,
                };
                let rows = 0..batch.rows();
                answered.extend(rows.map(|row| (number(row), batch.clone(), row)));
            }
        }
        varve_sort::sort_by_key(&mut answered, |(number, ..)| *number);
        let rows: Vec<(&Batch, usize)> = answered
            .iter()
            .map(|(_, batch, row)| (batch, *row))
            .collect();
        let mut types: Vec<LogicalType> = table.columns.iter().map(|column| column.ty).collect();
        types.push(LogicalType::Oid);
        let chunks = rows.chunks(varve_types::VECTOR_ROWS);
        let answered = chunks.map(|rows| gathered(&types, rows)).collect();
        Ok((count, answered))
    }

    /// An UPDATE of rows of several tables; see [`Writer::update_rows`].
    pub async fn update_children(
        &mut self,
        plan: &ModifyPlan,
        rows: &[Batch],
    ) -> Result<Vec<Batch>> {
        let width = plan.table.columns.len();
        let mut answered = Vec::with_capacity(rows.len());
        for (at, rows) in by_child(rows, width + 1)? {
            let child = plan.children.get(at);
            let child = child.ok_or_else(|| Error::internal("a row of no table"))?;
            for batch in once_each(rows, width)? {
                answered.extend(self.update_child(plan, child, &batch).await?);
            }
        }
        Ok(answered)
    }

    async fn update_child(
        &mut self,
        plan: &ModifyPlan,
        child: &ChildTable,
        rows: &Batch,
    ) -> Result<Vec<Batch>> {
        let ChildTable { table, places } = child;
        let width = plan.table.columns.len();
        let positions = positions_of(core::slice::from_ref(rows), width)?;
        // What the table has beside the columns of the other one stays as it is.
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let old = self.txn.store.fetch(table.tree, &positions, &all).await?;
        let old: Vec<(&Batch, usize)> = old
            .iter()
            .flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)))
            .collect();
        let mut columns = gather_one(table, &old).physical_columns().to_vec();
        for (place, column) in places.iter().zip(rows.physical_columns()) {
            if let Some(slot) = columns.get_mut(*place) {
                *slot = Arc::clone(column);
            }
        }
        columns.extend(rows.physical_columns().iter().skip(width).map(Arc::clone));
        let whole = Batch::new(columns, rows.rows());
        let assigned = plan.assigned.iter().filter_map(|at| places.get(*at));
        let assigned: Vec<usize> = assigned.copied().collect();
        let (whole, positions, assigned) = self
            .before_update_rows(table, vec![whole], positions, &assigned)
            .await?;
        let mut positions = positions.into_iter();
        let mut answered = Vec::with_capacity(whole.len());
        for batch in whole {
            let positions: Vec<RowPosition> = positions.by_ref().take(batch.rows()).collect();
            let (own, others) = split(&batch, table.columns.len());
            let changed = with_generated(table, &own, &self.context)?;
            let shown = in_order_of(places, &changed);
            let columns = shown.physical_columns().iter().chain(&others);
            answered.push(Batch::new(columns.map(Arc::clone).collect(), batch.rows()));
            self.put_child(plan, child, &changed, &positions, &assigned)
                .await?;
        }
        Ok(answered)
    }

    /// Writes changed rows of a child, or moves them to others of a partitioned table.
    async fn put_child(
        &mut self,
        plan: &ModifyPlan,
        child: &ChildTable,
        changed: &Batch,
        positions: &[RowPosition],
        assigned: &[usize],
    ) -> Result<()> {
        let ChildTable { table, places } = child;
        let moving = match plan.table.partitioning() {
            Some(_) => astray(self.catalog, table, changed, &self.context)?,
            None => {
                check_bounds(self.catalog, table, changed, &self.context)?;
                Vec::new()
            }
        };
        let numbers = changed.row_numbers();
        let (moves, stays): (Vec<u32>, Vec<u32>) =
            numbers.partition(|row| moving.binary_search(&(*row as usize)).is_ok());
        let at = |chosen: &[u32]| {
            let chosen = chosen.iter().filter_map(|row| positions.get(*row as usize));
            chosen.copied().collect::<Vec<_>>()
        };
        if !stays.is_empty() {
            let positions = at(&stays);
            let rows = changed.select(&Selection::new(stays)).compact();
            let rows = [checked(table, &rows, &self.context)?];
            self.update(table, &positions, &rows, assigned).await?;
        }
        if !moves.is_empty() {
            let positions = at(&moves);
            self.delete(table, &positions).await?;
            let rows = in_order_of(places, changed);
            let rows = rows.select(&Selection::new(moves)).compact();
            Box::pin(self.insert_routed(&plan.table, None, &[rows], false)).await?;
        }
        Ok(())
    }

    /// A DELETE of rows of several tables, whose positions are at a place in them.
    pub async fn delete_children(
        &mut self,
        plan: &ModifyPlan,
        rows: &[Batch],
        at: usize,
    ) -> Result<Vec<Batch>> {
        let mut answered = Vec::with_capacity(rows.len());
        for (number, rows) in by_child(rows, at + 1)? {
            let child = plan.children.get(number);
            let child = child.ok_or_else(|| Error::internal("a row of no table"))?;
            let mut rows = once_each(rows, at)?;
            let mut positions = positions_of(&rows, at)?;
            if let Some(kept) = self.before_delete_rows(&child.table, &positions).await? {
                rows = kept_rows(rows, &kept);
                positions = positions_of(&rows, at)?;
            }
            self.delete(&child.table, &positions).await?;
            answered.extend(rows);
        }
        Ok(answered)
    }
}

/// Rows by the number of their child, which is a column of them.
fn by_child(rows: &[Batch], at: usize) -> Result<VecMap<usize, Vec<Batch>>> {
    let mut groups: VecMap<usize, Vec<Batch>> = VecMap::new();
    for batch in rows {
        let batch = batch.compact();
        let column = batch.column(at);
        let column = column.ok_or_else(|| Error::internal("rows without their tables"))?;
        let mut chosen: VecMap<usize, Vec<u32>> = VecMap::new();
        for row in batch.row_numbers() {
            let number = match column.value(row as usize) {
                Value::Int8(number) => usize::try_from(number).ok(),
                _ => None,
            };
            let number = number.or_broken("rows without their tables")?;
            chosen.entry(number).or_default().push(row);
        }
        for (number, rows) in chosen {
            let rows = batch.select(&Selection::new(rows)).compact();
            groups.entry(number).or_default().push(rows);
        }
    }
    Ok(groups)
}

/// The first columns of rows, and the others.
fn split(rows: &Batch, width: usize) -> (Batch, Vec<Arc<Column>>) {
    let mut columns = rows.physical_columns().to_vec();
    let others = columns.split_off(width.min(columns.len()));
    (Batch::new(columns, rows.rows()), others)
}

fn with_oid(rows: &Batch, table: &TableDef) -> Batch {
    let oid = Value::Oid(relation_oid(table.object));
    let oid = Column::constant(LogicalType::Oid, &oid, rows.rows());
    let mut columns = rows.physical_columns().to_vec();
    columns.push(Arc::new(oid));
    Batch::new(columns, rows.rows())
}

/// ON CONFLICT of a partitioned table as it is for one of its partitions.
fn of_partition(table: &TableDef, leaf: &TableDef, on: &OnConflict) -> Result<OnConflict> {
    let places = table.places_in(leaf).or_broken("columns of a child")?;
    let is_same = places.iter().copied().eq(0..leaf.columns.len());
    if let Some(ConflictUpdate { wider: Some(_), .. }) = &on.update
        && !is_same
    {
        return Err(Error::unsupported(
            "a subquery in ON CONFLICT DO UPDATE of a partition with other columns",
        ));
    }
    let place = |at: usize| places.get(at).copied().unwrap_or(at);
    let mut arbiters = Vec::with_capacity(on.arbiters.len());
    for arbiter in &on.arbiters {
        let Arbiter::Index(tree) = arbiter else {
            arbiters.push(*arbiter);
            continue;
        };
        let known = table.indexes.iter().find(|index| index.tree == *tree);
        let same = |of: &&IndexDef| {
            let keys = known.map(|known| known.key_parts().map(|part| part.moved(&place)));
            keys.is_some_and(|keys| keys.eq(of.key_parts()))
                && known.is_some_and(|known| known.options == of.options)
        };
        let index = leaf.indexes.iter().find(same);
        let index = index.ok_or_else(|| Error::unsupported("ON CONFLICT of this partition"))?;
        arbiters.push(Arbiter::Index(index.tree));
    }
    let update = on.update.as_ref().map(|update| {
        let (width, leaf_width) = (table.columns.len(), leaf.columns.len());
        let moved = |at: usize| match at.checked_sub(width) {
            None => place(at),
            Some(at) => place(at) + leaf_width,
        };
        let over = |expr: &Expr| over_columns(expr, &moved);
        let mut exprs: Vec<Expr> = (leaf.columns.iter().enumerate())
            .map(|(index, column)| Expr::Column {
                index,
                ty: column.ty,
            })
            .collect();
        for (at, expr) in update.exprs.iter().enumerate() {
            if let Some(slot) = exprs.get_mut(place(at)) {
                *slot = over(expr);
            }
        }
        ConflictUpdate {
            wider: update.wider.clone(),
            exprs,
            filter: update.filter.as_ref().map(over),
            assigned: update.assigned.iter().map(|at| place(*at)).collect(),
        }
    });
    Ok(OnConflict { arbiters, update })
}
