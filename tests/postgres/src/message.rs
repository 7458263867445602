use std::collections::BTreeMap;

/// How a column of an answer is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnHead {
    /// Its name.
    pub name: String,
    /// The OID of its type.
    pub type_oid: u32,
}

/// The columns that a message `T` describes.
pub fn columns(body: &[u8]) -> Vec<ColumnHead> {
    let mut body = Body(body);
    let columns = (0..body.u16()).map(|_| {
        let name = body.text();
        // The table and the number of the column in it.
        body.take(6);
        let type_oid = body.u32();
        // The length of the type, its modifier, the format.
        body.take(8);
        ColumnHead { name, type_oid }
    });
    columns.collect()
}

/// The values of a message `D`, `None` for NULL.
pub fn cells(body: &[u8]) -> Vec<Option<String>> {
    let mut body = Body(body);
    let cells = (0..body.u16()).map(|_| match body.u32() {
        u32::MAX => None,
        length => {
            let value = body.take(usize::try_from(length).unwrap_or(usize::MAX));
            Some(String::from_utf8_lossy(value).into_owned())
        }
    });
    cells.collect()
}

/// The fields of an error or a notice by their letters.
pub fn fields(body: &[u8]) -> BTreeMap<char, String> {
    let mut body = Body(body);
    let mut fields = BTreeMap::new();
    while let Some(&key) = body.take(1).first().filter(|key| **key != 0) {
        fields.insert(char::from(key), body.text());
    }
    fields
}

/// Reads numbers and texts of a message, zeros behind its end.
struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn u16(&mut self) -> u16 {
        self.take(2).try_into().map_or(0, u16::from_be_bytes)
    }

    fn u32(&mut self) -> u32 {
        self.take(4).try_into().map_or(0, u32::from_be_bytes)
    }

    fn text(&mut self) -> String {
        let length = self.0.iter().position(|byte| *byte == 0);
        let text = self.take(length.unwrap_or(self.0.len()));
        self.take(1);
        String::from_utf8_lossy(text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let error = fields(b"SERROR\0C42P01\0Mno\0P8\0\0");
        let expected = [('C', "42P01"), ('M', "no"), ('P', "8"), ('S', "ERROR")];
        assert_eq!(
            error,
            expected.map(|(key, text)| (key, text.to_owned())).into()
        );
        let row = cells(&[0, 2, 255, 255, 255, 255, 0, 0, 0, 1, b'x']);
        assert_eq!(row, [None, Some("x".to_owned())]);
        let mut body = vec![0, 1, b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23];
        body.extend([0; 8]);
        let name = "a".to_owned();
        assert_eq!(columns(&body), [ColumnHead { name, type_oid: 23 }]);
    }

    #[test]
    fn torn_messages_do_no_harm() {
        assert_eq!(cells(&[0, 2, 0, 0, 0, 9, b'x']).len(), 2);
        assert_eq!(columns(&[0, 3, b'a']).len(), 3);
        assert_eq!(fields(b"Mno").len(), 1);
    }
}
