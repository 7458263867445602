//! INSERT ... ON CONFLICT.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_catalog::TableDef;
use varve_expr::{Expr, evaluate, evaluate_filter};
use varve_plan::{Arbiter, ConflictUpdate, OnConflict, Plan, Wider};
use varve_sort::{VecMap, VecSet};
use varve_types::{
    Batch, Column, ColumnBuilder, ColumnRef, Error, KeyPart, LogicalType, PartPredicate, Result,
    RowPosition, SqlState, Value,
};

use crate::read::find::{Wanted, key_bytes, rows_with};
use crate::read::rows::positions_of;
use crate::write::writer::Writer;

/// One arbiter, and what it says of the rows to be inserted.
struct Keys {
    columns: Vec<KeyPart>,
    tests: Vec<PartPredicate>,
    /// The key of each row; `None` where the row conflicts with none.
    of_rows: Vec<Option<Vec<Value>>>,
}

/// What a row meets.
#[derive(Clone, Copy)]
enum Met {
    /// A row that was there, by its place in the list of those.
    Existing(usize),
    /// A row that this statement inserts.
    Own,
}

/// What becomes of a row.
#[derive(Clone, Copy)]
enum Fate {
    Inserted(usize),
    Updates(usize),
}

/// What becomes of the rows of a statement, and those of them that are inserted.
struct Decided<'r> {
    /// In the order of the rows; those to which nothing happens are left out.
    fates: Vec<Fate>,
    inserted: Vec<(&'r Batch, usize)>,
}

/// What the rows of a statement meet.
struct Conflicts {
    /// Each arbiter with what is there by its keys.
    arbiters: Vec<(Keys, BTreeMap<Vec<u8>, Met>)>,
    /// The rows that are met: batch, row in it and position.
    existing: Vec<(Batch, usize, RowPosition)>,
}

impl Conflicts {
    /// The row that was there before and that a row meets by its first arbiter that meets any.
    fn existing_of(&self, row: usize) -> Option<usize> {
        self.arbiters.iter().find_map(|(keys, met)| {
            let key = keys.of_rows.get(row)?.as_ref()?;
            match met.get(&key_bytes(key))? {
                Met::Existing(at) => Some(*at),
                Met::Own => None,
            }
        })
    }

    /// Lets one row after the other be inserted, or update what it meets if it is one of those that
    /// `passed`. With no updates rows that meet others are left out.
    fn decide<'r>(
        &mut self,
        rows: &[(&'r Batch, usize)],
        passed: Option<&VecSet<usize>>,
    ) -> Result<Decided<'r>> {
        let mut fates: Vec<Fate> = Vec::new();
        let mut inserted: Vec<(&Batch, usize)> = Vec::new();
        let mut updated = vec![false; self.existing.len()];
        for (row, place) in rows.iter().enumerate() {
            let keys = self.arbiters.iter().map(|(keys, _)| {
                let key = keys.of_rows.get(row)?.as_ref()?;
                Some(key_bytes(key))
            });
            let keys: Vec<Option<Vec<u8>>> = keys.collect();
            let mut hits = self.arbiters.iter().zip(&keys);
            let hit = hits.find_map(|((_, met), key)| met.get(key.as_ref()?).copied());
            match (hit, passed) {
                (None, _) => {
                    for ((_, met), key) in self.arbiters.iter_mut().zip(keys) {
                        met.extend(key.map(|key| (key, Met::Own)));
                    }
                    fates.push(Fate::Inserted(inserted.len()));
                    inserted.push(*place);
                }
                (Some(_), None) => {}
                (Some(Met::Existing(at)), Some(passed)) if updated.get(at) == Some(&false) => {
                    if passed.contains(&row) {
                        if let Some(updated) = updated.get_mut(at) {
                            *updated = true;
                        }
                        fates.push(Fate::Updates(row));
                    }
                }
                (Some(_), Some(_)) => return Err(second_time_error()),
            }
        }
        Ok(Decided { fates, inserted })
    }
}

