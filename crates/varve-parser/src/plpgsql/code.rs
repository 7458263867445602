//! What a body is read to: flat code with jumps.

use varve_types::{Result, SqlState};

use crate::{ParsedStatement, parse};
/// A body that was read.
#[derive(Debug, Default)]
pub struct Code {
    /// What is done, one after the other, and where it stands.
    pub steps: Vec<(Step, Place)>,
    /// The pieces of SQL that steps name by number.
    pub pieces: Vec<Piece>,
    /// The variables that are declared.
    pub variables: Vec<Declared>,
    /// The scopes of names, by number.
    pub scopes: Vec<Scope>,
    /// The steps that labels stand before.
    pub labels: Vec<usize>,
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The line of the body, from 1; 0 where errors do not name it.
    pub line: u32,
    /// What it is, for errors.
    pub what: &'static str,
    /// The scope of the names in it.
    pub scope: usize,
}

/// SQL in a body.
#[derive(Debug)]
pub struct Piece {
    /// The statement.
    pub statement: ParsedStatement,
    /// Its text, for errors; empty for expressions.
    pub text: String,
    /// The scope of its names.
    pub scope: usize,
}

/// What a block or loop declares is known in it, and in those that it is around.
#[derive(Debug)]
pub struct Scope {
    /// The scope around; itself for the outermost one.
    pub parent: usize,
    /// The label, which may stand before its names.
    pub label: String,
}

/// A variable.
#[derive(Debug)]
pub struct Declared {
    /// Its name, as it was folded.
    pub name: String,
    /// The scope that it is of.
    pub scope: usize,
    /// What it may be.
    pub kind: DeclaredType,
    /// The piece that gives its first value.
    pub value: Option<usize>,
    /// `CONSTANT`
    pub is_constant: bool,
    /// `NOT NULL`
    pub not_null: bool,
}

/// The type of a variable.
#[derive(Clone, Debug)]
pub enum DeclaredType {
    /// A type, as it is written, or a relation, whose rows it has then.
    Named(String),
    /// That of the value that it gets.
    Any,
    /// `record`
    Record,
    /// `name.column%TYPE`, `variable%TYPE`
    Same(Vec<String>),
    /// `relation%ROWTYPE`
    RowOf(Vec<String>),
}

/// The name of a variable, or of a record and its field.
pub type Target = (Option<String>, String);

/// Where rows come from.
#[derive(Debug)]
pub enum Source {
    /// A piece.
    Piece(usize),
    /// `EXECUTE`: the piece that gives the text, and those that give `$1`, `$2`, ...
    Text(usize, Vec<usize>),
}

/// A step of a body; numbers are of pieces, or for jumps of labels.
///
/// What is *open* while a body runs: loops over rows or numbers, blocks that catch errors, errors
/// that are being handled. A jump closes all but the outermost so many.
#[derive(Debug)]
pub enum Step {
    /// Gives a variable, by its number, its first value.
    Declare(usize),
    /// `target := piece`
    Assign(Target, usize),
    /// Goes on elsewhere where the piece is not true.
    JumpUnless(usize, usize),
    /// Goes on elsewhere, with so much still open.
    Jump(usize, usize),
    /// A statement; its first row goes to the targets.
    Sql(SqlStep),
    /// Opens a loop over rows.
    Rows(Source),
    /// Opens a loop over the elements of an array.
    Elements(usize),
    /// Opens a loop over numbers.
    Numbers {
        /// The first one.
        from: usize,
        /// The last one.
        to: usize,
        /// How far it is to the next one.
        by: Option<usize>,
        /// `REVERSE`
        reverse: bool,
    },
    /// Gives the targets the next values of the loop that was opened last; where there are none,
    /// closes it and goes on elsewhere.
    Next(Vec<Target>, usize),
    /// Opens a block that catches errors: the conditions of each handler, and where it begins. An
    /// error that is caught is open in its handler.
    Try(Vec<(Vec<String>, usize)>),
    /// `RETURN`, of a value, of a record by its name, or of nothing.
    Return(Returned),
    /// `RETURN NEXT`; of a row of the results where there is no piece.
    ReturnNext(Option<usize>),
    /// `RETURN QUERY`
    ReturnQuery(Source),
    /// `RAISE`; `None` for the error that is being handled.
    Raise(Option<Raise>),
    /// Fails, with a state, a message and a hint.
    Fail(SqlState, &'static str, &'static str),
    /// `GET [STACKED] DIAGNOSTICS`: of the last statement, else of the error that is being handled.
    Diagnostics(bool, Vec<(Target, String)>),
}

