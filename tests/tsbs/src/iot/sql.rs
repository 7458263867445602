//! The tables and queries as SQL.

use varve_bench::generate::tsbs_iot::READINGS;

use super::Question;
use crate::dialect::Dialect;
use crate::window::Window;

const TEN_MINUTES: i64 = 600;
const DAY: i64 = 86_400;

pub(super) fn create(dialect: Dialect, chunk_hours: u32) -> String {
    let [time, double, text] = dialect.types();
    let figures: Vec<String> = READINGS
        .iter()
        .map(|walk| format!("{} {double}", walk.name))
        .collect();
    let behind = |table: &str| match dialect {
        Dialect::Varve => format!(
            " WITH (tsdb.hypertable, tsdb.partition_column = 'time', \
             tsdb.chunk_interval = '{chunk_hours} hours', tsdb.segmentby = 'tags_id', \
             tsdb.orderby = 'time DESC')"
        ),
        _ => format!(
            "; CREATE INDEX {table}_tags ON {table} (tags_id, time); \
             CREATE INDEX {table}_time ON {table} (time)"
        ),
    };
    format!(
        "CREATE TABLE tags (id INTEGER PRIMARY KEY, name {text}, fleet {text}, driver {text}, \
         model {text}, device_version {text}, load_capacity {double}, fuel_capacity {double}, \
         nominal_fuel_consumption {double}); \
         CREATE TABLE readings (time {time} NOT NULL, tags_id INTEGER, {}){}; \
         CREATE TABLE diagnostics (time {time} NOT NULL, tags_id INTEGER, fuel_state {double}, \
         current_load {double}, status INTEGER){}",
        figures.join(", "),
        behind("readings"),
        behind("diagnostics")
    )
}

pub(super) fn text(query: Question, dialect: Dialect, window: &Window) -> String {
    let fleet = window.fleet;
    let of_fleet = format!("t.name IS NOT NULL AND t.fleet = '{fleet}'");
    match query {
        Question::LastLoc => format!(
            "SELECT t.name, t.driver, r.longitude, r.latitude FROM tags t {} WHERE {of_fleet}",
            dialect.join_newest("readings", "longitude, latitude")
        ),
        Question::LowFuel => format!(
            "SELECT t.name, t.driver, r.fuel_state FROM tags t {} \
             WHERE r.fuel_state < 0.1 AND {of_fleet}",
            dialect.join_newest("diagnostics", "fuel_state")
        ),
        Question::HighLoad => format!(
            "SELECT t.name, t.driver, r.current_load, t.load_capacity FROM tags t {} \
             WHERE r.current_load / t.load_capacity > 0.9 AND {of_fleet}",
            dialect.join_newest("diagnostics", "current_load")
        ),
        Question::StationaryTrucks => format!(
            "SELECT t.name, t.driver FROM tags t JOIN readings r ON r.tags_id = t.id \
             WHERE {} AND {of_fleet} GROUP BY t.name, t.driver HAVING avg(r.velocity) < 1",
            within(dialect, window)
        ),
        Question::LongDrivingSessions => long_sessions(dialect, window, 22),
        Question::LongDailySessions => long_sessions(dialect, window, 60),
        Question::AvgVsProjectedFuel => "SELECT t.fleet, avg(r.fuel_consumption) AS mean, \
             avg(t.nominal_fuel_consumption) AS projected \
             FROM tags t JOIN readings r ON r.tags_id = t.id \
             WHERE r.velocity > 1 AND t.name IS NOT NULL GROUP BY t.fleet"
            .to_owned(),
        Question::AvgDailyDrivingDuration => daily_duration(dialect),
        Question::AvgDailyDrivingSession => daily_session(dialect),
        Question::AvgLoad => {
            "SELECT t.fleet, t.model, t.load_capacity, avg(l.mean / t.load_capacity) \
             FROM tags t JOIN (SELECT tags_id, avg(current_load) AS mean FROM diagnostics \
             GROUP BY tags_id) l ON t.id = l.tags_id WHERE t.name IS NOT NULL \
             GROUP BY t.fleet, t.model, t.load_capacity"
                .to_owned()
        }
        Question::DailyActivity => daily_activity(dialect),
        Question::BreakdownFrequency => breakdowns(dialect),
    }
}

