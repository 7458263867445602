//! Array values.
//!
//! Stored form: each element as a key value; `00`; the number of dimensions (u8), the length of
//! each (u32) and its lower bound (u32, the sign bit flipped), big-endian; then the details of the
//! elements that are not NULL. The order of the bytes before the details is PostgreSQL's: element
//! by element, NULLs last, then by length, then by shape.

use crate::details::{join, put_details, split, take, with_details};
use crate::meter::{self, Growth, fitting};
use crate::{ElementType, Error, Result, Value, decode_key_value, encode_key_value};

/// The most dimensions of an array.
pub const ARRAY_DIMENSIONS_MAX: usize = 6;
/// The most elements of an array.
const ELEMENTS_MAX: usize = 1 << 27;
const END: u8 = 0;
const SIGN: u32 = 1 << 31;

/// An array taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayValue {
    /// The type of the elements.
    pub element: ElementType,
    /// The dimensions, the outermost first; none of an array without elements.
    pub dimensions: Vec<ArrayDimension>,
    /// The elements in row-major order.
    pub values: Vec<Value>,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDimension {
    /// How many elements, or arrays of the next dimension.
    pub length: u32,
    /// The subscript of the first.
    pub lower: i32,
}

impl ArrayDimension {
    /// A dimension of so many elements.
    pub fn of(length: usize, lower: i32) -> ArrayDimension {
        let length = fitting(length, "elements of an array");
        ArrayDimension { length, lower }
    }
}

impl ArrayValue {
    /// An array of one dimension with subscripts from 1.
    pub fn of(element: ElementType, values: Vec<Value>) -> ArrayValue {
        let dimension = ArrayDimension::of(values.len(), 1);
        ArrayValue {
            element,
            dimensions: if values.is_empty() {
                vec![]
            } else {
                vec![dimension]
            },
            values,
        }
    }

    /// The stored form.
    ///
    /// An empty array where the statement may not use so much memory: see [`crate::meter`].
    pub fn encode(&self) -> Vec<u8> {
        const ELEMENT_BYTES: usize = 16;
        let bytes = self
            .values
            .iter()
            .map(|value| ELEMENT_BYTES + value.heap_bytes());
        if !meter::has_room(bytes.sum()) {
            return join(vec![END, 0], &[]);
        }
        let mut order = Vec::new();
        let mut details = Vec::new();
        let mut plain_details = Vec::new();
        for value in &self.values {
            let start = order.len();
            encode_key_value(value, &mut order);
            put_details(value, &mut details);
            let mut key = order.get(start..).unwrap_or_default();
            if let Some(read) = decode_key_value(self.element.logical(), &mut key) {
                put_details(&read, &mut plain_details);
            }
        }
        if details == plain_details {
            details.clear();
        }
        order.push(END);
        order.push(fitting(self.dimensions.len(), "dimensions of an array"));
        for dimension in &self.dimensions {
            order.extend_from_slice(&dimension.length.to_be_bytes());
            let lower = dimension.lower.cast_unsigned() ^ SIGN;
            order.extend_from_slice(&lower.to_be_bytes());
        }
        join(order, &details)
    }

    /// The array of a stored form; `XX001` for any other bytes.
    pub fn read(element: ElementType, stored: &[u8]) -> Result<ArrayValue> {
        ArrayValue::decode(element, stored).ok_or_else(|| Error::corrupted("an array"))
    }

    /// The array of a stored form.
    pub fn decode(element: ElementType, stored: &[u8]) -> Option<ArrayValue> {
        let (mut order, mut details) = split(stored)?;
        let has_details = !details.is_empty();
        let mut values = Vec::new();
        let mut growth = Growth::default();
        while *order.first()? != END {
            let mut value = decode_key_value(element.logical(), &mut order)?;
            if has_details && !value.is_null() {
                value = with_details(value, &mut details)?;
            }
            growth.admit(2 * size_of::<Value>() + value.heap_bytes())?;
            values.push(value);
        }
        let [_, count] = take::<2>(&mut order)?;
        if usize::from(count) > ARRAY_DIMENSIONS_MAX || !details.is_empty() {
            return None;
        }
        let mut dimensions = Vec::with_capacity(usize::from(count));
        let mut elements = usize::from(count > 0);
        for _ in 0..count {
            let length = u32::from_be_bytes(take(&mut order)?);
            let lower = (u32::from_be_bytes(take(&mut order)?) ^ SIGN).cast_signed();
            elements = elements.checked_mul(length as usize)?;
            dimensions.push(ArrayDimension { length, lower });
        }
        let sound = order.is_empty() && elements == values.len() && elements <= ELEMENTS_MAX;
        sound.then_some(ArrayValue {
            element,
            dimensions,
            values,
        })
    }
}
