//! The rows: D6 with its tags in a table of their own.

use std::ops::Range;

use varve_bench::generate::tsbs_cpu::{FIRST_US, Hosts, METRICS, TAGS};
use varve_bench::random::Random;

use crate::answer::Cell;
use crate::window::HOUR;

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuRow {
    /// In microseconds since 1970.
    pub time: i64,
    /// The number of the host.
    pub host: usize,
    /// All metrics.
    pub usage: [f64; METRICS.len()],
}

/// All reports of some hosts.
pub struct Cpu {
    /// Names, in the order of the numbers.
    pub hosts: Vec<String>,
    /// Their tags, in the order of [`TAGS`].
    pub tags: Vec<[String; TAGS.len()]>,
    /// In the order in which they come in.
    pub rows: Vec<CpuRow>,
    /// From the first tick to the end of the last one.
    pub range: Range<i64>,
    /// From one tick to the next.
    pub tick: i64,
}

/// The order in which rows come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Each tick, each host.
    ByTime,
    /// Host by host.
    ByHost,
    /// By no order within an hour.
    Shuffled,
}

impl Cpu {
    /// So many hosts that report so often, every `tick` microseconds.
    pub fn generate(hosts: usize, ticks: usize, tick: i64) -> Cpu {
        let mut walk = Hosts::new(hosts);
        let mut rows = Vec::with_capacity(hosts * ticks);
        let mut time = FIRST_US;
        for _ in 0..ticks {
            walk.tick(|host, usage| rows.push(CpuRow { time, host, usage }));
            time += tick;
        }
        Cpu {
            hosts: walk.all().iter().map(|host| host.name.clone()).collect(),
            tags: walk.all().iter().map(|host| host.tags.clone()).collect(),
            rows,
            range: FIRST_US..time,
            tick,
        }
    }

    /// Puts the rows into that order.
    pub fn arrive(&mut self, arrival: Arrival) {
        let mut random = Random::of_set(60);
        match arrival {
            Arrival::ByTime => self.rows.sort_by_key(|row| (row.time, row.host)),
            Arrival::ByHost => self.rows.sort_by_key(|row| (row.host, row.time)),
            Arrival::Shuffled => {
                let place = |row: &CpuRow| (row.time / HOUR, random.bits());
                self.rows.sort_by_cached_key(place);
            }
        }
    }

    /// The columns of a report.
    pub fn cells(&self, row: &CpuRow) -> Vec<Cell> {
        let mut cells = vec![Cell::Int(row.time), Cell::Int(row.host as i64)];
        cells.push(Cell::text(&self.hosts[row.host]));
        cells.extend(row.usage.map(Cell::Float));
        cells
    }

    pub(super) fn give(&self, table: &str, take: &mut dyn FnMut(&[Cell])) {
        if table == "cpu" {
            self.rows.iter().for_each(|row| take(&self.cells(row)));
            return;
        }
        for (id, (name, tags)) in self.hosts.iter().zip(&self.tags).enumerate() {
            let mut cells = vec![Cell::Int(id as i64), Cell::text(name)];
            cells.extend(tags.iter().map(|tag| Cell::text(tag)));
            take(&cells);
        }
    }
}
