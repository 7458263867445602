//! The running state of one aggregate.

use std::sync::Arc;

use varve_types::meter::{self, LARGE_BYTES};
use varve_types::{
    Bitmap, Column, ColumnBuilder, ColumnData, ColumnRef, ColumnSummary, Decimal, DecimalData,
    Error, LogicalType, PhysicalType, Result, SqlState, Value, nearest_f32,
};

use super::{AggregateFunction, ListedAggregate, RowGroups};
use crate::kernels::{Native, pack};
use crate::tree::{EvalContext, Row, State as GroupState};

/// The running state of one aggregate for many groups.
#[derive(Clone, Debug)]
pub struct Accumulator {
    function: AggregateFunction,
    /// Rows of each group that are counted: for all but `count(*)`, those whose argument is not
    /// NULL.
    counts: Vec<i64>,
    state: State,
    /// Bytes on the heap that the values in `state` point to.
    heap_bytes: usize,
}

/// What is kept for each group beside its count; without a row the element means nothing.
#[derive(Clone, Debug)]
enum State {
    CountOnly,
    /// Sums of integers, exact.
    Integers(Vec<i128>),
    /// Sums of numerics.
    Decimals(Vec<Decimal>),
    /// Sums of doubles, in row order.
    Doubles(Vec<f64>),
    LeastInt(Vec<i64>),
    GreatestInt(Vec<i64>),
    LeastDouble(Vec<f64>),
    GreatestDouble(Vec<f64>),
    /// Extremes of booleans and texts.
    Values(Vec<Value>),
    /// What an aggregate of the table keeps.
    Listed(ListedAggregate, Vec<GroupState>),
}

impl Accumulator {
    /// No groups yet.
    pub fn new(function: AggregateFunction) -> Accumulator {
        use AggregateFunction as F;
        let state = match function {
            F::CountStar | F::Count => State::CountOnly,
            F::Sum(ty) | F::Avg(ty) if ty.physical() == PhysicalType::Float64 => {
                State::Doubles(vec![])
            }
            F::Sum(LogicalType::Numeric) | F::Avg(LogicalType::Numeric) => State::Decimals(vec![]),
            F::Sum(_) | F::Avg(_) => State::Integers(vec![]),
            F::Min(ty) => match ty.physical() {
                PhysicalType::Int32 | PhysicalType::Int64 => State::LeastInt(vec![]),
                PhysicalType::Float64 => State::LeastDouble(vec![]),
                _ => State::Values(vec![]),
            },
            F::Max(ty) => match ty.physical() {
                PhysicalType::Int32 | PhysicalType::Int64 => State::GreatestInt(vec![]),
                PhysicalType::Float64 => State::GreatestDouble(vec![]),
                _ => State::Values(vec![]),
            },
            F::Listed(listed) => State::Listed(listed, vec![]),
        };
        Accumulator {
            function,
            counts: Vec::new(),
            state,
            heap_bytes: 0,
        }
    }

    /// Adds rows, whose groups are below `group_count`. `count(*)` has no arguments.
    pub fn update(
        &mut self,
        groups: &RowGroups,
        group_count: usize,
        args: &[ColumnRef],
        context: &EvalContext<'_>,
    ) -> Result<()> {
        self.grow(group_count);
        if matches!(self.state, State::Listed(..)) {
            return self.update_listed(&groups.each(), args, context);
        }
        match args.first() {
            Some(column) => self.update_common(groups, column),
            None => {
                count_all(&mut self.counts, groups);
                Ok(())
            }
        }
    }

