//! Reads which content is published.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_types::{Invariant, Pacer, Reservation, RunId};

use crate::content_tree::{HASH, NUMBER, TREE, bytes_at};
use crate::error::Result;
use crate::read::{group_vectors, number_at};
use crate::run::Version;
use crate::store::{ENTRY_BYTES, Index, Store};

impl Store {
    /// Makes sure that published content is found by its hash, if there is memory for that.
    pub(crate) async fn read_addresses(&self) -> Result<()> {
        while !self.addresses.is_read() {
            let version = Arc::clone(&self.state().version);
            let index = self.index_of(&version).await?;
            // Nothing is published or swept while it is compared.
            let _commit_lock = self.take_commit_lock().await;
            let current = Arc::clone(&self.state().version);
            if content_runs(&current) == content_runs(&version) {
                self.addresses.set_read(index);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The numbers of all content by hash; `None` where there is no memory for them.
    async fn index_of(&self, version: &Version) -> Result<Option<Index>> {
        let mut reservation = Reservation::new(Arc::clone(&self.memory));
        let mut pacer = Pacer::new(&self.env);
        let mut numbers = BTreeMap::new();
        for run in version.runs(TREE) {
            let dead = run.deletion_vector.all();
            for group in 0..run.head()?.groups().len() {
                let read = |first: u32, columns: &[varve_types::Column]| {
                    let [of_rows, hashes] = columns else {
                        return Ok(());
                    };
                    for (row, ordinal) in (0..of_rows.len()).zip(first..) {
                        let number = number_at(of_rows, row).or_broken("number of content")?;
                        let hash = bytes_at(hashes, row).and_then(|hash| hash.try_into().ok());
                        if !dead.contains(ordinal) {
                            numbers.insert(hash.or_broken("hash of content")?, number);
                        }
                    }
                    Ok(())
                };
                group_vectors(self, run, group, &[NUMBER, HASH], &mut pacer, read).await?;
                let bytes = (numbers.len() as u64).saturating_mul(ENTRY_BYTES);
                if self.reserve(&mut reservation, bytes).is_err() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Index::new(numbers, reservation)))
    }
}

/// What tells one state of the content from another.
fn content_runs(version: &Version) -> Vec<(RunId, u64)> {
    let runs = version.runs(TREE).iter();
    runs.map(|run| (run.id, run.deletion_vector.version))
        .collect()
}
