//! Which faults a wrapper injects.

use std::collections::BTreeMap;

use crate::KvError;

/// What happens to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFault {
    /// The call does nothing and answers this error.
    Fail(KvError),
    /// The call is carried out, but answers [`KvError::Unavailable`]: the case in which a commit
    /// must be repeated without harm.
    LoseAnswer,
    /// The connection closes under the call: by chance it is carried out or not, and it answers
    /// [`KvError::Unavailable`] in either case. The next call finds the connection renewed.
    Close,
    /// The process dies in this call, which never answers: whoever polls it drops all that it
    /// polls, then calls [`FaultKv::crash`](crate::fault::FaultKv::crash).
    Crash {
        /// Whether the call is still carried out.
        carried_out: bool,
    },
}

/// The faults to inject. Calls are numbered from 1 over `get_many`, `scan`, `read` and `commit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// Where all chance comes from.
    pub seed: u64,
    /// Faults by the number of the call.
    pub at_call: BTreeMap<u64, CallFault>,
    /// Each call yields up to so many times before it is carried out and again before it answers.
    pub yields_max: u32,
    /// The most bytes of keys and values that the store may hold; a commit beyond it answers
    /// [`KvError::StorageFull`].
    pub quota_bytes: Option<u64>,
    /// The commit of this number, counted from 1, answers [`KvError::StorageFull`].
    pub full_at_commit: Option<u64>,
}

impl FaultPlan {
    /// No faults yet.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// Adds a fault at a call.
    #[must_use]
    pub fn at_call(mut self, number: u64, fault: CallFault) -> Self {
        self.at_call.insert(number, fault);
        self
    }

    /// Delays every call by up to so many yields before and after.
    #[must_use]
    pub fn yields_max(mut self, yields: u32) -> Self {
        self.yields_max = yields;
        self
    }

    /// Bounds the bytes of the store.
    #[must_use]
    pub fn quota_bytes(mut self, bytes: u64) -> Self {
        self.quota_bytes = Some(bytes);
        self
    }

    /// Lets one commit find the storage full.
    #[must_use]
    pub fn full_at_commit(mut self, number: u64) -> Self {
        self.full_at_commit = Some(number);
        self
    }
}

/// A small generator whose sequence is the same everywhere (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, 2014).
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `max`, both included.
    pub fn up_to(&mut self, max: u64) -> u64 {
        match max.checked_add(1) {
            Some(count) => self.next_u64().checked_rem(count).unwrap_or(0),
            None => self.next_u64(),
        }
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.next_u64() & 1 == 1
    }
}
