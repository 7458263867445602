//! FROM: the relations, their names, and the conditions of joins.

pub mod children;
pub mod chunk;
pub mod continuous;
pub mod function_rows;
pub mod lock;
pub mod relation;
pub mod table_function;
pub mod values;
pub mod view;

use varve_ast::{
    Alias, Expr as Ast, FromItem, Join, JoinCondition, JoinKind as AstJoinKind, Relation,
    SubqueryRelation,
};
use varve_expr::Expr;
use varve_expr::walk::{conjunction, map_columns, split_conjunction, substitute};
use varve_lexer::too_deep;
use varve_plan::build::operand::Operand;
use varve_plan::build::routine::joined;
use varve_plan::build::subquery::{Captured, Subquery, attach_conditions, slot_values};
use varve_plan::optimize::push_down::one_row;
use varve_plan::optimize::taken;
use varve_plan::plan::{JoinKind, JoinNode, Plan, Query};
use varve_plan::scope::error::{located, refuse, unsupported_at};
use varve_plan::scope::locked_relation::LockedRelation;
use varve_plan::scope::tables::{Scope, UNNAMED};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::ctes::IN_OUTER_JOIN;
use crate::context::scope::ExprScope;

/// Most relations of a FROM clause: each is a level of the plan.
const RELATIONS_MAX: usize = 256;

/// A relation of FROM with the names that it gives; its columns are numbered from 0.
pub type Bound = (Plan, Scope);

/// The columns that a join by USING or NATURAL has of both sides.
#[derive(Default)]
struct Shared {
    /// Their names and values.
    merged: Vec<(String, Expr)>,
    /// The columns of the sides that stand behind them.
    hidden: Vec<usize>,
    /// What makes partners.
    conditions: Vec<Expr>,
}

/// How two relations are joined.
struct Joining<'a> {
    kind: JoinKind,
    /// What the right side reads of the left one.
    outer: Vec<(usize, Expr)>,
    /// USING or NATURAL.
    condition: &'a JoinCondition,
    on: Option<&'a Ast>,
    position: u32,
}

