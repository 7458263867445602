//! What a function refers to by number.

use std::collections::BTreeSet;

use walrus::ir::{Call, RefFunc, ReturnCall, Visitor, dfs_in_order};
use walrus::{FunctionId, LocalFunction};

#[derive(Default)]
struct Called {
    functions: BTreeSet<FunctionId>,
}

impl<'a> Visitor<'a> for Called {
    fn visit_call(&mut self, call: &Call) {
        self.functions.insert(call.func);
    }

    fn visit_return_call(&mut self, call: &ReturnCall) {
        self.functions.insert(call.func);
    }

    fn visit_ref_func(&mut self, reference: &RefFunc) {
        self.functions.insert(reference.func);
    }
}

/// The functions that one calls, or takes a reference to, other than by the table.
pub(crate) fn called_by(function: &LocalFunction) -> BTreeSet<FunctionId> {
    let mut called = Called::default();
    dfs_in_order(&mut called, function, function.entry_block());
    called.functions
}
