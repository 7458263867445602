//! Rules for changing clocks as POSIX writes them in `TZ`: `EST5EDT,M3.2.0,M11.1.0`.

use super::{Change, DAY_S, LocalTime};
use crate::datetime::civil::Civil;

/// One offset, or two that follow each other every year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Posix {
    standard: LocalTime,
    summer: Option<Summer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Summer {
    time: LocalTime,
    start: YearDay,
    end: YearDay,
}

/// A day of each year and the second of it, by the clocks before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct YearDay {
    day: Day,
    second: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// 1 to 365, as if no year had a February 29.
    WithoutLeap(i64),
    /// From 0.
    Count(i64),
    /// The n-th such day of the week of a month, 5 for the last.
    Weekday { month: i64, nth: i64, day: i64 },
}

/// What holds where a summer time is named without a rule: that of the United States since 2007.
const START: YearDay = YearDay {
    day: Day::Weekday {
        month: 3,
        nth: 2,
        day: 0,
    },
    second: 7200,
};
const END: YearDay = YearDay {
    day: Day::Weekday {
        month: 11,
        nth: 1,
        day: 0,
    },
    second: 7200,
};

/// Seconds whose year still is a number.
const SECONDS_MAX: i64 = 1 << 50;

impl YearDay {
    /// Seconds from 1970 by the clocks before the change.
    fn in_year(self, year: i64) -> i64 {
        let first = |month| {
            Civil {
                year,
                month,
                day: 1,
            }
            .days()
        };
        let days = match self.day {
            Day::WithoutLeap(day) => {
                let is_leap = first(3) - first(2) == 29;
                first(1) + day - 1 + i64::from(is_leap && day >= 60)
            }
            Day::Count(day) => first(1) + day,
            Day::Weekday { month, nth, day } => {
                let start = first(month);
                let next = Civil {
                    year: year + month / 12,
                    month: month % 12 + 1,
                    day: 1,
                };
                let end = next.days();
                let found = start + (day - (start + 4)).rem_euclid(7) + (nth - 1) * 7;
                if found >= end { found - 7 } else { found }
            }
        };
        days * DAY_S + self.second
    }
}

impl Posix {
    /// Reads a rule.
    pub(super) fn parse(text: &str) -> Option<Posix> {
        let mut input = Input(text);
        let name = input.name()?;
        let standard = LocalTime {
            offset_s: -input.offset()?,
            is_summer: false,
            abbreviation: name.to_owned(),
        };
        if input.0.is_empty() {
            return Some(Posix {
                standard,
                summer: None,
            });
        }
        let name = input.name().filter(|name| !name.is_empty())?;
        let offset_s = match input.0.bytes().next() {
            None | Some(b',' | b';') => standard.offset_s + 3600,
            _ => -input.offset()?,
        };
        let (start, end) = if input.0.is_empty() {
            (START, END)
        } else {
            (input.rule()?, input.rule()?)
        };
        let time = LocalTime {
            offset_s,
            is_summer: true,
            abbreviation: name.to_owned(),
        };
        let summer = Summer { time, start, end };
        input.0.is_empty().then_some(Posix {
            standard,
            summer: Some(summer),
        })
    }

    /// How clocks stand at a second of UTC.
    pub(super) fn at(&self, at_s: i64) -> &LocalTime {
        let Some(summer) = &self.summer else {
            return &self.standard;
        };
        let at_s = at_s.clamp(-SECONDS_MAX, SECONDS_MAX);
        let changes = self.changes(summer, at_s);
        let before = changes.iter().rev().find(|change| change.at_s <= at_s);
        match before {
            Some(change) if change.after_s == summer.time.offset_s => &summer.time,
            _ => &self.standard,
        }
    }

    /// The first change of clocks after a second of UTC.
    pub(super) fn next_change(&self, after_s: i64) -> Option<Change> {
        let after_s = after_s.clamp(-SECONDS_MAX, SECONDS_MAX);
        let mut changes = self.changes(self.summer.as_ref()?, after_s).into_iter();
        changes.find(|change| change.at_s > after_s)
    }

    /// The changes of the year of a second, of that before and of that after it, in order.
    fn changes(&self, summer: &Summer, at_s: i64) -> [Change; 6] {
        let (standard, other) = (self.standard.offset_s, summer.time.offset_s);
        let year = Civil::from_days(at_s.div_euclid(DAY_S)).year;
        let change = |rule: YearDay, year, before_s: i32, after_s| Change {
            at_s: rule.in_year(year) - i64::from(before_s),
            before_s,
            after_s,
        };
        let of = |year| {
            [
                change(summer.start, year, standard, other),
                change(summer.end, year, other, standard),
            ]
        };
        let ([a, b], [c, d], [e, f]) = (of(year - 1), of(year), of(year + 1));
        let mut changes = [a, b, c, d, e, f];
        varve_sort::sort_by_key(&mut changes, |change| change.at_s);
        changes
    }
}

/// What is left of the text.
struct Input<'a>(&'a str);

impl<'a> Input<'a> {
    fn cut(&mut self, end: usize) -> Option<&'a str> {
        let (taken, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        Some(taken)
    }

    fn take(&mut self, what: char) -> bool {
        let rest = self.0.strip_prefix(what);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// `<+05>` without its brackets, or all up to a digit, a comma or a sign; that may be nothing.
    fn name(&mut self) -> Option<&'a str> {
        if self.take('<') {
            let name = self.cut(self.0.find('>')?);
            return name.filter(|_| self.take('>'));
        }
        let is_end = |c: char| c.is_ascii_digit() || matches!(c, ',' | '+' | '-');
        self.cut(self.0.find(is_end).unwrap_or(self.0.len()))
    }

    fn number(&mut self, most: i64) -> Option<i64> {
        let end = self.0.find(|c: char| !c.is_ascii_digit());
        let digits = self.cut(end.unwrap_or(self.0.len()))?;
        digits.parse().ok().filter(|number| *number <= most)
    }

    /// `5`, `-10:30`, `+1:00:00` as seconds.
    fn offset(&mut self) -> Option<i32> {
        let is_negative = self.take('-');
        if !is_negative {
            self.take('+');
        }
        let mut seconds = self.number(24 * 7 - 1)? * 3600;
        for unit in [60, 1] {
            if !self.take(':') {
                break;
            }
            seconds += self.number(59)? * unit;
        }
        let seconds = i32::try_from(seconds).ok()?;
        Some(if is_negative { -seconds } else { seconds })
    }

    /// `,M3.2.0/2`, `,J60`, `,59`.
    fn rule(&mut self) -> Option<YearDay> {
        if !self.take(',') && !self.take(';') {
            return None;
        }
        let day = if self.take('J') {
            Day::WithoutLeap(self.number(365)?)
        } else if self.take('M') {
            let month = self.number(12)?;
            let nth = self.take('.').then(|| self.number(5))??;
            let day = self.take('.').then(|| self.number(6))??;
            if month == 0 || nth == 0 {
                return None;
            }
            Day::Weekday { month, nth, day }
        } else {
            Day::Count(self.number(365)?)
        };
        let second = match self.take('/') {
            true => i64::from(self.offset()?),
            false => 7200,
        };
        Some(YearDay { day, second })
    }
}
