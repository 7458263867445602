//! Whether content is what its hash says, and whether what rows refer to is there.

use roaring::{RoaringBitmap, RoaringTreemap};
use varve_run::{Holds, RunHead};
use varve_types::{Column, Selection};

use crate::content_tree::{DATA, HASH, NUMBER, TREE, bytes_at};
use crate::error::StoreError;
use crate::read::number_at;
use crate::run::Run;
use crate::store::hash;

/// What is found of the references of one run.
pub(super) struct References<'a> {
    run: &'a Run,
    dead: RoaringBitmap,
    /// The first value that is not what its hash says, or that is missing, and how many there are.
    first: Option<i64>,
    wrong: u64,
}

impl<'a> References<'a> {
    pub(super) fn new(run: &'a Run) -> References<'a> {
        References {
            run,
            dead: run.deletion_vector.all(),
            first: None,
            wrong: 0,
        }
    }

    /// Checks all columns of a vector. Sound content is added to `content`, in which other runs
    /// look.
    pub(super) fn check(
        &mut self,
        head: &RunHead,
        first_row: u64,
        columns: &[Column],
        content: &mut RoaringTreemap,
    ) {
        let is_content = self.run.tree == TREE;
        if !is_content && !self.run.refers {
            return;
        }
        let rows = columns.first().map_or(0, Column::len);
        for (row, ordinal) in (0..rows).zip(first_row..) {
            let is_dead = u32::try_from(ordinal).is_ok_and(|ordinal| self.dead.contains(ordinal));
            if is_dead {
                continue;
            }
            if !is_content {
                for number in numbers_of(head, columns, row) {
                    self.note(number, content.contains(number.cast_unsigned()));
                }
            } else {
                let (number, is_sound) = value(columns, row).unwrap_or((0, false));
                if is_sound {
                    content.insert(number.cast_unsigned());
                }
                self.note(number, is_sound);
            }
        }
    }

    fn note(&mut self, number: i64, is_sound: bool) {
        if !is_sound {
            self.first.get_or_insert(number);
            self.wrong += 1;
        }
    }

    /// What is wrong, in one sentence.
    pub(super) fn error(&self) -> Option<StoreError> {
        let (first, wrong, run) = (self.first?, self.wrong, self.run.id);
        let message = match self.run.tree {
            TREE => format!(
                "{wrong} values of content in run {run} do not have their hashes, the first is {first}"
            ),
            _ => format!(
                "{wrong} values of run {run} refer to missing content, the first to {first}"
            ),
        };
        Some(self.run.place_error(StoreError::corrupted(message)))
    }
}

/// The number of a value of content, and whether its hash is right.
fn value(columns: &[Column], row: usize) -> Option<(i64, bool)> {
    let number = number_at(columns.get(NUMBER)?, row)?;
    let data = bytes_at(columns.get(DATA)?, row)?;
    let stored = bytes_at(columns.get(HASH)?, row)?;
    Some((number, stored == hash(data)))
}

/// To what content a row refers.
fn numbers_of<'a>(
    head: &'a RunHead,
    columns: &'a [Column],
    row: usize,
) -> impl Iterator<Item = i64> + 'a {
    let columns = head.columns().iter().zip(columns);
    let references = columns.filter(|(column, _)| column.holds == Holds::References);
    references.filter_map(move |(_, column)| number_at(column, row))
}

/// Those of some rows that refer to content that is there; or, of content, that are sound.
pub(super) fn sound_rows(
    run: &Run,
    head: &RunHead,
    columns: &[Column],
    rows: &Selection,
    content: &RoaringTreemap,
) -> Selection {
    let is_sound = |row: &u32| {
        let row = *row as usize;
        match run.tree {
            TREE => value(columns, row).is_some_and(|(_, is_sound)| is_sound),
            _ => {
                let mut numbers = numbers_of(head, columns, row);
                numbers.all(|number| content.contains(number.cast_unsigned()))
            }
        }
    };
    Selection::new(rows.rows().iter().copied().filter(is_sound).collect())
}
