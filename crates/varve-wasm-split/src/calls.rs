//! What a function refers to by number.

use std::collections::BTreeSet;

use walrus::ir::{Visitor, dfs_in_order};
use walrus::{FunctionId, LocalFunction};

#[derive(Default)]
struct Called {
    functions: BTreeSet<FunctionId>,
}

impl<'a> Visitor<'a> for Called {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.functions.insert(*function);
    }
}

/// The functions that one calls, or takes a reference to, other than by the table.
pub(crate) fn called_by(function: &LocalFunction) -> BTreeSet<FunctionId> {
    let mut called = Called::default();
    dfs_in_order(&mut called, function, function.entry_block());
    called.functions
}
