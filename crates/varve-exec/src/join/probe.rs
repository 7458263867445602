//! A left batch of a join beside the rows of its build side.

use std::sync::Arc;

use varve_expr::{EvalContext, evaluate, evaluate_filter};
use varve_plan::{JoinKind, JoinNode, Mark};
use varve_types::{Batch, ColumnRef, Error, Invariant, Result, SqlState, VECTOR_ROWS, Value};

use crate::gather::Pick;
use crate::join::{BuildSide, Matches};

/// A batch of pairs takes about so much, or is one pair.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// A left batch, and how far its matches were given.
pub(crate) struct Probe {
    pub(crate) batch: Batch,
    pub(crate) matches: Matches,
    /// Left rows before this one are decided.
    pub(crate) next_row: u32,
    /// For a mark: what is known of each row.
    pub(crate) marks: Vec<Option<bool>>,
    /// Rows to be given: a left row and the right row beside it.
    pub(crate) rows: Vec<u32>,
    pub(crate) picks: Vec<Pick>,
    pub(crate) given: usize,
    pub(crate) is_done: bool,
}

/// Left rows, and a right row beside each.
#[derive(Default)]
pub(crate) struct Pairs {
    rows: Vec<u32>,
    picks: Vec<Pick>,
    /// What the condition of a mark says of each.
    truths: Option<ColumnRef>,
}

impl Pairs {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Pick)> {
        let rows = self.rows.iter().copied();
        rows.zip(self.picks.iter().copied())
    }

    /// Leaves out pairs that do not pass the join's other conditions, and asks the condition of a
    /// mark of those that are left. `batch` has the left rows.
    pub(crate) fn test(
        &mut self,
        node: &JoinNode,
        batch: &Batch,
        build: &BuildSide,
        eval: &EvalContext<'_>,
    ) -> Result<()> {
        let condition = match &node.mark {
            Mark::Condition(condition) => Some(condition),
            _ => None,
        };
        if (node.residual.is_none() && condition.is_none()) || self.picks.is_empty() {
            return Ok(());
        }
        let left = batch.physical_columns().iter();
        let mut columns: Vec<ColumnRef> = left
            .map(|column| Arc::new(column.take(&self.rows)))
            .collect();
        columns.extend(build.gather(&self.picks));
        let mut pairs = Batch::new(columns, self.picks.len());
        if let Some(residual) = &node.residual {
            let keep = evaluate_filter(residual, &pairs, eval)?;
            let kept = keep.rows().iter();
            self.rows = kept
                .clone()
                .filter_map(|at| self.rows.get(*at as usize).copied())
                .collect();
            self.picks = kept
                .filter_map(|at| self.picks.get(*at as usize).copied())
                .collect();
            pairs = pairs.select(&keep);
        }
        if let Some(condition) = condition
            && !self.picks.is_empty()
        {
            self.truths = Some(evaluate(condition, &pairs, eval)?);
        }
        Ok(())
    }

    /// What the condition of a mark says of a pair; true where there is none.
    pub(crate) fn truth(&self, at: usize) -> Option<bool> {
        match &self.truths {
            None => Some(true),
            Some(truths) => match truths.value(at) {
                Value::Boolean(truth) => Some(truth),
                _ => None,
            },
        }
    }
}

impl Probe {
    /// The next pairs of rows with equal keys.
    pub(crate) fn next_pairs(&mut self, node: &JoinNode, build: &BuildSide) -> Pairs {
        self.rows.clear();
        self.picks.clear();
        self.given = 0;
        let once = node.residual.is_none()
            && match node.kind {
                JoinKind::Semi | JoinKind::Anti => true,
                JoinKind::Mark => node.mark == Mark::Exists,
                _ => false,
            };
        let mut pairs = Pairs::default();
        let most = self.rows_of(build);
        while pairs.picks.len() < most && !self.is_done {
            match self.matches.next(build) {
                Some((row, pick)) => {
                    pairs.rows.push(row);
                    pairs.picks.push(pick);
                    if once {
                        self.matches.skip_row();
                    }
                }
                None => self.is_done = true,
            }
        }
        pairs
    }

    /// Notes what a pair means for its left row. `truth` is what a mark's condition says of it.
    pub(crate) fn decide(
        &mut self,
        kind: JoinKind,
        row: u32,
        pick: Pick,
        truth: impl FnOnce() -> Option<bool>,
    ) -> Result<()> {
        let is_first = row >= self.next_row;
        match kind {
            JoinKind::Inner | JoinKind::Right => self.give(row, pick),
            JoinKind::Left | JoinKind::Full | JoinKind::Single => {
                if kind == JoinKind::Single && !is_first {
                    return Err(Error::new(
                        SqlState::CARDINALITY_VIOLATION,
                        "more than one row returned by a subquery used as an expression",
                    ));
                }
                self.give_unmatched_before(row);
                self.give(row, pick);
            }
            JoinKind::Semi if is_first => self.give(row, pick),
            JoinKind::Semi => {}
            JoinKind::Anti => self.give_unmatched_before(row),
            JoinKind::Mark => self.mark(row, truth()),
        }
        self.next_row = self.next_row.max(row + 1);
        Ok(())
    }

    fn mark(&mut self, row: u32, truth: Option<bool>) {
        if let Some(mark) = self.marks.get_mut(row as usize) {
            *mark = match (*mark, truth) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                _ => Some(false),
            };
        }
    }

    /// Gives the last rows that had no match, where such rows are wanted.
    pub(crate) fn end(&mut self, kind: JoinKind) -> Result<()> {
        if matches!(
            kind,
            JoinKind::Left | JoinKind::Full | JoinKind::Single | JoinKind::Anti
        ) {
            let end = u32::try_from(self.batch.rows()).or_broken("rows of a batch")?;
            self.give_unmatched_before(end);
        }
        Ok(())
    }

    /// How many pairs a batch takes: few where values are long.
    pub(crate) fn rows_of(&self, build: &BuildSide) -> usize {
        let left_bytes = self.batch.memory_bytes() / self.batch.rows().max(1);
        let row_bytes = left_bytes.saturating_add(build.row_bytes());
        (BATCH_BYTES / row_bytes.max(1)).clamp(1, VECTOR_ROWS)
    }

    fn give(&mut self, row: u32, pick: Pick) {
        self.rows.push(row);
        self.picks.push(pick);
    }

    /// Gives the rows up to `row` that had no match.
    fn give_unmatched_before(&mut self, row: u32) {
        for unmatched in self.next_row..row {
            self.give(unmatched, Pick::NULLS);
        }
        self.next_row = self.next_row.max(row);
    }
}
