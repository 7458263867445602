//! Finds rows by key: own writes and memtable first, then runs by range, index, filter and search.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varve_run::{GroupIndex, GroupReader, KeyFilter, RunHead, key_hash};
use varve_types::{Column, Error, Result};

use crate::pacer::Pacer;
use crate::read::pages::{column_pages, group_reader};
use crate::read::run_cursor::ordinal;
use crate::read::view::OWN_SEQ;
use crate::read::{RowRef, RunView, View};

/// Groups whose pages are read in one call.
const GROUPS_AT_ONCE: usize = 16;

/// Keys still to be found, by their number in the request.
type Wanted<'a> = Vec<(usize, &'a [u8])>;

impl View {
    /// For each key where its row is, if there is one.
    pub(crate) async fn locate(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<RowRef>>> {
        let mut found = self.locate_in_memory(keys);
        let mut pacer = Pacer::new(&self.snapshot.store.env);
        for (run, slot) in self.runs.iter().zip(0..) {
            let head = run.run.head()?;
            let Some((first, last)) = head.key_range() else {
                continue;
            };
            let open = keys.iter().zip(&found).enumerate();
            let mut groups: BTreeMap<usize, Wanted<'_>> = BTreeMap::new();
            for (i, (key, found)) in open {
                if found.is_none()
                    && first <= key.as_slice()
                    && key.as_slice() <= last
                    && let Some(group) = head.group_of_key(key)
                {
                    groups.entry(group).or_default().push((i, key));
                }
            }
            let groups: Vec<(usize, Wanted<'_>)> = groups.into_iter().collect();
            for some in groups.chunks(GROUPS_AT_ONCE) {
                for (i, ordinal) in self.search_groups(run, head, some, &mut pacer).await? {
                    if !run.is_dead(ordinal, self.snapshot.seq)
                        && let Some(found) = found.get_mut(i)
                    {
                        *found = Some(RowRef::Run { slot, ordinal });
                    }
                }
            }
        }
        Ok(found)
    }

    fn locate_in_memory(&self, keys: &[Vec<u8>]) -> Vec<Option<RowRef>> {
        let in_own = self.with_own(|table| {
            let find = |key: &Vec<u8>| table.find(key, OWN_SEQ).map(RowRef::Own);
            keys.iter().map(find).collect::<Vec<_>>()
        });
        let mut found = in_own.unwrap_or_else(|| vec![None; keys.len()]);
        self.with_memtable(|table, dead| {
            for (key, found) in keys
                .iter()
                .zip(&mut found)
                .filter(|(_, found)| found.is_none())
            {
                *found = table
                    .find(key, self.snapshot.seq)
                    .filter(|version| !dead.is_some_and(|dead| dead.contains(*version)))
                    .map(RowRef::Memtable);
            }
        });
        found
    }

    /// The ordinals of the keys that these groups of a run hold, dead or not.
    async fn search_groups(
        &self,
        run: &RunView,
        head: &Arc<RunHead>,
        groups: &[(usize, Wanted<'_>)],
        pacer: &mut Pacer,
    ) -> Result<Vec<(usize, u32)>> {
        let store = &self.snapshot.store;
        let place = |error| run.run.place_error(error);
        let mut wanted = BTreeSet::new();
        for (group, _) in groups {
            let index = head.index_value_for(*group);
            let filter = head.filter_value_for(*group);
            wanted.extend(
                index
                    .into_iter()
                    .chain(filter)
                    .map(|number| (head.run(), number)),
            );
        }
        let pages = store.read_pages(self.id(), wanted).await?;
        let page = |number: Option<u32>| {
            let page = pages.get(&(head.run(), number.unwrap_or(u32::MAX)));
            page.ok_or_else(|| Error::internal("page not at hand"))
        };
        // By group the vectors in which keys may be.
        let mut candidates: Vec<(usize, BTreeMap<usize, Wanted<'_>>)> = Vec::new();
        let mut wanted = BTreeSet::new();
        for (group, keys) in groups {
            let mut keys: Wanted<'_> = keys.clone();
            if let Some(number) = head.filter_value_for(*group) {
                let value = page(Some(number))?;
                let filter = KeyFilter::of_group(head, *group, value).map_err(place)?;
                keys.retain(|(_, key)| filter.may_contain(key_hash(key)));
            }
            if keys.is_empty() {
                continue;
            }
            let value = page(head.index_value_for(*group))?;
            let index = GroupIndex::decode(head, *group, value).map_err(place)?;
            let mut vectors: BTreeMap<usize, Wanted<'_>> = BTreeMap::new();
            for (i, key) in keys {
                if let Some(vector) = index.vector_of_key(key) {
                    vectors.entry(vector).or_default().push((i, key));
                }
            }
            wanted.append(&mut column_pages(head, *group, head.key_columns()));
            candidates.push((*group, vectors));
        }
        let pages = store.read_pages(self.id(), wanted).await?;
        let mut found = Vec::new();
        for (group, vectors) in candidates {
            let reader = group_reader(head, group, &pages)?;
            let first_row = head.groups().get(group).map_or(0, |info| info.first_row);
            for (vector, keys) in vectors {
                pacer.pause().await;
                let before = first_row + (vector * varve_types::VECTOR_ROWS) as u64;
                let rows = search_vector(&reader, head, vector, &keys).map_err(place)?;
                for (i, row) in rows {
                    found.push((i, ordinal(before + row as u64)?));
                }
            }
        }
        Ok(found)
    }
}

/// The rows of a vector that have these keys. The key columns are decoded once for all of them.
fn search_vector(
    reader: &GroupReader,
    head: &RunHead,
    vector: usize,
    keys: &[(usize, &[u8])],
) -> Result<Vec<(usize, usize)>, varve_run::RunError> {
    let columns: Vec<Column> = head
        .key_columns()
        .iter()
        .map(|column| reader.column(*column, vector))
        .collect::<Result<_, _>>()?;
    let rows = columns.first().map_or(0, Column::len);
    let mut found = Vec::new();
    let mut row_key = Vec::new();
    for (i, key) in keys {
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low + (high - low) / 2;
            row_key.clear();
            head.put_key(&columns, middle, &mut row_key);
            match row_key.as_slice().cmp(key) {
                core::cmp::Ordering::Less => low = middle + 1,
                core::cmp::Ordering::Greater => high = middle,
                core::cmp::Ordering::Equal => {
                    found.push((*i, middle));
                    break;
                }
            }
        }
    }
    Ok(found)
}
