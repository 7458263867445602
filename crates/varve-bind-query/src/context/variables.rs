//! Names that stand for values beside columns: the arguments of the function whose body is bound,
//! and the variables of PL/pgSQL.

use varve_catalog::model::table::TableDef;
use varve_catalog::text::kept_text::Meaning;
use varve_expr::Expr;
use varve_plan::build::operand::Operand;
use varve_plan::build::row_value::{Field, object, row_call};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, TypeMod};

use crate::context::binder::QueryBinder;

/// What names that are no columns mean; of equal names the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    values: Vec<Variable>,
    /// The first so many are `$1`, `$2`, ... too.
    numbered: usize,
}

/// A name that stands for a value.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What may stand before the name: the function, NEW, OLD.
    pub qualifier: String,
    /// The name; empty for an argument without one.
    pub name: String,
    /// Whether it is found by its name alone.
    pub is_plain: bool,
    /// The value.
    pub value: Expr,
}

impl Variables {
    /// These names; the first `numbered` are known by number too.
    pub fn new(values: Vec<Variable>, numbered: usize) -> Variables {
        Variables { values, numbered }
    }

    fn find(&self, qualifier: Option<&str>, name: &str) -> Option<&Expr> {
        let mut values = self.values.iter().rev();
        let found = values.find(|variable| {
            variable.name == name
                && match qualifier {
                    Some(qualifier) => variable.qualifier == qualifier,
                    None => variable.is_plain,
                }
        });
        found.map(|variable| &variable.value)
    }

    fn has_qualifier(&self, qualifier: &str) -> bool {
        let mut values = self.values.iter();
        values.any(|variable| variable.qualifier == qualifier && !variable.is_plain)
    }
}

impl QueryBinder<'_> {
    /// The value of a name that is no column; an error where its qualifier is a record that has
    /// no such field.
    pub fn variable(
        &self,
        qualifier: Option<&str>,
        name: &str,
        position: u32,
    ) -> Result<Option<Operand>> {
        let Some(variables) = &self.context.variables else {
            return Ok(None);
        };
        let is_value = variables.find(None, name).is_some();
        if qualifier.is_none()
            && (self.context.reads_rows || !is_value)
            && let Some(fields) = self.record_fields(name, position)?
        {
            if self.context.reads_rows {
                return object(fields, position).map(Some);
            }
            let fields = fields.into_iter().map(|(_, value)| value).collect();
            let row = row_call(RowTypeId::RECORD, fields, true, position)?;
            return Ok(Some(Operand::Known(row)));
        }
        if let Some(value) = variables.find(qualifier, name).filter(|_| !name.is_empty()) {
            if let Some(qualifier) = qualifier {
                self.use_name(position, || Meaning::Variable(qualifier.to_owned()));
            }
            return Ok(Some(Operand::Known(value.clone())));
        }
        if let Some(row) = qualifier.and_then(|name| variables.find(None, name))
            && let Ok(field) = self.row_field(row, name, position)
        {
            return Ok(Some(Operand::Known(field)));
        }
        match qualifier {
            Some(record) if self.record_fields(record, position)?.is_some() => {
                let message = format!("record \"{record}\" has no field \"{name}\"");
                Err(located(
                    Error::new(SqlState::UNDEFINED_COLUMN, message),
                    position,
                ))
            }
            _ => Ok(None),
        }
    }

    /// The fields of a variable that is a row; an error where it has none yet.
    pub fn record_fields(
        &self,
        record: &str,
        position: u32,
    ) -> Result<Option<Vec<(String, Expr)>>> {
        let Some(variables) = &self.context.variables else {
            return Ok(None);
        };
        if let Some(row) = variables.find(None, record)
            && let Some(fields) = self.fields_of_row(row)
        {
            let mut values = Vec::with_capacity(fields.len());
            for (place, (name, ty, _)) in fields.into_iter().enumerate() {
                values.push((name, self.field_at(row, (place, ty), position)?));
            }
            return Ok(Some(values));
        }
        if !variables.has_qualifier(record) {
            return Ok(None);
        }
        let fields = variables.values.iter();
        let fields = fields
            .filter(|variable| variable.qualifier == record && !variable.name.is_empty())
            .map(|variable| (variable.name.clone(), variable.value.clone()));
        let fields: Vec<(String, Expr)> = fields.collect();
        if fields.is_empty() {
            let message = format!("record \"{record}\" is not assigned yet");
            let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
            let detail = "The tuple structure of a not-yet-assigned record is indeterminate.";
            return Err(located(error.with_detail(detail), position));
        }
        Ok(Some(fields))
    }

    /// The fields of the value of a variable that is a row.
    pub fn fields_of_variable(&self, row: &Expr) -> Option<Vec<Field>> {
        let Expr::Call { function, args, .. } = row else {
            return None;
        };
        let values = args.get(1..).filter(|_| function.name() == "\0found row")?;
        let variables = &self.context.variables.as_ref()?.values;
        let of = |value: &Expr| variables.iter().find(|known| known.value == *value);
        let fields = values.iter().map(|value| {
            let variable = of(value)?;
            Some((variable.name.clone(), value.logical_type(), TypeMod::NONE))
        });
        fields.collect()
    }

    /// `$n` in the body of a function; `None` outside of one.
    pub fn numbered_variable(&self, index: usize, position: u32) -> Option<Result<Operand>> {
        let variables = self.context.variables.as_ref()?;
        let value = variables.values.get(index);
        let value = value.filter(|_| index < variables.numbered);
        Some(match value {
            Some(variable) => Ok(Operand::Known(variable.value.clone())),
            None => {
                let message = format!("there is no parameter ${}", index + 1);
                Err(located(
                    Error::new(SqlState::UNDEFINED_PARAMETER, message),
                    position,
                ))
            }
        })
    }
}

/// A name that the body of a function knows; its value is the parameter of the same number.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutineVariable {
    /// The scope that it is of.
    pub scope: usize,
    /// The record that it is a field of; else what may stand before its name.
    pub qualifier: String,
    /// Whether it is a field of a record.
    pub is_field: bool,
    /// Its name, as it was folded.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
    /// What the type is bounded by.
    pub modifier: TypeMod,
}

/// The columns of a table as fields of NEW or OLD.
pub fn row_variables(table: &TableDef, record: &str) -> Vec<RoutineVariable> {
    let columns = table.columns.iter();
    let columns = columns.map(|column| RoutineVariable {
        scope: 0,
        qualifier: record.to_owned(),
        is_field: true,
        name: column.name.clone(),
        ty: column.ty,
        modifier: column.modifier,
    });
    columns.collect()
}
