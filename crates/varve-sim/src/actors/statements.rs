//! The statements of one transaction, carried out on the store and on the model.

use std::collections::BTreeSet;
use std::sync::Arc;

use varve_store::{InsertError, RowLockKind, SavepointId, Transaction};
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, RowPosition, TreeId, Value};

use crate::chance::Chance;
use crate::data::{
    JOURNAL, KEYS_PER_TOKEN, KINDS, Kind, PARTITION_WIDTH, Row, batch, journal_key, key_of,
    scan_where, schema,
};
use crate::failure::{Outcome, broken};
use crate::index::Index;
use crate::ledger::{RowLocks, Token};
use crate::model::{Delta, Model, Rows, Tree};

/// Keys of keyed trees, for which transactions compete, lie below this.
const KEYS: i64 = 120;
const TREES_MAX: usize = 6;
pub(crate) const INDEXES_MAX: usize = 5;

pub(crate) struct Statements {
    pub(crate) transaction: Transaction,
    /// What the transaction must read.
    pub(crate) model: Model,
    /// What it read at its begin.
    snapshot: Model,
    pub(crate) delta: Delta,
    pub(crate) row_locks: RowLocks,
    /// A statement failed, as it should.
    pub(crate) must_roll_back: bool,
    /// A key is there twice, which the commit must find.
    pub(crate) has_twins: bool,
    /// Whether some rows are large.
    is_large: bool,
    pub(crate) token: Token,
    next_key: i64,
}

/// What was so at a savepoint.
pub(crate) struct Saved {
    pub(crate) savepoint: SavepointId,
    model: Model,
    delta: Delta,
}

impl Statements {
    pub(crate) fn new(
        transaction: Transaction,
        model: Model,
        token: Token,
        is_large: bool,
    ) -> Statements {
        Statements {
            transaction,
            snapshot: model.clone(),
            model,
            delta: Delta::default(),
            row_locks: RowLocks::new(),
            must_roll_back: false,
            has_twins: false,
            is_large,
            token,
            next_key: journal_key(token + 1),
        }
    }

    pub(crate) async fn add_to_journal(&mut self) -> Outcome<()> {
        let row = Row {
            k: journal_key(self.token),
            t: None,
            n: 0,
        };
        self.insert_rows(JOURNAL, vec![row]).await
    }

    /// One statement; answers what it did.
    pub(crate) async fn run_one(&mut self, chance: &mut Chance) -> Outcome<String> {
        let all = self.model.trees.keys().filter(|tree| **tree != JOURNAL);
        let all: Vec<TreeId> = all.copied().collect();
        let Some(tree) = chance.pick(&all).copied() else {
            return self.create_tree(chance);
        };
        if chance.one_in(20) {
            return self.delete(JOURNAL, chance).await;
        }
        match chance.below(31) {
            0..10 => self.insert(tree, chance).await,
            10..15 => self.update(tree, chance).await,
            15..20 => self.delete(tree, chance).await,
            20 => self.insert_twice(tree, chance).await,
            21..23 => self.insert_deferred(tree, chance).await,
            23..26 => self.lock_rows(tree, chance).await,
            26 => self.create_index(tree, chance).await,
            27 => self.drop_index(chance),
            28 if all.len() < TREES_MAX => self.create_tree(chance),
            29 => self.write_anew(tree, chance).await,
            _ if all.len() > 2 => self.drop_tree(tree),
            _ => self.insert(tree, chance).await,
        }
    }

    /// A point to come back to.
    pub(crate) fn save(&mut self) -> Saved {
        Saved {
            savepoint: self.transaction.savepoint(),
            model: self.model.clone(),
            delta: self.delta.clone(),
        }
    }

    pub(crate) fn come_back(&mut self, saved: Saved) -> Outcome<()> {
        self.transaction.rollback_to(saved.savepoint)?;
        self.model = saved.model;
        self.delta = saved.delta;
        self.must_roll_back = false;
        self.has_twins = false;
        Ok(())
    }

