//! One account of bytes for caches, memtables and operators.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Failure, Result};

/// An account of bytes in memory with a limit.
pub trait MemoryAccount: Send + Sync {
    /// Books `bytes` more, or answers `53200` and books nothing when the limit would be passed.
    fn try_grow(&self, bytes: u64) -> Result<()>;

    /// Gives back `bytes` that were booked before.
    fn shrink(&self, bytes: u64);

    /// Bytes booked now.
    fn used_bytes(&self) -> u64;

    /// The limit in bytes.
    fn limit_bytes(&self) -> u64;
}

/// The account of one database.
#[derive(Debug)]
pub struct MemoryBudget {
    used: AtomicU64,
    limit: AtomicU64,
}

impl MemoryBudget {
    /// An account with nothing booked.
    pub fn new(limit_bytes: u64) -> MemoryBudget {
        MemoryBudget {
            used: AtomicU64::new(0),
            limit: AtomicU64::new(limit_bytes),
        }
    }

    /// Changes the limit; what is booked above it stays booked.
    pub fn set_limit_bytes(&self, limit_bytes: u64) {
        self.limit.store(limit_bytes, Ordering::Relaxed);
    }
}

impl MemoryAccount for MemoryBudget {
    fn try_grow(&self, bytes: u64) -> Result<()> {
        let limit = self.limit.load(Ordering::Relaxed);
        let grow = |used: u64| used.checked_add(bytes).filter(|total| *total <= limit);
        match self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow)
        {
            Ok(_) => Ok(()),
            Err(used) => Err(Error::failed(Failure::OutOfMemory, "memory_limit reached")
                .with_detail(format!(
                    "{bytes} bytes more than the {used} in use pass {limit}"
                ))),
        }
    }

    fn shrink(&self, bytes: u64) {
        let less = |used: u64| Some(used.saturating_sub(bytes));
        // `less` never answers `None`, so the update cannot fail.
        let _ = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    fn used_bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn limit_bytes(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }
}

/// Bytes booked on an account, given back when dropped.
pub struct Reservation {
    account: Arc<dyn MemoryAccount>,
    bytes: u64,
}

impl Reservation {
    /// A reservation of nothing.
    pub fn new(account: Arc<dyn MemoryAccount>) -> Reservation {
        Reservation { account, bytes: 0 }
    }

    /// Books or gives back the difference to `bytes`; on `53200` the old reservation stands.
    pub fn resize(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.bytes {
            self.account.try_grow(bytes - self.bytes)?;
        } else {
            self.account.shrink(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Bytes booked by this reservation.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.account.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MemoryAccount, MemoryBudget, Reservation};
    use crate::SqlState;

    #[test]
    fn a_refused_growth_books_nothing_and_a_drop_gives_all_back() {
        let account = Arc::new(MemoryBudget::new(100));
        let mut reservation = Reservation::new(account.clone());
        reservation.resize(60).unwrap();
        let refused = reservation.resize(101).unwrap_err();
        assert_eq!(refused.state(), SqlState::OUT_OF_MEMORY);
        assert_eq!((reservation.bytes(), account.used_bytes()), (60, 60));
        reservation.resize(10).unwrap();
        assert_eq!(account.used_bytes(), 10);
        drop(reservation);
        assert_eq!(account.used_bytes(), 0);
    }
}
