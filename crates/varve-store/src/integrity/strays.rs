//! Which stored records nobody accounts for: what tests ask of a store.

use varve_kv::{KeyRange, Scan, ScanLimit};

use crate::error::Result;
use crate::format::keys;
use crate::store::{State, Store};

impl Store {
    /// Deletes what may be deleted, then names every stored record that neither manifest nor log
    /// accounts for. Nothing else may be under way: an intent that is being written would be named.
    pub async fn stray_records(&self) -> Result<Vec<String>> {
        {
            let _commit_lock = self.take_commit_lock().await;
            self.reap().await?;
        }
        let all = Scan::forward(KeyRange::all(), ScanLimit::NONE);
        let entries = self.kv.scan(&all).await?;
        let state = self.state();
        let expected = expected(&state);
        let is_stray = |key: &[u8]| !expected.iter().any(|range| range.contains(key));
        let strays = entries.iter().filter(|(key, _)| is_stray(key));
        Ok(strays.map(|(key, _)| keys::describe(key)).collect())
    }
}

fn expected(state: &State) -> Vec<KeyRange> {
    let manifest = &state.manifest;
    let mut ranges = vec![
        KeyRange::prefix(keys::epoch()),
        KeyRange::prefix(keys::manifest()),
        KeyRange::prefix(keys::manifest_copy()),
        KeyRange::prefix(keys::catalog(manifest.catalog_version)),
        KeyRange::prefix(keys::catalog_copy(manifest.catalog_version)),
        keys::log_after(manifest.flushed),
        keys::all_scratch(),
    ];
    for entry in &manifest.runs {
        let [head, _, values] = keys::all_of_run(entry.run);
        let deletion_vector = KeyRange::prefix(keys::deletion_vector(
            entry.run,
            entry.deletion_vector_version,
        ));
        ranges.extend([head, deletion_vector, values]);
    }
    for run in state.retired_runs() {
        ranges.extend(keys::all_of_run(run));
    }
    // A full storage, or a commit in doubt, may keep what is known to be garbage where it is.
    for orphan in state.orphans() {
        ranges.push(KeyRange::prefix(keys::intent(orphan.intent)));
        ranges.extend(orphan.runs.iter().flat_map(|run| keys::all_of_run(*run)));
    }
    ranges
}
