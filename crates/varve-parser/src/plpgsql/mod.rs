//! PL/pgSQL, read to flat code with jumps.
//!
//! Blocks with their variables and handlers, assignments, IF, CASE, loops, RETURN, RAISE, PERFORM,
//! EXECUTE, GET DIAGNOSTICS, and statements of SQL. What stands between the words of the language
//! is SQL: it is parsed once, as a piece of its own, and its position in the body is kept for
//! errors. Anything else answers `0A000` with its name.

mod block;
mod code;
mod condition;
mod control;
mod piece;
mod raise;

use varve_lexer::{Lexeme, Token, tokenize};
use varve_types::{Error, Result};

use crate::Parser;

pub use code::{
    Code, Declared, DeclaredType, Piece, Place, Raise, Returned, Scope, Source, SqlStep, Step,
    Target,
};
pub use condition::{catches, code_named};

/// What a body may use of the function that it is of.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The name of the function, which its arguments may be qualified with.
    pub name: &'a str,
    /// The names of all arguments; empty for one without a name.
    pub arguments: &'a [&'a str],
    /// What RETURN may give.
    pub returns: ReturnKind,
    /// `RETURNS SETOF`
    pub returns_set: bool,
}

/// What RETURN may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnKind {
    /// Nothing.
    Void,
    /// A row of the table that the trigger is on.
    Trigger,
    /// A value or a row.
    Value,
}

/// Reads the body of a function.
pub fn parse_body(header: Header<'_>, text: &str) -> Result<Code> {
    let lexemes = tokenize(text);
    let (end, tokens) = lexemes
        .split_last()
        .ok_or_else(|| Error::internal("a text without an end"))?;
    let mut reader = Reader {
        parser: Parser::new(text, tokens, *end),
        code: Code::default(),
        header,
        depth: 0,
        scope: 0,
        open: 0,
        around: Vec::new(),
        rest: text.chars(),
        line: (1, 1),
    };
    reader.code.scope(0, header.name.to_owned());
    let label = reader.begin_label()?;
    reader.block(label)?;
    let _ = reader.parser.consume_token(&Token::SemiColon);
    reader.parser.expect_end()?;
    Ok(reader.code)
}

struct Reader<'a> {
    parser: Parser<'a>,
    code: Code,
    header: Header<'a>,
    depth: u32,
    /// The scope of the names here.
    scope: usize,
    /// How much is open here while the code runs.
    open: usize,
    /// The loops and blocks around, which EXIT and CONTINUE may name.
    around: Vec<Around>,
    /// The text from the last line that was asked for.
    rest: core::str::Chars<'a>,
    /// The position and the number of that line.
    line: (u32, u32),
}

/// What EXIT and CONTINUE may leave.
struct Around {
    label: String,
    is_loop: bool,
    /// How much is open in it.
    open: usize,
    /// The label of its next round.
    next: usize,
    /// How much is open behind it.
    open_behind: usize,
    /// The label behind it.
    end: usize,
}

impl Reader<'_> {
    /// Adds a step that stands where a token is.
    fn push(&mut self, step: Step, what: &'static str, at: Lexeme) {
        while self.line.0 < at.position
            && let Some(character) = self.rest.next()
        {
            self.line.0 += 1;
            self.line.1 += u32::from(character == '\n');
        }
        let place = Place {
            line: self.line.1,
            what,
            scope: self.scope,
        };
        self.code.steps.push((step, place));
    }

    /// A label for a step that is to come.
    fn label(&mut self) -> usize {
        self.code.labels.push(0);
        self.code.labels.len() - 1
    }

    /// Says that a label is here.
    fn place(&mut self, label: usize) {
        let here = self.code.steps.len();
        if let Some(known) = self.code.labels.get_mut(label) {
            *known = here;
        }
    }

    fn is_void(&self) -> bool {
        self.header.returns == ReturnKind::Void
    }
}

/// `0A000`
fn unsupported(what: &str, at: Lexeme) -> Error {
    Error::unsupported(format!("{what} in PL/pgSQL")).at(at.position)
}
