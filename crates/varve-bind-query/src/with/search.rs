//! SEARCH and CYCLE of recursive queries: columns that are added to both parts of the query.

use varve_ast::{Cte, Cycle, Expr as Ast, Name, QueryBody, Search};
use varve_expr::Expr;
use varve_plan::build::array::form;
use varve_plan::build::operand::{Operand, literal};
use varve_plan::build::output::{Output, check_comparable, plan_column};
use varve_plan::build::row_value::row_call;
use varve_plan::optimize::push_down::filtered;
use varve_plan::plan::{Field, Plan, Query};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{CompareOp, Error, LogicalType, Result, RowTypeId, SqlState, Value};

use crate::context::binder::QueryBinder;
use crate::context::ctes::Columns;
use crate::context::scope::ExprScope;

const RECORD: LogicalType = LogicalType::Row(RowTypeId::RECORD);

/// The columns that SEARCH and CYCLE add to a query of so many columns.
pub struct Walk {
    columns: Columns,
    search: Option<Order>,
    cycle: Option<Path>,
}

/// The column that SEARCH adds.
struct Order {
    by: Vec<usize>,
    breadth_first: bool,
    column: String,
}

/// The columns that CYCLE adds, and what the mark says.
struct Path {
    of: Vec<usize>,
    mark: String,
    path: String,
    value: Expr,
    default: Expr,
}

/// Whether a named query has one of the clauses.
pub fn has_walk(cte: &Cte) -> bool {
    cte.search.is_some() || cte.cycle.is_some()
}

