//! A shape laid flat: literal text and slots in turn, which cuts a document into its values.

use crate::short::strip_short;
use crate::strings::json::scan::{text_bytes, value_bytes};

/// What stands between two literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The raw text of a string; its quotes are in the literals.
    Text,
    /// Any value.
    Raw,
}

/// Literals and slots in turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    /// Each slot and the literal before it.
    slots: Vec<(Vec<u8>, Slot)>,
    /// The literal behind the last slot.
    tail: Vec<u8>,
}

impl Pattern {
    /// Adds literal text.
    pub(crate) fn put_literal(&mut self, text: &[u8]) {
        self.tail.extend_from_slice(text);
    }

    /// Adds a slot.
    pub(crate) fn put_slot(&mut self, slot: Slot) {
        self.slots.push((core::mem::take(&mut self.tail), slot));
    }

    /// The slots in turn.
    pub(crate) fn slots(&self) -> impl ExactSizeIterator<Item = Slot> {
        self.slots.iter().map(|(_, slot)| *slot)
    }

    /// The literals: one before each slot, and the last.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &[u8]> {
        let before = self.slots.iter().map(|(literal, _)| literal.as_slice());
        before.chain(core::iter::once(self.tail.as_slice()))
    }

    /// Cuts a document: the text of each slot, or `None` where it has another shape.
    pub(crate) fn cut<'a>(&self, text: &'a [u8], values: &mut Vec<&'a [u8]>) -> Option<()> {
        values.clear();
        let mut rest = text;
        for (literal, slot) in &self.slots {
            rest = strip_short(rest, literal)?;
            let bytes = match slot {
                Slot::Text => text_bytes(rest)?,
                Slot::Raw => value_bytes(rest)?,
            };
            let (value, after) = rest.split_at_checked(bytes)?;
            values.push(value);
            rest = after;
        }
        (rest == self.tail.as_slice()).then_some(())
    }
}
