//! Where PostgreSQL's form of a jsonb value holds a part of it: `.keyvalue()` answers that as the
//! id of an object.

use varve_types::{Decimal, Json};

/// The distance in bytes of the object `part` from `base`, which it is a part of.
pub(super) fn offset_of(base: &Json, part: &Json) -> Option<i64> {
    let mut walk = Walk { part, found: None };
    walk.pass(base, 0);
    walk.found
}

struct Walk<'a> {
    part: &'a Json,
    found: Option<i64>,
}

fn aligned(at: i64) -> i64 {
    (at + 3) / 4 * 4
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(0)
}

impl Walk<'_> {
    /// Where a value that begins at `at` ends.
    fn pass(&mut self, json: &Json, at: i64) -> i64 {
        if self.found.is_some() {
            return at;
        }
        match json {
            Json::Null | Json::Boolean(_) => at,
            Json::String(text) => at + length(text.len()),
            // A header of 6 bytes, then 2 for every four digits.
            Json::Number(number) => aligned(at) + 6 + 2 * groups(*number),
            Json::Array(elements) => {
                let head = aligned(at) + 4 + 4 * length(elements.len());
                elements.iter().fold(head, |at, value| self.pass(value, at))
            }
            Json::Object(pairs) => {
                let at = aligned(at);
                if core::ptr::eq(json, self.part) {
                    self.found = Some(at);
                }
                let keys = pairs.iter().map(|(key, _)| length(key.len()));
                let values = at + 4 + 8 * length(pairs.len()) + keys.sum::<i64>();
                pairs
                    .iter()
                    .fold(values, |at, (_, value)| self.pass(value, at))
            }
        }
    }
}

/// How many groups of four digits around the decimal point are not 0 at the ends.
fn groups(number: Decimal) -> i64 {
    let scale = u32::from(number.scale());
    let fraction = scale.div_ceil(4);
    let digits = number.mantissa().unsigned_abs().to_string();
    let zeros = usize::try_from(fraction * 4 - scale).unwrap_or(0);
    let padded = digits + &"0".repeat(zeros);
    let lead = (4 - padded.len() % 4) % 4;
    let padded = "0".repeat(lead) + &padded;
    let chunks: Vec<&[u8]> = padded.as_bytes().chunks(4).collect();
    let is_zero = |chunk: &&&[u8]| chunk.iter().all(|digit| *digit == b'0');
    let leading = chunks.iter().take_while(is_zero).count();
    let trailing = chunks.iter().rev().take_while(is_zero).count();
    length(chunks.len()) - length(leading) - length(trailing).min(length(chunks.len() - leading))
}
