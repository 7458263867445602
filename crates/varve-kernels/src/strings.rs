//! Strings in Arrow's layout: offsets and one buffer.

/// The strings of a dictionary in the order of `codes`, as offsets and bytes; a code without a
/// string gives an empty one. `Err` with the bytes that the first strings too many would make when
/// that passes `bytes_max`.
pub fn repeat_strings(
    offsets: &[u32],
    bytes: &[u8],
    codes: &[u32],
    bytes_max: usize,
) -> Result<(Vec<u32>, Vec<u8>), usize> {
    let span = |code: &u32| match offsets.get(*code as usize..) {
        Some([start, end, ..]) => (*start as usize, *end as usize),
        _ => (0, 0),
    };
    let mut ends = Vec::with_capacity(codes.len() + 1);
    ends.push(0);
    let mut total = 0_usize;
    for code in codes {
        let (start, end) = span(code);
        total = total.saturating_add(end.saturating_sub(start));
        if total > bytes_max {
            return Err(total);
        }
        ends.push(u32::try_from(total).map_err(|_| total)?);
    }
    let mut all = Vec::with_capacity(total);
    for code in codes {
        let (start, end) = span(code);
        all.extend_from_slice(bytes.get(start..end).unwrap_or_default());
    }
    // Offsets that do not fit the buffer leave fewer bytes than were counted.
    if all.len() == total {
        Ok((ends, all))
    } else {
        Err(total)
    }
}
