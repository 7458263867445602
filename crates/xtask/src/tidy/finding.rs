use std::fmt;

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// Counted from 1; 0 when the whole file is meant.
    pub(crate) line: usize,
    pub(crate) rule: &'static str,
    /// What is wrong and what to do.
    pub(crate) message: String,
}

impl Finding {
    /// `line_index` counts from 0, as `enumerate` over lines does.
    pub(crate) fn at(
        rule: &'static str,
        path: &str,
        line_index: usize,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.to_owned(),
            line: line_index + 1,
            rule,
            message: message.into(),
        }
    }

    pub(crate) fn whole_file(
        rule: &'static str,
        path: &str,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.to_owned(),
            line: 0,
            rule,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: [{}] {}", self.path, self.rule, self.message),
            line => write!(
                out,
                "{}:{line}: [{}] {}",
                self.path, self.rule, self.message
            ),
        }
    }
}
