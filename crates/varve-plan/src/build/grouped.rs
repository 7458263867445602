//! The groups of a SELECT, and what is computed over them.

use varve_expr::walk::{fill_placeholders, same_meaning, split_conjunction};
use varve_expr::{Expr, Placeholder};
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::build::aggregate::{over_groups, over_groups_of};
use crate::build::operand::literal;
use crate::build::output::SortTarget;
use crate::build::stage::{Above, Distinctness, Grouping, Stage};
use crate::build::subquery::{Subquery, attach, attach_conditions, used_subqueries};
use crate::plan::{AggregateCall, CteScanNode, Plan, WithNode};
use crate::scope::error::located;
use crate::scope::tables::Scope;

/// The groups of a stage; what stands in the result and the order is computed over them.
pub fn grouped(
    stage: Stage,
    mut grouping: Grouping,
    names: &Scope,
    above: &mut Above<'_>,
) -> Result<Stage> {
    let Stage {
        plan,
        mut subqueries,
    } = stage;
    let before = subqueries.clone();
    add_dependents(&mut grouping, names, above);
    let mut over = OverGroups {
        groups: &grouping.groups,
        grouping_columns: grouping.groups.len() + grouping.aggregates.len(),
        names,
        used: Vec::new(),
        uses: Vec::new(),
    };
    over.all(above, &mut grouping.having)?;
    over.subqueries(&mut subqueries)?;
    check_direct_arguments(&grouping, names)?;
    let Grouping {
        mut groups,
        sets,
        mut aggregates,
        groupings,
        having,
        cte_id,
        gapfill,
    } = grouping;
    let bits = grouping_bits(&groups, &sets, &groupings)?;
    let mut exprs: Vec<&mut Expr> = groups.iter_mut().collect();
    for call in &mut aggregates {
        exprs.extend(call.exprs_mut());
    }
    let input = attach(plan, &before, &mut exprs)?;
    let is_plain = match sets.as_slice() {
        [] => true,
        [set] => set.len() == groups.len(),
        _ => false,
    };
    if gapfill.is_some() && !is_plain {
        return Err(Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            "time_bucket_gapfill is not supported with grouping sets",
        ));
    }
    let group_count = groups.len();
    let mut plan = if is_plain {
        let plan = Plan::Aggregate {
            input: Box::new(input),
            groups,
            aggregates,
        };
        with_bits(plan, bits.first().map_or(&[], Vec::as_slice))
    } else {
        grouping_sets(input, &groups, &sets, &aggregates, &bits, cte_id)
    };
    if let Some((having, _)) = having {
        let mut conditions = Vec::new();
        split_conjunction(having, &mut conditions);
        plan = attach_conditions(plan, conditions, &subqueries)?;
    }
    if let Some(gapfill) = gapfill {
        plan = gapfill.fill(plan, group_count, above)?;
    }
    Ok(Stage { plan, subqueries })
}

/// Adds to the only set of groups the columns that depend on its groups, as far as they are used.
fn add_dependents(grouping: &mut Grouping, names: &Scope, above: &Above<'_>) {
    let Grouping {
        groups,
        sets,
        having,
        ..
    } = grouping;
    let [set] = sets.as_mut_slice() else {
        return;
    };
    let key_uses = having.iter().map(|(_, uses)| uses.as_slice());
    let uses = above.outputs.iter().map(|output| output.uses.as_slice());
    let keys = above.keys.iter().map(|key| match &key.target {
        SortTarget::Expr { uses, .. } => uses.as_slice(),
        SortTarget::Output(_) => &[],
    });
    for (column, _) in uses.chain(keys).chain(key_uses).flatten() {
        let known = |group: &Expr| matches!(group, Expr::Column { index, .. } if index == column);
        if !groups.iter().any(known)
            && let Some(dependent) = dependent_column(*column, groups, names)
        {
            set.push(groups.len());
            groups.push(dependent);
        }
    }
}

