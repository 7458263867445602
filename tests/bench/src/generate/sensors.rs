//! D14: a hundred devices that report temperature, humidity and pressure every ten seconds.

use super::column::{float64, int32, int64};
use super::timestamps::FIRST_MS;
use crate::random::Random;
use crate::set::Set;

const DEVICES: usize = 100;
const TICK_MS: i64 = 10_000;
const JITTER_MS: i64 = 20;

/// What a device reports, in units of the last decimal.
#[derive(Clone, Copy)]
struct Reading {
    time_ms: i64,
    device: u64,
    temp: i64,
    humidity: i64,
    pressure: i64,
}

pub(super) fn by_time(name: &str, rows: usize) -> Set {
    set(name, &readings(rows))
}

/// The same rows, as a table keeps them that is ordered by device and then by time.
pub(super) fn by_device(name: &str, rows: usize) -> Set {
    let mut readings = readings(rows);
    readings.sort_by_key(|reading| (reading.device, reading.time_ms));
    set(name, &readings)
}

fn readings(rows: usize) -> Vec<Reading> {
    let mut random = Random::of_set(14);
    let start = |device: usize, random: &mut Random| Reading {
        time_ms: FIRST_MS,
        device: device as u64,
        temp: 150 + random.below(100) as i64,
        humidity: 300 + random.below(300) as i64,
        pressure: 99_000 + random.below(4000) as i64,
    };
    let mut devices: Vec<Reading> = (0..DEVICES).map(|i| start(i, &mut random)).collect();
    let mut readings = Vec::with_capacity(rows);
    for row in 0..rows {
        let device = &mut devices[row % DEVICES];
        let tick_ms = FIRST_MS + TICK_MS * (row / DEVICES) as i64;
        device.time_ms = tick_ms + random.within(JITTER_MS);
        device.temp += random.within(1);
        device.humidity = (device.humidity + random.within(5)).clamp(0, 1000);
        device.pressure += random.within(5);
        readings.push(*device);
    }
    readings
}

fn set(name: &str, readings: &[Reading]) -> Set {
    let decimals = |value: fn(&Reading) -> i64, unit: f64| {
        readings
            .iter()
            .map(move |reading| value(reading) as f64 / unit)
    };
    let columns = vec![
        int64("time", readings.iter().map(|reading| reading.time_ms)),
        int32("device", readings.iter().map(|reading| reading.device)),
        float64("temp", decimals(|reading| reading.temp, 10.0)),
        float64("humidity", decimals(|reading| reading.humidity, 10.0)),
        float64("pressure", decimals(|reading| reading.pressure, 100.0)),
    ];
    Set::new(name, columns)
}
