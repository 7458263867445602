//! Calls of window functions, each with its window.

use varve_expr::Expr;
use varve_types::Result;

use crate::plan::SortKeyExpr;
use crate::plan::window::WindowCall;

/// A call and its window.
#[derive(Clone, Debug)]
pub struct WindowUse {
    /// What the partitions have in common.
    pub partition: Vec<Expr>,
    /// How a partition is sorted.
    pub order: Vec<SortKeyExpr>,
    /// The function.
    pub call: WindowCall,
}

impl WindowUse {
    /// Each expression over the columns of the query.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let order = self.order.iter_mut().map(|key| &mut key.expr);
        let args = self.call.args.iter_mut().chain(&mut self.call.filter);
        self.partition.iter_mut().chain(order).chain(args)
    }

    /// What defines the window.
    pub fn definition(&self) -> impl Iterator<Item = &Expr> {
        let order = self.order.iter().map(|key| &key.expr);
        self.partition.iter().chain(order)
    }

    /// Calls `visit` for each expression over the columns of the query.
    pub fn for_each_expr_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Expr) -> Result<()>,
    ) -> Result<()> {
        self.exprs_mut().try_for_each(visit)
    }
}
