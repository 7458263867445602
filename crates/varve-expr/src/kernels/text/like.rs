//! LIKE and ILIKE.

use varve_types::{Column, Error, Result, SqlState};

use super::{lower_into, lowered};
use crate::kernels::boolean_column;
use crate::kernels::operand::{TextOperand, pack, validity_of};
use crate::tree::{Call, Row};

pub(in crate::kernels) fn like(call: &Call<'_>) -> Result<Column> {
    match_rows(call, false, false)
}

pub(in crate::kernels) fn not_like(call: &Call<'_>) -> Result<Column> {
    match_rows(call, false, true)
}

pub(in crate::kernels) fn ilike(call: &Call<'_>) -> Result<Column> {
    match_rows(call, true, false)
}

pub(in crate::kernels) fn not_ilike(call: &Call<'_>) -> Result<Column> {
    match_rows(call, true, true)
}

fn match_rows(call: &Call<'_>, ignores_case: bool, negated: bool) -> Result<Column> {
    let [input, pattern] = call.args else {
        return Err(Error::internal("LIKE without two arguments"));
    };
    let (inputs, patterns) = (TextOperand::new(input), TextOperand::new(pattern));
    let validity = validity_of(call.args);
    let mut compiled: Option<Pattern> = None;
    let mut folded = String::new();
    let mut bits = Vec::with_capacity(call.rows);
    for row in 0..call.rows {
        if validity.as_ref().is_some_and(|bits| !bits.get(row)) {
            bits.push(false);
            continue;
        }
        if compiled.is_none() || !patterns.is_constant {
            let pattern = patterns.get(row);
            compiled = Some(if ignores_case {
                Pattern::new(&lowered(pattern))
            } else {
                Pattern::new(pattern)
            });
        }
        let mut text = inputs.get(row);
        if ignores_case {
            folded.clear();
            lower_into(text, &mut folded);
            text = &folded;
        }
        let is_match = match &compiled {
            Some(pattern) => pattern.is_match(text)?,
            None => false,
        };
        bits.push(is_match != negated);
    }
    boolean_column(pack(bits.into_iter()), validity)
}

/// `like_escape(pattern, escape)`: the pattern with a backslash as its escape character, for `LIKE
/// ... ESCAPE`.
pub(in crate::kernels) fn like_escape(row: &Row<'_>, out: &mut String) -> Result<()> {
    let (pattern, escape) = (row.text(0), row.text(1));
    let mut characters = escape.chars();
    let escape = characters.next();
    if characters.next().is_some() {
        let error = Error::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string");
        return Err(error.with_hint("Escape string must be empty or one character."));
    }
    let mut escaped = false;
    for character in pattern.chars() {
        if escaped {
            out.push('\\');
            out.push(character);
            escaped = false;
        } else if Some(character) == escape {
            escaped = true;
        } else {
            if character == '\\' {
                out.push('\\');
            }
            out.push(character);
        }
    }
    if escaped {
        out.push('\\');
    }
    Ok(())
}

/// A pattern cut at its `%`: the first piece is at the start of a match, the last at its end, and
/// those between follow one another. Finding each piece as far left as possible never loses a
/// match, because `%` takes up any rest.
struct Pattern {
    /// It ends with a single escape character: an error where a text gets as far as that.
    ends_escaped: bool,
    first: Piece,
    /// The pieces after each `%`, but for the last; empty ones are left out.
    middle: Vec<Piece>,
    /// `None` for a pattern without `%`.
    last: Option<Piece>,
}

/// Characters to be found; `_` stands for any one.
#[derive(Default)]
struct Piece {
    literal: String,
    /// The characters again, `None` for `_`; empty where the piece has no `_`.
    wildcards: Vec<Option<char>>,
}

impl Pattern {
    fn new(text: &str) -> Pattern {
        let mut ends_escaped = false;
        let mut pieces: Vec<Vec<Option<char>>> = vec![Vec::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let wanted = match character {
                '%' => {
                    pieces.push(Vec::new());
                    continue;
                }
                '_' => None,
                '\\' => match characters.next() {
                    Some(escaped) => Some(escaped),
                    None => {
                        ends_escaped = true;
                        continue;
                    }
                },
                other => Some(other),
            };
            if let Some(piece) = pieces.last_mut() {
                piece.push(wanted);
            }
        }
        let mut pieces = pieces.into_iter();
        let first = Piece::new(pieces.next().unwrap_or_default());
        let last = pieces.next_back().map(Piece::new);
        let middle = pieces.filter(|piece| !piece.is_empty()).map(Piece::new);
        Pattern {
            ends_escaped,
            first,
            middle: middle.collect(),
            last,
        }
    }