fn within(dialect: Dialect, window: &Window) -> String {
    let (start, end) = (dialect.time(window.start), dialect.time(window.end));
    format!("time >= {start} AND time < {end}")
}

fn long_sessions(dialect: Dialect, window: &Window, buckets: u32) -> String {
    format!(
        "SELECT t.name, t.driver FROM tags t JOIN (SELECT {} AS ten_minutes, tags_id \
         FROM readings WHERE {} GROUP BY ten_minutes, tags_id HAVING avg(velocity) > 1) r \
         ON t.id = r.tags_id WHERE t.name IS NOT NULL AND t.fleet = '{}' \
         GROUP BY t.name, t.driver HAVING count(r.ten_minutes) > {buckets}",
        dialect.bucket(TEN_MINUTES, "time"),
        within(dialect, window),
        window.fleet
    )
}

fn daily_duration(dialect: Dialect) -> String {
    format!(
        "WITH driven AS (SELECT {} AS ten_minutes, tags_id FROM readings \
         GROUP BY ten_minutes, tags_id HAVING avg(velocity) > 1), \
         daily AS (SELECT {} AS day, tags_id, \
         CAST(count(*) AS DOUBLE PRECISION) / 6 AS hours FROM driven GROUP BY day, tags_id) \
         SELECT t.fleet, t.name, t.driver, avg(d.hours) AS mean_hours \
         FROM daily d JOIN tags t ON t.id = d.tags_id WHERE t.name IS NOT NULL \
         GROUP BY t.fleet, t.name, t.driver",
        dialect.bucket(TEN_MINUTES, "time"),
        dialect.bucket(DAY, "ten_minutes")
    )
}

fn daily_session(dialect: Dialect) -> String {
    format!(
        "WITH status AS (SELECT tags_id, {} AS ten_minutes, avg(velocity) > 5 AS driven \
         FROM readings GROUP BY tags_id, ten_minutes), \
         turns AS (SELECT tags_id, ten_minutes AS start, \
         lead(ten_minutes) OVER (PARTITION BY tags_id ORDER BY ten_minutes) AS stop, driven \
         FROM (SELECT tags_id, ten_minutes, driven, \
         lag(driven) OVER (PARTITION BY tags_id ORDER BY ten_minutes) AS before FROM status) x \
         WHERE x.driven <> x.before) \
         SELECT t.name, {} AS day, {} AS duration FROM tags t \
         JOIN turns s ON t.id = s.tags_id WHERE t.name IS NOT NULL AND s.driven = true \
         GROUP BY t.name, day ORDER BY t.name, day",
        dialect.bucket(TEN_MINUTES, "time"),
        dialect.bucket(DAY, "s.start"),
        dialect.mean_seconds("s.start", "s.stop")
    )
}

fn daily_activity(dialect: Dialect) -> String {
    format!(
        "SELECT t.fleet, t.model, y.day, sum(y.buckets) / 144.0 AS activity \
         FROM tags t JOIN (SELECT {} AS day, tags_id, count(*) AS buckets \
         FROM (SELECT {} AS ten_minutes, tags_id FROM diagnostics \
         GROUP BY ten_minutes, tags_id HAVING avg(status) < 1) x GROUP BY day, tags_id) y \
         ON y.tags_id = t.id WHERE t.name IS NOT NULL \
         GROUP BY t.fleet, t.model, y.day ORDER BY y.day",
        dialect.bucket(DAY, "ten_minutes"),
        dialect.bucket(TEN_MINUTES, "time")
    )
}

/// A truck is broken down in ten minutes in at least half of which it reported the status 0.
fn breakdowns(dialect: Dialect) -> String {
    format!(
        "WITH states AS (SELECT {} AS ten_minutes, tags_id, \
         2 * count(nullif(status = 0, false)) >= count(*) AS broken \
         FROM diagnostics GROUP BY ten_minutes, tags_id), \
         pairs AS (SELECT tags_id, broken, \
         lead(broken) OVER (PARTITION BY tags_id ORDER BY ten_minutes) AS broken_next FROM states) \
         SELECT t.model, count(*) FROM tags t JOIN pairs b ON t.id = b.tags_id \
         WHERE t.name IS NOT NULL AND b.broken = false AND b.broken_next = true GROUP BY t.model",
        dialect.bucket(TEN_MINUTES, "time")
    )
}