impl Writer<'_> {
    /// Inserts rows that were checked, but for those that are there already; answers all that were
    /// inserted or updated, in the order of the rows.
    pub async fn insert_or(
        &mut self,
        table: &TableDef,
        conflict: &OnConflict,
        rows: &[Batch],
    ) -> Result<Vec<Batch>> {
        let places = rows_of(rows);
        let mut conflicts = self.conflicts(table, conflict, rows).await?;
        let (pairs, passed) = match &conflict.update {
            Some(update) => {
                let pairs = self.pairs(table, update, &places, &conflicts);
                let (pairs, passed) = pairs.await?;
                (pairs, Some(passed))
            }
            None => (Vec::new(), None),
        };
        let Decided { fates, inserted } = conflicts.decide(&places, passed.as_ref())?;
        let new = gather(table, &inserted);
        self.insert(table, &new).await?;
        let mut changed: VecMap<usize, (Batch, usize)> = VecMap::new();
        if let Some(update) = &conflict.update {
            let wanted: Vec<usize> = fates
                .iter()
                .filter_map(|fate| match fate {
                    Fate::Updates(row) => Some(*row),
                    Fate::Inserted(_) => None,
                })
                .collect();
            self.apply(table, update, &pairs, &wanted, &mut changed)
                .await?;
        }
        let new = rows_of(&new);
        let answered = fates.iter().filter_map(|fate| match fate {
            Fate::Inserted(at) => new.get(*at).copied(),
            Fate::Updates(row) => changed.get(row).map(|(batch, at)| (batch, *at)),
        });
        Ok(gather(table, &answered.collect::<Vec<_>>()))
    }

    /// What is there with the keys of the rows.
    async fn conflicts(
        &self,
        table: &TableDef,
        conflict: &OnConflict,
        rows: &[Batch],
    ) -> Result<Conflicts> {
        let mut existing: Vec<(Batch, usize, RowPosition)> = Vec::new();
        let mut by_position: BTreeMap<RowPosition, usize> = BTreeMap::new();
        let mut arbiters = Vec::with_capacity(conflict.arbiters.len());
        for arbiter in &conflict.arbiters {
            let keys = keys_of(table, *arbiter, rows)?;
            let mut met: BTreeMap<Vec<u8>, Met> = BTreeMap::new();
            for (key, at) in self
                .existing(table, &keys, &mut existing, &mut by_position)
                .await?
            {
                met.insert(key, Met::Existing(at));
            }
            arbiters.push((keys, met));
        }
        Ok(Conflicts { arbiters, existing })
    }

    /// The rows that are there with one of the keys: each key with the place of its row.
    async fn existing(
        &self,
        table: &TableDef,
        keys: &Keys,
        existing: &mut Vec<(Batch, usize, RowPosition)>,
        by_position: &mut BTreeMap<RowPosition, usize>,
    ) -> Result<Vec<(Vec<u8>, usize)>> {
        let given: Vec<Vec<Value>> = keys.of_rows.iter().flatten().cloned().collect();
        let wanted = Wanted {
            columns: &keys.columns,
            keys: &given,
            tests: &keys.tests,
        };
        let read: Vec<usize> = (0..table.columns.len()).collect();
        let mut found = Vec::new();
        for batch in rows_with(&self.source(), table, &wanted, &read).await? {
            let positions = positions_of(core::slice::from_ref(&batch), read.len())?;
            let own = keys_in(table, &keys.columns, &batch)?;
            for ((row, position), key) in positions.into_iter().enumerate().zip(own) {
                let at = *by_position.entry(position).or_insert_with(|| {
                    existing.push((batch.clone(), row, position));
                    existing.len() - 1
                });
                found.push((key_bytes(&key), at));
            }
        }
        Ok(found)
    }

    /// By row of the statement that meets one which is there: both side by side and its position;
    /// and the rows for which WHERE holds.
    async fn pairs(
        &self,
        table: &TableDef,
        update: &ConflictUpdate,
        places: &[(&Batch, usize)],
        conflicts: &Conflicts,
    ) -> Result<(Vec<(Vec<usize>, Batch, Vec<RowPosition>)>, VecSet<usize>)> {
        let existing = &conflicts.existing;
        let meeting: Vec<(usize, usize)> = (0..places.len())
            .filter_map(|row| Some((row, conflicts.existing_of(row)?)))
            .collect();
        let mut pairs = Vec::new();
        let mut passed = VecSet::new();
        for chunk in meeting.chunks(varve_types::VECTOR_ROWS) {
            let old = chunk.iter().filter_map(|(_, at)| {
                let (batch, row, _) = existing.get(*at)?;
                Some((batch, *row))
            });
            let new = chunk
                .iter()
                .filter_map(|(row, _)| places.get(*row).copied());
            let old = gather_one(table, &old.collect::<Vec<_>>());
            let new = gather_one(table, &new.collect::<Vec<_>>());
            let mut pair = crate::write::table_rows::side_by_side(&old, &new);
            if let Some(wider) = &update.wider {
                pair = self.widened(wider, &pair).await?;
            }
            let rows: Vec<usize> = chunk.iter().map(|(row, _)| *row).collect();
            match &update.filter {
                None => passed.extend(rows.iter().copied()),
                Some(filter) => {
                    let chosen = evaluate_filter(filter, &pair, &self.context)?;
                    let chosen = chosen.rows().iter();
                    passed.extend(chosen.filter_map(|at| rows.get(*at as usize).copied()));
                }
            }
            let positions = chunk.iter().filter_map(|(_, at)| existing.get(*at));
            let positions = positions.map(|(_, _, position)| *position).collect();
            pairs.push((rows, pair, positions));
        }
        Ok((pairs, passed))
    }

    /// Rows with what subqueries say to them.
    async fn widened(&self, wider: &Wider, rows: &Batch) -> Result<Batch> {
        let runner = self
            .runner
            .ok_or_else(|| Error::internal("a subquery without a statement"))?;
        let literal = |value: Value, ty| Expr::Literal { value, ty };
        let row = |at: usize| {
            let columns = rows.physical_columns().iter();
            let values = columns.map(|column| literal(column.value(at), column.logical_type()));
            let number = Value::count(at);
            values
                .chain([literal(number, LogicalType::Int8)])
                .collect::<Vec<Expr>>()
        };
        let types = rows.physical_columns().iter();
        let types = types.map(|column| column.logical_type());
        let number = rows.width();
        let plan = wider.over(Plan::Values {
            rows: (0..rows.rows()).map(row).collect(),
            types: types.chain([LogicalType::Int8]).collect(),
        });
        let found = runner.rows_of(&self.txn.store, &plan).await?;
        let mut found: Vec<(u64, (&Batch, usize))> = positions_of(&found, number)?
            .into_iter()
            .zip(rows_of(&found))
            .map(|(number, row)| (number.0, row))
            .collect();
        varve_sort::sort_by_key(&mut found, |(number, _)| *number);
        let found: Vec<(&Batch, usize)> = found.into_iter().map(|(_, row)| row).collect();
        Ok(gathered(&plan.types(), &found))
    }

    async fn apply(
        &mut self,
        table: &TableDef,
        update: &ConflictUpdate,
        pairs: &[(Vec<usize>, Batch, Vec<RowPosition>)],
        wanted: &[usize],
        changed: &mut VecMap<usize, (Batch, usize)>,
    ) -> Result<()> {
        let wanted = VecSet::from_iter(wanted.iter().copied());
        let mut positions = Vec::new();
        let mut batches = Vec::new();
        let mut made = Vec::new();
        for (rows, pair, at) in pairs {
            let mut chosen = Vec::new();
            let mut numbers = Vec::new();
            let mut own = Vec::new();
            for ((number, row), position) in (0_u32..).zip(rows).zip(at) {
                if wanted.contains(row) {
                    chosen.push(number);
                    numbers.push(*row);
                    own.push(*position);
                }
            }
            let pair = pair.select(&varve_types::Selection::new(chosen)).compact();
            let columns = update.exprs.iter();
            let columns = columns.map(|expr| evaluate(expr, &pair, &self.context));
            let rows = Batch::new(columns.collect::<Result<_>>()?, pair.rows());
            made.push((rows, numbers, own));
        }
        let mut assigned = update.assigned.clone();
        for (rows, numbers, own) in made {
            // Which of them go on is told by a column of their numbers.
            let mut columns = rows.physical_columns().to_vec();
            let places = (0_i64..)
                .take(rows.rows())
                .map(Value::Int8)
                .collect::<Vec<_>>();
            columns.push(Arc::new(Column::from_values(LogicalType::Int8, &places)));
            let rows = Batch::new(columns, rows.rows());
            let (rows, own, all) = self
                .before_update_rows(table, vec![rows], own, &update.assigned)
                .await?;
            assigned = all;
            positions.extend(own);
            let places = positions_of(&rows, table.columns.len())?;
            let places = places
                .iter()
                .filter_map(|place| usize::try_from(place.0).ok());
            let numbers: Vec<usize> = places
                .filter_map(|place| numbers.get(place).copied())
                .collect();
            let own = rows.iter().map(|batch| {
                let columns = batch.physical_columns().iter().take(table.columns.len());
                Batch::new(columns.map(Arc::clone).collect(), batch.rows())
            });
            let mut rows = self.checked(table, &own.collect::<Vec<_>>())?;
            for (at, number) in numbers.into_iter().enumerate() {
                if let Some(batch) = rows.first() {
                    changed.insert(number, (batch.clone(), at));
                }
            }
            batches.append(&mut rows);
        }
        self.update(table, &positions, &batches, &assigned).await
    }
}

