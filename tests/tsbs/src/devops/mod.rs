//! DevOps: hosts report ten figures of their processor.

mod changes;
mod reference;
mod rows;
mod sql;

use varve_bench::random::Random;

use crate::answer::{Answer, Cell};
use crate::data_set::{Change, DataSet};
use crate::dialect::Dialect;
use crate::window::{HOUR, Window};

pub use rows::{Arrival, Cpu, CpuRow};

/// A type of query.
#[derive(Clone, Copy, Debug)]
pub enum DevOps {
    /// The greatest of so many metrics by minute, of some hosts, in some hours.
    SingleGroupBy {
        /// Of ten.
        metrics: usize,
        /// How many.
        hosts: usize,
        /// How long.
        hours: i64,
    },
    /// The greatest of all metrics by hour, of so many hosts, in eight hours.
    CpuMaxAll(usize),
    /// The average of so many metrics by hour and host, in twelve hours.
    DoubleGroupBy(usize),
    /// The greatest use in the last five minutes before a time.
    GroupByOrderByLimit,
    /// What was reported where the use was above 90, of so many hosts or all, in twelve hours.
    HighCpu(Option<usize>),
    /// The newest report of each host.
    LastPoint,
    /// The newest report of each host, by its tags.
    LastPointByTags,
    /// The average of a metric by hour and host, with tags of the host.
    DoubleGroupByTags,
}

use DevOps::{
    CpuMaxAll, DoubleGroupBy, DoubleGroupByTags, GroupByOrderByLimit, HighCpu, LastPoint,
    LastPointByTags,
};

const fn single(metrics: usize, hosts: usize, hours: i64) -> DevOps {
    DevOps::SingleGroupBy {
        metrics,
        hosts,
        hours,
    }
}

impl DataSet for Cpu {
    type Query = DevOps;

    const TABLES: &'static [&'static str] = &["tags", "cpu"];
    const HYPERTABLES: &'static [&'static str] = &["cpu"];
    /// The fifteen types, then the two that TSBS asks otherwise where tags have a table.
    const QUERIES: &'static [(&'static str, DevOps)] = &[
        ("single-groupby-1-1-1", single(1, 1, 1)),
        ("single-groupby-1-1-12", single(1, 1, 12)),
        ("single-groupby-1-8-1", single(1, 8, 1)),
        ("single-groupby-5-1-1", single(5, 1, 1)),
        ("single-groupby-5-1-12", single(5, 1, 12)),
        ("single-groupby-5-8-1", single(5, 8, 1)),
        ("cpu-max-all-1", CpuMaxAll(1)),
        ("cpu-max-all-8", CpuMaxAll(8)),
        ("double-groupby-1", DoubleGroupBy(1)),
        ("double-groupby-5", DoubleGroupBy(5)),
        ("double-groupby-all", DoubleGroupBy(10)),
        ("groupby-orderby-limit", GroupByOrderByLimit),
        ("high-cpu-1", HighCpu(Some(1))),
        ("high-cpu-all", HighCpu(None)),
        ("lastpoint", LastPoint),
        ("lastpoint, tags", LastPointByTags),
        ("double-groupby-1, tags", DoubleGroupByTags),
    ];

    fn create(dialect: Dialect, chunk_hours: u32) -> String {
        sql::create(dialect, chunk_hours)
    }

    fn each_row(&self, table: &str, take: &mut dyn FnMut(&[Cell])) {
        self.give(table, take);
    }

    fn window(&self, query: DevOps, random: &mut Random) -> Window {
        let (hours, hosts) = match query {
            DevOps::SingleGroupBy { hosts, hours, .. } => (hours, hosts),
            CpuMaxAll(hosts) => (8, hosts),
            HighCpu(hosts) => (12, hosts.unwrap_or(0)),
            _ => (12, 0),
        };
        Window::draw(random, &self.range, hours * HOUR, hosts, self.hosts.len())
    }

    fn sql(&self, query: DevOps, dialect: Dialect, window: &Window) -> String {
        sql::text(query, dialect, window)
    }

    fn is_ordered(query: DevOps) -> bool {
        !matches!(query, HighCpu(_) | LastPointByTags)
    }

    fn reference(&self, query: DevOps, window: &Window) -> Answer {
        reference::answer(self, query, window)
    }

    fn changes(&self) -> Vec<Change<Cpu>> {
        changes::all(self)
    }
}
