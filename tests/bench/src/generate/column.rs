//! Short forms for columns of generated values.

use crate::set::{Column, Texts, Values};

pub(super) fn int32(name: &str, values: impl IntoIterator<Item = u64>) -> Column {
    let values = values.into_iter().map(|value| value as i64);
    Column::new(name, Values::Int32(values.collect()))
}

pub(super) fn int64(name: &str, values: impl IntoIterator<Item = i64>) -> Column {
    Column::new(name, Values::Int64(values.into_iter().collect()))
}

pub(super) fn float64(name: &str, values: impl IntoIterator<Item = f64>) -> Column {
    Column::new(name, Values::Float64(values.into_iter().collect()))
}

pub(super) fn boolean(name: &str, values: impl IntoIterator<Item = bool>) -> Column {
    Column::new(name, Values::Bool(values.into_iter().collect()))
}

pub(super) fn text<T: AsRef<[u8]>>(name: &str, values: impl IntoIterator<Item = T>) -> Column {
    Column::new(name, Values::Text(values.into_iter().collect::<Texts>()))
}

/// Row numbers from `first` on.
pub(super) fn id(first: i64, rows: usize) -> Column {
    int64("id", first..first + rows as i64)
}
