//! The functions of the one table, as the outside sees them.

use varve_types::{Column, ColumnRef, LogicalType, Result, Value};

use crate::EvalContext;
use crate::kernels::{Row, TABLE};

/// A function or arithmetic operator with one signature; overload resolution chooses it.
#[derive(Clone, Copy)]
pub struct Function(pub(crate) &'static Entry);

/// One row of the function table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [LogicalType],
    pub(crate) result: LogicalType,
    pub(crate) kernel: Kernel,
    /// NULL in, NULL out: the kernel never sees a row with a NULL.
    pub(crate) strict: bool,
    /// The last argument repeats; without argument types, arguments of any type do.
    pub(crate) variadic: bool,
    /// Depends on its arguments alone.
    pub(crate) immutable: bool,
}

/// How a function computes.
pub(crate) enum Kernel {
    /// Whole columns at once.
    Columns(fn(&Call<'_>) -> Result<Column>),
    /// Double to double.
    Float(fn(f64) -> Result<f64>),
    /// Row by row.
    Rows(fn(&Row<'_>) -> Result<Value>),
    /// Row by row, appending the text to a buffer.
    Text(fn(&Row<'_>, &mut String) -> Result<()>),
    /// Many rows for one: a step of the plan computes it.
    Set,
}

/// The arguments of a call: each column is plain, or constant and not NULL.
pub(crate) struct Call<'a> {
    pub(crate) args: &'a [ColumnRef],
    pub(crate) rows: usize,
    pub(crate) context: &'a EvalContext<'a>,
    pub(crate) result: LogicalType,
}

/// Every row of the table.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().copied().flatten()
}

impl Function {
    /// The function with this name and exactly these types of arguments, a repeated one once.
    pub fn find(name: &str, arg_types: &[LogicalType]) -> Option<Function> {
        let mut known = entries();
        let found = known.find(|entry| entry.name == name && entry.args == arg_types);
        found.map(Function)
    }

    /// Whether it takes so many arguments.
    pub fn takes(self, args: usize) -> bool {
        if self.0.variadic {
            args > 0
        } else {
            args == self.0.args.len()
        }
    }

    /// The name, or the symbol of an operator.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The types of the arguments, a repeated one once; none for `concat`, which takes any types as
    /// they are.
    pub fn arg_types(self) -> &'static [LogicalType] {
        self.0.args
    }

    /// The type that argument `index` must have; `None` where any type is taken as it is.
    pub fn arg_type(self, index: usize) -> Option<LogicalType> {
        self.0.args.get(index).or(self.0.args.last()).copied()
    }

    /// Whether it is written between or before its arguments.
    pub fn is_operator(self) -> bool {
        !self
            .0
            .name
            .starts_with(|first: char| first.is_ascii_alphabetic())
    }

    /// The type of the result.
    pub fn result_type(self) -> LogicalType {
        self.0.result
    }

    /// Whether a NULL argument makes the result NULL.
    pub fn is_strict(self) -> bool {
        self.0.strict
    }

    /// Whether equal arguments always give the same result; the current time does not.
    pub fn is_immutable(self) -> bool {
        self.0.immutable
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