/// A statement of SQL.
#[derive(Debug)]
pub struct SqlStep {
    /// The statement.
    pub source: Source,
    /// `INTO`
    pub into: Vec<Target>,
    /// `STRICT`: there is one row only.
    pub strict: bool,
    /// Whether rows that nobody takes are an error.
    pub must_take: bool,
}

impl SqlStep {
    /// A statement whose rows nobody wants.
    pub(crate) fn of(source: Source) -> Step {
        Step::Sql(SqlStep {
            source,
            into: Vec::new(),
            strict: false,
            must_take: false,
        })
    }
}

/// What is returned.
#[derive(Debug)]
pub enum Returned {
    /// The row as it is, by the end of a body in SQL.
    Unchanged,
    /// The row with what a query has of its columns, none where that gives no row.
    Row(usize),
    /// Nothing.
    Nothing,
    /// `NEW` or `OLD`.
    Record(String),
    /// A value.
    Value(usize),
}

/// `RAISE level 'format', values USING option = value`
#[derive(Debug)]
pub struct Raise {
    /// `NOTICE` and so on, in upper case.
    pub level: String,
    /// With `%` for each value.
    pub format: String,
    /// The values.
    pub values: Vec<usize>,
    /// The names of options, in lower case, and their values.
    pub options: Vec<(String, usize)>,
    /// A SQLSTATE or the name of a condition.
    pub condition: Option<String>,
}

impl Code {
    /// The body in SQL: statements, the last of which may give rows.
    pub fn of_statements(text: &str) -> Result<Code> {
        let mut code = Code::of_pieces(parse(text)?);
        let last = code.pieces.len().checked_sub(1);
        for piece in 0..code.pieces.len() {
            let step = match Some(piece) == last {
                true => Step::Return(Returned::Row(piece)),
                false => SqlStep::of(Source::Piece(piece)),
            };
            code.steps.push((step, Place::default()));
        }
        let end = Step::Return(Returned::Unchanged);
        code.steps.push((end, Place::default()));
        Ok(code)
    }

    /// A body that returns a value.
    pub fn of_value(text: &str) -> Result<Code> {
        let mut code = Code::of_pieces(parse(&format!("SELECT {text}"))?);
        let step = Step::Return(Returned::Value(0));
        code.steps.push((step, Place::default()));
        Ok(code)
    }

    fn of_pieces(statements: Vec<ParsedStatement>) -> Code {
        let piece = |statement| Piece {
            statement,
            text: String::new(),
            scope: 0,
        };
        let mut code = Code::default();
        code.pieces.extend(statements.into_iter().map(piece));
        code.scope(0, String::new());
        code
    }

    /// A new scope in another one.
    pub(crate) fn scope(&mut self, parent: usize, label: String) -> usize {
        self.scopes.push(Scope { parent, label });
        self.scopes.len() - 1
    }

    /// Whether the names of a scope are known in another one.
    pub fn is_in(&self, scope: usize, mut inner: usize) -> bool {
        loop {
            if inner == scope {
                return true;
            }
            match self.scopes.get(inner).map(|inner| inner.parent) {
                Some(parent) if parent != inner => inner = parent,
                _ => return false,
            }
        }
    }
}