impl QueryBinder<'_> {
    /// What the clauses of a recursive query with these columns say.
    pub fn walk(
        &mut self,
        cte: &Cte,
        (base, step): (&QueryBody, &QueryBody),
        columns: &Columns,
    ) -> Result<Option<Walk>> {
        if !has_walk(cte) {
            return Ok(None);
        }
        for (side, part) in [("left", base), ("right", step)] {
            if is_combined(part) {
                let message = format!(
                    "with a SEARCH or CYCLE clause, the {side} side of the UNION must be a SELECT"
                );
                return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
            }
        }
        let mut walk = Walk {
            columns: columns.clone(),
            search: None,
            cycle: None,
        };
        if let Some(search) = &cte.search {
            walk.search = Some(self.order(search, columns)?);
        }
        if let Some(cycle) = &cte.cycle {
            walk.cycle = Some(self.path(cycle, columns)?);
        }
        if let (Some(search), Some(order), Some(path)) = (&cte.search, &walk.search, &walk.cycle) {
            let position = self.at(search.span);
            let what = "search sequence";
            same_name(what, &order.column, "cycle mark", &path.mark, position)?;
            same_name(what, &order.column, "cycle path", &path.path, position)?;
        }
        Ok(Some(walk))
    }

    fn order(&self, search: &Search, columns: &Columns) -> Result<Order> {
        let position = self.at(search.span);
        let by = places("search", &search.columns, columns, position)?;
        check_new("search sequence", &search.column, columns, position)?;
        Ok(Order {
            by,
            breadth_first: search.is_breadth_first,
            column: search.column.text.clone(),
        })
    }

    fn path(&mut self, cycle: &Cycle, columns: &Columns) -> Result<Path> {
        let Cycle {
            columns: of,
            mark,
            values,
            path,
            span,
        } = cycle;
        let position = self.at(*span);
        let of = places("cycle", of, columns, position)?;
        check_new("cycle mark", mark, columns, position)?;
        let (value, default) = self.cycle_mark(values.as_ref())?;
        check_comparable(value.logical_type(), false, 0)?;
        check_new("cycle path", path, columns, position)?;
        let (mark, path) = (mark.text.clone(), path.text.clone());
        same_name("cycle mark", &mark, "cycle path", &path, position)?;
        Ok(Path {
            of,
            mark,
            path,
            value,
            default,
        })
    }

    /// Adds what the recursive query that FROM reads has of hidden columns to a result.
    pub fn carry(&self, name: &str, names: &Scope, outputs: &mut Vec<Output>) -> Result<()> {
        let mut tables = names.tables.iter();
        let Some(table) = tables.find(|table| table.hidden > 0) else {
            let message = format!(
                "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"{name}\" \
                 must be at the top level of its right-hand SELECT"
            );
            return Err(match self.is_step_read(name) {
                true => Error::new(SqlState::FEATURE_NOT_SUPPORTED, message),
                false => self.not_recursive(),
            });
        };
        let columns = (table.first..).zip(&table.columns);
        for (index, (name, ty)) in columns.skip(table.columns.len() - table.hidden) {
            outputs.push(Output {
                expr: plan_column(index, *ty),
                name: name.clone(),
                uses: Vec::new(),
                untyped: false,
            });
        }
        Ok(())
    }

    /// The values behind TO and DEFAULT.
    fn cycle_mark(&mut self, written: Option<&(Ast, Ast)>) -> Result<(Expr, Expr)> {
        let Some((value, default)) = written else {
            let boolean = |value| literal(Value::Boolean(value), LogicalType::Boolean);
            return Ok((boolean(true), boolean(false)));
        };
        let names = Scope::default();
        let mut scope = ExprScope::plain(&names, "CYCLE");
        let operands = vec![
            self.expr(value, &mut scope)?,
            self.expr(default, &mut scope)?,
        ];
        let position = self.at(default.span);
        let (mut values, _) = self.unify(operands, "CYCLE", &[position])?;
        let default = values.pop().map(varve_expr::fold);
        let value = values.pop().map(varve_expr::fold);
        value
            .zip(default)
            .ok_or_else(|| Error::internal("a mark of CYCLE"))
    }

    /// A path with one more row.
    fn longer(&mut self, path: Expr, row: Expr) -> Result<Expr> {
        let operands = vec![Operand::Known(path), Operand::Known(row)];
        self.named("array_append", operands, 0)
    }

    /// The first part of the query, with the columns that the clauses add.
    pub fn walk_begin(&mut self, walk: &Walk, query: Query) -> Result<Query> {
        let mut exprs = walk.own();
        if let Some(search) = &walk.search {
            exprs.push(match search.breadth_first {
                true => walk.row(&search.by, Some(literal(Value::Int8(0), LogicalType::Int8)))?,
                false => array_of(walk.row(&search.by, None)?)?,
            });
        }
        if let Some(cycle) = &walk.cycle {
            exprs.push(cycle.default.clone());
            exprs.push(array_of(walk.row(&cycle.of, None)?)?);
        }
        let added = walk.added().into_iter();
        let mut fields = query.fields;
        fields.extend(added.map(|(name, ty)| Field { name, ty }));
        Ok(Query {
            plan: Plan::Project {
                input: Box::new(query.plan),
                exprs,
            },
            untyped: vec![false; fields.len()],
            fields,
        })
    }

    /// The recursive part, behind whose columns stand those that were added to the row before.
    pub fn walk_on(&mut self, walk: &Walk, plan: Plan) -> Result<Plan> {
        let mut exprs = walk.own();
        let mut condition = Vec::new();
        let width = exprs.len();
        let added = walk.added();
        let carried = |at: usize| {
            let ty = added.get(at).map_or(RECORD, |(_, ty)| *ty);
            plan_column(width + at, ty)
        };
        if let Some(search) = &walk.search {
            let before = carried(0);
            exprs.push(match search.breadth_first {
                true => {
                    let depth = form(
                        "\0field",
                        Some(LogicalType::Int8),
                        vec![
                            literal(Value::Null, LogicalType::Int8),
                            before,
                            literal(Value::Int4(0), LogicalType::Int4),
                        ],
                        0,
                    )?;
                    let one = literal(Value::Int8(1), LogicalType::Int8);
                    walk.row(
                        &search.by,
                        Some(self.operator(
                            "+",
                            vec![Operand::Known(depth), Operand::Known(one)],
                            0,
                        )?),
                    )?
                }
                false => self.longer(before, walk.row(&search.by, None)?)?,
            });
        }
        if let Some(cycle) = &walk.cycle {
            let first = usize::from(walk.search.is_some());
            let (mark, path) = (carried(first), carried(first + 1));
            condition.push(Expr::Compare {
                op: CompareOp::NotEq,
                left: Box::new(mark),
                right: Box::new(cycle.value.clone()),
            });
            let row = walk.row(&cycle.of, None)?;
            let operands = vec![Operand::Known(path.clone()), Operand::Known(row.clone())];
            let is_known = Expr::IsNull {
                input: Box::new(self.named("array_position", operands, 0)?),
                negated: true,
            };
            exprs.push(Expr::Case {
                branches: vec![(is_known, cycle.value.clone())],
                otherwise: Some(Box::new(cycle.default.clone())),
                ty: cycle.value.logical_type(),
            });
            exprs.push(self.longer(path, row)?);
        }
        Ok(Plan::Project {
            input: Box::new(filtered(plan, condition)),
            exprs,
        })
    }
}

