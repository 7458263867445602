//! Join: a hash join that builds from the right input and probes with the left one.
//!
//! A right input that reads values of left rows runs once for each combination of them, as often
//! as they are met between two times that the rows kept of it take too much memory. Combinations
//! that compare as equal and look different are not one.

use std::rc::Rc;
use std::sync::Arc;

use varve_expr::{Expr, evaluate};
use varve_plan::{JoinKind, JoinNode, Mark};
use varve_types::{
    Batch, Column, ColumnData, ColumnRef, LocalFuture, LogicalType, Reservation, Result, Selection,
    Value, has_details, put_details,
};

use crate::BatchStream;
use crate::context::{Running, book};
use crate::gather::{Pick, gather_columns};
use crate::join::{BuildSide, Matches, Probe};
use crate::keys::{ABSENT, KeyIndex};
use crate::repeated::Repeated;

/// Rows kept of a dependent right input take at most about so much.
const DEPENDENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Reads the right input when the first batch is asked for. Without keys every row has the same,
/// empty key, which makes it a cross join.
pub(crate) struct JoinStream<'a> {
    running: Running<'a>,
    left: Option<Box<dyn BatchStream + 'a>>,
    /// Left rows for which a dependent right input did not run yet.
    unbound: Option<Batch>,
    right: Right<'a>,
    node: &'a JoinNode,
    build: BuildSide,
    /// For a mark: which groups of keys there are, and in which a right value is NULL.
    groups: Option<Groups>,
    booked: Reservation,
    probe: Option<Probe>,
    /// For joins that keep right rows: which were matched, by batch.
    matched: Vec<Vec<bool>>,
    /// The next right batch whose rows without a match are given.
    unmatched_batch: usize,
}

