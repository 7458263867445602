//! The words that dates, times and intervals are written with.

/// What a word of a date or a time says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Now,
    /// The day so many days from today.
    Day(i64),
    /// `allballs`: 00:00 UTC.
    Midnight,
    Epoch,
    /// Whether it is the positive one.
    Infinity(bool),
    Month(i64),
    DayOfWeek,
    /// Whether it is `pm`.
    Half(bool),
    /// Whether it is `bc`.
    Era(bool),
    /// What follows is a Julian day.
    Julian,
    /// What follows is a time.
    Time,
    /// The time zone before is meant in summer.
    Summer,
    /// Says nothing.
    Filler,
    /// The name of a field, which a number may follow in no supported format.
    Unit,
}

use Word::{DayOfWeek, Era, Filler, Half, Infinity, Month};

const WORDS: [(&str, Word); 72] = [
    ("+infinity", Infinity(true)),
    ("-infinity", Infinity(false)),
    ("ad", Era(false)),
    ("allballs", Word::Midnight),
    ("am", Half(false)),
    ("apr", Month(4)),
    ("april", Month(4)),
    ("at", Filler),
    ("aug", Month(8)),
    ("august", Month(8)),
    ("bc", Era(true)),
    ("d", Word::Unit),
    ("dec", Month(12)),
    ("december", Month(12)),
    ("dow", Word::Unit),
    ("doy", Word::Unit),
    ("dst", Word::Summer),
    ("epoch", Word::Epoch),
    ("feb", Month(2)),
    ("february", Month(2)),
    ("fri", DayOfWeek),
    ("friday", DayOfWeek),
    ("h", Word::Unit),
    ("infinity", Infinity(true)),
    ("isodow", Word::Unit),
    ("isoyear", Word::Unit),
    ("j", Word::Julian),
    ("jan", Month(1)),
    ("january", Month(1)),
    ("jd", Word::Julian),
    ("jul", Month(7)),
    ("julian", Word::Julian),
    ("july", Month(7)),
    ("jun", Month(6)),
    ("june", Month(6)),
    ("m", Word::Unit),
    ("mar", Month(3)),
    ("march", Month(3)),
    ("may", Month(5)),
    ("mm", Word::Unit),
    ("mon", DayOfWeek),
    ("monday", DayOfWeek),
    ("nov", Month(11)),
    ("november", Month(11)),
    ("now", Word::Now),
    ("oct", Month(10)),
    ("october", Month(10)),
    ("on", Filler),
    ("pm", Half(true)),
    ("s", Word::Unit),
    ("sat", DayOfWeek),
    ("saturday", DayOfWeek),
    ("sep", Month(9)),
    ("sept", Month(9)),
    ("september", Month(9)),
    ("sun", DayOfWeek),
    ("sunday", DayOfWeek),
    ("t", Word::Time),
    ("thu", DayOfWeek),
    ("thur", DayOfWeek),
    ("thurs", DayOfWeek),
    ("thursday", DayOfWeek),
    ("today", Word::Day(0)),
    ("tomorrow", Word::Day(1)),
    ("tue", DayOfWeek),
    ("tues", DayOfWeek),
    ("tuesday", DayOfWeek),
    ("wed", DayOfWeek),
    ("wednesday", DayOfWeek),
    ("weds", DayOfWeek),
    ("y", Word::Unit),
    ("yesterday", Word::Day(-1)),
];

/// What a word in lower case says.
pub(super) fn word(text: &str) -> Option<Word> {
    let at = WORDS.binary_search_by_key(&text, |(known, _)| known).ok()?;
    WORDS.get(at).map(|(_, word)| *word)
}
