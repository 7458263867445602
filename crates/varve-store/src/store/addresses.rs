//! Which content is published, by hash; and which content runs refer to that are not published yet.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_types::{MemoryAccount, Reservation};

/// The BLAKE3 hash of a value.
pub(crate) type Hash = [u8; blake3::OUT_LEN];

/// Bytes that an entry of the index takes, roughly.
const ENTRY_BYTES: u64 = 64;

/// The hash of a value.
pub(crate) fn hash(value: &[u8]) -> Hash {
    *blake3::hash(value).as_bytes()
}

/// The addresses of a store's content.
pub(crate) struct Addresses {
    inner: Mutex<Inner>,
    /// Whether published content may have no references.
    is_worn: AtomicBool,
}

struct Inner {
    /// The numbers of published values. `None` before it is read, and where there is no memory for
    /// it: then values are stored again.
    published: Option<BTreeMap<Hash, i64>>,
    reservation: Reservation,
    /// How many unpublished runs count on a published value.
    in_use: BTreeMap<i64, u32>,
}

/// What a sweep finds in use while it holds the index: nothing comes into use until it is dropped.
pub(crate) struct HeldAddresses<'a>(MutexGuard<'a, Inner>);

impl Addresses {
    pub(crate) fn new(memory: Arc<dyn MemoryAccount>) -> Addresses {
        Addresses {
            inner: Mutex::new(Inner {
                published: None,
                reservation: Reservation::new(memory),
                in_use: BTreeMap::new(),
            }),
            is_worn: AtomicBool::new(false),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No step under this lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a published value, which stays until [`Addresses::release`].
    pub(crate) fn take(&self, hash: &Hash) -> Option<i64> {
        let mut inner = self.inner();
        let number = *inner.published.as_ref()?.get(hash)?;
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
                }
            }
        }
    }

    /// Adds values that were just published.
    pub(crate) fn publish(&self, values: BTreeMap<Hash, i64>) {
        let mut inner = self.inner();
        let Some(mut published) = inner.published.take() else {
            return;
        };
        published.extend(values);
        inner.keep(published);
    }

    /// Lets published values be found: all of those that there are.
    pub(crate) fn set_read(&self, published: BTreeMap<Hash, i64>) {
        self.inner().keep(published);
    }

    /// Keeps others from finding values until a sweep has decided.
    pub(crate) fn hold(&self) -> HeldAddresses<'_> {
        HeldAddresses(self.inner())
    }

    /// Notes whether published content may have lost its last reference, so that a sweep is due.
    pub(crate) fn set_worn(&self, is_worn: bool) {
        self.is_worn.store(is_worn, Ordering::Relaxed);
    }

    /// Whether a sweep is due.
    pub(crate) fn is_worn(&self) -> bool {
        self.is_worn.load(Ordering::Relaxed)
    }

    /// Whether published values are found.
    pub(crate) fn is_read(&self) -> bool {
        self.inner().published.is_some()
    }
}

impl Inner {
    fn keep(&mut self, published: BTreeMap<Hash, i64>) {
        let bytes = (published.len() as u64).saturating_mul(ENTRY_BYTES);
        self.published = self.reservation.resize(bytes).is_ok().then_some(published);
        if self.published.is_none() {
            // A smaller reservation is never refused.
            let _ = self.reservation.resize(0);
        }
    }
}

impl HeldAddresses<'_> {
    pub(crate) fn is_in_use(&self, number: i64) -> bool {
        self.0.in_use.contains_key(&number)
    }

    /// Forgets values for which `is_kept` is false.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(i64) -> bool) {
        if let Some(published) = &mut self.0.published {
            published.retain(|_, number| is_kept(*number));
        }
    }
}