/// What an arbiter looks for.
fn keys_of(table: &TableDef, arbiter: Arbiter, rows: &[Batch]) -> Result<Keys> {
    let (parts, tests, nulls_equal) = match arbiter {
        Arbiter::PrimaryKey => (KeyPart::columns(&table.primary_key), Vec::new(), false),
        Arbiter::Index(tree) => {
            let index = table.indexes.iter().find(|index| index.tree == tree);
            let index = index.ok_or_else(|| Error::internal("an arbiter is no index"))?;
            let nulls_equal = index.options.nulls_not_distinct;
            (
                index.key_parts().collect(),
                index.predicate.clone(),
                nulls_equal,
            )
        }
    };
    let mut of_rows = Vec::new();
    for batch in rows {
        let mut counts = vec![true; batch.rows()];
        for PartPredicate { column, test } in &tests {
            let column = value_of(table, *column, batch)?;
            let passing = test.select(&column);
            let mut passes = vec![false; batch.rows()];
            for row in passing.rows() {
                if let Some(passes) = passes.get_mut(*row as usize) {
                    *passes = true;
                }
            }
            for (counts, passes) in counts.iter_mut().zip(passes) {
                *counts &= passes;
            }
        }
        for (key, counts) in keys_in(table, &parts, batch)?.into_iter().zip(counts) {
            let is_distinct = !nulls_equal && key.iter().any(Value::is_null);
            of_rows.push(Some(key).filter(|_| counts && !is_distinct));
        }
    }
    Ok(Keys {
        columns: parts,
        tests,
        of_rows,
    })
}

