//! What the statement that runs on this thread may still use: memory, and time.
//!
//! [`metered`] makes a [`Meter`] that of the thread whenever the statement's future is polled, so
//! that buffers and loops deep inside reach it without a parameter at each function between.
//!
//! Large buffers of columns book themselves, kernels ask for room, loops count steps, and what
//! views and functions add to a plan has a limit. `tests/memoryfuzz` calls every function and
//! aggregate at its limits in 256 MiB of address space.
//!
//! Invariant: a buffer that was refused room stays as it is and says nothing; the refusal is kept
//! by the meter, and [`check`] answers it. So whoever answers a result, or makes changes last, has
//! checked first.

use core::cell::{Cell, RefCell};
use core::pin::pin;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::future::{Future, poll_fn};
use std::sync::{Arc, OnceLock};

use crate::{Broken, Error, MemoryAccount, Result, SqlState, Value};

/// Buffers below this size are not booked one by one.
pub const LARGE_BYTES: usize = 1 << 20;
/// What views, functions and conditions may add to the text of one statement.
const PLAN_BYTES_MAX: u64 = 2 << 20;
/// Steps between two looks at the clock: a step takes well below a microsecond.
const STEPS: u32 = 4096;

/// Whether a statement should go on.
pub trait Cancel {
    /// `57014` when the statement was cancelled or ran out of time.
    fn check(&self) -> Result<()>;
}

/// The memory and the time of one statement.
pub struct Meter {
    account: Arc<dyn MemoryAccount>,
    cancel: Arc<dyn Cancel + Send + Sync>,
    /// What large buffers have booked.
    booked_bytes: AtomicU64,
    /// The most that was booked since [`take_peak`] was asked last.
    peak_bytes: AtomicU64,
    /// What was added to the text of the statement.
    planned_bytes: AtomicU64,
    is_closed: AtomicBool,
    refusal: OnceLock<Error>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Meter>>> = const { RefCell::new(None) };
    static STEPS_LEFT: Cell<u32> = const { Cell::new(STEPS) };
}

impl Meter {
    /// A meter with nothing booked.
    pub fn new(account: Arc<dyn MemoryAccount>, cancel: Arc<dyn Cancel + Send + Sync>) -> Meter {
        Meter {
            account,
            cancel,
            booked_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            planned_bytes: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
            refusal: OnceLock::new(),
        }
    }

    /// Runs `work` as a part of the statement.
    pub fn within<T>(self: &Arc<Meter>, work: impl FnOnce() -> T) -> T {
        let _before = Before(CURRENT.replace(Some(Arc::clone(self))));
        work()
    }

    fn grow(&self, bytes: u64) -> Result<()> {
        self.account.try_grow(bytes)?;
        let before = self.booked_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.peak_bytes
            .fetch_max(before.saturating_add(bytes), Ordering::Relaxed);
        Ok(())
    }

    fn shrink(&self, bytes: u64) {
        if !self.is_closed.load(Ordering::Relaxed) {
            self.booked_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.account.shrink(bytes);
        }
    }

    /// What outlives the statement belongs to whoever holds it.
    fn close(&self) {
        if !self.is_closed.swap(true, Ordering::Relaxed) {
            self.account
                .shrink(self.booked_bytes.load(Ordering::Relaxed));
        }
    }
}

impl core::fmt::Debug for Meter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Meter({:?})", self.booked_bytes)
    }
}

/// Gives the thread back to the statement around.
struct Before(Option<Arc<Meter>>);

