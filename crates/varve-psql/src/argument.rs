//! Arguments of backslash commands: words with psql's quotes and variables, up to the end of the
//! line or the next command.

use crate::scan::Scanner;
use crate::variables::Variables;

/// How an argument is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A word; what stands in single quotes is taken without them, with C's escapes.
    Word,
    /// The same, without semicolons at its end.
    Name,
    /// An identifier: double quotes are taken off too, and semicolons at its end.
    Identifier,
}

impl Scanner {
    /// The next argument of the command that was read; `None` after the last one.
    pub fn argument(&mut self, kind: ArgumentKind, variables: &Variables) -> Option<String> {
        let blank = self.rest().len() - self.rest().trim_start().len();
        self.at += blank;
        if self.rest().is_empty() || self.rest().starts_with('\\') {
            return None;
        }
        let mut word = String::new();
        while let Some(c) = self.rest().chars().next() {
            if c.is_whitespace() || c == '\\' {
                break;
            }
            match c {
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(kind, &mut word),
                ':' => {
                    let taken = match variables.at_colon(self.rest()) {
                        Some(found) => {
                            word.push_str(&found.value);
                            found.length
                        }
                        None => {
                            word.push(':');
                            1
                        }
                    };
                    self.at += taken;
                }
                c => {
                    word.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        if kind != ArgumentKind::Word {
            word.truncate(word.trim_end_matches(';').len());
        }
        Some(word)
    }

    /// All arguments that are left.
    pub fn arguments(&mut self, kind: ArgumentKind, variables: &Variables) -> Vec<String> {
        std::iter::from_fn(|| self.argument(kind, variables)).collect()
    }

    /// The rest of the line as it stands, for commands that take it all.
    pub fn rest_of_line(&mut self) -> String {
        let rest = self.rest().trim().to_owned();
        self.at = self.line.len();
        rest
    }

    /// The arguments that are left, as they stand, for a command that is run later.
    pub fn arguments_text(&mut self) -> String {
        let from = self.at;
        while self
            .argument(ArgumentKind::Word, &Variables::default())
            .is_some()
        {}
        let text = self.line.get(from..self.at).unwrap_or_default();
        text.trim().to_owned()
    }

    /// Goes past what a command did not take, and past the `\\` that ends it.
    pub fn end_command(&mut self) {
        self.arguments_text();
        if self.rest().starts_with("\\\\") {
            self.at += 2;
        }
    }

    fn single_quoted(&mut self, word: &mut String) {
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            self.at += c.len_utf8();
            match c {
                '\'' if self.rest().starts_with('\'') => {
                    word.push('\'');
                    self.at += 1;
                }
                '\'' => return,
                '\\' => {
                    if let Some(c) = self.rest().chars().next() {
                        self.at += c.len_utf8();
                        word.push(match c {
                            'n' => '\n',
                            't' => '\t',
                            'b' => '\u{8}',
                            'r' => '\r',
                            'f' => '\u{c}',
                            c => c,
                        });
                    }
                }
                c => word.push(c),
            }
        }
    }

    fn double_quoted(&mut self, kind: ArgumentKind, word: &mut String) {
        let keeps = kind != ArgumentKind::Identifier;
        let mut is_open = false;
        while let Some(c) = self.rest().chars().next() {
            self.at += c.len_utf8();
            if c != '"' {
                word.push(c);
                continue;
            }
            if keeps {
                word.push(c);
            }
            if is_open {
                return;
            }
            is_open = true;
        }
    }
}
