//! The cases, each the same work for every engine, in an order in which each finds what it needs.

use cpu_time::ProcessTime;
use varve_bench::generate::Size;

use crate::clock::{Clock, median_seconds};
use crate::engine::{Durability, Engine, Place};
use crate::rows::{Order, Orders};

/// A case and what it took.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The same for all engines.
    pub case: String,
    /// Of the value.
    pub unit: &'static str,
    /// What was measured.
    pub value: f64,
}

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Rows of the table.
    pub size: Size,
    /// Random updates, all in all.
    pub updates: usize,
    /// Commits of one row before the last open.
    pub small_commits: usize,
}

const PASSES: usize = 9;
const LOOKUPS: usize = 2_000;
const SINGLE_INSERTS: usize = 200;
const BATCH_ROWS: usize = 100;
const RANGE_ROWS: i64 = 100;
const DELETED_ROWS: i64 = 150;
const UPDATE_ROWS: usize = 1_000;

/// Ids that hit the table evenly, in an order without pattern: a multiplier prime to the rows.
struct Ids {
    rows: u64,
    at: u64,
}

impl Ids {
    fn next(&mut self) -> i64 {
        self.at = (self.at + 7_368_787) % self.rows;
        self.at.cast_signed() + 1
    }

    fn many(&mut self, count: usize) -> Vec<i64> {
        (0..count).map(|_| self.next()).collect()
    }
}

fn figure(case: &str, unit: &'static str, value: f64) -> Figure {
    println!("  {case}: {value:.3} {unit}");
    Figure {
        case: case.to_owned(),
        unit,
        value,
    }
}

/// Loads all orders, and opens the database again.
pub fn load(engine: &mut dyn Engine, orders: &Orders) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |case: &str, unit, value| figures.push(figure(case, unit, value));
    let rows = orders.rows();
    engine.prepare(orders);
    let (clock, processor) = (Clock::wall(), ProcessTime::now());
    engine.load(orders);
    add("load", "rows/s", rows as f64 / clock.seconds());
    let worked = processor.elapsed().as_secs_f64();
    add("load, processor time", "ms", worked * 1e3);
    let bytes = engine.compact();
    add(
        "stored after the load",
        "bytes/row",
        bytes as f64 / rows as f64,
    );
    assert_eq!(engine.count(), rows as i64, "rows after the load");

    if let Some(seconds) = reopened(engine, rows as i64 / 2) {
        add("open and first lookup", "ms", seconds * 1e3);
    }
    figures
}

/// Runs all cases on one engine.
pub fn run(engine: &mut dyn Engine, place: Place, orders: &Orders, work: &Work) -> Vec<Figure> {
    let mut figures = load(engine, orders);
    let mut add = |case: &str, unit, value| figures.push(figure(case, unit, value));
    let rows = orders.rows();
    let mut ids = Ids {
        rows: rows as u64,
        at: 1,
    };
    let cold = ids.many(50);
    let mut seconds: Vec<f64> = cold
        .iter()
        .map(|id| {
            let clock = Clock::start(place);
            assert!(engine.lookup(*id).is_some(), "a row by its key");
            clock.seconds()
        })
        .collect();
    let cold = varve_bench::measure::median(&mut seconds);
    add("lookup, first after open", "us", cold * 1e6);

    let hot = ids.many(LOOKUPS / 10);
    let lookups = |engine: &mut dyn Engine| {
        for id in hot.iter().cycle().take(LOOKUPS) {
            assert!(engine.lookup(*id).is_some(), "a row by its key");
        }
    };
    lookups(engine);
    let seconds = median_seconds(place, PASSES, |_| lookups(engine));
    add("lookup, hot", "us", seconds / LOOKUPS as f64 * 1e6);

    let spread = ids.many(LOOKUPS * 10);
    let seconds = median_seconds(place, PASSES, |pass| {
        for id in &spread[pass * LOOKUPS..(pass + 1) * LOOKUPS] {
            assert!(engine.lookup(*id).is_some(), "a row by its key");
        }
    });
    add("lookup, any row", "us", seconds / LOOKUPS as f64 * 1e6);

    let seconds = median_seconds(place, PASSES * 10, |_| {
        let from = ids.next().min(rows as i64 - RANGE_ROWS);
        let (_, count) = engine.range(from, from + RANGE_ROWS - 1);
        assert_eq!(count as i64, RANGE_ROWS, "rows of a range");
    });
    add("range of 100 rows", "us", seconds * 1e6);
    let seconds = median_seconds(place, 3, |_| {
        assert_eq!(engine.range(1, rows as i64).1, rows, "rows of the scan");
    });
    add("all rows, two columns", "rows/s", rows as f64 / seconds);

    let mut next_id = rows as i64 + 1;
    let mut fresh = |count: usize| -> Vec<Order<'_>> {
        let first = next_id;
        next_id += count as i64;
        (first..next_id)
            .map(|id| orders.order(id as usize % rows, id))
            .collect()
    };
    let levels = [
        (Durability::Strict, "strict"),
        (Durability::Relaxed, "relaxed"),
        (Durability::Async, "async"),
    ];
    for (durability, level) in levels {
        if place == Place::Memory && durability != Durability::Relaxed {
            continue;
        }
        engine.set_durability(durability);
        let some = fresh(SINGLE_INSERTS * PASSES);
        let seconds = median_seconds(place, PASSES, |pass| {
            engine.insert_each(&some[pass * SINGLE_INSERTS..(pass + 1) * SINGLE_INSERTS]);
        });
        let each = seconds / SINGLE_INSERTS as f64;
        add(&format!("insert, {level}"), "us", each * 1e6);
        let some = fresh(BATCH_ROWS * PASSES);
        let seconds = median_seconds(place, PASSES, |pass| {
            engine.insert_batch(&some[pass * BATCH_ROWS..(pass + 1) * BATCH_ROWS]);
        });
        add(
            &format!("100 inserts at once, {level}"),
            "us",
            seconds * 1e6,
        );
    }
    engine.set_durability(Durability::Relaxed);

    let seconds = median_seconds(place, PASSES, |pass| {
        let from = 1_000 + pass as i64 * 5_000;
        let deleted = engine.delete_range(from, from + DELETED_ROWS - 1);
        assert_eq!(deleted as i64, DELETED_ROWS, "deleted rows");
    });
    add("delete of 150 rows by range", "us", seconds * 1e6);

    let clock = Clock::wall();
    let mut done = 0;
    while done < work.updates {
        engine.update_batch(&ids.many(UPDATE_ROWS), done as f64);
        done += UPDATE_ROWS;
    }
    add(
        "random updates, 1,000 at once",
        "rows/s",
        done as f64 / clock.seconds(),
    );
    if let Some(factor) = engine.write_amplification() {
        add("bytes written per byte given", "x", factor);
    }
    let clock = Clock::wall();
    let bytes = engine.compact();
    add("VACUUM after it", "ms", clock.seconds() * 1e3);
    let left = engine.count() as f64;
    add("stored after the updates", "bytes/row", bytes as f64 / left);

    engine.insert_each(&fresh(work.small_commits));
    if let Some(seconds) = reopened(engine, rows as i64) {
        let case = format!("open after {} commits of one row", work.small_commits);
        add(&case, "ms", seconds * 1e3);
    }
    figures
}

/// Seconds from opening to the answer of a lookup.
fn reopened(engine: &mut dyn Engine, id: i64) -> Option<f64> {
    engine.close().then(|| {
        let clock = Clock::wall();
        engine.open();
        assert!(engine.lookup(id).is_some(), "a row by its key");
        clock.seconds()
    })
}
