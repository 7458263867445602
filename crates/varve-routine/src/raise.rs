//! RAISE: errors and notices.

use varve_expr::format_value;
use varve_parser::plpgsql::{Raise, code_named};
use varve_types::{Error, Notice, Result, SqlState, Value};

use super::body::Body;

impl Body<'_, '_> {
    /// `RAISE`
    pub(super) async fn raise(&mut self, raise: &Raise) -> Result<()> {
        let severities = ["DEBUG", "LOG", "INFO", "NOTICE", "WARNING"];
        let severity = severities.into_iter().find(|known| *known == raise.level);
        let message = self.message(raise).await?;
        let mut error = match &raise.condition {
            Some(condition) => Error::new(state_named(condition)?, condition.clone()),
            None => Error::new(usual_state(severity), message),
        };
        for (name, piece) in &raise.options {
            let (value, _) = self.value(*piece).await?;
            if value.is_null() {
                let message = "RAISE statement option cannot be null";
                return Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
            }
            error = with_option(error, name, self.shown(&value), raise)?;
        }
        let Some(severity) = severity else {
            return Err(error);
        };
        let fields = error.fields();
        self.caller.session.notice(Notice {
            severity,
            state: error.state(),
            message: fields.message.clone(),
            detail: fields.detail.clone(),
            hint: fields.hint.clone(),
        });
        Ok(())
    }

    /// The format with values in the place of `%`.
    async fn message(&mut self, raise: &Raise) -> Result<String> {
        let mut message = String::new();
        let mut values = raise.values.iter();
        let mut rest = raise.format.as_str();
        while let Some((before, behind)) = rest.split_once('%') {
            message.push_str(before);
            rest = match behind.strip_prefix('%') {
                Some(behind) => {
                    message.push('%');
                    behind
                }
                None => {
                    if let Some(piece) = values.next() {
                        let (value, _) = self.value(*piece).await?;
                        message.push_str(&self.shown(&value));
                    }
                    behind
                }
            };
        }
        message.push_str(rest);
        Ok(message)
    }

    /// A value as text.
    pub(super) fn shown(&self, value: &Value) -> String {
        match value {
            Value::Null => "<NULL>".to_owned(),
            value => format_value(value, &self.locale),
        }
    }
}

/// What RAISE says, with an option of USING.
fn with_option(error: Error, name: &str, text: String, raise: &Raise) -> Result<Error> {
    Ok(match name {
        "message" => error.with_message(text),
        "detail" => error.with_detail(text),
        "hint" => error.with_hint(text),
        "errcode" => {
            let error = error.with_state(state_named(&text)?);
            match error.message().is_empty() && raise.format.is_empty() {
                true => error.with_message(text),
                false => error,
            }
        }
        "column" => error.with_column(text),
        "constraint" => error.with_constraint(text),
        "table" => error.with_table(text),
        "datatype" | "schema" => error,
        other => {
            let message = format!("unrecognized RAISE statement option \"{other}\"");
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
    })
}

/// The SQLSTATE of what RAISE says when it names none; without a severity it is an error.
fn usual_state(severity: Option<&str>) -> SqlState {
    match severity {
        None => SqlState::RAISE_EXCEPTION,
        Some("WARNING") => SqlState::WARNING,
        Some(_) => SqlState::SUCCESSFUL_COMPLETION,
    }
}

/// The SQLSTATE of a code or the name of a condition.
fn state_named(name: &str) -> Result<SqlState> {
    SqlState::of_code(code_named(name).unwrap_or(name)).ok_or_else(|| {
        let message = format!("unrecognized exception condition \"{name}\"");
        Error::new(SqlState::UNDEFINED_OBJECT, message)
    })
}
