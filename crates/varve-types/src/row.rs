//! Rows as values.
//!
//! Stored form: the number of fields (u16, big-endian) and the type of each; each field as a key
//! value; then the details of the fields that are not NULL, as arrays have them. So a row tells of
//! itself what it is made of, and the order of the bytes before the details is that of rows of the
//! same types: field by field, NULLs last and equal to each other.

use crate::details::{join, put_details, split, take, with_details};
use crate::meter::fitting;
use crate::{Error, LogicalType, Result, Value, decode_key_value, encode_key_value};

/// A row taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowValue {
    /// The type and the value of each field.
    pub fields: Vec<(LogicalType, Value)>,
}

impl RowValue {
    /// The row of a stored form; `XX001` for any other bytes.
    pub fn read(stored: &[u8]) -> Result<RowValue> {
        RowValue::decode(stored).ok_or_else(|| Error::corrupted("a row"))
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let count: u16 = fitting(self.fields.len(), "fields of a row");
        let mut order = count.to_be_bytes().to_vec();
        for (ty, _) in &self.fields {
            ty.encode(&mut order);
        }
        let mut details = Vec::new();
        let mut plain_details = Vec::new();
        for (ty, value) in &self.fields {
            let start = order.len();
            encode_key_value(value, &mut order);
            put_details(value, &mut details);
            let mut key = order.get(start..).unwrap_or_default();
            if let Some(read) = decode_key_value(*ty, &mut key) {
                put_details(&read, &mut plain_details);
            }
        }
        if details == plain_details {
            details.clear();
        }
        join(order, &details)
    }

    /// The row of a stored form.
    pub fn decode(stored: &[u8]) -> Option<RowValue> {
        let (mut order, mut details) = split(stored)?;
        let has_details = !details.is_empty();
        let count = usize::from(u16::from_be_bytes(take(&mut order)?));
        let mut types = Vec::new();
        for _ in 0..count {
            types.push(LogicalType::decode(&mut order)?);
        }
        let mut fields = Vec::with_capacity(types.len());
        for ty in types {
            let mut value = decode_key_value(ty, &mut order)?;
            if has_details && !value.is_null() {
                value = with_details(value, &mut details)?;
            }
            fields.push((ty, value));
        }
        (order.is_empty() && details.is_empty()).then_some(RowValue { fields })
    }
}

#[cfg(test)]
mod tests {
    use super::RowValue;
    use crate::{ArrayValue, ElementType, LogicalType, RowTypeId, Value};
    use core::cmp::Ordering;

    fn row(fields: &[(LogicalType, Value)]) -> RowValue {
        RowValue {
            fields: fields.to_vec(),
        }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let price = Value::Numeric(crate::Decimal::parse("1.50").unwrap());
        let inner = row(&[(LogicalType::Numeric, price.clone())]);
        let array = ArrayValue::of(ElementType::Numeric, vec![price.clone(), Value::Null]);
        let whole = row(&[
            (LogicalType::Int4, Value::Int4(-1)),
            (LogicalType::Varchar, Value::text("a\0b")),
            (LogicalType::Numeric, price),
            (LogicalType::Text, Value::Null),
            (
                LogicalType::Row(RowTypeId(7)),
                Value::row(RowTypeId(7), &inner),
            ),
            (
                LogicalType::Array(ElementType::Numeric),
                Value::array(&array),
            ),
        ]);
        let stored = whole.encode();
        assert_eq!(RowValue::decode(&stored), Some(whole));
        for length in 0..stored.len() {
            assert_eq!(RowValue::decode(&stored[..length]), None, "{length}");
        }
        assert_eq!(RowValue::decode(&row(&[]).encode()), Some(row(&[])));
    }

    #[test]
    fn fields_order_rows() {
        let of = |a: Value, b: &str| {
            let fields = row(&[(LogicalType::Int4, a), (LogicalType::Text, Value::text(b))]);
            Value::row(RowTypeId::RECORD, &fields)
        };
        let rows = [
            of(Value::Int4(-5), "z"),
            of(Value::Int4(1), ""),
            of(Value::Int4(1), "a"),
            of(Value::Null, "a"),
        ];
        for pair in rows.windows(2) {
            assert_eq!(pair[0].compare(&pair[1]), Some(Ordering::Less));
        }
        assert_eq!(rows[3].compare(&rows[3]), Some(Ordering::Equal));
    }
}