    /// Takes rows in one by one, by the step of the aggregate.
    fn update_listed(
        &mut self,
        groups: &[u32],
        args: &[ColumnRef],
        context: &EvalContext<'_>,
    ) -> Result<()> {
        if let State::Listed(listed, states) = &mut self.state {
            let strict = listed.function.is_strict();
            let (step, result) = (listed.aggregate.step, listed.function.result_type());
            let start_bytes = self.heap_bytes;
            let mut asked_bytes = start_bytes;
            for (row, group) in groups.iter().enumerate() {
                if strict && args.iter().any(|arg| arg.is_null(row)) {
                    continue;
                }
                if let Some(state) = states.get_mut(*group as usize) {
                    let before = state.heap_bytes();
                    let row = Row {
                        args,
                        row,
                        context,
                        result,
                    };
                    step(state, &row)?;
                    self.heap_bytes = (self.heap_bytes + state.heap_bytes()).saturating_sub(before);
                }
                if self.heap_bytes.saturating_sub(asked_bytes) >= LARGE_BYTES {
                    // The operator books them after the batch.
                    meter::room(self.heap_bytes - start_bytes)?;
                    asked_bytes = self.heap_bytes;
                }
                meter::steps(1)?;
            }
        }
        Ok(())
    }

    /// Takes a whole column in.
    fn update_common(&mut self, groups: &RowGroups, column: &ColumnRef) -> Result<()> {
        let counts = &mut self.counts;
        let is_wide = column.logical_type().physical() == PhysicalType::Int64;
        match &mut self.state {
            State::CountOnly => count_present(counts, groups, column),
            State::Integers(sums) if is_wide => {
                fold::<i64, _>(column, groups, counts, sums, |sum, first, number, rows| {
                    *sum = if first { 0 } else { *sum } + i128::from(number) * i128::from(rows);
                });
            }
            State::Integers(sums) => {
                fold::<i32, _>(column, groups, counts, sums, |sum, first, number, rows| {
                    *sum = if first { 0 } else { *sum } + i128::from(number) * i128::from(rows);
                });
            }
            State::Decimals(sums) => {
                for (row, group) in groups.each().iter().enumerate() {
                    let group = *group as usize;
                    let slots = counts.get_mut(group).zip(sums.get_mut(group));
                    if let (Some((count, sum)), Some(number)) = (slots, column.decimal_at(row)) {
                        *sum = sum.plus(number)?;
                        *count += 1;
                    }
                }
            }
            State::Doubles(sums) => {
                let mut overflowed = false;
                fold::<f64, _>(column, groups, counts, sums, |sum, first, number, rows| {
                    let before = if first { 0.0 } else { *sum };
                    // A product rounds once only, and so differs from equal rows in a plain column.
                    *sum = (0..rows).fold(before, |sum, _| sum + number);
                    overflowed |= sum.is_infinite() && before.is_finite() && number.is_finite();
                });
                if overflowed {
                    return Err(out_of_range("value out of range: overflow"));
                }
            }
            State::LeastInt(best) => {
                fold_integers(column, is_wide, groups, counts, best, |a, b| a < b);
            }
            State::GreatestInt(best) => {
                fold_integers(column, is_wide, groups, counts, best, |a, b| a > b);
            }
            State::LeastDouble(best) => {
                fold::<f64, _>(column, groups, counts, best, |best, first, number, _| {
                    if first || number.less(*best) {
                        *best = number;
                    }
                });
            }
            State::GreatestDouble(best) => {
                fold::<f64, _>(column, groups, counts, best, |best, first, number, _| {
                    if first || best.less(number) {
                        *best = number;
                    }
                });
            }
            State::Values(_) => self.update_values(groups, column),
            State::Listed(..) => {}
        }
        Ok(())
    }

    /// Adds rows to the first group, of whose argument so much is known as
    /// [`AggregateFunction::wants_of_summary`] says; `count(*)` has none.
    pub fn add_known(&mut self, rows: u64, column: Option<&ColumnSummary>) -> Result<()> {
        self.grow(1);
        let present = column.map_or(rows, |column| column.present);
        if present == 0 {
            return Ok(());
        }
        let unknown = || Error::internal("a summary lacks what an aggregate wants");
        match (
            self.function,
            column.and_then(|column| column.extremes.as_ref()),
        ) {
            (AggregateFunction::Min(ty), Some((best, _)))
            | (AggregateFunction::Max(ty), Some((_, best))) => {
                let best = Arc::new(Column::constant(ty, best, 1));
                self.update_common(&RowGroups::one(1), &best)?;
            }
            (AggregateFunction::Min(_) | AggregateFunction::Max(_), None) => return Err(unknown()),
            _ => {
                if let (State::Integers(sums), Some(column)) = (&mut self.state, column) {
                    *sums.first_mut().ok_or_else(unknown)? += column.sum;
                }
                let count = self.counts.first_mut().ok_or_else(unknown)?;
                *count += i64::try_from(present).map_err(|_| unknown())?;
            }
        }
        Ok(())
    }

