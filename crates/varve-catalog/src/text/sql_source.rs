//! Texts of statements that the catalog keeps, as pieces of SQL that is put together.

use varve_lexer::{Token, in_one_part, tokenize};
use varve_types::SqlText;

/// What a user wrote, without its comments: one at the end would swallow what comes behind.
///
/// Only whole tokens come out, so nothing behind the text becomes part of it; strings that go on
/// over lines are one, which every shell reads alike.
pub fn source(text: &str) -> SqlText {
    let mut written = String::with_capacity(text.len());
    let mut from = 0;
    for lexeme in tokenize(text) {
        if matches!(lexeme.token, Token::EOF | Token::Invalid(_)) {
            break;
        }
        let place = lexeme.bytes();
        let between = text.get(from..place.start).unwrap_or_default();
        match between.trim_ascii().is_empty() {
            true => written.push_str(between),
            false if between.contains(['\n', '\r']) => written.push('\n'),
            false => written.push(' '),
        }
        let token = text.get(place.clone()).unwrap_or_default();
        match in_one_part(lexeme.token, token) {
            Some(joined) => written.push_str(&joined),
            None => written.push_str(token),
        }
        // psql would read a name behind it as that of a variable.
        if lexeme.token == Token::Colon {
            written.push(' ');
        }
        from = place.end;
    }
    SqlText::read(&written)
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn comments_are_left_out() {
        for (text, shown) in [
            ("SELECT 1 -- one", "SELECT 1"),
            ("SELECT/* */1", "SELECT 1"),
            ("SELECT 'a' -- b\n 'c'", "SELECT 'ac'"),
            ("SELECT E'a\\''\n'c\\''", "SELECT E'a\\'c\\''"),
            ("SELECT '-- a'", "SELECT '-- a'"),
            ("SELECT a[1:b]", "SELECT a[1: b]"),
            ("SELECT 1 -- x\r + 2", "SELECT 1\n+ 2"),
        ] {
            assert_eq!(source(text).as_str(), shown);
        }
    }
}