    async fn insert(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let kind = self.kind(tree)?;
        let count = match chance.below(12) {
            // So many that a run of them has more than one vector.
            0 if kind == Kind::Framed && chance.one_in(2) => chance.between(1030, 1100),
            0 => chance.between(40, 90),
            1..4 => chance.between(5, 30),
            _ => chance.between(1, 4),
        };
        let mut taken: BTreeSet<i64> = self.tree(tree)?.rows.keys().copied().collect();
        let mut rows = Vec::new();
        for _ in 0..count {
            let k = self.free_key(kind, &taken, chance);
            if taken.insert(k) {
                rows.push(self.row(kind, k, chance));
            }
        }
        let what = format!("inserts {} rows into {tree}", rows.len());
        self.insert_rows(tree, rows).await?;
        Ok(what)
    }

    /// A key that no row of the tree has; of a crowded tree, sometimes one that a row does have.
    fn free_key(&mut self, kind: Kind, taken: &BTreeSet<i64>, chance: &mut Chance) -> i64 {
        if kind == Kind::Keyed {
            let from = chance.between(0, KEYS);
            let above = (from..KEYS).find(|k| !taken.contains(k));
            if let Some(k) = above {
                return k;
            }
        }
        self.next_key += 1;
        self.next_key
    }

    async fn insert_rows(&mut self, tree: TreeId, rows: Vec<Row>) -> Outcome<()> {
        if let Err(error) = self.transaction.insert(tree, &batch(&rows)).await {
            return refuse(tree, error);
        }
        for row in &rows {
            self.put(tree, row.clone());
        }
        self.maintain(tree, &[], &rows).await
    }

