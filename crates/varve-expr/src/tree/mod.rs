//! Bound expressions and what they are made of: functions with their signatures and kernels, and
//! what an evaluation is given.

mod aggregate;
mod context;
mod enums;
mod expr;
mod function;
mod host;
mod locale;
mod names;
mod placeholder;
mod row;
mod samples;
pub(crate) mod set_rows;
mod signature;
mod state;
pub mod walk;
mod zstd;

pub(crate) use aggregate::{Aggregate, Kind};
pub use context::{EvalContext, Parameters};
pub use enums::{EnumLabels, Enums};
pub use expr::{Expr, Parameter};
pub(crate) use function::{Call, Entry, Kernel, Nested};
pub use function::{Function, Volatility};
pub use host::{
    AdvisoryCall, AdvisoryKey, AdvisoryLock, Host, JobOrder, RowCount, SequenceCall, SequenceRef,
};
pub use locale::{ByteaOutput, DEFAULT_LOCALE, DateOrder, DateStyle, IntervalStyle, Locale};
pub use names::{Names, NamesRef};
pub use placeholder::Placeholder;
pub(crate) use row::Row;
pub(crate) use samples::{Samples, Training};
pub use set_rows::SetRows;
pub(crate) use signature::{Binding, Param, bind};
pub(crate) use state::{Ranks, State};
pub(crate) use zstd::zstd;
pub use zstd::{Zstd, ZstdForm, provide_zstd};
