//! Bytes of catalog objects: what all kinds have.

use varve_types::{CompareOp, Error, Invariant, LogicalType, ObjectId, Result, SqlState};

use crate::model::schema::PUBLIC;

/// What an object in another schema than `public` begins with.
const IN_SCHEMA: [u8; 2] = [1, 16];

/// Comparisons by their codes.
pub(crate) const OPS: [CompareOp; 6] = [
    CompareOp::Eq,
    CompareOp::NotEq,
    CompareOp::Lt,
    CompareOp::LtEq,
    CompareOp::Gt,
    CompareOp::GtEq,
];

/// The code of a value: its place in the list of all.
pub(crate) fn code<T: PartialEq>(all: &[T], value: &T) -> Result<u8> {
    let found = (0..).zip(all).find(|(_, known)| *known == value);
    let (code, _) = found.or_broken("the codes of definitions")?;
    Ok(code)
}

pub(crate) fn put_count(bytes: &mut Vec<u8>, count: usize) -> Result<()> {
    let written = u16::try_from(count).map_err(|_| too_long(count))?;
    bytes.extend(written.to_le_bytes());
    Ok(())
}

pub(crate) fn put_name(bytes: &mut Vec<u8>, name: &str) -> Result<()> {
    put_count(bytes, name.len())?;
    bytes.extend(name.as_bytes());
    Ok(())
}

/// Bytes behind their length in four bytes.
pub(crate) fn put_long(bytes: &mut Vec<u8>, long: &[u8]) -> Result<()> {
    let len = u32::try_from(long.len()).map_err(|_| too_long(long.len()))?;
    bytes.extend(len.to_le_bytes());
    bytes.extend(long);
    Ok(())
}

/// `54000`: longer than a definition may be. Nothing of it is kept.
pub(crate) fn too_long(len: usize) -> Error {
    Error::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        format!("a definition has a part of length {len}, which is too long to be kept"),
    )
}

pub(crate) fn broken(field: &str) -> Error {
    Error::corrupted(format!("catalog object cannot be read: {field}"))
}

/// What is left to read.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    /// The schema of an object, and what follows the layout and the kind, which must be these.
    pub(crate) fn behind(bytes: &'a [u8], head: [u8; 2]) -> Result<(ObjectId, Input<'a>)> {
        let (schema, rest) = take_schema_head(bytes)?;
        let mut input = Input(rest);
        input.head(head)?;
        Ok((schema, input))
    }

    /// Reads the layout and the kind, which must be these.
    pub(crate) fn head(&mut self, [layout, kind]: [u8; 2]) -> Result<()> {
        match self.u8()? == layout && self.u8()? == kind {
            true => Ok(()),
            false => Err(broken("kind")),
        }
    }

    /// Refuses to have left bytes over.
    pub(crate) fn end(&self) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(broken("end")),
        }
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| broken("it ends early"))?;
        self.0 = rest;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?
            .try_into()
            .map_err(|_| broken("it ends early"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(crate) fn ty(&mut self) -> Option<LogicalType> {
        LogicalType::decode(&mut self.0)
    }

    pub(crate) fn count(&mut self) -> Result<usize> {
        Ok(usize::from(u16::from_le_bytes(self.array()?)))
    }

    pub(crate) fn name(&mut self) -> Result<String> {
        let len = self.count()?;
        let text = core::str::from_utf8(self.take(len)?).map_err(|_| broken("name"))?;
        Ok(text.to_owned())
    }
}

/// What the bytes of an object begin with, for its schema.
pub(crate) fn schema_head(schema: ObjectId) -> Vec<u8> {
    let mut bytes = Vec::new();
    if schema != PUBLIC {
        bytes.extend(IN_SCHEMA);
        bytes.extend(schema.0.to_le_bytes());
    }
    bytes
}

/// The schema of an object, and its other bytes.
pub(crate) fn take_schema_head(bytes: &[u8]) -> Result<(ObjectId, &[u8])> {
    let Some(rest) = bytes.strip_prefix(&IN_SCHEMA) else {
        return Ok((PUBLIC, bytes));
    };
    let mut input = Input(rest);
    let schema = ObjectId(u64::from_le_bytes(input.array()?));
    if schema == PUBLIC {
        return Err(broken("schema"));
    }
    Ok((schema, input.0))
}
