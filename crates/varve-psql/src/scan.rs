//! Cuts a script as psql does, line by line: statements end at `;` outside quotes, dollar quotes,
//! comments, parentheses and `BEGIN ATOMIC` bodies; a backslash outside of these begins a command.
//! Variables are put in as the text is read. Tokens are those of `varve-parser`; what a line ends
//! in, the next one goes on with.

use varve_lexer::{Open, Token, TokenReader};

use crate::statement::Statement;
use crate::variables::{Reference, Variables};

/// Words of a statement that are kept.
const WORDS_MAX: usize = 16;

/// What the rest of a line holds next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A statement ended by a semicolon.
    Statement(Statement),
    /// A command: its name, without the backslash. Its arguments are taken from the scanner.
    Command(String),
    /// The end of the line.
    LineEnd,
}

/// The text of one input that is not run yet.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    pub(crate) line: String,
    pub(crate) at: usize,
    /// Variables whose values are being read, and where they end in the line.
    expansions: Vec<(String, usize)>,
    /// What the text is in that was read.
    open: Option<Open>,
    buffer: String,
    words: Vec<String>,
    /// Where in the buffer the token began that is open.
    open_from: usize,
    /// Where in the buffer an `E'...'` ended that the next line may go on with.
    escapes_until: Option<usize>,
    parentheses: u32,
    begin_depth: u32,
    /// Whether a colon is only a colon.
    is_raw: bool,
}

impl Scanner {
    /// A scanner that puts no variables in.
    pub fn raw() -> Scanner {
        Scanner {
            is_raw: true,
            ..Scanner::default()
        }
    }

    /// The statements of a text without commands, as a server sees them.
    pub fn split(sql: &str) -> Vec<Statement> {
        Scanner::raw().cut(sql, &Variables::default())
    }

    /// A text without commands, with variables put in.
    pub fn expand(sql: &str, variables: &Variables) -> String {
        if !sql.contains(':') {
            return sql.to_owned();
        }
        let statements = Scanner::default().cut(sql, variables).into_iter();
        statements.map(|statement| statement.sql).collect()
    }

    fn cut(mut self, sql: &str, variables: &Variables) -> Vec<Statement> {
        let mut statements = Vec::new();
        for line in sql.split('\n') {
            self.push_line(line);
            loop {
                match self.next_event(variables) {
                    Event::Statement(statement) => statements.push(statement),
                    // A backslash is none of SQL's characters.
                    Event::Command(name) => {
                        self.buffer.push('\\');
                        self.buffer.push_str(&name);
                    }
                    Event::LineEnd => break,
                }
            }
        }
        statements.extend(self.take_rest());
        statements
    }

    /// Gives the next line, without its newline.
    pub fn push_line(&mut self, line: &str) {
        line.clone_into(&mut self.line);
        self.at = 0;
        self.expansions.clear();
    }

    /// Whether no statement is begun.
    pub fn is_empty(&self) -> bool {
        self.buffer.trim().is_empty()
    }

    /// What is begun and not sent.
    pub fn buffer(&self) -> &str {
        &self.buffer
    }

    /// The character that a prompt shows for what is not closed: a quote, `*` in a comment, `(`,
    /// `-` in a statement, `=` between statements.
    pub fn prompt(&self) -> char {
        match &self.open {
            Some(Open::Quotes(quote, _)) => *quote,
            Some(Open::Dollar(_)) => '$',
            Some(Open::Comment(_)) => '*',
            None if self.parentheses > 0 => '(',
            None if self.is_empty() => '=',
            None => '-',
        }
    }

    /// Forgets what is begun.
    pub fn reset(&mut self) {
        self.take();
    }

    /// What is begun, for a command that sends it, or at the end of the input.
    pub fn take_rest(&mut self) -> Option<Statement> {
        let statement = self.take();
        (!statement.sql.trim().is_empty()).then_some(statement)
    }

    fn take(&mut self) -> Statement {
        self.parentheses = 0;
        self.begin_depth = 0;
        self.open = None;
        self.escapes_until = None;
        Statement {
            sql: std::mem::take(&mut self.buffer).trim_end().to_owned(),
            words: std::mem::take(&mut self.words),
        }
    }

    pub(crate) fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// What comes next in the line.
    pub fn next_event(&mut self, variables: &Variables) -> Event {
        loop {
            let line = std::mem::take(&mut self.line);
            let mut reader = TokenReader::new(&line, self.at);
            if let Some(event) = self.read(&mut reader, variables) {
                self.at = reader.at();
                self.line = line;
                return event;
            }
        }
    }

