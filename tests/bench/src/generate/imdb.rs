//! D8: titles of films and episodes as IMDb tells them, one JSON object a row.
//!
//! The word list is calibrated: frames of zstd-19 of one row each are 1.30 times smaller than the
//! rows, and 3.85 times with a trained dictionary, as they were on the real titles.

use super::column::id;
use super::words::squared;
use crate::random::Random;
use crate::set::{Column, Set, Texts, Values};
use std::fmt::Write;

const WORDS: usize = 60_000;
const TRIGRAMS: usize = 20_000;
const TYPES: [(&str, u64); 9] = [
    ("tvEpisode", 720),
    ("short", 100),
    ("movie", 70),
    ("video", 30),
    ("tvSeries", 25),
    ("tvMiniSeries", 20),
    ("tvMovie", 15),
    ("tvSpecial", 10),
    ("videoGame", 10),
];
const GENRES: [&str; 28] = [
    "Drama",
    "Comedy",
    "Talk-Show",
    "Short",
    "Documentary",
    "News",
    "Romance",
    "Family",
    "Reality-TV",
    "Animation",
    "Crime",
    "Action",
    "Adventure",
    "Game-Show",
    "Music",
    "Adult",
    "Sport",
    "Fantasy",
    "Mystery",
    "Horror",
    "Thriller",
    "History",
    "Biography",
    "Sci-Fi",
    "Musical",
    "War",
    "Western",
    "Film-Noir",
];
const NONE: &str = "\\\\N";

pub(super) fn titles(name: &str, rows: usize) -> Set {
    let mut random = Random::of_set(8);
    let words = word_list(&mut random);
    let mut json = String::new();
    let mut titles = Texts::default();
    for row in 0..rows {
        json.clear();
        put_title(row + 1, &words, &mut random, &mut json).expect("a string takes any text");
        titles.push(&json);
    }
    Set::new(
        name,
        vec![id(1, rows), Column::new("data", Values::Text(titles))],
    )
}

/// Words of two to five draws from a list of three-letter syllables.
fn word_list(random: &mut Random) -> Vec<String> {
    let letter = |random: &mut Random, letters: &[u8]| char::from(random.choice(letters));
    let syllables: Vec<String> = (0..TRIGRAMS)
        .map(|_| {
            let first = letter(
                random,
                b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            );
            let second = letter(
                random,
                b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            );
            let third = letter(
                random,
                b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            );
            [first, second, third].iter().collect()
        })
        .collect();
    let word = |_| {
        let parts =
            (0..2 + low(random, 4)).map(|_| &syllables[random.below(TRIGRAMS as u64) as usize]);
        parts.map(String::as_str).collect()
    };
    (0..WORDS).map(word).collect()
}

fn put_title(
    id: usize,
    words: &[String],
    random: &mut Random,
    out: &mut String,
) -> std::fmt::Result {
    let kind = random.weighted(&TYPES);
    let primary = if kind == "tvEpisode" && random.percent(45) {
        format!("Episode #{}.{}", 1 + random.below(9), 1 + random.below(200))
    } else {
        some_words(words, random)
    };
    let original = if random.percent(90) {
        primary.clone()
    } else {
        some_words(words, random)
    };
    write!(out, "{{\"tconst\":\"tt{id:07}\",\"titleType\":\"{kind}\"")?;
    write!(
        out,
        ",\"primaryTitle\":\"{primary}\",\"originalTitle\":\"{original}\""
    )?;
    write!(out, ",\"isAdult\":{}", u8::from(random.percent(1)))?;
    put_number(out, "startYear", 13, random, |random| {
        2024 - squared(random, 100)
    })?;
    put_number(out, "endYear", 99, random, |random| {
        2024 - squared(random, 70)
    })?;
    put_number(out, "runtimeMinutes", 70, random, |random| {
        1 + squared(random, 180)
    })?;
    write!(out, ",\"genres\":\"")?;
    for i in 0..3 - low(random, 3) {
        let genre = GENRES[squared(random, GENRES.len())];
        write!(out, "{}{genre}", if i == 0 { "" } else { "," })?;
    }
    write!(out, "\"}}")
}

/// A field that is `\N` in `none_percent` of the rows.
fn put_number(
    out: &mut String,
    name: &str,
    none_percent: u64,
    random: &mut Random,
    number: impl Fn(&mut Random) -> usize,
) -> std::fmt::Result {
    if random.percent(none_percent) {
        write!(out, ",\"{name}\":\"{NONE}\"")
    } else {
        write!(out, ",\"{name}\":\"{}\"", number(random))
    }
}

/// One to five words, frequent ones first in the list, each with a capital.
fn some_words(words: &[String], random: &mut Random) -> String {
    let count = 1 + low(random, 5);
    let mut title = String::new();
    for i in 0..count {
        if i > 0 {
            title.push(' ');
        }
        let word = &words[squared(random, words.len())];
        let (first, rest) = word.split_at(1);
        title.push_str(&first.to_ascii_uppercase());
        title.push_str(rest);
    }
    title
}

/// A number below `limit`, mostly 0.
fn low(random: &mut Random, limit: u64) -> u64 {
    (0..5).map(|_| random.below(limit)).min().unwrap_or(0)
}
