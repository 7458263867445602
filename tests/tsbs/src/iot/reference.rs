//! The answers, by loops over all rows.

use std::collections::BTreeMap;

use super::rows::{FUEL_CONSUMPTION, VELOCITY};
use super::{Diagnostic, Iot, Question, Reading};
use crate::answer::{Answer, Cell};
use crate::mean::Mean;
use crate::window::{DAY, MINUTE, SECOND, Window, bucket};

/// Averages by truck and ten minutes.
type Buckets = BTreeMap<(usize, i64), Option<f64>>;

pub(super) fn answer(iot: &Iot, query: Question, window: &Window) -> Answer {
    match query {
        Question::LastLoc => last_places(iot, window),
        Question::LowFuel => low_fuel(iot, window),
        Question::HighLoad => high_load(iot, window),
        Question::StationaryTrucks => stationary(iot, window),
        Question::LongDrivingSessions => long_sessions(iot, window, 22),
        Question::LongDailySessions => long_sessions(iot, window, 60),
        Question::AvgVsProjectedFuel => fuel(iot),
        Question::AvgDailyDrivingDuration => daily_duration(iot),
        Question::AvgDailyDrivingSession => daily_session(iot),
        Question::AvgLoad => load(iot),
        Question::DailyActivity => daily_activity(iot),
        Question::BreakdownFrequency => breakdowns(iot),
    }
}

/// The trucks of the fleet that have names.
fn fleet<'a>(iot: &'a Iot, window: &'a Window) -> impl Iterator<Item = (usize, Vec<Cell>)> + 'a {
    let of_fleet = |truck: &usize| iot.trucks[*truck].fleet == window.fleet;
    (0..iot.trucks.len()).filter(of_fleet).filter_map(|truck| {
        let name = Cell::text(iot.name(truck)?);
        Some((truck, vec![name, Cell::text(iot.trucks[truck].driver)]))
    })
}

fn newest_reading(iot: &Iot, truck: usize) -> Option<&Reading> {
    let rows = iot.readings.iter().filter(|row| row.truck == truck);
    rows.max_by_key(|row| row.time)
}

fn newest_diagnostic(iot: &Iot, truck: usize) -> Option<&Diagnostic> {
    let rows = iot.diagnostics.iter().filter(|row| row.truck == truck);
    rows.max_by_key(|row| row.time)
}

fn last_places(iot: &Iot, window: &Window) -> Answer {
    let mut answer = Answer::new();
    for (truck, mut cells) in fleet(iot, window) {
        if let Some(row) = newest_reading(iot, truck) {
            let [latitude, longitude, ..] = row.figures;
            cells.extend([Cell::float(longitude), Cell::float(latitude)]);
            answer.push(cells);
        }
    }
    answer
}

fn low_fuel(iot: &Iot, window: &Window) -> Answer {
    let mut answer = Answer::new();
    for (truck, mut cells) in fleet(iot, window) {
        let fuel = newest_diagnostic(iot, truck).and_then(|row| row.fuel_state);
        if let Some(fuel) = fuel.filter(|fuel| *fuel < 0.1) {
            cells.push(Cell::Float(fuel));
            answer.push(cells);
        }
    }
    answer
}

fn high_load(iot: &Iot, window: &Window) -> Answer {
    let mut answer = Answer::new();
    for (truck, mut cells) in fleet(iot, window) {
        let capacity = iot.trucks[truck].model.load_capacity as f64;
        let load = newest_diagnostic(iot, truck).and_then(|row| row.current_load);
        if let Some(load) = load.filter(|load| load / capacity > 0.9) {
            cells.extend([Cell::Float(load), Cell::Float(capacity)]);
            answer.push(cells);
        }
    }
    answer
}

