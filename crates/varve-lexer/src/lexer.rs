//! The tokens of a text, with their places.

use crate::keyword::Keyword;
use crate::token::{Fault, Lexeme, Token};
use crate::token_reader::TokenReader;

/// Reads the tokens of a text, statement by statement.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    reader: TokenReader<'a>,
    /// Every byte is a character.
    ascii: bool,
    /// The byte and the character (from 1) up to which characters are counted.
    counted: (usize, u32),
    /// The end of the text was read, or what cannot be.
    has_ended: bool,
    lexemes: Vec<Lexeme>,
}

/// The tokens of a text, without white space and comments; the last one is the end of the text or
/// what cannot be read. `text` has fewer than 2^32 bytes.
pub fn tokenize(text: &str) -> Vec<Lexeme> {
    let mut lexer = Lexer::new(text);
    lexer.lexemes.reserve(text.len() / 5 + 2);
    while !lexer.has_ended {
        lexer.advance();
    }
    lexer.lexemes
}

impl<'a> Lexer<'a> {
    /// Stands before the first token of a text of fewer than 2^32 bytes.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            reader: TokenReader::new(text, 0),
            ascii: text.is_ascii(),
            counted: (0, 1),
            has_ended: false,
            lexemes: Vec::new(),
        }
    }

    /// The tokens of the next statement, then the one that ends it: a semicolon, the end of the
    /// text, or what cannot be read. The semicolons in the body of a function end nothing. A
    /// statement is cut behind the token that makes it longer than `bytes_max`. `None` behind the
    /// last one.
    pub fn statement(&mut self, bytes_max: usize) -> Option<Vec<Lexeme>> {
        let mut before = Keyword::NoKeyword;
        let mut depth = 0_u32;
        while !self.has_ended {
            let lexeme = self.advance();
            let first = self.lexemes.first().copied().unwrap_or(lexeme);
            match lexeme.keyword {
                Keyword::ATOMIC
                    if before == Keyword::BEGIN
                        && first.keyword == Keyword::CREATE
                        && depth == 0 =>
                {
                    depth = 1;
                }
                Keyword::CASE if depth > 0 => depth += 1,
                Keyword::END if depth > 0 => depth -= 1,
                _ => {}
            }
            before = lexeme.keyword;
            let ends = lexeme.token == Token::SemiColon && depth == 0;
            if ends || self.reader.at() - first.start as usize > bytes_max {
                break;
            }
        }
        let lexemes = core::mem::take(&mut self.lexemes);
        (!lexemes.is_empty()).then_some(lexemes)
    }

    /// Reads one token.
    fn advance(&mut self) -> Lexeme {
        let start = self.reader.spaces();
        let token = match self.reader.take_open() {
            Some(_) => Token::Invalid(Fault::Comment),
            None => self.reader.token(),
        };
        self.has_ended = matches!(token, Token::EOF | Token::Invalid(_));
        self.push(token, start)
    }

    fn push(&mut self, token: Token, start: usize) -> Lexeme {
        let end = self.reader.at();
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let position = if self.ascii {
            number(start + 1)
        } else {
            let (from, count) = self.counted;
            let between = self.text.as_bytes().get(from..start).unwrap_or_default();
            let starts = between.iter().filter(|byte| **byte & 0xc0 != 0x80);
            let position = count.saturating_add(number(starts.count()));
            self.counted = (start, position);
            position
        };
        let keyword = match token {
            Token::Word => Keyword::of(self.text.get(start..end).unwrap_or_default()),
            _ => Keyword::NoKeyword,
        };
        let lexeme = Lexeme {
            token,
            keyword,
            start: number(start),
            end: number(end),
            position,
        };
        self.lexemes.push(lexeme);
        if keyword == Keyword::UESCAPE {
            self.join_escape();
        }
        lexeme
    }

    /// `UESCAPE '!'` behind a Unicode string or name becomes part of it.
    fn join_escape(&mut self) {
        let before = self.lexemes.len().checked_sub(2);
        let before = before.and_then(|at| self.lexemes.get(at)).copied();
        let unicode = [Token::UnicodeStringLiteral, Token::UnicodeWord];
        let Some(before) = before.filter(|before| unicode.contains(&before.token)) else {
            return;
        };
        let mut reader = self.reader.clone();
        reader.spaces();
        if reader.token() == Token::SingleQuotedString {
            self.lexemes.truncate(self.lexemes.len().saturating_sub(2));
            let end = u32::try_from(reader.at()).unwrap_or(u32::MAX);
            self.lexemes.push(Lexeme { end, ..before });
            self.reader = reader;
        }
    }
}
