//! Sorting, and maps in order, where the size of the code matters more than the time it takes.
//!
//! The sorts of the standard library are compiled anew for each type and each comparison, 4 to 10
//! KB a time. Here the places of the items are sorted by one copy of that code, and the items then
//! swapped to where they belong: about three times slower, some hundred bytes for each use. What
//! sorts rows or values by the million uses the standard library's.
//!
//! [`VecMap`] and [`VecSet`] are what trees are for many entries, for few ones.
//!
//! It knows nothing of what it sorts.
//!
//! Invariant: the order is total and stable, whatever the comparison answers: equal items stay in
//! the order in which they stood.

mod map;

use std::cmp::Ordering;
use std::collections::BTreeSet;

pub use map::{Entry, Iter, IterMut, VecMap, VecSet};

/// Sorts items by their own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by the order of what `key` makes of them.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |left, right| key(left).cmp(&key(right)));
}

/// Sorts items by a comparison.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut places = sorted_places(items.len(), &|left, right| match (
        items.get(left),
        items.get(right),
    ) {
        (Some(left), Some(right)) => compare(left, right),
        _ => Ordering::Equal,
    });
    arrange(&mut places, &mut |left, right| items.swap(left, right));
}

/// A tree of items, of which there may be many.
pub fn set_of<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// The places of `len` items in the order in which they belong.
fn sorted_places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).collect();
    places.sort_unstable_by(|left, right| compare(*left, *right).then(left.cmp(right)));
    places
}

/// Brings the item of each place to where it belongs, cycle by cycle.
fn arrange(places: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        while let Some(place) = places.get_mut(at) {
            let from = std::mem::replace(place, at);
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{set_of, sort, sort_by, sort_by_key};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_come_as_the_standard_library_has_them(
            items in proptest::collection::vec((0_u8..20, any::<u16>()), 0..200),
        ) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &theirs);
            sort_by(&mut ours, |left, right| right.cmp(left));
            theirs.sort_by(|left, right| right.cmp(left));
            prop_assert_eq!(&ours, &theirs);
            sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(&ours, &theirs);
            prop_assert_eq!(set_of(items.clone()), items.iter().copied().collect());
        }
    }
}
