//! Cuts a script as psql does, line by line: statements end at `;` outside quotes, dollar quotes,
//! comments, parentheses and `BEGIN ATOMIC` bodies; a backslash outside of these begins a command.
//! Variables are put in as the text is read.

use crate::statement::Statement;
use crate::variables::Variables;

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

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Normal,
    /// In quotes; whether a backslash takes the next character with it.
    Quoted(char, bool),
    Dollar(String),
    Comment(u32),
}

/// The text of one input that is not run yet.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    pub(crate) line: String,
    pub(crate) at: usize,
    /// Variables whose values are being read, and where they end in the line.
    expansions: Vec<(String, usize)>,
    state: State,
    buffer: String,
    words: Vec<String>,
    /// Where in the buffer the quoted word began that is being read.
    quoted_from: Option<usize>,
    /// Where in the buffer the last string ended, where that was an `E'...'`.
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
        match &self.state {
            State::Quoted(quote, _) => *quote,
            State::Dollar(_) => '$',
            State::Comment(_) => '*',
            State::Normal if self.parentheses > 0 => '(',
            State::Normal if self.is_empty() => '=',
            State::Normal => '-',
        }
    }

    /// Forgets what is begun.
    pub fn reset(&mut self) {
        self.state = State::Normal;
        self.take();
    }

    /// What is begun, for a command that sends it, or at the end of the input.
    pub fn take_rest(&mut self) -> Option<Statement> {
        let statement = self.take();
        self.state = State::Normal;
        (!statement.sql.trim().is_empty()).then_some(statement)
    }

    fn take(&mut self) -> Statement {
        self.parentheses = 0;
        self.begin_depth = 0;
        self.quoted_from = None;
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
            while self
                .expansions
                .last()
                .is_some_and(|(_, end)| self.at >= *end)
            {
                self.expansions.pop();
            }
            let line = std::mem::take(&mut self.line);
            let rest = line.get(self.at..).unwrap_or_default();
            let event = match (rest.chars().next(), &self.state) {
                (None, _) => {
                    if !self.buffer.is_empty() {
                        self.buffer.push('\n');
                    }
                    Some(Event::LineEnd)
                }
                (Some(c), State::Normal) => self.normal(rest, c, variables),
                (Some(c), _) => {
                    self.quoted(rest, c);
                    None
                }
            };
            // A variable that was put in has left a new line behind.
            if self.line.is_empty() {
                self.line = line;
            }
            if let Some(event) = event {
                return event;
            }
        }
    }

    /// Moves `count` bytes of the line into the buffer.
    fn keep(&mut self, rest: &str, count: usize) {
        self.buffer.push_str(rest.get(..count).unwrap_or(rest));
        self.at += count;
    }

    fn quoted(&mut self, rest: &str, c: char) {
        let (taken, ended) = match &mut self.state {
            State::Normal => (c.len_utf8(), true),
            State::Quoted(_, true) if c == '\\' => {
                (rest.chars().take(2).map(char::len_utf8).sum(), false)
            }
            State::Quoted(quote, _) => (c.len_utf8(), c == *quote),
            State::Dollar(tag) => match rest.starts_with(tag.as_str()) {
                true => (tag.len(), true),
                false => (c.len_utf8(), false),
            },
            State::Comment(depth) if rest.starts_with("*/") => {
                *depth -= 1;
                (2, *depth == 0)
            }
            State::Comment(depth) if rest.starts_with("/*") => {
                *depth += 1;
                (2, false)
            }
            State::Comment(_) => (c.len_utf8(), false),
        };
        self.keep(rest, taken);
        if ended {
            if let State::Quoted(_, escapes) = self.state {
                self.escapes_until = escapes.then_some(self.buffer.len());
            }
            self.state = State::Normal;
            if let Some(word) = self
                .quoted_from
                .take()
                .and_then(|from| self.buffer.get(from..))
            {
                let word = word.to_owned();
                self.push_word(word);
            }
        }
    }

    fn normal(&mut self, rest: &str, c: char, variables: &Variables) -> Option<Event> {
        match c {
            '-' if rest.starts_with("--") => match self.buffer.is_empty() {
                true => self.at += rest.len(),
                false => self.keep(rest, rest.len()),
            },
            '/' if rest.starts_with("/*") => {
                self.keep(rest, 2);
                self.state = State::Comment(1);
            }
            '\\' if rest.starts_with("\\;") => {
                self.buffer.push(';');
                self.at += 2;
            }
            '\\' => {
                let name = rest.get(1..).unwrap_or_default();
                let is_end = |c: char| c.is_whitespace() || c == '\\';
                let length = name.find(is_end).unwrap_or(name.len());
                self.at += 1 + length;
                return Some(Event::Command(
                    name.get(..length).unwrap_or_default().to_owned(),
                ));
            }
            ';' if self.parentheses == 0 && self.begin_depth == 0 => {
                self.keep(rest, 1);
                return Some(Event::Statement(self.take()));
            }
            ':' if rest.starts_with("::") || rest.starts_with(":=") => self.keep(rest, 2),
            ':' => self.colon(rest, variables),
            '\'' | '"' => {
                let escapes = c == '\'' && self.ends_with_escape_prefix();
                self.quoted_from = (self.parentheses == 0).then_some(self.buffer.len());
                self.keep(rest, 1);
                self.state = State::Quoted(c, escapes);
            }
            '$' => match dollar_tag(rest, self.buffer.chars().next_back()) {
                Some(tag) => {
                    self.keep(rest, tag.len());
                    self.state = State::Dollar(tag.to_owned());
                }
                None => self.keep(rest, 1),
            },
            '(' => {
                self.keep(rest, 1);
                self.parentheses += 1;
            }
            ')' => {
                self.keep(rest, 1);
                self.parentheses = self.parentheses.saturating_sub(1);
            }
            c if is_word(c) && !c.is_ascii_digit() => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or(rest).to_lowercase();
                self.keep(rest, length);
                self.word(word);
            }
            c if c.is_whitespace() && self.buffer.is_empty() => self.at += c.len_utf8(),
            c => self.keep(rest, c.len_utf8()),
        }
        None
    }

    /// Puts a variable in. A plain value is read as if it stood in the line; one within itself is
    /// only text.
    fn colon(&mut self, rest: &str, variables: &Variables) {
        let found = variables.at_colon(rest).filter(|_| !self.is_raw);
        let Some(found) = found else {
            return self.keep(rest, 1);
        };
        if !found.is_plain {
            self.buffer.push_str(&found.value);
            self.at += found.length;
            return;
        }
        if self.expansions.iter().any(|(name, _)| name == found.name) {
            return self.keep(rest, found.length);
        }
        let after = rest.get(found.length..).unwrap_or_default();
        for (_, end) in &mut self.expansions {
            *end = (*end + found.value.len()).saturating_sub(found.length + self.at);
        }
        self.line = format!("{}{after}", found.value);
        self.at = 0;
        self.expansions
            .push((found.name.to_owned(), found.value.len()));
        if self.line.is_empty() {
            // The old line is put back where there is no new one.
            self.line.push(' ');
        }
    }

    /// Whether a quote that comes now is that of `E'...'`.
    fn ends_with_escape_prefix(&self) -> bool {
        let mut last = self.buffer.chars().rev();
        let is_e = last.next().is_some_and(|c| c == 'e' || c == 'E');
        is_e && !last.next().is_some_and(is_word) || self.continues_escapes()
    }

    /// Whether a quote that comes now goes on with an `E'...'` that seemed to end.
    fn continues_escapes(&self) -> bool {
        let between = self.escapes_until.and_then(|end| self.buffer.get(end..));
        between.is_some_and(|between| {
            let lines = between.split(['\n', '\r']);
            let is_blank = |line: &str| line.trim_ascii_start().is_empty();
            let mut lines =
                lines.map(|line| is_blank(line) || line.trim_ascii_start().starts_with("--"));
            // Two quotes in a row are one of the string.
            between.is_empty() || between.contains(['\n', '\r']) && lines.all(|is_space| is_space)
        })
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

/// Whether a character may be part of a word, by PostgreSQL's lexical rules.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// The opening of a dollar quote, if one begins here.
fn dollar_tag(rest: &str, before: Option<char>) -> Option<&str> {
    if before.is_some_and(is_word) {
        return None;
    }
    let inner = rest.strip_prefix('$')?;
    let end = inner.find('$')?;
    let tag = inner.get(..end)?;
    let is_tag = tag.chars().all(|c| is_word(c) && c != '$')
        && !tag.starts_with(|c: char| c.is_ascii_digit());
    if is_tag { rest.get(..end + 2) } else { None }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
