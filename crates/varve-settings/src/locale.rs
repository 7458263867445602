//! The settings that decide how dates, times, intervals and bytes are read and written.

use varve_expr::{ByteaOutput, DateOrder, DateStyle, IntervalStyle, Locale, Zone, parse_value};
use varve_types::{Error, LogicalType, Result, SqlState, Value, parse_f64};

/// One of these settings.
#[derive(Clone, Copy)]
pub enum LocaleSetting {
    TimeZone,
    DateStyle,
    IntervalStyle,
    ByteaOutput,
    ExtraFloatDigits,
}

use LocaleSetting as Setting;

const INTERVAL_STYLES: [(&str, IntervalStyle); 4] = [
    ("postgres", IntervalStyle::Postgres),
    ("postgres_verbose", IntervalStyle::PostgresVerbose),
    ("sql_standard", IntervalStyle::SqlStandard),
    ("iso_8601", IntervalStyle::Iso),
];

impl LocaleSetting {
    /// The value as SHOW gives it.
    pub fn show(self, locale: &Locale) -> String {
        match self {
            Setting::TimeZone => locale.zone.name().to_owned(),
            Setting::DateStyle => {
                let style = match locale.date_style {
                    DateStyle::Iso => "ISO",
                    DateStyle::Sql => "SQL",
                    DateStyle::Postgres => "Postgres",
                    DateStyle::German => "German",
                };
                let order = match locale.date_order {
                    DateOrder::Mdy => "MDY",
                    DateOrder::Dmy => "DMY",
                    DateOrder::Ymd => "YMD",
                };
                format!("{style}, {order}")
            }
            Setting::IntervalStyle => {
                let mut known = INTERVAL_STYLES.iter();
                let named = known.find(|(_, style)| *style == locale.interval_style);
                named.map_or("", |(name, _)| name).to_owned()
            }
            Setting::ByteaOutput => match locale.bytea_output {
                ByteaOutput::Hex => "hex".to_owned(),
                ByteaOutput::Escape => "escape".to_owned(),
            },
            Setting::ExtraFloatDigits => locale.extra_float_digits.to_string(),
        }
    }

    /// Changes the value; `None` is what it was at first.
    pub fn set(self, locale: &mut Locale, value: Option<&str>) -> Result<()> {
        let first = Locale::default();
        match (self, value) {
            (Setting::TimeZone, None) => locale.zone = first.zone,
            (Setting::TimeZone, Some(value)) => locale.zone = zone(value)?,
            (Setting::DateStyle, None) => {
                (locale.date_style, locale.date_order) = (first.date_style, first.date_order);
            }
            (Setting::DateStyle, Some(value)) => set_date_style(locale, value)?,
            (Setting::ByteaOutput, None) => locale.bytea_output = first.bytea_output,
            (Setting::ByteaOutput, Some(value)) => {
                locale.bytea_output = match value.to_ascii_lowercase().as_str() {
                    "hex" => ByteaOutput::Hex,
                    "escape" => ByteaOutput::Escape,
                    _ => {
                        return Err(invalid("bytea_output", value)
                            .with_hint("Available values: escape, hex.".to_owned()));
                    }
                };
            }
            (Setting::ExtraFloatDigits, None) => {
                locale.extra_float_digits = first.extra_float_digits;
            }
            (Setting::ExtraFloatDigits, Some(value)) => {
                locale.extra_float_digits = extra_float_digits(value)?;
            }
            (Setting::IntervalStyle, None) => locale.interval_style = first.interval_style,
            (Setting::IntervalStyle, Some(value)) => {
                let mut known = INTERVAL_STYLES.iter();
                let style = known.find(|(name, _)| name.eq_ignore_ascii_case(value));
                let names: Vec<&str> = INTERVAL_STYLES.iter().map(|(name, _)| *name).collect();
                locale.interval_style = style.map(|(_, style)| *style).ok_or_else(|| {
                    invalid("IntervalStyle", value)
                        .with_hint(format!("Available values: {}.", names.join(", ")))
                })?;
            }
        }
        Ok(())
    }
}

