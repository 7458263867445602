//! Chooses the symbols: rounds of counting what the table at hand cuts a sample into, and keeping
//! what saves most, of the symbols there are and of all that stood beside one another.

use super::lookup::{Lookup, Token};
use super::parse::{Parser, code_bytes_without};
use super::sample::Sample;
use super::table::{Symbol, SymbolTable};
use super::{SYMBOL_BYTES_MAX, SYMBOLS_MAX};

/// Rounds that grow symbols, on a part of the sample; the others weigh them, on all of it.
const EARLY_ROUNDS: usize = 6;
const EARLY_STEP: usize = 4;
const ROUNDS: usize = 10;
/// What stood side by side less often is chance.
const JOINED_COUNT_MIN: u64 = 5;
/// The gain of a symbol is four times the bytes that it saved, and its length for each use: a
/// longer one grows further.
const SAVED_WEIGHT: u64 = 4;
/// A byte alone saves one byte for each use in the sample, and more outside it, where fewer long
/// symbols fit.
const SINGLE_WEIGHT: u64 = 16;

/// More than any symbol gains in a sample.
const GAIN_MAX: u64 = 1 << 50;

/// The table for strings like these; the same one on every machine.
pub(crate) fn train<'a>(strings: impl Iterator<Item = &'a [u8]> + Clone) -> SymbolTable {
    train_on(&Sample::of(strings))
}

fn train_on(sample: &Sample<'_>) -> SymbolTable {
    let mut symbols = Vec::new();
    let mut best = Vec::new();
    let mut best_bytes = u64::MAX;
    let mut lookup = Lookup::new(&[]);
    let mut counts = Counts::new();
    for round in 0..=ROUNDS {
        lookup.set_symbols(&symbols);
        if round < EARLY_ROUNDS {
            counts.count(sample.strings.iter().step_by(EARLY_STEP), &lookup);
        } else {
            let code_bytes = counts.count(sample.strings.iter(), &lookup);
            let bytes = encoded_bytes(sample, code_bytes, &symbols);
            if bytes < best_bytes {
                best_bytes = bytes;
                best.clone_from(&symbols);
            }
        }
        if round < ROUNDS {
            symbols = choose(counts.take_candidates(&symbols), sample, &lookup);
        }
    }
    SymbolTable::new(&best)
}

/// Bytes of all that the sample stands for, with the table.
fn encoded_bytes(sample: &Sample<'_>, code_bytes: u64, symbols: &[Symbol]) -> u64 {
    let table_bytes: u64 = symbols.iter().map(|symbol| u64::from(symbol.len)).sum();
    let codes = u128::from(code_bytes) * u128::from(sample.total_bytes);
    let codes = codes / u128::from(sample.bytes.max(1));
    u64::try_from(codes)
        .unwrap_or(u64::MAX)
        .saturating_add(table_bytes)
}

/// A symbol that might be in the next table.
struct Candidate {
    symbol: Symbol,
    /// Whether two tokens make it, and a token of its own may be counted too.
    joined: bool,
    count: u32,
}

impl Candidate {
    /// Sorts by symbol, and the exact count of a token first.
    fn packed(&self) -> u128 {
        self.symbol.order() << 40 | u128::from(self.joined) << 32 | u128::from(self.count)
    }

    fn unpacked(packed: u128) -> Candidate {
        let [a, b, c, d, joined, ..] = packed.to_le_bytes();
        Candidate {
            symbol: Symbol::of_order(packed >> 40),
            joined: joined != 0,
            count: u32::from_le_bytes([a, b, c, d]),
        }
    }
}