/// Rewrites what is computed over groups.
struct OverGroups<'a> {
    groups: &'a [Expr],
    /// The column of the first `grouping()`.
    grouping_columns: usize,
    names: &'a Scope,
    /// The subqueries that are read.
    used: Vec<usize>,
    /// The columns that are used outside aggregates, with their positions.
    uses: Vec<(usize, u32)>,
}

impl OverGroups<'_> {
    fn one(&mut self, expr: &mut Expr, uses: &[(usize, u32)]) -> Result<()> {
        over_groups(expr, self.groups, self.names, uses)?;
        self.used.extend(used_subqueries(expr));
        fill_placeholders(expr, &|part| match part {
            Placeholder::Grouping(at) => Some(self.grouping_columns + at),
            _ => None,
        });
        Ok(())
    }

    /// What stands in the result and the order, and HAVING.
    fn all(
        &mut self,
        above: &mut Above<'_>,
        having: &mut Option<(Expr, Vec<(usize, u32)>)>,
    ) -> Result<()> {
        for output in above.outputs.iter_mut() {
            self.one(&mut output.expr, &output.uses)?;
            self.uses.extend_from_slice(&output.uses);
        }
        let on = match &mut above.distinct {
            Distinctness::On(on) => on.as_mut_slice(),
            _ => &mut [],
        };
        let keys = above.keys.iter_mut().map(|key| &mut key.target);
        for target in keys.chain(on.iter_mut().map(|(target, _)| target)) {
            if let SortTarget::Expr { expr, uses } = target {
                self.one(expr, uses)?;
                self.uses.extend_from_slice(uses);
            }
        }
        if let Some((having, uses)) = having {
            self.one(having, uses)?;
            self.uses.extend_from_slice(uses);
        }
        let uses = self.uses.clone();
        for window in above.windows.iter_mut() {
            window.for_each_expr_mut(&mut |expr| self.one(expr, &uses))?;
        }
        for call in above.sets.iter_mut().flatten() {
            let mut args = call.args.iter_mut();
            args.try_for_each(|expr| self.one(expr, &uses))?;
        }
        Ok(())
    }

    /// Subqueries above the groups read these; those of the groups themselves read the rows.
    fn subqueries(&mut self, subqueries: &mut [Subquery]) -> Result<()> {
        let mut next = 0;
        while let Some(number) = self.used.get(next).copied() {
            next += 1;
            if let Some(subquery) = subqueries.get_mut(number)
                && self.used.iter().position(|known| *known == number) == Some(next - 1)
            {
                let mut inner = Vec::new();
                subquery.for_each_read_mut(&mut |expr, uses| {
                    inner.extend(used_subqueries(expr));
                    over_groups_of(expr, self.groups, self.names, uses, true)
                })?;
                subquery.for_each_left_mut(&mut |expr| {
                    inner.extend(used_subqueries(expr));
                    over_groups(expr, self.groups, self.names, &self.uses)
                })?;
                self.used.extend(inner);
            }
        }
        Ok(())
    }
}

/// Refuses direct arguments of ordered-set aggregates that read columns of rows.
fn check_direct_arguments(grouping: &Grouping, names: &Scope) -> Result<()> {
    for call in &grouping.aggregates {
        let direct = call.function.direct_arguments().unwrap_or(0);
        for arg in call.args.iter().take(direct.min(call.order.len())) {
            over_groups(&mut arg.clone(), &grouping.groups, names, &[]).map_err(|error| {
                located(error, call.position).with_detail(
                    "Direct arguments of an ordered-set aggregate must use only grouped columns.",
                )
            })?;
        }
    }
    Ok(())
}

