//! What a session is asked to run.

use varve_ast::Command;
use varve_parser::ParsedStatement;
use varve_types::Value;

use super::rows::outlet::Outlet;
use crate::shared::prepared::Prepared;
use crate::shared::statements::Known;

/// A statement with its parameters, and where its rows go.
pub(super) struct Request<'a> {
    pub task: Task<'a>,
    /// `$1`, `$2`, ...
    pub parameters: &'a [Value],
    /// Takes the rows of a query as they come; without it they are part of the result.
    pub outlet: Option<&'a Outlet>,
}

impl<'a> Request<'a> {
    /// A statement whose rows are part of the result.
    pub(super) fn new(task: Task<'a>, parameters: &'a [Value]) -> Request<'a> {
        Request {
            task,
            parameters,
            outlet: None,
        }
    }
}

/// A statement that is to be run.
pub(super) enum Task<'a> {
    /// One of a script, with its text.
    Parsed(&'a ParsedStatement, &'a str),
    /// A text: a known plan of it, or its syntax tree.
    Text(&'a str, Known),
    Prepared(&'a Prepared),
}

impl Task<'_> {
    /// The command that it is, if it is one of those that need no plan.
    pub(super) fn command(&self) -> Option<&Command> {
        match self {
            Task::Parsed(parsed, _) => parsed.command(),
            Task::Text(_, Known::Plan(_) | Known::Open(_)) => None,
            Task::Text(_, Known::Tree(parsed)) => parsed.first()?.command(),
            Task::Prepared(prepared) => prepared.parsed().first()?.command(),
        }
    }
}