fn stationary(iot: &Iot, window: &Window) -> Answer {
    let mut answer = Answer::new();
    for (truck, cells) in fleet(iot, window) {
        let mut velocity = Mean::default();
        for row in &iot.readings {
            if row.truck == truck && window.holds(row.time) {
                velocity.add(row.figures[VELOCITY]);
            }
        }
        if velocity.value().is_some_and(|mean| mean < 1.0) {
            answer.push(cells);
        }
    }
    answer
}

fn velocities(iot: &Iot, is_asked: impl Fn(i64) -> bool) -> Buckets {
    let rows = iot.readings.iter().filter(|row| is_asked(row.time));
    means(rows.map(|row| (row.truck, row.time, row.figures[VELOCITY])))
}

fn means(rows: impl Iterator<Item = (usize, i64, Option<f64>)>) -> Buckets {
    let mut means: BTreeMap<(usize, i64), Mean> = BTreeMap::new();
    for (truck, time, figure) in rows {
        let key = (truck, bucket(10 * MINUTE, time));
        means.entry(key).or_default().add(figure);
    }
    means
        .into_iter()
        .map(|(key, mean)| (key, mean.value()))
        .collect()
}

fn long_sessions(iot: &Iot, window: &Window, buckets: usize) -> Answer {
    let velocities = velocities(iot, |time| window.holds(time));
    let mut answer = Answer::new();
    for (truck, cells) in fleet(iot, window) {
        let driven = velocities
            .iter()
            .filter(|((of, _), mean)| *of == truck && mean.is_some_and(|mean| mean > 1.0));
        if driven.count() > buckets {
            answer.push(cells);
        }
    }
    answer
}

fn fuel(iot: &Iot) -> Answer {
    let mut fleets: BTreeMap<&str, (Mean, Mean)> = BTreeMap::new();
    for row in &iot.readings {
        let is_driven = row.figures[VELOCITY].is_some_and(|velocity| velocity > 1.0);
        if is_driven && iot.name(row.truck).is_some() {
            let truck = &iot.trucks[row.truck];
            let (used, projected) = fleets.entry(truck.fleet).or_default();
            used.add(row.figures[FUEL_CONSUMPTION]);
            projected.add(Some(truck.model.fuel_consumption as f64));
        }
    }
    let row = |(fleet, (used, projected)): (&str, (Mean, Mean))| {
        vec![
            Cell::text(fleet),
            Cell::float(used.value()),
            Cell::float(projected.value()),
        ]
    };
    fleets.into_iter().map(row).collect()
}

fn daily_duration(iot: &Iot) -> Answer {
    let mut days: BTreeMap<(usize, i64), u32> = BTreeMap::new();
    for ((truck, time), velocity) in velocities(iot, |_| true) {
        if velocity.is_some_and(|velocity| velocity > 1.0) {
            *days.entry((truck, bucket(DAY, time))).or_default() += 1;
        }
    }
    let mut trucks: BTreeMap<usize, Mean> = BTreeMap::new();
    for ((truck, _), buckets) in days {
        let hours = f64::from(buckets) / 6.0;
        trucks.entry(truck).or_default().add(Some(hours));
    }
    let mut answer = Answer::new();
    for (number, hours) in trucks {
        if let Some(name) = iot.name(number) {
            let truck = &iot.trucks[number];
            answer.push(vec![
                Cell::text(truck.fleet),
                Cell::text(name),
                Cell::text(truck.driver),
                Cell::float(hours.value()),
            ]);
        }
    }
    answer
}

