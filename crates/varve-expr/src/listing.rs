//! The names of the functions, for the documentation.

use std::collections::BTreeSet;

use crate::aggregate::aggregate_names;
use crate::kernels::TABLE;
use crate::tree::{Entry, Kernel};

/// The names of all functions and operators by kind, each kind in order.
///
/// What the grammar makes of a name of its own (`COALESCE`, `LIKE`), and functions that only work
/// as window functions, are not among them.
pub fn function_names() -> [(&'static str, BTreeSet<&'static str>); 4] {
    let is_set = |entry: &&Entry| matches!(entry.kernel, Kernel::Set(_));
    let entries = || TABLE.iter().copied().flatten();
    // Names that begin with NUL stand for constructs of the grammar.
    let named = || entries().filter(|entry| !entry.name.starts_with('\0'));
    let functions = || named().filter(|entry| !entry.is_operator());
    let plain = functions().filter(|entry| !is_set(entry));
    [
        ("Functions", plain.map(|entry| entry.name).collect()),
        (
            "Functions that answer with rows",
            functions().filter(is_set).map(|entry| entry.name).collect(),
        ),
        ("Aggregates", aggregate_names().collect()),
        (
            "Operators",
            named()
                .filter(|entry| entry.is_operator())
                .map(|entry| entry.name)
                .collect(),
        ),
    ]
}
