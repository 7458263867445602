//! Names and words that the generators draw from.

use crate::random::Random;

pub(super) const REGIONS: [&str; 8] = [
    "north", "south", "east", "west", "centre", "coast", "hills", "islands",
];

/// Domains of email addresses, with their weights.
pub(super) const DOMAINS: [(&str, u64); 7] = [
    ("gmail.com", 40),
    ("yahoo.com", 20),
    ("hotmail.com", 12),
    ("outlook.com", 12),
    ("icloud.com", 8),
    ("company.com", 5),
    ("example.org", 3),
];

pub(super) const FIRST_NAMES: [&str; 30] = [
    "alice", "anna", "ben", "carlos", "chloe", "daniel", "david", "elena", "emma", "eric",
    "fatima", "george", "hannah", "ivan", "james", "john", "julia", "kevin", "laura", "linda",
    "maria", "michael", "nina", "oliver", "paul", "robert", "sarah", "thomas", "victor", "yuki",
];

pub(super) const LAST_NAMES: [&str; 30] = [
    "anderson", "baker", "brown", "clark", "davis", "evans", "fischer", "garcia", "hall",
    "ivanova", "jackson", "johnson", "jones", "kim", "lee", "lopez", "martin", "miller", "moore",
    "nguyen", "novak", "patel", "quinn", "rossi", "schmidt", "smith", "tanaka", "taylor", "walker",
    "wilson",
];

/// An index below `count` that is small more often than large.
pub(super) fn squared(random: &mut Random, count: usize) -> usize {
    let unit = random.unit();
    (count as f64 * (unit * unit)) as usize
}
