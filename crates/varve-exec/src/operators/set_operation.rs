//! Set operation: INTERSECT and EXCEPT, by counts of each different row.

use varve_plan::SetOperationNode;
use varve_types::{Batch, LocalFuture, Reservation, Result, Selection};

use crate::BatchStream;
use crate::chunked::Chunked;
use crate::context::{Running, book};
use crate::keys::{ABSENT, KeyIndex};

/// Reads the right input, then lets left rows pass by what the counts say.
pub(crate) struct SetOperationStream<'a> {
    running: Running<'a>,
    node: &'a SetOperationNode,
    left: Box<dyn BatchStream + 'a>,
    right: Option<Box<dyn BatchStream + 'a>>,
    rows: KeyIndex,
    /// Right rows of each kind that no left row was counted against.
    counts: Chunked<u64>,
    booked: Reservation,
}

impl<'a> SetOperationStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        node: &'a SetOperationNode,
        left: Box<dyn BatchStream + 'a>,
        right: Box<dyn BatchStream + 'a>,
    ) -> SetOperationStream<'a> {
        SetOperationStream {
            booked: running.reservation(),
            rows: KeyIndex::new(&node.right.types()),
            running,
            node,
            left,
            right: Some(right),
            counts: Chunked::default(),
        }
    }

    fn book(&mut self) -> Result<()> {
        let bytes = self.rows.memory_bytes() + self.counts.memory_bytes();
        book(&mut self.booked, bytes)
    }

    async fn read_right(&mut self) -> Result<()> {
        let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
        while let Some(right) = &mut self.right {
            let Some(batch) = right.next().await? else {
                self.right = None;
                break;
            };
            let batch = batch.compact();
            let columns = batch.physical_columns();
            self.rows
                .insert(columns, batch.rows(), &mut ids, &mut new_rows);
            for id in &ids {
                match self.counts.get_mut(*id) {
                    Some(count) => *count += 1,
                    None => self.counts.push(1),
                }
            }
            self.book()?;
        }
        Ok(())
    }

    /// Which rows of a left batch pass.
    fn passing(&mut self, batch: &Batch) -> Result<Selection> {
        let columns = batch.physical_columns();
        let (mut ids, mut new_rows) = (Vec::new(), Vec::new());
        let mut passing = Vec::new();
        let SetOperationNode { except, all, .. } = self.node;
        if *except && !*all {
            // A row passes once, and none that is on the right: it is new exactly then.
            self.rows
                .insert(columns, batch.rows(), &mut ids, &mut new_rows);
            self.book()?;
            return Ok(Selection::new(new_rows));
        }
        self.rows.find(columns, batch.rows(), &mut ids);
        for (row, id) in (0..).zip(&ids) {
            let mut is_matched = false;
            if *id != ABSENT
                && let Some(count) = self.counts.get_mut(*id)
                && *count > 0
            {
                is_matched = true;
                *count = if *all { *count - 1 } else { 0 };
            }
            if is_matched != *except {
                passing.push(row);
            }
        }
        Ok(Selection::new(passing))
    }
}

impl BatchStream for SetOperationStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            if self.right.is_some() {
                self.read_right().await?;
            }
            while let Some(batch) = self.left.next().await? {
                self.running.checkpoint().await?;
                let batch = batch.compact();
                let passing = self.passing(&batch)?;
                if !passing.is_empty() {
                    return Ok(Some(batch.select(&passing)));
                }
            }
            Ok(None)
        })
    }
}