    /// Reads up to an event, or to a variable that was put in: then the line is another one.
    fn read(&mut self, reader: &mut TokenReader<'_>, variables: &Variables) -> Option<Event> {
        loop {
            let is_read = |(_, end): &mut (String, usize)| reader.at() >= *end;
            while self.expansions.pop_if(is_read).is_some() {}
            let rest = reader.rest();
            if rest.is_empty() {
                if !self.buffer.is_empty() {
                    self.buffer.push('\n');
                }
                return Some(Event::LineEnd);
            }
            if let Some(open) = self.open.take() {
                self.close(open, rest, reader);
            } else if reader.space() {
                let space = taken(rest, reader);
                // What stands before a statement is none of it, but for comments of C's kind.
                if !self.buffer.is_empty() || space.starts_with("/*") {
                    self.buffer.push_str(space);
                }
                self.open = reader.take_open();
            } else if let Some(command) = rest.strip_prefix('\\') {
                reader.skip(1);
                if command.starts_with(';') {
                    reader.skip(1);
                    self.keep(";");
                    continue;
                }
                let is_end = |c: char| c.is_whitespace() || c == '\\';
                let name = command.split(is_end).next().unwrap_or_default();
                reader.skip(name.len());
                return Some(Event::Command(name.to_owned()));
            } else if let Some(open) = self.continued(rest) {
                reader.skip(1);
                self.buffer.push('\'');
                self.open = Some(open);
            } else {
                let found = variables.at_colon(rest).filter(|_| !self.is_raw);
                let token = reader.token();
                if let (Token::Colon, Some(found)) = (token, found) {
                    if self.put_in(&found, rest, reader) {
                        return None;
                    }
                    continue;
                }
                self.open = reader.take_open();
                if let Some(statement) = self.token(token, taken(rest, reader)) {
                    return Some(Event::Statement(statement));
                }
            }
        }
    }

    /// Moves a text into the buffer.
    fn keep(&mut self, text: &str) {
        self.escapes_until = None;
        self.buffer.push_str(text);
    }

    /// Reads on in what is open.
    fn close(&mut self, open: Open, rest: &str, reader: &mut TokenReader<'_>) {
        let escapes = match open {
            Open::Quotes(_, escapes) => Some(escapes),
            _ => None,
        };
        reader.close(open);
        self.buffer.push_str(taken(rest, reader));
        self.open = reader.take_open();
        if let (None, Some(escapes)) = (&self.open, escapes) {
            let word = self.buffer.get(self.open_from..).unwrap_or_default();
            self.push_word(word.to_owned());
            self.escapes_until = escapes.then_some(self.buffer.len());
        }
    }

    /// A quote that comes next may go on with an `E'...'` that seemed to end: what is open then.
    fn continued(&self, rest: &str) -> Option<Open> {
        let between = self.buffer.get(self.escapes_until?..)?;
        let string = rest.starts_with('\'').then(|| format!("E''{between}'"))?;
        let mut reader = TokenReader::new(&string, 0);
        reader.token();
        reader.take_open()
    }

    /// Puts a variable in, at whose colon `rest` begins. A plain value is read as if it stood in
    /// the line, which is another one then: true. One within itself is only text.
    fn put_in(&mut self, found: &Reference<'_>, rest: &str, reader: &mut TokenReader<'_>) -> bool {
        reader.skip(found.length - 1);
        if !found.is_plain {
            self.keep(&found.value);
            return false;
        }
        if self.expansions.iter().any(|(name, _)| name == found.name) {
            self.keep(taken(rest, reader));
            return false;
        }
        for (_, end) in &mut self.expansions {
            *end = (*end + found.value.len()).saturating_sub(reader.at());
        }
        self.line = format!("{}{}", found.value, reader.rest());
        self.at = 0;
        self.expansions
            .push((found.name.to_owned(), found.value.len()));
        true
    }

    /// Takes a token; the statement that it ends.
    fn token(&mut self, token: Token, text: &str) -> Option<Statement> {
        self.open_from = self.buffer.len();
        self.keep(text);
        match token {
            Token::SemiColon if self.parentheses == 0 && self.begin_depth == 0 => {
                return Some(self.take());
            }
            Token::LParen => self.parentheses += 1,
            Token::RParen => self.parentheses = self.parentheses.saturating_sub(1),
            Token::Word => self.word(text.to_lowercase()),
            Token::EscapedStringLiteral => {
                self.push_word(text.to_owned());
                self.escapes_until = Some(self.buffer.len());
            }
            Token::QuotedWord
            | Token::UnicodeWord
            | Token::SingleQuotedString
            | Token::UnicodeStringLiteral
            | Token::NationalStringLiteral
            | Token::BitStringLiteral
            | Token::HexStringLiteral => self.push_word(text.to_owned()),
            _ => {}
        }
        None
    }

    fn push_word(&mut self, word: String) {
        if self.words.len() < WORDS_MAX && self.parentheses == 0 {
            self.words.push(word);
        }
    }

    /// Notes a word, and counts the bodies of SQL functions as psql does.
    fn word(&mut self, word: String) {
        let mut first = self.words.iter().map(String::as_str);
        let mut next = || first.next().unwrap_or_default();
        let is_create = next() == "create";
        let kind = match next() {
            "or" => {
                next();
                next()
            }
            kind => kind,
        };
        if is_create && matches!(kind, "function" | "procedure") && self.parentheses == 0 {
            match word.as_str() {
                "begin" => self.begin_depth += 1,
                "case" if self.begin_depth > 0 => self.begin_depth += 1,
                "end" => self.begin_depth = self.begin_depth.saturating_sub(1),
                _ => {}
            }
        }
        self.push_word(word);
    }
}

/// What a reader has passed over of the rest of a line.
fn taken<'a>(rest: &'a str, reader: &TokenReader<'_>) -> &'a str {
    rest.get(..rest.len() - reader.rest().len()).unwrap_or(rest)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
