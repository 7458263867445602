//! Every type of query in every state of the chunks: the answer of the engine is that of loops over
//! the rows.

#![allow(clippy::panic, reason = "tests")]

use std::sync::Arc;

use varve_bench::random::Random;
use varve_kv::MemoryKv;
use varve_tsbs::answer::{Cell, difference};
use varve_tsbs::data_set::DataSet;
use varve_tsbs::devops::Cpu;
use varve_tsbs::dialect::Dialect;
use varve_tsbs::engine::{Engine, Load, State};
use varve_tsbs::iot::Iot;
use varve_tsbs::window::{MINUTE, SECOND};

const WINDOWS: usize = 8;
/// So that a chunk has several runs until it is compressed.
const LOAD: Load = Load::Batches {
    rows: 500,
    flushed_each: 3,
};

/// Ten hosts for 26 hours.
fn hosts() -> Cpu {
    Cpu::generate(10, 26 * 120, 30 * SECOND)
}

/// 24 trucks for three days.
fn trucks() -> Iot {
    Iot::generate(24, 3 * 288, 5 * MINUTE)
}

/// Checks all types, and that each finds rows in at least one window.
fn check<D: DataSet>(mut data: D, state: State, chunk_hours: u32) {
    let mut engine = Engine::open(Arc::new(MemoryKv::new()));
    engine.load(&data, chunk_hours, LOAD);
    engine.bring_to(state, &mut data);
    let mut wrong = wrong_chunks(&mut engine, state);
    let mut random = Random::of_set(62);
    for (name, query) in D::QUERIES {
        let mut rows = 0;
        for _ in 0..WINDOWS {
            let window = data.window(*query, &mut random);
            let sql = data.sql(*query, Dialect::Varve, &window);
            let expected = data.reference(*query, &window);
            rows += expected.len();
            let found = match engine.answer(&sql) {
                Ok(got) => difference(&expected, &got, D::is_ordered(*query)),
                Err(error) => Some(error),
            };
            if let Some(found) = found {
                wrong.push(format!("{name}: {found}\n  {sql}"));
            }
        }
        if rows == 0 {
            wrong.push(format!("{name}: all answers are empty"));
        }
    }
    assert!(wrong.is_empty(), "{}: {}", state.name(), wrong.join("\n"));
}

/// What is wrong with the numbers of chunks that are compressed.
fn wrong_chunks(engine: &mut Engine, state: State) -> Vec<String> {
    let select = "SELECT hypertable_name::text, count(*) FILTER (WHERE is_compressed), count(*) \
                  FROM timescaledb_information.chunks GROUP BY 1";
    let mut wrong = Vec::new();
    for row in engine.answer(select).unwrap_or_default() {
        let [Cell::Text(table), Cell::Int(compressed), Cell::Int(chunks)] = row.as_slice() else {
            panic!("{row:?}");
        };
        let is_right = match state {
            State::Plain => *compressed == 0,
            State::Compressed => compressed == chunks,
            State::HalfCompressed => *compressed == (chunks + 1) / 2,
            State::Updated => *compressed >= 6,
        };
        if !is_right || *chunks < 6 {
            wrong.push(format!(
                "{table}: {compressed} of {chunks} chunks are compressed"
            ));
        }
    }
    wrong
}

#[test]
fn hosts_as_they_came_in() {
    check(hosts(), State::Plain, 4);
}

#[test]
fn hosts_in_compressed_chunks() {
    check(hosts(), State::Compressed, 4);
}

#[test]
fn hosts_in_half_compressed_chunks() {
    check(hosts(), State::HalfCompressed, 4);
}

#[test]
fn hosts_after_updates() {
    check(hosts(), State::Updated, 4);
}

#[test]
fn trucks_as_they_came_in() {
    check(trucks(), State::Plain, 12);
}

#[test]
fn trucks_in_compressed_chunks() {
    check(trucks(), State::Compressed, 12);
}

#[test]
fn trucks_in_half_compressed_chunks() {
    check(trucks(), State::HalfCompressed, 12);
}

#[test]
fn trucks_after_updates() {
    check(trucks(), State::Updated, 12);
}
