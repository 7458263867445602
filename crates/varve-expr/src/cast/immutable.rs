//! Which conversions give the same value in every session.

use varve_types::LogicalType;

/// Whether a conversion depends on its input alone, by PostgreSQL's rules: what depends on a time
/// zone or on how dates, bytes or floats are written does not.
pub fn is_immutable_cast(from: LogicalType, to: LogicalType) -> bool {
    use LogicalType::{Array, Bytea, Date, Float4, Float8, Time, Timestamp, TimestampTz};
    let of_zone = |ty| matches!(ty, Date | Time | Timestamp | TimestampTz);
    match (from, to) {
        (from, to) if from == to => true,
        (Array(from), Array(to)) => is_immutable_cast(from.logical(), to.logical()),
        (Bytea | Float4 | Float8, to) if to.is_string() => false,
        (from, to) if from.is_string() || to.is_string() => {
            let other = if from.is_string() { to } else { from };
            !reads_locale(other) || (other == Time && to.is_string())
        }
        (TimestampTz, other) | (other, TimestampTz) => !of_zone(other),
        _ => true,
    }
}

/// Whether the settings of the session decide what a text of the type is.
pub fn reads_locale(ty: LogicalType) -> bool {
    use LogicalType::{Array, Date, Enum, Interval, Time, Timestamp, TimestampTz};
    matches!(
        ty,
        Date | Time | Timestamp | TimestampTz | Interval | Array(_) | Enum(_)
    ) || ty.is_reg()
}

/// Whether a text is the value of one transaction only, as that of `now` and `today` is, and those
/// of names of objects.
pub fn depends_on_time(text: &str, ty: LogicalType) -> bool {
    const WORDS: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];
    if ty.is_reg() {
        return true;
    }
    let text = text.to_ascii_lowercase();
    reads_locale(ty) && ty != LogicalType::Interval && WORDS.iter().any(|word| text.contains(word))
}