impl Drop for Before {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Closes the meter, also where the statement is dropped before its end.
struct Closing(Arc<Meter>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The statement under a meter of its own.
pub async fn metered<F: Future>(meter: Meter, statement: F) -> F::Output {
    let meter = Closing(Arc::new(meter));
    let mut statement = pin!(statement);
    poll_fn(|context| meter.0.within(|| statement.as_mut().poll(context))).await
}

fn current() -> Option<Arc<Meter>> {
    CURRENT.with_borrow(Option::clone)
}

/// The most that large buffers have booked at once since this was asked last, beside what they book
/// now.
pub fn take_peak() -> usize {
    let above = CURRENT.with_borrow(|meter| {
        let meter = meter.as_ref()?;
        let now = meter.booked_bytes.load(Ordering::Relaxed);
        let peak = meter.peak_bytes.swap(now, Ordering::Relaxed);
        usize::try_from(peak.saturating_sub(now)).ok()
    });
    above.unwrap_or(0)
}

/// Whether the statement may go on: `57014`, or why a buffer was refused room.
pub fn check() -> Result<()> {
    refusal()?;
    let cancel = CURRENT.with_borrow(|meter| meter.as_ref().map(|meter| Arc::clone(&meter.cancel)));
    cancel.map_or(Ok(()), |cancel| cancel.check())
}

/// Why a buffer was refused room, if one was.
pub fn refusal() -> Result<()> {
    let refused = CURRENT.with_borrow(|meter| meter.as_ref()?.refusal.get().cloned());
    refused.map_or(Ok(()), Err)
}

/// So many short steps of a loop were made: now and then [`check`] is asked.
pub fn steps(count: usize) -> Result<()> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    match STEPS_LEFT.get().checked_sub(count) {
        Some(left) => {
            STEPS_LEFT.set(left);
            Ok(())
        }
        None => {
            STEPS_LEFT.set(STEPS);
            check()
        }
    }
}

/// Counts a text that comes into the plan of the statement beside its own, such as that of a view:
/// `54001` where these become too much.
pub fn planned(text_bytes: usize) -> Result<()> {
    /// What a text takes beside its length.
    const HEAD_BYTES: usize = 200;
    count_planned(HEAD_BYTES.saturating_add(text_bytes))
}

/// Whether so many parts of expressions may be written into others; if not, [`check`] answers
/// `54001`.
pub fn may_substitute(parts: usize) -> bool {
    /// What a part would take in a text.
    const PART_BYTES: usize = 16;
    match count_planned(PART_BYTES.saturating_mul(parts)) {
        Ok(()) => true,
        Err(error) => {
            refuse(|| error);
            false
        }
    }
}

fn count_planned(bytes: usize) -> Result<()> {
    let planned = CURRENT.with_borrow(|meter| {
        let bytes = bytes as u64;
        let planned = meter.as_ref().map(|meter| &meter.planned_bytes);
        planned.map_or(0, |planned| planned.fetch_add(bytes, Ordering::Relaxed))
    });
    if planned > PLAN_BYTES_MAX {
        let message = "the plan of the statement is too large";
        return Err(
            Error::new(SqlState::STATEMENT_TOO_COMPLEX, message).with_hint(
                "Views and functions that the statement reads come into it as often as they are \
                 named.",
            ),
        );
    }
    steps(bytes)
}

/// Whether there is room for `bytes` more, which are about to be allocated and soon freed: `53200`
/// where the memory limit leaves less.
pub fn room(bytes: usize) -> Result<()> {
    if bytes < LARGE_BYTES {
        return Ok(());
    }
    CURRENT.with_borrow(|meter| {
        let Some(meter) = meter else {
            return Ok(());
        };
        let bytes = bytes as u64;
        meter.account.try_grow(bytes)?;
        meter.account.shrink(bytes);
        Ok(())
    })
}

/// As [`room`], for what has no error to answer: false, which [`check`] explains.
pub fn has_room(bytes: usize) -> bool {
    match room(bytes) {
        Ok(()) => true,
        Err(error) => {
            refuse(|| error);
            false
        }
    }
}

/// The bytes of one large buffer, booked for as long as it lives.
#[derive(Debug, Default)]
pub struct Booking(Option<Box<(Arc<Meter>, AtomicU64)>>);

impl Booking {
    /// Asks for room in a buffer of `len` bytes, with space for `capacity`, for `more` of them.
    /// Answers the capacity that it should have, `None` where there is no room: then the buffer is
    /// to stay as it is.
    pub fn admit(&mut self, len: usize, capacity: usize, more: usize) -> Option<usize> {
        let wanted = len.saturating_add(more);
        if wanted <= capacity {
            return Some(capacity);
        }
        if u32::try_from(wanted).is_err() {
            refuse(too_long);
            return None;
        }
        let doubled = wanted.max(capacity.saturating_mul(2));
        if doubled < LARGE_BYTES || self.book(doubled).is_ok() {
            return Some(doubled);
        }
        match self.book(wanted) {
            Ok(()) => Some(wanted),
            Err(error) => {
                refuse(|| error);
                None
            }
        }
    }

