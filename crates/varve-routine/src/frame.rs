//! The variables of a body and their values.
//!
//! A variable has one place from the beginning to the end of a call, whichever blocks are entered;
//! the fields of a record have places too. Pieces are bound again where a record got other fields.

use varve_bind::{RoutineVariable, Shape, declared_shape};
use varve_catalog::Catalog;
use varve_expr::{cast_value, coerce_length};
use varve_parser::plpgsql::{Code, Target};
use varve_types::{Error, LogicalType, Result, RowValue, SqlState, TypeMod, Value};

use crate::caller::Caller;

/// The variables of a body and their values.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// The function, for errors.
    pub name: String,
    pub variables: Vec<RoutineVariable>,
    pub values: Vec<Value>,
    records: Vec<Record>,
    /// The places of variables that cannot be NULL.
    not_null: Vec<usize>,
    /// Equal where the variables have come to the same names and types in the same way.
    pub layout: u64,
    /// How many of the first variables are `$1`, `$2`, ... too.
    pub numbered: usize,
    /// The columns of the result.
    pub columns: Vec<(String, LogicalType)>,
    /// Whether the result is any number of rows.
    pub is_set: bool,
    /// What RETURN NEXT and RETURN QUERY gave.
    pub rows: Vec<Vec<Value>>,
}

/// A variable that is a row.
#[derive(Debug)]
struct Record {
    scope: usize,
    name: String,
    /// Whether its fields stay what they are.
    is_fixed: bool,
}

impl Frame {
    /// A frame of a function.
    pub fn of(name: String) -> Frame {
        Frame {
            name,
            ..Frame::default()
        }
    }

    /// Adds a variable that is known in all of the body.
    pub fn add(&mut self, qualifier: &str, name: &str, ty: LogicalType, value: Value) {
        self.add_in((0, qualifier), name, (ty, TypeMod::NONE));
        if let Some(last) = self.values.last_mut() {
            *last = value;
        }
    }

    fn add_in(
        &mut self,
        (scope, qualifier): (usize, &str),
        name: &str,
        (ty, modifier): (LogicalType, TypeMod),
    ) {
        self.changed(self.variables.len(), name, ty);
        self.variables.push(RoutineVariable {
            scope,
            qualifier: qualifier.to_owned(),
            is_field: false,
            name: name.to_owned(),
            ty,
            modifier,
        });
        self.values.push(Value::Null);
    }

