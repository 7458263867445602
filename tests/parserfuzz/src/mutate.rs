//! What is done to a statement.

use varve_kv::fault::SplitMix64;

/// What cannot be read, and what the grammar does not wait for.
const JUNK: [&str; 24] = [
    "$", "\\", "'", "\"", "$$", "/*", "\"\"", "1a", "B'", "E'\\", "{", "\u{e9}", "(", ")", "[",
    "]", ",", ";", "::", "..", "null", "end", "select", "--",
];

/// Cuts a text into words, numbers, quoted parts, runs of white space and single other characters.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let length = if is_word(first) {
            rest.find(|character| !is_word(character))
        } else if first.is_whitespace() {
            rest.find(|character: char| !character.is_whitespace())
        } else if first == '\'' || first == '"' {
            let behind = rest.get(1..).unwrap_or_default();
            behind.find(first).map(|at| at + 2)
        } else {
            Some(first.len_utf8())
        };
        let (token, behind) = rest.split_at(length.unwrap_or(rest.len()));
        tokens.push(token);
        rest = behind;
    }
    tokens
}

/// The statement cut behind its first `count` tokens, with and without what cannot be read there.
pub fn cut(tokens: &[&str], count: usize) -> [String; 2] {
    let head = tokens[..count].concat();
    [format!("{head} $"), head]
}

/// A number below `count`.
pub fn pick(chance: &mut SplitMix64, count: usize) -> usize {
    let end = u64::try_from(count).unwrap_or(1).saturating_sub(1);
    usize::try_from(chance.up_to(end)).unwrap_or(0)
}

/// A few tokens left out, doubled, exchanged, or replaced by junk or by those of another statement.
pub fn changed(tokens: &[&str], other: &[&str], chance: &mut SplitMix64) -> String {
    let mut tokens = tokens.to_vec();
    let mut pick = |count: usize| pick(chance, count);
    for _ in 0..=pick(3) {
        if tokens.is_empty() {
            break;
        }
        let at = pick(tokens.len());
        match pick(6) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => {
                let other = pick(tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens.insert(at, JUNK[pick(JUNK.len())]),
            4 => tokens[at] = JUNK[pick(JUNK.len())],
            _ if other.is_empty() => {}
            _ => {
                let from = pick(other.len());
                let behind = (from + 1 + pick(6)).min(other.len());
                tokens.splice(at..=at, other[from..behind].iter().copied());
            }
        }
    }
    tokens.concat()
}
