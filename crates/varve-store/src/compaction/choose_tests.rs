use proptest::collection::vec;
use proptest::prelude::{Strategy, proptest};
use varve_types::RunId;

use super::{Choice, Effort, RUNS_AT_ONCE, RunShape, choose};
use crate::partition::RunPlace;

const MIB: u64 = 1 << 20;
const BROWSER: u64 = 32 * MIB;

/// A run of the model: keys are numbers.
#[derive(Clone, Debug, PartialEq)]
struct ModelRun {
    run: u64,
    place: RunPlace,
    first: [u8; 4],
    last: [u8; 4],
    bytes: u64,
    rows: u64,
    dead: u64,
}

fn run(run: u64, keys: std::ops::Range<u32>, bytes: u64) -> ModelRun {
    ModelRun {
        run,
        place: RunPlace::One(None),
        first: keys.start.to_be_bytes(),
        last: (keys.end - 1).to_be_bytes(),
        bytes,
        rows: (bytes / 32).max(1),
        dead: 0,
    }
}

fn shapes(runs: &[ModelRun]) -> Vec<RunShape<'_>> {
    runs.iter().map(shape).collect()
}

fn shape(run: &ModelRun) -> RunShape<'_> {
    RunShape {
        run: RunId(run.run),
        place: run.place,
        first_key: &run.first,
        last_key: &run.last,
        bytes: run.bytes,
        rows: run.rows,
        dead: run.dead,
        is_outdated: false,
    }
}

/// What merging runs with evenly spread keys leaves.
fn merge(runs: &mut Vec<ModelRun>, choice: &Choice, next_run: &mut u64) {
    let (chosen, kept): (Vec<_>, Vec<_>) = runs
        .drain(..)
        .partition(|run| choice.runs.contains(&RunId(run.run)));
    assert_eq!(chosen.len(), choice.runs.len());
    *runs = kept;
    let number = |key: &[u8; 4]| u64::from(u32::from_be_bytes(*key));
    let first = chosen.iter().map(|run| number(&run.first)).min().unwrap();
    let end = chosen.iter().map(|run| number(&run.last)).max().unwrap() + 1;
    let rows: u64 = chosen.iter().map(|run| run.rows - run.dead).sum();
    let bytes = |run: &ModelRun| {
        u128::from(run.bytes) * u128::from(run.rows - run.dead) / u128::from(run.rows)
    };
    let bytes = chosen.iter().map(bytes).sum::<u128>() as u64;
    if rows == 0 {
        return;
    }
    let outputs = bytes.div_ceil(choice.output_bytes).max(1);
    let outputs = outputs.min(rows).min(end - first);
    for i in 0..outputs {
        let key = |i: u64| (first + (end - first) * i / outputs) as u32;
        *next_run += 1;
        let mut output = run(*next_run, key(i)..key(i + 1), bytes / outputs);
        output.rows = rows / outputs;
        runs.push(output);
    }
}

fn depth(runs: &[ModelRun]) -> usize {
    let at = |key: &[u8; 4]| {
        runs.iter()
            .filter(|run| run.first <= *key && *key <= run.last)
            .count()
    };
    runs.iter().map(|run| at(&run.first)).max().unwrap_or(0)
}

#[test]
fn what_is_chosen() {
    let steady = Effort::steady(BROWSER);
    let disjoint = |bytes, count: u32| -> Vec<ModelRun> {
        (0..count)
            .map(|i| run(u64::from(i), i * 10..i * 10 + 10, bytes))
            .collect()
    };
    let over = |bytes, count: u32| -> Vec<ModelRun> {
        (0..count)
            .map(|i| run(u64::from(i), i..1000 + i, bytes))
            .collect()
    };
    let worn = |dead| {
        let mut runs = disjoint(30 * MIB, 3);
        runs[1].dead = runs[1].rows * dead / 100;
        runs
    };
    let mut mixed = disjoint(30 * MIB, 8);
    mixed.extend((8..12).map(|i| run(i, 0..1000, 2 * MIB)));
    let cases = [
        ("nothing", vec![], None::<Vec<u64>>),
        ("large runs that are apart", disjoint(32 * MIB, 100), None),
        ("few small ones", over(MIB, 3), None),
        (
            "tiny ones that are apart",
            disjoint(1000, 4),
            Some(vec![0, 1, 2, 3]),
        ),
        (
            "small ones over each other",
            over(2 * MIB, 4),
            Some(vec![0, 1, 2, 3]),
        ),
        ("large ones over each other", over(30 * MIB, 4), None),
        (
            "too many of them",
            over(30 * MIB, 5),
            Some(vec![0, 1, 2, 3, 4]),
        ),
        ("a third is dead", worn(34), Some(vec![1])),
        ("less is dead", worn(30), None),
        (
            "small ones over large ones",
            mixed,
            Some(vec![8, 9, 10, 11]),
        ),
    ];
    for (name, runs, expected) in cases {
        let chosen = choose(&shapes(&runs), &steady).map(|choice| choice.runs);
        assert_eq!(
            chosen,
            expected.map(|runs| runs.into_iter().map(RunId).collect()),
            "{name}"
        );
    }
    let all_dead = Effort::all_dead(BROWSER);
    assert_eq!(
        choose(&shapes(&worn(1)), &all_dead).unwrap().runs,
        [RunId(1)]
    );
    assert_eq!(choose(&shapes(&worn(0)), &all_dead), None);
    let full = Effort::full(BROWSER);
    let two = over(30 * MIB, 2);
    assert_eq!(choose(&shapes(&two), &full).unwrap().runs.len(), 2);
}

