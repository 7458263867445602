//! Finding templates on a sample of strings.
//!
//! Strings are taken apart at the punctuation that nearly all of them have in the same order; what
//! lies between is looked at by itself: a constant, a number in one of its forms, text and number
//! together, or text.

use std::collections::HashSet;

use crate::hashing::StringHashing;
use crate::strings::split::counter::{Counter, LOOK_ROWS};
use crate::strings::split::number::NumberForm;
use crate::strings::split::template::{Piece, Template};
use varve_sort::VecMap;

/// The most delimiters that a template is cut at.
const DELIMITERS_MAX: usize = 12;
/// The most runs of letters or digits that a part is taken apart into.
const RUNS_MAX: usize = 5;
/// The most digits of one hexadecimal or base-36 piece: their integers pack without loss.
const HEX_DIGITS: usize = 14;
const BASE36_DIGITS: usize = 10;
/// Parts shorter than this are text rather than digits of a large radix.
const DIGITS_MIN: usize = 4;

/// Whether `some` of `all` rows are nearly all: what does not fit is an exception, stored whole.
fn nearly_all(some: usize, all: usize) -> bool {
    some * 10 >= all * 9
}

/// Templates worth a try, for strings that stand in the order of their rows.
pub(crate) fn templates(rows: &[&[u8]]) -> Vec<Template> {
    let mut found = Vec::new();
    let mut add = |pieces: Vec<Piece>| {
        if let Some(template) = Template::new(pieces)
            && template.pieces() != [Piece::Text]
            && !found.contains(&template)
        {
            found.push(template);
        }
    };
    let chained = Chain::of(rows);
    add(chained.pieces());
    for delimiter in delimiters(rows) {
        let halves = rows.iter().filter_map(|row| {
            let at = row.iter().position(|byte| *byte == delimiter)?;
            Some((row.get(..at)?, row.get(at + 1..)?))
        });
        let (left, right): (Vec<&[u8]>, Vec<&[u8]>) = halves.unzip();
        for left in [part(&left), vec![Piece::Text]] {
            let mut pieces = left;
            pieces.push(Piece::Constant(vec![delimiter]));
            pieces.extend(part(&right));
            add(pieces);
        }
    }
    found
}

/// Punctuation that occurs once in nearly all strings, at most two of them.
fn delimiters(rows: &[&[u8]]) -> Vec<u8> {
    let mut once: VecMap<u8, usize> = VecMap::new();
    for row in rows {
        let mut counts: VecMap<u8, usize> = VecMap::new();
        for mark in row.iter().copied().filter(is_mark) {
            *counts.entry(mark).or_default() += 1;
        }
        for (mark, _) in counts.into_iter().filter(|(_, count)| *count == 1) {
            *once.entry(mark).or_default() += 1;
        }
    }
    let common = once
        .into_iter()
        .filter(|(_, count)| nearly_all(*count, rows.len()));
    let mut common: Vec<(usize, u8)> = common.map(|(mark, count)| (count, mark)).collect();
    varve_sort::sort_by(&mut common, |a, b| b.cmp(a));
    common.into_iter().take(2).map(|(_, mark)| mark).collect()
}

fn is_mark(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

/// Strings taken apart at delimiters that they share.
struct Chain<'a> {
    delimiters: Vec<u8>,
    /// By part, what the rows hold that have all delimiters; one part more than delimiters.
    parts: Vec<Vec<&'a [u8]>>,
}

