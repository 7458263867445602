//! PostgreSQL's regular expressions: the advanced ones, which it takes by default, the extended
//! ones of POSIX and literal strings.
//!
//! As there, a match is the leftmost one and, of those, the longest or shortest one as the whole
//! expression prefers; what its parts match is found afterwards, each part taking as much or as
//! little as it prefers, the first ones first. Extents of matches are found by deterministic
//! automata that are built while they run (Thompson: Regular Expression Search Algorithm, 1968;
//! Aho, Sethi, Ullman: Compilers, 3.9), in time linear in the text. Only what has back references
//! or captures in repetitions may have to try again, under a limit of steps.

mod automaton;
mod bracket;
mod compile;
mod dissect;
mod escape;
mod parse;
mod set;
mod syntax;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use varve_types::{Error, Result, SqlState};

use automaton::Automata;
use compile::{Program, compile};

/// The parts of a match by byte offsets: the whole first, then those in parentheses.
pub(crate) type Spans = Vec<Option<(usize, usize)>>;

/// How an expression is read and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) syntax: Syntax,
    pub(crate) ignore_case: bool,
    /// `.` and negated sets do not match a line break.
    pub(crate) stop_at_newline: bool,
    /// `^` and `$` also match at line breaks.
    pub(crate) anchor_at_newline: bool,
    /// White space and comments are ignored.
    pub(crate) expanded: bool,
}

/// What characters mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Advanced,
    Extended,
    Basic,
    Literal,
}

impl Options {
    pub(crate) const DEFAULT: Options = Options {
        syntax: Syntax::Advanced,
        ignore_case: false,
        stop_at_newline: false,
        anchor_at_newline: false,
        expanded: false,
    };

    /// Applies the letter of an option; false where there is none such.
    pub(crate) fn apply(&mut self, letter: char) -> bool {
        match letter {
            'b' => self.syntax = Syntax::Basic,
            'c' => self.ignore_case = false,
            'e' => self.syntax = Syntax::Extended,
            'i' => self.ignore_case = true,
            'm' | 'n' => (self.stop_at_newline, self.anchor_at_newline) = (true, true),
            'p' => (self.stop_at_newline, self.anchor_at_newline) = (true, false),
            'q' => self.syntax = Syntax::Literal,
            's' => (self.stop_at_newline, self.anchor_at_newline) = (false, false),
            't' => self.expanded = false,
            'w' => (self.stop_at_newline, self.anchor_at_newline) = (false, true),
            'x' => self.expanded = true,
            _ => return false,
        }
        true
    }
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Regex {
    program: Program,
    automata: RefCell<Automata>,
}

fn invalid(what: &str) -> Error {
    Error::new(
        SqlState::INVALID_REGULAR_EXPRESSION,
        format!("invalid regular expression: {what}"),
    )
}

fn too_complex() -> Error {
    Error::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        "regular expression is too complex",
    )
}

impl Regex {
    pub(crate) fn new(pattern: &str, options: Options) -> Result<Regex> {
        let program = compile(parse::parse(pattern, options)?)?;
        let automata = RefCell::new(Automata::new(&program)?);
        Ok(Regex { program, automata })
    }

    /// The expression compiled, from a few that were used last.
    pub(crate) fn cached(pattern: &str, options: Options) -> Result<Rc<Regex>> {
        const KEPT: usize = 4;
        type Known = Vec<(String, Options, Rc<Regex>)>;
        thread_local! {
            static LAST: RefCell<Known> = const { RefCell::new(Vec::new()) };
        }
        LAST.with_borrow_mut(|last| {
            let known =
                |entry: &(String, Options, Rc<Regex>)| entry.0 == pattern && entry.1 == options;
            if let Some(at) = last.iter().position(known) {
                let found = last.remove(at);
                last.insert(0, found);
            } else {
                let regex = Rc::new(Regex::new(pattern, options)?);
                last.truncate(KEPT - 1);
                last.insert(0, (pattern.to_owned(), options, regex));
            }
            let first = last.first().map(|(_, _, regex)| Rc::clone(regex));
            first.ok_or_else(|| Error::internal("a cache that forgot at once"))
        })
    }

    /// How many parts in parentheses there are.
    pub(crate) fn groups(&self) -> usize {
        self.program.groups
    }

    /// Whether there is a match anywhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool> {
        let mut automata = self.automata.borrow_mut();
        automata.begin();
        if self.program.has_references {
            return Ok(dissect::find(&self.program, &mut automata, text, 0)?.is_some());
        }
        automata.reaches(&self.program, self.program.search, text, 0)
    }

    /// The first match that begins at `start` or later.
    pub(crate) fn find(&self, text: &str, start: usize) -> Result<Option<Spans>> {
        let mut automata = self.automata.borrow_mut();
        automata.begin();
        dissect::find(&self.program, &mut automata, text, start)
    }
}