    fn is_match(&self, text: &str) -> Result<bool> {
        if !self.ends_escaped {
            return Ok(self.matches(text));
        }
        // What stands before the escape character matches a part that is not the whole text.
        let starts = text.char_indices().map(|(at, _)| at);
        if starts
            .filter_map(|at| text.get(..at))
            .any(|start| self.matches(start))
        {
            return Err(Error::new(
                SqlState::INVALID_ESCAPE_SEQUENCE,
                "LIKE pattern must not end with escape character",
            ));
        }
        Ok(false)
    }

    fn matches(&self, text: &str) -> bool {
        // An empty piece is not compared: glibc's masked loads from the address of an empty string
        // cost 50 ns each.
        let mut rest = text;
        if !self.first.is_empty() {
            match self.first.strip_from(text) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        let Some(last) = &self.last else {
            return rest.is_empty();
        };
        for piece in &self.middle {
            match piece.find_in(rest) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        last.is_empty() || last.ends(rest)
    }
}

impl Piece {
    fn new(characters: Vec<Option<char>>) -> Piece {
        Piece {
            literal: characters.iter().flatten().collect(),
            wildcards: if characters.contains(&None) {
                characters
            } else {
                Vec::new()
            },
        }
    }

    fn is_empty(&self) -> bool {
        self.literal.is_empty() && self.wildcards.is_empty()
    }

    /// What follows the piece at the start of `text`.
    fn strip_from<'a>(&self, text: &'a str) -> Option<&'a str> {
        if self.wildcards.is_empty() {
            return text.strip_prefix(self.literal.as_str());
        }
        let mut rest = text.chars();
        for wanted in &self.wildcards {
            let character = rest.next()?;
            if wanted.is_some_and(|wanted| wanted != character) {
                return None;
            }
        }
        Some(rest.as_str())
    }

    /// What follows the first place in `text` where the piece is.
    fn find_in<'a>(&self, text: &'a str) -> Option<&'a str> {
        if self.wildcards.is_empty() {
            return after_literal(text, &self.literal);
        }
        let mut start = text.chars();
        loop {
            if let Some(after) = self.strip_from(start.as_str()) {
                return Some(after);
            }
            start.next()?;
        }
    }

    fn ends(&self, text: &str) -> bool {
        if self.wildcards.is_empty() {
            return text.ends_with(self.literal.as_str());
        }
        let mut rest = text.chars().rev();
        let mut wanted = self.wildcards.iter().rev();
        wanted.all(|wanted| {
            rest.next()
                .is_some_and(|character| wanted.is_none_or(|wanted| wanted == character))
        })
    }
}

/// What follows the first `literal` in `text`.
///
/// The search of `str` prepares tables that pay only for long texts; short ones are looked through
/// place by place.
fn after_literal<'a>(text: &'a str, literal: &str) -> Option<&'a str> {
    const SHORT_BYTES_MAX: usize = 128;
    if text.len() > SHORT_BYTES_MAX {
        return text.split_once(literal).map(|(_, after)| after);
    }
    let (first, rest) = literal.as_bytes().split_first()?;
    let bytes = text.as_bytes();
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    for (start, _) in starts {
        if bytes
            .get(start + 1..)
            .is_some_and(|after| after.starts_with(rest))
        {
            return text.get(start + literal.len()..);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use proptest::prelude::{prop_assert_eq, proptest};

    /// The slow twin: the definition, by recursion.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['%', rest @ ..] => (0..=text.len()).any(|cut| slow(rest, &text[cut..])),
            ['_', rest @ ..] => !text.is_empty() && slow(rest, &text[1..]),
            ['\\', wanted, rest @ ..] | [wanted, rest @ ..] => {
                text.first() == Some(wanted) && slow(rest, &text[1..])
            }
        }
    }

    proptest! {
        #[test]
        fn matches_as_defined(
            pattern in "([ab\u{e9}%%_]|\\\\[a%_\\\\]){0,7}",
            text in "[ab\u{e9}%_\\\\]{0,9}",
        ) {
            let characters: Vec<char> = pattern.chars().collect();
            let input: Vec<char> = text.chars().collect();
            prop_assert_eq!(
                Pattern::new(&pattern).matches(&text),
                slow(&characters, &input),
                "{} {}", text, pattern
            );
        }
    }

    #[test]
    fn an_escape_at_the_end_is_refused_where_a_text_gets_there() {
        for (pattern, text) in [("\\", "a"), ("a%\\", "ab"), ("\\\\\\", "\\a")] {
            let error = Pattern::new(pattern).is_match(text).unwrap_err();
            assert_eq!(error.state().code(), "22025", "{pattern}");
        }
        for (pattern, text) in [("\\", ""), ("a%\\", "ba"), ("a%\\", "a"), ("_\\", "a")] {
            assert_eq!(Pattern::new(pattern).is_match(text), Ok(false), "{pattern}");
        }
        assert!(Pattern::new("\\\\").matches("\\"));
    }
}
