//! D1: an id and a price with two decimals.

use super::column::{float64, id};
use crate::random::Random;
use crate::set::Set;

const SET: u64 = 1;
const SKUS: u64 = 500;

pub(super) fn uniform(name: &str, rows: usize) -> Set {
    prices(name, rows, |random, _| 1 + random.below(99_999))
}

pub(super) fn skewed(name: &str, rows: usize) -> Set {
    prices(name, rows, |random, _| {
        let bits = 8 + random.below(12);
        (99 + random.below(1 << bits)).min(999_999)
    })
}

/// A few hundred prices, the first of them picked most often.
pub(super) fn catalog(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(SET);
    let mut price = |_| 100 * random.below(300) + random.choice(&[99, 49, 0, 95]);
    let catalog: Vec<u64> = (0..SKUS).map(&mut price).collect();
    let sku = |random: &mut Random| random.below(SKUS) * random.below(SKUS) / SKUS;
    from_cents(name, (0..rows).map(|_| catalog[sku(&mut random) as usize]))
}

pub(super) fn cyclic(name: &str, rows: usize) -> Set {
    prices(name, rows, |_, row| row % 10_000)
}

fn prices(name: &str, rows: usize, mut cents: impl FnMut(&mut Random, u64) -> u64) -> Set {
    let mut random = Random::of_set(SET);
    from_cents(name, (0..rows as u64).map(|row| cents(&mut random, row)))
}

fn from_cents(name: &str, cents: impl Iterator<Item = u64>) -> Set {
    let price = float64("price", cents.map(|cents| cents as f64 / 100.0));
    Set::new(name, vec![id(0, price.rows()), price])
}
