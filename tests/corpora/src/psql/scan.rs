//! Cuts a script as psql does: statements end at `;` outside quotes, dollar quotes, comments,
//! parentheses and `BEGIN ATOMIC` bodies; a backslash outside of these begins a command of psql.

/// A script with the lines that `psql -a` would echo.
#[derive(Debug, Default)]
pub struct Script {
    pub items: Vec<Item>,
    /// Number (from 0) and text of each line that is echoed.
    pub echoes: Vec<(usize, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub kind: ItemKind,
    /// Lines from 0: where it begins, and where it ends and has its output.
    pub first_line: usize,
    pub last_line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Statement {
        sql: String,
        send: Send,
        /// What follows a `COPY ... FROM STDIN`.
        data: Option<String>,
    },
    /// A command of psql and the text after it.
    Command { name: String, rest: String },
}

/// How a statement is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Send {
    /// By a semicolon, or at the end of the script.
    Plain,
    /// By `\g`, `\gx`, `\gset`, `\gexec`, `\gdesc`, ... with the text after it.
    Command { name: String, rest: String },
}

enum State {
    Normal,
    /// In quotes; whether a backslash takes the next character with it.
    Quoted(char, bool),
    Dollar(String),
    Comment(u32),
}

/// Whether a word begins with one of those that mean the client.
fn is_client(word: &str) -> bool {
    let end = word.find(|c: char| !c.is_alphabetic());
    ["stdin", "stdout"].contains(&&word[..end.unwrap_or(word.len())])
}

/// Whether a statement is a COPY from standard input.
fn reads_stdin(sql: &str) -> bool {
    let words: Vec<String> = sql.split_whitespace().map(str::to_lowercase).collect();
    words.first().is_some_and(|word| word == "copy")
        && words
            .windows(2)
            .any(|pair| pair[0] == "from" && is_client(&pair[1]))
}

/// Cuts a script. `has_data` is asked for each COPY from standard input whether the lines from the
/// first number to before the second one, where `\.` stands, are its data; they are not if the COPY
/// fails before it reads.
pub fn scan(text: &str, mut has_data: impl FnMut(&[&str], usize, usize) -> bool) -> Script {
    let lines: Vec<&str> = text.lines().collect();
    let mut scanner = Scanner::default();
    let mut at = 0;
    while at < lines.len() {
        let in_quote = !matches!(scanner.state, State::Normal);
        if in_quote || !lines[at].is_empty() {
            scanner.script.echoes.push((at, lines[at].to_owned()));
        }
        let items_before = scanner.script.items.len();
        scanner.line(lines[at], at);
        at += 1;
        for index in items_before..scanner.script.items.len() {
            let item = &mut scanner.script.items[index];
            let (is_copy, data) = match &mut item.kind {
                ItemKind::Statement { sql, data, .. } => (reads_stdin(sql), data),
                ItemKind::Command { .. } => continue,
            };
            let end = (at..lines.len()).find(|line| lines[*line] == "\\.");
            if let (true, Some(end)) = (is_copy, end)
                && has_data(&lines, at, end)
            {
                let mut text = lines[at..end].join("\n");
                if end > at {
                    text.push('\n');
                }
                *data = Some(text);
                at = end + 1;
            }
        }
    }
    if !scanner.buffer.trim().is_empty() {
        scanner.send(Send::Plain, lines.len().saturating_sub(1));
    }
    scanner.script
}

struct Scanner {
    state: State,
    buffer: String,
    first_line: usize,
    parentheses: u32,
    /// The first words of the statement, and the depth of `BEGIN ATOMIC` in it.
    words: Vec<String>,
    begin_depth: u32,
    /// The statement that was sent last.
    last: String,
    script: Script,
}

impl Default for Scanner {
    fn default() -> Scanner {
        Scanner {
            state: State::Normal,
            buffer: String::new(),
            first_line: 0,
            parentheses: 0,
            words: Vec::new(),
            begin_depth: 0,
            last: String::new(),
            script: Script::default(),
        }
    }
}

impl Scanner {
    fn line(&mut self, line: &str, number: usize) {
        let characters: Vec<char> = line.chars().collect();
        let mut at = 0;
        while at < characters.len() {
            at = match self.state {
                State::Normal => self.normal(&characters, at, number),
                _ => self.quoted(&characters, at),
            };
        }
        if !self.buffer.is_empty() {
            self.buffer.push('\n');
        }
    }

    fn push(&mut self, text: &[char], number: usize) {
        if self.buffer.is_empty() {
            self.first_line = number;
        }
        self.buffer.extend(text);
    }

    /// Takes something inside quotes or a comment; answers where to go on.
    fn quoted(&mut self, characters: &[char], at: usize) -> usize {
        let rest = &characters[at..];
        let (taken, ended) = match &mut self.state {
            State::Normal => (0, false),
            State::Quoted(_, true) if rest[0] == '\\' => (2.min(rest.len()), false),
            State::Quoted(quote, _) => (1, rest[0] == *quote),
            State::Dollar(tag) => {
                let tag: Vec<char> = tag.chars().collect();
                match rest.starts_with(&tag) {
                    true => (tag.len(), true),
                    false => (1, false),
                }
            }
            State::Comment(depth) => match rest {
                ['*', '/', ..] => {
                    *depth -= 1;
                    (2, *depth == 0)
                }
                ['/', '*', ..] => {
                    *depth += 1;
                    (2, false)
                }
                _ => (1, false),
            },
        };
        self.buffer.extend(&rest[..taken]);
        if ended {
            self.state = State::Normal;
        }
        at + taken
    }