    /// The result of the first group so far.
    pub fn current(&self) -> Result<Value> {
        match &self.state {
            State::Listed(listed, states) => {
                let state = states.first().unwrap_or(&GroupState::Empty);
                finished(*listed, state, self.function.result_type())
            }
            _ => Ok(self.clone().finish(1)?.value(0)),
        }
    }

    /// One row a group.
    pub fn finish(mut self, group_count: usize) -> Result<Column> {
        self.grow(group_count);
        let ty = self.function.result_type();
        let is_average = matches!(self.function, AggregateFunction::Avg(_));
        let validity = pack(self.counts.iter().map(|count| *count > 0));
        let data = match self.state {
            State::CountOnly => {
                return column_of(ty, ColumnData::Int64(self.counts), None);
            }
            State::Values(values) => {
                let mut builder = ColumnBuilder::with_capacity(ty, group_count);
                for value in &values {
                    builder.push(value);
                }
                return Ok(builder.finish());
            }
            State::Listed(listed, states) => {
                let mut builder = ColumnBuilder::with_capacity(ty, group_count);
                for state in &states {
                    builder.push(&finished(listed, state, ty)?);
                }
                meter::check()?;
                return Ok(builder.finish());
            }
            State::Integers(sums) if ty == LogicalType::Numeric => {
                let sums = sums.into_iter();
                let sums = sums.map(|sum| Decimal::new(sum, 0).ok_or_else(Decimal::overflow));
                decimals(sums, &self.counts, is_average)?
            }
            State::Decimals(sums) => decimals(sums.into_iter().map(Ok), &self.counts, is_average)?,
            State::Integers(sums) => ColumnData::Int64(
                sums.into_iter()
                    .map(|sum| i64::try_from(sum).map_err(|_| out_of_range("bigint out of range")))
                    .collect::<Result<_>>()?,
            ),
            State::Doubles(sums) => {
                let pairs = sums.iter().zip(&self.counts);
                let result = |(sum, count): (&f64, &i64)| match *sum {
                    nan if nan.is_nan() => f64::NAN,
                    sum if is_average => sum / nearest_double(i128::from(*count)),
                    sum if ty == LogicalType::Float4 => f64::from(nearest_f32(sum)),
                    sum => sum,
                };
                ColumnData::Float64(pairs.map(result).collect())
            }
            State::LeastDouble(best) | State::GreatestDouble(best) => ColumnData::Float64(best),
            State::LeastInt(best) | State::GreatestInt(best) => match ty.physical() {
                PhysicalType::Int32 => ColumnData::Int32(
                    best.into_iter()
                        .map(|number| i32::try_from(number).unwrap_or_default())
                        .collect(),
                ),
                _ => ColumnData::Int64(best),
            },
        };
        column_of(ty, data, Some(validity))
    }

    /// Bytes that the state takes.
    pub fn memory_bytes(&self) -> usize {
        let state = match &self.state {
            State::CountOnly => 0,
            State::Integers(sums) => size_of_val(sums.as_slice()),
            State::Decimals(sums) => size_of_val(sums.as_slice()),
            State::Doubles(best) | State::LeastDouble(best) | State::GreatestDouble(best) => {
                size_of_val(best.as_slice())
            }
            State::LeastInt(best) | State::GreatestInt(best) => size_of_val(best.as_slice()),
            State::Values(best) => size_of_val(best.as_slice()),
            State::Listed(_, states) => size_of_val(states.as_slice()),
        };
        size_of::<Accumulator>() + size_of_val(self.counts.as_slice()) + state + self.heap_bytes
    }

