//! Reads every value of a run, past those that cannot be read.

use std::sync::Arc;

use varve_kv::{Bytes, KvError};
use varve_run::{
    CheckedValue, GroupFacts, GroupIndex, GroupReader, KeyFilter, RunError, RunHead, verify_vector,
};
use varve_types::{Column, Pacer, VECTOR_ROWS};

use crate::error::{Result, StoreError};
use crate::format::keys;
use crate::run::Run;
use crate::store::Store;

/// Values of a run that are read in one call.
const VALUES_AT_ONCE: usize = 16;

/// Goes through the vectors of a run in order.
pub(super) struct Inspection<'a> {
    store: &'a Store,
    run: &'a Run,
    head: Arc<RunHead>,
    /// How many key columns the filters go by, of an index.
    filter_key_columns: Option<usize>,
    pacer: Pacer,
    last_key: Vec<u8>,
    pub(super) values: u64,
    pub(super) bytes: u64,
    pub(super) errors: Vec<StoreError>,
}

/// A vector, or what is known of one that cannot be read.
pub(super) struct Inspected {
    /// Rows of the run before it.
    pub(super) first_row: u64,
    pub(super) rows: usize,
    /// All columns; `None` where one cannot be decoded, or keys are out of order.
    pub(super) columns: Option<Vec<Column>>,
}

impl<'a> Inspection<'a> {
    /// Goes by the head of the run, which may be at hand although its deletion vector is not.
    pub(super) fn new(store: &'a Store, run: &'a Run, head: Arc<RunHead>) -> Inspection<'a> {
        let trees = &store.state().catalog.trees;
        let index = trees.get(&run.tree).and_then(|tree| tree.index());
        let filter_key_columns = index.map(|index| index.own_columns);
        Inspection {
            filter_key_columns,
            store,
            run,
            head,
            pacer: Pacer::new(&store.env),
            last_key: Vec::new(),
            values: 0,
            bytes: 0,
            errors: Vec::new(),
        }
    }

    pub(super) fn head(&self) -> &Arc<RunHead> {
        &self.head
    }

    pub(super) fn groups(&self) -> usize {
        self.head.groups().len()
    }

    /// Reads and verifies a group; an error is one of the backend, not of what is stored.
    pub(super) async fn group(&mut self, group: usize) -> Result<Vec<Inspected>> {
        let Some(info) = self.head.groups().get(group).cloned() else {
            return Ok(Vec::new());
        };
        let all: Vec<usize> = (0..self.head.columns().len()).collect();
        let mut numbers = self.head.values_for(group, &all);
        numbers.extend(self.head.index_value_for(group));
        numbers.extend(self.head.filter_value_for(group));
        varve_sort::sort(&mut numbers);
        numbers.dedup();
        let mut values = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(VALUES_AT_ONCE) {
            self.read(some, &mut values).await?;
            self.pacer.pause().await;
        }
        let head = Arc::clone(&self.head);
        let value = |number: Option<u32>| {
            values
                .iter()
                .find(|value: &&CheckedValue| Some(value.number()) == number)
        };
        let index = value(head.index_value_for(group));
        let index = index.map(|value| GroupIndex::decode(&head, group, value));
        let index = index.and_then(|index| self.note(index));
        let filter = value(head.filter_value_for(group));
        let filter = filter.map(|value| KeyFilter::of_group(&head, group, value));
        let filter = filter.and_then(|filter| self.note(filter));
        let facts = GroupFacts {
            group,
            index: index.as_ref(),
            filter,
            filter_key_columns: self.filter_key_columns,
        };
        let reader = GroupReader::new(Arc::clone(&head), group, values.clone())?;
        let mut vectors = Vec::with_capacity(info.vectors());
        for vector in 0..info.vectors() {
            self.pacer.pause().await;
            let columns = self.vector(&reader, &facts, vector);
            vectors.push(Inspected {
                first_row: info.first_row + (vector * VECTOR_ROWS) as u64,
                rows: info.vector_rows(vector),
                columns,
            });
        }
        Ok(vectors)
    }

    fn vector(
        &mut self,
        reader: &GroupReader,
        facts: &GroupFacts<'_>,
        vector: usize,
    ) -> Option<Vec<Column>> {
        let columns = (0..self.head.columns().len()).map(|column| reader.column(column, vector));
        let columns: Result<Vec<Column>, _> = columns.collect();
        let columns = self.note(columns)?;
        let mut last_key = self.last_key.clone();
        match verify_vector(&self.head, facts, vector, &columns, &mut last_key) {
            Ok(()) => {
                self.last_key = last_key;
                Some(columns)
            }
            Err(error) => {
                let in_order = !matches!(error, RunError::KeysOutOfOrder { .. });
                self.add(self.run.place_error(error));
                // What stands beside rows is made anew; rows out of order are not what was written.
                in_order.then_some(columns)
            }
        }
    }

    fn note<T>(&mut self, found: Result<T, RunError>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            // The value was noted when it could not be read.
            Err(RunError::MissingValue { .. }) => None,
            Err(error) => {
                self.add(self.run.place_error(error));
                None
            }
        }
    }

    fn add(&mut self, error: StoreError) {
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    async fn read(&mut self, numbers: &[u32], values: &mut Vec<CheckedValue>) -> Result<()> {
        let run = self.run.id;
        let wanted: Vec<_> = numbers
            .iter()
            .map(|number| keys::run_value(run, *number))
            .collect();
        match self.store.kv.get_many(&wanted).await {
            Ok(found) => {
                for (number, value) in numbers.iter().zip(found) {
                    self.take(*number, value, values);
                }
            }
            // One value that cannot be read fails the call.
            Err(KvError::Corrupt { .. }) => {
                for (number, key) in numbers.iter().zip(&wanted) {
                    match self.store.kv.get_many(core::slice::from_ref(key)).await {
                        Ok(found) => self.take(*number, found.into_iter().next().flatten(), values),
                        Err(error @ KvError::Corrupt { .. }) => {
                            self.add(self.run.place_error(error));
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn take(&mut self, number: u32, value: Option<Bytes>, values: &mut Vec<CheckedValue>) {
        let run = self.run.id;
        let Some(value) = value else {
            let message = format!("page {number} of run {run} is missing");
            self.add(self.run.place_error(StoreError::corrupted(message)));
            return;
        };
        self.values += 1;
        self.bytes += value.len() as u64;
        let checked = CheckedValue::check(run, number, value);
        values.extend(self.note(checked));
    }
}
