//! Values of runs, from the page cache or the backend.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varve_kv::Key;
use varve_run::{CheckedValue, GroupReader, RunHead};
use varve_types::{Error, Result, TreeId};

use crate::Store;
use crate::cache::PageId;
use crate::format::keys;
use crate::run::place_error;

/// Pages that a read has at hand.
pub(crate) type Pages = BTreeMap<PageId, CheckedValue>;

impl Store {
    /// Pages of runs of one tree; those not in the cache are read in one call and checked.
    pub(crate) async fn read_pages(&self, tree: TreeId, wanted: BTreeSet<PageId>) -> Result<Pages> {
        let wanted: Vec<PageId> = wanted.into_iter().collect();
        let mut pages = Pages::new();
        let mut missing = Vec::new();
        for (page, value) in wanted.iter().zip(self.cache.get_many(&wanted)) {
            match value {
                Some(value) => drop(pages.insert(*page, value)),
                None => missing.push(*page),
            }
        }
        if missing.is_empty() {
            return Ok(pages);
        }
        let key = |(run, number): &PageId| keys::run_value(*run, *number);
        let missing_keys: Vec<Key> = missing.iter().map(key).collect();
        let values = self.get_many(&missing_keys).await;
        let values = values.map_err(|error| place_error(tree, error))?;
        for ((run, number), value) in missing.into_iter().zip(values) {
            let value = value.ok_or_else(|| {
                let message = format!("page {number} of run {run} is missing");
                place_error(tree, Error::corrupted(message))
            })?;
            let value = CheckedValue::check(run, number, value)
                .map_err(|error| place_error(tree, error.into()))?;
            self.cache.put((run, number), &value);
            pages.insert((run, number), value);
        }
        Ok(pages)
    }
}

/// The pages of some columns of a group. Without columns there are none.
pub(crate) fn column_pages(head: &RunHead, group: usize, columns: &[usize]) -> BTreeSet<PageId> {
    let values = head.values_for(group, columns);
    values
        .into_iter()
        .map(|number| (head.run(), number))
        .collect()
}

/// A reader of a group over the pages at hand.
pub(crate) fn group_reader(
    head: &Arc<RunHead>,
    group: usize,
    pages: &Pages,
) -> Result<GroupReader> {
    let of_run = pages.range((head.run(), 0)..=(head.run(), u32::MAX));
    let values = of_run.map(|(_, value)| value.clone()).collect();
    Ok(GroupReader::new(Arc::clone(head), group, values)?)
}
