//! Values of runs, from the page cache or the backend.

use std::sync::Arc;

use varve_kv::Key;
use varve_run::{CheckedValue, GroupParts, GroupReader, RunHead};
use varve_sort::{VecMap, VecSet};
use varve_types::{RunId, TreeId};

use crate::cache::PageId;
use crate::error::{Result, StoreError};
use crate::format::keys;
use crate::run::{Run, place_error};
use crate::store::Store;

/// Pages that a read has at hand.
pub(crate) type Pages = VecMap<PageId, CheckedValue>;

impl Store {
    /// Pages of runs of one tree; those not in the cache are read in one call and checked.
    pub(crate) async fn read_pages(&self, tree: TreeId, wanted: VecSet<PageId>) -> Result<Pages> {
        let wanted: Vec<PageId> = wanted.into_iter().collect();
        let mut pages = Pages::new();
        let mut missing = Vec::new();
        for (page, value) in wanted.iter().zip(self.cache.get_many(&wanted)) {
            match value {
                Some(value) => drop(pages.insert(*page, value)),
                None => missing.push(*page),
            }
        }
        if !missing.is_empty() {
            self.fetch_pages(tree, missing, &mut pages).await?;
        }
        Ok(pages)
    }

    /// The pages of some columns of a group, past the page cache: they are read once.
    pub(crate) async fn read_values(
        &self,
        run: &Run,
        head: &RunHead,
        group: usize,
        positions: &[usize],
    ) -> Result<Vec<CheckedValue>> {
        let wanted = column_pages(head, group, positions).into_iter().collect();
        let mut pages = Pages::new();
        self.read_checked(run.tree, wanted, &mut |page, value| {
            pages.insert(page, value);
        })
        .await?;
        Ok(pages.into_values().collect())
    }

    /// Pages that are not in the cache, read in one call and checked.
    async fn fetch_pages(
        &self,
        tree: TreeId,
        missing: Vec<PageId>,
        pages: &mut Pages,
    ) -> Result<()> {
        self.read_checked(tree, missing, &mut |page, value| {
            self.cache.put(page, &value);
            pages.insert(page, value);
        })
        .await
    }

    /// Pages from the backend, read in one call and checked.
    async fn read_checked(
        &self,
        tree: TreeId,
        wanted: Vec<PageId>,
        take: &mut dyn FnMut(PageId, CheckedValue),
    ) -> Result<()> {
        let key = |(run, number): &PageId| keys::run_value(*run, *number);
        let wanted_keys: Vec<Key> = wanted.iter().map(key).collect();
        let values = self.get_many(&wanted_keys).await;
        let values = values.map_err(|error| place_error(tree, error))?;
        for ((run, number), value) in wanted.into_iter().zip(values) {
            let value = value.ok_or_else(|| {
                let message = format!("page {number} of run {run} is missing");
                place_error(tree, StoreError::corrupted(message))
            })?;
            let value = CheckedValue::check(run, number, value)
                .map_err(|error| place_error(tree, error.into()))?;
            take((run, number), value);
        }
        Ok(())
    }

    /// A reader of a group that shares what others made of its pages. [`Store::book`] follows once
    /// it was used.
    pub(crate) fn shared_reader(
        &self,
        head: &Arc<RunHead>,
        group: usize,
        values: Vec<CheckedValue>,
    ) -> Result<GroupReader> {
        let parts = self.groups.parts(head, group)?;
        let head = Arc::clone(head);
        Ok(GroupReader::sharing(head, group, values, parts))
    }

    /// Books what a reader made of its pages.
    pub(crate) fn book(&self, reader: &GroupReader) {
        self.groups
            .book(reader.head().run(), reader.group(), reader.parts());
    }
}

/// The pages that one read needs: what is at hand is used at once, the rest is noted, and read in
/// one call when the reader has gone as far as it could.
pub(crate) struct PageSource<'a> {
    store: &'a Store,
    tree: TreeId,
    /// What was read for this source; the cache may have had no room for it.
    fetched: Pages,
    missing: VecSet<PageId>,
}

impl<'a> PageSource<'a> {
    pub(crate) fn new(store: &'a Store, tree: TreeId) -> PageSource<'a> {
        PageSource {
            store,
            tree,
            fetched: Pages::new(),
            missing: VecSet::new(),
        }
    }

    /// A page, or `None` when it must be read first.
    pub(crate) fn page(&mut self, run: RunId, number: u32) -> Option<CheckedValue> {
        let page = (run, number);
        if let Some(value) = self.fetched.get(&page) {
            return Some(value.clone());
        }
        let value = self.store.cache.get(page);
        if value.is_none() {
            self.missing.insert(page);
        }
        value
    }

    /// A reader of some columns of a group, or `None` when pages must be read first.
    pub(crate) fn reader(
        &mut self,
        head: &Arc<RunHead>,
        group: usize,
        columns: &[usize],
        parts: &Arc<GroupParts>,
    ) -> Option<GroupReader> {
        let numbers = head.values_for(group, columns);
        let mut values = Vec::with_capacity(numbers.len());
        for number in &numbers {
            values.extend(self.page(head.run(), *number));
        }
        let (head, parts) = (Arc::clone(head), Arc::clone(parts));
        (values.len() == numbers.len()).then(|| GroupReader::sharing(head, group, values, parts))
    }

    /// Whether everything asked for was at hand.
    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Reads what was missing.
    pub(crate) async fn fetch(&mut self) -> Result<()> {
        let missing = core::mem::take(&mut self.missing).into_iter().collect();
        let store = self.store;
        store
            .fetch_pages(self.tree, missing, &mut self.fetched)
            .await
    }

    /// Lets go of what was read; the cache may still have it.
    pub(crate) fn forget(&mut self) {
        self.fetched.clear();
    }
}

/// The pages of some columns of a group. Without columns there are none.
pub(crate) fn column_pages(head: &RunHead, group: usize, columns: &[usize]) -> VecSet<PageId> {
    let values = head.values_for(group, columns);
    values
        .into_iter()
        .map(|number| (head.run(), number))
        .collect()
}

/// A reader of a group over the pages at hand.
pub(crate) fn group_reader(
    store: &Store,
    head: &Arc<RunHead>,
    group: usize,
    pages: &Pages,
) -> Result<GroupReader> {
    let from = pages.range_from(&(head.run(), 0));
    let of_run = from.take_while(|((run, _), _)| *run == head.run());
    let values = of_run.map(|(_, value)| value.clone()).collect();
    store.shared_reader(head, group, values)
}
