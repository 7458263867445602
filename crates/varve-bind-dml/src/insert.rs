//! INSERT.

use std::sync::Arc;

use varve_ast::{
    Access, Expr as Ast, ExprKind, Insert, InsertSource, Name, Overriding, QueryBody, SelectItem,
    Target as AstTarget, Values,
};
use varve_bind_query::context::scope::ExprScope;
use varve_bind_query::expr::array::{AssignedPart, part_type};
use varve_bind_query::from::values::{value_plan, whole_record};
use varve_catalog::model::table::{ColumnDef, Filled, TableDef};
use varve_expr::Expr;
use varve_plan::build::operand::{Operand, literal};
use varve_plan::optimize::optimize;
use varve_plan::plan::{InsertPlan, Plan, Query, Returning, Statement};
use varve_plan::scope::error::{located, refuse};
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::binder::DmlBinder;
use crate::target::{Target, Verb};

impl DmlBinder<'_, '_> {
    pub(crate) fn insert(&mut self, insert: &Insert) -> Result<Statement> {
        let Insert {
            table: name,
            alias,
            columns,
            overriding,
            source,
            on_conflict,
            returning,
            saves_dictionary: _,
            span: _,
        } = insert;
        let target = self.target(name, false, Verb::Insert)?;
        let shape = Arc::clone(&target.shape);
        let targets = self.insert_targets(&shape, columns)?;
        let (rows, given) = match source {
            InsertSource::Defaults => (default_rows(&shape), 0),
            InsertSource::Query(query) => match plain_values(query) {
                Some(values) => self.insert_values(&shape, &targets, *overriding, values)?,
                None => self.insert_query(&shape, &targets, *overriding, query)?,
            },
        };
        let rows = Self::table_rows_of(
            &target,
            rows,
            targets.positions.get(..given).unwrap_or_default(),
        )?;
        let on_conflict = match on_conflict {
            None => None,
            Some(on) => {
                let name = alias.as_ref().map_or(&shape.name, |alias| &alias.text);
                Some(self.on_conflict(&target, name, on)?)
            }
        };
        let returning = self.inserted_returning(&target, alias.as_ref(), returning.as_deref())?;
        Ok(Statement::Insert(InsertPlan {
            checks: target.checks()?,
            table: target.table,
            source: rows,
            on_conflict,
            returning,
        }))
    }

    /// What RETURNING gives of rows that are inserted.
    fn inserted_returning(
        &mut self,
        target: &Target,
        alias: Option<&Name>,
        items: Option<&[SelectItem]>,
    ) -> Result<Option<Returning>> {
        let schema = self.catalog.schema_name(target.shape.schema);
        let names = target.inserted_names(alias).in_schema(schema);
        let mut returning = self.query.returning(items, &names)?;
        for expr in returning
            .iter_mut()
            .flat_map(|returning| &mut returning.exprs)
        {
            *expr = target.on_table(expr.clone(), &[(0, 0)])?;
            target.settle_tableoid(expr);
        }
        Ok(returning)
    }

    /// The rows of a table that these of a view are, of which some columns are given.
    fn table_rows_of(target: &Target, rows: Plan, given: &[usize]) -> Result<Plan> {
        if target.view.is_none() {
            return Ok(rows);
        }
        let places = target.assigned(given, Verb::Insert)?;
        let mut exprs: Vec<Expr> = target
            .table
            .columns
            .iter()
            .map(Self::default_value)
            .collect();
        // The rows have defaults already, of which none is computed twice.
        let others = target.bases().filter(|(_, place)| !places.contains(place));
        let others: Vec<(usize, usize)> = others.collect();
        let given = given.iter().copied().zip(places);
        for (at, place) in others.into_iter().chain(given) {
            if let (Some(slot), Some(column)) = (exprs.get_mut(place), target.shape.columns.get(at))
            {
                *slot = Expr::Column {
                    index: at,
                    ty: column.ty,
                };
            }
        }
        Ok(optimize(Plan::Project {
            input: Box::new(rows),
            exprs,
        }))
    }

