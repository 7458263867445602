//! Append: the rows of several inputs, one after another.

use std::collections::VecDeque;

use varve_types::{Batch, LocalFuture, Result};

use crate::BatchStream;

/// Drops each input, and what that holds, when it ends.
pub(crate) struct AppendStream<'a> {
    pub(crate) inputs: VecDeque<Box<dyn BatchStream + 'a>>,
}

impl BatchStream for AppendStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(input) = self.inputs.front_mut() {
                if let Some(batch) = input.next().await? {
                    return Ok(Some(batch));
                }
                self.inputs.pop_front();
            }
            Ok(None)
        })
    }
}