impl<'a> Chain<'a> {
    fn of(rows: &[&'a [u8]]) -> Chain<'a> {
        // Of each row that has the delimiters so far, the parts before them and the rest.
        let mut cut: Vec<(Vec<&'a [u8]>, &'a [u8])> =
            rows.iter().map(|row| (Vec::new(), *row)).collect();
        let mut delimiters = Vec::new();
        while delimiters.len() < DELIMITERS_MAX {
            let next = |rest: &[u8]| rest.iter().copied().find(is_mark);
            let mut counts: VecMap<u8, usize> = VecMap::new();
            for (_, rest) in &cut {
                if let Some(mark) = next(rest) {
                    *counts.entry(mark).or_default() += 1;
                }
            }
            let Some((mark, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
                break;
            };
            if !nearly_all(count, rows.len()) {
                break;
            }
            cut.retain_mut(|(parts, rest)| {
                if next(rest) != Some(mark) {
                    return false;
                }
                let at = rest.iter().position(|byte| *byte == mark).unwrap_or(0);
                parts.push(rest.get(..at).unwrap_or_default());
                *rest = rest.get(at + 1..).unwrap_or_default();
                true
            });
            delimiters.push(mark);
        }
        let mut parts = vec![Vec::with_capacity(cut.len()); delimiters.len() + 1];
        for (before, rest) in cut {
            for (column, part) in parts.iter_mut().zip(before.into_iter().chain([rest])) {
                column.push(part);
            }
        }
        Chain { delimiters, parts }
    }

    /// The pieces of all parts, neighbouring text joined again where one decides the other.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        // Text that the next part may still join.
        let mut text: Option<Joined> = None;
        let marks = self.delimiters.iter().copied().map(Some).chain([None]);
        for (at, (parts, mark)) in self.parts.iter().zip(marks).enumerate() {
            let found = part(parts);
            let before = at.checked_sub(1).and_then(|at| self.delimiters.get(at));
            if let (Some(joined), Some(delimiter)) = (&mut text, before)
                && matches!(found.as_slice(), [Piece::Text] | [Piece::Constant(_)])
                && joined.take(*delimiter, parts, mark)
            {
                continue;
            }
            pieces.extend(text.take().into_iter().flat_map(Joined::pieces));
            pieces.extend(before.map(|mark| Piece::Constant(vec![*mark])));
            if let [Piece::Text] = found.as_slice() {
                text = Some(Joined::new(parts));
            } else {
                pieces.extend(found);
            }
        }
        pieces.extend(text.into_iter().flat_map(Joined::pieces));
        pieces
    }
}

/// Text over several parts.
struct Joined {
    texts: Vec<Vec<u8>>,
    distinct: usize,
    delimiters: Vec<u8>,
}

impl Joined {
    fn new(parts: &[&[u8]]) -> Joined {
        Joined {
            texts: parts.iter().map(|part| part.to_vec()).collect(),
            distinct: distinct(parts.iter().copied()),
            delimiters: Vec::new(),
        }
    }

    /// Takes the next part in, where the texts of both are hardly more than those of one of them,
    /// and the next delimiter still shows where they end.
    fn take(&mut self, delimiter: u8, parts: &[&[u8]], next: Option<u8>) -> bool {
        let more = distinct(parts.iter().copied());
        let pairs = self.texts.iter().zip(parts);
        let both: Vec<Vec<u8>> = pairs
            .map(|(text, part)| [text, &[delimiter][..], part].concat())
            .collect();
        let count = distinct(both.iter().map(Vec::as_slice));
        let most = self.distinct.max(more);
        let within = next.is_some_and(|next| next == delimiter || self.delimiters.contains(&next));
        if within || count > most + most / 4 || count * 2 > parts.len() {
            return false;
        }
        self.texts = both;
        self.distinct = count;
        self.delimiters.push(delimiter);
        true
    }

    /// The text, its beginning and end taken off where all have the same; those of few texts are in
    /// a dictionary anyway.
    fn pieces(self) -> Vec<Piece> {
        let texts: Vec<&[u8]> = self.texts.iter().map(Vec::as_slice).collect();
        let many = self.distinct * 2 > texts.len();
        let ended = many.then(|| endings(&texts)).flatten();
        ended.unwrap_or_else(|| vec![Piece::Text])
    }
}

fn distinct<'a>(texts: impl Iterator<Item = &'a [u8]>) -> usize {
    texts.collect::<HashSet<&[u8], StringHashing>>().len()
}

/// The pieces of what lies between two delimiters.
fn part(parts: &[&[u8]]) -> Vec<Piece> {
    if let Some(constant) = constant(parts) {
        return vec![Piece::Constant(constant.to_vec())];
    }
    runs(parts)
        .or_else(|| digits(parts, 16, HEX_DIGITS))
        .or_else(|| counter(parts))
        .or_else(|| digits(parts, 36, BASE36_DIGITS))
        .unwrap_or_else(|| vec![Piece::Text])
}

/// What (nearly) every part is.
fn constant<'a>(parts: &[&'a [u8]]) -> Option<&'a [u8]> {
    let first = parts.get(parts.len() / 2)?;
    let others = parts.iter().filter(|part| *part != first).count();
    (others * 128 <= parts.len()).then_some(*first)
}

