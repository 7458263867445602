//! What an evaluation may read beside its input.

use varve_types::Value;

use super::host::Host;
use super::locale::Locale;

/// The values of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// `$1`, `$2`, ...
    pub given: &'a [Value],
    /// The results of the functions that ran before the statement.
    pub called: &'a [Value],
}

impl<'a> Parameters<'a> {
    /// Those of a statement without any.
    pub const NONE: Parameters<'static> = Parameters::given(&[]);

    /// Those that a user gives.
    pub const fn given(given: &'a [Value]) -> Parameters<'a> {
        Parameters { given, called: &[] }
    }
}

/// What an expression may read beside its input.
#[derive(Clone, Copy, Debug)]
pub struct EvalContext<'a> {
    /// What parameters stand for.
    pub params: Parameters<'a>,
    /// What enclosing queries set, by slot.
    pub outer: &'a [Value],
    /// The settings of the session and its time.
    pub locale: &'a Locale,
    /// The database, where there is one.
    pub host: Option<&'a dyn Host>,
}
