//! Tokens one by one, and what a text ends in.

use varve_lexer::{Fault, Open, Token, TokenReader};

#[test]
fn a_text_says_what_it_ends_in() {
    let cases = [
        ("'a''", Fault::QuotedString, Open::Quotes('\'', false)),
        ("e'a\\'", Fault::QuotedString, Open::Quotes('\'', true)),
        ("E'a'\n'\\'", Fault::QuotedString, Open::Quotes('\'', true)),
        ("U&'\\", Fault::QuotedString, Open::Quotes('\'', false)),
        ("x'0", Fault::HexString, Open::Quotes('\'', false)),
        ("\"a\"\"", Fault::QuotedIdentifier, Open::Quotes('"', false)),
        (
            "$a$ $$",
            Fault::DollarString,
            Open::Dollar("$a$".to_owned()),
        ),
    ];
    for (text, fault, open) in cases {
        let mut reader = TokenReader::new(text, 0);
        assert_eq!(reader.token(), Token::Invalid(fault), "{text}");
        assert_eq!(reader.take_open(), Some(open), "{text}");
        assert_eq!(reader.at(), text.len(), "{text}");
    }
}

#[test]
fn comments_in_comments_go_on_in_the_next_text() {
    let mut reader = TokenReader::new(" /* /* */ ' ", 0);
    assert!(reader.space());
    assert_eq!(reader.take_open(), None);
    assert!(reader.space());
    let open = reader.take_open();
    assert_eq!(open, Some(Open::Comment(1)));
    let mut next = TokenReader::new("/* */ */ 1", 0);
    assert!(open.is_some_and(|open| next.close(open)));
    assert_eq!(next.rest(), " 1");
    assert!(next.space());
    assert_eq!((next.token(), next.token()), (Token::Number, Token::EOF));
}

#[test]
fn junk_ends_between_characters() {
    let mut reader = TokenReader::new("$1é;", 0);
    assert_eq!(reader.token(), Token::Invalid(Fault::ParameterJunk));
    assert_eq!(reader.rest(), ";");
}
