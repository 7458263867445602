//! The error of every layer above the key-value store: PostgreSQL's fields, boxed so that results
//! stay small.

mod failure;
mod invariant;
mod sqlstate;

pub use failure::Failure;
pub use invariant::{Broken, Invariant};
pub use sqlstate::SqlState;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error with its SQLSTATE and, where known, its place in the statement and the objects that it
/// is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorFields>);

/// The fields of an [`Error`], named as in PostgreSQL's protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorFields {
    /// SQLSTATE.
    pub state: SqlState,
    /// What failed, where neither the statement nor its data is at fault.
    pub failure: Option<Failure>,
    /// One sentence, lower case, as PostgreSQL words it where it has the same error.
    pub message: String,
    /// Where in the statement, in characters, from 1.
    pub position: Option<u32>,
    /// More facts.
    pub detail: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// In what the error arose (PostgreSQL's `where`): for COPY the table, line and column.
    pub context: Option<String>,
    /// The table concerned.
    pub table: Option<String>,
    /// The column concerned.
    pub column: Option<String>,
    /// The constraint concerned.
    pub constraint: Option<String>,
    /// The data type concerned.
    pub data_type: Option<String>,
}

impl Error {
    /// An error with a state and a message.
    pub fn new(state: SqlState, message: impl Into<String>) -> Error {
        Error(Box::new(ErrorFields {
            state,
            failure: None,
            message: message.into(),
            position: None,
            detail: None,
            hint: None,
            context: None,
            table: None,
            column: None,
            constraint: None,
            data_type: None,
        }))
    }

    /// An error that is not the statement's own, with the state of the failure.
    pub fn failed(failure: Failure, message: impl Into<String>) -> Error {
        let mut error = Error::new(failure.state(), message);
        error.0.failure = Some(failure);
        error
    }

    /// `0A000`: `what` names the feature, for example "window functions".
    pub fn unsupported(what: impl core::fmt::Display) -> Error {
        Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("{what} is not supported"),
        )
    }

    /// `XX000`: a broken promise inside the engine, never the user's fault.
    pub fn internal(what: impl Into<String>) -> Error {
        Error::failed(Failure::Internal, what)
    }

    /// `XX001`: stored bytes that cannot be what was written; `what` names the page or record.
    pub fn corrupted(what: impl Into<String>) -> Error {
        Error::failed(Failure::Corrupt, what)
    }

    /// The same error at a place in the statement (characters from 1), unless it already has one.
    #[must_use]
    pub fn at(mut self, position: u32) -> Error {
        self.0.position.get_or_insert(position);
        self
    }

    /// Without a position: of what the text says of something else.
    #[must_use]
    pub fn without_position(mut self) -> Error {
        self.0.position = None;
        self
    }

    /// The same error where the text that it is about stands behind so many characters.
    #[must_use]
    pub fn moved(mut self, characters: u32) -> Error {
        let position = self.0.position;
        self.0.position = position.map(|position| position.saturating_add(characters));
        self
    }

    /// The same error in other words.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Error {
        self.0.message = message.into();
        self
    }

    /// The same error with a detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Error {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same error with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error with the context in which it arose.
    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Error {
        self.0.context = Some(context.into());
        self
    }

    /// The same error in something around the contexts that it has.
    #[must_use]
    pub fn in_context(mut self, context: impl AsRef<str>) -> Error {
        let contexts = self.0.context.get_or_insert_default();
        if !contexts.is_empty() {
            contexts.push('\n');
        }
        contexts.push_str(context.as_ref());
        self
    }

    /// The same error with another state, which makes it the statement's own.
    #[must_use]
    pub fn with_state(mut self, state: SqlState) -> Error {
        self.0.state = state;
        self.0.failure = None;
        self
    }

    /// The same error naming a table.
    #[must_use]
    pub fn with_table(mut self, table: impl Into<String>) -> Error {
        self.0.table = Some(table.into());
        self
    }

    /// The same error naming a column.
    #[must_use]
    pub fn with_column(mut self, column: impl Into<String>) -> Error {
        self.0.column = Some(column.into());
        self
    }

    /// The same error naming a constraint.
    #[must_use]
    pub fn with_constraint(mut self, constraint: impl Into<String>) -> Error {
        self.0.constraint = Some(constraint.into());
        self
    }

    /// All fields.
    pub fn fields(&self) -> &ErrorFields {
        &self.0
    }

    /// SQLSTATE.
    pub fn state(&self) -> SqlState {
        self.0.state
    }

    /// What failed; `None` where the statement or its data is at fault.
    pub fn failure(&self) -> Option<Failure> {
        self.0.failure
    }

    /// The message without the state.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the statement, in characters, from 1.
    pub fn position(&self) -> Option<u32> {
        self.0.position
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl core::error::Error for Error {}

/// A message that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `NOTICE` or `WARNING`.
    pub severity: &'static str,
    /// SQLSTATE.
    pub state: SqlState,
    /// The message.
    pub message: String,
    /// More of it.
    pub detail: Option<String>,
    /// What can be done.
    pub hint: Option<String>,
}

impl Notice {
    /// A notice.
    pub fn info(state: SqlState, message: String) -> Notice {
        Notice {
            severity: "NOTICE",
            state,
            message,
            detail: None,
            hint: None,
        }
    }

    /// A warning.
    pub fn warning(state: SqlState, message: &str) -> Notice {
        Notice {
            severity: "WARNING",
            state,
            message: message.to_owned(),
            detail: None,
            hint: None,
        }
    }
}
