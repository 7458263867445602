//! Time zones: of the IANA database, by POSIX rules, and plain offsets from UTC.

mod abbreviation;
mod posix;
mod table;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::datetime::civil::SECOND_US;

pub(crate) use abbreviation::{Abbreviation, abbreviation};
use posix::Posix;

/// A time zone: how far its clocks are from UTC, and when.
#[derive(Clone, Debug, Default)]
pub struct Zone(Option<Arc<Rules>>);

/// What [`Zone`] shares; none is UTC.
#[derive(Debug, Default)]
struct Rules {
    name: String,
    times: Vec<LocalTime>,
    /// Seconds of UTC from which on a local time holds, in their order. Before all of them the
    /// first local time does.
    transitions: Vec<(i64, u8)>,
    /// What holds after the last transition.
    tail: Option<Posix>,
}

/// How clocks stand for some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalTime {
    /// East of UTC.
    pub(crate) offset_s: i32,
    pub(crate) is_summer: bool,
    pub(crate) abbreviation: String,
}

/// A moment at which clocks are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at_s: i64,
    before_s: i32,
    after_s: i32,
}

const DAY_S: i64 = 86_400;

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Zone {}

impl Zone {
    /// UTC.
    pub const UTC: Zone = Zone(None);

    /// The zone of a name of the database, in any case, or of a rule as POSIX writes it in `TZ`.
    pub fn named(name: &str) -> Option<Zone> {
        if name.eq_ignore_ascii_case("utc") {
            return Some(Zone::UTC);
        }
        if let Some(rules) = table::find(name) {
            return Some(Zone(Some(rules)));
        }
        let tail = Posix::parse(name)?;
        Some(Zone(Some(Arc::new(Rules {
            name: name.to_owned(),
            tail: Some(tail),
            ..Rules::default()
        }))))
    }

    /// The zone so many seconds east of UTC, named as PostgreSQL names it.
    pub fn of_offset(offset_s: i32) -> Option<Zone> {
        let shown = |minus: char, plus: char| {
            let sign = if offset_s < 0 { minus } else { plus };
            let size = offset_s.unsigned_abs();
            let (minutes, seconds) = (size / 60 % 60, size % 60);
            let mut text = format!("{sign}{:02}", size / 3600);
            if minutes != 0 || seconds != 0 {
                text += &format!(":{minutes:02}");
            }
            if seconds != 0 {
                text += &format!(":{seconds:02}");
            }
            text
        };
        Zone::named(&format!("<{}>{}", shown('-', '+'), shown('+', '-')))
    }

    /// The name as the database or the rule has it.
    pub fn name(&self) -> &str {
        self.0.as_ref().map_or("UTC", |rules| &rules.name)
    }

    /// Whether it is UTC itself.
    pub(crate) fn is_utc(&self) -> bool {
        self.0.is_none()
    }

    /// How clocks stand at a moment: microseconds since 1970-01-01 00:00 UTC.
    pub(crate) fn at(&self, us: i64) -> LocalTime {
        self.at_second(us.div_euclid(SECOND_US))
    }

    fn at_second(&self, at_s: i64) -> LocalTime {
        let Some(rules) = &self.0 else {
            return LocalTime {
                offset_s: 0,
                is_summer: false,
                abbreviation: "UTC".to_owned(),
            };
        };
        rules.at(at_s).clone()
    }

    /// Seconds east of UTC at a moment.
    pub(crate) fn offset_s(&self, us: i64) -> i32 {
        let rules = self.0.as_ref();
        rules.map_or(0, |rules| rules.at(us.div_euclid(SECOND_US)).offset_s)
    }

    /// Seconds east of UTC when clocks show a time, in microseconds as if they were at UTC.
    ///
    /// A time that clocks skip is taken by the offset before the change, one that they show twice
    /// by the offset after it.
    pub(crate) fn offset_of_local_s(&self, local_us: i64) -> i32 {
        let Some(rules) = &self.0 else {
            return 0;
        };
        let local_s = local_us.div_euclid(SECOND_US);
        let Some(change) = rules.next_change(local_s.saturating_sub(DAY_S)) else {
            return rules.at(local_s).offset_s;
        };
        let before_s = local_s.saturating_sub(i64::from(change.before_s));
        let after_s = local_s.saturating_sub(i64::from(change.after_s));
        let is_before = if before_s < change.at_s && after_s < change.at_s {
            true
        } else if before_s >= change.at_s && after_s >= change.at_s {
            false
        } else {
            before_s > after_s
        };
        if is_before {
            change.before_s
        } else {
            change.after_s
        }
    }

    /// What clocks show at a moment, in microseconds as if they were at UTC.
    pub(crate) fn local_us(&self, us: i64) -> i64 {
        us + i64::from(self.offset_s(us)) * SECOND_US
    }

    /// The moment at which clocks show a time.
    pub(crate) fn utc_us(&self, local_us: i64) -> i64 {
        local_us.saturating_sub(i64::from(self.offset_of_local_s(local_us)) * SECOND_US)
    }

    /// What an abbreviation stands for in this zone at a moment, or last did before it, or first
    /// will: seconds east of UTC. `None` where the zone never uses it.
    pub(crate) fn offset_of_abbreviation_s(&self, abbreviation: &str, us: i64) -> Option<i32> {
        let rules = self.0.as_ref()?;
        let is_it = |time: &&LocalTime| time.abbreviation.eq_ignore_ascii_case(abbreviation);
        let at_s = us.div_euclid(SECOND_US);
        if let Some(now) = Some(rules.at(at_s)).filter(is_it) {
            return Some(now.offset_s);
        }
        let past = rules.transitions.partition_point(|(from, _)| *from <= at_s);
        let of = |(_, kind): &(i64, u8)| rules.times.get(usize::from(*kind)).filter(is_it);
        let mut before = rules.transitions.iter().take(past).rev();
        let mut after = rules.transitions.iter().skip(past);
        let found = before.find_map(of).or_else(|| after.find_map(of));
        found.map(|time| time.offset_s)
    }
}

impl Rules {
    fn at(&self, at_s: i64) -> &LocalTime {
        let past = self.transitions.partition_point(|(from, _)| *from <= at_s);
        if past == self.transitions.len()
            && let Some(tail) = &self.tail
        {
            return tail.at(at_s);
        }
        self.kept_after(past).unwrap_or(&NOWHERE)
    }

    /// What holds after so many transitions.
    fn kept_after(&self, transitions: usize) -> Option<&LocalTime> {
        let last = transitions.checked_sub(1);
        match last.and_then(|at| self.transitions.get(at)) {
            Some((_, kind)) => self.times.get(usize::from(*kind)),
            None => self.times.first(),
        }
    }

    /// The first change of clocks after a moment.
    fn next_change(&self, after_s: i64) -> Option<Change> {
        let past = self
            .transitions
            .partition_point(|(from, _)| *from <= after_s);
        if let Some((at_s, kind)) = self.transitions.get(past) {
            let after = self.times.get(usize::from(*kind))?;
            return Some(Change {
                at_s: *at_s,
                before_s: self.kept_after(past)?.offset_s,
                after_s: after.offset_s,
            });
        }
        self.tail.as_ref()?.next_change(after_s)
    }
}

static NOWHERE: LocalTime = LocalTime {
    offset_s: 0,
    is_summer: false,
    abbreviation: String::new(),
};
