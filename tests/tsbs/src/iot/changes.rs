//! What happens to the rows after they were compressed.

use varve_bench::random::Random;

use super::rows::VELOCITY;
use super::{Diagnostic, Iot, Reading};
use crate::data_set::{Change, insert};
use crate::dialect::Dialect;
use crate::window::{HOUR, MINUTE, Window};

/// Readings that come late, and as many diagnostics.
const LATE_ROWS: usize = 200;

pub(super) fn all(iot: &Iot) -> Vec<Change<Iot>> {
    let mut random = Random::of_set(71);
    let mut draw = |length| Window::draw(&mut random, &iot.range, length, 1, iot.trucks.len());
    let (stopped, broken, gone) = (draw(5 * HOUR), draw(6 * HOUR), draw(3 * HOUR));
    vec![
        truck_stops(stopped),
        truck_breaks_down(broken),
        truck_is_gone(gone),
        newest_are_gone(iot),
        late_readings(iot, &mut random),
        late_diagnostics(iot, &mut random),
    ]
}

fn during(window: &Window) -> String {
    let (start, end) = (
        Dialect::Varve.time(window.start),
        Dialect::Varve.time(window.end),
    );
    let truck = window.hosts[0];
    format!("tags_id = {truck} AND time >= {start} AND time < {end}")
}

fn is_in(window: &Window, truck: usize, time: i64) -> bool {
    truck == window.hosts[0] && window.holds(time)
}

fn truck_stops(window: Window) -> Change<Iot> {
    let sql = format!("UPDATE readings SET velocity = 0 WHERE {}", during(&window));
    Change::new(sql, move |iot: &mut Iot| {
        for row in &mut iot.readings {
            if is_in(&window, row.truck, row.time) {
                row.figures[VELOCITY] = Some(0.0);
            }
        }
    })
}

fn truck_breaks_down(window: Window) -> Change<Iot> {
    let sql = format!(
        "UPDATE diagnostics SET status = 0, current_load = current_load + 0.5 WHERE {}",
        during(&window)
    );
    Change::new(sql, move |iot: &mut Iot| {
        for row in &mut iot.diagnostics {
            if is_in(&window, row.truck, row.time) {
                row.status = Some(0);
                row.current_load = row.current_load.map(|load| load + 0.5);
            }
        }
    })
}

fn truck_is_gone(window: Window) -> Change<Iot> {
    let sql = format!("DELETE FROM readings WHERE {}", during(&window));
    Change::new(sql, move |iot: &mut Iot| {
        iot.readings
            .retain(|row| !is_in(&window, row.truck, row.time));
    })
}

/// The last two hours of every second truck's diagnostics.
fn newest_are_gone(iot: &Iot) -> Change<Iot> {
    let end = iot.range.end - 2 * HOUR;
    let time = Dialect::Varve.time(end);
    let sql = format!("DELETE FROM diagnostics WHERE tags_id % 2 = 0 AND time >= {time}");
    Change::new(sql, move |iot: &mut Iot| {
        iot.diagnostics
            .retain(|row| row.truck % 2 != 0 || row.time < end);
    })
}

/// Different trucks and times between two ticks, from before the first to behind the last one.
fn places(iot: &Iot, random: &mut Random) -> Vec<(i64, usize)> {
    let ticks = (iot.range.end - iot.range.start) / iot.tick;
    let spare = 2 * HOUR / (10 * MINUTE);
    let mut places = Vec::new();
    while places.len() < LATE_ROWS {
        let tick = random.below((ticks + 2 * spare).unsigned_abs()) as i64 - spare;
        let time = iot.range.start + tick * iot.tick + iot.tick / 2;
        let place = (time, random.below(iot.trucks.len() as u64) as usize);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn late_readings(iot: &Iot, random: &mut Random) -> Change<Iot> {
    let mut rows: Vec<Reading> = Vec::new();
    for (time, truck) in places(iot, random) {
        let mut figure = || Some(random.below(200) as f64 / 2.0);
        rows.push(Reading {
            time,
            truck,
            figures: std::array::from_fn(|_| figure()),
        });
    }
    let cells: Vec<_> = rows.iter().map(Reading::cells).collect();
    Change::new(insert("readings", &cells), move |iot: &mut Iot| {
        iot.readings.extend(rows.iter().cloned());
    })
}

fn late_diagnostics(iot: &Iot, random: &mut Random) -> Change<Iot> {
    let mut rows: Vec<Diagnostic> = Vec::new();
    for (time, truck) in places(iot, random) {
        rows.push(Diagnostic {
            time,
            truck,
            fuel_state: Some(random.below(11) as f64 / 10.0),
            current_load: Some(random.below(5001) as f64),
            status: (!random.percent(10)).then(|| random.below(6) as i64),
        });
    }
    let cells: Vec<_> = rows.iter().map(Diagnostic::cells).collect();
    Change::new(insert("diagnostics", &cells), move |iot: &mut Iot| {
        iot.diagnostics.extend(rows.iter().cloned());
    })
}
