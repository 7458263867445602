//! Numbers as bytes, the lowest first.

use super::Point;

/// Bytes that are being read.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    pub(super) fn point(&mut self) -> Option<Point> {
        Some(Point {
            time: self.i64()?,
            value: self.f64()?,
        })
    }
}

pub(super) fn put_u32(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn put_u64(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn put_i64(number: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn put_f64(number: f64, out: &mut Vec<u8>) {
    // The sign of a NaN that is computed is another one in other builds.
    let number = if number.is_nan() { f64::NAN } else { number };
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn put_point(point: Point, out: &mut Vec<u8>) {
    put_i64(point.time, out);
    put_f64(point.value, out);
}
