//! The parser's hold of the tokens, and what all statements are made of.

use varve_ast::Span;
use varve_lexer::{Fault, Keyword, Lexeme, Token, syntax_error, too_deep};
use varve_types::{Error, Result};

use crate::NESTING_MAX;

/// Parses one statement.
#[derive(Debug)]
pub struct Parser<'a> {
    text: &'a str,
    lexemes: &'a [Lexeme],
    /// What stands behind the statement, as its end.
    end: Lexeme,
    /// Why the text cannot be read on there. No loop over tokens sees it: what is left of a
    /// statement that cannot be read is its end, and whoever expects more names the fault.
    fault: Option<Fault>,
    at: usize,
    depth: u32,
}

/// Whether something in parentheses may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsOptional {
    /// It may.
    Optional,
    /// It may not.
    Mandatory,
}

impl<'a> Parser<'a> {
    /// A parser of the tokens of a statement in `text`; `end` is the token behind it: a semicolon,
    /// the end of the text, or what cannot be read.
    pub fn new(text: &'a str, lexemes: &'a [Lexeme], end: Lexeme) -> Parser<'a> {
        let fault = match end.token {
            Token::Invalid(fault) => Some(fault),
            _ => None,
        };
        Parser {
            text,
            lexemes,
            fault,
            end: Lexeme {
                token: Token::EOF,
                keyword: Keyword::NoKeyword,
                ..end
            },
            at: 0,
            depth: 0,
        }
    }

    /// The text of a token.
    pub fn text_of(&self, lexeme: Lexeme) -> &'a str {
        self.text.get(lexeme.bytes()).unwrap_or_default()
    }

    /// The text from a token to the end of the statement.
    pub fn text_from(&self, lexeme: Lexeme) -> &'a str {
        self.text_between(lexeme, self.end)
    }

    /// The text from one token up to another one.
    pub fn text_between(&self, first: Lexeme, behind: Lexeme) -> &'a str {
        let range = first.start as usize..behind.start as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// How many tokens were taken.
    pub fn index(&self) -> usize {
        self.at
    }

    /// The next token.
    pub fn peek_token(&self) -> Lexeme {
        self.peek_nth_token(0)
    }

    /// The token after `n` more.
    pub fn peek_nth_token(&self, n: usize) -> Lexeme {
        let found = self.lexemes.get(self.at + n).copied();
        #[cfg(feature = "counted")]
        crate::steps::take();
        #[cfg(feature = "counted")]
        if found.is_none() && crate::steps::is_planted() {
            let token = self.fault.map_or(Token::EOF, Token::Invalid);
            return Lexeme { token, ..self.end };
        }
        found.unwrap_or(self.end)
    }

    /// Fails unless the statement ends here.
    pub fn expect_end(&self) -> Result<()> {
        let next = self.peek_token();
        match next.token == Token::EOF && self.fault.is_none() {
            true => Ok(()),
            false => Err(self.error_at(next)),
        }
    }

    /// The kind of the next token.
    pub(crate) fn peek(&self) -> Token {
        self.peek_token().token
    }

    /// Takes the next token.
    pub fn next_token(&mut self) -> Lexeme {
        let lexeme = self.peek_token();
        self.at += 1;
        lexeme
    }

    /// Passes over the rest of the statement.
    pub fn skip_rest(&mut self) {
        self.at = self.lexemes.len();
    }

    /// Puts the last token back.
    pub fn prev_token(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Takes the next token if it is of this kind.
    pub fn consume_token(&mut self, token: &Token) -> bool {
        let found = self.peek() == *token;
        self.at += usize::from(found);
        found
    }

    /// Takes the next token, which must be of this kind.
    pub fn expect_token(&mut self, token: &Token) -> Result<Lexeme> {
        let next = self.next_token();
        match next.token == *token {
            true => Ok(next),
            false => Err(self.error_at(next)),
        }
    }

    /// Whether a keyword comes next.
    pub fn peek_keyword(&self, keyword: Keyword) -> bool {
        self.peek_token().keyword == keyword
    }

    /// Whether a keyword stands behind the next token.
    pub(crate) fn second_is(&self, keyword: Keyword) -> bool {
        self.peek_nth_token(1).keyword == keyword
    }

    /// Takes a keyword if it comes next.
    pub fn parse_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.peek_keyword(keyword);
        self.at += usize::from(found);
        found
    }

    /// Takes keywords if all of them come next.
    pub fn parse_keywords(&mut self, keywords: &[Keyword]) -> bool {
        let mut all = keywords.iter().enumerate();
        let found = all.all(|(n, keyword)| self.peek_nth_token(n).keyword == *keyword);
        if found {
            self.at += keywords.len();
        }
        found
    }

    /// Takes the keyword of a list that comes next.
    pub fn parse_one_of_keywords(&mut self, keywords: &[Keyword]) -> Option<Keyword> {
        let next = self.peek_token().keyword;
        let found = keywords.contains(&next).then_some(next);
        self.at += usize::from(found.is_some());
        found
    }

    /// Takes a keyword, which must come next.
    pub fn expect_keyword(&mut self, keyword: Keyword) -> Result<Lexeme> {
        let next = self.next_token();
        match next.keyword == keyword {
            true => Ok(next),
            false => Err(self.error_at(next)),
        }
    }

    /// As [`Parser::expect_keyword`].
    pub fn expect_keyword_is(&mut self, keyword: Keyword) -> Result<()> {
        self.expect_keyword(keyword).map(|_| ())
    }

    /// Takes keywords, all of which must come next.
    pub fn expect_keywords(&mut self, keywords: &[Keyword]) -> Result<()> {
        for keyword in keywords {
            self.expect_keyword(*keyword)?;
        }
        Ok(())
    }

    /// Takes the keyword of a list, one of which must come next.
    pub fn expect_one_of_keywords(&mut self, keywords: &[Keyword]) -> Result<Keyword> {
        match self.parse_one_of_keywords(keywords) {
            Some(keyword) => Ok(keyword),
            None => self.unexpected(),
        }
    }

    /// Whether an unquoted word comes next; `word` is in any case.
    pub fn peek_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn is_word_at(&self, n: usize, word: &str) -> bool {
        let next = self.peek_nth_token(n);
        next.token == Token::Word && self.text_of(next).eq_ignore_ascii_case(word)
    }

    /// Takes an unquoted word if it comes next.
    pub fn parse_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    /// Takes an unquoted word, which must come next.
    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        self.expect_words(&[word])
    }

    /// Takes unquoted words if all of them come next.
    pub fn parse_words(&mut self, words: &[&str]) -> bool {
        let mut all = words.iter().enumerate();
        let found = all.all(|(n, word)| self.is_word_at(n, word));
        if found {
            self.at += words.len();
        }
        found
    }

    /// Takes unquoted words, all of which must come next; the error is about the first one.
    pub fn expect_words(&mut self, words: &[&str]) -> Result<()> {
        match self.parse_words(words) {
            true => Ok(()),
            false => self.unexpected(),
        }
    }

    /// Goes back to where [`Parser::index`] gave this.
    pub(crate) fn rewind(&mut self, index: usize) {
        self.at = self.at.min(index);
    }

    /// What stands behind a keyword, if that comes next.
    pub(crate) fn behind<T>(
        &mut self,
        keyword: Keyword,
        parse: fn(&mut Parser<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.parse_keyword(keyword) {
            true => parse(self).map(Some),
            false => Ok(None),
        }
    }

    /// One or more of something with commas between them.
    pub fn parse_comma_separated<T>(
        &mut self,
        parse: fn(&mut Parser<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        loop {
            items.push(parse(self)?);
            if !self.consume_token(&Token::Comma) {
                return Ok(items);
            }
        }
    }

    /// A list in parentheses.
    pub fn parse_parenthesized<T>(
        &mut self,
        parse: fn(&mut Parser<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect_token(&Token::LParen)?;
        let items = self.parse_comma_separated(parse)?;
        self.expect_token(&Token::RParen)?;
        Ok(items)
    }

    /// What `parse` finds, or nothing taken. Only for short things: what is tried twice in each
    /// level of nesting takes exponential time.
    pub fn maybe_parse<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (at, depth) = (self.at, self.depth);
        match parse(self) {
            Ok(found) => Ok(Some(found)),
            Err(_) => {
                (self.at, self.depth) = (at, depth);
                Ok(None)
            }
        }
    }

    /// The error about a token that may not stand here. `what` is for the reader of the code.
    pub fn expected<T>(&self, _what: &str, found: Lexeme) -> Result<T> {
        Err(self.error_at(found))
    }

    /// The error about the next token, which may not stand here.
    pub(crate) fn unexpected<T>(&self) -> Result<T> {
        Err(self.error_at(self.peek_token()))
    }

    /// `syntax error at or near` a token, or what is wrong with it.
    pub fn error_at(&self, lexeme: Lexeme) -> Error {
        let fault = self.fault.filter(|_| lexeme.start == self.end.start);
        syntax_error(self.text, lexeme, fault)
    }

    /// One level deeper.
    pub(crate) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        match self.depth > NESTING_MAX {
            true => Err(too_deep().at(self.peek_token().position)),
            false => Ok(()),
        }
    }

    /// One level up.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Where the next token stands.
    pub(crate) fn next_span(&self) -> Span {
        self.peek_token().span()
    }

    /// Where the last token stands that was taken.
    pub(crate) fn last_span(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.lexemes.get(at));
        last.copied().unwrap_or(self.end).span()
    }

    /// From a part that was taken to the last token that was taken.
    pub(crate) fn since(&self, first: Span) -> Span {
        first.to(self.last_span())
    }
}