/// The right input of a join.
pub(crate) enum RightInput<'a> {
    Stream(Box<dyn BatchStream + 'a>),
    /// One that reads values of left rows.
    Dependent(Repeated<'a>),
}

enum Right<'a> {
    /// Read once.
    Stream(Box<dyn BatchStream + 'a>),
    /// Built for each binding of outer values.
    Dependent(Repeated<'a>, KeyIndex),
    Done,
}

struct Groups {
    index: KeyIndex,
    has_null: Vec<bool>,
}

impl<'a> JoinStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        left: Box<dyn BatchStream + 'a>,
        right: RightInput<'a>,
        node: &'a JoinNode,
    ) -> JoinStream<'a> {
        let is_dependent = matches!(right, RightInput::Dependent(_));
        let mut keys: Vec<LogicalType> = Vec::new();
        keys.extend(is_dependent.then_some(LogicalType::Int8));
        keys.extend(node.equal.iter().map(|(_, key)| key.logical_type()));
        let groups = match &node.mark {
            Mark::Equal(_, right) => {
                let index = KeyIndex::new(&keys);
                keys.push(right.logical_type());
                let has_null = Vec::new();
                Some(Groups { index, has_null })
            }
            _ => None,
        };
        let right = match right {
            RightInput::Dependent(right) => Right::Dependent(right, bindings_of(node)),
            RightInput::Stream(right) => Right::Stream(right),
        };
        let keeps_right = matches!(node.kind, JoinKind::Right | JoinKind::Full);
        JoinStream {
            booked: running.reservation(),
            running,
            left: Some(left),
            unbound: None,
            right,
            node,
            build: BuildSide::new(&keys, node.right.types(), keeps_right),
            groups,
            probe: None,
            matched: Vec::new(),
            unmatched_batch: 0,
        }
    }

    async fn read_right(&mut self) -> Result<()> {
        while let Right::Stream(right) = &mut self.right {
            match right.next().await? {
                Some(batch) => self.add_right(batch, None)?,
                None => self.right = Right::Done,
            }
        }
        if matches!(self.node.kind, JoinKind::Right | JoinKind::Full) {
            let flags = |batch: &Batch| vec![false; batch.rows()];
            self.matched = self.build.batches().iter().map(flags).collect();
        }
        Ok(())
    }

    /// Adds right rows, which belong to a binding where the right input is dependent.
    fn add_right(&mut self, batch: Batch, binding: Option<u32>) -> Result<()> {
        let batch = batch.compact();
        let rows = batch.rows();
        let mut keys: Vec<ColumnRef> = Vec::new();
        keys.extend(binding.map(|binding| {
            let value = Value::Int8(i64::from(binding));
            Arc::new(Column::constant(LogicalType::Int8, &value, rows))
        }));
        keys.extend(self.keys(&batch, |(_, key)| key)?);
        if let (Some(groups), Mark::Equal(_, right)) = (&mut self.groups, &self.node.mark) {
            let value = evaluate(right, &batch, &self.running.eval())?;
            let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
            groups.index.insert(&keys, rows, &mut ids, &mut new_rows);
            groups.has_null.resize(groups.index.len() as usize, false);
            if value.null_count() > 0 {
                for (row, id) in ids.iter().enumerate() {
                    if let Some(has_null) = groups.has_null.get_mut(*id as usize) {
                        *has_null |= value.is_null(row);
                    }
                }
            }
            keys.push(value);
        }
        self.build.add(batch, keys);
        let bytes = self.memory_bytes();
        book(&mut self.booked, bytes)
    }

    fn memory_bytes(&self) -> usize {
        let groups = self.groups.as_ref();
        let groups = groups.map_or(0, |groups| groups.index.memory_bytes());
        self.build.memory_bytes() + groups
    }

    fn keys(
        &self,
        batch: &Batch,
        side: impl Fn(&'a (Expr, Expr)) -> &'a Expr,
    ) -> Result<Vec<ColumnRef>> {
        let eval = self.running.eval();
        let keys = self
            .node
            .equal
            .iter()
            .map(|pair| evaluate(side(pair), batch, &eval));
        keys.collect()
    }

    /// Runs the right input for the bindings of a left batch that were not met yet, as far as their
    /// rows do not take too much memory; answers the binding of each row as far as it came.
    async fn bind(&mut self, batch: &Batch) -> Result<Option<Vec<i64>>> {
        if let Right::Dependent(_, bindings) = &mut self.right
            && self.build.memory_bytes() > DEPENDENT_BYTES_MAX
        {
            *bindings = bindings_of(self.node);
            let mut keys = vec![LogicalType::Int8];
            keys.extend(self.node.equal.iter().map(|(_, key)| key.logical_type()));
            if let (Some(groups), Mark::Equal(_, right)) = (&mut self.groups, &self.node.mark) {
                groups.index = KeyIndex::new(&keys);
                groups.has_null.clear();
                keys.push(right.logical_type());
            }
            self.build = BuildSide::new(&keys, self.node.right.types(), false);
            self.booked.resize(0)?;
        }
        let Right::Dependent(rebuilt, bindings) = &mut self.right else {
            return Ok(None);
        };
        let rebuilt = Rc::clone(rebuilt);
        let eval = self.running.eval();
        let outer = self.node.outer.iter();
        let values = outer.map(|(_, expr)| evaluate(expr, batch, &eval));
        let mut values: Vec<ColumnRef> = values.collect::<Result<_>>()?;
        values.extend(details(&values, batch.rows()));
        let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
        bindings.insert(&values, batch.rows(), &mut ids, &mut new_rows);
        for (met, row) in new_rows.into_iter().enumerate() {
            if met > 0 && self.build.memory_bytes() > DEPENDENT_BYTES_MAX {
                // The bindings are forgotten before the rest of the batch is looked at.
                ids.truncate(row as usize);
                break;
            }
            let slots = self.node.outer.iter().map(|(slot, _)| *slot);
            let row_values = values.iter().map(|column| column.value(row as usize));
            let running = self.running.with_outer(slots.zip(row_values));
            let mut right = rebuilt(running)?;
            let binding = ids.get(row as usize).copied();
            while let Some(batch) = right.next().await? {
                self.add_right(batch, binding)?;
            }
            self.running.checkpoint().await?;
        }
        Ok(Some(ids.into_iter().map(i64::from).collect()))
    }

    /// The next left rows, and the binding of each where the right input is dependent.
    async fn next_left(&mut self) -> Result<Option<(Batch, Option<ColumnRef>)>> {
        let batch = match (self.unbound.take(), &mut self.left) {
            (Some(rest), _) => rest,
            (None, None) => return Ok(None),
            (None, Some(left)) => match left.next().await? {
                Some(batch) => batch.compact(),
                None => {
                    self.left = None;
                    return Ok(None);
                }
            },
        };
        let Some(bindings) = self.bind(&batch).await? else {
            return Ok(Some((batch, None)));
        };
        let (bound, rows) = (bindings.len(), batch.rows());
        let column = Column::plain(LogicalType::Int8, ColumnData::Int64(bindings), None);
        let column = column.map(Arc::new);
        if bound == rows {
            return Ok(Some((batch, column)));
        }
        self.unbound = Some(batch.slice(bound, rows - bound));
        Ok(Some((batch.slice(0, bound), column)))
    }

    /// The next left batch; false after the last one.
    async fn next_probe(&mut self) -> Result<bool> {
        let Some((batch, binding)) = self.next_left().await? else {
            return Ok(false);
        };
        let rows = batch.rows();
        let mut keys: Vec<ColumnRef> = binding.into_iter().collect();
        keys.extend(self.keys(&batch, |(key, _)| key)?);
        let mut marks = Vec::new();
        let mut is_done = false;
        if self.node.kind == JoinKind::Mark {
            marks = vec![Some(false); rows];
            if let (Some(groups), Mark::Equal(left, _)) = (&self.groups, &self.node.mark) {
                let value = evaluate(left, &batch, &self.running.eval())?;
                self.mark_equal(groups, keys, value, &mut marks);
                keys = Vec::new();
                is_done = true;
            }
        }
        let matches = if is_done {
            Matches::default()
        } else {
            self.build.find(&keys, rows)
        };
        self.probe = Some(Probe {
            batch,
            matches,
            next_row: 0,
            marks,
            rows: Vec::new(),
            picks: Vec::new(),
            given: 0,
            is_done,
        });
        Ok(true)
    }

    /// Whether each left value is among those of its group.
    fn mark_equal(
        &self,
        groups: &Groups,
        mut keys: Vec<ColumnRef>,
        value: ColumnRef,
        marks: &mut [Option<bool>],
    ) {
        let rows = marks.len();
        let mut ids = Vec::new();
        // A NULL in a group's own key matches no row, whatever the index says.
        let has_key = |row: usize| keys.iter().all(|key| !key.is_null(row));
        groups.index.find(&keys, rows, &mut ids);
        let group_of: Vec<Option<usize>> = ids
            .iter()
            .enumerate()
            .map(|(row, id)| (*id != ABSENT && has_key(row)).then_some(*id as usize))
            .collect();
        keys.push(Arc::clone(&value));
        let found = self.build.find_any(&keys, rows);
        for (row, mark) in marks.iter_mut().enumerate() {
            *mark = match group_of.get(row).copied().flatten() {
                None => Some(false),
                Some(_) if value.is_null(row) => None,
                Some(_) if found.get(row) == Some(&true) => Some(true),
                Some(group) if groups.has_null.get(group) == Some(&true) => None,
                Some(_) => Some(false),
            };
        }
    }

    /// Looks at up to 1,024 pairs of the left batch at hand.
    fn advance(&mut self) -> Result<()> {
        let Some(probe) = &mut self.probe else {
            return Ok(());
        };
        let node = self.node;
        let mut pairs = probe.next_pairs(node, &self.build);
        pairs.test(node, &probe.batch, &self.build, &self.running.eval())?;
        for (at, (row, pick)) in pairs.iter().enumerate() {
            probe.decide(node.kind, row, pick, || pairs.truth(at))?;
            if matches!(node.kind, JoinKind::Right | JoinKind::Full)
                && let Some(flags) = self.matched.get_mut(pick.batch as usize)
                && let Some(flag) = flags.get_mut(pick.row as usize)
            {
                *flag = true;
            }
        }
        if probe.is_done {
            probe.end(node.kind)?;
        }
        Ok(())
    }

    /// Rows of the left batch at hand that are ready; `None` when there are none.
    fn ready(&mut self) -> Option<Batch> {
        let probe = self.probe.as_mut()?;
        if self.node.kind == JoinKind::Mark {
            if !probe.is_done {
                return None;
            }
            let probe = self.probe.take()?;
            let marks: Vec<Value> = probe
                .marks
                .iter()
                .map(|mark| mark.map_or(Value::Null, Value::Boolean))
                .collect();
            let rows = probe.batch.rows();
            let mut columns = probe.batch.physical_columns().to_vec();
            columns.push(Arc::new(Column::from_values(LogicalType::Boolean, &marks)));
            return Some(Batch::new(columns, rows));
        }
        let most = probe.rows_of(&self.build);
        let end = probe.rows.len().min(probe.given + most);
        let rows = probe.rows.get(probe.given..end)?;
        let picks = probe.picks.get(probe.given..end)?;
        if rows.is_empty() {
            return None;
        }
        let count = rows.len();
        let batch = match self.node.kind {
            JoinKind::Semi | JoinKind::Anti => {
                probe.batch.select(&Selection::new(rows.to_vec())).compact()
            }
            _ => {
                let left = probe.batch.physical_columns().iter();
                let mut columns: Vec<ColumnRef> =
                    left.map(|column| Arc::new(column.take(rows))).collect();
                columns.extend(self.build.gather(picks));
                Batch::new(columns, count)
            }
        };
        probe.given = end;
        Some(batch)
    }

    /// Right rows that no left row matched, beside NULLs.
    fn unmatched(&mut self) -> Option<Batch> {
        while let Some(flags) = self.matched.get(self.unmatched_batch) {
            let batch = u32::try_from(self.unmatched_batch).ok()?;
            self.unmatched_batch += 1;
            let rows = (0..).zip(flags).filter(|(_, matched)| !**matched);
            let picks: Vec<Pick> = rows.map(|(row, _)| Pick { batch, row }).collect();
            if picks.is_empty() {
                continue;
            }
            let nulls = |ty: &LogicalType| Column::constant(*ty, &Value::Null, picks.len());
            let left = self.node.left.types();
            let mut columns: Vec<ColumnRef> = left.iter().map(nulls).map(Arc::new).collect();
            columns.extend(gather_columns(
                self.build.batches(),
                self.build.types(),
                &picks,
            ));
            return Some(Batch::new(columns, picks.len()));
        }
        None
    }
}

