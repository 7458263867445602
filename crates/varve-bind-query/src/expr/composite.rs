//! Rows as values: `ROW(1, 'a')`, their fields, their conversions, composite types.

use varve_ast::{Expr as Ast, ExprKind, ObjectName};
use varve_catalog::model::schema::RelationName;
use varve_expr::Expr;
use varve_plan::build::array::form;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::row_value::{Field, called_fields, row_call, untyped};
use varve_plan::scope::error::located;
use varve_types::{
    Error, Invariant, LogicalType, ObjectId, Result, RowTypeId, SqlState, TypeMod, Value,
};

use crate::context::arguments::Arguments;
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// `ROW(a, b)` as a value; `ROW(t.*)` has the columns of the relation.
    pub fn row_value(
        &mut self,
        fields: &[Ast],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            let operand = self.expr(field, scope)?;
            let value = self.settle(operand)?;
            match (&field.kind, &value) {
                (ExprKind::TableStar(_), Expr::Call { args, .. }) => {
                    values.extend(args.iter().skip(1).cloned());
                }
                _ => values.push(value),
            }
        }
        row_call(RowTypeId::RECORD, values, false, position).map(Operand::Known)
    }

    /// The fields of a type of rows, which the statement depends on from now on.
    pub fn fields_of_type(&self, id: RowTypeId) -> Option<Vec<Field>> {
        let object = ObjectId(u64::from(id.0));
        let mut found = self.outputs.found.borrow_mut();
        if let Some(table) = self.statement.catalog.tables.get(&object) {
            found.add_table(table);
        }
        if let Some(view) = self.statement.catalog.views.get(&object) {
            found.add_view(view);
        }
        self.statement.catalog.fields_of(id)
    }

    /// The names and types of the fields of a row.
    pub fn fields_of_row(&self, row: &Expr) -> Option<Vec<Field>> {
        let LogicalType::Row(id) = row.logical_type() else {
            return None;
        };
        if id != RowTypeId::RECORD {
            return self.fields_of_type(id);
        }
        if let Expr::Column { .. } = row {
            return None;
        }
        if let Expr::Placeholder { part, .. } = row {
            // The last one is the nearest.
            let mut known = self.outputs.records.iter().rev();
            let known = known.find(|(known, _)| known == part);
            return known.map(|(_, fields)| fields.clone());
        }
        if let Some(names) = self.fields_of_variable(row) {
            return Some(names);
        }
        let fields = (1..).zip(called_fields(row)?);
        let fields = fields
            .map(|(number, value)| (format!("f{number}"), value.logical_type(), TypeMod::NONE));
        Some(fields.collect())
    }

    /// A field of a row by its place.
    pub fn field_at(
        &self,
        row: &Expr,
        (place, ty): (usize, LogicalType),
        position: u32,
    ) -> Result<Expr> {
        if let Some(value) = called_fields(row).and_then(|fields| fields.get(place)) {
            return Ok(value.clone());
        }
        let place = i32::try_from(place).or_broken("place of a field")?;
        let args = vec![
            literal(Value::Null, ty),
            row.clone(),
            literal(Value::Int4(place), LogicalType::Int4),
        ];
        form("\0field", Some(ty), args, position)
    }

    /// `(row).field`.
    pub fn row_field(&self, row: &Expr, name: &str, position: u32) -> Result<Expr> {
        let ty = row.logical_type();
        if !matches!(ty, LogicalType::Row(_)) {
            let message = format!(
                "column notation .{name} applied to type {ty}, which is not a composite type"
            );
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(located(error, position));
        }
        let fields = self.fields_of_row(row).unwrap_or_default();
        let place = fields.iter().position(|(known, ..)| known == name);
        match place.and_then(|place| Some((place, fields.get(place)?.1))) {
            Some(place) => self.field_at(row, place, position),
            None => {
                let message = match ty {
                    LogicalType::Row(RowTypeId::RECORD) => {
                        format!("could not identify column \"{name}\" in record data type")
                    }
                    ty => format!("column \"{name}\" not found in data type {ty}"),
                };
                let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
                Err(located(error, position))
            }
        }
    }

    /// `(row).name`: a field, or what a function of this name gives for the row.
    pub fn attribute(
        &mut self,
        row: Expr,
        name: &str,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let field = self.row_field(&row, name, position);
        let name = RelationName::unqualified(name);
        let candidates = match &field {
            Err(error) if error.state() == SqlState::UNDEFINED_COLUMN => self.candidates(&name),
            _ => Vec::new(),
        };
        if candidates.is_empty() {
            return field.map(Operand::Known);
        }
        let args = Arguments::default();
        let row = vec![Operand::Known(row)];
        let call = self.user_call_of((&name, &candidates), &args, row, position, scope);
        // No function of this row is no column, too.
        call.or_else(|error| match error.state() {
            SqlState::UNDEFINED_FUNCTION => field.map(Operand::Known),
            _ => Err(error),
        })
    }

    /// The fields of an operand that is a row of a composite type, or the operand.
    pub fn fields_of_operand(&self, operand: Operand, position: u32) -> Result<Vec<Operand>> {
        let Operand::Known(row) = &operand else {
            return Ok(vec![operand]);
        };
        let Some(fields) = self.fields_of_row(row) else {
            return Ok(vec![operand]);
        };
        let mut values = Vec::with_capacity(fields.len());
        for (place, (_, ty, _)) in fields.into_iter().enumerate() {
            values.push(Operand::Known(self.field_at(row, (place, ty), position)?));
        }
        Ok(values)
    }

    /// A written row as one of a composite type; `None` for other values, or where a field does not
    /// convert.
    pub fn row_as(
        &mut self,
        row: &Expr,
        to: LogicalType,
        context: CastContext,
        position: u32,
    ) -> Result<Option<Expr>> {
        let (LogicalType::Row(id), Some(values)) = (to, called_fields(row)) else {
            return Ok(None);
        };
        if id == RowTypeId::RECORD || row.logical_type() == to || context == CastContext::Implicit {
            return Ok(None);
        }
        let fields = self.fields_of_type(id).unwrap_or_default();
        if fields.len() != values.len() {
            let which = if values.len() < fields.len() {
                "few"
            } else {
                "many"
            };
            let message = format!("cannot cast type record to {to}");
            let error = Error::new(SqlState::CANNOT_COERCE, message);
            let error = error.with_detail(format!("Input has too {which} columns."));
            return Err(located(error, position));
        }
        let mut converted = Vec::with_capacity(fields.len());
        for (number, (value, (_, ty, modifier))) in (1..).zip(values.iter().zip(fields)) {
            let operand = untyped(value);
            let from = value.logical_type();
            let value = self.convert_bounded(operand, ty, modifier, context, position)?;
            converted.push(value.ok_or_else(|| {
                let message = format!("cannot cast type record to {to}");
                let error = Error::new(SqlState::CANNOT_COERCE, message);
                let detail = format!("Cannot cast type {from} to {ty} in column {number}.");
                located(error.with_detail(detail), position)
            })?);
        }
        row_call(id, converted, false, position).map(Some)
    }

    /// A row with a field of it, or of a field of it, replaced.
    pub fn assign_field(
        &mut self,
        (column, before): (&str, &Expr),
        path: &[String],
        operand: Operand,
        position: u32,
    ) -> Result<Expr> {
        let Some((name, rest)) = path.split_first() else {
            return self.settle(operand);
        };
        let LogicalType::Row(id) = before.logical_type() else {
            let message = format!(
                "cannot assign to field \"{name}\" of column \"{column}\" because its type {} is \
                 not a composite type",
                before.logical_type()
            );
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(located(error, position));
        };
        let fields = self.fields_of_row(before).unwrap_or_default();
        if !fields.iter().any(|(known, ..)| known == name) {
            let ty = before.logical_type();
            let message = format!(
                "cannot assign to field \"{name}\" of column \"{column}\" because there is no such \
                 column in data type {ty}"
            );
            let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
            return Err(located(error, position));
        }
        let mut operand = Some(operand);
        let mut values = Vec::with_capacity(fields.len());
        for (place, (known, ty, modifier)) in fields.into_iter().enumerate() {
            let old = self.field_at(before, (place, ty), position)?;
            let new = match operand.take_if(|_| known == *name) {
                None => old,
                Some(operand) if !rest.is_empty() => {
                    self.assign_field((column, &old), rest, operand, position)?
                }
                Some(operand) => {
                    let from = operand.ty().unwrap_or(LogicalType::Text);
                    let context = CastContext::Assignment;
                    let value = self.convert_bounded(operand, ty, modifier, context, position)?;
                    value.ok_or_else(|| {
                        let message = format!(
                            "subfield \"{name}\" is of type {ty} but expression is of type {from}"
                        );
                        let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
                        located(error, position)
                            .with_hint("You will need to rewrite or cast the expression.")
                    })?
                }
            };
            values.push(new);
        }
        row_call(id, values, false, position)
    }

    /// `t.*` among arguments: the row of the relation.
    pub fn star_row(&mut self, name: &ObjectName, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(name.span());
        let of = self.relation_name(name)?;
        let name = of.name.clone();
        if let Some(row) = self.whole_row(&name, position, scope)? {
            return Ok(row);
        }
        match self.record_fields(&name, position)?.is_some() {
            true => {
                let row = self.variable(None, &name, position)?;
                row.ok_or_else(|| Error::internal("a record without a row"))
            }
            false => {
                scope.names.find_table(&of, position)?;
                Err(Error::internal("a relation without a row"))
            }
        }
    }
}
