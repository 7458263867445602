//! Cuts batches so that what is computed of a part of one stays small and quick: a thousand long
//! texts are not made at once, and a statement that is stopped notices it between two parts.

use varve_expr::Expr;
use varve_expr::walk::for_each_child;
use varve_types::{Batch, LocalFuture, PhysicalType, Result, VECTOR_ROWS, meter};

use crate::BatchStream;
use crate::context::Running;

/// What is computed of a portion books about so many bytes,
const BYTES: usize = 1 << 20;
/// and takes about so many microseconds,
const TIME_US: u64 = 4_000;
/// but for so many rows, whatever the time.
const ROWS_MIN: usize = 16;
/// A portion is at most so many times as large as the one before.
const GROWTH: usize = 8;

/// Gives the rows of its input in portions.
pub(crate) struct PortionStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    batch: Option<Batch>,
    /// Rows of the batch that were given.
    given_rows: usize,
    /// How many rows the next portion has.
    rows: usize,
    /// When the last portion was given.
    given_us: Option<u64>,
}

/// The input of an operator that computes `exprs` of each row. Where these are small it stays as it
/// is.
pub(crate) fn portioned<'a, 'e>(
    running: &Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> Box<dyn BatchStream + 'a> {
    if !exprs.into_iter().any(makes_values_of_any_size) {
        return input;
    }
    Box::new(PortionStream {
        running: running.clone(),
        input,
        batch: None,
        given_rows: 0,
        rows: 1,
        given_us: None,
    })
}

impl PortionStream<'_> {
    /// Learns from what became of the last portion.
    fn learn(&mut self) {
        let Some(given_us) = self.given_us else {
            return;
        };
        let rows = self.rows;
        let now_us = self.running.context.env.monotonic_us();
        let took_us = now_us.saturating_sub(given_us).max(1);
        let by_bytes = rows.saturating_mul(BYTES) / meter::take_peak().max(1);
        let wide = rows as u64;
        let by_time = wide.saturating_mul(TIME_US) / took_us;
        let by_time = usize::try_from(by_time).unwrap_or(usize::MAX).max(ROWS_MIN);
        let grown = rows.saturating_mul(GROWTH);
        self.rows = grown.min(by_bytes).min(by_time).clamp(1, VECTOR_ROWS);
    }

    fn portion(&mut self, batch: &Batch) -> Batch {
        let rows = self.rows.min(batch.rows().saturating_sub(self.given_rows));
        let portion = match rows == batch.rows() {
            true => batch.compact(),
            false => batch.slice(self.given_rows, rows),
        };
        self.given_rows += rows;
        meter::take_peak();
        self.given_us = Some(self.running.context.env.monotonic_us());
        portion
    }
}

impl BatchStream for PortionStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            self.learn();
            self.running.checkpoint().await?;
            let batch = match self.batch.take() {
                Some(batch) => batch,
                None => match self.input.next().await? {
                    Some(batch) => batch.compact(),
                    None => return Ok(None),
                },
            };
            let portion = self.portion(&batch);
            if self.given_rows < batch.rows() {
                self.batch = Some(batch);
            } else {
                self.given_rows = 0;
            }
            Ok(Some(portion))
        })
    }
}

/// Whether an expression computes something whose size its type does not bound.
fn makes_values_of_any_size(expr: &Expr) -> bool {
    let computes = matches!(expr, Expr::Call { .. } | Expr::Cast { .. });
    let physical = expr.logical_type().physical();
    let mut found = computes && matches!(physical, PhysicalType::Bytes | PhysicalType::Binary);
    for_each_child(expr, &mut |child| {
        found = found || makes_values_of_any_size(child);
    });
    found
}