    /// Positions of the columns that values are given for; with no list the first ones are, as
    /// many as there are values.
    fn insert_targets<'t>(
        &self,
        table: &TableDef,
        columns: &'t [AstTarget],
    ) -> Result<Targets<'t>> {
        let mut positions = Vec::with_capacity(columns.len());
        let mut subscripts: Vec<(&[Access], u32)> = Vec::with_capacity(columns.len());
        for column in columns {
            let (name, fields) = self.target_name(table, column)?;
            let place = self.query.at(name.span);
            refuse(!fields.is_empty(), "a field as a target of INSERT", place)?;
            let position = self.query.target_column(table, name)?;
            let part = column.subscripts.as_slice();
            let mut known = positions.iter().zip(&subscripts);
            let is_twice = |(known, (other, _)): (&usize, &(&[Access], u32))| {
                *known == position && (part.is_empty() || other.is_empty())
            };
            if known.any(is_twice) {
                return Err(self.named_twice(name));
            }
            positions.push(position);
            subscripts.push((part, place));
        }
        let listed = !positions.is_empty();
        if !listed {
            positions.extend(0..table.columns.len());
        }
        Ok(Targets {
            positions,
            subscripts,
            listed,
        })
    }

    /// The error of a column of this name that is there already.
    pub fn named_twice(&self, name: &Name) -> Error {
        let message = format!("column \"{}\" specified more than once", name.text);
        let error = Error::new(SqlState::DUPLICATE_COLUMN, message);
        located(error, self.query.at(name.span))
    }

    /// The rows of VALUES, and how many values each gives.
    fn insert_values(
        &mut self,
        table: &TableDef,
        targets: &Targets<'_>,
        overriding: Option<Overriding>,
        values: &Values,
    ) -> Result<(Plan, usize)> {
        let rows = self.query.value_rows(values)?;
        let width = rows.first().map_or(0, Vec::len);
        let extra = rows
            .first()
            .and_then(|row| row.get(targets.positions.len()));
        let position = extra.map_or(0, |ast| self.query.at(ast.span));
        targets.check(width, position)?;
        let names = Scope::default();
        let mut bound = Vec::with_capacity(rows.len());
        let mut scope = ExprScope::with_subqueries(&names, "VALUES");
        for row in rows {
            let cells = self.given_row(table, targets, overriding, row, &mut scope)?;
            bound.push(cells);
        }
        let types = table.columns.iter().map(|column| column.ty).collect();
        let subqueries = scope.take_subqueries();
        let plan = value_plan(bound, types, &subqueries)?;
        let plan = match subqueries.as_slice() {
            [] => plan,
            _ => optimize(plan),
        };
        Ok((plan, width))
    }

    /// A whole row of a table: values for some columns, and the defaults of the others.
    fn given_row(
        &mut self,
        table: &TableDef,
        targets: &Targets<'_>,
        overriding: Option<Overriding>,
        row: &[Ast],
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Expr>> {
        let mut cells: Vec<Expr> = table.columns.iter().map(Self::default_value).collect();
        for (at, (target, ast)) in targets.positions.iter().zip(row).enumerate() {
            let subscripts = targets.subscripts(at);
            let (Some(cell), Some(column)) = (cells.get_mut(*target), table.columns.get(*target))
            else {
                continue;
            };
            if is_default(ast) || !is_taken(column, overriding) {
                self.query
                    .whole_for_default(subscripts, self.query.at(ast.span))?;
                continue;
            }
            self.given_value(column, overriding.is_some())?;
            let operand = self.query.expr(ast, scope)?;
            let position = self.query.at(ast.span);
            *cell = match subscripts {
                [] => {
                    let value = self.query.assign(operand, column, position)?;
                    self.query.open_cell(value, ast, column)
                }
                part => {
                    let before = targets.before(at, cell, column);
                    let position = targets.position(at);
                    self.query.assign_part(
                        before,
                        &AssignedPart {
                            column,
                            subscripts: part,
                            position,
                        },
                        operand,
                        scope,
                    )?
                }
            };
        }
        Ok(cells)
    }

    /// The row that MERGE inserts: without values one of defaults.
    pub fn merged_row(
        &mut self,
        table: &TableDef,
        columns: &[AstTarget],
        values: Option<&[Ast]>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Expr>> {
        let Some(values) = values else {
            return Ok(table.columns.iter().map(Self::default_value).collect());
        };
        let targets = self.insert_targets(table, columns)?;
        let extra = values.get(targets.positions.len());
        targets.check(values.len(), extra.map_or(0, |ast| self.query.at(ast.span)))?;
        self.given_row(table, &targets, None, values, scope)
    }

    /// The rows of a query, and how many values each gives.
    fn insert_query(
        &mut self,
        table: &TableDef,
        targets: &Targets<'_>,
        overriding: Option<Overriding>,
        query: &varve_ast::Query,
    ) -> Result<(Plan, usize)> {
        let hints: Vec<LogicalType> = targets
            .positions
            .iter()
            .enumerate()
            .filter_map(|(at, target)| {
                let ty = table.columns.get(*target)?.ty;
                Some(part_type(ty, targets.subscripts(at)))
            })
            .collect();
        let Query { plan, fields, .. } = self.query.query(query, Some(&hints))?;
        let extra = self
            .query
            .column_position(&query.body, targets.positions.len());
        targets.check(fields.len(), extra)?;
        let mut exprs: Vec<Expr> = table.columns.iter().map(Self::default_value).collect();
        for (index, (field, target)) in fields.iter().zip(&targets.positions).enumerate() {
            if let (Some(slot), Some(column)) = (exprs.get_mut(*target), table.columns.get(*target))
            {
                if !is_taken(column, overriding) {
                    continue;
                }
                self.given_value(column, overriding.is_some())?;
                let value = Operand::Known(Expr::Column {
                    index,
                    ty: field.ty,
                });
                *slot = match targets.subscripts(index) {
                    [] => self.query.assign(value, column, 0)?,
                    part => {
                        let before = targets.before(index, slot, column);
                        let names = Scope::default();
                        let mut scope = ExprScope::plain(&names, "INSERT");
                        let position = targets.position(index);
                        self.query.assign_part(
                            before,
                            &AssignedPart {
                                column,
                                subscripts: part,
                                position,
                            },
                            value,
                            &mut scope,
                        )?
                    }
                };
            }
        }
        let plan = optimize(Plan::Project {
            input: Box::new(plan),
            exprs,
        });
        Ok((plan, fields.len()))
    }
}

/// The columns of a table that INSERT gives values for.
struct Targets<'t> {
    positions: Vec<usize>,
    /// Of each of them that is named, with its place in the text.
    subscripts: Vec<(&'t [Access], u32)>,
    /// Whether the statement names them.
    listed: bool,
}

impl Targets<'_> {
    /// The subscripts behind the name of a target.
    fn subscripts(&self, at: usize) -> &[Access] {
        self.subscripts.get(at).map_or(&[], |(part, _)| part)
    }

    fn position(&self, at: usize) -> u32 {
        self.subscripts.get(at).map_or(0, |(_, position)| *position)
    }

    /// What a part is put into: NULL, with the parts of the same column that come before.
    fn before(&self, at: usize, cell: &Expr, column: &ColumnDef) -> Expr {
        let target = self.positions.get(at);
        let mut earlier = self.positions.iter().take(at);
        if earlier.any(|other| Some(other) == target) {
            return cell.clone();
        }
        literal(Value::Null, column.ty)
    }

    fn check(&self, values: usize, position: u32) -> Result<()> {
        let (message, position) = if values > self.positions.len() {
            ("INSERT has more expressions than target columns", position)
        } else if values < self.positions.len() && self.listed {
            let message = "INSERT has more target columns than expressions";
            (message, self.position(values))
        } else {
            return Ok(());
        };
        Err(located(
            Error::new(SqlState::SYNTAX_ERROR, message),
            position,
        ))
    }
}