#[test]
fn no_output_is_small_because_others_are_full() {
    let steady = Effort::steady(BROWSER);
    for (bytes, output) in [(3, 48), (9, 48), (12, 33), (60, 36)] {
        let runs: Vec<ModelRun> = (0..5).map(|i| run(i, 0..1000, bytes * MIB)).collect();
        let choice = choose(&shapes(&runs), &steady).unwrap();
        assert_eq!(choice.output_bytes / MIB, output, "{bytes}");
    }
}

#[test]
fn runs_of_two_partitions_are_never_merged() {
    let steady = Effort::steady(BROWSER);
    let mut runs: Vec<ModelRun> = (0..8).map(|i| run(i, 0..1000, MIB)).collect();
    for (run, number) in runs.iter_mut().zip([1, 2].into_iter().cycle()) {
        run.place = RunPlace::One(Some(number));
    }
    // Few of each are left alone; four of one partition become one.
    assert_eq!(choose(&shapes(&runs[..6]), &steady), None);
    let ids = |choice: Option<Choice>| choice.map(|choice| choice.runs);
    let first = [0, 2, 4, 6].map(RunId).to_vec();
    assert_eq!(ids(choose(&shapes(&runs), &steady)), Some(first));
    // With the same effort that merges all of one partition, the others stay.
    let full = Effort::full(BROWSER);
    let apart = [&runs[0], &runs[1]].map(shape);
    assert_eq!(choose(&apart, &full), None);
    runs[3].place = RunPlace::Several;
    assert_eq!(
        ids(choose(&shapes(&runs[..4]), &steady)),
        Some(vec![RunId(3)]),
        "one that lies in several is written again alone"
    );
    runs[1].place = RunPlace::Several;
    assert_eq!(
        ids(choose(&shapes(&runs[..4]), &full)),
        Some(vec![RunId(1), RunId(3)]),
        "or with others that do"
    );
    runs[5].place = RunPlace::One(None);
    runs[7].place = RunPlace::One(None);
    assert_eq!(
        ids(choose(&shapes(&runs[5..]), &full)),
        Some(vec![RunId(5), RunId(7)]),
        "NULLs have a partition of their own"
    );
}

fn model_run() -> impl Strategy<Value = ModelRun> {
    (0_u32..1000, 1_u32..1000, 6_u32..28, 0_u64..150).prop_map(|(first, keys, size, dead)| {
        let mut run = run(0, first..first + keys, (1 << size) + u64::from(keys));
        run.dead = (run.rows * dead / 100).min(run.rows);
        run
    })
}

proptest! {
    #[test]
    fn choosing_ends_and_bounds_what_lies_over_each_other(
        mut runs in vec(model_run(), 0..60),
        effort in 0_usize..3,
    ) {
        let efforts = [Effort::steady, Effort::all_dead, Effort::full];
        let effort = efforts[effort](BROWSER);
        for (i, run) in (1..).zip(&mut runs) {
            run.run = i;
        }
        let mut next_run = 1000;
        for step in 0.. {
            assert!(step < 1000, "{runs:?}");
            let choice = choose(&shapes(&runs), &effort);
            // Whatever order they are given in, the same are chosen.
            let mut reversed = runs.clone();
            reversed.reverse();
            assert_eq!(choose(&shapes(&reversed), &effort), choice);
            let Some(choice) = choice else {
                break;
            };
            assert!(choice.runs.is_sorted_by(|a, b| a < b), "one is chosen twice");
            assert!(choice.runs.len() <= RUNS_AT_ONCE + 18);
            merge(&mut runs, &choice, &mut next_run);
        }
        assert!(depth(&runs) <= effort.depth_max, "{}", depth(&runs));
        for run in &runs {
            assert!(run.dead * effort.dead_share.min(run.rows) < run.rows.max(1) || run.dead == 0);
        }
        let tiny = runs.iter().filter(|run| run.bytes < BROWSER / 2048);
        assert!(tiny.count() < effort.tier_runs);
    }
}

