//! `EXCLUDE` in window frames, which the parser does not know: its words become an item of
//! PARTITION BY with a name that no text can have.

use sqlparser::ast::Expr as Ast;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::window::FrameExclusion;

/// The words behind EXCLUDE, and the name that stands for them.
const EXCLUSIONS: [(&[&str], &str, FrameExclusion); 4] = [
    (&["CURRENT", "ROW"], "\0row", FrameExclusion::CurrentRow),
    (&["GROUP"], "\0group", FrameExclusion::Group),
    (&["TIES"], "\0ties", FrameExclusion::Ties),
    (&["NO", "OTHERS"], "\0none", FrameExclusion::NoOthers),
];

/// Rewrites the exclusions of all window definitions of a statement.
pub(crate) fn rewrite_exclusions(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut at = 0;
    while at < tokens.len() {
        if let Some((name, words)) = exclusion_at(&tokens, at)
            && let Some(place) = window_start(&tokens, at)
        {
            let marker: Vec<TokenWithSpan> = marker_tokens(&tokens, place, name);
            tokens.drain(at..at + 1 + words);
            let added = marker.len();
            tokens.splice(place..place, marker);
            at += added;
        } else {
            at += 1;
        }
    }
    tokens
}

/// The exclusion of a frame that starts at a token, and how many words follow EXCLUDE.
fn exclusion_at(tokens: &[TokenWithSpan], at: usize) -> Option<(&'static str, usize)> {
    if !is_word(tokens.get(at)?, "EXCLUDE") {
        return None;
    }
    let (words, name, _) = EXCLUSIONS.iter().find(|(words, _, _)| {
        let mut pairs = (at + 1..).zip(words.iter());
        pairs.all(|(at, word)| tokens.get(at).is_some_and(|token| is_word(token, word)))
    })?;
    let behind = tokens.get(at + 1 + words.len())?;
    (behind.token == Token::RParen).then_some((*name, words.len()))
}

/// Where the items of PARTITION BY stand, or would stand, in the parentheses around a token.
fn window_start(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let mut depth = 0;
    let mut start = at;
    loop {
        start = start.checked_sub(1)?;
        match tokens.get(start)?.token {
            Token::RParen => depth += 1,
            Token::LParen if depth == 0 => break,
            Token::LParen => depth -= 1,
            _ => {}
        }
    }
    let keywords = ["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS"];
    let first = tokens.get(start + 1)?;
    let is_named = !keywords.iter().any(|word| is_word(first, word));
    let place = start + 1 + usize::from(is_named);
    let partitions = is_word(tokens.get(place)?, "PARTITION");
    Some(place + if partitions { 2 } else { 0 })
}

fn marker_tokens(tokens: &[TokenWithSpan], place: usize, name: &str) -> Vec<TokenWithSpan> {
    let word = |value: &str, quote_style, keyword| {
        TokenWithSpan::wrap(Token::Word(Word {
            value: value.to_owned(),
            quote_style,
            keyword,
        }))
    };
    let marker = word(name, Some('"'), Keyword::NoKeyword);
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    if before.is_some_and(|before| is_word(before, "BY")) {
        return vec![marker, TokenWithSpan::wrap(Token::Comma)];
    }
    vec![
        word("PARTITION", None, Keyword::PARTITION),
        word("BY", None, Keyword::BY),
        marker,
    ]
}

fn is_word(token: &TokenWithSpan, word: &str) -> bool {
    matches!(&token.token, Token::Word(known)
        if known.quote_style.is_none() && known.value.eq_ignore_ascii_case(word))
}

/// The exclusion that an item of PARTITION BY stands for.
pub(crate) fn exclusion_of(item: &Ast) -> Option<FrameExclusion> {
    let Ast::Identifier(ident) = item else {
        return None;
    };
    let found = EXCLUSIONS.iter().find(|(_, name, _)| *name == ident.value);
    found.map(|(_, _, exclusion)| *exclusion)
}