    /// Notes that a variable has another name or type.
    fn changed(&mut self, at: usize, name: &str, ty: LogicalType) {
        let mut bytes = (at as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(name.as_bytes());
        ty.encode(&mut bytes);
        for byte in bytes {
            self.layout = (self.layout ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds the variables of a body, without values.
    pub fn declare(&mut self, code: &Code, catalog: &Catalog) -> Result<()> {
        self.add("", "found", LogicalType::Boolean, Value::Boolean(false));
        for variable in &code.variables {
            let scope = variable.scope;
            let label = code.scopes.get(scope).map_or("", |scope| &scope.label);
            let first = self.variables.len();
            if variable.not_null {
                self.not_null.push(first);
            }
            let is_fixed = match declared_shape(catalog, &variable.kind, &self.variables)? {
                Shape::Value(ty, modifier) => {
                    self.add_in((scope, label), &variable.name, (ty, modifier));
                    continue;
                }
                Shape::Row(fields) => {
                    for (name, ty, modifier) in fields {
                        self.add_in((scope, &variable.name), &name, (ty, modifier));
                    }
                    true
                }
                Shape::Record => {
                    // Its place without a name says that it has no fields yet.
                    let ty = (LogicalType::Text, TypeMod::NONE);
                    self.add_in((scope, &variable.name), "", ty);
                    false
                }
            };
            let name = &variable.name;
            for known in self.variables.iter_mut().skip(first) {
                known.is_field = known.qualifier == *name;
            }
            self.records.push(Record {
                scope,
                name: variable.name.clone(),
                is_fixed,
            });
        }
        Ok(())
    }

    /// The values of the variables that are columns of the result.
    pub fn of_columns(&self) -> Vec<Value> {
        let values = self.columns.iter().map(|(name, _)| {
            let mut known = self.variables.iter().zip(&self.values);
            let found = known.find(|(known, _)| known.scope == 0 && known.name == *name);
            found.map_or(Value::Null, |(_, value)| value.clone())
        });
        values.collect()
    }

    /// Adds a record with fields of its own, which was added as these variables.
    pub fn add_record(&mut self, name: &str, fields: Vec<RoutineVariable>) {
        self.variables.extend(fields);
        self.values.resize(self.variables.len(), Value::Null);
        self.records.push(Record {
            scope: 0,
            name: name.to_owned(),
            is_fixed: true,
        });
    }

    /// The variables that are known in a scope with their places, those of outer scopes first.
    pub fn known(&self, code: &Code, scope: usize) -> Vec<(usize, &RoutineVariable)> {
        let all = self.variables.iter().enumerate();
        let mut known: Vec<_> = all
            .filter(|(_, known)| code.is_in(known.scope, scope))
            .collect();
        varve_sort::sort_by(&mut known, |left, right| left.1.scope.cmp(&right.1.scope));
        known
    }

    /// The place of a variable, or of a field of a record.
    pub fn place(&self, (qualifier, name): &Target, code: &Code, scope: usize) -> Option<usize> {
        let known = self.known(code, scope);
        let found = known.iter().rev().find(|(_, known)| {
            known.name == *name
                && match qualifier {
                    Some(qualifier) => known.qualifier == *qualifier,
                    None => !known.is_field,
                }
        });
        found.map(|(at, _)| *at)
    }

    /// The record of a name, and the places of its fields.
    fn record(&self, name: &str, code: &Code, scope: usize) -> Option<(&Record, Vec<usize>)> {
        let mut records = self.records.iter().rev();
        let record =
            records.find(|record| record.name == name && code.is_in(record.scope, scope))?;
        let fields = self.variables.iter().enumerate().filter(|(_, known)| {
            known.is_field && known.qualifier == name && known.scope == record.scope
        });
        Some((record, fields.map(|(at, _)| at).collect()))
    }

    /// Whether a target is a record.
    pub fn is_record(&self, (qualifier, name): &Target, code: &Code, scope: usize) -> bool {
        qualifier.is_none() && self.record(name, code, scope).is_some()
    }

    /// Gives a variable a value.
    pub fn put(&mut self, at: usize, value: &Value, caller: &Caller<'_>) -> Result<()> {
        let Some(known) = self.variables.get(at) else {
            return Err(Error::internal("a variable without a place"));
        };
        if value.is_null() && self.not_null.contains(&at) {
            let name = &known.name;
            let message =
                format!("null value cannot be assigned to variable \"{name}\" declared NOT NULL");
            return Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
        }
        let value = match value.logical_type() {
            Some(ty) if ty != known.ty => cast_value(value, known.ty, true, caller.locale)?,
            _ => value.clone(),
        };
        let value = coerce_length(value, known.ty, known.modifier, false)?;
        if let Some(known) = self.values.get_mut(at) {
            *known = value;
        }
        Ok(())
    }

    /// Gives a variable a value, and its type.
    pub fn put_any(&mut self, at: usize, ty: LogicalType, value: Value) {
        if let Some(known) = self.variables.get_mut(at)
            && known.ty != ty
        {
            known.ty = ty;
            self.changed(at, "", ty);
        }
        if let Some(known) = self.values.get_mut(at) {
            *known = value;
        }
    }

    /// Gives a record the columns of a row.
    pub fn put_row(
        &mut self,
        name: &str,
        (code, scope): (&Code, usize),
        columns: &[(String, LogicalType)],
        row: &[Value],
        caller: &Caller<'_>,
    ) -> Result<()> {
        let Some((record, mut places)) = self.record(name, code, scope) else {
            return Err(Error::internal("a record without a place"));
        };
        if !record.is_fixed {
            let scope = record.scope;
            for (number, (field, ty)) in columns.iter().enumerate() {
                if number == places.len() {
                    places.push(self.variables.len());
                    self.add_in((scope, name), "", (*ty, TypeMod::NONE));
                }
                let known = places
                    .get(number)
                    .and_then(|at| self.variables.get_mut(*at));
                if let Some(known) = known
                    && (known.name != *field || known.ty != *ty)
                {
                    known.name.clone_from(field);
                    known.ty = *ty;
                    known.is_field = true;
                    self.layout += 1;
                }
            }
            for at in places.iter().skip(columns.len()) {
                if let Some(known) = self.variables.get_mut(*at) {
                    known.name.clear();
                    self.changed(*at, "", LogicalType::Text);
                }
            }
        }
        for (number, at) in places.into_iter().enumerate() {
            self.put(at, row.get(number).unwrap_or(&Value::Null), caller)?;
        }
        Ok(())
    }

    /// Gives a target a value.
    pub fn set(
        &mut self,
        target: &Target,
        (code, scope): (&Code, usize),
        value: &Value,
        caller: &Caller<'_>,
    ) -> Result<()> {
        if let Some(at) = self.place(target, code, scope) {
            return self.put(at, value, caller);
        }
        let (qualifier, name) = target;
        let first = qualifier.as_ref().unwrap_or(name);
        let Some((record, places)) = self.record(first, code, scope) else {
            let is_row = self.variables.iter().any(|known| known.qualifier == *first);
            return Err(match is_row {
                true => no_field(first, name),
                false => {
                    let message = format!("\"{name}\" is not a known variable");
                    Error::new(SqlState::SYNTAX_ERROR, message)
                }
            });
        };
        if qualifier.is_some() {
            let mut fields = places.iter().filter_map(|at| self.variables.get(*at));
            return Err(
                match !record.is_fixed && fields.all(|field| field.name.is_empty()) {
                    true => not_assigned(first),
                    false => no_field(first, name),
                },
            );
        }
        let (columns, row) = match value {
            Value::Null => (Vec::new(), Vec::new()),
            Value::Row(id, stored) => {
                let row = RowValue::read(stored)?;
                let names = caller.catalog.fields_of(*id).unwrap_or_default();
                let fields = (1..).zip(row.fields).map(|(number, (ty, value))| {
                    let name = names.get(number - 1).map(|(name, ..)| name.clone());
                    ((name.unwrap_or_else(|| format!("f{number}")), ty), value)
                });
                fields.unzip()
            }
            _ => {
                let message = "cannot assign non-composite value to a record variable";
                return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
            }
        };
        self.put_row(name, (code, scope), &columns, &row, caller)
    }
}

/// `42703`
fn no_field(record: &str, name: &str) -> Error {
    let message = format!("record \"{record}\" has no field \"{name}\"");
    Error::new(SqlState::UNDEFINED_COLUMN, message)
}

/// `55000`
fn not_assigned(record: &str) -> Error {
    let message = format!("record \"{record}\" is not assigned yet");
    let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
    error.with_detail("The tuple structure of a not-yet-assigned record is indeterminate.")
}
