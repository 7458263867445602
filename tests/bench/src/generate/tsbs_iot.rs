//! D7: the IoT use case of TSBS: trucks that report where they are and how they are every ten
//! seconds. The rows are in the order of arrival: 3% of the batches are late, 2% of the entries out
//! of order, and 1% of the figures missing.

use super::column::{float64, int32, int64, text};
use crate::random::Random;
use crate::set::{Column, Set};

/// When the first tick is: 2016-01-01, in microseconds since 1970.
pub const FIRST_US: i64 = 1_451_606_400_000_000;
const TICK_US: i64 = 10_000_000;
const TICKS: usize = 1000;
const BATCH_ROWS: usize = 10;
const LATE_BATCHES_MAX: u64 = 10;
const EARLY_ROWS_MAX: u64 = 10;
/// The fleets, of which each truck is in one.
pub const FLEETS: [&str; 4] = ["East", "West", "North", "South"];
const DRIVERS: [&str; 6] = ["Derek", "Rodney", "Albert", "Andy", "Seth", "Trish"];
const VERSIONS: [&str; 4] = ["v1.0", "v1.5", "v2.0", "v2.3"];

/// A kind of truck.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What it is called.
    pub name: &'static str,
    /// How much it can carry.
    pub load_capacity: u64,
    /// How much fuel it takes.
    pub fuel_capacity: u64,
    /// How much fuel it should use.
    pub fuel_consumption: u64,
}

const MODELS: [Model; 3] = [
    model("F-150", 2000, 200, 15),
    model("G-2000", 5000, 300, 19),
    model("H-2", 1500, 150, 12),
];

const fn model(name: &'static str, load: u64, fuel: u64, consumption: u64) -> Model {
    Model {
        name,
        load_capacity: load,
        fuel_capacity: fuel,
        fuel_consumption: consumption,
    }
}

/// A truck that reports.
#[derive(Clone, Debug)]
pub struct Truck {
    /// `truck_0` and so on.
    pub name: String,
    /// One of [`FLEETS`].
    pub fleet: &'static str,
    /// Who drives it.
    pub driver: &'static str,
    /// Its kind.
    pub model: Model,
    /// Of what reports.
    pub version: &'static str,
    figures: Vec<i64>,
}

/// A figure that walks: its range and step in units of its last decimal, and that unit.
pub struct Walk {
    /// What the column is called.
    pub name: &'static str,
    least: i64,
    greatest: i64,
    step: i64,
    unit: f64,
}

const fn walk(name: &'static str, least: i64, greatest: i64, step: i64, unit: f64) -> Walk {
    Walk {
        name,
        least,
        greatest,
        step,
        unit,
    }
}

impl Walk {
    /// Where it begins.
    pub fn start(&self, random: &mut Random) -> i64 {
        self.least + random.below((self.greatest - self.least) as u64) as i64
    }

    /// Where it is after a step.
    pub fn next(&self, level: i64, random: &mut Random) -> i64 {
        (level + random.within(self.step)).clamp(self.least, self.greatest)
    }

    /// What is reported there.
    pub fn value(&self, level: i64) -> f64 {
        level as f64 / self.unit
    }
}

/// The figures of a reading.
pub const READINGS: [Walk; 7] = [
    walk("latitude", -9_000_000, 9_000_000, 500, 100_000.0),
    walk("longitude", -18_000_000, 18_000_000, 500, 100_000.0),
    walk("elevation", 0, 5000, 10, 1.0),
    walk("velocity", 0, 100, 10, 1.0),
    walk("heading", 0, 360, 5, 1.0),
    walk("grade", 0, 100, 5, 1.0),
    walk("fuel_consumption", 0, 500, 50, 10.0),
];

pub(super) fn readings(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(7);
    let mut trucks = trucks(&mut random, rows / TICKS);
    for truck in &mut trucks {
        let walks = READINGS.iter();
        truck.figures = walks.map(|walk| walk.start(&mut random)).collect();
    }
    let mut figures = vec![Vec::with_capacity(rows); READINGS.len()];
    for _ in 0..TICKS {
        for truck in &mut trucks {
            for ((walk, level), out) in READINGS.iter().zip(&mut truck.figures).zip(&mut figures) {
                out.push(walk.value(*level));
                *level = walk.next(*level, &mut random);
            }
        }
    }
    let order = arrival(&mut random, rows);
    let mut columns = tags(&trucks, &order);
    for (walk, values) in READINGS.iter().zip(&figures) {
        let column = float64(walk.name, order.iter().map(|row| values[*row]));
        columns.push(with_gaps(column, &mut random));
    }
    Set::new(name, columns)
}