    fn grow(&mut self, group_count: usize) {
        if group_count <= self.counts.len() {
            return;
        }
        self.counts.resize(group_count, 0);
        match &mut self.state {
            State::CountOnly => {}
            State::Integers(sums) => sums.resize(group_count, 0),
            State::Decimals(sums) => sums.resize(group_count, Decimal::ZERO),
            State::Doubles(best) | State::LeastDouble(best) | State::GreatestDouble(best) => {
                best.resize(group_count, 0.0);
            }
            State::LeastInt(best) | State::GreatestInt(best) => best.resize(group_count, 0),
            State::Values(best) => best.resize(group_count, Value::Null),
            State::Listed(_, states) => states.resize(group_count, GroupState::Empty),
        }
    }

    /// Extremes of booleans, texts and numerics: of the first row of each run, and of each value of
    /// a dictionary where there is one group.
    fn update_values(&mut self, groups: &RowGroups, column: &ColumnRef) {
        let is_one_group = self.counts.len() == 1;
        match column.data() {
            ColumnData::Dictionary { codes, values } if is_one_group => {
                let mut seen = vec![false; values.len()];
                for (row, code) in codes.iter().enumerate() {
                    // Of equal values the first row's is kept, so they are taken in its order.
                    let seen = seen.get_mut(*code as usize).filter(|seen| !**seen);
                    if let Some(seen) = seen.filter(|_| !column.is_null(row)) {
                        *seen = true;
                        self.keep_better(0, column, row);
                    }
                }
            }
            _ => match column.runs() {
                Some(runs) => groups.each_run_of(&runs, &mut |run, group, _| {
                    self.keep_better(group, runs.values, run);
                }),
                None => {
                    for (row, group) in groups.each().iter().enumerate() {
                        self.keep_better(*group as usize, column, row);
                    }
                }
            },
        }
    }

    /// Keeps the value of a row where it is the best of its group so far. A text is copied only
    /// then.
    fn keep_better(&mut self, group: usize, column: &Column, row: usize) {
        let State::Values(best) = &mut self.state else {
            return;
        };
        let wanted = match self.function {
            AggregateFunction::Min(_) => core::cmp::Ordering::Less,
            _ => core::cmp::Ordering::Greater,
        };
        let Some(best) = best.get_mut(group) else {
            return;
        };
        let ty = column.logical_type();
        if let Some(text) = column.str_at(row).filter(|_| ty != LogicalType::Bpchar) {
            let old_bytes = match best {
                Value::Text(old) if text.cmp(old) != wanted => return,
                Value::Text(old) => old.len(),
                _ => 0,
            };
            self.heap_bytes = self.heap_bytes + text.len() - old_bytes;
            *best = Value::text(text);
        } else {
            let value = column.value(row);
            if !value.is_null() && (best.is_null() || value.compare(best) == Some(wanted)) {
                *best = value;
            }
        }
    }
}

/// The result of one group.
fn finished(listed: ListedAggregate, state: &GroupState, ty: LogicalType) -> Result<Value> {
    /// What putting the values together takes beside the result.
    const COPIES: usize = 2;
    let bytes = state.heap_bytes();
    meter::room(bytes.saturating_mul(COPIES))?;
    meter::steps(1 + bytes / 64)?;
    (listed.aggregate.finish)(state, ty)
}

fn column_of(ty: LogicalType, data: ColumnData, validity: Option<Bitmap>) -> Result<Column> {
    Column::plain(ty, data, validity)
        .ok_or_else(|| Error::internal("an aggregate of unequal length"))
}

fn out_of_range(message: &str) -> Error {
    Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an average is a double, nearest to the exact one"
)]
fn nearest_double(number: i128) -> f64 {
    number as f64
}

/// Sums, or their quotients by the counts, 0 where there is nothing.
fn decimals(
    sums: impl Iterator<Item = Result<Decimal>>,
    counts: &[i64],
    is_average: bool,
) -> Result<ColumnData> {
    let mut data = DecimalData::with_capacity(counts.len());
    for (sum, count) in sums.zip(counts) {
        match (sum?, *count) {
            (_, 0) => data.push_null(),
            (sum, count) if is_average => data.push(sum.divided_by(Decimal::from(count))?),
            (sum, _) => data.push(sum),
        }
    }
    Ok(ColumnData::Decimal(data))
}

