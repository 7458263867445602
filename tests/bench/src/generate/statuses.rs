//! D4: an id and one of six statuses.

use super::column::{id, text};
use crate::random::Random;
use crate::set::Set;

const STATUSES: [&str; 6] = [
    "pending",
    "processing",
    "shipped",
    "delivered",
    "cancelled",
    "returned",
];
const WEIGHTED: [(usize, u64); 6] = [(0, 5), (1, 10), (2, 15), (3, 60), (4, 6), (5, 4)];

pub(super) fn uniform(name: &str, rows: usize) -> Set {
    statuses(name, rows, |random, _| random.below(6) as usize)
}

pub(super) fn weighted(name: &str, rows: usize) -> Set {
    statuses(name, rows, |random, _| random.weighted(&WEIGHTED))
}

pub(super) fn cyclic(name: &str, rows: usize) -> Set {
    statuses(name, rows, |_, row| row % 6)
}

fn statuses(name: &str, rows: usize, pick: impl Fn(&mut Random, usize) -> usize) -> Set {
    let mut random = Random::of_set(4);
    let status = (0..rows).map(|row| STATUSES[pick(&mut random, row)]);
    Set::new(name, vec![id(0, rows), text("status", status)])
}
