//! INSERT.

use std::sync::Arc;

use sqlparser::ast::{
    AccessExpr, Expr as Ast, Ident, Insert, ObjectName, OnInsert, Query as AstQuery, SetExpr,
    TableObject,
};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::array::part_type;
use crate::bind::expr::ExprScope;
use crate::bind::literal::{Operand, literal};
use crate::bind::names::fold_name;
use crate::bind::target::{Target, Verb};
use crate::bind::values::{value_plan, whole_record};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::{ColumnDef, Filled, TableDef};
use crate::optimize::optimize;
use crate::plan::{InsertPlan, Plan, Query, Statement};
use crate::scope::Scope;
use varve_parser::{InsertClauses, Overriding};

impl Binder<'_> {
    pub(crate) fn insert(&mut self, insert: &Insert) -> Result<Statement> {
        let Insert {
            insert_token: _,
            optimizer_hints: _,
            or,
            ignore,
            into: _,
            table,
            table_alias,
            columns,
            overwrite,
            source,
            assignments,
            partitioned: _,
            after_columns,
            has_table_keyword,
            on,
            returning,
            output,
            replace_into,
            priority: _,
            insert_alias,
            settings: _,
            format_clause,
            multi_table_insert_type,
            multi_table_into_clauses,
            multi_table_when_clauses,
            multi_table_else_clause,
        } = insert;
        let clauses = InsertClauses::of(insert);
        let position = self.source.first();
        let other_dialect = or.is_some()
            || *ignore
            || *overwrite
            || !assignments.is_empty()
            || !after_columns.is_empty()
            || *has_table_keyword
            || output.is_some()
            || *replace_into
            || insert_alias.is_some()
            || format_clause.is_some()
            || multi_table_insert_type.is_some()
            || !multi_table_into_clauses.is_empty()
            || !multi_table_when_clauses.is_empty()
            || multi_table_else_clause.is_some();
        refuse(other_dialect, "this form of INSERT", position)?;
        let TableObject::TableName(name) = table else {
            return Err(unsupported_at("this target of INSERT", position));
        };
        let target = self.target(name, false, Verb::Insert)?;
        let shape = Arc::clone(&target.shape);
        let targets = self.insert_targets(&shape, columns)?;
        let alias = table_alias.as_ref().map(|alias| &alias.alias);
        let overriding = clauses.overriding;
        let (rows, given) = match source {
            None => (
                Plan::Values {
                    rows: vec![shape.columns.iter().map(Self::default_value).collect()],
                    types: shape.columns.iter().map(|column| column.ty).collect(),
                },
                0,
            ),
            Some(query) => match plain_values(query) {
                Some(values) => self.insert_values(&shape, &targets, overriding, values)?,
                None => self.insert_query(&shape, &targets, overriding, query)?,
            },
        };
        let rows = Self::table_rows_of(
            &target,
            rows,
            targets.positions.get(..given).unwrap_or_default(),
        )?;
        let schema = self.catalog.schema_name(target.shape.schema);
        let names = target.inserted_names(alias).in_schema(schema);
        let on_conflict = match on {
            None => None,
            Some(OnInsert::OnConflict(on)) => {
                let name = alias.map_or_else(|| shape.name.clone(), fold_name);
                Some(self.on_conflict(&target, &name, on, clauses)?)
            }
            Some(_) => return Err(unsupported_at("this form of INSERT", position)),
        };
        let mut returning = self.returning(returning.as_deref(), &names)?;
        for expr in returning
            .iter_mut()
            .flat_map(|returning| &mut returning.exprs)
        {
            *expr = target.on_table(expr.clone(), &[(0, 0)])?;
            target.settle_tableoid(expr);
        }
        Ok(Statement::Insert(InsertPlan {
            checks: target.checks()?,
            table: target.table,
            source: rows,
            on_conflict,
            returning,
        }))
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
    fn insert_targets(&self, table: &TableDef, columns: &[ObjectName]) -> Result<Targets> {
        let mut positions = Vec::with_capacity(columns.len());
        let mut subscripts = Vec::with_capacity(columns.len());
        for name in columns {
            let (ident, fields) = self.target_name(table, name)?;
            refuse(
                !fields.is_empty(),
                "a field as a target of INSERT",
                self.source.ident(ident),
            )?;
            let position = self.target_column(table, ident)?;
            let (_, part) = self.source.target(ident);
            let mut known = positions.iter().zip(&subscripts);
            let is_twice = |(known, (other, _)): (&usize, &(Arc<[AccessExpr]>, u32))| {
                *known == position && (part.is_empty() || other.is_empty())
            };
            if known.any(is_twice) {
                let (name, _) = self.source.target(ident);
                return Err(self.named_twice(ident, &name));
            }
            positions.push(position);
            subscripts.push((part, self.source.ident(ident)));
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
    pub(crate) fn named_twice(&self, ident: &Ident, name: &str) -> Error {
        located(
            Error::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column \"{name}\" specified more than once"),
            ),
            self.source.ident(ident),
        )
    }

    /// The rows of VALUES, and how many values each gives.
    fn insert_values(
        &mut self,
        table: &TableDef,
        targets: &Targets,
        overriding: Option<Overriding>,
        values: &sqlparser::ast::Values,
    ) -> Result<(Plan, usize)> {
        let rows = self.value_rows(values)?;
        let width = rows.first().map_or(0, |row| row.len());
        let extra = rows
            .first()
            .and_then(|row| row.get(targets.positions.len()));
        let position = extra.map_or(0, |ast| self.source.expr(ast));
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
        targets: &Targets,
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
                self.whole_for_default(subscripts, self.source.expr(ast))?;
                continue;
            }
            self.given_value(column, overriding.is_some())?;
            let operand = self.expr(ast, scope)?;
            let position = self.source.expr(ast);
            *cell = match subscripts {
                [] => self.assign(operand, column, position)?,
                part => {
                    let before = targets.before(at, cell, column);
                    let position = targets.position(at);
                    self.assign_part(before, column, part, operand, position, scope)?
                }
            };
        }
        Ok(cells)
    }

    /// The row that MERGE inserts: without values one of defaults.
    pub(crate) fn merged_row(
        &mut self,
        table: &TableDef,
        columns: &[ObjectName],
        values: Option<&[Ast]>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Expr>> {
        let Some(values) = values else {
            return Ok(table.columns.iter().map(Self::default_value).collect());
        };
        let targets = self.insert_targets(table, columns)?;
        let extra = values.get(targets.positions.len());
        targets.check(values.len(), extra.map_or(0, |ast| self.source.expr(ast)))?;
        self.given_row(table, &targets, None, values, scope)
    }

    /// The rows of a query, and how many values each gives.
    fn insert_query(
        &mut self,
        table: &TableDef,
        targets: &Targets,
        overriding: Option<Overriding>,
        query: &AstQuery,
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
        let Query { plan, fields, .. } = self.query(query, Some(&hints))?;
        let extra = self.column_position(&query.body, targets.positions.len());
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
                    [] => self.assign(value, column, 0)?,
                    part => {
                        let before = targets.before(index, slot, column);
                        let names = Scope::default();
                        let mut scope = ExprScope::plain(&names, "INSERT");
                        let position = targets.position(index);
                        self.assign_part(before, column, part, value, position, &mut scope)?
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
struct Targets {
    positions: Vec<usize>,
    /// Of each of them that is named, with its place in the text.
    subscripts: Vec<(Arc<[AccessExpr]>, u32)>,
    /// Whether the statement names them.
    listed: bool,
}

impl Targets {
    /// The subscripts behind the name of a target.
    fn subscripts(&self, at: usize) -> &[AccessExpr] {
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

/// Whether a value is the keyword DEFAULT, which the parser takes for a name.
pub(crate) fn is_default(ast: &Ast) -> bool {
    matches!(ast, Ast::Identifier(ident)
        if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default"))
}

/// The rows of a query that is VALUES and nothing else.
fn plain_values(query: &AstQuery) -> Option<&sqlparser::ast::Values> {
    match (query.body.as_ref(), query) {
        (
            SetExpr::Values(values),
            AstQuery {
                with: None,
                body: _,
                order_by: None,
                limit_clause: None,
                fetch: None,
                locks,
                for_clause: None,
                settings: None,
                format_clause: None,
                pipe_operators,
            },
        ) if locks.is_empty() && pipe_operators.is_empty() => {
            let mut cells = values.rows.iter().flat_map(|row| &row.content);
            // What is spread gives more columns than are written.
            cells
                .all(|cell| whole_record(cell).is_none())
                .then_some(values)
        }
        _ => None,
    }
}
