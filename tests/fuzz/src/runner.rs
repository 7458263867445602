//! Damages the seeds and calls the targets.

use crate::input::{Input, Kind};
use crate::mutate::damage;
use crate::random::Random;
use crate::seeds::{Seed, seeds};
use crate::targets;
use std::collections::BTreeMap;
use varve_codec::{Shared, Stage, put_frames, write_frames};

/// How many inputs each codec got.
pub type Counts = BTreeMap<String, u64>;

/// Gives every codec at least `inputs_per_codec` damaged inputs, from `seed`. Codecs are shared out
/// to two threads.
pub fn run(inputs_per_codec: u64, seed: u64) -> Counts {
    let mut by_codec: BTreeMap<String, Vec<Seed>> = BTreeMap::new();
    for seed in seeds() {
        by_codec.entry(seed.codec.clone()).or_default().push(seed);
    }
    let codecs: Vec<(String, Vec<Seed>)> = by_codec.into_iter().collect();
    let work = |part: usize| {
        let mine = codecs.iter().enumerate().filter(|(i, _)| i % 2 == part);
        let mut counts = Counts::new();
        for (i, (codec, seeds)) in mine {
            let mut random = Random(seed ^ (i as u64) << 32);
            counts.insert(
                codec.clone(),
                run_codec(seeds, inputs_per_codec, &mut random),
            );
        }
        counts
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(1));
        let mut counts = work(0);
        if let Ok(mut theirs) = other.join() {
            counts.append(&mut theirs);
        }
        counts
    })
}

fn run_codec(seeds: &[Seed], inputs: u64, random: &mut Random) -> u64 {
    let shared_parts: Vec<Shared> = seeds
        .iter()
        .map(|seed| Shared::decode(&seed.input.shared, targets::TEXT_BYTES_MAX))
        .map(Result::unwrap_or_default)
        .collect();
    let mut bytes = Vec::new();
    let mut count = 0;
    while count < inputs {
        for (seed, shared) in seeds.iter().zip(&shared_parts) {
            one(&seed.input, shared, random, count, &mut bytes);
            count += 1;
        }
    }
    count
}

/// One damaged input: most often the vector, now and then the shared part or the frame.
fn one(input: &Input, shared: &Shared, random: &mut Random, count: u64, bytes: &mut Vec<u8>) {
    let rows = usize::from(input.rows);
    match count % 16 {
        0 if !input.shared.is_empty() => {
            damage(&input.shared, random, bytes);
            if let Ok(shared) = Shared::decode(bytes, targets::TEXT_BYTES_MAX) {
                targets::vector(input.kind, &shared, &input.vector, rows, true);
            }
        }
        1 if input.kind != Kind::Bits => {
            let vectors = [input.vector.as_slice(), input.vector.as_slice()];
            let mut stored = Vec::new();
            let frames = write_frames(vectors.into_iter(), Stage::Lz4);
            let _ = put_frames(&frames, &mut stored);
            damage(&stored, random, bytes);
            targets::frames(bytes);
        }
        2 => {
            damage(&input.vector, random, bytes);
            let rows = random.below(1026);
            targets::vector(input.kind, shared, bytes, rows, true);
        }
        turn => {
            damage(&input.vector, random, bytes);
            targets::vector(input.kind, shared, bytes, rows, turn == 3);
        }
    }
}
