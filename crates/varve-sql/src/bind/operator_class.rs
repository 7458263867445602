//! Operator classes of index columns. Each type has one order here, so a class only has to be one
//! of the type's: those for patterns order by bytes, as strings are ordered anyway.

use varve_ast::ObjectName;
use varve_catalog::pg_catalog::operator_class::{BPCHAR, CLASSES, TEXT, class_type};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::{Binder, located};

impl Binder<'_> {
    /// Refuses a class that there is not, or that is another type's.
    pub(crate) fn operator_class(&self, name: &ObjectName, ty: LogicalType) -> Result<()> {
        let position = self.at(name.span());
        let name = self.relation_name(name)?.name;
        let of = name.strip_suffix("_ops");
        let class = CLASSES.iter().find(|(_, known, _)| Some(*known) == of);
        let fits = class.is_some_and(|(_, _, of)| match *of {
            TEXT | BPCHAR => ty.is_string(),
            of => class_type(ty) == of,
        });
        let (state, message) = if class.is_none() {
            let message =
                format!("operator class \"{name}\" does not exist for access method \"btree\"");
            (SqlState::UNDEFINED_OBJECT, message)
        } else if !fits {
            let message = format!("operator class \"{name}\" does not accept data type {ty}");
            (SqlState::DATATYPE_MISMATCH, message)
        } else {
            return Ok(());
        };
        Err(located(Error::new(state, message), position))
    }
}
