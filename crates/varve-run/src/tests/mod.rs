mod encodings;
mod filter;
mod golden;
mod key_filter;
mod robustness;
mod round_trip;
mod zones;

use std::sync::Arc;

use varve_types::{Batch, Column, LogicalType, Value};

use crate::{CheckedValue, FinishedRun, GroupIndex, GroupReader, RunHead};

/// A batch of rows of values.
fn batch(types: &[LogicalType], rows: &[Vec<Value>]) -> Batch {
    let column = |(i, ty): (usize, &LogicalType)| {
        Arc::new(Column::from_values(*ty, rows.iter().map(|row| &row[i])))
    };
    Batch::new(types.iter().enumerate().map(column).collect(), rows.len())
}

/// A finished run as a store would have it.
struct Stored {
    head: Arc<RunHead>,
    values: Vec<CheckedValue>,
}

impl Stored {
    fn of(run: &FinishedRun) -> Stored {
        let head = RunHead::decode(run.head.run(), &run.head_bytes).unwrap();
        assert_eq!(head.encode(), run.head_bytes);
        assert_eq!(head.values() as usize, run.values.len());
        let check = |value: &crate::RunValue| {
            CheckedValue::check(head.run(), value.number, value.bytes.clone().into()).unwrap()
        };
        let values = run.values.iter().map(check).collect();
        Stored {
            head: Arc::new(head),
            values,
        }
    }

    fn value(&self, number: u32) -> &CheckedValue {
        &self.values[number as usize]
    }

    fn index(&self, group: usize) -> GroupIndex {
        let value = self.value(self.head.index_value_for(group).unwrap());
        GroupIndex::decode(&self.head, group, value).unwrap()
    }

    fn group(&self, group: usize, columns: &[usize]) -> GroupReader {
        let numbers = self.head.values_for(group, columns);
        let values = numbers
            .iter()
            .map(|number| self.value(*number).clone())
            .collect();
        GroupReader::new(Arc::clone(&self.head), group, values).unwrap()
    }
}
