//! The rows: walks as in D7, of trucks that rest now and then, with their tags in a table of their
//! own. One in ten has no name.

use std::ops::Range;

use varve_bench::generate::tsbs_iot::{FIRST_US, READINGS, Truck, arrival, trucks};
use varve_bench::random::Random;

use crate::answer::Cell;
use crate::window::MINUTE;

/// The velocity among the figures of a reading.
pub(super) const VELOCITY: usize = 3;
/// The consumption of fuel there.
pub(super) const FUEL_CONSUMPTION: usize = 6;
const NAMELESS: usize = 9;

/// Where a truck is.
#[derive(Clone, Debug)]
pub struct Reading {
    /// In microseconds since 1970.
    pub time: i64,
    /// The number of the truck.
    pub truck: usize,
    /// In the order of [`READINGS`].
    pub figures: [Option<f64>; READINGS.len()],
}

/// How a truck is.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// In microseconds since 1970.
    pub time: i64,
    /// The number of the truck.
    pub truck: usize,
    /// The part of the tank that is full.
    pub fuel_state: Option<f64>,
    /// What it carries.
    pub current_load: Option<f64>,
    /// From 0 to 5.
    pub status: Option<i64>,
}

/// All that some trucks report.
pub struct Iot {
    /// In the order of their numbers.
    pub trucks: Vec<Truck>,
    /// In the order in which they come in.
    pub readings: Vec<Reading>,
    /// In the order in which they come in.
    pub diagnostics: Vec<Diagnostic>,
    /// From the first tick to the end of the last one.
    pub range: Range<i64>,
    /// From one tick to the next.
    pub tick: i64,
}

/// What walks, of one truck.
struct State {
    levels: [i64; READINGS.len()],
    fuel: i64,
    load: i64,
    status: i64,
    is_driven: bool,
    /// When it starts or stops next.
    turn: i64,
}

impl State {
    fn new(random: &mut Random) -> State {
        State {
            levels: std::array::from_fn(|i| READINGS[i].start(random)),
            fuel: random.below(1000) as i64,
            load: random.below(5001) as i64,
            status: random.below(6) as i64,
            is_driven: random.percent(50),
            turn: FIRST_US + random.below(600) as i64 * MINUTE,
        }
    }

    fn reading(&mut self, time: i64, truck: usize, random: &mut Random) -> Reading {
        if time >= self.turn {
            self.is_driven = !self.is_driven;
            let most = if self.is_driven { 600 } else { 400 };
            self.turn = time + (20 + random.below(most) as i64) * MINUTE;
        }
        let mut figures = [None; READINGS.len()];
        for (i, walk) in READINGS.iter().enumerate() {
            let rests = i == VELOCITY && !self.is_driven;
            let value = if rests {
                0.0
            } else {
                walk.value(self.levels[i])
            };
            figures[i] = (!random.percent(1)).then_some(value);
            self.levels[i] = walk.next(self.levels[i], random);
        }
        Reading {
            time,
            truck,
            figures,
        }
    }

    fn diagnostic(&mut self, time: i64, truck: usize, random: &mut Random) -> Diagnostic {
        let mut known = || !random.percent(1);
        let row = Diagnostic {
            time,
            truck,
            fuel_state: known().then(|| (self.fuel / 100) as f64 / 10.0),
            current_load: known().then_some(self.load as f64),
            status: known().then_some(self.status),
        };
        self.fuel -= random.below(5) as i64;
        if self.fuel < 0 {
            self.fuel = 1000;
        }
        if random.percent(5) {
            self.load = random.below(5001) as i64;
        }
        self.status = (self.status + random.within(1)).clamp(0, 5);
        row
    }
}

impl Iot {
    /// So many trucks that report so often, every `tick` microseconds.
    pub fn generate(count: usize, ticks: usize, tick: i64) -> Iot {
        let mut random = Random::of_set(7);
        let trucks = trucks(&mut random, count);
        let mut states: Vec<State> = (0..count).map(|_| State::new(&mut random)).collect();
        let (mut readings, mut diagnostics) = (Vec::new(), Vec::new());
        for time in (0..ticks).map(|number| FIRST_US + number as i64 * tick) {
            for (truck, state) in states.iter_mut().enumerate() {
                readings.push(state.reading(time, truck, &mut random));
                diagnostics.push(state.diagnostic(time, truck, &mut random));
            }
        }
        let order = arrival(&mut random, readings.len());
        Iot {
            trucks,
            readings: order.iter().map(|row| readings[*row].clone()).collect(),
            diagnostics: order.iter().map(|row| diagnostics[*row].clone()).collect(),
            range: FIRST_US..FIRST_US + ticks as i64 * tick,
            tick,
        }
    }

    /// The name of a truck, if it has one.
    pub fn name(&self, truck: usize) -> Option<&str> {
        (truck % 10 != NAMELESS).then(|| self.trucks[truck].name.as_str())
    }

    pub(super) fn give(&self, table: &str, take: &mut dyn FnMut(&[Cell])) {
        match table {
            "readings" => self.readings.iter().for_each(|row| take(&row.cells())),
            "diagnostics" => self.diagnostics.iter().for_each(|row| take(&row.cells())),
            _ => (0..self.trucks.len()).for_each(|truck| take(&self.tags(truck))),
        }
    }

    fn tags(&self, number: usize) -> Vec<Cell> {
        let truck = &self.trucks[number];
        let model = truck.model;
        vec![
            Cell::Int(number as i64),
            self.name(number).map_or(Cell::Null, Cell::text),
            Cell::text(truck.fleet),
            Cell::text(truck.driver),
            Cell::text(model.name),
            Cell::text(truck.version),
            Cell::Float(model.load_capacity as f64),
            Cell::Float(model.fuel_capacity as f64),
            Cell::Float(model.fuel_consumption as f64),
        ]
    }
}

impl Reading {
    /// Its columns.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::Int(self.time), Cell::Int(self.truck as i64)];
        cells.extend(self.figures.map(Cell::float));
        cells
    }
}

impl Diagnostic {
    /// Its columns.
    pub fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Int(self.time),
            Cell::Int(self.truck as i64),
            Cell::float(self.fuel_state),
            Cell::float(self.current_load),
            self.status.map_or(Cell::Null, Cell::Int),
        ]
    }
}
