//! Finds rows by key: own writes and memtables first, then runs by range, filter, index and search.

use std::sync::Arc;

use varve_run::{GroupParts, GroupReader, KeyFilter, key_hash};
use varve_types::{Invariant, Pacer, VECTOR_ROWS};

use crate::error::Result;
use crate::memtable::MemtableSlot;
use crate::read::pages::PageSource;
use crate::read::run_cursor::ordinal;
use crate::read::{RunView, View};
use crate::write_set::{RowRef, WRITE_SET_SEQ};

/// Groups whose pages are read in one call.
const GROUPS_AT_ONCE: usize = 16;

/// A key that may be in a group: its number in the request, its hash, and the value by which its
/// row is kept apart, where the key has that.
#[derive(Clone, Copy)]
struct Probe {
    request: usize,
    hash: u64,
    place: Option<i64>,
}

/// A group of a run, and the keys that may be in it.
struct GroupSearch {
    slot: u32,
    group: usize,
    /// In the order of their keys.
    probes: Vec<Probe>,
    /// The filter was asked.
    is_filtered: bool,
}

impl View {
    /// For each key where its row is, if there is one.
    pub(crate) async fn locate(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<RowRef>>> {
        let mut found = self.locate_in_memory(keys);
        let mut searches = self.searches(keys, &found)?;
        if searches.is_empty() {
            return Ok(found);
        }
        let mut source = PageSource::new(&self.snapshot.store, self.id());
        let mut pacer = Pacer::new(&self.snapshot.store.env);
        for some in searches.chunks_mut(GROUPS_AT_ONCE) {
            loop {
                for search in some.iter_mut() {
                    pacer.pause().await;
                    self.search_group(search, keys, &mut source, &mut found)?;
                }
                if source.is_complete() {
                    break;
                }
                source.fetch().await?;
            }
            source.forget();
        }
        Ok(found)
    }

    /// The same for one key, or `None` when pages must be read first.
    pub(crate) fn locate_now(
        &self,
        key: Vec<u8>,
        source: &mut PageSource<'_>,
    ) -> Result<Option<Option<RowRef>>> {
        let keys = [key];
        let mut found = self.locate_in_memory(&keys);
        for search in &mut self.searches(&keys, &found)? {
            self.search_group(search, &keys, source, &mut found)?;
        }
        let found = found.pop().flatten();
        Ok((found.is_some() || source.is_complete()).then_some(found))
    }

    fn locate_in_memory(&self, keys: &[Vec<u8>]) -> Vec<Option<RowRef>> {
        let in_own = self.with_own_rows(|table| {
            let find = |key: &Vec<u8>| table.find(key, WRITE_SET_SEQ).map(RowRef::WriteSet);
            keys.iter().map(find).collect::<Vec<_>>()
        });
        let mut found = in_own.unwrap_or_else(|| vec![None; keys.len()]);
        for slot in MemtableSlot::ALL {
            self.with_memtable(slot, |table, dead| {
                for (key, found) in keys
                    .iter()
                    .zip(&mut found)
                    .filter(|(_, found)| found.is_none())
                {
                    *found = table
                        .find(key, self.snapshot.seq)
                        .filter(|version| !dead.is_some_and(|dead| dead.contains(*version)))
                        .map(|version| RowRef::Memtable { slot, version });
                }
            });
        }
        found
    }

    /// The groups in whose key ranges keys lie that were not found yet.
    fn searches(&self, keys: &[Vec<u8>], found: &[Option<RowRef>]) -> Result<Vec<GroupSearch>> {
        let open = found
            .iter()
            .enumerate()
            .filter(|(_, found)| found.is_none());
        let mut open: Vec<(&[u8], Probe)> = open
            .filter_map(|(request, _)| {
                let key = keys.get(request)?.as_slice();
                let probe = Probe {
                    request,
                    hash: key_hash(self.filter_key(key)),
                    place: self.tree.place_in_key(key),
                };
                Some((key, probe))
            })
            .collect();
        if !open.is_sorted_by_key(|(key, _)| *key) {
            varve_sort::sort_by_key(&mut open, |(key, _)| *key);
        }
        let mut searches = Vec::new();
        // What was written last is more likely to be asked for.
        let runs: Vec<(u32, &RunView)> = (0..).zip(&self.runs).collect();
        for (slot, run) in runs.into_iter().rev() {
            let head = run.run.head()?;
            let Some((first, last)) = head.key_range() else {
                continue;
            };
            let values = self.tree.values_of(head);
            let may_have = |probe: &Probe| {
                let end = probe.place.and_then(|place| place.checked_add(1));
                let range = probe.place.zip(end);
                range.is_none_or(|(place, end)| values.may_meet(&(place..end)))
            };
            let start = open.partition_point(|(key, _)| *key < first);
            let mut rest = open.get(start..).unwrap_or_default();
            while let Some((key, _)) = rest.first().filter(|(key, _)| *key <= last) {
                let group = head.first_group_from(key);
                let Some(info) = head.groups().get(group) else {
                    break;
                };
                let before = rest.partition_point(|(key, _)| *key < info.first_key.as_slice());
                let end = rest.partition_point(|(key, _)| *key <= info.last_key.as_slice());
                let within = rest.get(before..end).unwrap_or_default();
                let probes = within.iter().map(|(_, probe)| *probe).filter(may_have);
                let probes: Vec<Probe> = probes.collect();
                if !probes.is_empty() {
                    searches.push(GroupSearch {
                        slot,
                        group,
                        probes,
                        is_filtered: false,
                    });
                }
                rest = rest.get(end..).unwrap_or_default();
            }
        }
        Ok(searches)
    }

    /// The part of a key that filters hold.
    fn filter_key<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        let of_index = self.tree.index().and_then(|index| {
            let (_, bytes) = self.tree.key_values(key, index.own_columns)?;
            key.get(..bytes)
        });
        of_index.unwrap_or(key)
    }

