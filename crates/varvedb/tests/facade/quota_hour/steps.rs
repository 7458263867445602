//! The work of an hour.

use varve_kv::fault::SplitMix64;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Insert(i64),
    Load(i64),
    /// Rows of this remainder get a new version.
    Update(i64),
    Delete(i64),
    /// Inserts rows and deletes those of a remainder, in one transaction.
    Block(i64, i64),
    /// Makes the index, or drops it.
    Index,
    Checkpoint,
    Vacuum,
    Jobs,
}

/// The work of an hour. It begins with what later steps need.
pub(super) fn steps(seed: u64, count: usize) -> Vec<Step> {
    let mut random = SplitMix64::new(seed);
    let mut below = |count: u64| random.up_to(count - 1).cast_signed();
    let mut steps = vec![Step::Insert(60), Step::Checkpoint, Step::Index];
    while steps.len() < count {
        steps.push(match below(12) {
            0..=2 => Step::Insert(20 + below(120)),
            3 => Step::Load(50 + below(200)),
            4 | 5 => Step::Update(below(7)),
            6 => Step::Delete(below(5)),
            7 => Step::Block(1 + below(30), below(5)),
            8 => Step::Index,
            9 => Step::Checkpoint,
            10 => Step::Vacuum,
            _ => Step::Jobs,
        });
    }
    steps
}
