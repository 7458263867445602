//! D13: orders, as a shop keeps them, and their customers.

use super::column::{float64, id, int32, int64};
use super::timestamps::FIRST_MS;
use super::words::{REGIONS, squared};
use crate::random::Random;
use crate::set::{Column, Set, Texts, Values};

const STATUSES: [(&str, u64); 6] = [
    ("new", 5),
    ("paid", 10),
    ("packed", 10),
    ("shipped", 15),
    ("delivered", 55),
    ("returned", 5),
];

const DOMAINS: [(&str, u64); 6] = [
    ("gmail.com", 40),
    ("yahoo.com", 20),
    ("hotmail.com", 18),
    ("outlook.com", 12),
    ("icloud.com", 5),
    ("example.org", 5),
];

const FIRST_NAMES: [&str; 20] = [
    "ada", "ben", "cleo", "dan", "eva", "finn", "gwen", "hal", "ida", "jon", "kim", "leo", "mia",
    "ned", "ola", "pia", "quin", "ron", "sue", "tom",
];

const LAST_NAMES: [&str; 20] = [
    "ames", "bell", "cole", "dean", "ellis", "ford", "gray", "hill", "ives", "jones", "kent",
    "lane", "moss", "nash", "owen", "pike", "reed", "shaw", "todd", "west",
];

const NOTE_WORDS: [&str; 28] = [
    "call",
    "before",
    "delivery",
    "leave",
    "at",
    "door",
    "ring",
    "twice",
    "gift",
    "wrap",
    "please",
    "no",
    "substitutes",
    "fragile",
    "handle",
    "with",
    "care",
    "urgent",
    "second",
    "floor",
    "back",
    "gate",
    "friend",
    "will",
    "collect",
    "paid",
    "in",
    "cash",
];

const NOTE_CHARACTERS_MIN: usize = 36;

const COUNTRIES: [&str; 40] = [
    "Argentina",
    "Australia",
    "Austria",
    "Belgium",
    "Brazil",
    "Canada",
    "Chile",
    "China",
    "Colombia",
    "Croatia",
    "Czechia",
    "Denmark",
    "Egypt",
    "Finland",
    "France",
    "Germany",
    "Greece",
    "Hungary",
    "India",
    "Indonesia",
    "Ireland",
    "Israel",
    "Italy",
    "Japan",
    "Kenya",
    "Mexico",
    "Morocco",
    "Netherlands",
    "New Zealand",
    "Nigeria",
    "Norway",
    "Peru",
    "Poland",
    "Portugal",
    "South Africa",
    "Spain",
    "Sweden",
    "Turkey",
    "United Kingdom",
    "United States",
];

pub(super) fn orders(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(13);
    let mut ts = Vec::with_capacity(rows);
    let mut customers = Vec::with_capacity(rows);
    let mut statuses = Texts::default();
    let mut regions = Texts::default();
    let mut emails = Texts::default();
    let mut prices = Vec::with_capacity(rows);
    let mut notes = Texts::default();
    let mut has_note = Vec::with_capacity(rows);
    for row in 0..rows {
        ts.push(FIRST_MS + 50 * row as i64 + random.below(50) as i64);
        customers.push(1 + random.below(rows as u64 / 10));
        statuses.push(random.weighted(&STATUSES));
        regions.push(REGIONS[row / 1000 % REGIONS.len()]);
        emails.push(email(&mut random, row));
        prices.push(price(&mut random));
        let note = note(&mut random);
        has_note.push(note.is_some());
        notes.push(note.unwrap_or_default());
    }
    Set::new(
        name,
        vec![
            id(1, rows),
            int64("ts", ts),
            int32("customer_id", customers),
            Column::new("status", Values::Text(statuses)),
            Column::new("region", Values::Text(regions)),
            Column::new("email", Values::Text(emails)),
            float64("price", prices),
            Column::new("note", Values::Text(notes)).with_validity(has_note),
        ],
    )
}

/// A tenth as many rows as there are orders.
pub(super) fn customers(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(13);
    let rows = rows / 10;
    let mut names = Texts::default();
    let mut countries = Texts::default();
    for _ in 0..rows {
        let first = random.choice(&FIRST_NAMES);
        let last = random.choice(&LAST_NAMES);
        names.push(format!("{} {}", capital(first), capital(last)));
        countries.push(COUNTRIES[squared(&mut random, COUNTRIES.len())]);
    }
    let columns = vec![
        id(1, rows),
        Column::new("name", Values::Text(names)),
        Column::new("country", Values::Text(countries)),
    ];
    Set::new(name, columns)
}

fn email(random: &mut Random, row: usize) -> String {
    let first = random.choice(&FIRST_NAMES);
    let last = random.choice(&LAST_NAMES);
    let number = base_36(row);
    format!("{first}.{last}{number}@{}", random.weighted(&DOMAINS))
}

fn price(random: &mut Random) -> f64 {
    let unit = random.unit();
    let cents = (5.0 + 995.0 * (unit * unit * unit)) * 100.0;
    (cents + 0.5).floor() / 100.0
}

fn note(random: &mut Random) -> Option<String> {
    if random.percent(60) {
        return None;
    }
    let mut note = random.choice(&NOTE_WORDS).to_owned();
    while note.len() < NOTE_CHARACTERS_MIN {
        note.push(' ');
        note.push_str(random.choice(&NOTE_WORDS));
    }
    Some(note)
}

fn base_36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).expect("a digit is below 36"));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
