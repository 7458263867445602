//! A large object on its way out.

use core::ops::Range;

use varve_types::{Result, Value};

use super::{PAGE, PAGE_BYTES_U64, missing, not_whole};
use crate::session::Session;

/// Bytes of a large object, page by page.
pub struct LargeObjectReader<'s> {
    session: &'s mut Session,
    oid: i32,
    /// What is to be read yet.
    left: Range<u64>,
}

impl<'s> LargeObjectReader<'s> {
    pub(super) fn new(
        session: &'s mut Session,
        oid: i32,
        left: Range<u64>,
    ) -> LargeObjectReader<'s> {
        LargeObjectReader { session, oid, left }
    }

    /// The next bytes, at most 1 MiB; `None` after the last ones.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let number = self.left.start / PAGE_BYTES_U64;
        let first = number * PAGE_BYTES_U64;
        let page = i32::try_from(number).ok();
        let rows = self.session.of_object(self.oid, PAGE, page).await?;
        let Some(Value::Bytea(page)) = rows.first().and_then(|row| row.first()) else {
            return Err(missing(self.oid));
        };
        let end = self.left.end.min(first + PAGE_BYTES_U64);
        let within = usize::try_from(self.left.start - first).ok();
        let within = within.zip(usize::try_from(end - first).ok());
        let bytes = within.and_then(|(from, to)| page.get(from..to));
        let bytes = bytes.ok_or_else(|| not_whole(self.oid))?.to_vec();
        self.left.start = end;
        Ok(Some(bytes))
    }
}

impl core::fmt::Debug for LargeObjectReader<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "LargeObjectReader({}, {:?})", self.oid, self.left)
    }
}
