//! Columns of a run whose large values are content: the run has the beginnings of the values, and
//! references to them.

use std::sync::Arc;

use varve_run::RunHead;
use varve_types::{
    Batch, Column, ColumnRef, Invariant, LocalFuture, LogicalType, PredicateTest, Selection, Value,
};

use crate::error::{Result, StoreError};
use crate::read::resolve::Unresolved;
use crate::read::run_cursor::{ResolvedScan, RunCursor};
use crate::tree::Tree;

impl RunCursor {
    /// The rows of a batch that is followed by references; `None` for others.
    pub(super) fn unresolved(
        &self,
        resolved: &ResolvedScan,
        batch: &Batch,
    ) -> Option<Box<Unresolved>> {
        let referring: Vec<usize> = self.referring(resolved).map(|(at, _)| at).collect();
        if referring.is_empty() {
            return None;
        }
        let batch = batch.compact();
        let mut columns = batch.physical_columns().to_vec();
        let references = columns.split_off(columns.len().saturating_sub(referring.len()));
        let referring = referring.into_iter().zip(references).collect();
        let unresolved = Unresolved::new(columns, referring, batch.rows());
        Some(Box::new(unresolved))
    }

    /// Of the outputs whose values lie elsewhere where they are in a batch, and where the run has
    /// their references.
    pub(super) fn referring(
        &self,
        resolved: &ResolvedScan,
    ) -> impl Iterator<Item = (usize, usize)> {
        let outputs = resolved.outputs.iter().enumerate();
        let refers = self.view.run.refers;
        outputs.filter(move |_| refers).filter_map(|(at, stored)| {
            Some((at, reference_position(&resolved.tree, &self.head, *stored)?))
        })
    }

    /// Where the references of a column are whose values must be read for a test of it; `None`
    /// where what is in the run tells.
    pub(super) fn tested_reference(
        &self,
        resolved: &ResolvedScan,
        (stored, test): (usize, &PredicateTest),
    ) -> Option<usize> {
        let is_null_test = matches!(test, PredicateTest::IsNull | PredicateTest::IsNotNull);
        if !self.view.run.refers || is_null_test {
            return None;
        }
        reference_position(&resolved.tree, &self.head, stored)
    }

    /// The chosen rows of a vector that pass a test of a column whose values lie elsewhere. Boxed,
    /// so that what few reads need is code of its own.
    pub(super) fn test_content<'a>(
        &'a self,
        resolved: &'a ResolvedScan,
        reference: usize,
        (stored, test): (usize, &'a PredicateTest),
        vector: usize,
        chosen: Selection,
    ) -> LocalFuture<'a, Result<Selection>> {
        Box::pin(async move {
            let open = self.group.as_ref().or_broken("group of a test")?;
            let content = resolved.content.as_ref().or_broken("content of a test")?;
            let read = |position| {
                let column = open.tested.column(position, vector);
                let column = column.map_err(|error| self.view.run.place_error(error))?;
                Ok::<ColumnRef, StoreError>(Arc::new(column.take(chosen.rows())))
            };
            let position = self.position(resolved, stored);
            let column = read(position.or_broken("column of references")?)?;
            let referring = vec![(0, read(reference)?)];
            let mut unresolved = Unresolved::new(vec![column], referring, chosen.len());
            let mut passing = Vec::new();
            while let Some((first, batch)) = unresolved.next(content).await? {
                let column = batch.column(0).or_broken("column of a test")?;
                let rows = chosen.rows().get(first..).unwrap_or_default();
                let passed = test.select(&column);
                passing.extend(
                    passed
                        .rows()
                        .iter()
                        .filter_map(|row| rows.get(*row as usize)),
                );
            }
            Ok(Selection::new(passing))
        })
    }
}

/// Where a run keeps the references of a stored column; `None` where all values lie in the run.
pub(crate) fn reference_position(tree: &Tree, head: &RunHead, stored: usize) -> Option<usize> {
    head.reference_position(tree.columns().get(stored)?.id)
}

/// The references of rows that have none.
pub(crate) fn no_references(rows: usize) -> Column {
    Column::constant(LogicalType::Int8, &Value::Null, rows)
}
