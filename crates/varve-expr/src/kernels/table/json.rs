//! JSON.

use crate::function::Entry;

pub(super) static ROWS: &[Entry] = &[];
