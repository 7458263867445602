//! Which content is published, by hash; and which content runs refer to that are not published yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use roaring::RoaringTreemap;
use varve_types::{Pacer, Reservation};

/// The BLAKE3 hash of a value.
pub(crate) type Hash = [u8; blake3::OUT_LEN];

/// Bytes that an entry of the index takes, roughly.
pub(crate) const ENTRY_BYTES: u64 = 64;
/// So much is hashed between two looks at the clock.
const HASHED_AT_ONCE: usize = 256 << 10;

/// The hash of a value.
pub(crate) fn hash(value: &[u8]) -> Hash {
    *blake3::hash(value).as_bytes()
}

/// The same in steps.
pub(crate) async fn hash_paced(value: &[u8], pacer: &mut Pacer) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for part in value.chunks(HASHED_AT_ONCE) {
        pacer.pause().await;
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The addresses of a store's content.
#[derive(Default)]
pub(crate) struct Addresses {
    inner: Mutex<Inner>,
    /// Whether published content may have no references.
    is_sweep_due: AtomicBool,
}

#[derive(Default)]
struct Inner {
    published: Published,
    /// How many unpublished runs count on a published value.
    in_use: BTreeMap<i64, u32>,
    /// Values that sweeps left only because they were in use.
    spared: BTreeSet<i64>,
}

/// The index from hashes to numbers.
#[derive(Default)]
enum Published {
    #[default]
    Unread,
    Read(Index),
    /// There was no memory for it: values are stored again.
    NoRoom,
}

/// Numbers by hash, and the memory that is booked for them.
pub(crate) struct Index {
    pub(crate) numbers: BTreeMap<Hash, i64>,
    pub(crate) reservation: Reservation,
    /// Those of the numbers that were swept.
    gone: RoaringTreemap,
}

impl Index {
    /// Of all published values.
    pub(crate) fn new(numbers: BTreeMap<Hash, i64>, reservation: Reservation) -> Index {
        Index {
            numbers,
            reservation,
            gone: RoaringTreemap::new(),
        }
    }

    fn get(&self, hash: &Hash) -> Option<i64> {
        let number = *self.numbers.get(hash)?;
        (!self.gone.contains(number.cast_unsigned())).then_some(number)
    }
}

/// What a sweep finds in use while it holds the index: nothing comes into use until it is dropped.
pub(crate) struct HeldAddresses<'a>(MutexGuard<'a, Inner>);

impl Addresses {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No step under this lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a published value, which stays until [`Addresses::release`].
    pub(crate) fn take(&self, hash: &Hash) -> Option<i64> {
        let mut inner = self.inner();
        let Published::Read(index) = &inner.published else {
            return None;
        };
        let number = index.get(hash)?;
        *inner.in_use.entry(number).or_default() += 1;
        Some(number)
    }

    /// Ends the use of values: runs that refer to them are published, or never will be.
    pub(crate) fn release<'a>(&self, numbers: impl Iterator<Item = &'a i64>) {
        let mut inner = self.inner();
        for number in numbers {
            if let Some(uses) = inner.in_use.get_mut(number) {
                *uses -= 1;
                if *uses == 0 {
                    inner.in_use.remove(number);
                    if inner.spared.remove(number) {
                        self.set_sweep_due(true);
                    }
                }
            }
        }
    }

    /// Adds values that were just published.
    pub(crate) fn publish(&self, values: BTreeMap<Hash, i64>) {
        let mut inner = self.inner();
        let Published::Read(index) = &mut inner.published else {
            return;
        };
        let entries = (index.numbers.len() + values.len()) as u64;
        match index
            .reservation
            .resize(entries.saturating_mul(ENTRY_BYTES))
        {
            Ok(()) => index.numbers.extend(values),
            Err(_) => inner.published = Published::NoRoom,
        }
    }

    /// Lets published values be found: all of those that there are. Nothing is published or swept
    /// meanwhile.
    pub(crate) fn set_read(&self, index: Option<Index>) {
        self.inner().published = index.map_or(Published::NoRoom, Published::Read);
    }

    /// Keeps others from finding values until a sweep has decided.
    pub(crate) fn hold(&self) -> HeldAddresses<'_> {
        HeldAddresses(self.inner())
    }

    /// Notes whether published content may have lost its last reference.
    pub(crate) fn set_sweep_due(&self, is_due: bool) {
        self.is_sweep_due.store(is_due, Ordering::Relaxed);
    }

    /// Whether published content may have lost its last reference.
    pub(crate) fn is_sweep_due(&self) -> bool {
        self.is_sweep_due.load(Ordering::Relaxed)
    }

    /// Whether published values are found.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.inner().published, Published::Read(_))
    }
}

impl HeldAddresses<'_> {
    /// Values to which unpublished runs refer; when they do no more, a sweep is due again.
    pub(crate) fn spare(&mut self, numbers: &RoaringTreemap) -> Vec<i64> {
        let in_use = self.0.in_use.keys().copied();
        let spared = in_use.filter(|number| numbers.contains(number.cast_unsigned()));
        let spared: Vec<i64> = spared.collect();
        self.0.spared.extend(spared.iter().copied());
        spared
    }

    /// Lets swept values not be found any more.
    pub(crate) fn forget(&mut self, numbers: &RoaringTreemap) {
        let Published::Read(index) = &mut self.0.published else {
            return;
        };
        index.gone |= numbers;
        if index.gone.len() > index.numbers.len() as u64 / 2 {
            // Reading what is left is cheaper than to keep what is gone.
            self.0.published = Published::Unread;
        }
    }
}
