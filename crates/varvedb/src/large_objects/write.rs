//! A large object on its way in.

use varve_types::{Error, Result, SqlState};

use super::{LargeObject, PAGE_BYTES};
use crate::session::Session;

/// Before the rows of COPY's binary format.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Behind them.
const TRAILER: &[u8] = &[0xff, 0xff];

/// A large object that is being written, by COPY: nobody sees it before
/// [`LargeObjectWriter::finish`]. Given up or failed, it leaves nothing, and a transaction block
/// that it was part of has failed.
pub struct LargeObjectWriter<'s> {
    session: &'s mut Session,
    oid: i32,
    /// The page that is not full.
    page: Vec<u8>,
    /// Those before it.
    pages: i32,
    bytes: u64,
}

impl<'s> LargeObjectWriter<'s> {
    /// Writes to a session whose COPY has begun.
    pub(super) async fn begin(session: &'s mut Session, oid: i32) -> Result<LargeObjectWriter<'s>> {
        session.copy_write(HEADER).await?;
        Ok(LargeObjectWriter {
            session,
            oid,
            page: Vec::with_capacity(PAGE_BYTES),
            pages: 0,
            bytes: 0,
        })
    }

    /// Takes the next piece, of any size. After an error the object is given up.
    pub async fn write(&mut self, piece: &[u8]) -> Result<()> {
        let mut rest = piece;
        while !rest.is_empty() {
            let room = PAGE_BYTES - self.page.len();
            let (taken, after) = rest.split_at(room.min(rest.len()));
            self.page.extend_from_slice(taken);
            self.bytes += taken.len() as u64;
            rest = after;
            if self.page.len() == PAGE_BYTES {
                self.end_page().await?;
            }
        }
        Ok(())
    }

    /// Ends the object: outside a transaction block it is committed.
    pub async fn finish(mut self) -> Result<LargeObject> {
        if self.pages == 0 || !self.page.is_empty() {
            self.end_page().await?;
        }
        self.session.copy_write(TRAILER).await?;
        self.session.copy_finish().await?;
        Ok(LargeObject {
            oid: self.oid,
            bytes: self.bytes,
        })
    }

    /// Gives the object up, as dropping the writer does, and waits until what was stored of it is
    /// deleted.
    pub async fn abort(self) -> Result<()> {
        self.session.copy_abort().await
    }

    async fn end_page(&mut self) -> Result<()> {
        let bytes = i32::try_from(self.page.len()).map_err(|_| too_large())?;
        let mut head = 3_i16.to_be_bytes().to_vec();
        for number in [4, self.oid, 4, self.pages, bytes] {
            head.extend(number.to_be_bytes());
        }
        self.session.copy_write(&head).await?;
        self.session.copy_write(&self.page).await?;
        self.page.clear();
        self.pages = self.pages.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }
}

impl Drop for LargeObjectWriter<'_> {
    fn drop(&mut self) {
        self.session.drop_copy();
    }
}

impl core::fmt::Debug for LargeObjectWriter<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "LargeObjectWriter({}, {} bytes)", self.oid, self.bytes)
    }
}

/// `54000`
fn too_large() -> Error {
    let message = "a large object has at most 2147483647 pages";
    Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message)
}
