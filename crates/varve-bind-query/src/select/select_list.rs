//! The select list, and RETURNING.

use varve_ast::{Expr as Ast, ExprKind, ObjectName, SelectItem, Span};
use varve_catalog::text::kept_text::Meaning;
use varve_expr::Expr;
use varve_plan::build::operand::CastContext;
use varve_plan::build::output::Output;
use varve_plan::plan::{Field, Returning};
use varve_plan::scope::error::located;
use varve_plan::scope::name::result_name;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// What a statement answers of the rows that it has changed.
    pub fn returning(
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

    /// The columns of the items of a select list or of RETURNING.
    pub fn outputs(
        &mut self,
        items: &[SelectItem],
        scope: &mut ExprScope<'_>,
        hints: Option<&[LogicalType]>,
    ) -> Result<Vec<Output>> {
        let mut outputs = Vec::with_capacity(items.len());
        for item in items {
            match item {
                SelectItem::Star(star) => self.every_column(*star, scope.names, &mut outputs)?,
                SelectItem::TableStar { table, star: _ } => {
                    self.table_columns(table, scope.names, &mut outputs)?;
                }
                SelectItem::RowStar { row, star: _ } => {
                    self.spread_fields(row, scope, &mut outputs)?;
                }
                SelectItem::Expr { expr, alias } => {
                    let spread = self.context.spread_row.take_if(|row| *row == expr.span);
                    if spread.is_some()
                        && let ExprKind::Row { fields, .. } = &expr.kind
                    {
                        self.spread_values(fields, scope, &mut outputs)?;
                        continue;
                    }
                    let hint = hints.and_then(|hints| hints.get(outputs.len())).copied();
                    let name = match (alias, &expr.kind) {
                        (Some(alias), _) => alias.text.clone(),
                        (None, ExprKind::Call(call)) => {
                            self.use_name(self.at(call.name.span()), || Meaning::Naming);
                            result_name(expr)
                        }
                        (None, _) => result_name(expr),
                    };
                    outputs.push(self.output(expr, name, scope, hint)?);
                }
            }
        }
        Ok(outputs)
    }

    /// A column of the result; `hint` is the type that a value without one takes.
    fn output(
        &mut self,
        ast: &Ast,
        name: String,
        scope: &mut ExprScope<'_>,
        hint: Option<LogicalType>,
    ) -> Result<Output> {
        scope.uses.clear();
        let operand = self.expr(ast, scope)?;
        let untyped = operand.ty().is_none();
        let expr = match hint.filter(|_| untyped) {
            Some(ty) => self
                .convert(operand, ty, CastContext::Assignment, self.at(ast.span))?
                .ok_or_else(|| Error::internal("an unknown value does not take a type"))?,
            None => self.settle(operand)?,
        };
        Ok(Output {
            expr: varve_expr::fold(expr),
            name,
            uses: core::mem::take(&mut scope.uses),
            untyped,
        })
    }

    /// The fields of a row that is written, as columns.
    fn spread_values(
        &mut self,
        fields: &[Ast],
        scope: &mut ExprScope<'_>,
        outputs: &mut Vec<Output>,
    ) -> Result<()> {
        for field in fields {
            let operand = self.expr(field, scope)?;
            let expr = varve_expr::fold(self.settle(operand)?);
            let uses = core::mem::take(&mut scope.uses);
            outputs.push(Output::of(result_name(field), expr, uses));
        }
        Ok(())
    }

    /// The columns that `*` stands for.
    fn every_column(&self, star: Span, names: &Scope, outputs: &mut Vec<Output>) -> Result<()> {
        let position = self.at(star);
        if names.tables.is_empty() {
            let message = "SELECT * with no tables specified is not valid";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        let star = names.star.iter().copied();
        self.use_star(names, star.clone(), position);
        outputs.extend(star.filter_map(|index| all_of(names, index, position)));
        Ok(())
    }

    /// `t.*`: the columns of a relation, or the fields of a variable.
    fn table_columns(
        &self,
        table: &ObjectName,
        names: &Scope,
        outputs: &mut Vec<Output>,
    ) -> Result<()> {
        let position = self.at(table.span());
        let of = self.relation_name(table)?;
        let table = match names.find_table(&of, position) {
            Ok(table) => table,
            Err(error) => {
                let fields = self.record_fields(&of.name, position)?.ok_or(error)?;
                let fields = fields.into_iter();
                outputs.extend(fields.map(|(name, expr)| Output::of(name, expr, Vec::new())));
                return Ok(());
            }
        };
        let indexes = table.first..table.first + table.columns.len();
        self.use_star(names, indexes.clone(), position);
        outputs.extend(indexes.filter_map(|index| all_of(names, index, position)));
        Ok(())
    }

    /// `(row).*`: the fields of a row as columns.
    fn spread_fields(
        &mut self,
        ast: &Ast,
        scope: &mut ExprScope<'_>,
        outputs: &mut Vec<Output>,
    ) -> Result<()> {
        let position = self.at(ast.span);
        scope.uses.clear();
        let operand = self.expr(ast, scope)?;
        let row = self.settle(operand)?;
        let Some(fields) = self.fields_of_row(&row) else {
            let message = format!("type {} is not composite", row.logical_type());
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(located(error, position));
        };
        for (place, (name, ty, _)) in fields.into_iter().enumerate() {
            let expr = varve_expr::fold(self.field_at(&row, (place, ty), position)?);
            outputs.push(Output::of(name, expr, scope.uses.clone()));
        }
        scope.uses.clear();
        Ok(())
    }
}

/// A column that `*` stands for.
fn all_of(names: &Scope, index: usize, position: u32) -> Option<Output> {
    let (_, name, ty) = names.column(index)?;
    let column = Expr::Column { index, ty };
    Some(Output::of(name.to_owned(), column, vec![(index, position)]))
}