/// A table under updates: where each key's row is.
struct Table {
    runs: Vec<ModelRun>,
    /// The keys of each run, dead ones included.
    keys: Vec<(u64, Vec<u32>)>,
    /// By key its run; 0 in the memtable.
    place: Vec<u64>,
    memtable: Vec<u32>,
    next_run: u64,
    written_bytes: u64,
    deletion_vector_bytes: u64,
    depth_max: usize,
}

const ROW_BYTES: u64 = 32;

impl Table {
    fn new(rows: u32) -> Table {
        let mut table = Table {
            runs: Vec::new(),
            keys: Vec::new(),
            place: vec![0; rows as usize],
            memtable: Vec::new(),
            next_run: 0,
            written_bytes: 0,
            deletion_vector_bytes: 0,
            depth_max: 0,
        };
        table.put((0..rows).collect());
        table.written_bytes = 0;
        table
    }

    fn put(&mut self, keys: Vec<u32>) {
        self.next_run += 1;
        for key in &keys {
            self.place[*key as usize] = self.next_run;
        }
        let bytes = keys.len() as u64 * ROW_BYTES;
        self.written_bytes += bytes;
        let range = keys[0]..keys[keys.len() - 1] + 1;
        self.runs.push(run(self.next_run, range, bytes));
        self.keys.push((self.next_run, keys));
    }

    fn update(&mut self, key: u32) {
        let place = &mut self.place[key as usize];
        if *place == 0 {
            return;
        }
        let run = self.runs.iter_mut().find(|run| run.run == *place);
        run.unwrap().dead += 1;
        *place = 0;
        self.memtable.push(key);
    }

    fn flush(&mut self) {
        let mut keys = std::mem::take(&mut self.memtable);
        keys.sort_unstable();
        self.put(keys);
        // What runs with new deletion vectors store anew.
        let bitmap = |run: &ModelRun| (2 * run.dead).min(run.rows / 8);
        self.deletion_vector_bytes += self.runs.iter().map(bitmap).sum::<u64>();
        self.depth_max = self.depth_max.max(depth(&self.runs));
        while let Some(choice) = choose(&shapes(&self.runs), &Effort::steady(BROWSER)) {
            let chosen = |run: u64| choice.runs.contains(&RunId(run));
            let mut living = Vec::new();
            for (run, keys) in self.keys.extract_if(.., |(run, _)| chosen(*run)) {
                living.extend(
                    keys.into_iter()
                        .filter(|key| self.place[*key as usize] == run),
                );
            }
            self.runs.retain(|run| !chosen(run.run));
            living.sort_unstable();
            for keys in living.chunks((choice.output_bytes / ROW_BYTES) as usize) {
                self.put(keys.to_vec());
            }
        }
    }
}

/// A million rows, a million single-row updates, a memtable of 8 MiB that holds 145 bytes a row;
/// and the same where the log makes it be flushed much earlier.
#[test]
fn random_updates_are_written_ten_times_at_most() {
    for (flush_rows, times) in [(57_000, 10), (16_000, 10)] {
        let (rows, updates) = (1_000_000_u64, 1_000_000_u64);
        let mut table = Table::new(rows as u32);
        let mut chance = 7_u64;
        for _ in 0..updates {
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            table.update(((chance >> 33) % rows) as u32);
            if table.memtable.len() == flush_rows {
                table.flush();
            }
        }
        // The log has each row once alone and once merged, with some bytes about it.
        let log_bytes = updates * 2 * (ROW_BYTES + 16);
        let written = table.written_bytes + table.deletion_vector_bytes + log_bytes;
        let logical = updates * ROW_BYTES;
        eprintln!(
            "{flush_rows}: runs {:.2}, deletion vectors {:.2}, depth {}, space {:.2}",
            table.written_bytes as f64 / logical as f64,
            table.deletion_vector_bytes as f64 / logical as f64,
            table.depth_max,
            table.runs.iter().map(|run| run.rows).sum::<u64>() as f64 / rows as f64,
        );
        assert!(written <= times * logical, "{written} {logical}");
        assert!(table.depth_max <= Effort::steady(BROWSER).depth_max + 1);
        let stored: u64 = table.runs.iter().map(|run| run.rows).sum();
        assert!(stored * 2 <= rows * 3, "{stored}");
    }
}
