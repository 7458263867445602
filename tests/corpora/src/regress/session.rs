//! The state of one psql: variables, format, branches of `\if`; and what its commands do.

use varve_psql::{ArgumentKind, Format, Layout, Scanner, Variables, Verbosity, switch};

use crate::engine::{Answer, Table};

/// The folder that the scripts know their data by.
const DATA_ROOT: &str = "/corpus";

pub struct Psql {
    pub variables: Variables,
    pub format: Format,
    pub verbosity: Verbosity,
    /// Whether to stop.
    pub quits: bool,
    /// Counts `\c`: each gives a new session.
    pub connections: u32,
    branches: Vec<Branch>,
}

/// One `\if`: whether its part is read, and whether one of its parts was.
struct Branch {
    active: bool,
    taken: bool,
}

impl Psql {
    pub fn new() -> Psql {
        Psql {
            variables: Variables::default(),
            format: Format::default(),
            verbosity: Verbosity::Default,
            quits: false,
            connections: 0,
            branches: Vec::new(),
        }
    }

    /// Whether statements are run here.
    pub fn is_active(&self) -> bool {
        self.branches.iter().all(|branch| branch.active)
    }

    /// Runs a command; answers what it prints, if it is known.
    pub fn command(&mut self, name: &str, rest: &str) -> Option<String> {
        let words = self.words(rest);
        match name {
            "if" => {
                let active = words.first().is_some_and(|word| is_true(word));
                self.branches.push(Branch {
                    active,
                    taken: active,
                });
            }
            "elif" => {
                if let Some(branch) = self.branches.last_mut() {
                    let is = words.first().is_some_and(|word| is_true(word));
                    branch.active = !branch.taken && is;
                    branch.taken |= branch.active;
                }
            }
            "else" => {
                if let Some(branch) = self.branches.last_mut() {
                    branch.active = !branch.taken;
                    branch.taken = true;
                }
            }
            "endif" => {
                self.branches.pop();
            }
            _ if !self.is_active() => {}
            "set" => self.set(&words),
            "unset" => {
                for word in &words {
                    self.variables.unset(word);
                }
            }
            "getenv" => {
                if let [name, of] = words.as_slice() {
                    let value = if of.contains("DIR") { DATA_ROOT } else { ".so" };
                    self.variables.set(name, value);
                }
            }
            "echo" | "qecho" | "warn" => return Some(format!("{}\n", words.join(" "))),
            "pset" => self.pset(&words),
            "x" => self.format.expanded = !is_off(words.first(), self.format.expanded),
            "t" => self.format.tuples_only = !is_off(words.first(), self.format.tuples_only),
            "a" => {
                self.format.layout = match self.format.layout {
                    Layout::Aligned => Layout::Unaligned,
                    _ => Layout::Aligned,
                };
            }
            "q" | "quit" => self.quits = true,
            "c" | "connect" => self.connections += 1,
            "setenv" | "r" | "reset" | "o" | "timing" | "encoding" => {}
            _ => return None,
        }
        Some(String::new())
    }

    fn set(&mut self, words: &[String]) {
        let Some((name, values)) = words.split_first() else {
            return;
        };
        let value = values.concat();
        if name == "VERBOSITY" {
            self.verbosity = match value.as_str() {
                "terse" => Verbosity::Terse,
                "sqlstate" => Verbosity::SqlState,
                _ => Verbosity::Default,
            };
        }
        self.variables.set(name, value);
    }

    fn pset(&mut self, words: &[String]) {
        let value = words.get(1).cloned().unwrap_or_default();
        match words.first().map(String::as_str) {
            Some("null") => self.format.null = value,
            Some("expanded" | "x") => self.format.expanded = value != "off",
            Some("tuples_only" | "t") => self.format.tuples_only = value != "off",
            Some("footer") => self.format.footer = value != "off",
            Some("fieldsep") => self.format.separator = value,
            Some("format") => {
                self.format.layout = match value.as_str() {
                    "unaligned" => Layout::Unaligned,
                    _ => Layout::Aligned,
                };
            }
            _ => {}
        }
    }

    /// The words of a command's text: quotes taken off, variables put in.
    fn words(&self, text: &str) -> Vec<String> {
        let mut scanner = Scanner::default();
        scanner.push_line(text);
        scanner.arguments(ArgumentKind::Word, &self.variables)
    }

    /// `\gset`: the columns of the one row become variables.
    pub fn keep(&mut self, prefix: &str, answer: &Answer) {
        let empty = Table::default();
        let table = answer.table.as_ref().unwrap_or(&empty);
        let [row] = table.rows.as_slice() else { return };
        for (column, value) in table.columns.iter().zip(row) {
            let name = format!("{prefix}{}", column.name);
            match value {
                Some(value) => self.variables.set(&name, value),
                None => self.variables.unset(&name),
            }
        }
    }
}

fn is_true(word: &str) -> bool {
    switch(word) == Some(true)
}

/// Whether a switch is to be off: by its word, or because it was on.
fn is_off(word: Option<&String>, was_on: bool) -> bool {
    word.map_or(was_on, |word| word == "off")
}

#[cfg(test)]
mod tests {
    use super::Psql;

    #[test]
    fn commands_change_the_state() {
        let mut psql = Psql::new();
        psql.command("set", "a 'x y' z");
        assert_eq!(psql.variables.get("a"), Some("x yz"));
        assert_eq!(psql.command("echo", ":a b").as_deref(), Some("x yz b\n"));
        psql.command("if", "false");
        psql.command("set", "a 1");
        assert!(!psql.is_active());
        psql.command("else", "");
        assert!(psql.is_active());
        psql.command("endif", "");
        assert_eq!(psql.variables.get("a"), Some("x yz"));
        psql.command("pset", "null '(null)'");
        assert_eq!(psql.format.null, "(null)");
        psql.command("x", "");
        assert!(psql.format.expanded);
        assert_eq!(psql.command("d", "t"), None);
    }
}