/// A column of a table whose primary key is grouped by: all rows of a group have one value of it.
fn dependent_column(column: usize, groups: &[Expr], names: &Scope) -> Option<Expr> {
    let (table, _, ty) = names.column(column)?;
    let is_grouped = |at: &usize| {
        let key = table.first + at;
        groups
            .iter()
            .any(|group| matches!(group, Expr::Column { index, .. } if *index == key))
    };
    let depends = !table.key.is_empty() && table.key.iter().all(is_grouped);
    depends.then_some(Expr::Column { index: column, ty })
}

/// What each `grouping()` is for each grouping set.
fn grouping_bits(
    groups: &[Expr],
    sets: &[Vec<usize>],
    groupings: &[(Vec<Expr>, u32)],
) -> Result<Vec<Vec<i32>>> {
    let none = [Vec::new()];
    let sets = if sets.is_empty() { &none } else { sets };
    let mut bits = Vec::with_capacity(sets.len());
    for set in sets {
        let mut row = Vec::with_capacity(groupings.len());
        for (args, position) in groupings {
            let mut number = 0;
            for arg in args {
                let group = groups.iter().position(|group| same_meaning(group, arg));
                let Some(group) = group else {
                    let message = "arguments to GROUPING must be grouping expressions of the \
                                   associated query level";
                    let error = Error::new(SqlState::GROUPING_ERROR, message);
                    return Err(located(error, *position));
                };
                number = number * 2 + i32::from(!set.contains(&group));
            }
            row.push(number);
        }
        bits.push(row);
    }
    Ok(bits)
}

/// A plan with constants behind its columns.
fn with_bits(plan: Plan, bits: &[i32]) -> Plan {
    if bits.is_empty() {
        return plan;
    }
    let types = plan.types().into_iter().enumerate();
    let mut exprs: Vec<Expr> = types
        .map(|(index, ty)| Expr::Column { index, ty })
        .collect();
    exprs.extend(
        bits.iter()
            .map(|bits| literal(Value::Int4(*bits), LogicalType::Int4)),
    );
    Plan::Project {
        input: Box::new(plan),
        exprs,
    }
}

/// The rows grouped by each set, one after another: groups that a set leaves out are NULL.
fn grouping_sets(
    input: Plan,
    groups: &[Expr],
    sets: &[Vec<usize>],
    aggregates: &[AggregateCall],
    bits: &[Vec<i32>],
    id: usize,
) -> Plan {
    let name = "grouping sets".to_owned();
    let types = input.types();
    let names = (1..=types.len()).map(|number| format!("column{number}"));
    let scan = Plan::CteScan(CteScanNode {
        id,
        name: name.clone(),
        column_names: names.collect(),
        types,
    });
    let mut inputs = Vec::with_capacity(sets.len());
    for (set, bits) in sets.iter().zip(bits) {
        let columns_of_set: Vec<Expr> = set
            .iter()
            .filter_map(|at| groups.get(*at).cloned())
            .collect();
        let count = columns_of_set.len();
        let mut exprs: Vec<Expr> = groups
            .iter()
            .enumerate()
            .map(|(at, group)| {
                let ty = group.logical_type();
                match set.iter().position(|other| *other == at) {
                    Some(index) => Expr::Column { index, ty },
                    None => literal(Value::Null, ty),
                }
            })
            .collect();
        exprs.extend((count..).zip(aggregates).map(|(index, call)| Expr::Column {
            index,
            ty: call.function.result_type(),
        }));
        exprs.extend(
            bits.iter()
                .map(|bits| literal(Value::Int4(*bits), LogicalType::Int4)),
        );
        inputs.push(Plan::Project {
            input: Box::new(Plan::Aggregate {
                input: Box::new(scan.clone()),
                groups: columns_of_set,
                aggregates: aggregates.to_vec(),
            }),
            exprs,
        });
    }
    let types = inputs.first().map(Plan::types).unwrap_or_default();
    Plan::With(WithNode {
        id,
        name,
        definition: Box::new(input),
        body: Box::new(Plan::Append { inputs, types }),
    })
}