    /// Does to the indexes of a tree what was done to its rows.
    async fn maintain(&mut self, tree: TreeId, gone: &[Row], new: &[Row]) -> Outcome<()> {
        let indexes: Vec<_> = self.model.indexes_of(tree).collect();
        for (id, index) in indexes {
            self.transaction
                .index_delete(id, &index.entries(gone))
                .await?;
            let entries = index.entries(new);
            self.transaction.index_insert(id, &entries).await?;
            let answer = self.transaction.index_check_unique(id, &entries).await;
            if self.is_duplicate(index, answer)? {
                self.must_roll_back = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a check answered that an index is not unique, which the model must say too.
    pub(crate) fn is_duplicate(
        &self,
        index: Index,
        answer: Result<(), InsertError>,
    ) -> Outcome<bool> {
        let is_violated = index.is_violated(self.tree(index.of)?.rows.values());
        match answer {
            Err(InsertError::Other(error)) => Err(error.into()),
            Err(InsertError::Duplicate { .. }) if is_violated => Ok(true),
            // An index that is being built need not know all rows.
            Ok(()) if !is_violated || !index.is_valid => Ok(false),
            answer => broken(format!("unique {index:?}: {answer:?}")),
        }
    }

    /// A second row with the key of another, which is then deleted, found at once, or found by the
    /// commit.
    async fn insert_deferred(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let kind = self.kind(tree)?;
        let rows: Vec<&Row> = self.tree(tree)?.rows.values().collect();
        let old = chance.pick(&rows).map(|row| Row::clone(row));
        let Some(old) = old.filter(|_| kind.has_key()) else {
            return Ok(format!("defers nothing in {tree}"));
        };
        let new = Row {
            n: old.n ^ 1,
            ..old.clone()
        };
        let twin = batch(core::slice::from_ref(&new));
        if let Err(error) = self.transaction.insert_deferred(tree, &twin).await {
            return refuse(tree, error);
        }
        let twins = self.rows_between(tree, old.k, old.k).await?;
        if twins.len() != 2 {
            return broken(format!("{} of two rows {} of {tree}", twins.len(), old.k));
        }
        match chance.below(4) {
            0 => {
                self.has_twins = true;
                return Ok(format!("leaves twins in {tree}"));
            }
            1 => {
                self.must_roll_back = true;
                return match self.transaction.check_deferred().await {
                    Err(InsertError::Duplicate { .. }) => Ok(format!("finds twins in {tree}")),
                    Err(InsertError::Other(error)) => Err(error.into()),
                    Ok(()) => broken(format!("twins in {tree} are not found")),
                };
            }
            _ => {}
        }
        let doomed = twins.iter().filter(|(row, _)| *row == old);
        let doomed: Vec<RowPosition> = doomed.map(|(_, at)| *at).collect();
        self.transaction.delete(tree, &doomed).await?;
        self.put(tree, new.clone());
        self.maintain(tree, &[old], &[new]).await?;
        if chance.one_in(2)
            && let Err(error) = self.transaction.check_deferred().await
        {
            return refuse(tree, error);
        }
        Ok(format!("replaces a row of {tree} by its twin"))
    }

    /// Relies on rows, by position or by key.
    async fn lock_rows(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let found = self.some_rows(tree, chance).await?;
        let kind = match chance.one_in(3) {
            true => RowLockKind::Update,
            false => RowLockKind::Share,
        };
        let shape = self.kind(tree)?;
        let keys = found.iter().map(|(row, _)| key_of(shape, row));
        let keys: Option<Vec<Vec<Value>>> = keys.collect();
        match keys.filter(|_| chance.one_in(2)) {
            Some(keys) => {
                let are_there = self.transaction.lock_keys(tree, &keys, kind).await?;
                if are_there.contains(&false) {
                    return broken(format!("a row of {tree} is not there to be locked"));
                }
            }
            None => {
                let positions: Vec<RowPosition> = found.iter().map(|(_, at)| *at).collect();
                self.transaction.lock_rows(tree, &positions, kind).await?;
            }
        }
        let own = self.delta.rows.get(&tree);
        for (row, _) in &found {
            if !own.is_some_and(|own| own.contains_key(&row.k)) {
                let locked = self.row_locks.entry((tree, row.k)).or_insert(kind);
                *locked = kind.max(*locked);
            }
        }
        Ok(format!("locks {} rows of {tree}: {kind:?}", found.len()))
    }

    /// An index with all of its entries at once.
    async fn create_index(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        if self.model.indexes.len() >= INDEXES_MAX {
            return self.drop_index(chance);
        }
        let id = self.transaction.new_tree_id();
        let index = Index::any(tree, true, chance);
        self.transaction.create_tree(index.schema(id))?;
        self.set_index(id, Some(index));
        let entries = index.entries(self.tree(tree)?.rows.values());
        self.transaction.index_insert(id, &entries).await?;
        let answer = match chance.one_in(2) {
            true => self.transaction.index_check_all_unique(id).await,
            false => self.transaction.index_check_unique(id, &entries).await,
        };
        self.must_roll_back = self.is_duplicate(index, answer)?;
        Ok(format!("creates {id}: {index:?}"))
    }

    fn drop_index(&mut self, chance: &mut Chance) -> Outcome<String> {
        let all: Vec<TreeId> = self.model.indexes.keys().copied().collect();
        let Some(id) = chance.pick(&all).copied() else {
            return Ok("finds no index".to_owned());
        };
        self.transaction.drop_tree(id)?;
        self.set_index(id, None);
        Ok(format!("drops index {id}"))
    }

    pub(crate) fn set_index(&mut self, id: TreeId, index: Option<Index>) {
        match index {
            Some(index) => self.model.indexes.insert(id, index),
            None => self.model.indexes.remove(&id),
        };
        self.delta.indexes.insert(id, index);
    }

    fn row(&self, kind: Kind, k: i64, chance: &mut Chance) -> Row {
        let mut row = row(kind, k, chance);
        if self.is_large && kind != Kind::ByText && chance.one_in(6) {
            let number = chance.next_u64();
            let text = (0..chance.between(200, 1500)).map(|at| format!("{:x} {at:40}", number));
            row.t = Some(text.collect::<String>().into());
        }
        row
    }

    async fn insert_twice(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let kind = self.kind(tree)?;
        let rows: Vec<&Row> = self.tree(tree)?.rows.values().collect();
        let Some(again) = chance.pick(&rows).map(|row| Row::clone(row)) else {
            return Ok(format!("finds {tree} empty"));
        };
        if !kind.has_key() {
            return Ok(format!("leaves {tree} alone"));
        }
        self.must_roll_back = true;
        match self.transaction.insert(tree, &batch(&[again])).await {
            Err(InsertError::Duplicate { .. }) => Ok(format!("inserts a row of {tree} twice")),
            Err(InsertError::Other(error)) => Err(error.into()),
            Ok(()) => broken(format!("a key of {tree} was inserted twice")),
        }
    }

    async fn update(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let kind = self.kind(tree)?;
        let found = self.some_rows(tree, chance).await?;
        let mut taken: BTreeSet<i64> = self.tree(tree)?.rows.keys().copied().collect();
        let mut new = Vec::new();
        for (old, _) in &found {
            let mut row = self.row(kind, old.k, chance);
            if kind == Kind::Keyed && chance.one_in(4) {
                row.k = self.free_key(kind, &taken, chance);
                taken.insert(row.k);
            }
            new.push(row);
        }
        if found.is_empty() {
            return Ok(format!("finds nothing to update in {tree}"));
        }
        let positions: Vec<RowPosition> = found.iter().map(|(_, at)| *at).collect();
        let batches = [batch(&new)];
        if let Err(error) = self.transaction.update(tree, &positions, &batches).await {
            return refuse(tree, error);
        }
        for (old, _) in &found {
            self.remove(tree, old.k);
        }
        for row in &new {
            self.put(tree, row.clone());
        }
        let old: Vec<Row> = found.iter().map(|(row, _)| row.clone()).collect();
        self.maintain(tree, &old, &new).await?;
        Ok(format!("updates {} rows of {tree}", found.len()))
    }

    async fn delete(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let is_plain = !self.kind(tree)?.has_key();
        if is_plain && self.model.indexes_of(tree).next().is_none() && chance.one_in(2) {
            return self.delete_range(tree, chance).await;
        }
        let found = self.some_rows(tree, chance).await?;
        let positions: Vec<RowPosition> = found.iter().map(|(_, at)| *at).collect();
        self.transaction.delete(tree, &positions).await?;
        for (row, _) in &found {
            self.remove(tree, row.k);
        }
        let old: Vec<Row> = found.iter().map(|(row, _)| row.clone()).collect();
        self.maintain(tree, &old, &[]).await?;
        Ok(format!("deletes {} rows of {tree}", found.len()))
    }

    /// All rows with numbers of a range, which may be that of a partition.
    async fn delete_range(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let from = PARTITION_WIDTH * chance.between(0, 4);
        let more = match chance.below(3) {
            0 => chance.between(0, 300),
            _ => 0,
        };
        let range = from..from + PARTITION_WIDTH + more;
        let rows = self.tree(tree)?.rows.values();
        let doomed = rows.filter(|row| range.contains(&row.n.into()));
        let doomed: Vec<i64> = doomed.map(|row| row.k).collect();
        let gone = self.transaction.delete_range(tree, range.clone()).await?;
        if gone != doomed.len() as u64 {
            return broken(format!(
                "{range:?} of tree {tree}: {gone} rows were deleted"
            ));
        }
        for k in doomed {
            self.remove(tree, k);
        }
        Ok(format!("deletes numbers {range:?} of {tree}: {gone} rows"))
    }

    /// Rows of a range, as the store finds them.
    async fn some_rows(
        &self,
        tree: TreeId,
        chance: &mut Chance,
    ) -> Outcome<Vec<(Row, RowPosition)>> {
        let rows: &Rows = &self.tree(tree)?.rows;
        let is_token = |k: &i64| tree == JOURNAL && k % KEYS_PER_TOKEN == 0;
        let keys: Vec<i64> = rows.keys().copied().filter(|k| !is_token(k)).collect();
        let Some(from) = chance.pick(&keys).copied() else {
            return Ok(Vec::new());
        };
        let end = match tree {
            JOURNAL => journal_key(from / KEYS_PER_TOKEN + 1),
            _ => i64::MAX,
        };
        let some = match chance.below(10) {
            0 => keys.len(),
            1..4 => 12,
            _ => 2,
        };
        let chosen = rows.range(from..end).take(some);
        let to = chosen.last().map_or(from, |(k, _)| *k);
        let found = self.rows_between(tree, from, to).await?;
        let wanted = rows.range(from..=to).map(|(_, row)| row);
        if !found.iter().map(|(row, _)| row).eq(wanted) {
            return broken(format!(
                "rows {from} to {to} of tree {tree}: {} were found",
                found.len()
            ));
        }
        Ok(found)
    }

    async fn rows_between(
        &self,
        tree: TreeId,
        from: i64,
        to: i64,
    ) -> Outcome<Vec<(Row, RowPosition)>> {
        let bound = |op, k| ColumnPredicate {
            column: 0,
            test: PredicateTest::Compare(op, Value::Int8(k)),
        };
        let range = vec![bound(CompareOp::GtEq, from), bound(CompareOp::LtEq, to)];
        let mut found = scan_where(&self.transaction, tree, range).await?;
        found.sort_by_key(|(row, _)| row.k);
        Ok(found)
    }

    fn create_tree(&mut self, chance: &mut Chance) -> Outcome<String> {
        let tree = self.transaction.new_tree_id();
        let kind = chance.pick(&KINDS).copied().unwrap_or(Kind::Keyed);
        self.transaction.create_tree(schema(tree, kind))?;
        let rows = Rows::new();
        self.model.trees.insert(tree, Tree { kind, rows });
        self.delta.created.insert(tree, kind);
        Ok(format!("creates tree {tree}: {kind:?}"))
    }

    /// The rows of a tree go over to a new one, as ALTER TABLE has it: nobody else may have written
    /// to it.
    async fn write_anew(&mut self, tree: TreeId, chance: &mut Chance) -> Outcome<String> {
        let Tree { kind, rows } = self.tree(tree)?.clone();
        let version = self.transaction.tree_schema(tree);
        let version = version.map_or(1, |schema| schema.version + 1);
        self.transaction.guard_tree(tree, version)?;
        let new = self.transaction.new_tree_id();
        self.transaction.create_tree(schema(new, kind))?;
        self.model.trees.insert(
            new,
            Tree {
                kind,
                rows: Rows::new(),
            },
        );
        self.delta.created.insert(new, kind);
        let keeps_frames = self.transaction.keep_value_frames(tree, new).await?;
        let rows: Vec<Row> = rows.into_values().collect();
        for rows in rows.chunks(1 + chance.index(60)) {
            self.insert_rows(new, rows.to_vec()).await?;
            if keeps_frames {
                self.transaction.write_out().await?;
            }
        }
        self.drop_tree(tree)?;
        Ok(format!(
            "writes {} rows of {tree} anew, to {new}",
            rows.len()
        ))
    }

    fn drop_tree(&mut self, tree: TreeId) -> Outcome<String> {
        for (id, _) in self.model.indexes_of(tree) {
            self.transaction.drop_tree(id)?;
        }
        self.transaction.drop_tree(tree)?;
        self.model.drop_tree(tree);
        self.delta.dropped.insert(tree);
        Ok(format!("drops tree {tree}"))
    }

    fn tree(&self, tree: TreeId) -> Outcome<&Tree> {
        match self.model.trees.get(&tree) {
            Some(tree) => Ok(tree),
            None => broken(format!("the model has no tree {tree}")),
        }
    }

    fn kind(&self, tree: TreeId) -> Outcome<Kind> {
        Ok(self.tree(tree)?.kind)
    }

    fn put(&mut self, tree: TreeId, row: Row) {
        if let Some(tree) = self.model.trees.get_mut(&tree) {
            tree.rows.insert(row.k, row.clone());
        }
        self.delta.put(tree, row);
    }

    fn remove(&mut self, tree: TreeId, k: i64) {
        if let Some(tree) = self.model.trees.get_mut(&tree) {
            tree.rows.remove(&k);
        }
        // A row that only this transaction ever saw is nothing to those of others with its key.
        let was_there = self.snapshot.rows(tree);
        if was_there.is_some_and(|rows| rows.contains_key(&k)) {
            self.delta.remove(tree, k);
        } else {
            self.delta.forget(tree, k);
        }
    }
}

pub(crate) fn row(kind: Kind, k: i64, chance: &mut Chance) -> Row {
    // Mostly few texts: choosing codecs for many would take most of a run.
    let text = match chance.below(16) {
        0 => "long ".repeat(20 + chance.index(40)),
        1..4 => String::new(),
        4 => format!("{:x}", chance.next_u64()),
        _ if kind == Kind::Content => format!("content {} ", chance.below(8)).repeat(9),
        _ if kind == Kind::Framed => crate::frames::text(chance),
        _ => format!("text {}", chance.below(5)),
    };
    Row {
        k,
        // Keys to look up hold no NULL.
        t: (kind == Kind::ByText || !chance.one_in(8)).then(|| Arc::from(text)),
        n: i32::try_from(chance.below(1000)).unwrap_or(0),
    }
}

fn refuse<T>(tree: TreeId, error: InsertError) -> Outcome<T> {
    match error {
        InsertError::Other(error) => Err(error.into()),
        InsertError::Duplicate { key, .. } => {
            broken(format!("a new key of tree {tree} is a duplicate: {key:?}"))
        }
    }
}
