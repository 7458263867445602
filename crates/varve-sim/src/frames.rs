//! How texts are compressed one by one: by the number beside them, with a dictionary that not every
//! opening of the store knows.

use std::sync::{Arc, LazyLock};

use varve_codec::ZstdDictionary;
use varve_store::{Rewrite, ValueFrame, ValueFrames, ValueFramesByColumn, ValueFramesSource};
use varve_types::{Column, ColumnId, LocalFuture, Result, TreeId, Value};

use crate::chance::Chance;
use crate::data::{NUMBER, TEXT};
use crate::executor::yield_now;

/// The number of the dictionary.
const DICTIONARY: i32 = 7;

/// What the dictionary holds, and many texts are pieces of.
const POOL_BYTES: usize = 600;

/// Knows how texts are compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// Whether the dictionary was trained by now.
    knows_dictionary: bool,
    /// Whether values that nobody looked at wait.
    leaves_some: bool,
}

impl Frames {
    pub(crate) fn any(chance: &mut Chance) -> Frames {
        Frames {
            knows_dictionary: !chance.one_in(4),
            leaves_some: false,
        }
    }

    fn of_number(self, number: &Value) -> ValueFrame {
        match number {
            Value::Int4(number) if number % 5 == 0 => ValueFrame::Raw,
            Value::Int4(number) if number % 5 == 1 => ValueFrame::Alone,
            _ if self.knows_dictionary => ValueFrame::With(DICTIONARY),
            _ if self.leaves_some => ValueFrame::Raw,
            _ => ValueFrame::Alone,
        }
    }
}

impl ValueFramesSource for Frames {
    fn of_tree(&self, _: TreeId, why: Rewrite) -> LocalFuture<'_, Result<ValueFramesByColumn>> {
        let frames = Frames {
            leaves_some: why == Rewrite::Merge,
            ..*self
        };
        Box::pin(async move {
            // It is a query.
            yield_now().await;
            let frames: Arc<dyn ValueFrames> = Arc::new(frames);
            Ok(vec![(TEXT, frames)])
        })
    }
}

impl ValueFrames for Frames {
    fn level(&self) -> u8 {
        1
    }

    fn reads(&self) -> &[ColumnId] {
        &[NUMBER]
    }

    fn choose(&self, columns: &[&Column], rows: usize) -> Vec<ValueFrame> {
        let numbers = columns.first();
        let number = |row| numbers.map_or(Value::Null, |numbers| numbers.value(row));
        (0..rows).map(|row| self.of_number(&number(row))).collect()
    }

    fn step_bytes_max(&self) -> usize {
        400
    }

    fn dictionary(&self, number: i32) -> Option<ZstdDictionary> {
        // Encoders are prepared for it once.
        static KNOWN: LazyLock<Option<ZstdDictionary>> =
            LazyLock::new(|| ZstdDictionary::new(pool().as_bytes()).ok());
        KNOWN.clone().filter(|_| number == DICTIONARY)
    }
}

/// A text that the dictionary makes short.
pub(crate) fn text(chance: &mut Chance) -> String {
    let length = 60 + chance.index(100);
    let start = chance.index(POOL_BYTES - length);
    pool()
        .get(start..start + length)
        .unwrap_or_default()
        .to_owned()
}

fn pool() -> String {
    let mut chance = Chance::new(u64::from(DICTIONARY.unsigned_abs()));
    let mut pool = String::new();
    while pool.len() < POOL_BYTES {
        pool.push_str(&format!("{:x}", chance.next_u64()));
    }
    pool
}
