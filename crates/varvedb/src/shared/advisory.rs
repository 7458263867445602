//! Advisory locks: numbers that the sessions of a database agree on. They are in memory only, and
//! end with their session or its transaction.

use std::sync::{Mutex, MutexGuard, PoisonError};

use varve_expr::{AdvisoryKey, AdvisoryLock};
use varve_sort::VecMap;
use varve_types::{Error, Result, SqlState, Value};

/// Most locks of all sessions together.
const LOCKS_MAX: usize = 1 << 16;

/// The locks of all sessions.
#[derive(Debug, Default)]
pub(crate) struct AdvisoryLocks(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    sessions: u64,
    held: VecMap<AdvisoryKey, Vec<Hold>>,
    /// What sessions wait for.
    wanted: Vec<(u64, AdvisoryLock)>,
}

/// A lock of a session, as often as it has taken it.
#[derive(Debug)]
struct Hold {
    session: u64,
    lock: AdvisoryLock,
    count: u64,
}

/// While it is there a session waits.
pub(crate) struct Waiting<'a> {
    locks: &'a AdvisoryLocks,
    session: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.locks.state();
        state.wanted.retain(|(session, _)| *session != self.session);
    }
}

impl State {
    /// The sessions because of which another cannot have a lock.
    fn holders(&self, session: u64, lock: AdvisoryLock) -> impl Iterator<Item = u64> {
        let holds = self.held.get(&lock.key).map_or(&[][..], Vec::as_slice);
        let excludes =
            move |hold: &&Hold| hold.session != session && !(hold.lock.shared && lock.shared);
        holds.iter().filter(excludes).map(|hold| hold.session)
    }

    /// Whether what a session waits for waits for that session.
    fn is_in_circle(&self, session: u64) -> bool {
        let mut behind = vec![session];
        let mut next = 0;
        while let Some(one) = behind.get(next).copied() {
            next += 1;
            let wanted = self.wanted.iter().filter(|(waiting, _)| *waiting == one);
            for holder in wanted.flat_map(|(_, lock)| self.holders(one, *lock)) {
                if holder == session {
                    return true;
                }
                if !behind.contains(&holder) {
                    behind.push(holder);
                }
            }
        }
        false
    }
}

impl AdvisoryLocks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a session that begins.
    pub fn new_session(&self) -> u64 {
        let mut state = self.state();
        state.sessions += 1;
        state.sessions
    }

    /// Takes a lock unless others have it.
    pub fn take(&self, session: u64, lock: AdvisoryLock) -> Result<bool> {
        let mut state = self.state();
        if state.holders(session, lock).next().is_some() {
            return Ok(false);
        }
        let is_full = state.held.len() >= LOCKS_MAX && !state.held.contains_key(&lock.key);
        if is_full {
            let error = Error::new(SqlState::OUT_OF_MEMORY, "out of shared memory");
            return Err(error.with_detail(format!("There are {LOCKS_MAX} advisory locks.")));
        }
        let holds = state.held.entry(lock.key).or_default();
        let is_same = |hold: &&mut Hold| hold.session == session && hold.lock == lock;
        match holds.iter_mut().find(is_same) {
            Some(hold) => hold.count += 1,
            None => holds.push(Hold {
                session,
                lock,
                count: 1,
            }),
        }
        Ok(true)
    }

    /// Gives a lock back that was taken once; whether it was.
    pub fn release(&self, session: u64, lock: AdvisoryLock) -> bool {
        let mut state = self.state();
        let Some(holds) = state.held.get_mut(&lock.key) else {
            return false;
        };
        let is_same = |hold: &Hold| hold.session == session && hold.lock == lock;
        let Some(at) = holds.iter().position(is_same) else {
            return false;
        };
        if let Some(hold) = holds.get_mut(at) {
            hold.count -= 1;
            if hold.count == 0 {
                holds.remove(at);
            }
        }
        if holds.is_empty() {
            state.held.remove(&lock.key);
        }
        true
    }

    /// Gives back what a session has: all of it, or what does not end with its transaction.
    pub fn release_all(&self, session: u64, of_transaction: bool) {
        self.state().held.retain(|_, holds| {
            let goes = |hold: &Hold| !hold.lock.of_transaction || of_transaction;
            holds.retain(|hold| hold.session != session || !goes(hold));
            !holds.is_empty()
        });
    }

    /// Says that a session waits for a lock.
    pub fn wait(&self, session: u64, lock: AdvisoryLock) -> Waiting<'_> {
        self.state().wanted.push((session, lock));
        Waiting {
            locks: self,
            session,
        }
    }

    /// `40P01` where sessions that wait for each other would wait for ever.
    pub fn check_circle(&self, session: u64) -> Result<()> {
        match self.state().is_in_circle(session) {
            true => Err(Error::new(SqlState::DEADLOCK_DETECTED, "deadlock detected")
                .with_hint("Sessions wait for advisory locks of each other.")),
            false => Ok(()),
        }
    }

    /// The rows of `pg_locks`.
    pub fn rows(&self) -> Vec<Vec<Value>> {
        let state = self.state();
        let held = state.held.values().flatten();
        let held = held.map(|hold| (hold.session, hold.lock, true));
        let wanted = state.wanted.iter();
        let wanted = wanted.map(|(session, lock)| (*session, *lock, false));
        held.chain(wanted)
            .map(|(session, lock, granted)| row(session, lock, granted))
            .collect()
    }
}

fn row(session: u64, lock: AdvisoryLock, granted: bool) -> Vec<Value> {
    let oid = |bits: u32| Value::Oid(bits);
    let (class, object, part) = match lock.key {
        AdvisoryKey::One(number) => {
            let [high, low] = halves(number);
            (high, low, 1)
        }
        AdvisoryKey::Pair(first, second) => (first.cast_unsigned(), second.cast_unsigned(), 2),
    };
    let mode = match lock.shared {
        true => "ShareLock",
        false => "ExclusiveLock",
    };
    vec![
        Value::text("advisory"),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        oid(class),
        oid(object),
        Value::Int4(part),
        Value::Int4(i32::try_from(session).unwrap_or(i32::MAX)),
        Value::text(mode),
        Value::Boolean(granted),
    ]
}

fn halves(number: i64) -> [u32; 2] {
    let bytes = number.to_be_bytes();
    let [a, b, c, d, e, f, g, h] = bytes;
    [
        u32::from_be_bytes([a, b, c, d]),
        u32::from_be_bytes([e, f, g, h]),
    ]
}