/// Whether a value that is given for a column counts.
fn is_taken(column: &ColumnDef, overriding: Option<Overriding>) -> bool {
    let is_identity = matches!(
        column.filled,
        Filled::IdentityAlways | Filled::IdentityByDefault
    );
    !(is_identity && overriding == Some(Overriding::User))
}

/// Whether a value is the keyword DEFAULT.
pub fn is_default(ast: &Ast) -> bool {
    matches!(ast.kind, ExprKind::Default)
}

/// One row of defaults.
fn default_rows(table: &TableDef) -> Plan {
    let columns = table.columns.iter();
    Plan::Values {
        rows: vec![columns.clone().map(DmlBinder::default_value).collect()],
        types: columns.map(|column| column.ty).collect(),
    }
}

/// The rows of a query that is VALUES and nothing else.
fn plain_values(query: &varve_ast::Query) -> Option<&Values> {
    let varve_ast::Query {
        with: None,
        body,
        order_by,
        limit: None,
        offset: None,
        locks,
        span: _,
    } = query
    else {
        return None;
    };
    let QueryBody::Values(values) = body.as_ref() else {
        return None;
    };
    if !order_by.is_empty() || !locks.is_empty() {
        return None;
    }
    // What is spread gives more columns than are written.
    let mut cells = values.rows.iter().flatten();
    let is_plain = cells.all(|cell| whole_record(cell).is_none());
    is_plain.then_some(values)
}
