//! The state of sequences. Values are handed out in memory; before a statement answers or a
//! transaction commits, the store says of each sequence a value that none handed out lies beyond,
//! so that a crash leaves a gap and never repeats one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_catalog::{Catalog, SequenceDef};
use varve_sort::VecMap;
use varve_store::{CommitDurability, Store, Transaction};
use varve_types::{
    Batch, Column, Error, Failure, LogicalType, Result, RowPosition, SqlState, TreeId, Value,
};

use varve_dml::positions_of;

/// Values that a sequence reserves ahead, as in PostgreSQL.
const RESERVED_VALUES: i64 = 32;
/// How often a reservation is tried again because another one came between.
const TRIES_MAX: u32 = 100;

/// The states of the sequences that were used since the database was opened.
#[derive(Debug, Default)]
pub struct Sequences {
    states: Mutex<VecMap<TreeId, State>>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    last: i64,
    is_called: bool,
    /// Whether the value was set, and none was handed out since: the store says it as it is.
    is_set: bool,
    /// What the store says.
    stored: (i64, bool),
    /// How far it reserves.
    increment: i64,
    bounds: (i64, i64),
}

impl State {
    /// What the store has to say; `None` where it says so already.
    fn to_store(self) -> Option<(i64, bool)> {
        let (stored, stored_called) = self.stored;
        if !self.is_called || !stored_called {
            let exact = (self.last, self.is_called);
            return (exact != self.stored).then(|| self.reserved());
        }
        let is_beyond = match self.increment > 0 {
            true => self.last > stored,
            false => self.last < stored,
        };
        is_beyond.then(|| self.reserved())
    }

    fn reserved(self) -> (i64, bool) {
        if !self.is_called || self.is_set {
            return (self.last, self.is_called);
        }
        let ahead = self.increment.checked_mul(RESERVED_VALUES);
        let ahead = ahead.and_then(|ahead| self.last.checked_add(ahead));
        let (min, max) = self.bounds;
        let fits = |value: &i64| (min..=max).contains(value);
        (ahead.filter(fits).unwrap_or(self.last), true)
    }
}

impl Sequences {
    fn states(&self) -> MutexGuard<'_, VecMap<TreeId, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the states of the sequences of a catalog that are not known yet.
    pub async fn load(&self, transaction: &Transaction, catalog: &Catalog) -> Result<()> {
        for sequence in catalog.sequences.values() {
            if self.states().contains_key(&sequence.tree) {
                continue;
            }
            let rows = row(transaction, sequence.tree).await?;
            let (last, is_called) = match rows.first() {
                Some(row) => value_of(row),
                None => (sequence.start, false),
            };
            self.states().entry(sequence.tree).or_insert(State {
                last,
                is_called,
                is_set: false,
                stored: (last, is_called),
                increment: sequence.increment,
                bounds: (sequence.min, sequence.max),
            });
        }
        Ok(())
    }

    /// The last value, or the first if none was handed out, and whether one was.
    pub fn value(&self, sequence: &SequenceDef) -> Result<(i64, bool)> {
        let states = self.states();
        let state = states.get(&sequence.tree).ok_or_else(unknown)?;
        Ok((state.last, state.is_called))
    }

    /// The next value.
    pub fn next(&self, sequence: &SequenceDef) -> Result<i64> {
        let mut states = self.states();
        let state = states.get_mut(&sequence.tree).ok_or_else(unknown)?;
        let SequenceDef {
            increment,
            min,
            max,
            cycle,
            name,
            ..
        } = sequence;
        let next = match state.is_called {
            false => Some(state.last),
            true => state.last.checked_add(*increment),
        };
        let next = match next.filter(|next| (min..=max).contains(&next)) {
            Some(next) => next,
            None if *cycle => {
                let first = if *increment > 0 { *min } else { *max };
                // What is stored lies beyond; the new round is stored as it is.
                state.stored = (first, false);
                first
            }
            None => {
                let (end, bound) = match *increment > 0 {
                    true => ("maximum", max),
                    false => ("minimum", min),
                };
                let message =
                    format!("nextval: reached {end} value of sequence \"{name}\" ({bound})");
                let state = SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED;
                return Err(Error::new(state, message));
            }
        };
        state.last = next;
        state.is_called = true;
        state.is_set = false;
        state.increment = *increment;
        state.bounds = (*min, *max);
        Ok(next)
    }