fn daily_session(iot: &Iot) -> Answer {
    let driven: Vec<(usize, i64, Option<bool>)> = velocities(iot, |_| true)
        .into_iter()
        .map(|((truck, time), velocity)| (truck, time, velocity.map(|mean| mean > 5.0)))
        .collect();
    let is_turn = |pair: &&[(usize, i64, Option<bool>)]| {
        let [(one, _, before), (other, _, after)] = pair else {
            return false;
        };
        one == other && before.is_some() && after.is_some() && before != after
    };
    let turns: Vec<_> = driven
        .windows(2)
        .filter(is_turn)
        .map(|pair| pair[1])
        .collect();
    let mut sessions: BTreeMap<(&str, i64), Mean> = BTreeMap::new();
    for (at, (truck, start, driven)) in turns.iter().enumerate() {
        let (Some(name), Some(true)) = (iot.name(*truck), driven) else {
            continue;
        };
        let next = turns.get(at + 1).filter(|(of, _, _)| of == truck);
        let length = next.map(|(_, stop, _)| (stop - start) as f64 / SECOND as f64);
        let day = sessions.entry((name, bucket(DAY, *start)));
        day.or_default().add(length);
    }
    let row = |((name, day), mean): ((&str, i64), Mean)| {
        vec![Cell::text(name), Cell::Int(day), Cell::float(mean.value())]
    };
    sessions.into_iter().map(row).collect()
}

fn load(iot: &Iot) -> Answer {
    let mut trucks: BTreeMap<usize, Mean> = BTreeMap::new();
    for row in &iot.diagnostics {
        trucks.entry(row.truck).or_default().add(row.current_load);
    }
    let mut kinds: BTreeMap<(&str, &str), (f64, Mean)> = BTreeMap::new();
    for (number, load) in trucks {
        let truck = &iot.trucks[number];
        if iot.name(number).is_some() {
            let capacity = truck.model.load_capacity as f64;
            let kind = kinds.entry((truck.fleet, truck.model.name));
            let (of, mean) = kind.or_default();
            *of = capacity;
            mean.add(load.value().map(|load| load / capacity));
        }
    }
    let row = |((fleet, model), (capacity, mean)): ((&str, &str), (f64, Mean))| {
        vec![
            Cell::text(fleet),
            Cell::text(model),
            Cell::Float(capacity),
            Cell::float(mean.value()),
        ]
    };
    kinds.into_iter().map(row).collect()
}

fn daily_activity(iot: &Iot) -> Answer {
    let rows = iot.diagnostics.iter();
    let status = means(rows.map(|row| (row.truck, row.time, row.status.map(|int| int as f64))));
    let mut days: BTreeMap<(&str, &str, i64), u32> = BTreeMap::new();
    for ((number, time), status) in status {
        let is_active = status.is_some_and(|status| status < 1.0);
        if is_active && iot.name(number).is_some() {
            let truck = &iot.trucks[number];
            let key = (truck.fleet, truck.model.name, bucket(DAY, time));
            *days.entry(key).or_default() += 1;
        }
    }
    let row = |((fleet, model, day), buckets): ((&str, &str, i64), u32)| {
        vec![
            Cell::text(fleet),
            Cell::text(model),
            Cell::Int(day),
            Cell::Float(f64::from(buckets) / 144.0),
        ]
    };
    days.into_iter().map(row).collect()
}

fn breakdowns(iot: &Iot) -> Answer {
    let mut states: BTreeMap<(usize, i64), (u32, u32)> = BTreeMap::new();
    for row in &iot.diagnostics {
        let key = (row.truck, bucket(10 * MINUTE, row.time));
        let (broken, all) = states.entry(key).or_default();
        *broken += u32::from(row.status == Some(0));
        *all += 1;
    }
    let broken: Vec<(usize, bool)> = states
        .into_iter()
        .map(|((truck, _), (broken, all))| (truck, 2 * broken >= all))
        .collect();
    let mut models: BTreeMap<&str, i64> = BTreeMap::new();
    for pair in broken.windows(2) {
        let ((one, before), (other, after)) = (pair[0], pair[1]);
        if one == other && !before && after && iot.name(one).is_some() {
            *models.entry(iot.trucks[one].model.name).or_default() += 1;
        }
    }
    let row = |(model, count): (&str, i64)| vec![Cell::text(model), Cell::Int(count)];
    models.into_iter().map(row).collect()
}
