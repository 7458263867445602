//! `pg_advisory_lock` and its kin: locks on numbers that sessions agree on.

use varve_types::{Result, Value};

use super::session::host;
use crate::tree::{AdvisoryCall, AdvisoryKey, AdvisoryLock, Row};

/// Others may have it so, too.
pub(super) const SHARED: u8 = 1;
/// It ends with the transaction.
pub(super) const OF_TRANSACTION: u8 = 2;

fn wanted(row: &Row<'_>, how: u8) -> AdvisoryLock {
    let key = match row.args {
        [_] => AdvisoryKey::One(row.int8(0)),
        _ => AdvisoryKey::Pair(row.int4(0), row.int4(1)),
    };
    AdvisoryLock {
        key,
        shared: how & SHARED != 0,
        of_transaction: how & OF_TRANSACTION != 0,
    }
}

/// The statement waits once the rows at hand are computed.
pub(super) fn lock<const HOW: u8>(row: &Row<'_>) -> Result<Value> {
    host(row)?.advisory(AdvisoryCall::Lock(wanted(row, HOW)))?;
    Ok(Value::text(""))
}

pub(super) fn try_lock<const HOW: u8>(row: &Row<'_>) -> Result<Value> {
    let taken = host(row)?.advisory(AdvisoryCall::Try(wanted(row, HOW)));
    taken.map(Value::Boolean)
}

pub(super) fn unlock<const HOW: u8>(row: &Row<'_>) -> Result<Value> {
    let released = host(row)?.advisory(AdvisoryCall::Unlock(wanted(row, HOW)));
    released.map(Value::Boolean)
}

pub(super) fn unlock_all(row: &Row<'_>) -> Result<Value> {
    host(row)?.advisory(AdvisoryCall::UnlockAll)?;
    Ok(Value::text(""))
}
