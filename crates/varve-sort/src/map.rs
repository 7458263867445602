//! A map and a set of few entries: a vector that is sorted by key.
//!
//! The trees of the standard library are compiled anew for each type of key and value, 4 to 8 KB a
//! time; these take a tenth of that. Whoever inserts keys in order appends, any other insertion
//! moves what stands behind it: for catalogs, settings, trees and runs, of which there are some
//! thousands at most. What grows with the number of rows belongs into a tree.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::{mem, slice, vec};

/// A map of few entries. Its methods are those of the standard library's `BTreeMap`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VecMap<K, V> {
    /// Ascending by key, each key once.
    entries: Vec<(K, V)>,
}

impl<K, V> VecMap<K, V> {
    /// A map without entries.
    pub const fn new() -> VecMap<K, V> {
        VecMap {
            entries: Vec::new(),
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries by ascending key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    /// The entries by ascending key, with values that may be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.entries.iter_mut())
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values by ascending key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values by ascending key, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The values by ascending key.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// The keys, ascending.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> {
        self.entries.into_iter().map(|(key, _)| key)
    }

    /// The entry with the least key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The entry with the greatest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    /// Removes the entry with the least key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        if self.entries.is_empty() {
            return None;
        }
        Some(self.entries.remove(0))
    }

    /// Keeps the entries that `keep` wants.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> VecMap<K, V> {
    /// Where `key` is, or where it belongs.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        search(self.entries.len(), &mut |at| match self.entries.get(at) {
            Some((other, _)) => other.borrow().cmp(key),
            None => Ordering::Greater,
        })
    }

    /// The value of `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The value of `key`, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether there is an entry for `key`.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Sets the value of `key`; answers the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => {
                let (_, old) = self.entries.get_mut(at)?;
                Some(mem::replace(old, value))
            }
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes `key`; answers the value it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        Some(self.entries.remove(at).1)
    }

    /// The place of `key`, to be filled or changed.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let place = self.place(&key);
        Entry {
            map: self,
            key,
            place,
        }
    }

    /// The entries whose keys are at least `from`, by ascending key.
    pub fn range_from<Q: Ord + ?Sized>(&self, from: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (Ok(at) | Err(at)) = self.place(from);
        Iter(self.entries.get(at..).unwrap_or_default().iter())
    }
}

impl<K, V> Default for VecMap<K, V> {
    fn default() -> VecMap<K, V> {
        VecMap::new()
    }
}

impl<K: Ord, V> Extend<(K, V)> for VecMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for VecMap<K, V> {
    /// Of equal keys the last pair counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> VecMap<K, V> {
        let mut map = VecMap::new();
        map.extend(pairs);
        map
    }
}

impl<K, V> IntoIterator for VecMap<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> vec::IntoIter<(K, V)> {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a VecMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut VecMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

/// The entries of a map, by ascending key.
#[derive(Debug)]
pub struct Iter<'a, K, V>(slice::Iter<'a, (K, V)>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter(self.0.clone())
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// The entries of a map by ascending key, with values that may be changed.
#[derive(Debug)]
pub struct IterMut<'a, K, V>(slice::IterMut<'a, (K, V)>);

impl<'a, K, V> Iterator for IterMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);

    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        self.0.next().map(|(key, value)| (&*key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// The place of a key in a map, with or without an entry.
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut VecMap<K, V>,
    key: K,
    place: Result<usize, usize>,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// The value that is there, or else `value`, which is inserted.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value that is there, or else the default, which is inserted.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// The value that is there, or else what `make` answers, which is inserted.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self.or_try_insert_with(|| Ok::<V, Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// The value that is there, or else what `make` answers, which is inserted unless it fails.
    #[expect(
        clippy::indexing_slicing,
        reason = "the place was found in the map, which is borrowed since, or is filled here"
    )]
    pub fn or_try_insert_with<E>(
        self,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<&'a mut V, E> {
        let (Ok(at) | Err(at)) = self.place;
        if self.place.is_err() {
            self.map.entries.insert(at, (self.key, make()?));
        }
        Ok(&mut self.map.entries[at].1)
    }
}

/// A set of few items. Its methods are those of the standard library's `BTreeSet`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VecSet<T> {
    /// Ascending, each once.
    items: Vec<T>,
}

