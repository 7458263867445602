//! Whole rows: `row_to_json(t)`, `json_agg(t)`, `to_jsonb(ROW(1, 2))`.
//!
//! Where a function of JSON reads a row, the row is made into the JSON object at once, which is
//! what these functions would make of it. Elsewhere it is a value (`composite.rs`).

use varve_ast::Expr as Ast;
use varve_catalog::model::schema::RelationName;
use varve_expr::Expr;
use varve_plan::build::operand::Operand;
use varve_plan::build::row_value::{object, row_call};
use varve_types::Result;

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// The functions that read rows.
const ROW_READERS: [&str; 17] = [
    "json_agg",
    "json_array",
    "json_arrayagg",
    "json_build_array",
    "json_build_object",
    "json_object",
    "json_object_agg",
    "json_objectagg",
    "jsonb_agg",
    "jsonb_build_array",
    "jsonb_build_object",
    "jsonb_object_agg",
    "jsonb_pretty",
    "row_to_json",
    "to_json",
    "to_jsonb",
    "array_to_json",
];

/// Whether a function takes rows for its arguments.
pub fn reads_rows(name: &str) -> bool {
    ROW_READERS.contains(&name)
}

impl QueryBinder<'_> {
    /// The row of a relation in reach; `None` where no relation has the name.
    pub fn whole_row(
        &mut self,
        name: &str,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Option<Operand>> {
        let own = scope.names.tables.iter();
        let levels = self.context.outer.iter().rev();
        let mut tables = own.chain(levels.flat_map(|level| level.tables()));
        let Some(table) = tables.find(|table| table.name == name) else {
            return Ok(None);
        };
        let row_type = table.row_type;
        let is_value = table.is_value;
        let columns: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
        let mut fields = Vec::with_capacity(columns.len());
        let own = scope.names.tables.iter().find(|table| table.name == name);
        let own = own.map(|table| (table.first, table.columns.clone()));
        let of = RelationName {
            schema: None,
            name: name.to_owned(),
        };
        for (place, column) in columns.into_iter().enumerate() {
            if let Some((first, own)) = &own
                && let Some((_, ty)) = own.get(place)
            {
                let index = first + place;
                scope.uses.push((index, position));
                fields.push((column, Expr::Column { index, ty: *ty }));
                continue;
            }
            let value = self.column(Some(&of), &column, position, scope)?;
            fields.push((column, self.settle(value)?));
        }
        if is_value && fields.len() == 1 {
            return Ok(fields.pop().map(|(_, value)| Operand::Known(value)));
        }
        if !self.context.reads_rows {
            let several = scope.names.tables.len() > 1;
            let fields = fields.into_iter().map(|(_, value)| value).collect();
            return row_call(row_type, fields, several, position)
                .map(Operand::Known)
                .map(Some);
        }
        object(fields, position).map(Some)
    }

    /// `ROW(a, b)` as an object.
    pub fn written_row(
        &mut self,
        fields: &[Ast],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut named = Vec::with_capacity(fields.len());
        for (number, field) in (1..).zip(fields) {
            let value = self.expr(field, scope)?;
            named.push((format!("f{number}"), self.settle(value)?));
        }
        object(named, position)
    }
}
