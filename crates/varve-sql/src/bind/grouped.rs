//! The groups of a SELECT, and what is computed over them.

use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::aggregate::{over_groups, over_groups_of};
use crate::bind::literal::literal;
use crate::bind::located;
use crate::bind::order::SortTarget;
use crate::bind::placeholder::{Place, place};
use crate::bind::stage::{Above, Distinctness, Grouping, Stage};
use crate::bind::subquery::{attach, attach_conditions, used_subqueries};
use crate::plan::{AggregateCall, CteScanNode, Plan, WithNode};
use crate::scope::Scope;
use crate::walk::{map_columns, same_meaning, split_conjunction};

/// The groups of a stage; what stands in the result and the order is computed over them.
pub(super) fn grouped(
    stage: Stage,
    grouping: Grouping,
    names: &Scope,
    above: &mut Above<'_>,
) -> Result<Stage> {
    let Grouping {
        mut groups,
        mut sets,
        mut aggregates,
        groupings,
        mut having,
        cte_id,
        gapfill,
    } = grouping;
    let Stage {
        plan,
        mut subqueries,
    } = stage;
    let before = subqueries.clone();
    if let [set] = sets.as_mut_slice() {
        let key_uses = having.iter().map(|(_, uses)| uses.as_slice());
        let uses = above.outputs.iter().map(|output| output.uses.as_slice());
        let keys = above.keys.iter().map(|key| match &key.target {
            SortTarget::Expr { uses, .. } => uses.as_slice(),
            SortTarget::Output(_) => &[],
        });
        for (column, _) in uses.chain(keys).chain(key_uses).flatten() {
            let known =
                |group: &Expr| matches!(group, Expr::Column { index, .. } if index == column);
            if !groups.iter().any(known)
                && let Some(dependent) = dependent_column(*column, &groups, names)
            {
                set.push(groups.len());
                groups.push(dependent);
            }
        }
    }
    let mut used = Vec::new();
    let mut all_uses = Vec::new();
    let grouping_columns = groups.len() + aggregates.len();
    let mut over = |expr: &mut Expr, uses: &[(usize, u32)]| -> Result<()> {
        over_groups(expr, &groups, names, uses)?;
        used.extend(used_subqueries(expr));
        map_columns(expr, &|column| match place(column) {
            Place::Grouping(at) => grouping_columns + at,
            _ => column,
        });
        Ok(())
    };
    for output in above.outputs.iter_mut() {
        over(&mut output.expr, &output.uses)?;
        all_uses.extend_from_slice(&output.uses);
    }
    let on = match &mut above.distinct {
        Distinctness::On(on) => on.as_mut_slice(),
        _ => &mut [],
    };
    let keys = above.keys.iter_mut().map(|key| &mut key.target);
    for target in keys.chain(on.iter_mut().map(|(target, _)| target)) {
        if let SortTarget::Expr { expr, uses } = target {
            over(expr, uses)?;
            all_uses.extend_from_slice(uses);
        }
    }
    if let Some((having, uses)) = &mut having {
        over(having, uses)?;
        all_uses.extend_from_slice(uses);
    }
    for window in above.windows.iter_mut() {
        window.for_each_expr_mut(&mut |expr| over(expr, &all_uses))?;
    }
    for call in above.sets.iter_mut().flatten() {
        call.args
            .iter_mut()
            .try_for_each(|expr| over(expr, &all_uses))?;
    }
    // Subqueries above the groups read these; those of the groups themselves read the rows.
    let mut next = 0;
    while let Some(number) = used.get(next).copied() {
        next += 1;
        if let Some(subquery) = subqueries.get_mut(number)
            && used.iter().position(|known| *known == number) == Some(next - 1)
        {
            let mut inner = Vec::new();
            subquery.for_each_read_mut(&mut |expr, uses| {
                inner.extend(used_subqueries(expr));
                over_groups_of(expr, &groups, names, uses, true)
            })?;
            subquery.for_each_left_mut(&mut |expr| {
                inner.extend(used_subqueries(expr));
                over_groups(expr, &groups, names, &all_uses)
            })?;
            used.extend(inner);
        }
    }
    for call in &aggregates {
        let direct = call.function.direct_arguments().unwrap_or(0);
        for arg in call.args.iter().take(direct.min(call.order.len())) {
            over_groups(&mut arg.clone(), &groups, names, &[]).map_err(|error| {
                located(error, call.position).with_detail(
                    "Direct arguments of an ordered-set aggregate must use only grouped columns.",
                )
            })?;
        }
    }
    let bits = grouping_bits(&groups, &sets, &groupings)?;
    let mut input_groups = groups;
    let mut exprs: Vec<&mut Expr> = input_groups.iter_mut().collect();
    for call in &mut aggregates {
        exprs.extend(call.exprs_mut());
    }
    let input = attach(plan, &before, &mut exprs)?;
    let is_plain = match sets.as_slice() {
        [] => true,
        [set] => set.len() == input_groups.len(),
        _ => false,
    };
    if gapfill.is_some() && !is_plain {
        return Err(Error::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            "time_bucket_gapfill is not supported with grouping sets",
        ));
    }
    let group_count = input_groups.len();
    let mut plan = if is_plain {
        let plan = Plan::Aggregate {
            input: Box::new(input),
            groups: input_groups,
            aggregates,
        };
        with_bits(plan, bits.first().map_or(&[], Vec::as_slice))
    } else {
        grouping_sets(input, &input_groups, &sets, &aggregates, &bits, cte_id)
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
        let members: Vec<Expr> = set
            .iter()
            .filter_map(|at| groups.get(*at).cloned())
            .collect();
        let count = members.len();
        let mut exprs: Vec<Expr> = groups
            .iter()
            .enumerate()
            .map(|(at, group)| {
                let ty = group.logical_type();
                match set.iter().position(|member| *member == at) {
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
                groups: members,
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