    fn normal(&mut self, characters: &[char], at: usize, number: usize) -> usize {
        let rest = &characters[at..];
        match rest {
            ['-', '-', ..] => {
                if !self.buffer.is_empty() {
                    self.push(rest, number);
                }
                return characters.len();
            }
            ['/', '*', ..] => {
                self.push(&rest[..2], number);
                self.state = State::Comment(1);
                return at + 2;
            }
            ['\\', ';', ..] => {
                self.push(&[';'], number);
                return at + 2;
            }
            ['\\', ..] => return self.command(characters, at, number),
            [';', ..] if self.parentheses == 0 && self.begin_depth == 0 => {
                self.push(&[';'], number);
                self.send(Send::Plain, number);
                return at + 1;
            }
            _ => {}
        }
        let c = rest[0];
        match c {
            c if c.is_whitespace() => {
                if !self.buffer.is_empty() {
                    self.push(&[c], number);
                }
            }
            '\'' | '"' => {
                let escapes = c == '\'' && self.ends_with_escape_prefix();
                self.push(&[c], number);
                self.state = State::Quoted(c, escapes);
            }
            '$' => {
                if let Some(tag) = dollar_tag(rest, self.buffer.chars().next_back()) {
                    self.push(&rest[..tag.chars().count()], number);
                    let taken = tag.chars().count();
                    self.state = State::Dollar(tag);
                    return at + taken;
                }
                self.push(&[c], number);
            }
            '(' => {
                self.push(&[c], number);
                self.parentheses += 1;
            }
            ')' => {
                self.push(&[c], number);
                self.parentheses = self.parentheses.saturating_sub(1);
            }
            c if c.is_alphabetic() || c == '_' => {
                let end = rest
                    .iter()
                    .position(|c| !c.is_alphanumeric() && *c != '_' && *c != '$');
                let word = &rest[..end.unwrap_or(rest.len())];
                self.push(word, number);
                self.word(&word.iter().collect::<String>().to_lowercase());
                return at + word.len();
            }
            c => self.push(&[c], number),
        }
        at + 1
    }

    /// Whether a quote that comes now is that of `E'...'`.
    fn ends_with_escape_prefix(&self) -> bool {
        let mut last = self.buffer.chars().rev();
        let is_e = last.next().is_some_and(|c| c == 'e' || c == 'E');
        is_e && !last.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// Counts the bodies of SQL functions, as psql does.
    fn word(&mut self, word: &str) {
        if self.words.len() < 4 {
            self.words.push(word.to_owned());
        }
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let in_function = matches!(
            words.as_slice(),
            ["create", "function" | "procedure", ..]
                | ["create", "or", "replace", "function" | "procedure", ..]
        );
        if in_function && self.parentheses == 0 {
            match word {
                "begin" => self.begin_depth += 1,
                "case" if self.begin_depth > 0 => self.begin_depth += 1,
                "end" => self.begin_depth = self.begin_depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Takes a command of psql; its text goes to the end of the line or the next command.
    fn command(&mut self, characters: &[char], at: usize, number: usize) -> usize {
        let rest = &characters[at + 1..];
        let is_end = |c: &char| c.is_whitespace() || *c == '\\';
        let name_len = rest.iter().position(is_end).unwrap_or(rest.len());
        let name: String = rest[..name_len].iter().collect();
        let takes_line =
            ["copy", "sf", "sv", "ef", "ev", "!", "h", "help"].contains(&name.as_str());
        let mut end = name_len;
        let mut quote = None;
        while end < rest.len() {
            let c = rest[end];
            match quote {
                None if c == '\\' && !takes_line => break,
                None if c == '\'' || c == '"' => quote = Some(c),
                Some(q) if c == q => quote = None,
                Some('\'') if c == '\\' => end += 1,
                _ => {}
            }
            end += 1;
        }
        let end = end.min(rest.len());
        let text: String = rest[name_len..end].iter().collect();
        let text = text.trim().to_owned();
        let next = at + 1 + end;
        if name.is_empty() {
            // `\\` separates a command from what follows it.
            return (next + 1).min(characters.len());
        }
        let sends = name.starts_with('g') && name != "getenv" && !name.starts_with("get");
        if sends || name == "watch" || name == "crosstabview" {
            // Without a statement the last one is sent again.
            if self.buffer.trim().is_empty() {
                self.buffer.clone_from(&self.last);
                self.first_line = number;
            }
            if !self.buffer.is_empty() {
                self.send(Send::Command { name, rest: text }, number);
            }
        } else {
            if name == "r" || name == "reset" {
                self.clear();
            }
            self.script.items.push(Item {
                kind: ItemKind::Command { name, rest: text },
                first_line: number,
                last_line: number,
            });
        }
        next
    }

    fn send(&mut self, send: Send, number: usize) {
        let sql = self.buffer.trim_end().to_owned();
        self.last.clone_from(&sql);
        self.script.items.push(Item {
            kind: ItemKind::Statement {
                sql,
                send,
                data: None,
            },
            first_line: self.first_line,
            last_line: number,
        });
        self.clear();
    }

    fn clear(&mut self) {
        self.buffer.clear();
        self.words.clear();
        self.parentheses = 0;
        self.begin_depth = 0;
    }
}

/// The opening of a dollar quote, if one begins here.
fn dollar_tag(rest: &[char], before: Option<char>) -> Option<String> {
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let end = rest[1..].iter().position(|c| *c == '$')?;
    let inner = &rest[1..=end];
    let is_tag = inner.iter().all(|c| c.is_alphanumeric() || *c == '_')
        && !inner.first().is_some_and(char::is_ascii_digit);
    is_tag.then(|| rest[..end + 2].iter().collect())
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