fn invalid(name: &str, value: &str) -> Error {
    Error::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

fn extra_float_digits(value: &str) -> Result<i8> {
    const NAME: &str = "extra_float_digits";
    let number: i64 = value.trim().parse().map_err(|_| invalid(NAME, value))?;
    let digits = i8::try_from(number).ok();
    digits
        .filter(|digits| (-15..=3).contains(digits))
        .ok_or_else(|| {
            let message =
                format!("{number} is outside the valid range for parameter \"{NAME}\" (-15 .. 3)");
            Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
        })
}

/// A name or a rule, hours, or an interval.
fn zone(value: &str) -> Result<Zone> {
    let refused = || invalid("TimeZone", value);
    let read = |text: &str| {
        let read = parse_value(text, LogicalType::Interval, &Locale::default());
        match read {
            Ok(Value::Interval(interval)) => Ok(interval),
            _ => Err(refused()),
        }
    };
    let start = value.get(..8).unwrap_or_default();
    let interval = if start.eq_ignore_ascii_case("interval") {
        let text = value.get(8..).unwrap_or_default().trim();
        let text = text
            .strip_prefix('\'')
            .and_then(|text| text.strip_suffix('\''));
        read(text.ok_or_else(refused)?)?
    } else if parse_f64(value.trim()).is_some() {
        read(&format!("{value} hours"))?
    } else {
        let named = Zone::named(value).filter(|_| !value.is_empty());
        return named.ok_or_else(refused);
    };
    for (part, name) in [(interval.months, "months"), (interval.days, "days")] {
        if part != 0 {
            let detail = format!("Cannot specify {name} in time zone interval.");
            return Err(refused().with_detail(detail));
        }
    }
    let seconds = i32::try_from(interval.us / 1_000_000).ok();
    seconds.and_then(Zone::of_offset).ok_or_else(refused)
}

/// Words for the style and for the order, with commas between them.
fn set_date_style(locale: &mut Locale, value: &str) -> Result<()> {
    let (mut style, mut order) = (None, None);
    let refused = |detail: String| invalid("DateStyle", value).with_detail(detail);
    for word in value.split(',') {
        let word = word.trim().to_ascii_uppercase();
        let first = Locale::default();
        let named = match word.as_str() {
            "ISO" => (Some(DateStyle::Iso), None),
            "SQL" => (Some(DateStyle::Sql), None),
            "GERMAN" => (Some(DateStyle::German), None),
            "YMD" => (None, Some(DateOrder::Ymd)),
            "DMY" => (None, Some(DateOrder::Dmy)),
            "MDY" | "US" => (None, Some(DateOrder::Mdy)),
            "DEFAULT" => (Some(first.date_style), Some(first.date_order)),
            _ if word.starts_with("POSTGRES") => (Some(DateStyle::Postgres), None),
            _ if word.starts_with("EURO") => (None, Some(DateOrder::Dmy)),
            _ if word.starts_with("NONEURO") => (None, Some(DateOrder::Mdy)),
            _ => {
                let word = word.to_ascii_lowercase();
                return Err(refused(format!("Unrecognized key word: \"{word}\".")));
            }
        };
        let conflicts = |was: bool, now: bool| was && now;
        if conflicts(
            style.is_some_and(|was| Some(was) != named.0),
            named.0.is_some(),
        ) || conflicts(
            order.is_some_and(|was| Some(was) != named.1),
            named.1.is_some(),
        ) {
            let detail = "Conflicting \"datestyle\" specifications.";
            return Err(refused(detail.to_owned()));
        }
        style = style.or(named.0);
        order = order.or(named.1);
    }
    if style == Some(DateStyle::German) {
        order = order.or(Some(DateOrder::Dmy));
    }
    locale.date_style = style.unwrap_or(locale.date_style);
    locale.date_order = order.unwrap_or(locale.date_order);
    Ok(())
}