fn count_all(counts: &mut [i64], groups: &RowGroups) {
    match groups {
        RowGroups::Rows(groups) => {
            for group in groups {
                if let Some(count) = counts.get_mut(*group as usize) {
                    *count += 1;
                }
            }
        }
        RowGroups::Runs { .. } => groups.each_run(&mut |group, rows| {
            if let Some(count) = counts.get_mut(group as usize) {
                *count += i64::from(rows);
            }
        }),
    }
}

fn count_present(counts: &mut [i64], groups: &RowGroups, column: &Column) {
    if column.null_count() == 0 {
        return count_all(counts, groups);
    }
    if let Some(runs) = column.runs() {
        return groups.each_run_of(&runs, &mut |run, group, rows| {
            let count = counts.get_mut(group).filter(|_| !runs.values.is_null(run));
            if let Some(count) = count {
                *count += i64::from(rows);
            }
        });
    }
    for (row, group) in groups.each().iter().enumerate() {
        if let Some(count) = counts
            .get_mut(*group as usize)
            .filter(|_| !column.is_null(row))
        {
            *count += 1;
        }
    }
}

fn fold_integers(
    column: &Column,
    is_wide: bool,
    groups: &RowGroups,
    counts: &mut [i64],
    best: &mut [i64],
    is_better: impl Fn(i64, i64) -> bool,
) {
    let keep_better = |best: &mut i64, first: bool, number: i64| {
        if first || is_better(number, *best) {
            *best = number;
        }
    };
    if is_wide {
        fold::<i64, _>(column, groups, counts, best, |best, first, number, _| {
            keep_better(best, first, number);
        });
    } else {
        fold::<i32, _>(column, groups, counts, best, |best, first, number, _| {
            keep_better(best, first, i64::from(number));
        });
    }
}

/// Calls `step(state, is_first, value, rows)` for the values that are not NULL, in the order of the
/// rows, and counts these. Rows of one run come as one.
fn fold<T: Native, S>(
    column: &Column,
    groups: &RowGroups,
    counts: &mut [i64],
    states: &mut [S],
    mut step: impl FnMut(&mut S, bool, T, u32),
) {
    if let Some(runs) = column.runs() {
        let values = T::operand(runs.values);
        return groups.each_run_of(&runs, &mut |run, group, rows| {
            let slots = counts.get_mut(group).zip(states.get_mut(group));
            if let Some((count, state)) = slots.filter(|_| !runs.values.is_null(run)) {
                step(state, *count == 0, values.get(run), rows);
                *count += i64::from(rows);
            }
        });
    }
    if let ([count], [state]) = (&mut *counts, &mut *states) {
        each_present(column, groups.rows(), |_, value| {
            step(state, *count == 0, value, 1);
            *count += 1;
        });
        return;
    }
    let groups = groups.each();
    each_present(column, groups.len(), |row, value| {
        let group = groups.get(row).map_or(usize::MAX, |group| *group as usize);
        if let (Some(count), Some(state)) = (counts.get_mut(group), states.get_mut(group)) {
            step(state, *count == 0, value, 1);
            *count += 1;
        }
    });
}

/// Calls `visit(row, value)` for the rows of a plain or dictionary column that are not NULL, in
/// order.
fn each_present<T: Native>(column: &Column, rows: usize, mut visit: impl FnMut(usize, T)) {
    let is_present = |row: usize| column.validity().is_none_or(|bits| bits.get(row));
    if let ColumnData::Dictionary { codes, values } = column.data() {
        let values = T::operand(values);
        for (row, code) in codes.iter().enumerate().take(rows) {
            if is_present(row) {
                visit(row, values.get(*code as usize));
            }
        }
        return;
    }
    let values = T::operand(column).values.iter().enumerate().take(rows);
    if column.validity().is_none() {
        values.for_each(|(row, value)| visit(row, *value));
    } else {
        for (row, value) in values.filter(|(row, _)| is_present(*row)) {
            visit(row, *value);
        }
    }
}
