//! What a session's settings and its clock contribute to values and to their text.

use std::sync::Arc;

use super::enums::Enums;
use super::names::NamesRef;
use crate::datetime::Zone;

/// How a session reads and writes dates, times, intervals and bytes, and what time it is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale {
    /// The time zone of the session.
    pub zone: Zone,
    /// How dates and timestamps are written.
    pub date_style: DateStyle,
    /// In which order day, month and year are written and read.
    pub date_order: DateOrder,
    /// How intervals are written.
    pub interval_style: IntervalStyle,
    /// How bytes are written.
    pub bytea_output: ByteaOutput,
    /// The setting `extra_float_digits`, -15 to 3: above 0 floats are written with the fewest
    /// digits that read back as the same number, else with so many more than 15, or 6 for `real`.
    pub extra_float_digits: i8,
    /// The start of the transaction: microseconds since 1970-01-01 00:00 UTC.
    pub now_us: i64,
    /// The start of the statement, counted alike.
    pub statement_us: i64,
    /// The enumerations that there are.
    pub enums: Option<Arc<Enums>>,
    /// What the catalog tells of its objects.
    pub names: Option<NamesRef>,
}

/// The first part of the setting `DateStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateStyle {
    /// `1997-12-17 07:37:16-08`
    #[default]
    Iso,
    /// `12/17/1997 07:37:16 PST`
    Sql,
    /// `Wed Dec 17 07:37:16 1997 PST`
    Postgres,
    /// `17.12.1997 07:37:16 PST`
    German,
}

/// The second part of the setting `DateStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// Month, day, year.
    #[default]
    Mdy,
    /// Day, month, year.
    Dmy,
    /// Year, month, day.
    Ymd,
}

/// The setting `IntervalStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalStyle {
    /// `1 year 2 mons 3 days 04:05:06`
    #[default]
    Postgres,
    /// `@ 1 year 2 mons 3 days 4 hours 5 mins 6 secs`
    PostgresVerbose,
    /// `+1-2 +3 +4:05:06`
    SqlStandard,
    /// `P1Y2M3DT4H5M6S`
    Iso,
}

/// The setting `bytea_output`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteaOutput {
    /// `\x6100ff`
    #[default]
    Hex,
    /// `a\000\377`
    Escape,
}

/// PostgreSQL's defaults with the time zone UTC, at the beginning of 1970.
pub static DEFAULT_LOCALE: Locale = Locale {
    zone: Zone::UTC,
    date_style: DateStyle::Iso,
    date_order: DateOrder::Mdy,
    interval_style: IntervalStyle::Postgres,
    bytea_output: ByteaOutput::Hex,
    extra_float_digits: 1,
    now_us: 0,
    statement_us: 0,
    enums: None,
    names: None,
};

impl Default for Locale {
    fn default() -> Locale {
        DEFAULT_LOCALE.clone()
    }
}

impl Locale {
    /// Whether text means the same in both, but for words such as `now`.
    pub fn has_settings_of(&self, other: &Locale) -> bool {
        self.zone == other.zone
            && self.date_style == other.date_style
            && self.date_order == other.date_order
            && self.interval_style == other.interval_style
            && self.bytea_output == other.bytea_output
            && self.extra_float_digits == other.extra_float_digits
    }

    /// What the clocks of the session showed at the start of the transaction, in microseconds as
    /// if they were at UTC.
    pub(crate) fn local_now_us(&self) -> i64 {
        self.zone.local_us(self.now_us)
    }
}