impl Walk {
    /// The names and types of the columns that are added.
    pub fn added(&self) -> Columns {
        let records = RECORD.array().unwrap_or(RECORD);
        let mut added = Vec::new();
        if let Some(search) = &self.search {
            let ty = if search.breadth_first {
                RECORD
            } else {
                records
            };
            added.push((search.column.clone(), ty));
        }
        if let Some(cycle) = &self.cycle {
            added.push((cycle.mark.clone(), cycle.value.logical_type()));
            added.push((cycle.path.clone(), records));
        }
        added
    }

    /// The columns of the query itself.
    fn own(&self) -> Vec<Expr> {
        let columns = self.columns.iter().enumerate();
        columns.map(|(at, (_, ty))| plan_column(at, *ty)).collect()
    }

    /// A row of some of them.
    fn row(&self, places: &[usize], first: Option<Expr>) -> Result<Expr> {
        let columns = places.iter().filter_map(|place| {
            let (_, ty) = self.columns.get(*place)?;
            Some(plan_column(*place, *ty))
        });
        let fields = first.into_iter().chain(columns).collect();
        row_call(RowTypeId::RECORD, fields, false, 0)
    }
}

fn array_of(row: Expr) -> Result<Expr> {
    form("\0array", Some(RECORD), vec![row], 0)
}

/// The places of the columns that a clause names.
fn places(what: &str, names: &[Name], columns: &Columns, position: u32) -> Result<Vec<usize>> {
    let mut places = Vec::with_capacity(names.len());
    for Name { text: name, .. } in names {
        let refused = |state, why: &str| {
            let message = format!("{what} column \"{name}\" {why}");
            Err(located(Error::new(state, message), position))
        };
        let Some(place) = columns.iter().position(|(known, _)| known == name) else {
            let why = "not in WITH query column list";
            return refused(SqlState::UNDEFINED_COLUMN, why);
        };
        if places.contains(&place) {
            return refused(SqlState::DUPLICATE_COLUMN, "specified more than once");
        }
        places.push(place);
    }
    Ok(places)
}

/// Refuses to add a column whose name the query has already.
fn check_new(what: &str, name: &Name, columns: &Columns, position: u32) -> Result<()> {
    let name = &name.text;
    if !columns.iter().any(|(known, _)| known == name) {
        return Ok(());
    }
    let message = format!("{what} column name \"{name}\" already used in WITH query column list");
    let error = Error::new(SqlState::DUPLICATE_COLUMN, message);
    Err(located(error, position))
}

/// Whether a part of a query is a combination of queries itself.
fn is_combined(part: &QueryBody) -> bool {
    match part {
        QueryBody::Set(_) => true,
        QueryBody::Query(query) => is_combined(&query.body),
        _ => false,
    }
}

/// Two columns may not have one name.
fn same_name(what: &str, one: &str, other: &str, name: &str, position: u32) -> Result<()> {
    if one != name {
        return Ok(());
    }
    let message = format!("{what} column name and {other} column name are the same");
    let error = Error::new(SqlState::DUPLICATE_COLUMN, message);
    Err(located(error, position))
}
