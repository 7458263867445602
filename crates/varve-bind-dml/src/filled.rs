//! The values of columns that a statement does not give.

use varve_catalog::model::table::{ColumnDef, Filled};
use varve_expr::Expr;
use varve_types::{Error, Result, SqlState};

use crate::binder::DmlBinder;

impl DmlBinder<'_, '_> {
    /// What a column gets where nothing is given for it.
    pub fn default_value(column: &ColumnDef) -> Expr {
        let default = column.default.clone();
        let default = default.filter(|_| column.filled != Filled::Generated);
        match default {
            Some(default) => varve_expr::fold(default),
            None => varve_plan::build::operand::literal(varve_types::Value::Null, column.ty),
        }
    }

    /// Refuses a value other than DEFAULT for a column that has its values from elsewhere;
    /// `overriding` where the statement says `OVERRIDING SYSTEM VALUE`.
    pub fn given_value(&self, column: &ColumnDef, overriding: bool) -> Result<()> {
        let name = &column.name;
        let detail = match column.filled {
            Filled::Generated => format!("Column \"{name}\" is a generated column."),
            Filled::IdentityAlways if !overriding => {
                format!("Column \"{name}\" is an identity column defined as GENERATED ALWAYS.")
            }
            _ => return Ok(()),
        };
        let message = format!("cannot insert a non-DEFAULT value into column \"{name}\"");
        let mut error = Error::new(SqlState::GENERATED_ALWAYS, message).with_detail(detail);
        if column.filled == Filled::IdentityAlways {
            error = error.with_hint("Use OVERRIDING SYSTEM VALUE to override.");
        }
        Err(error)
    }

    /// The same for UPDATE.
    pub fn updated_value(&self, column: &ColumnDef) -> Result<()> {
        let name = &column.name;
        let detail = match column.filled {
            Filled::Generated => format!("Column \"{name}\" is a generated column."),
            Filled::IdentityAlways => {
                format!("Column \"{name}\" is an identity column defined as GENERATED ALWAYS.")
            }
            _ => return Ok(()),
        };
        let message = format!("column \"{name}\" can only be updated to DEFAULT");
        Err(Error::new(SqlState::GENERATED_ALWAYS, message).with_detail(detail))
    }
}