    /// Sets the value.
    pub fn set(&self, sequence: &SequenceDef, value: i64, is_called: bool) -> Result<()> {
        let (min, max) = (sequence.min, sequence.max);
        if !(min..=max).contains(&value) {
            let name = &sequence.name;
            let message = format!(
                "setval: value {value} is out of bounds for sequence \"{name}\" ({min}..{max})"
            );
            return Err(Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message));
        }
        let mut states = self.states();
        let state = states.get_mut(&sequence.tree).ok_or_else(unknown)?;
        state.last = value;
        state.is_called = is_called;
        state.is_set = true;
        // Also where it goes back, the store has to say so.
        state.stored = (value, !is_called);
        Ok(())
    }

    /// Makes the store say what was handed out: by transactions of their own or, of sequences that
    /// nobody else sees yet, as part of this one.
    pub async fn keep(
        &self,
        store: &Arc<Store>,
        transaction: &mut Transaction,
        durability: CommitDurability,
    ) -> Result<()> {
        let waiting = |(tree, state): (&TreeId, &State)| {
            state.to_store()?;
            Some(*tree)
        };
        let trees: Vec<TreeId> = self.states().iter().filter_map(waiting).collect();
        for tree in trees {
            let mut tries = 0;
            loop {
                let Some(value) = self.states().get(&tree).and_then(|state| state.to_store())
                else {
                    break;
                };
                let mut own = store.begin();
                if own.tree_schema(tree).is_none() {
                    if transaction.tree_schema(tree).is_some() {
                        write(transaction, tree, value).await?;
                    }
                    break;
                }
                write(&mut own, tree, value).await?;
                match own.commit(durability).await {
                    Ok(_) => {
                        self.stored(tree, value);
                        break;
                    }
                    Err(error)
                        if error.failure() == Some(Failure::Conflict) && tries < TRIES_MAX =>
                    {
                        tries += 1;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    fn stored(&self, tree: TreeId, value: (i64, bool)) {
        if let Some(state) = self.states().get_mut(&tree) {
            state.stored = value;
        }
    }
}

/// Makes the tree of a sequence, and its first state.
pub(crate) async fn create_state(
    transaction: &mut Transaction,
    sequence: &SequenceDef,
    first: i64,
) -> Result<()> {
    transaction.create_tree(sequence.tree_schema())?;
    write(transaction, sequence.tree, (first, false)).await
}

async fn row(transaction: &Transaction, tree: TreeId) -> Result<Vec<Batch>> {
    let key = [vec![Value::Int4(0)]];
    let mut rows = transaction.lookup(tree, &key, &[1, 2], true).await?;
    rows.retain(|rows| !rows.is_empty());
    Ok(rows)
}

fn value_of(row: &Batch) -> (i64, bool) {
    let value = |at| row.column(at).map(|column: Arc<Column>| column.value(0));
    let last = match value(0) {
        Some(Value::Int8(last)) => last,
        _ => 0,
    };
    (last, value(1) == Some(Value::Boolean(true)))
}

async fn write(transaction: &mut Transaction, tree: TreeId, value: (i64, bool)) -> Result<()> {
    let column = |ty, value: Value| Arc::new(Column::from_values(ty, &[value]));
    let columns = vec![
        column(LogicalType::Int4, Value::Int4(0)),
        column(LogicalType::Int8, Value::Int8(value.0)),
        column(LogicalType::Boolean, Value::Boolean(value.1)),
    ];
    let new = Batch::new(columns, 1);
    let old = row(transaction, tree).await?;
    let positions: Vec<RowPosition> = positions_of(&old, 2)?;
    let written = match positions.is_empty() {
        true => transaction.insert(tree, &new).await,
        false => {
            let new = [new];
            let same_key = transaction.update_same_keys(tree, &positions, &new);
            same_key.await
        }
    };
    Ok(written?)
}

fn unknown() -> Error {
    let message = "the sequence was made or dropped meanwhile";
    Error::new(SqlState::UNDEFINED_OBJECT, message)
}
