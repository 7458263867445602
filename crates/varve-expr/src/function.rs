//! The one function table: names, signatures and kernels.

use varve_types::{Column, ColumnRef, LogicalType, Result};

use crate::EvalContext;

/// A function or arithmetic operator with one signature; overload resolution chooses it.
#[derive(Clone, Copy)]
pub struct Function(pub(crate) &'static Entry);

/// One row of the function table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [LogicalType],
    pub(crate) result: LogicalType,
    pub(crate) kernel: fn(&[ColumnRef], usize, &EvalContext) -> Result<Column>,
}

impl Function {
    /// The name, or the symbol of an operator.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The types of the arguments.
    pub fn arg_types(self) -> &'static [LogicalType] {
        self.0.args
    }

    /// The type that argument `index` must have; `None` where any type is taken as it is (`concat`).
    /// The last argument of a variadic function repeats.
    pub fn arg_type(self, index: usize) -> Option<LogicalType> {
        self.0.args.get(index).or(self.0.args.last()).copied()
    }

    /// Whether it is written between or before its arguments.
    pub fn is_operator(self) -> bool {
        !self.0.name.starts_with(|c: char| c.is_ascii_alphabetic())
    }

    /// The type of the result.
    pub fn result_type(self) -> LogicalType {
        self.0.result
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Function {}

impl core::fmt::Debug for Function {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}{:?}", self.0.name, self.0.args)
    }
}
