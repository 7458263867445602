//! D5: an id and a region, in eight equal runs.

use super::column::{id, text};
use super::words::REGIONS;
use crate::set::Set;

pub(super) fn regions(name: &str, rows: usize) -> Set {
    let region = (0..rows).map(|row| REGIONS[row * REGIONS.len() / rows]);
    Set::new(name, vec![id(0, rows), text("region", region)])
}
