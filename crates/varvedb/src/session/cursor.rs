//! Cursors: rows of a query that are given part by part. They are computed when the cursor is
//! declared: so it sees what was there then.

use std::sync::Arc;

use varve_ast::Direction;
use varve_expr::Locale;
use varve_sort::VecMap;
use varve_system_views::Field;
use varve_types::{Batch, Error, MemoryAccount, Reservation, Result, SqlState, Value};

use super::Session;
use crate::shared::result_set::ResultSet;

/// The cursors of a session by name.
#[derive(Default)]
pub(super) struct Cursors(VecMap<String, Cursor>);

/// Rows, and where in them it stands.
pub(super) struct Cursor {
    fields: Arc<[Field]>,
    batches: Vec<Batch>,
    locale: Locale,
    rows: i64,
    /// 0 before the first row, 1 on it, and so on; one more than rows after the last.
    place: i64,
    can_go_back: bool,
    /// Whether it stays after its transaction.
    hold: bool,
    /// Number of savepoints that were set when it was declared; `None` once its transaction has
    /// committed.
    depth: Option<usize>,
    _memory: Reservation,
}

impl Cursor {
    pub(super) fn new(
        result: ResultSet,
        (scroll, hold): (Option<bool>, bool),
        depth: usize,
        account: Arc<dyn MemoryAccount>,
    ) -> Result<Cursor> {
        let mut memory = Reservation::new(account);
        let bytes: usize = result.batches.iter().map(Batch::memory_bytes).sum();
        memory.resize(bytes as u64)?;
        Ok(Cursor {
            rows: i64::try_from(result.row_count()).unwrap_or(i64::MAX),
            fields: result.fields,
            batches: result.batches.iter().map(Batch::compact).collect(),
            locale: result.locale,
            place: 0,
            can_go_back: scroll != Some(false),
            hold,
            depth: Some(depth),
            _memory: memory,
        })
    }

    /// Moves on; answers the first row, how many there are, and whether they come backwards.
    fn advance(&mut self, direction: Direction) -> Result<(i64, i64, bool)> {
        let end = self.rows.saturating_add(1);
        let one = |place: i64| {
            let count = i64::from((1..end).contains(&place));
            (place, count, false)
        };
        let (span, place) = match direction {
            Direction::Forward(count) if count < 0 => {
                return self.advance(Direction::Backward(count.saturating_neg()));
            }
            Direction::Backward(count) if count < 0 => {
                return self.advance(Direction::Forward(count.saturating_neg()));
            }
            Direction::Forward(0) | Direction::Backward(0) | Direction::Relative(0) => {
                (one(self.place), self.place)
            }
            Direction::Forward(count) => {
                let first = self.place.saturating_add(1).min(end);
                let behind = first.saturating_add(count);
                let last = behind.min(end);
                let place = if behind > end { end } else { last - 1 };
                ((first, last - first, false), place)
            }
            Direction::Backward(count) => {
                let first = (self.place - 1).max(0);
                let beyond = first.saturating_sub(count);
                let last = beyond.max(0);
                let place = if beyond < 0 { 0 } else { last + 1 };
                ((first, first - last, true), place)
            }
            Direction::Absolute(number) => {
                let place = match number < 0 {
                    true => end.saturating_add(number).max(0),
                    false => number.min(end),
                };
                (one(place), place)
            }
            Direction::Relative(number) => {
                let place = self.place.saturating_add(number).clamp(0, end);
                (one(place), place)
            }
        };
        let goes_back = span.2 || place < self.place;
        if goes_back && !self.can_go_back {
            let message = "cursor can only scan forward";
            let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
            return Err(error.with_hint("Declare it with SCROLL option to enable backward scan."));
        }
        self.place = place;
        Ok(span)
    }

