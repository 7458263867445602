//! FROM: the relations, their names, and the conditions of joins.

use sqlparser::ast::{
    Expr as Ast, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, TableFactor,
    TableFunctionArgs, TableWithJoins,
};
use varve_expr::Expr;
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::bind::cte::IN_OUTER_JOIN;
use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::bind::lock::Claimed;
use crate::bind::names::fold_name;
use crate::bind::outer::slot_values;
use crate::bind::placeholder::{Place, place};
use crate::bind::relation::is_only;
use crate::bind::routine_call::joined;
use crate::bind::subquery::{Subquery, attach_conditions};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::optimize::taken;
use crate::plan::{JoinKind, JoinNode, Plan, Query};
use crate::push_down::one_row;
use crate::scope::{Scope, UNNAMED};
use crate::walk::{conjunction, map_columns, split_conjunction, substitute};
use varve_parser::marker::USING_ALIAS;

/// Most relations of a FROM clause: each is a level of the plan.
const RELATIONS_MAX: usize = 256;

/// A relation of FROM with the names that it gives; its columns are numbered from 0.
pub(crate) type Bound = (Plan, Scope);

impl Binder<'_> {
    /// A FROM clause; one row without columns where there is none.
    pub(crate) fn from(&mut self, tables: &[TableWithJoins]) -> Result<Bound> {
        let relations: usize = tables.iter().map(|table| table.joins.len() + 1).sum();
        if relations > RELATIONS_MAX {
            return Err(located(crate::parse::too_deep(), self.source.first()));
        }
        let base = self.outer_depth();
        let mut whole: Option<Bound> = None;
        for table in tables {
            whole = Some(match whole {
                None => self.table_with_joins(table, base)?,
                Some(left) => {
                    let (right, captured) =
                        self.beside(&left.1, |binder| binder.table_with_joins(table, base))?;
                    cross(left, right, slot_values(&captured))?
                }
            });
        }
        Ok(whole.unwrap_or_else(|| (one_row(), Scope::default())))
    }

    fn table_with_joins(&mut self, table: &TableWithJoins, base: usize) -> Result<Bound> {
        let TableWithJoins { relation, joins } = table;
        // A recursive query may not be on a side that an outer join can leave without a row.
        let below = |at: usize| match joins.iter().skip(at).any(keeps_right) {
            true => IN_OUTER_JOIN,
            false => "",
        };
        let mut left = self.placed(below(0), |binder| binder.factor(relation, base))?;
        for (at, join) in joins.iter().enumerate() {
            let Join {
                relation,
                global,
                join_operator,
            } = join;
            let position = self.factor_position(relation);
            refuse(*global, "GLOBAL JOIN", position)?;
            let (kind, constraint) = match join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::CrossJoin(constraint) => (JoinKind::Inner, constraint),
                JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                    (JoinKind::Left, constraint)
                }
                JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                    (JoinKind::Right, constraint)
                }
                JoinOperator::FullOuter(constraint) => (JoinKind::Full, constraint),
                _ => return Err(unsupported_at("this kind of join", position)),
            };
            let place = match kind {
                JoinKind::Left | JoinKind::Full => IN_OUTER_JOIN,
                _ => below(at + 1),
            };
            let (right, captured) = self.placed(place, |binder| {
                binder.beside(&left.1, |binder| binder.factor(relation, base))
            })?;
            if let (JoinKind::Right | JoinKind::Full, Some(read)) = (kind, captured.first()) {
                let read_table = left.1.column(read.index);
                let name = read_table.map_or("", |(table, ..)| table.name.as_str());
                let message =
                    format!("invalid reference to FROM-clause entry for table \"{name}\"");
                let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
                let detail = "The combining JOIN type must be INNER or LEFT for a LATERAL \
                              reference.";
                return Err(located(error, read.position).with_detail(detail));
            }
            let outer = slot_values(&captured);
            let on = match constraint {
                JoinConstraint::On(condition) => Some(condition),
                _ => None,
            };
            left = self.join(kind, left, right, outer, (constraint, on), position)?;
        }
        Ok(left)
    }

    /// Two relations joined by USING or NATURAL, or by a condition.
    pub(crate) fn join(
        &mut self,
        kind: JoinKind,
        left: Bound,
        right: Bound,
        outer: Vec<(usize, Expr)>,
        (constraint, on): (&JoinConstraint, Option<&Ast>),
        position: u32,
    ) -> Result<Bound> {
        let (left_plan, left_names) = left;
        let (right_plan, right_names) = right;
        if matches!(kind, JoinKind::Left | JoinKind::Full) {
            self.refuse_nullable(&right_names)?;
        }
        if matches!(kind, JoinKind::Right | JoinKind::Full) {
            self.refuse_nullable(&left_names)?;
        }
        let left_width = left_plan.width();
        let right_names = right_names.shifted(left_width);
        let shared = self.shared_columns(&left_names, &right_names, constraint, position)?;
        let mut conditions = Vec::new();
        // Shared columns come first and once, as PostgreSQL orders them.
        let (mut merged, mut hidden) = (Vec::new(), Vec::new());
        for (name, position) in shared {
            let (left_index, left_type) = using_side(&left_names, &name, "left", position)?;
            let (right_index, right_type) = using_side(&right_names, &name, "right", position)?;
            let column = |index, ty| Operand::Known(Expr::Column { index, ty });
            let (left, right) = (
                column(left_index, left_type),
                column(right_index, right_type),
            );
            conditions.push(self.comparison(CompareOp::Eq, left.clone(), right.clone(), 0)?);
            let value = match kind {
                _ if left_type != right_type || kind == JoinKind::Full => {
                    let (mut args, ty) =
                        self.unify(vec![left, right], "JOIN/USING", &[position])?;
                    match kind {
                        JoinKind::Full => Expr::Coalesce { args, ty },
                        JoinKind::Right => args.pop().unwrap_or(Expr::Coalesce { args, ty }),
                        _ => args.remove(0),
                    }
                }
                JoinKind::Right => Expr::Column {
                    index: right_index,
                    ty: right_type,
                },
                _ => Expr::Column {
                    index: left_index,
                    ty: left_type,
                },
            };
            merged.push((name, value));
            hidden.extend([left_index, right_index]);
        }
        let right_width = right_plan.width();
        let mut names = left_names;
        names.append(right_names)?;
        let mut subqueries = Vec::new();
        if let Some(condition) = on {
            let mut scope = ExprScope::with_subqueries(&names, "JOIN conditions");
            let operand = self.expr(condition, &mut scope)?;
            let position = self.source.expr(condition);
            let expr = self.condition(operand, "JOIN/ON", position)?;
            subqueries = scope.take_subqueries();
            split_conjunction(varve_expr::fold_condition(expr), &mut conditions);
        }
        let mut node = JoinNode::new(kind, left_plan, right_plan);
        node.outer = outer;
        let mut plan = if subqueries.is_empty() {
            node.residual = conjunction(conditions);
            joined(node)
        } else {
            self.join_on_subqueries(node, conditions, subqueries, position)?
        };
        names.star.retain(|index| !hidden.contains(index));
        let mut star = Vec::with_capacity(merged.len());
        let mut computed = Vec::new();
        let width = plan.width();
        let alias = using_alias(constraint);
        for (name, value) in merged {
            star.push(match value {
                // The columns of an alias stand side by side.
                Expr::Column { index, .. } if alias.is_none() => index,
                value => {
                    computed.push((name, value));
                    width + computed.len() - 1
                }
            });
        }
        star.append(&mut names.star);
        names.star = star;
        if !computed.is_empty() {
            let types = plan.types().into_iter().enumerate();
            let mut exprs: Vec<Expr> = types
                .map(|(index, ty)| Expr::Column { index, ty })
                .collect();
            let columns = computed.iter();
            let columns = columns.map(|(name, value)| (name.clone(), value.logical_type()));
            let name =
                alias.unwrap_or_else(|| format!("{UNNAMED}merged{left_width}.{right_width}"));
            names.append(Scope {
                star: Vec::new(),
                ..Scope::table(name, width, columns.collect())
            })?;
            exprs.extend(computed.into_iter().map(|(_, value)| value));
            plan = Plan::Project {
                input: Box::new(plan),
                exprs,
            };
        }
        Ok((plan, names))
    }

    /// The names of the columns of USING or NATURAL.
    fn shared_columns(
        &self,
        left: &Scope,
        right: &Scope,
        constraint: &JoinConstraint,
        position: u32,
    ) -> Result<Vec<(String, u32)>> {
        match constraint {
            JoinConstraint::None | JoinConstraint::On(_) => Ok(Vec::new()),
            JoinConstraint::Using(columns) => {
                let mut shared: Vec<(String, u32)> = Vec::with_capacity(columns.len());
                for column in columns.iter().filter(|column| column.0.len() == 1) {
                    let (name, position) = self.using_column(column)?;
                    if shared.iter().any(|(known, _)| *known == name) {
                        let message = format!(
                            "column name \"{name}\" appears more than once in USING clause"
                        );
                        return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
                    }
                    shared.push((name, position));
                }
                Ok(shared)
            }
            JoinConstraint::Natural => Ok(left
                .star
                .iter()
                .filter_map(|index| left.column(*index))
                .filter(|(_, name, _)| !matches!(right.find_unqualified(name, 0), Ok(None)))
                .map(|(_, name, _)| (name.to_owned(), position))
                .collect()),
        }
    }

    /// A join whose condition uses subqueries. Of an outer join they are asked for each pair: the
    /// side that may be missing is filtered, with the columns of the other as outer values.
    fn join_on_subqueries(
        &mut self,
        mut node: JoinNode,
        mut conditions: Vec<Expr>,
        mut subqueries: Vec<Subquery>,
        position: u32,
    ) -> Result<Plan> {
        let left_width = node.left.width();
        let right_width = node.right.width();
        match node.kind {
            JoinKind::Inner => {
                return attach_conditions(Plan::Join(node), conditions, &subqueries);
            }
            JoinKind::Left => {}
            JoinKind::Right => {
                // The same join from the other side.
                core::mem::swap(&mut node.left, &mut node.right);
                node.kind = JoinKind::Left;
                let swap = |column: usize| match column {
                    column if column < left_width => column + right_width,
                    column if column < left_width + right_width => column - left_width,
                    column => column,
                };
                for condition in &mut conditions {
                    map_columns(condition, &swap);
                }
                for subquery in &mut subqueries {
                    subquery.for_each_expr_mut(&mut |expr| {
                        map_columns(expr, &swap);
                        Ok(())
                    })?;
                }
                let plan = self.join_on_subqueries(node, conditions, subqueries, position)?;
                let types = plan.types();
                let places = (right_width..right_width + left_width).chain(0..right_width);
                let exprs = places.filter_map(|index| {
                    let ty = *types.get(index)?;
                    Some(Expr::Column { index, ty })
                });
                let exprs = exprs.collect();
                return Ok(Plan::Project {
                    input: Box::new(plan),
                    exprs,
                });
            }
            _ => {
                return Err(unsupported_at(
                    "a subquery in the condition of a FULL JOIN",
                    position,
                ));
            }
        }
        let slots: Vec<usize> = (0..left_width).map(|_| self.new_slot()).collect();
        let types = node.left.types();
        let to_right = |expr: &mut Expr| {
            substitute(expr, &|part| match part {
                Expr::Column { index, ty } if place(*index) == Place::Column => {
                    Some(match slots.get(*index) {
                        Some(slot) => Expr::Outer {
                            slot: *slot,
                            ty: *ty,
                        },
                        None => Expr::Column {
                            index: index - left_width,
                            ty: *ty,
                        },
                    })
                }
                _ => None,
            });
        };
        conditions.iter_mut().for_each(to_right);
        for subquery in &mut subqueries {
            subquery.for_each_expr_mut(&mut |expr| {
                to_right(expr);
                Ok(())
            })?;
        }
        let columns = node.right.types().into_iter().enumerate();
        let exprs = columns
            .map(|(index, ty)| Expr::Column { index, ty })
            .collect();
        let right = attach_conditions(taken(&mut node.right), conditions, &subqueries)?;
        *node.right = Plan::Project {
            input: Box::new(right),
            exprs,
        };
        let used = slots.iter().zip(types).enumerate();
        let used = used.filter(|(_, (slot, _))| node.right.reads_outer(&[**slot]));
        let outer: Vec<(usize, Expr)> = used
            .map(|(index, (slot, ty))| (*slot, Expr::Column { index, ty }))
            .collect();
        node.outer.extend(outer);
        Ok(Plan::Join(node))
    }

    fn using_column(&self, name: &ObjectName) -> Result<(String, u32)> {
        match name.0.as_slice() {
            [ObjectNamePart::Identifier(ident)] => Ok((fold_name(ident), self.source.ident(ident))),
            _ => Err(unsupported_at(
                "a qualified name in USING",
                self.source.name(name),
            )),
        }
    }

    /// Where a relation stands, 0 when it has no name of its own.
    pub(crate) fn factor_position(&self, factor: &TableFactor) -> u32 {
        match factor {
            TableFactor::Table { name, alias, .. } => match alias {
                Some(alias) => self.source.ident(&alias.name),
                None => self.source.name(name),
            },
            TableFactor::Derived { alias, .. } => alias
                .as_ref()
                .map_or(0, |alias| self.source.ident(&alias.name)),
            TableFactor::Function { name, .. } => self.source.name(name),
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.factor_position(&table_with_joins.relation),
            _ => 0,
        }
    }

    /// One relation; `base` is where the levels of its FROM clause start.
    pub(crate) fn factor(&mut self, factor: &TableFactor, base: usize) -> Result<Bound> {
        let position = self.factor_position(factor);
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                refuse(!with_hints.is_empty(), "a table hint", position)?;
                refuse(version.is_some(), "a table version", position)?;
                refuse(json_path.is_some(), "a JSON path", position)?;
                refuse(!index_hints.is_empty(), "an index hint", position)?;
                if let Some(TableFunctionArgs { args, settings }) = args {
                    refuse(settings.is_some(), "SETTINGS", position)?;
                    refuse(sample.is_some(), "TABLESAMPLE of a function", position)?;
                    let alias = alias.as_ref();
                    let bound = self.table_function(name, args, *with_ordinality, alias, base)?;
                    self.refuse_claim(&bound.1, "a function")?;
                    return Ok(bound);
                }
                refuse(*with_ordinality, "WITH ORDINALITY", position)?;
                let (plan, names) =
                    self.named_relation(name, alias.as_ref(), is_only(partitions))?;
                match sample {
                    None => Ok((plan, names)),
                    Some(sample) => Ok((self.sampled(plan, sample, position)?, names)),
                }
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                refuse(sample.is_some(), "TABLESAMPLE", position)?;
                let claim = self.claim_of(
                    &alias
                        .as_ref()
                        .map_or_else(String::new, |alias| fold_name(&alias.name)),
                );
                self.claim_below = claim;
                let query = if *lateral {
                    self.lateral(base, |binder| binder.query(subquery, None))?
                } else {
                    self.query(subquery, None)?
                };
                let Query { plan, fields, .. } = query;
                let columns = fields.into_iter().map(|field| (field.name, field.ty));
                self.unnamed += 1;
                let name = format!("{UNNAMED}{}", self.unnamed);
                let (plan, mut names) =
                    self.named_plan(plan, name, columns.collect(), alias.as_ref())?;
                for table in &mut names.tables {
                    table.claimed = claim.map(Claimed::below);
                }
                Ok((plan, names))
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                let (plan, names) = self.table_with_joins(table_with_joins, base)?;
                if alias.is_none() {
                    return Ok((plan, names));
                }
                let mut tables = names.tables.iter();
                let is_claimed = tables.any(|table| table.claimed.is_some());
                refuse(is_claimed, "FOR UPDATE of a join with an alias", position)?;
                let star = names.star.iter();
                let (exprs, columns) = star
                    .filter_map(|index| {
                        let (_, name, ty) = names.column(*index)?;
                        Some((Expr::Column { index: *index, ty }, (name.to_owned(), ty)))
                    })
                    .unzip();
                let plan = Plan::Project {
                    input: Box::new(plan),
                    exprs,
                };
                let bound = self.named_plan(plan, String::new(), columns, alias.as_ref())?;
                self.refuse_claim(&bound.1, "a join")?;
                Ok(bound)
            }
            TableFactor::Function {
                lateral: _,
                name,
                args,
                with_ordinality,
                alias,
            } => {
                let alias = alias.as_ref();
                let bound = self.table_function(name, args, *with_ordinality, alias, base)?;
                self.refuse_claim(&bound.1, "a function")?;
                Ok(bound)
            }
            TableFactor::TableFunction { expr, alias } => {
                self.table_value(expr, alias.as_ref(), base)
            }
            _ => Err(unsupported_at("this kind of relation in FROM", position)),
        }
    }
}