    /// Looks for the keys of a search that were not found yet. Where pages are missing it notes
    /// them and goes no further.
    fn search_group(
        &self,
        search: &mut GroupSearch,
        keys: &[Vec<u8>],
        source: &mut PageSource<'_>,
        found: &mut [Option<RowRef>],
    ) -> Result<()> {
        let is_open = |probe: &Probe| found.get(probe.request).is_some_and(Option::is_none);
        search.probes.retain(is_open);
        if search.probes.is_empty() {
            return Ok(());
        }
        let run = self.run(search.slot)?;
        let head = run.run.head()?;
        let groups = &self.snapshot.store.groups;
        let parts = groups.parts(head, search.group);
        let parts = parts.map_err(|error| run.run.place_error(error))?;
        let hits = search.run(run, &parts, keys, source);
        groups.book(head.run(), search.group, &parts);
        for (request, ordinal) in hits? {
            if !run.is_dead(ordinal, self.snapshot.seq)
                && let Some(found) = found.get_mut(request)
            {
                let slot = search.slot;
                *found = Some(RowRef::Run { slot, ordinal });
            }
        }
        Ok(())
    }
}

impl GroupSearch {
    /// Whether the keys of all vectors in which these must be were decoded: to search them costs no
    /// more than to ask the filter.
    fn is_decoded(&self, parts: &GroupParts, keys: &[Vec<u8>]) -> bool {
        let Some(index) = parts.index() else {
            return false;
        };
        self.probes.iter().all(|probe| {
            let vector = keys
                .get(probe.request)
                .and_then(|key| index.vector_of_key(key));
            vector.is_none_or(|vector| parts.key_vector(vector).is_some())
        })
    }

    /// The ordinals of the keys that the group holds, dead or not. The filter is asked first, then
    /// the index, and only then are keys of the vectors decoded in which they must be.
    fn run(
        &mut self,
        run: &RunView,
        parts: &Arc<GroupParts>,
        keys: &[Vec<u8>],
        source: &mut PageSource<'_>,
    ) -> Result<Vec<(usize, u32)>> {
        let head = run.run.head()?;
        let index_value = head.index_value_for(self.group);
        let index_value = index_value.or_broken("index of a group")?;
        if !self.is_filtered && !self.is_decoded(parts, keys) {
            let is_known = self.ask_filter(run, parts, source)?;
            if !is_known {
                // Both are read in one call: keys are seldom looked up in vain.
                if parts.index().is_none() {
                    source.page(head.run(), index_value);
                }
                return Ok(Vec::new());
            }
        }
        if self.probes.is_empty() {
            return Ok(Vec::new());
        }
        if parts.index().is_none() {
            let Some(value) = source.page(head.run(), index_value) else {
                return Ok(Vec::new());
            };
            let index = parts.read_index(head, self.group, &value);
            index.map_err(|error| run.run.place_error(error))?;
        }
        self.look(run, parts, keys, source)
    }

    /// Leaves out the keys that the group's filter excludes; false where its page is missing.
    fn ask_filter(
        &mut self,
        run: &RunView,
        parts: &GroupParts,
        source: &mut PageSource<'_>,
    ) -> Result<bool> {
        let head = run.run.head()?;
        let Some(number) = head.filter_value_for(self.group) else {
            return Ok(true);
        };
        let value = match parts.filter() {
            Some(value) => value,
            None => match source.page(head.run(), number) {
                Some(value) => parts.keep_filter(&value),
                None => return Ok(false),
            },
        };
        let filter = KeyFilter::of_group(head, self.group, value);
        let filter = filter.map_err(|error| run.run.place_error(error))?;
        self.probes.retain(|probe| filter.may_contain(probe.hash));
        self.is_filtered = true;
        Ok(true)
    }

    /// Looks for the keys in the vectors in which they must be, and ends the search. Where pages
    /// are missing it finds nothing and goes on later.
    fn look(
        &mut self,
        run: &RunView,
        parts: &Arc<GroupParts>,
        keys: &[Vec<u8>],
        source: &mut PageSource<'_>,
    ) -> Result<Vec<(usize, u32)>> {
        let head = run.run.head()?;
        let place = |error| run.run.place_error(error);
        let index = parts.index().or_broken("index of a group")?;
        let info = head.groups().get(self.group);
        let first_row = info.map_or(0, |info| info.first_row);
        let mut reader: Option<GroupReader> = None;
        let mut hits = Vec::new();
        for probe in &self.probes {
            let Some(key) = keys.get(probe.request) else {
                continue;
            };
            let Some(vector) = index.vector_of_key(key) else {
                continue;
            };
            let found = match parts.key_vector(vector) {
                Some(keys) => keys.search(key),
                None => {
                    if reader.is_none() {
                        reader = source.reader(head, self.group, head.key_columns(), parts);
                    }
                    let Some(reader) = &reader else {
                        return Ok(Vec::new());
                    };
                    reader.key_vector(vector).map_err(place)?.search(key)
                }
            };
            if let Ok(position) = found {
                let row = (vector * VECTOR_ROWS) as u64 + u64::from(position);
                hits.push((probe.request, ordinal(first_row + row)?));
            }
        }
        self.probes.clear();
        Ok(hits)
    }
}
