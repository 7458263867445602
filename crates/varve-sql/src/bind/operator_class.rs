//! Operator classes of index columns. Each type has one order here, so a class only has to be one
//! of the type's: those for patterns order by bytes, as strings are ordered anyway.

use sqlparser::ast::ObjectName;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::data_type::internal_name;
use crate::bind::{Binder, located};

const STRING_CLASSES: [&str; 6] = [
    "text_ops",
    "varchar_ops",
    "bpchar_ops",
    "text_pattern_ops",
    "varchar_pattern_ops",
    "bpchar_pattern_ops",
];

/// Types whose class is called after them.
const TYPES: [&str; 17] = [
    "bool",
    "bytea",
    "date",
    "float4",
    "float8",
    "int2",
    "int4",
    "int8",
    "interval",
    "jsonb",
    "name",
    "numeric",
    "oid",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
];

impl Binder<'_> {
    /// Refuses a class that there is not, or that is another type's.
    pub(crate) fn operator_class(&self, name: &ObjectName, ty: LogicalType) -> Result<()> {
        let position = self.source.name(name);
        let name = self.relation_name(name)?.name;
        let of = name.strip_suffix("_ops").unwrap_or_default();
        let (is_known, fits) = match of {
            _ if STRING_CLASSES.contains(&name.as_str()) => (true, ty.is_string()),
            "array" | "enum" | "record" => {
                let kind = match ty {
                    LogicalType::Array(_) => "array",
                    LogicalType::Enum(_) => "enum",
                    LogicalType::Row(_) => "record",
                    _ => "",
                };
                (true, kind == of)
            }
            of => (TYPES.contains(&of), internal_name(ty) == of),
        };
        let (state, message) = if !is_known {
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