/// The candidates with the most gain, each different.
fn choose(mut candidates: Vec<u128>, sample: &Sample<'_>, lookup: &Lookup) -> Vec<Symbol> {
    candidates.sort_unstable();
    let mut gains = Vec::with_capacity(candidates.len());
    for same in candidates.chunk_by(|a, b| a >> 40 == b >> 40) {
        let mut parts = same.iter().map(|packed| Candidate::unpacked(*packed));
        let Some(Candidate {
            symbol,
            joined,
            count,
        }) = parts.next()
        else {
            continue;
        };
        let mut count = u64::from(count);
        if joined {
            count += parts.map(|part| u64::from(part.count)).sum::<u64>();
            if count < JOINED_COUNT_MIN {
                continue;
            }
        }
        let saved = u64::from(code_bytes_without(lookup, symbol)) - 1;
        let pays = u128::from(count * saved) * u128::from(sample.total_bytes)
            > u128::from(symbol.len) * u128::from(sample.bytes);
        let weight = match symbol.len {
            1 => SINGLE_WEIGHT,
            _ => SAVED_WEIGHT,
        };
        if pays {
            let gain = count * (saved * weight + u64::from(symbol.len));
            gains.push(u128::from(GAIN_MAX.saturating_sub(gain)) << 72 | symbol.order());
        }
    }
    gains.sort_unstable();
    gains.truncate(SYMBOLS_MAX);
    let order = |gain: &u128| Symbol::of_order(gain & ((1 << 72) - 1));
    gains.iter().map(order).collect()
}

/// How often each token came, and each two beside one another.
struct Counts {
    tokens: Vec<u32>,
    /// By the first token's id and the second's.
    pairs: Vec<u16>,
    /// Pairs that are not 0.
    seen: Vec<u32>,
}

impl Counts {
    fn new() -> Counts {
        Counts {
            tokens: vec![0; Token::IDS],
            pairs: vec![0; Token::IDS * Token::IDS],
            seen: Vec::new(),
        }
    }

    /// Adds the strings; returns their code bytes.
    fn count<'a>(&mut self, strings: impl Iterator<Item = &'a &'a [u8]>, lookup: &Lookup) -> u64 {
        let mut parser = Parser::new(lookup);
        let mut code_bytes = 0;
        for string in strings {
            let mut last = None;
            parser.parse(string, |token| {
                code_bytes += 1 + u64::from(token.is_escaped());
                if let Some(count) = self.tokens.get_mut(usize::from(token.id())) {
                    *count += 1;
                }
                if let Some(last) = last.replace(token.id()) {
                    self.add_pair(last, token.id());
                }
            });
        }
        code_bytes
    }

    fn add_pair(&mut self, first: u16, second: u16) {
        let pair = u32::from(first) << 9 | u32::from(second);
        if let Some(count) = self.pairs.get_mut(pair as usize) {
            if *count == 0 {
                self.seen.push(pair);
            }
            *count = count.saturating_add(1);
        }
    }

    /// Tokens, pairs, and tokens with the first byte of the next; then all counts are 0 again.
    fn take_candidates(&mut self, symbols: &[Symbol]) -> Vec<u128> {
        let symbol = |id: u32| {
            let [low, high, ..] = id.to_le_bytes();
            match (high, symbols.get(usize::from(low))) {
                (0, Some(symbol)) => *symbol,
                _ => Symbol::of_byte(low),
            }
        };
        let mut candidates = Vec::with_capacity(Token::IDS + 2 * self.seen.len());
        let mut add = |symbol, joined, count| {
            let candidate = Candidate {
                symbol,
                joined,
                count,
            };
            candidates.push(candidate.packed());
        };
        for (id, count) in (0..).zip(&mut self.tokens) {
            let count = core::mem::take(count);
            if count > 0 {
                add(symbol(id), false, count);
            }
        }
        for pair in self.seen.drain(..) {
            let count = self.pairs.get_mut(pair as usize).map_or(0, core::mem::take);
            let (first, second) = (symbol(pair >> 9), symbol(pair & 0x1ff));
            if count > 1 && usize::from(first.len) < SYMBOL_BYTES_MAX {
                add(first.followed_by(second), true, u32::from(count));
                if second.len > 1 {
                    let byte = Symbol::of_byte(second.first_byte());
                    add(first.followed_by(byte), true, u32::from(count));
                }
            }
        }
        candidates
    }
}
