//! D11: ten thousand rows that hold one of fifty documents, and a thousand that hold one with 1% of
//! its bytes changed. A hundredth of the rows of other sets, because a document has 2 to 64 kB.

use super::column::id;
use super::words::squared;
use crate::random::Random;
use crate::set::{Column, Set, Texts, Values};

const DOCUMENTS: usize = 50;
const ROWS_DIVISOR: usize = 100;
const NEAR_DIVISOR: usize = 10;
const WORDS: u64 = 4000;

pub(super) fn documents(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(11);
    let documents: Vec<Vec<u8>> = (0..DOCUMENTS).map(|_| document(&mut random)).collect();
    let mut docs = Texts::default();
    let exact = (rows / ROWS_DIVISOR).min(10_000);
    for _ in 0..exact {
        docs.push(&documents[squared(&mut random, DOCUMENTS)]);
    }
    for _ in 0..exact / NEAR_DIVISOR {
        let mut near = documents[squared(&mut random, DOCUMENTS)].clone();
        for _ in 0..near.len() / 100 {
            let at = random.below(near.len() as u64) as usize;
            near[at] = random.choice(b"0123456789");
        }
        docs.push(near);
    }
    let columns = vec![id(1, docs.len()), Column::new("doc", Values::Bytes(docs))];
    Set::new(name, columns)
}

/// Words that are as good as random, so that what is saved is saved on whole documents.
fn document(random: &mut Random) -> Vec<u8> {
    let bytes = 2000 + random.below(62_001) as usize;
    let mut text = Vec::with_capacity(bytes + 8);
    while text.len() < bytes {
        let mut word = Random::of_set(1_000_000 + random.below(WORDS));
        for _ in 0..3 + word.below(6) {
            text.push(word.choice(b"abcdefghijklmnopqrstuvwxyz"));
        }
        text.push(b' ');
    }
    text.truncate(bytes);
    text
}
