//! Arguments of calls as they are written.

use std::sync::Arc;

use varve_ast::{Argument, Call, Expr as Ast, JsonEntry, OrderItem};
use varve_types::{Error, Result, SqlState};

use varve_catalog::model::function_def::FunctionDef;
use varve_plan::scope::error::located;

/// The arguments of a call as they are written.
#[derive(Default)]
pub struct Arguments<'a> {
    pub(crate) list: Vec<&'a Ast>,
    /// The names of the last of them: `f(name => value)`.
    pub names: Vec<String>,
    /// `f(VARIADIC array)`
    pub spread: bool,
}

impl<'a> Arguments<'a> {
    /// The arguments between the parentheses.
    pub fn of(args: &'a [Argument], position: u32) -> Result<Arguments<'a>> {
        let mut written = Arguments::default();
        for argument in args {
            let is_named = argument.name.is_some() || argument.variadic.is_some();
            if !is_named && (written.spread || !written.names.is_empty()) {
                let message = "positional argument cannot follow named argument";
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(located(error, position));
            }
            written.list.push(&argument.value);
            written.spread |= argument.variadic.is_some();
            let name = argument.name.as_ref();
            written.names.extend(name.map(|name| name.text.clone()));
        }
        Ok(written)
    }
}

/// A call of an aggregate or window function as it is written.
#[derive(Clone, Copy)]
pub struct AggregateSyntax<'a> {
    /// The name of the function.
    pub name: &'a str,
    pub(crate) args: &'a [&'a Ast],
    /// The entries of a constructor of JSON, in place of arguments.
    pub entries: &'a [JsonEntry],
    /// What is said beside the arguments.
    pub call: &'a Call,
    /// Where it stands in the text.
    pub position: u32,
}

impl<'a> AggregateSyntax<'a> {
    /// ORDER BY among the arguments, or of WITHIN GROUP.
    pub fn order(&self) -> &'a [OrderItem] {
        match self.call.order_by.as_slice() {
            [] => &self.call.within_group,
            order => order,
        }
    }
}

/// The functions that a name may mean.
pub type Candidates = Vec<Arc<FunctionDef>>;
