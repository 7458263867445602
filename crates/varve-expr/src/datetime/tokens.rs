//! Cuts the text of dates, times and intervals into tokens, as PostgreSQL does.

use super::words::word;

/// What a token looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits, with a point among or before them.
    Number,
    /// Letters.
    Word,
    /// Numbers or names joined by `-`, `/` or `.`: a day, or the name of a time zone.
    Date,
    /// Digits with colons.
    Time,
    /// A sign and digits.
    Signed,
    /// A sign and letters.
    SignedWord,
}

/// A token, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub text: String,
}

const TOKENS_MAX: usize = 25;

struct Input<'a> {
    rest: &'a str,
    token: String,
}

impl Input<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Moves all leading characters that are wanted to the token.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.token.push_str(&taken.to_ascii_lowercase());
        self.rest = rest;
    }

    fn take_one(&mut self) {
        let mut rest = self.rest.chars();
        self.token.extend(rest.next());
        self.rest = rest.as_str();
    }

    fn is_next(&self, wanted: impl Fn(char) -> bool) -> bool {
        self.peek().is_some_and(wanted)
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// The tokens of a text of at most `bytes_max` bytes; `None` where a character is in none.
pub(super) fn tokens(text: &str, bytes_max: usize) -> Option<Vec<Token>> {
    let mut input = Input {
        rest: text,
        token: String::new(),
    };
    let mut tokens = Vec::new();
    let mut bytes = 0;
    while let Some(first) = input.peek() {
        let kind = if is_space(first) {
            input.take_one();
            input.token.clear();
            continue;
        } else if is_digit(first) {
            number(&mut input)
        } else if first == '.' {
            input.take_one();
            input.take_while(is_digit);
            Kind::Number
        } else if is_letter(first) {
            letters(&mut input)
        } else if matches!(first, '+' | '-') {
            input.take_one();
            let trimmed = input.rest.trim_start_matches(is_space);
            input.rest = trimmed;
            if input.is_next(is_digit) {
                input.take_while(|c| is_digit(c) || matches!(c, ':' | '.' | '-'));
                Kind::Signed
            } else if input.is_next(is_letter) {
                input.take_while(is_letter);
                Kind::SignedWord
            } else {
                return None;
            }
        } else if first.is_ascii_punctuation() {
            input.take_one();
            input.token.clear();
            continue;
        } else {
            return None;
        };
        let text = core::mem::take(&mut input.token);
        bytes += text.len() + 1;
        if tokens.len() == TOKENS_MAX || bytes > bytes_max {
            return None;
        }
        tokens.push(Token { kind, text });
    }
    Some(tokens)
}

/// A token that begins with a digit.
fn number(input: &mut Input<'_>) -> Kind {
    input.take_while(is_digit);
    let Some(separator) = input.peek() else {
        return Kind::Number;
    };
    match separator {
        ':' => {
            input.take_while(|c| is_digit(c) || matches!(c, ':' | '.'));
            Kind::Time
        }
        '-' | '/' | '.' => {
            input.take_one();
            if !input.is_next(is_digit) {
                input.take_while(|c| c.is_ascii_alphanumeric() || c == separator);
                return Kind::Date;
            }
            input.take_while(is_digit);
            if input.is_next(|c| c == separator) {
                input.take_while(|c| is_digit(c) || c == separator);
                return Kind::Date;
            }
            if separator == '.' {
                Kind::Number
            } else {
                Kind::Date
            }
        }
        _ => Kind::Number,
    }
}

/// A token that begins with a letter: words of dates end before a digit or a sign, names of time
/// zones and all others go on with it.
fn letters(input: &mut Input<'_>) -> Kind {
    input.take_while(is_letter);
    let goes_on = match input.peek() {
        Some('-' | '/' | '.') => true,
        Some(c) if c == '+' || is_digit(c) => word(&input.token).is_none(),
        _ => false,
    };
    if !goes_on {
        return Kind::Word;
    }
    input.take_while(|c| {
        c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '/' | '_' | '.' | ':')
    });
    Kind::Date
}
