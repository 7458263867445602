//! IoT: trucks report where they are and how they are.

mod changes;
mod reference;
mod rows;
mod sql;

use varve_bench::random::Random;

use crate::answer::{Answer, Cell};
use crate::data_set::{Change, DataSet};
use crate::dialect::Dialect;
use crate::window::{DAY, HOUR, MINUTE, Window};

pub use rows::{Diagnostic, Iot, Reading};

/// A type of query.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// Where the trucks of a fleet are.
    LastLoc,
    /// The trucks of a fleet that have nearly no fuel.
    LowFuel,
    /// The trucks of a fleet that carry nearly all they can.
    HighLoad,
    /// The trucks of a fleet that stood for ten minutes.
    StationaryTrucks,
    /// The trucks of a fleet that hardly stood in four hours.
    LongDrivingSessions,
    /// The trucks of a fleet that were driven for more than ten hours of a day.
    LongDailySessions,
    /// The fuel that fleets use, and should use.
    AvgVsProjectedFuel,
    /// Hours that each truck is driven a day.
    AvgDailyDrivingDuration,
    /// How long each truck is driven without a stop, by day.
    AvgDailyDrivingSession,
    /// The load of each model, as a part of what it can carry.
    AvgLoad,
    /// The part of each day in which trucks were active, by fleet and model.
    DailyActivity,
    /// How often trucks of each model broke down.
    BreakdownFrequency,
}

use Question::{
    AvgDailyDrivingDuration, AvgDailyDrivingSession, AvgLoad, AvgVsProjectedFuel,
    BreakdownFrequency, DailyActivity, HighLoad, LastLoc, LongDailySessions, LongDrivingSessions,
    LowFuel, StationaryTrucks,
};

impl DataSet for Iot {
    type Query = Question;

    const TABLES: &'static [&'static str] = &["tags", "readings", "diagnostics"];
    const HYPERTABLES: &'static [&'static str] = &["readings", "diagnostics"];
    const QUERIES: &'static [(&'static str, Question)] = &[
        ("last-loc", LastLoc),
        ("low-fuel", LowFuel),
        ("high-load", HighLoad),
        ("stationary-trucks", StationaryTrucks),
        ("long-driving-sessions", LongDrivingSessions),
        ("long-daily-sessions", LongDailySessions),
        ("avg-vs-projected-fuel", AvgVsProjectedFuel),
        ("avg-daily-driving-duration", AvgDailyDrivingDuration),
        ("avg-daily-driving-session", AvgDailyDrivingSession),
        ("avg-load", AvgLoad),
        ("daily-activity", DailyActivity),
        ("breakdown-frequency", BreakdownFrequency),
    ];

    fn create(dialect: Dialect, chunk_hours: u32) -> String {
        sql::create(dialect, chunk_hours)
    }

    fn each_row(&self, table: &str, take: &mut dyn FnMut(&[Cell])) {
        self.give(table, take);
    }

    fn window(&self, query: Question, random: &mut Random) -> Window {
        let length = match query {
            StationaryTrucks => 10 * MINUTE,
            LongDrivingSessions => 4 * HOUR,
            _ => DAY,
        };
        Window::draw(random, &self.range, length, 0, self.trucks.len())
    }

    fn sql(&self, query: Question, dialect: Dialect, window: &Window) -> String {
        sql::text(query, dialect, window)
    }

    fn is_ordered(query: Question) -> bool {
        matches!(query, AvgDailyDrivingSession)
    }

    fn reference(&self, query: Question, window: &Window) -> Answer {
        reference::answer(self, query, window)
    }

    fn changes(&self) -> Vec<Change<Iot>> {
        changes::all(self)
    }
}
