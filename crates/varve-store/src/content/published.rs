//! Reads which content is published.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_types::{Pacer, RunId};

use crate::content_tree::{HASH, NUMBER, TREE, bytes_at};
use crate::error::Result;
use crate::read::{each_vector, number_at};
use crate::run::Version;
use crate::store::Store;

impl Store {
    /// Makes sure that published content is found by its hash.
    pub(crate) async fn read_addresses(&self) -> Result<()> {
        while !self.addresses.is_read() {
            let (version, runs) = {
                let state = self.state();
                (Arc::clone(&state.version), content_runs(&state.version))
            };
            let mut pacer = Pacer::new(&self.env);
            let mut published = BTreeMap::new();
            for run in version.runs(TREE) {
                let dead = run.deletion_vector.all();
                each_vector(self, run, &[NUMBER, HASH], &mut pacer, |first, columns| {
                    let [numbers, hashes] = columns else {
                        return Ok(());
                    };
                    for row in 0..numbers.len() {
                        let number = number_at(numbers, row);
                        let hash = bytes_at(hashes, row).and_then(|hash| hash.try_into().ok());
                        let ordinal = u32::try_from(row)
                            .ok()
                            .and_then(|row| first.checked_add(row));
                        let is_dead = ordinal.is_none_or(|ordinal| dead.contains(ordinal));
                        if let (Some(number), Some(hash), false) = (number, hash, is_dead) {
                            published.insert(hash, number);
                        }
                    }
                    Ok(())
                })
                .await?;
            }
            let state = self.state();
            // What was published or swept meanwhile would be missing, or wrong.
            if content_runs(&state.version) == runs {
                self.addresses.set_read(published);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// What tells one state of the content from another.
fn content_runs(version: &Version) -> Vec<(RunId, u64)> {
    let runs = version.runs(TREE).iter();
    runs.map(|run| (run.id, run.deletion_vector.version))
        .collect()
}
