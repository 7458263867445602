//! How each value of a column is compressed.

use std::sync::Arc;

use varve_codec::ZstdDictionary;
use varve_expr::Locale;
use varve_store::{Rewrite, ValueFrame, ValueFrames};
use varve_types::{Column, ColumnId, Value};

use super::chooser::Chooser;
use super::dictionaries::Dictionaries;

/// The key of values that are compressed without a dictionary.
pub(crate) const NO_DICTIONARY: &str = "[nodict]";

/// Asks the chooser of a column.
#[derive(Debug)]
pub(super) struct Choices {
    pub chooser: Chooser,
    pub level: u8,
    /// The most bytes that are compressed before others have their turn.
    pub step_bytes: u64,
    pub why: Rewrite,
    pub dictionaries: Arc<Dictionaries>,
    /// What expressions of no session mean, at the time that it is.
    pub locale: Locale,
}

impl Choices {
    fn of_key(&self, key: &Value) -> ValueFrame {
        let Some(key) = key.str() else {
            return ValueFrame::Raw;
        };
        if key == NO_DICTIONARY {
            return ValueFrame::Alone;
        }
        let number = self.dictionaries.number(key);
        match number.filter(|number| self.dictionaries.dictionary(*number).is_some()) {
            Some(number) => ValueFrame::With(number),
            // Rows that nobody looked at wait for the dictionary of their group.
            None if self.why == Rewrite::Merge => ValueFrame::Raw,
            // Their group was too small for one.
            None => ValueFrame::Alone,
        }
    }
}

impl ValueFrames for Choices {
    fn level(&self) -> u8 {
        self.level
    }

    fn reads(&self) -> &[ColumnId] {
        self.chooser.reads()
    }

    fn choose(&self, columns: &[&Column], rows: usize) -> Vec<ValueFrame> {
        let columns = columns.iter().map(|column| Arc::new(Column::clone(column)));
        let keys = self.chooser.keys(columns.collect(), rows, &self.locale);
        let mut last = (Value::Null, ValueFrame::Raw);
        let mut frames = Vec::with_capacity(rows);
        for key in keys {
            if key != last.0 {
                let frame = self.of_key(&key);
                last = (key, frame);
            }
            frames.push(last.1);
        }
        frames
    }

    fn step_bytes_max(&self) -> usize {
        usize::try_from(self.step_bytes).unwrap_or(usize::MAX)
    }

    fn dictionary(&self, number: i32) -> Option<ZstdDictionary> {
        self.dictionaries.dictionary(number)
    }
}