impl<T> VecSet<T> {
    /// A set without items.
    pub const fn new() -> VecSet<T> {
        VecSet { items: Vec::new() }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// The items, ascending.
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<T: Ord> VecSet<T> {
    fn place<Q: Ord + ?Sized>(&self, item: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        search(self.items.len(), &mut |at| match self.items.get(at) {
            Some(other) => other.borrow().cmp(item),
            None => Ordering::Greater,
        })
    }

    /// Whether `item` is one of them.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(item).is_ok()
    }

    /// Adds `item`; answers whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        let place = self.place(&item);
        if let Err(at) = place {
            self.items.insert(at, item);
        }
        place.is_err()
    }

    /// Removes `item`; answers whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let place = self.place(item);
        if let Ok(at) = place {
            self.items.remove(at);
        }
        place.is_ok()
    }
}

impl<T> Default for VecSet<T> {
    fn default() -> VecSet<T> {
        VecSet::new()
    }
}

impl<T: Ord> Extend<T> for VecSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for VecSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> VecSet<T> {
        let mut set = VecSet::new();
        set.extend(items);
        set
    }
}

impl<T> IntoIterator for VecSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> vec::IntoIter<T> {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a VecSet<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> slice::Iter<'a, T> {
        self.iter()
    }
}

/// Where the item that compares as equal is, or where it belongs among `len` ascending ones.
fn search(len: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, usize> {
    // Behind the last one is where keys in order go.
    if len == 0 || compare(len - 1) == Ordering::Less {
        return Err(len);
    }
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

#[cfg(test)]
mod tests {
    use super::{VecMap, VecSet};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u8, u16),
        Remove(u8),
        Default(u8),
        Retain(u16),
        PopFirst,
    }

    fn step() -> impl Strategy<Value = Step> {
        let key = 0_u8..30;
        prop_oneof![
            4 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Step::Insert(key, value)),
            2 => key.clone().prop_map(Step::Remove),
            2 => key.prop_map(Step::Default),
            1 => any::<u16>().prop_map(Step::Retain),
            1 => Just(Step::PopFirst),
        ]
    }

    proptest! {
        #[test]
        fn it_answers_as_a_tree_does(steps in proptest::collection::vec(step(), 0..60)) {
            let (mut ours, mut tree) = (VecMap::new(), BTreeMap::new());
            for step in steps {
                match step {
                    Step::Insert(key, value) => {
                        prop_assert_eq!(ours.insert(key, value), tree.insert(key, value));
                    }
                    Step::Remove(key) => prop_assert_eq!(ours.remove(&key), tree.remove(&key)),
                    Step::Default(key) => {
                        let value = ours.entry(key).or_default();
                        *value = value.wrapping_add(1);
                        let other = tree.entry(key).or_default();
                        *other = other.wrapping_add(1);
                        prop_assert_eq!(value, other);
                    }
                    Step::Retain(least) => {
                        ours.retain(|_, value| *value >= least);
                        tree.retain(|_, value| *value >= least);
                    }
                    Step::PopFirst => prop_assert_eq!(ours.pop_first(), tree.pop_first()),
                }
                prop_assert!(ours.iter().eq(&tree));
                prop_assert!(ours.iter().rev().eq(tree.iter().rev()));
                prop_assert_eq!(ours.first_key_value(), tree.first_key_value());
                prop_assert_eq!(ours.last_key_value(), tree.last_key_value());
                prop_assert_eq!((ours.len(), ours.is_empty()), (tree.len(), tree.is_empty()));
                for key in 0..30 {
                    prop_assert_eq!(ours.get(&key), tree.get(&key));
                    prop_assert_eq!(ours.contains_key(&key), tree.contains_key(&key));
                    prop_assert!(ours.range_from(&key).eq(tree.range(key..)));
                }
            }
            prop_assert!(ours.keys().eq(tree.keys()) && ours.values().eq(tree.values()));
            prop_assert!(ours.clone().into_values().eq(tree.clone().into_values()));
            prop_assert!(ours.into_iter().eq(tree));
        }

        #[test]
        fn a_set_answers_as_a_tree_does(items in proptest::collection::vec(0_u8..30, 0..60)) {
            let mut ours: VecSet<u8> = items.iter().copied().collect();
            let mut tree: BTreeSet<u8> = items.iter().copied().collect();
            prop_assert!(ours.iter().eq(&tree));
            for item in items.iter().map(|item| item / 2) {
                prop_assert_eq!(ours.contains(&item), tree.contains(&item));
                prop_assert_eq!(ours.remove(&item), tree.remove(&item));
                prop_assert_eq!(ours.insert(item), tree.insert(item));
            }
            prop_assert!(ours.iter().eq(&tree));
            prop_assert_eq!(ours.len(), tree.len());
        }
    }
}
