//! The operators, one a file.

mod aggregate;
mod distinct;
mod filter;
mod join;
mod limit;
mod lookup;
mod project;
mod scan;
mod sort;
mod top_n;
mod values;

pub(crate) use aggregate::AggregateStream;
pub(crate) use distinct::DistinctStream;
pub(crate) use filter::FilterStream;
pub(crate) use join::JoinStream;
pub(crate) use limit::{LimitStream, RowRange};
pub(crate) use lookup::LookupStream;
pub(crate) use project::ProjectStream;
pub(crate) use scan::ScanStream;
pub(crate) use sort::SortStream;
pub(crate) use top_n::TopNStream;
pub(crate) use values::{RowsStream, ValuesStream};