pub(super) fn diagnostics(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(7);
    let mut trucks = trucks(&mut random, rows / TICKS);
    for truck in &mut trucks {
        let fuel = random.below(1000) as i64;
        truck.figures = vec![fuel, random.below(5001) as i64, random.below(6) as i64];
    }
    let mut fuel_states = Vec::with_capacity(rows);
    let mut loads = Vec::with_capacity(rows);
    let mut states = Vec::with_capacity(rows);
    for _ in 0..TICKS {
        for truck in &mut trucks {
            let [fuel, load, status] = truck.figures.as_mut_slice() else {
                unreachable!("a truck has three figures of diagnosis")
            };
            fuel_states.push((*fuel / 100) as f64 / 10.0);
            loads.push(*load as f64);
            states.push(*status as u64);
            *fuel -= random.below(5) as i64;
            if *fuel < 0 {
                *fuel = 1000;
            }
            if random.percent(5) {
                *load = random.below(5001) as i64;
            }
            *status = (*status + random.within(1)).clamp(0, 5);
        }
    }
    let order = arrival(&mut random, rows);
    let mut columns = tags(&trucks, &order);
    for (name, values) in [("fuel_state", &fuel_states), ("current_load", &loads)] {
        let column = float64(name, order.iter().map(|row| values[*row]));
        columns.push(with_gaps(column, &mut random));
    }
    let status = int32("status", order.iter().map(|row| states[*row]));
    columns.push(with_gaps(status, &mut random));
    Set::new(name, columns)
}

/// So many trucks.
pub fn trucks(random: &mut Random, count: usize) -> Vec<Truck> {
    let truck = |i| Truck {
        name: format!("truck_{i}"),
        fleet: random.choice(&FLEETS),
        driver: random.choice(&DRIVERS),
        model: random.choice(&MODELS),
        version: random.choice(&VERSIONS),
        figures: Vec::new(),
    };
    (0..count).map(truck).collect()
}

/// The rows in the order in which they come in.
pub fn arrival(random: &mut Random, rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for row in 0..rows {
        if random.percent(2) {
            let other = row + 1 + random.below(EARLY_ROWS_MAX) as usize;
            order.swap(row, other.min(rows - 1));
        }
    }
    let batches = rows.div_ceil(BATCH_ROWS);
    let mut by_place: Vec<(usize, usize)> = (0..batches).map(|batch| (batch, batch)).collect();
    for (place, _) in &mut by_place {
        if random.percent(3) {
            *place += 1 + random.below(LATE_BATCHES_MAX) as usize;
        }
    }
    by_place.sort();
    let rows_of = |(_, batch): &(usize, usize)| {
        let first = batch * BATCH_ROWS;
        order[first..(first + BATCH_ROWS).min(rows)].to_vec()
    };
    by_place.iter().flat_map(rows_of).collect()
}

fn tags(trucks: &[Truck], order: &[usize]) -> Vec<Column> {
    let time = |row: &usize| FIRST_US + TICK_US * (row / trucks.len()) as i64;
    let truck = |row: &usize| &trucks[row % trucks.len()];
    let of_rows = |name: &str, value: fn(&Truck) -> &str| {
        text(name, order.iter().map(move |row| value(truck(row))))
    };
    let number_of_rows = |name: &str, value: fn(&Model) -> u64| {
        float64(
            name,
            order.iter().map(move |row| value(&truck(row).model) as f64),
        )
    };
    vec![
        int64("time", order.iter().map(time)),
        of_rows("name", |truck| &truck.name),
        of_rows("fleet", |truck| truck.fleet),
        of_rows("driver", |truck| truck.driver),
        of_rows("model", |truck| truck.model.name),
        of_rows("device_version", |truck| truck.version),
        number_of_rows("load_capacity", |model| model.load_capacity),
        number_of_rows("fuel_capacity", |model| model.fuel_capacity),
        number_of_rows("nominal_fuel_consumption", |model| model.fuel_consumption),
    ]
}

/// One value in a hundred is NULL, and 0 in the buffer.
fn with_gaps(mut column: Column, random: &mut Random) -> Column {
    let validity: Vec<bool> = (0..column.rows()).map(|_| !random.percent(1)).collect();
    column.clear_invalid(&validity);
    column.with_validity(validity)
}