    /// Rows by number, those of each batch together.
    fn rows(&self, (first, count, backward): (i64, i64, bool)) -> Vec<Batch> {
        let mut found = Vec::new();
        let (low, high) = match backward {
            true => (first - count + 1, first + 1),
            false => (first, first + count),
        };
        let mut start = 1;
        for batch in &self.batches {
            let rows = i64::try_from(batch.rows()).unwrap_or(i64::MAX);
            let from = low.max(start);
            let to = high.min(start.saturating_add(rows));
            if from < to {
                let chosen = (from..to).filter_map(|row| u32::try_from(row - start).ok());
                let mut chosen: Vec<u32> = chosen.collect();
                if backward {
                    chosen.reverse();
                }
                found.push(varve_dml::chosen(batch, &chosen));
            }
            start = start.saturating_add(rows);
        }
        if backward {
            found.reverse();
        }
        found
    }
}

impl Cursors {
    /// Adds a cursor under a name that no other has.
    pub(super) fn add(&mut self, name: &str, cursor: Cursor) {
        self.0.insert(name.to_owned(), cursor);
    }

    /// The cursors as `pg_cursors` shows them; their statements are not kept.
    pub(super) fn rows(&self) -> Vec<Vec<Value>> {
        let row = |(name, cursor): (&String, &Cursor)| {
            vec![
                Value::text(name.as_str()),
                Value::text(""),
                Value::Boolean(cursor.hold),
                Value::Boolean(false),
                Value::Boolean(cursor.can_go_back),
            ]
        };
        self.0.iter().map(row).collect()
    }

    /// `42P03` for a name that is taken.
    pub(super) fn check_free(&self, name: &str) -> Result<()> {
        match self.0.contains_key(name) {
            false => Ok(()),
            true => {
                let message = format!("cursor \"{name}\" already exists");
                Err(Error::new(SqlState::DUPLICATE_CURSOR, message))
            }
        }
    }

    /// The transaction has committed: those that are not held are gone.
    pub(super) fn commit(&mut self) {
        self.0.retain(|_, cursor| cursor.hold);
        for cursor in self.0.values_mut() {
            cursor.depth = None;
        }
    }

    /// The transaction was undone, down to the savepoint with a number or, with none, as a whole.
    pub(super) fn roll_back(&mut self, savepoints: Option<usize>) {
        self.0.retain(|_, cursor| match (cursor.depth, savepoints) {
            (None, _) => true,
            (Some(depth), Some(kept)) => depth <= kept,
            (Some(_), None) => false,
        });
    }

    /// A savepoint and those after it were released: what was declared since belongs to what is
    /// around it.
    pub(super) fn release(&mut self, savepoints: usize) {
        for cursor in self.0.values_mut() {
            cursor.depth = cursor.depth.map(|depth| depth.min(savepoints));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Session {
    pub(super) fn fetch(
        &mut self,
        name: &str,
        direction: Direction,
        is_move: bool,
    ) -> Result<ResultSet> {
        let cursor = self.cursors.0.get_mut(name).ok_or_else(|| unknown(name))?;
        let span = cursor.advance(direction)?;
        if is_move {
            return Ok(ResultSet::changed("MOVE", span.1.unsigned_abs()));
        }
        Ok(ResultSet {
            fields: Arc::clone(&cursor.fields),
            batches: cursor.rows(span),
            command: "FETCH",
            locale: cursor.locale.clone(),
            ..ResultSet::default()
        })
    }

    /// Closes a cursor, or all.
    pub(super) fn close_cursor(&mut self, name: Option<&str>) -> Result<ResultSet> {
        match name {
            None => self.cursors.clear(),
            Some(name) => {
                self.cursors.0.remove(name).ok_or_else(|| unknown(name))?;
            }
        }
        Ok(ResultSet::command("CLOSE"))
    }
}

/// `34000`
fn unknown(name: &str) -> Error {
    let message = format!("cursor \"{name}\" does not exist");
    Error::new(SqlState::INVALID_CURSOR_NAME, message)
}