/// A column or an expression of a table for each row.
fn value_of(table: &TableDef, part: KeyPart, rows: &Batch) -> Result<ColumnRef> {
    if let Some(expr) = table.expression(part) {
        return evaluate(expr, rows, &crate::read::row_filter::IMMUTABLE);
    }
    let column = part.column().and_then(|at| rows.column(at));
    column.ok_or_else(|| Error::internal("a key reads a column that is not there"))
}

/// The values of columns or expressions of a table for each row.
fn keys_in(table: &TableDef, parts: &[KeyPart], rows: &Batch) -> Result<Vec<Vec<Value>>> {
    let column = |part: &KeyPart| value_of(table, *part, rows);
    let columns: Vec<_> = parts.iter().map(column).collect::<Result<_>>()?;
    let key = |row| columns.iter().map(|column| column.value(row)).collect();
    Ok((0..rows.rows()).map(key).collect())
}

/// The rows of batches, one by one.
fn rows_of(batches: &[Batch]) -> Vec<(&Batch, usize)> {
    let rows = |batch| (0..Batch::rows(batch)).map(move |row| (batch, row));
    batches.iter().flat_map(rows).collect()
}

/// Some rows of batches that have the columns of a table.
fn gather(table: &TableDef, rows: &[(&Batch, usize)]) -> Vec<Batch> {
    let chunks = rows.chunks(varve_types::VECTOR_ROWS);
    chunks.map(|rows| gather_one(table, rows)).collect()
}

/// The same as one batch.
pub fn gather_one(table: &TableDef, rows: &[(&Batch, usize)]) -> Batch {
    let types: Vec<LogicalType> = table.columns.iter().map(|column| column.ty).collect();
    gathered(&types, rows)
}

/// Some rows of batches that have columns of these types; those that a batch lacks are NULL.
pub fn gathered(types: &[LogicalType], rows: &[(&Batch, usize)]) -> Batch {
    let columns = types.iter().enumerate().map(|(at, ty)| {
        let mut builder = ColumnBuilder::with_capacity(*ty, rows.len());
        for (batch, row) in rows {
            match batch.physical_columns().get(at) {
                Some(column) => builder.push_row(column, *row),
                None => builder.push(&Value::Null),
            }
        }
        Arc::new(builder.finish())
    });
    Batch::new(columns.collect(), rows.len())
}

fn second_time_error() -> Error {
    let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
    Error::new(SqlState::CARDINALITY_VIOLATION, message).with_hint(
        "Ensure that no rows proposed for insertion within the same command have duplicate \
         constrained values.",
    )
}
