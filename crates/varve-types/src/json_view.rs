//! Looking into jsonb values without taking all of them apart.

use crate::Decimal;
use crate::details::{split, take};
use crate::json::{
    ARRAY, EMPTY_ARRAY, FALSE, JSON_DEPTH_MAX, Json, NULL, NUMBER, OBJECT, Reader, STRING, TRUE,
};
use crate::keycode::{decode_decimal, encode_string, skip_string};
use crate::meter::Growth;

/// What kind of value it is, arrays and objects with the number of their members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array of so many elements.
    Array(u32),
    /// An object of so many pairs.
    Object(u32),
}

/// A value within a stored one.
#[derive(Clone, Copy, Debug)]
pub struct JsonView<'a> {
    /// From the value on.
    order: &'a [u8],
    /// From its first scale on; `None` where no number shows zeros.
    scales: Option<&'a [u8]>,
}

impl<'a> JsonView<'a> {
    /// The whole of a stored form.
    pub fn new(stored: &'a [u8]) -> Option<JsonView<'a>> {
        let (order, scales) = split(stored)?;
        let scales = Some(scales).filter(|scales| !scales.is_empty());
        Some(JsonView { order, scales })
    }

    /// The kind; `None` where the bytes are none.
    pub fn kind(mut self) -> Option<JsonKind> {
        let [kind] = take(&mut self.order)?;
        Some(match kind {
            EMPTY_ARRAY => JsonKind::Array(0),
            NULL => JsonKind::Null,
            STRING => JsonKind::String,
            NUMBER => JsonKind::Number,
            FALSE | TRUE => JsonKind::Boolean,
            ARRAY => JsonKind::Array(self.count()?),
            OBJECT => JsonKind::Object(self.count()?),
            _ => return None,
        })
    }

    fn count(&mut self) -> Option<u32> {
        take(&mut self.order).map(u32::from_be_bytes)
    }

    /// The value of a key; `None` too where this is no object.
    pub fn member(mut self, key: &str) -> Option<JsonView<'a>> {
        let JsonKind::Object(count) = self.kind()? else {
            return None;
        };
        let mut wanted = Vec::with_capacity(key.len() + 2);
        encode_string(key.as_bytes(), &mut wanted);
        take::<5>(&mut self.order)?;
        for _ in 0..count {
            if let Some(value) = self.order.strip_prefix(wanted.as_slice()) {
                self.order = value;
                return Some(self);
            }
            skip_string(&mut self.order)?;
            self.skip(0)?;
        }
        None
    }

    /// An element counted from 0, or from -1 at the end; `None` too where this is no array.
    pub fn element(mut self, index: i64) -> Option<JsonView<'a>> {
        let JsonKind::Array(count) = self.kind()? else {
            return None;
        };
        let index = match index {
            0.. => index,
            from_end => from_end.checked_add(i64::from(count))?,
        };
        if !(0..i64::from(count)).contains(&index) {
            return None;
        }
        take::<5>(&mut self.order)?;
        for _ in 0..index {
            self.skip(0)?;
        }
        Some(self)
    }

    /// Passes over the value.
    fn skip(&mut self, depth: usize) -> Option<()> {
        if depth > JSON_DEPTH_MAX {
            return None;
        }
        let [kind] = take(&mut self.order)?;
        match kind {
            NULL | FALSE | TRUE => {}
            STRING => skip_string(&mut self.order)?,
            NUMBER => {
                let _: Decimal = decode_decimal(&mut self.order)?;
                if let Some(scales) = &mut self.scales {
                    take::<1>(scales)?;
                }
            }
            ARRAY => {
                for _ in 0..self.count()? {
                    self.skip(depth + 1)?;
                }
            }
            OBJECT => {
                for _ in 0..self.count()? {
                    skip_string(&mut self.order)?;
                    self.skip(depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The value taken apart.
    pub fn to_json(self) -> Option<Json> {
        if self.order.first() == Some(&EMPTY_ARRAY) {
            return Some(Json::Array(Vec::new()));
        }
        let mut reader = Reader {
            order: self.order,
            scales: self.scales.unwrap_or_default(),
            has_scales: self.scales.is_some(),
            growth: Growth::default(),
        };
        reader.value(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonKind, JsonView};
    use crate::testing::sample_value;
    use crate::{Decimal, Json, LogicalType, Value};
    use proptest::prelude::{prop_assert_eq, proptest};

    fn number(mantissa: i128, scale: u8) -> Json {
        Json::Number(Decimal::new(mantissa, scale).unwrap())
    }

    #[test]
    fn members_are_found() {
        let json = Json::object(vec![
            ("a\0b".to_owned(), number(10, 1)),
            (
                "c".to_owned(),
                Json::Array(vec![number(20, 1), Json::Array(vec![])]),
            ),
        ]);
        let stored = json.encode();
        let view = JsonView::new(&stored).unwrap();
        assert_eq!(view.kind(), Some(JsonKind::Object(2)));
        assert_eq!(view.member("a\0b").unwrap().to_json(), Some(number(10, 1)));
        let array = view.member("c").unwrap();
        assert_eq!(array.kind(), Some(JsonKind::Array(2)));
        assert_eq!(array.element(-2).unwrap().to_json(), Some(number(20, 1)));
        let inner = array.element(1).unwrap();
        assert_eq!(inner.to_json(), Some(Json::Array(vec![])));
        assert!(array.element(2).is_none() && array.element(-3).is_none());
        assert!(array.member("c").is_none() && view.element(0).is_none());
        assert!(view.member("a").is_none());
    }

    proptest! {
        #[test]
        fn members_are_those_of_the_whole(bits: u64, text in ".{0,4}") {
            let Value::Jsonb(stored) = sample_value(LogicalType::Jsonb, bits, &text) else {
                return Ok(());
            };
            let json = Json::decode(&stored).unwrap();
            let view = JsonView::new(&stored).unwrap();
            match &json {
                Json::Array(values) => {
                    for (i, value) in values.iter().enumerate() {
                        let found = view.element(i64::try_from(i).unwrap()).unwrap().to_json();
                        prop_assert_eq!(found.as_ref(), Some(value));
                    }
                }
                Json::Object(pairs) => {
                    for (key, value) in pairs {
                        let found = view.member(key).unwrap().to_json();
                        prop_assert_eq!(found.as_ref(), Some(value));
                    }
                }
                _ => {}
            }
            prop_assert_eq!(view.to_json(), Some(json));
        }
    }
}
