//! Functions and operators, and how they compute.

use varve_types::{Column, ColumnRef, LogicalType, Result, Value};

use super::aggregate::Aggregate;
use super::context::EvalContext;
use super::row::Row;
use super::set_rows::SetRows;
use super::signature::Param;

/// A function or operator with one signature; overload resolution chooses it.
#[derive(Clone, Copy)]
pub struct Function {
    pub(crate) entry: &'static Entry,
    /// What the placeholders of the signature stand for.
    pub(crate) bound: Option<LogicalType>,
    /// `VARIADIC array`: the last argument is an array of what would repeat.
    pub(crate) spread: bool,
}

/// One row of the function table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [Param],
    pub(crate) result: Param,
    pub(crate) kernel: Kernel,
    /// NULL in, NULL out: the kernel never sees a row with a NULL.
    pub(crate) strict: bool,
    /// The last argument repeats.
    pub(crate) variadic: bool,
    pub(crate) volatility: Volatility,
    /// The names of the arguments, `name=text` for one that may be left out and is then that
    /// literal; empty where none can be named or left out.
    pub(crate) names: &'static [&'static str],
    /// The columns of the result where they have names of their own.
    pub(crate) columns: &'static [(&'static str, Param)],
}

/// What a result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volatility {
    /// The arguments alone.
    Immutable,
    /// Also the transaction or the session: the same within a statement.
    Stable,
    /// Also the moment, or there is an effect.
    Volatile,
}

/// How a function computes.
pub(crate) enum Kernel {
    /// Whole columns at once.
    Columns(fn(&Call<'_>) -> Result<Column>),
    /// Double to double.
    Float(fn(f64) -> Result<f64>),
    /// Row by row.
    Rows(fn(&Row<'_>) -> Result<Value>),
    /// Row by row, by the catalog that the statement sees; it knows the function by its name.
    Catalog,
    /// Row by row, appending the text to a buffer.
    Text(fn(&Row<'_>, &mut String) -> Result<()>),
    /// Many rows for one: a step of the plan computes it.
    Set(fn(&Row<'_>) -> Result<Box<dyn SetRows>>),
    /// One result of many rows; in the table of aggregates only.
    Aggregate(Aggregate),
    /// What itself evaluates an expression or a call; `evaluate` knows the kernel.
    Nested(Nested),
}

/// A function that the table names only, since what computes it needs the whole table.
#[derive(Clone, Copy)]
pub(crate) enum Nested {
    /// `value op ANY (array)`
    Any,
    /// `value op ALL (array)`
    All,
    /// Whether the elements of an array are of a domain.
    ElementsHold,
}

/// The arguments of a call: each column is plain, or constant and not NULL.
pub(crate) struct Call<'a> {
    pub(crate) args: &'a [ColumnRef],
    pub(crate) rows: usize,
    pub(crate) context: &'a EvalContext<'a>,
    pub(crate) result: LogicalType,
}

impl<'a> Call<'a> {
    /// The arguments of one row.
    pub(crate) fn row(&self, row: usize) -> Row<'a> {
        Row {
            args: self.args,
            row,
            context: self.context,
            result: self.result,
        }
    }
}

impl Entry {
    /// The parameter that takes argument `index`.
    pub(crate) fn param(&self, index: usize) -> Option<Param> {
        let last = self.args.last().filter(|_| self.variadic);
        self.args.get(index).or(last).copied()
    }

    pub(crate) fn is_operator(&self) -> bool {
        !self
            .name
            .starts_with(|first: char| first.is_ascii_alphabetic() || first == '\0')
    }
}

impl Function {
    /// Whether it takes so many arguments.
    pub fn takes(self, args: usize) -> bool {
        if self.entry.variadic && !self.spread {
            args >= self.entry.args.len()
        } else {
            args == self.entry.args.len()
        }
    }

    /// The name, or the symbol of an operator.
    pub fn name(self) -> &'static str {
        self.entry.name
    }

    /// The types of the arguments, a repeated one once, without those that are of any type.
    pub fn arg_types(self) -> Vec<LogicalType> {
        let params = self.entry.args.iter();
        params.filter_map(|param| param.ty(self.bound)).collect()
    }

    /// The type that argument `index` must have; `None` where any type is taken as it is.
    pub fn arg_type(self, index: usize) -> Option<LogicalType> {
        let param = self.entry.param(index)?;
        let is_spread = self.spread && index + 1 >= self.entry.args.len();
        let param = if is_spread { param.spread() } else { param };
        param.ty(self.bound)
    }

    /// Whether an argument is taken whatever its type.
    pub fn takes_any(self) -> bool {
        self.entry.args.contains(&Param::ANY)
    }

    /// Whether the call was `name(..., VARIADIC array)`.
    pub fn is_spread(self) -> bool {
        self.spread
    }

    /// Whether it is written between or before its arguments.
    pub fn is_operator(self) -> bool {
        self.entry.is_operator()
    }

    /// The type of the result; of several columns, of the first.
    pub fn result_type(self) -> LogicalType {
        let first = self.entry.columns.first().map(|(_, param)| *param);
        let param = first.unwrap_or(self.entry.result);
        param.ty(self.bound).unwrap_or(LogicalType::Text)
    }

    /// The columns of the result where they have names of their own; empty for a result of one
    /// column that is called as the function is.
    pub fn columns(self) -> Vec<(&'static str, LogicalType)> {
        let columns = self.entry.columns.iter();
        columns
            .filter_map(|(name, param)| Some((*name, param.ty(self.bound)?)))
            .collect()
    }

    /// Whether the call itself must list the columns of the result.
    pub fn returns_record(self) -> bool {
        self.entry.result == Param::RECORD && self.entry.columns.is_empty()
    }

    /// Whether it answers with rows.
    pub fn returns_set(self) -> bool {
        matches!(self.entry.kernel, Kernel::Set(_))
    }

    /// Whether a NULL argument makes the result NULL.
    pub fn is_strict(self) -> bool {
        self.entry.strict
    }

    /// Whether equal arguments always give the same result; the current time does not.
    pub fn is_immutable(self) -> bool {
        self.entry.volatility == Volatility::Immutable
    }

    /// What the result depends on.
    pub fn volatility(self) -> Volatility {
        self.entry.volatility
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        core::ptr::eq(self.entry, other.entry)
            && self.bound == other.bound
            && self.spread == other.spread
    }
}

impl Eq for Function {}

impl core::fmt::Debug for Function {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}{:?}", self.entry.name, self.arg_types())
    }
}