/// Whether a join keeps the rows of its right side that meet none.
fn keeps_right(join: &Join) -> bool {
    matches!(
        join.join_operator,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_)
    )
}

/// All pairs of rows.
fn cross(left: Bound, right: Bound, outer: Vec<(usize, Expr)>) -> Result<Bound> {
    let (left_plan, mut names) = left;
    let (right_plan, right_names) = right;
    names.append(right_names.shifted(left_plan.width()))?;
    let mut node = JoinNode::new(JoinKind::Inner, left_plan, right_plan);
    node.outer = outer;
    Ok((joined(node), names))
}

fn using_side(
    scope: &Scope,
    name: &str,
    side: &str,
    position: u32,
) -> Result<(usize, LogicalType)> {
    let index = scope.find_unqualified(name, position)?;
    let column = index.and_then(|index| Some((index, scope.column(index)?.2)));
    column.ok_or_else(|| {
        let message =
            format!("column \"{name}\" specified in USING clause does not exist in {side} table");
        Error::new(SqlState::UNDEFINED_COLUMN, message)
    })
}

/// The name of `JOIN ... USING (...) AS name`.
fn using_alias(constraint: &JoinConstraint) -> Option<String> {
    let JoinConstraint::Using(columns) = constraint else {
        return None;
    };
    match columns.last()?.0.as_slice() {
        [
            ObjectNamePart::Identifier(marker),
            ObjectNamePart::Identifier(alias),
        ] if marker.value == USING_ALIAS => Some(fold_name(alias)),
        _ => None,
    }
}
