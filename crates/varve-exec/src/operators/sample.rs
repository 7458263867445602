//! Sample: a share of the input's rows, chosen by a seeded sequence, so that the same seed gives
//! the same rows.

use varve_expr::{Expr, evaluate_constant};
use varve_types::{Batch, Error, Invariant, LocalFuture, Result, Selection, SqlState, Value};

use crate::BatchStream;
use crate::context::Running;

/// Lets each row pass with a chance.
pub(crate) struct SampleStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    /// A row passes where the next number is below this.
    bound: u64,
    state: u64,
}

impl<'a> SampleStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        percent: &Expr,
        seed: Option<&Expr>,
    ) -> Result<SampleStream<'a>> {
        let number = |expr: &Expr| -> Result<Option<f64>> {
            Ok(match evaluate_constant(expr, &running.eval())? {
                Value::Float8(number) => Some(number),
                _ => None,
            })
        };
        let invalid = |message| Error::new(SqlState::INVALID_TABLESAMPLE_ARGUMENT, message);
        let percent = number(percent)?;
        let percent = percent.ok_or_else(|| invalid("TABLESAMPLE parameter cannot be null"))?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(invalid("sample percentage must be between 0 and 100"));
        }
        let seed = seed.map(number).transpose()?.flatten();
        let now = running.context.env.monotonic_us();
        Ok(SampleStream {
            bound: share_bound(percent),
            state: seed.map_or(now, f64::to_bits),
            running,
            input,
        })
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The bound in 32 bits below which that share of numbers lies.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 2^32, as the share is between 0 and 100"
)]
fn share_bound(percent: f64) -> u64 {
    (percent / 100.0 * 4_294_967_296.0) as u64
}

impl BatchStream for SampleStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(batch) = self.input.next().await? {
                self.running.checkpoint().await?;
                let rows = u32::try_from(batch.rows()).or_broken("rows of a batch")?;
                let mut chosen = Vec::new();
                for row in 0..rows {
                    if self.next_number() >> 32 < self.bound {
                        chosen.push(row);
                    }
                }
                if !chosen.is_empty() {
                    return Ok(Some(batch.select(&Selection::new(chosen))));
                }
            }
            Ok(None)
        })
    }
}
