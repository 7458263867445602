//! Whether an index is unique, as one transaction sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use varve_run::{KeyFilter, key_hash};
use varve_types::{Batch, CommitSeq, Invariant, KeyRange, ScanSpec, TreeId, key_prefix_end};

use crate::error::{Result, StoreError};
use crate::format::row::entry_is_deleted;
use crate::memtable::{MemtableSlot, RowTable};
use crate::read::View;
use crate::transaction::Transaction;
use crate::transaction::index::no_index;
use crate::tree::Tree;
use crate::write_set::WRITE_SET_SEQ;
use crate::{InsertError, TreeScan};

impl Transaction {
    /// Checks the keys of entries that were added by this statement, after its last write: no other
    /// entry that the transaction sees may have one of them. An index that need not be unique
    /// passes.
    pub async fn index_check_unique(
        &self,
        tree: TreeId,
        entries: &Batch,
    ) -> Result<(), InsertError> {
        let view = self.view(tree).await?;
        let columns = (0..entries.width()).filter_map(|at| entries.column(at));
        let columns: Vec<_> = columns.collect();
        let mut prefixes = BTreeSet::new();
        let mut key = Vec::new();
        for row in 0..entries.rows() {
            key.clear();
            view.tree.put_key(&columns, row, &mut key);
            if let Some(prefix) = view.tree.conflict_key(&key, &[]) {
                prefixes.insert(prefix.to_vec());
            }
        }
        let mut single = Vec::new();
        let mut doubtful = Vec::new();
        for prefix in prefixes {
            let own = view
                .with_own_rows(|own| entries_of(own, &prefix, WRITE_SET_SEQ))
                .unwrap_or_default();
            let seq = self.snapshot.seq;
            let has_others = MemtableSlot::ALL.into_iter().any(|slot| {
                let others = view.with_memtable(slot, |table, _| entries_of(table, &prefix, seq));
                others.unwrap_or_default().0 > 0
            });
            match own.1 {
                0 | 1 if has_others || own.1 == 0 => doubtful.push(prefix),
                1 => single.push(prefix),
                _ => return Err(duplicate(&view.tree, &prefix)),
            }
        }
        doubtful.extend(in_runs(&view, single).await?);
        for prefix in doubtful {
            if self.has_two(tree, &prefix).await? {
                return Err(duplicate(&view.tree, &prefix));
            }
        }
        Ok(())
    }

    /// Checks all entries of an index.
    pub async fn index_check_all_unique(&self, tree: TreeId) -> Result<(), InsertError> {
        let view = self.view(tree).await?;
        let shape = Arc::clone(&view.tree);
        let key_columns = shape.key().to_vec();
        let mut scan = self
            .entries(tree, key_columns, KeyRange::default(), None)
            .await?;
        let mut before: Option<Vec<u8>> = None;
        let mut key = Vec::new();
        while let Some(batch) = scan.next_batch().await? {
            let columns = (0..batch.width()).filter_map(|at| batch.column(at));
            let columns: Vec<_> = columns.collect();
            for row in 0..batch.rows() {
                key.clear();
                shape.put_key_of(&columns, row, &mut key);
                let prefix = shape.conflict_key(&key, &[]);
                if prefix.is_some() && prefix == before.as_deref() {
                    return Err(duplicate(&shape, prefix.unwrap_or_default()));
                }
                before = prefix.map(<[u8]>::to_vec);
            }
        }
        Ok(())
    }

    async fn has_two(&self, tree: TreeId, prefix: &[u8]) -> Result<bool> {
        let range = KeyRange::prefix(prefix.to_vec());
        let mut scan = self.entries(tree, vec![0], range, Some(2)).await?;
        let mut rows = 0;
        while rows < 2
            && let Some(batch) = scan.next_batch().await?
        {
            rows += batch.rows();
        }
        Ok(rows > 1)
    }

    /// Entries in the order of their keys.
    async fn entries(
        &self,
        tree: TreeId,
        columns: Vec<usize>,
        range: KeyRange,
        limit_rows: Option<u64>,
    ) -> Result<TreeScan> {
        let spec = ScanSpec {
            range,
            ordered: true,
            limit_rows,
            ..ScanSpec::of(tree, columns)
        };
        TreeScan::new(self.view(tree).await?, spec)
    }
}

/// How many entries of a table begin with a prefix, and how many of them were not deleted; counted
/// up to two.
fn entries_of(table: &RowTable, prefix: &[u8], seq: CommitSeq) -> (usize, usize) {
    let entries = table.ascend(Bound::Excluded(prefix), seq);
    let entries = entries.take_while(|(key, _)| key.starts_with(prefix));
    let (mut all, mut living) = (0, 0);
    for (_, version) in entries {
        all += 1;
        living += usize::from(!table.row(version).is_none_or(entry_is_deleted));
        if living == 2 {
            break;
        }
    }
    (all, living)
}

/// Those of the prefixes with which keys of runs may begin.
async fn in_runs(view: &View, prefixes: Vec<Vec<u8>>) -> Result<BTreeSet<Vec<u8>>> {
    let mut found = BTreeSet::new();
    for run in &view.runs {
        let head = run.run.head()?;
        let mut filtered: BTreeMap<usize, Vec<&Vec<u8>>> = BTreeMap::new();
        for prefix in &prefixes {
            let group = head.first_group_from(prefix);
            let end = key_prefix_end(prefix);
            let reached = |group: usize| {
                let info = head.groups().get(group);
                info.is_some_and(|info| end.as_ref().is_none_or(|end| info.first_key < *end))
            };
            if reached(group + 1) {
                found.insert(prefix.clone());
            } else if reached(group) {
                match head.filter_value_for(group) {
                    Some(_) => filtered.entry(group).or_default().push(prefix),
                    None => drop(found.insert(prefix.clone())),
                }
            }
        }
        let page = |group: &usize| {
            let number = head.filter_value_for(*group);
            Ok::<_, StoreError>((head.run(), number.or_broken("filter of a group")?))
        };
        let wanted = filtered.keys().map(page).collect::<Result<_>>()?;
        let pages = view.snapshot.store.read_pages(view.id(), wanted).await?;
        for (group, prefixes) in filtered {
            let value = pages.get(&page(&group)?);
            let value = value.ok_or_else(|| StoreError::internal("page not at hand"))?;
            let filter = KeyFilter::of_group(head, group, value);
            let filter = filter.map_err(|error| run.run.place_error(error))?;
            let hit = |prefix: &&&Vec<u8>| filter.may_contain(key_hash(prefix));
            found.extend(prefixes.iter().filter(hit).map(|prefix| (*prefix).clone()));
        }
    }
    Ok(found)
}

fn duplicate(tree: &Tree, prefix: &[u8]) -> InsertError {
    let Some(index) = tree.index() else {
        return no_index(tree).into();
    };
    let key = tree.key_values(prefix, index.own_columns);
    InsertError::Duplicate {
        index: Some(tree.schema().tree),
        key: key.map(|(values, _)| values).unwrap_or_default(),
    }
}
