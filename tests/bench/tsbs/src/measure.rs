//! Each type of query in each state of the chunks and by each peer, one after the other, so that
//! other work on the machine hits all of them.

use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use varve_bench::measure::median;
use varve_bench::random::Random;
use varve_tsbs::answer::{Answer, Cell, difference};
use varve_tsbs::data_set::DataSet;
use varve_tsbs::dialect::Dialect;
use varve_tsbs::engine::{Engine, Load, PIECE_ROWS, State};
use varve_tsbs::window::Window;

use crate::on_disk;
use crate::peer::{Peer, PeerLoad};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;

/// Windows of each type for which the answer is compared with that of loops.
const CHECKED: usize = 3;
/// How long background work may take until it is measured beside it.
const SETTLE: Duration = Duration::from_secs(120);

/// Queries that are faster are timed more often, and the median counts.
const SHORT: f64 = 0.01;
const REPEATS: usize = 5;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Windows for each type.
    pub windows: usize,
    /// How long a chunk is.
    pub chunk_hours: u32,
    /// After how many transactions what is in memory is flushed, if not by itself.
    pub flushed_each: Option<usize>,
}

impl Work {
    /// As programs load that measure: the next rows come when the ones before are committed.
    fn load(&self) -> Load {
        Load::Batches {
            rows: PIECE_ROWS,
            flushed_each: self.flushed_each.unwrap_or(usize::MAX),
        }
    }
}

/// A type of query.
pub struct Asked {
    /// Its name.
    pub name: &'static str,
    /// Median seconds, in the order of [`State::ALL`].
    pub ours: [f64; 4],
    /// Median seconds of each peer.
    pub peers: Vec<f64>,
    /// What was wrong with an answer.
    pub wrong: Option<String>,
}

/// A data set and all that was asked.
pub struct Section {
    /// What it is called.
    pub title: &'static str,
    /// Rows of its hypertables.
    pub rows: u64,
    /// Rows of them loaded in a second, by transactions, in runs at the end.
    pub rows_per_s: f64,
    /// Runs of the database, in the order of [`State::ALL`].
    pub runs: [f64; 4],
    /// Stored bytes of all hypertables, in the order of [`State::ALL`].
    pub bytes: [f64; 4],
    /// Peers.
    pub peers: Vec<PeerLoad>,
    /// All types.
    pub asked: Vec<Asked>,
}

/// A database in one of the states, and its rows.
struct Place<D> {
    engine: Engine,
    state: State,
    data: D,
}

/// Loads, brings to the states, asks.
pub fn run<D: DataSet>(
    title: &'static str,
    folder: &Path,
    make: impl Fn() -> D,
    work: &Work,
) -> Section {
    let folder = folder.join(title);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut seconds = Vec::new();
    let mut places: Vec<Place<D>> = Vec::new();
    for state in State::ALL {
        println!("{title}: load, {}", state.name());
        let mut engine = on_disk(&folder.join(state.name()));
        let mut data = make();
        seconds.push(engine.load(&data, work.chunk_hours, work.load()));
        engine.bring_to(state, &mut data);
        settle(&mut engine);
        places.push(Place {
            engine,
            state,
            data,
        });
    }
    let rows = rows_of(&places[0].data);
    let mut bytes = [0.0; 4];
    let mut runs = [0.0; 4];
    for (place, (bytes, runs)) in places.iter_mut().zip(bytes.iter_mut().zip(&mut runs)) {
        let count = "SELECT value::BIGINT FROM varve_statistics WHERE name = 'runs'";
        *runs = number(&mut place.engine, count);
        *bytes = D::HYPERTABLES
            .iter()
            .map(|table| stored_bytes(&mut place.engine, table))
            .sum();
    }
    println!("{title}: load, peers");
    let (mut peers, loads) = peers(&folder, &places[0].data);
    let mut random = Random::of_set(63);
    let mut asked = Vec::new();
    for (name, query) in D::QUERIES {
        let windows: Vec<Window> = (0..work.windows)
            .map(|_| places[0].data.window(*query, &mut random))
            .collect();
        let (ours, wrong) = ask_ours(&mut places, *query, &windows);
        let theirs = peers.iter_mut().map(|peer| {
            let sql = |window| places[0].data.sql(*query, peer.dialect(), window);
            let queries: Vec<String> = windows.iter().map(sql).collect();
            median(&mut peer.seconds(&queries))
        });
        let theirs: Vec<f64> = theirs.collect();
        println!(
            "  {name}: {ours:.6?} {theirs:.6?} {}",
            wrong.as_deref().unwrap_or("")
        );
        asked.push(Asked {
            name,
            ours,
            peers: theirs,
            wrong,
        });
    }
    places.into_iter().for_each(|place| place.engine.close());
    Section {
        title,
        rows,
        rows_per_s: rows as f64 / median(&mut seconds),
        runs,
        bytes,
        peers: loads,
        asked,
    }
}

