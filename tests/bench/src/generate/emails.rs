//! D2: an id and an email address.

use super::column::{id, text};
use super::words::{DOMAINS, FIRST_NAMES, LAST_NAMES};
use crate::random::Random;
use crate::set::Set;

const BASE_36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

pub(super) fn named(name: &str, rows: usize) -> Set {
    emails(name, rows, |random, _| {
        let first = random.choice(&FIRST_NAMES);
        let last = random.choice(&LAST_NAMES);
        format!("{first}.{last}{}", random.below(10_000))
    })
}

pub(super) fn numbered(name: &str, rows: usize) -> Set {
    emails(name, rows, |_, row| format!("user{row}"))
}

pub(super) fn random(name: &str, rows: usize) -> Set {
    emails(name, rows, |random, _| {
        let characters = (0..8).map(|_| char::from(random.choice(BASE_36)));
        format!("x{}", characters.collect::<String>())
    })
}

fn emails(name: &str, rows: usize, local: impl Fn(&mut Random, usize) -> String) -> Set {
    let mut random = Random::of_set(2);
    let email = |row| {
        let local = local(&mut random, row);
        format!("{local}@{}", random.weighted(&DOMAINS))
    };
    Set::new(name, vec![id(0, rows), text("email", (0..rows).map(email))])
}