    /// Books `bytes` in all.
    pub fn book(&mut self, bytes: usize) -> Result<()> {
        if self.0.is_none() {
            let Some(meter) = current() else {
                return Ok(());
            };
            self.0 = Some(Box::new((meter, AtomicU64::new(0))));
        }
        if let Some(booked) = &self.0 {
            let (meter, booked_bytes) = &**booked;
            let bytes = bytes as u64;
            let before = booked_bytes.load(Ordering::Relaxed);
            meter.grow(bytes.saturating_sub(before))?;
            booked_bytes.store(bytes.max(before), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Gives back what is booked: whoever holds the buffer books it from now on.
    pub fn give_back(&self) {
        if let Some(booked) = &self.0 {
            booked.0.shrink(booked.1.swap(0, Ordering::Relaxed));
        }
    }
}

impl Drop for Booking {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Bytes in many small pieces, booked by the mebibyte while their holder lives.
#[derive(Debug, Default)]
pub struct Growth {
    bytes: usize,
    booked_bytes: usize,
    booking: Booking,
}

impl Growth {
    /// Counts `bytes` more, before they are allocated; a step too.
    pub fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.booked_bytes.saturating_add(LARGE_BYTES) {
            self.booking.book(self.bytes)?;
            self.booked_bytes = self.bytes;
        }
        steps(1)
    }

    /// As [`Growth::add`], for what has no error to answer: `None`, which [`check`] explains.
    pub fn admit(&mut self, bytes: usize) -> Option<()> {
        self.add(bytes).map_err(|error| refuse(|| error)).ok()
    }
}

/// Values that are put together one by one, booked meanwhile.
#[derive(Debug, Default)]
pub struct ValueList {
    values: Vec<Value>,
    growth: Growth,
}

impl ValueList {
    /// Adds a value.
    pub fn push(&mut self, value: Value) -> Result<()> {
        /// What a value takes on the heap beside its bytes, and in the list.
        const HEAD: usize = 64;
        self.growth.add(HEAD + value.heap_bytes())?;
        self.values.push(value);
        Ok(())
    }

    /// The values, no longer booked.
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }
}

/// A length in the width that a form of values has for it: 0 where it does not fit, and then
/// [`check`] answers an internal error, which names the place. No value that the statement may keep
/// in memory is so long.
pub fn fitting<T: TryFrom<usize> + Default>(length: usize, place: &'static str) -> T {
    T::try_from(length).unwrap_or_else(|_| {
        refuse(|| Broken::new(place).into());
        T::default()
    })
}

/// Keeps the first refusal for [`check`].
fn refuse(why: impl FnOnce() -> Error) {
    CURRENT.with_borrow(|meter| {
        if let Some(meter) = meter {
            meter.refusal.get_or_init(why);
        }
    });
}

fn too_long() -> Error {
    Error::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        "the values of a column are too long for one batch",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Booking, Cancel, LARGE_BYTES, Meter, check, room};
    use crate::{MemoryAccount, MemoryBudget, Result, SqlState, TextData};

    struct Never;

    impl Cancel for Never {
        fn check(&self) -> Result<()> {
            Ok(())
        }
    }

    fn meter(limit_bytes: usize) -> (Arc<MemoryBudget>, Arc<Meter>) {
        let account = Arc::new(MemoryBudget::new(limit_bytes as u64));
        (
            account.clone(),
            Arc::new(Meter::new(account, Arc::new(Never))),
        )
    }

    #[test]
    fn a_large_buffer_is_booked_as_long_as_it_lives() {
        let (account, meter) = meter(8 * LARGE_BYTES);
        let part = "x".repeat(LARGE_BYTES);
        let text = meter.within(|| {
            let mut text = TextData::default();
            text.push("short");
            assert_eq!(account.used_bytes(), 0);
            (0..3).for_each(|_| text.push(&part));
            assert!(check().is_ok());
            text
        });
        assert!(account.used_bytes() >= 3 * LARGE_BYTES as u64);
        let copy = meter.within(|| text.clone());
        assert!(account.used_bytes() >= 6 * LARGE_BYTES as u64);
        assert_eq!(copy, text);
        drop((text, copy));
        assert_eq!(account.used_bytes(), 0);
    }

    #[test]
    fn a_refused_buffer_stays_and_the_statement_is_told() {
        let (account, meter) = meter(2 * LARGE_BYTES);
        let part = "x".repeat(LARGE_BYTES);
        meter.within(|| {
            let mut text = TextData::default();
            (0..100).for_each(|_| text.push(&part));
            assert_eq!(text.len(), 100);
            assert!(text.text().len() <= 2 * LARGE_BYTES);
            assert_eq!(check().unwrap_err().state(), SqlState::OUT_OF_MEMORY);
        });
        assert_eq!(account.used_bytes(), 0);
    }

    #[test]
    fn room_is_asked_for_and_not_kept() {
        let (account, meter) = meter(2 * LARGE_BYTES);
        meter.within(|| {
            assert!(room(2 * LARGE_BYTES).is_ok());
            let refused = room(2 * LARGE_BYTES + 1).unwrap_err();
            assert_eq!(refused.state(), SqlState::OUT_OF_MEMORY);
            assert!(check().is_ok(), "who asks is told, and nobody else");
        });
        assert_eq!(account.used_bytes(), 0);
        assert!(room(usize::MAX).is_ok(), "outside of a statement");
    }

    #[test]
    fn what_outlives_its_statement_is_not_booked() {
        let (account, meter) = meter(8 * LARGE_BYTES);
        let mut booking = Booking::default();
        meter.within(|| booking.book(LARGE_BYTES)).unwrap();
        assert_eq!(account.used_bytes(), LARGE_BYTES as u64);
        meter.close();
        assert_eq!(account.used_bytes(), 0);
        drop(booking);
        assert_eq!(account.used_bytes(), 0);
    }
}
