//! The one Arrow file of the corpora: 200,000 flights with delay and distance (16 bits) and time
//! (single precision), as one batch without NULL whose buffers end at the footer's marker.

use crate::set::{Column, Set, Values};

const MAGIC: &[u8] = b"ARROW1";
/// What ends the batches: a length of zero after the mark of a message.
const END_OF_STREAM: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
const ROWS: usize = 200_000;

/// Reads it; another Arrow file is none.
pub(super) fn flights(name: &str, raw: &[u8]) -> Option<Set> {
    if !raw.starts_with(MAGIC) {
        return None;
    }
    let body_bytes = ROWS * (2 + 2 + 4);
    let end = raw.windows(8).rposition(|window| window == END_OF_STREAM)?;
    let body = raw.get(end.checked_sub(body_bytes)?..end)?;
    let (delays, rest) = body.split_at(2 * ROWS);
    let (distances, times) = rest.split_at(2 * ROWS);
    let shorts = |bytes: &[u8]| -> Vec<i64> {
        let twos = bytes.as_chunks::<2>().0.iter();
        twos.map(|two| i64::from(i16::from_le_bytes(*two)))
            .collect()
    };
    let fours = times.as_chunks::<4>().0.iter();
    let times = fours
        .map(|four| f64::from(f32::from_le_bytes(*four)))
        .collect();
    let columns = vec![
        Column::new("delay", Values::Int32(shorts(delays))),
        Column::new("distance", Values::Int32(shorts(distances))),
        Column::new("time", Values::Float64(times)),
    ];
    Some(Set::new(name, columns))
}
