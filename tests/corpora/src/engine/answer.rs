//! What a statement answered: every value as the text that PostgreSQL's protocol would send.

use varvedb::ResultSet;

/// The end of a statement.
pub type Outcome = Result<Answer, Box<Failure>>;

/// How a statement failed, if it did.
pub fn failure(outcome: &Outcome) -> Option<&Failure> {
    outcome.as_ref().err().map(|failure| &**failure)
}

/// A statement that went through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Columns and rows; none for a statement that gives no rows.
    pub table: Option<Table>,
    /// Rows changed.
    pub affected: Option<u64>,
    pub notices: Vec<Notice>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    /// `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// What a runner must know of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    Integer,
    /// Other numbers.
    Real,
    Other,
}

impl Kind {
    /// Of a type by the name that PostgreSQL's `format_type` gives.
    pub fn of(type_name: &str) -> Kind {
        if type_name.ends_with("[]") {
            return Kind::Other;
        }
        match type_name.split(['(', ' ']).next().unwrap_or_default() {
            "boolean" => Kind::Boolean,
            "smallint" | "integer" | "bigint" | "oid" | "xid" | "cid" => Kind::Integer,
            "numeric" | "real" | "double" | "money" => Kind::Real,
            _ => Kind::Other,
        }
    }

    /// Whether psql aligns it to the right.
    pub fn is_number(self) -> bool {
        matches!(self, Kind::Integer | Kind::Real)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub severity: String,
    pub message: String,
}

/// A statement that did not.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    pub state: String,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    pub context: Option<String>,
    /// Where in the statement, in characters, from 1.
    pub position: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An error as SQL has them.
    Error,
    Panic,
    /// It did not end in its time.
    Timeout,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Box<Failure> {
        let state = match kind {
            FailureKind::Error => "XX000",
            FailureKind::Panic => "panic",
            FailureKind::Timeout => "timeout",
        };
        Box::new(Failure {
            kind,
            state: state.to_owned(),
            message: message.into(),
            detail: None,
            hint: None,
            context: None,
            position: None,
        })
    }
}

impl From<varve_types::Error> for Box<Failure> {
    fn from(error: varve_types::Error) -> Box<Failure> {
        let fields = error.fields();
        Box::new(Failure {
            kind: FailureKind::Error,
            state: fields.state.code().to_owned(),
            message: fields.message.clone(),
            detail: fields.detail.clone(),
            hint: fields.hint.clone(),
            context: fields.context.clone(),
            position: fields.position,
        })
    }
}

impl From<&ResultSet> for Answer {
    fn from(result: &ResultSet) -> Answer {
        if result.copied.is_some() {
            return Answer::from(&result.clone().with_copied_rows());
        }
        let notices = result.notices.iter().map(|notice| Notice {
            severity: notice.severity.to_owned(),
            message: {
                let mut message = notice.message.clone();
                for (name, more) in [("DETAIL", &notice.detail), ("HINT", &notice.hint)] {
                    if let Some(more) = more {
                        message.push_str(&format!("\n{name}:  {more}"));
                    }
                }
                message
            },
        });
        Answer {
            table: result.gives_rows().then(|| table(result)),
            affected: result.affected_rows,
            notices: notices.collect(),
        }
    }
}

fn table(result: &ResultSet) -> Table {
    let columns = result.fields.iter().map(|field| Column {
        name: field.name.clone(),
        kind: Kind::of(field.ty.name()),
    });
    Table {
        columns: columns.collect(),
        rows: result.text_rows().collect(),
    }
}