impl QueryBinder<'_> {
    /// A FROM clause; one row without columns where there is none.
    pub fn from(&mut self, items: &[FromItem]) -> Result<Bound> {
        let relations: usize = items.iter().map(|item| item.joins.len() + 1).sum();
        if relations > RELATIONS_MAX {
            return Err(located(too_deep(), self.first()));
        }
        let base = self.outer_depth();
        let mut whole: Option<Bound> = None;
        for item in items {
            whole = Some(match whole {
                None => self.joined_relations(item, base)?,
                Some(left) => {
                    let (right, captured) =
                        self.beside(&left.1, |binder| binder.joined_relations(item, base))?;
                    cross(left, right, slot_values(&captured))?
                }
            });
        }
        Ok(whole.unwrap_or_else(|| (one_row(), Scope::default())))
    }

    /// A relation with its joins.
    fn joined_relations(&mut self, item: &FromItem, base: usize) -> Result<Bound> {
        let FromItem { relation, joins } = item;
        // A recursive query may not be on a side that an outer join can leave without a row.
        let below = |at: usize| match joins.iter().skip(at).any(keeps_right) {
            true => IN_OUTER_JOIN,
            false => "",
        };
        let mut left = self.placed(below(0), |binder| binder.relation(relation, base))?;
        for (at, join) in joins.iter().enumerate() {
            let Join {
                kind,
                condition,
                relation,
            } = join;
            let (kind, place) = match kind {
                AstJoinKind::Inner | AstJoinKind::Cross => (JoinKind::Inner, below(at + 1)),
                AstJoinKind::Left => (JoinKind::Left, IN_OUTER_JOIN),
                AstJoinKind::Right => (JoinKind::Right, below(at + 1)),
                AstJoinKind::Full => (JoinKind::Full, IN_OUTER_JOIN),
            };
            let (right, captured) = self.placed(place, |binder| {
                binder.beside(&left.1, |binder| binder.relation(relation, base))
            })?;
            if let (JoinKind::Right | JoinKind::Full, Some(read)) = (kind, captured.first()) {
                return Err(lateral_of_outer(&left.1, read));
            }
            let outer = slot_values(&captured);
            let on = match condition {
                JoinCondition::On(condition) => Some(condition),
                _ => None,
            };
            let position = self.relation_position(relation);
            let by = Joining {
                kind,
                outer,
                condition,
                on,
                position,
            };
            left = self.join(left, right, by)?;
        }
        Ok(left)
    }

    /// Two relations joined by a condition.
    pub fn join_on(
        &mut self,
        kind: JoinKind,
        left: Bound,
        right: Bound,
        on: &Ast,
        position: u32,
    ) -> Result<Bound> {
        let by = Joining {
            kind,
            outer: Vec::new(),
            condition: &JoinCondition::None,
            on: Some(on),
            position,
        };
        self.join(left, right, by)
    }

    /// Two relations joined by USING or NATURAL, or by a condition.
    fn join(&mut self, left: Bound, right: Bound, by: Joining<'_>) -> Result<Bound> {
        let Joining {
            kind,
            outer,
            condition,
            on,
            position,
        } = by;
        let (left_plan, left_names) = left;
        let (right_plan, right_names) = right;
        if matches!(kind, JoinKind::Left | JoinKind::Full) {
            self.refuse_nullable(&right_names)?;
        }
        if matches!(kind, JoinKind::Right | JoinKind::Full) {
            self.refuse_nullable(&left_names)?;
        }
        let (left_width, right_width) = (left_plan.width(), right_plan.width());
        let right_names = right_names.shifted(left_width);
        let columns = self.shared_columns((&left_names, &right_names), condition, position)?;
        let mut shared = self.shared(kind, (&left_names, &right_names), columns)?;
        let mut names = left_names;
        names.append(right_names)?;
        let mut subqueries = Vec::new();
        if let Some(on) = on {
            let mut scope = ExprScope::with_subqueries(&names, "JOIN conditions");
            let operand = self.expr(on, &mut scope)?;
            let expr = self.condition(operand, "JOIN/ON", self.at(on.span))?;
            subqueries = scope.take_subqueries();
            split_conjunction(varve_expr::fold_condition(expr), &mut shared.conditions);
        }
        let conditions = core::mem::take(&mut shared.conditions);
        let mut node = JoinNode::new(kind, left_plan, right_plan);
        node.outer = outer;
        let plan = if subqueries.is_empty() {
            node.residual = conjunction(conditions);
            joined(node)
        } else {
            self.join_on_subqueries(node, conditions, subqueries, position)?
        };
        let alias = match condition {
            JoinCondition::Using { alias, .. } => alias.as_ref(),
            _ => None,
        };
        let alias = alias.map(|alias| alias.text.clone());
        let own = format!("{UNNAMED}merged{left_width}.{right_width}");
        merged((plan, names), shared, alias, own)
    }

    /// The columns of these names of both sides. They come first and once, as PostgreSQL orders
    /// them.
    fn shared(
        &mut self,
        kind: JoinKind,
        (left_names, right_names): (&Scope, &Scope),
        columns: Vec<(String, u32)>,
    ) -> Result<Shared> {
        let mut shared = Shared::default();
        for (name, position) in columns {
            let (left_index, left_type) = using_side(left_names, &name, "left", position)?;
            let (right_index, right_type) = using_side(right_names, &name, "right", position)?;
            let left = Expr::Column {
                index: left_index,
                ty: left_type,
            };
            let right = Expr::Column {
                index: right_index,
                ty: right_type,
            };
            let sides = [left.clone(), right.clone()].map(Operand::Known);
            let [one, other] = sides.clone();
            shared
                .conditions
                .push(self.comparison(CompareOp::Eq, one, other, 0)?);
            let value = match kind {
                _ if left_type != right_type || kind == JoinKind::Full => {
                    let (mut args, ty) = self.unify(sides.into(), "JOIN/USING", &[position])?;
                    match kind {
                        JoinKind::Full => Expr::Coalesce { args, ty },
                        JoinKind::Right => args.pop().unwrap_or(Expr::Coalesce { args, ty }),
                        _ => args.remove(0),
                    }
                }
                JoinKind::Right => right,
                _ => left,
            };
            shared.merged.push((name, value));
            shared.hidden.extend([left_index, right_index]);
        }
        Ok(shared)
    }

    /// The names of the columns of USING or NATURAL, and where they stand.
    fn shared_columns(
        &self,
        (left, right): (&Scope, &Scope),
        condition: &JoinCondition,
        position: u32,
    ) -> Result<Vec<(String, u32)>> {
        match condition {
            JoinCondition::None | JoinCondition::On(_) => Ok(Vec::new()),
            JoinCondition::Using { columns, alias: _ } => {
                let mut shared: Vec<(String, u32)> = Vec::with_capacity(columns.len());
                for column in columns {
                    let name = &column.text;
                    if shared.iter().any(|(known, _)| known == name) {
                        let message = format!(
                            "column name \"{name}\" appears more than once in USING clause"
                        );
                        return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
                    }
                    shared.push((name.clone(), self.at(column.span)));
                }
                Ok(shared)
            }
            JoinCondition::Natural => Ok(left
                .star
                .iter()
                .filter_map(|index| left.column(*index))
                .filter(|(_, name, _)| !matches!(right.find_unqualified(name, 0), Ok(None)))
                .map(|(_, name, _)| (name.to_owned(), position))
                .collect()),
        }
    }

    /// A join whose condition uses subqueries.
    fn join_on_subqueries(
        &mut self,
        node: JoinNode,
        conditions: Vec<Expr>,
        subqueries: Vec<Subquery>,
        position: u32,
    ) -> Result<Plan> {
        match node.kind {
            JoinKind::Inner => attach_conditions(Plan::Join(node), conditions, &subqueries),
            JoinKind::Left => self.left_on_subqueries(node, conditions, subqueries),
            JoinKind::Right => self.right_on_subqueries(node, conditions, subqueries),
            _ => {
                let what = "a subquery in the condition of a FULL JOIN";
                Err(unsupported_at(what, position))
            }
        }
    }

    /// A right join as the left join from the other side.
    fn right_on_subqueries(
        &mut self,
        mut node: JoinNode,
        mut conditions: Vec<Expr>,
        mut subqueries: Vec<Subquery>,
    ) -> Result<Plan> {
        let left_width = node.left.width();
        let right_width = node.right.width();
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
        let plan = self.left_on_subqueries(node, conditions, subqueries)?;
        let types = plan.types();
        let places = (right_width..right_width + left_width).chain(0..right_width);
        let exprs = places.filter_map(|index| {
            let ty = *types.get(index)?;
            Some(Expr::Column { index, ty })
        });
        let exprs = exprs.collect();
        Ok(Plan::Project {
            input: Box::new(plan),
            exprs,
        })
    }

    /// A left join whose subqueries are asked for each pair: the side that may be missing is
    /// filtered, with the columns of the other as outer values.
    fn left_on_subqueries(
        &mut self,
        mut node: JoinNode,
        mut conditions: Vec<Expr>,
        mut subqueries: Vec<Subquery>,
    ) -> Result<Plan> {
        let left_width = node.left.width();
        let slots: Vec<usize> = (0..left_width).map(|_| self.new_slot()).collect();
        let types = node.left.types();
        let to_right = |expr: &mut Expr| {
            substitute(expr, &|part| match part {
                Expr::Column { index, ty } => Some(match slots.get(*index) {
                    Some(slot) => Expr::Outer {
                        slot: *slot,
                        ty: *ty,
                    },
                    None => Expr::Column {
                        index: index - left_width,
                        ty: *ty,
                    },
                }),
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

    /// Where a relation stands: its alias if it has one, 0 of a query without one.
    pub fn relation_position(&self, relation: &Relation) -> u32 {
        let (alias, own) = match relation {
            Relation::Table(table) => (&table.alias, self.at(table.name.span())),
            Relation::Function(function) => (&function.alias, self.at(function.span)),
            Relation::Subquery(subquery) => (&subquery.alias, 0),
            Relation::Joined { item, .. } => return self.relation_position(&item.relation),
        };
        alias.as_ref().map_or(own, |alias| self.at(alias.name.span))
    }

    /// One relation; `base` is where the levels of its FROM clause start.
    pub fn relation(&mut self, relation: &Relation, base: usize) -> Result<Bound> {
        match relation {
            Relation::Table(table) => {
                let alias = table.alias.as_ref();
                let only = table.only.is_some();
                let (plan, names) = self.named_relation(&table.name, alias, only)?;
                match &table.sample {
                    None => Ok((plan, names)),
                    Some(sample) => {
                        let position = self.relation_position(relation);
                        Ok((self.sampled(plan, sample, position)?, names))
                    }
                }
            }
            Relation::Function(function) => {
                let bound = self.table_function(function, base)?;
                self.refuse_row_lock(&bound.1, "a function")?;
                Ok(bound)
            }
            Relation::Subquery(subquery) => self.derived(subquery, base),
            Relation::Joined { item, alias: None } => self.joined_relations(item, base),
            Relation::Joined {
                item,
                alias: Some(alias),
            } => self.aliased_join(item, alias, base),
        }
    }

    /// A query in parentheses.
    fn derived(&mut self, relation: &SubqueryRelation, base: usize) -> Result<Bound> {
        let SubqueryRelation {
            is_lateral,
            query,
            alias,
        } = relation;
        let alias = alias.as_ref();
        let row_lock = self.row_lock_of(alias.map_or("", |alias| &alias.name.text));
        let query = match is_lateral {
            true => self.lateral(base, |binder| binder.locked_query(query, row_lock))?,
            false => self.locked_query(query, row_lock)?,
        };
        let Query { plan, fields, .. } = query;
        let columns = fields.into_iter().map(|field| (field.name, field.ty));
        self.unnamed += 1;
        let name = format!("{UNNAMED}{}", self.unnamed);
        let (plan, mut names) = self.named_plan(plan, name, columns.collect(), alias)?;
        for table in &mut names.tables {
            table.locked = row_lock.map(LockedRelation::below);
        }
        Ok((plan, names))
    }

    /// Joins in parentheses with an alias: one relation of their columns.
    fn aliased_join(&mut self, item: &FromItem, alias: &Alias, base: usize) -> Result<Bound> {
        let (plan, names) = self.joined_relations(item, base)?;
        let mut tables = names.tables.iter();
        let is_locked = tables.any(|table| table.locked.is_some());
        let position = self.relation_position(&item.relation);
        refuse(is_locked, "FOR UPDATE of a join with an alias", position)?;
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
        let bound = self.named_plan(plan, String::new(), columns, Some(alias))?;
        self.refuse_row_lock(&bound.1, "a join")?;
        Ok(bound)
    }
}

/// Whether a join keeps the rows of its right side that meet none.
fn keeps_right(join: &Join) -> bool {
    matches!(join.kind, AstJoinKind::Right | AstJoinKind::Full)
}

/// The error about a relation that reads those before it, where it has rows without them.
fn lateral_of_outer(left: &Scope, read: &Captured) -> Error {
    let table = match read.value {
        Expr::Column { index, .. } => left.column(index),
        _ => None,
    };
    let name = table.map_or("", |(table, ..)| table.name.as_str());
    let message = format!("invalid reference to FROM-clause entry for table \"{name}\"");
    let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
    let detail = "The combining JOIN type must be INNER or LEFT for a LATERAL reference.";
    located(error, read.position).with_detail(detail)
}

/// A join with the columns that both sides share before all others, under the name of their alias
/// or under `own`.
fn merged(
    (plan, mut names): Bound,
    shared: Shared,
    alias: Option<String>,
    own: String,
) -> Result<Bound> {
    names.star.retain(|index| !shared.hidden.contains(index));
    let mut star = Vec::with_capacity(shared.merged.len() + names.star.len());
    let mut computed = Vec::new();
    let width = plan.width();
    for (name, value) in shared.merged {
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
    if computed.is_empty() {
        return Ok((plan, names));
    }
    let types = plan.types().into_iter().enumerate();
    let mut exprs: Vec<Expr> = types
        .map(|(index, ty)| Expr::Column { index, ty })
        .collect();
    let columns = computed.iter();
    let columns = columns.map(|(name, value)| (name.clone(), value.logical_type()));
    names.append(Scope {
        star: Vec::new(),
        ..Scope::table(alias.unwrap_or(own), width, columns.collect())
    })?;
    exprs.extend(computed.into_iter().map(|(_, value)| value));
    let plan = Plan::Project {
        input: Box::new(plan),
        exprs,
    };
    Ok((plan, names))
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
