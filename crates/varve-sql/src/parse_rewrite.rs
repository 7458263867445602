//! Forms that the parser does not know, as forms that it does: names that no text can have mark
//! them.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The name of the argument behind VARIADIC.
pub(crate) const VARIADIC: &str = "\0variadic";
/// The name of the function that ROWS FROM becomes.
pub(crate) const ROWS_FROM: &str = "\0rows";

/// `f(VARIADIC x)` becomes `f(name => x)`, `ROWS FROM (f(), g())` becomes `name(f(), g())`.
pub(crate) fn rewrite_calls(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let defines = |token: &TokenWithSpan| {
        let words = ["FUNCTION", "PROCEDURE", "AGGREGATE", "ROUTINE"];
        words.iter().any(|word| is_word(token, word))
    };
    if tokens.iter().take(4).any(defines) {
        return tokens;
    }
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let begins = |token: &TokenWithSpan| matches!(token.token, Token::LParen | Token::Comma);
        let next = tokens.get(at + 1).zip(tokens.get(at + 2));
        if is_word(token, "VARIADIC") && before.is_some_and(begins) {
            let span = token.span;
            let arrow = TokenWithSpan {
                token: Token::RArrow,
                span,
            };
            let marker = marker(VARIADIC, token);
            tokens.splice(at..=at, [marker, arrow]);
        } else if is_word(token, "ROWS")
            && let Some((from, behind)) = next
            && is_word(from, "FROM")
            && behind.token == Token::LParen
        {
            let marker = marker(ROWS_FROM, token);
            tokens.splice(at..=at + 1, [marker]);
        }
        at += 1;
    }
    tokens
}

fn marker(name: &str, place: &TokenWithSpan) -> TokenWithSpan {
    TokenWithSpan {
        token: Token::Word(Word {
            value: name.to_owned(),
            quote_style: Some('"'),
            keyword: Keyword::NoKeyword,
        }),
        span: place.span,
    }
}

fn is_word(token: &TokenWithSpan, word: &str) -> bool {
    matches!(&token.token, Token::Word(known)
        if known.quote_style.is_none() && known.value.eq_ignore_ascii_case(word))
}