/// The bindings of a dependent right input: the outer values, and their [`details`] if any.
fn bindings_of(node: &JoinNode) -> KeyIndex {
    let outer = node.outer.iter();
    let mut types: Vec<LogicalType> = outer.map(|(_, expr)| expr.logical_type()).collect();
    let details = types.iter().any(|ty| has_details(*ty));
    types.extend(details.then_some(LogicalType::Bytea));
    KeyIndex::new(&types)
}

/// What tells values of these columns apart that compare as equal; `None` where all are the same.
fn details(columns: &[ColumnRef], rows: usize) -> Option<ColumnRef> {
    let columns = columns.iter();
    let columns = columns.filter(|column| has_details(column.logical_type()));
    let columns: Vec<&ColumnRef> = columns.collect();
    let of_row = |row: usize| {
        let mut bytes = Vec::new();
        for column in &columns {
            put_details(&column.value(row), &mut bytes);
        }
        Value::Bytea(bytes.into())
    };
    (!columns.is_empty()).then(|| {
        let values: Vec<Value> = (0..rows).map(of_row).collect();
        Arc::new(Column::from_values(LogicalType::Bytea, &values))
    })
}

impl BatchStream for JoinStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if matches!(self.right, Right::Stream(_)) {
                self.read_right().await?;
            }
            let needs_right = matches!(
                self.node.kind,
                JoinKind::Inner | JoinKind::Semi | JoinKind::Right
            );
            if needs_right && matches!(self.right, Right::Done) && self.build.is_empty() {
                self.left = None;
            }
            loop {
                self.running.checkpoint().await?;
                if let Some(batch) = self.ready() {
                    return Ok(Some(batch));
                }
                if self.probe.as_ref().is_some_and(|probe| !probe.is_done) {
                    self.advance()?;
                    continue;
                }
                self.probe = None;
                if !self.next_probe().await? {
                    return Ok(self.unmatched());
                }
            }
        })
    }
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "join_kind_tests.rs"]
mod kind_tests;