fn rows_of<D: DataSet>(data: &D) -> u64 {
    let mut rows = 0;
    for table in D::HYPERTABLES {
        data.each_row(table, &mut |_| rows += 1);
    }
    rows
}

fn peers<D: DataSet>(folder: &Path, data: &D) -> (Vec<Box<dyn Peer>>, Vec<PeerLoad>) {
    let (sqlite, load) = Sqlite::load(folder, data);
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(sqlite)];
    let mut loads = vec![load];
    if let Some((postgres, load)) = Postgres::load(data) {
        peers.push(Box::new(postgres));
        loads.push(load);
    }
    (peers, loads)
}

/// The processor time of a query: the median of a few runs, or the first one where it takes long.
/// Queries of ours and of SQLite run on the thread that asks.
pub fn seconds_of(mut query: impl FnMut()) -> f64 {
    let mut seconds = Vec::new();
    while seconds.len() < REPEATS && seconds.first().is_none_or(|first| *first < SHORT) {
        let start = ThreadTime::now();
        query();
        seconds.push(start.elapsed().as_secs_f64());
    }
    median(&mut seconds)
}

/// Medians, window by window in all states, and what was wrong. Each query has run once before it
/// is timed.
fn ask_ours<D: DataSet>(
    places: &mut [Place<D>],
    query: D::Query,
    windows: &[Window],
) -> ([f64; 4], Option<String>) {
    let mut seconds = vec![Vec::new(); places.len()];
    let mut wrong = None;
    for (number, window) in windows.iter().enumerate() {
        let mut known: Option<Answer> = None;
        for turn in 0..places.len() {
            let at = (turn + number) % places.len();
            let place = &mut places[at];
            let sql = place.data.sql(query, Dialect::Varve, window);
            let first = place.engine.answer(&sql).expect(&sql);
            seconds[at].push(seconds_of(|| {
                place.engine.query(&sql).expect(&sql);
            }));
            if number >= CHECKED {
                continue;
            }
            let changed = place.state == State::Updated;
            let expected = match known.take().filter(|_| !changed) {
                Some(known) => known,
                None => place.data.reference(query, window),
            };
            if let Some(found) = difference(&expected, &first, D::is_ordered(query)) {
                wrong = Some(format!("{}: {found}", place.state.name()));
            }
            known = Some(expected).filter(|_| !changed);
        }
    }
    let mut medians = [0.0; 4];
    for (seconds, median_of) in seconds.iter_mut().zip(&mut medians) {
        *median_of = median(seconds);
    }
    (medians, wrong)
}

/// Waits until no work is left in the background.
pub fn settle(engine: &mut Engine) {
    let start = Instant::now();
    let jobs = "SELECT count(*) FROM varve_jobs WHERE state IN ('queued', 'running')";
    while number(engine, jobs) > 0.0 && start.elapsed() < SETTLE {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What a table takes in runs: all that `varve_storage` lists for it.
pub fn stored_bytes(engine: &mut Engine, table: &str) -> f64 {
    let sum = "SELECT coalesce(sum(stored_bytes), 0)::BIGINT FROM varve_storage WHERE table_name =";
    number(engine, &format!("{sum} '{table}'"))
}

fn number(engine: &mut Engine, sql: &str) -> f64 {
    let answer = engine.answer(sql).expect(sql);
    match answer.first().and_then(|row| row.first()) {
        Some(Cell::Int(int)) => *int as f64,
        other => panic!("{other:?} is no number"),
    }
}
