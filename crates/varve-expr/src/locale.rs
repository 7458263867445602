//! What a session's settings and its clock contribute to values and to their text.

/// How a session reads and writes dates, times and intervals, and what time it is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale {
    /// The start of the transaction: microseconds since 1970-01-01 00:00 UTC.
    pub now_us: i64,
    /// The start of the statement, counted alike.
    pub statement_us: i64,
}

/// PostgreSQL's defaults with the time zone UTC, at the beginning of 1970.
pub static DEFAULT_LOCALE: Locale = Locale {
    now_us: 0,
    statement_us: 0,
};

impl Default for Locale {
    fn default() -> Locale {
        DEFAULT_LOCALE.clone()
    }
}

impl Locale {
    /// Whether text means the same in both, but for words such as `now`.
    pub fn has_settings_of(&self, other: &Locale) -> bool {
        *self
            == Locale {
                now_us: self.now_us,
                statement_us: self.statement_us,
                ..other.clone()
            }
    }
}
