//! RETURNING.

use sqlparser::ast::SelectItem;
use varve_types::Result;

use crate::bind::Binder;
use crate::bind::expr::ExprScope;
use crate::plan::{Field, Returning};
use crate::scope::Scope;

impl Binder<'_> {
    /// What a statement answers of the rows that it has changed.
    pub(crate) fn returning(
        &mut self,
        items: Option<&[SelectItem]>,
        names: &Scope,
    ) -> Result<Option<Returning>> {
        let Some(items) = items else {
            return Ok(None);
        };
        let mut scope = ExprScope::plain(names, "RETURNING");
        let outputs = self.outputs(items, &mut scope, None)?;
        let fields = outputs.iter().map(|output| Field {
            name: output.name.clone(),
            ty: output.expr.logical_type(),
        });
        Ok(Some(Returning {
            fields: fields.collect(),
            exprs: outputs.into_iter().map(|output| output.expr).collect(),
        }))
    }
}