/// Runs of digits and of other bytes, where nearly all parts have the same ones.
fn runs(parts: &[&[u8]]) -> Option<Vec<Piece>> {
    let mut shapes: VecMap<Vec<bool>, usize> = VecMap::new();
    let cut: Vec<Vec<&[u8]>> = parts.iter().map(|part| split_runs(part)).collect();
    let shape = |runs: &[&[u8]]| runs.iter().map(|run| is_number(run)).collect::<Vec<bool>>();
    for runs in &cut {
        *shapes.entry(shape(runs)).or_default() += 1;
    }
    let (commonest, count) = shapes.into_iter().max_by_key(|(_, count)| *count)?;
    if !nearly_all(count, parts.len()) || commonest.len() > RUNS_MAX || !commonest.contains(&true) {
        return None;
    }
    let fitting: Vec<&Vec<&[u8]>> = cut.iter().filter(|runs| shape(runs) == commonest).collect();
    let mut pieces = Vec::new();
    for (at, number) in commonest.iter().enumerate() {
        let column: Vec<&[u8]> = fitting
            .iter()
            .filter_map(|runs| runs.get(at).copied())
            .collect();
        match (number, constant(&column)) {
            (false, Some(bytes)) => pieces.push(Piece::Constant(bytes.to_vec())),
            (false, None) => pieces.push(Piece::Text),
            (true, _) => pieces.extend(decimal(&column)),
        }
    }
    Some(pieces)
}

fn split_runs(part: &[u8]) -> Vec<&[u8]> {
    part.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .collect()
}

fn is_number(run: &[u8]) -> bool {
    run.first().is_some_and(u8::is_ascii_digit)
}

/// Pieces for runs of decimal digits.
fn decimal(runs: &[&[u8]]) -> Vec<Piece> {
    let zeros = |run: &&&[u8]| run.len() > 1 && run.first() == Some(&b'0');
    let padded = runs.iter().filter(zeros).count();
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
    let most = NumberForm::DECIMAL.digits_max();
    if padded * 256 < runs.len().max(1) && longest <= most {
        return vec![Piece::Number(NumberForm::DECIMAL)];
    }
    let width = commonest_length(runs).map_or(longest, |(width, _)| width);
    fixed(10, false, width, most)
}

/// Digits of a large radix, of one length in nearly all parts; at most `most` to a piece.
fn digits(parts: &[&[u8]], radix: u8, most: usize) -> Option<Vec<Piece>> {
    let (length, count) = commonest_length(parts)?;
    if length < DIGITS_MIN || !nearly_all(count, parts.len()) {
        return None;
    }
    let bytes = || parts.iter().flat_map(|part| part.iter());
    let numerals = bytes().filter(|byte| byte.is_ascii_digit()).count();
    // No language has numerals among its letters.
    if numerals * 8 < bytes().count() {
        return None;
    }
    let upper = [false, true].into_iter().find(|upper| {
        let form = NumberForm::new(radix, *upper, 1);
        let digit = |byte: &u8| form.is_some_and(|form| form.digit(*byte).is_some());
        let fitting = parts.iter().filter(|part| part.iter().all(digit));
        nearly_all(fitting.count(), parts.len())
    })?;
    Some(fixed(radix, upper, length, most))
}

/// Pieces of a number of `width` digits, none longer than `most`.
fn fixed(radix: u8, upper: bool, width: usize, most: usize) -> Vec<Piece> {
    let pieces = width.div_ceil(most).max(1);
    let ends = (0..=pieces).map(|piece| piece * width / pieces);
    let widths = ends.clone().zip(ends.skip(1)).map(|(from, to)| to - from);
    let numbers = widths.filter_map(|width| NumberForm::new(radix, upper, width));
    numbers.map(Piece::Number).collect()
}

fn commonest_length(parts: &[&[u8]]) -> Option<(usize, usize)> {
    let mut lengths: VecMap<usize, usize> = VecMap::new();
    for part in parts {
        *lengths.entry(part.len()).or_default() += 1;
    }
    lengths.into_iter().max_by_key(|(_, count)| *count)
}

/// Text and a counter in base 36, where the first rows follow one.
fn counter(parts: &[&[u8]]) -> Option<Vec<Piece>> {
    let first = parts.get(..LOOK_ROWS)?;
    let (_, hits) = Counter::find(first)?;
    nearly_all(hits, first.len()).then(|| vec![Piece::Text, Piece::Number(NumberForm::COUNTER)])
}

/// Text between a beginning and an end that all parts share.
fn endings(parts: &[&[u8]]) -> Option<Vec<Piece>> {
    let first = parts.first()?;
    let shared = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let front = parts.iter().map(|part| shared(first, part)).min()?;
    let shared_back = |a: &[u8], b: &[u8]| {
        let pairs = a.iter().rev().zip(b.iter().rev());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let shortest = parts.iter().map(|part| part.len()).min()?;
    let back = parts.iter().map(|part| shared_back(first, part)).min()?;
    let back = back.min(shortest - front);
    if front + back == 0 {
        return None;
    }
    Some(vec![
        Piece::Constant(first.get(..front)?.to_vec()),
        Piece::Text,
        Piece::Constant(first.get(first.len() - back..)?.to_vec()),
    ])
}
