//! Catalogue objects as bytes.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1, now 1 |
//! | kind of object | 1, 1 = table |
//! | object id, tree id | 8 + 8 |
//! | schema version | 4 |
//! | name | 2 (length) + UTF-8 |
//! | number of columns | 2 |
//! | a column: id, type code, nullable (0 or 1), name | 4 + 1 + 1 + 2 + UTF-8 |
//! | number of key columns | 2 |
//! | positions of the key columns | 2 each |
//!
//! Integers are little-endian; nothing follows the last key column.

use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, TreeId};

use crate::catalog::{ColumnDef, TableDef};

const LAYOUT_VERSION: u8 = 1;
const KIND_TABLE: u8 = 1;

/// The bytes of a table in the catalogue. Names and counts beyond 65,535 are cut, and then do not
/// decode: CREATE TABLE refuses them long before.
pub fn encode_table(table: &TableDef) -> Vec<u8> {
    let mut bytes = vec![LAYOUT_VERSION, KIND_TABLE];
    bytes.extend(table.object.0.to_le_bytes());
    bytes.extend(table.tree.0.to_le_bytes());
    bytes.extend(table.version.to_le_bytes());
    put_name(&mut bytes, &table.name);
    put_count(&mut bytes, table.columns.len());
    for column in &table.columns {
        bytes.extend(column.id.0.to_le_bytes());
        bytes.push(column.ty.code());
        bytes.push(u8::from(column.nullable));
        put_name(&mut bytes, &column.name);
    }
    put_count(&mut bytes, table.primary_key.len());
    for position in &table.primary_key {
        put_count(&mut bytes, *position);
    }
    bytes
}

/// The table that [`encode_table`] wrote; `XX001` for any other bytes.
pub fn decode_table(bytes: &[u8]) -> Result<TableDef> {
    let mut input = Input(bytes);
    match input.u8()? {
        LAYOUT_VERSION => {}
        version => {
            return Err(Error::corrupted(format!(
                "catalogue object has layout version {version}, known are 1 to {LAYOUT_VERSION}"
            )));
        }
    }
    if input.u8()? != KIND_TABLE {
        return Err(broken("kind"));
    }
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let tree = TreeId(u64::from_le_bytes(input.array()?));
    let version = u32::from_le_bytes(input.array()?);
    let name = input.name()?;
    let mut columns: Vec<ColumnDef> = Vec::new();
    for _ in 0..input.count()? {
        let id = ColumnId(u32::from_le_bytes(input.array()?));
        let ty = LogicalType::from_code(input.u8()?).ok_or_else(|| broken("column type"))?;
        let nullable = match input.u8()? {
            0 => false,
            1 => true,
            _ => return Err(broken("nullable")),
        };
        let name = input.name()?;
        if columns
            .iter()
            .any(|column| column.id == id || column.name == name)
        {
            return Err(broken("repeated column"));
        }
        columns.push(ColumnDef {
            id,
            name,
            ty,
            nullable,
        });
    }
    let mut primary_key = Vec::new();
    for _ in 0..input.count()? {
        let position = input.count()?;
        let sound = columns
            .get(position)
            .is_some_and(|column| !column.nullable && !primary_key.contains(&position));
        if !sound {
            return Err(broken("primary key"));
        }
        primary_key.push(position);
    }
    if !input.0.is_empty() {
        return Err(broken("end"));
    }
    Ok(TableDef {
        object,
        tree,
        version,
        name,
        columns,
        primary_key,
    })
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    bytes.extend(count.to_le_bytes());
}

fn put_name(bytes: &mut Vec<u8>, name: &str) {
    put_count(bytes, name.len());
    bytes.extend(name.as_bytes());
}

fn broken(field: &str) -> Error {
    Error::corrupted(format!("catalogue object cannot be read: {field}"))
}

/// What is left to read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| broken("it ends early"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?
            .try_into()
            .map_err(|_| broken("it ends early"))
    }

    fn u8(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    fn count(&mut self) -> Result<usize> {
        Ok(usize::from(u16::from_le_bytes(self.array()?)))
    }

    fn name(&mut self) -> Result<String> {
        let len = self.count()?;
        let text = core::str::from_utf8(self.take(len)?).map_err(|_| broken("name"))?;
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{decode_table, encode_table};
    use crate::catalog::{ColumnDef, TableDef};
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use varve_types::{ColumnId, LogicalType, ObjectId, SqlState, TreeId};

    fn table() -> TableDef {
        let column = |id, name: &str, ty, nullable| ColumnDef {
            id: ColumnId(id),
            name: name.to_owned(),
            ty,
            nullable,
        };
        TableDef {
            object: ObjectId(7),
            tree: TreeId(9),
            version: 1,
            name: "w".to_owned(),
            columns: vec![
                column(1, "at", LogicalType::TimestampTz, false),
                column(3, "t\u{b0}", LogicalType::Float8, true),
            ],
            primary_key: vec![0],
        }
    }

    #[test]
    fn golden_bytes() {
        let mut expected = vec![1, 1];
        expected.extend([7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        expected.extend([1, 0, 0, 0, 1, 0, b'w', 2, 0]);
        expected.extend([1, 0, 0, 0, 8, 0, 2, 0, b'a', b't']);
        expected.extend([3, 0, 0, 0, 4, 1, 3, 0, b't', 0xc2, 0xb0]);
        expected.extend([1, 0, 0, 0]);
        assert_eq!(encode_table(&table()), expected);
        assert_eq!(decode_table(&expected).unwrap(), table());
    }

    #[test]
    fn every_damaged_object_is_refused_or_sound() {
        let good = encode_table(&table());
        for len in 0..good.len() {
            let error = decode_table(&good[..len]).unwrap_err();
            assert_eq!(error.state(), SqlState::DATA_CORRUPTED, "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(table) = decode_table(&bad) {
                    assert_eq!(encode_table(&table), bad);
                }
            }
        }
        let longer = [good.as_slice(), &[0]].concat();
        assert!(decode_table(&longer).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(table) = decode_table(&bytes) {
                prop_assert_eq!(encode_table(&table), bytes);
            }
        }
    }
}
