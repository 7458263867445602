//! Jsonb values.
//!
//! Stored form: a value is `01` null; `02` and a string; `03` and a number as its key bytes; `04`
//! false; `05` true; `06`, the number of elements (u32, big-endian) and those; `07`, the number of
//! pairs (u32, big-endian) and of each the key as a string and the value. A string is its bytes
//! with `00` as `00 ff`, then `00 00`. `00` is the empty array as the whole value, which PostgreSQL
//! puts before all others. Then come, as the details, the scales of all numbers (u8 each). Keys
//! stand in PostgreSQL's order: by length, then by bytes.

use core::cmp::Ordering;

use crate::details::{join, rescaled, split, take};
use crate::keycode::{decode_decimal, decode_string, encode_decimal, encode_string};
use crate::meter::{Growth, fitting};
use crate::{Decimal, Result};

/// What a value takes beside its text: its place in a list that has room for others, and the
/// allocation of its text.
pub const NODE_BYTES: usize = 2 * size_of::<Json>() + 16;

/// How deep values may be nested.
pub const JSON_DEPTH_MAX: usize = 256;

pub(crate) const EMPTY_ARRAY: u8 = 0;
pub(crate) const NULL: u8 = 1;
pub(crate) const STRING: u8 = 2;
pub(crate) const NUMBER: u8 = 3;
pub(crate) const FALSE: u8 = 4;
pub(crate) const TRUE: u8 = 5;
pub(crate) const ARRAY: u8 = 6;
pub(crate) const OBJECT: u8 = 7;

/// A jsonb value taken apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number, which is not NaN and not infinite.
    Number(Decimal),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: keys ascending by length, then by bytes, each once. [`Json::object`] makes it so.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object of these pairs; of equal keys the last one counts.
    pub fn object(mut pairs: Vec<(String, Json)>) -> Json {
        varve_sort::sort_by(&mut pairs, |(a, _), (b, _)| key_order(a, b));
        let mut kept: Vec<(String, Json)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match kept.last_mut() {
                Some(last) if last.0 == pair.0 => *last = pair,
                _ => kept.push(pair),
            }
        }
        Json::Object(kept)
    }

    /// Counts what the value takes in memory.
    pub fn count_bytes(&self, growth: &mut Growth) -> Result<()> {
        growth.add(NODE_BYTES)?;
        match self {
            Json::String(text) => growth.add(text.len()),
            Json::Array(values) => values
                .iter()
                .try_for_each(|value| value.count_bytes(growth)),
            Json::Object(pairs) => pairs.iter().try_for_each(|(key, value)| {
                growth.add(NODE_BYTES + key.len())?;
                value.count_bytes(growth)
            }),
            _ => Ok(()),
        }
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Json::Array(values) if values.is_empty() => writer.order.push(EMPTY_ARRAY),
            value => writer.value(value),
        }
        if !writer.shows_zeros {
            writer.scales.clear();
        }
        join(writer.order, &writer.scales)
    }

    /// The value of a stored form.
    pub fn decode(stored: &[u8]) -> Option<Json> {
        let (order, scales) = split(stored)?;
        if order == [EMPTY_ARRAY] {
            return Some(Json::Array(Vec::new()));
        }
        let mut reader = Reader {
            order,
            scales,
            has_scales: !scales.is_empty(),
            growth: Growth::default(),
        };
        let value = reader.value(0)?;
        (reader.order.is_empty() && reader.scales.is_empty()).then_some(value)
    }
}

/// The order of the keys of an object.
pub fn key_order(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[derive(Default)]
struct Writer {
    order: Vec<u8>,
    scales: Vec<u8>,
    /// Whether a number shows zeros at its end that its key bytes do not hold.
    shows_zeros: bool,
}

impl Writer {
    fn value(&mut self, value: &Json) {
        match value {
            Json::Null => self.order.push(NULL),
            Json::Boolean(bit) => self.order.push(if *bit { TRUE } else { FALSE }),
            Json::Number(number) => {
                self.order.push(NUMBER);
                encode_decimal(*number, &mut self.order);
                self.scales.push(number.scale());
                self.shows_zeros |= number.scale() != number.normalized().scale();
            }
            Json::String(text) => {
                self.order.push(STRING);
                encode_string(text.as_bytes(), &mut self.order);
            }
            Json::Array(values) => {
                self.count(ARRAY, values.len());
                values.iter().for_each(|value| self.value(value));
            }
            Json::Object(pairs) => {
                self.count(OBJECT, pairs.len());
                for (key, value) in pairs {
                    encode_string(key.as_bytes(), &mut self.order);
                    self.value(value);
                }
            }
        }
    }

    fn count(&mut self, kind: u8, count: usize) {
        self.order.push(kind);
        let count: u32 = fitting(count, "items of a document");
        self.order.extend_from_slice(&count.to_be_bytes());
    }
}

pub(crate) struct Reader<'a> {
    pub(crate) order: &'a [u8],
    pub(crate) scales: &'a [u8],
    pub(crate) has_scales: bool,
    /// What the value takes so far.
    pub(crate) growth: Growth,
}

impl Reader<'_> {
    pub(crate) fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > JSON_DEPTH_MAX {
            return None;
        }
        let [kind] = take(&mut self.order)?;
        self.growth.admit(NODE_BYTES)?;
        Some(match kind {
            NULL => Json::Null,
            FALSE => Json::Boolean(false),
            TRUE => Json::Boolean(true),
            STRING => Json::String(self.string()?),
            NUMBER => {
                let number = decode_decimal(&mut self.order)?;
                if self.has_scales {
                    let [scale] = take(&mut self.scales)?;
                    Json::Number(rescaled(number, scale)?)
                } else {
                    Json::Number(number)
                }
            }
            ARRAY => {
                let count = u32::from_be_bytes(take(&mut self.order)?);
                let values = (0..count).map(|_| self.value(depth + 1));
                Json::Array(values.collect::<Option<_>>()?)
            }
            OBJECT => {
                let count = u32::from_be_bytes(take(&mut self.order)?);
                let pairs = (0..count).map(|_| Some((self.string()?, self.value(depth + 1)?)));
                let pairs: Vec<(String, Json)> = pairs.collect::<Option<_>>()?;
                let ascends =
                    pairs.is_sorted_by(|(a, _), (b, _)| key_order(a, b) == Ordering::Less);
                ascends.then_some(Json::Object(pairs))?
            }
            _ => return None,
        })
    }

    fn string(&mut self) -> Option<String> {
        let text = decode_string(&mut self.order)?;
        self.growth.admit(text.len())?;
        String::from_utf8(text).ok()
    }
}
