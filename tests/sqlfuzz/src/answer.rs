//! What a statement answers, as text.

/// A value as PostgreSQL's protocol would send it; `None` is NULL.
pub type Row = Vec<Option<String>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The OIDs of the columns' types.
    pub types: Vec<u32>,
    pub rows: Vec<Row>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// SQLSTATE, of an error.
    pub state: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// As SQL has them.
    Error,
    Panic,
    /// It was stopped after its time.
    Timeout,
}

pub type Outcome = Result<Answer, Failure>;

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            state: String::new(),
            message: message.into(),
        }
    }

    /// The first two characters of the SQLSTATE.
    pub fn class(&self) -> &str {
        self.state.get(..2).unwrap_or_default()
    }

    /// Whether the values of the data are at fault, or the room that they take: it depends on what
    /// is computed for which rows.
    pub fn is_of_data(&self) -> bool {
        self.kind == FailureKind::Timeout
            || matches!(self.class(), "22" | "21")
            || (self.state == "0A000" && is_of_value(&self.message))
            || (self.state == "42601" && self.message.starts_with("invalid Unicode escape"))
            || matches!(self.state.as_str(), "57014" | "53200" | "53400" | "54000")
    }
}

/// Whether what is not supported is a value, not a form of SQL: PostgreSQL uses one state for both.
fn is_of_value(message: &str) -> bool {
    let beginnings = [
        "unit \"",
        "cannot convert NaN to ",
        "cannot convert infinity to ",
        "searching for elements in multidimensional arrays",
        "removing elements from multidimensional arrays",
        "timestamps cannot be binned into intervals containing months or years",
    ];
    beginnings.iter().any(|text| message.starts_with(text))
}

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.kind {
            FailureKind::Error => write!(f, "{}: {}", self.state, self.message),
            FailureKind::Panic => write!(f, "panic: {}", self.message),
            FailureKind::Timeout => write!(f, "timeout: {}", self.message),
        }
    }
}
