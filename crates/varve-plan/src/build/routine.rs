//! The bodies of functions: whether they are one query, and what becomes of that.

use varve_ast::{Query as AstQuery, StatementBody};
use varve_catalog::model::function_def::{FunctionDef, Returns};
use varve_expr::Expr;
use varve_expr::walk::{for_each_child, is_volatile};
use varve_parser::plpgsql::Piece;
use varve_types::{Error, LogicalType, SqlState, Value};

use crate::build::operand::literal;
use crate::build::output::Output;
use crate::build::subquery::{Subquery, used_subqueries};
use crate::optimize::bind_outer;
use crate::optimize::push_down::{filtered, one_row};
use crate::plan::{Field, JoinKind, JoinNode, Plan, Query, SortKeyExpr};
use crate::scope::syntax::is_change;

/// Whether a function runs before the statement that calls it.
pub fn is_run_first(def: &FunctionDef, pieces: &[Piece]) -> bool {
    let is_empty = pieces.is_empty() && def.returns == Returns::Void;
    def.is_plpgsql || (only_query(pieces).is_none() && !is_empty)
}

/// A join; one with a function that is called for each row of its left side gives the rows of the
/// function behind those.
pub fn joined(node: JoinNode) -> Plan {
    let is_call = |plan: &Plan| match plan {
        Plan::ProjectSet(set) => {
            *set.input == one_row() && set.calls.iter().all(|call| call.routine.is_some())
        }
        _ => false,
    };
    let is_plain = node.kind == JoinKind::Inner && node.equal.is_empty();
    if node.outer.is_empty() || !is_plain || !is_call(&node.right) {
        return Plan::Join(node);
    }
    let JoinNode {
        left,
        right,
        residual,
        outer,
        ..
    } = node;
    let Plan::ProjectSet(mut set) = *right else {
        return *left;
    };
    set.input = left;
    for arg in set.calls.iter_mut().flat_map(|call| &mut call.args) {
        bind_outer(arg, &outer);
    }
    filtered(Plan::ProjectSet(set), residual.into_iter().collect())
}

/// Whether functions are called for the outputs, and no subquery is for the order too.
pub fn calls_late(subqueries: &[Subquery], outputs: &[Output], keys: &[SortKeyExpr]) -> bool {
    let of_keys = keys.iter().flat_map(|key| used_subqueries(&key.expr));
    let of_keys: Vec<usize> = of_keys.collect();
    let mut of_outputs = outputs
        .iter()
        .flat_map(|output| used_subqueries(&output.expr));
    subqueries.iter().any(Subquery::is_call) && !of_outputs.any(|one| of_keys.contains(&one))
}

/// The only statement of a body, if it is a query that changes nothing, and how deep it nests.
pub fn only_query(parsed: &[Piece]) -> Option<(&AstQuery, usize)> {
    let [piece] = parsed else {
        return None;
    };
    let parsed = &piece.statement;
    let (StatementBody::Query(query), None) = (&parsed.statement.body, &parsed.statement.explain)
    else {
        return None;
    };
    let mut named = query.with.iter().flat_map(|with| &with.ctes);
    let changes = named.any(|cte| is_change(&cte.query));
    (!changes).then_some((query, parsed.nesting))
}

/// The only value of a plan that reads nothing.
pub fn only_value(plan: &Plan) -> Option<&Expr> {
    match plan {
        Plan::Project { input, exprs } if **input == one_row() => match exprs.as_slice() {
            [value] => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the arguments may stand in a value in place of their slots: none is computed twice that
/// may differ, or that takes long.
pub fn is_replaceable(value: &Expr, outer: &[(usize, Expr)], has_other_way: bool) -> bool {
    outer.iter().all(|(slot, argument)| {
        let is_plain = matches!(argument, Expr::Column { .. });
        is_plain || uses(value, *slot) <= 1 || (!has_other_way && !is_volatile(argument))
    })
}

/// How often a value reads a slot.
pub fn uses(value: &Expr, slot: usize) -> usize {
    if let Expr::Outer { slot: read, .. } = value {
        return usize::from(*read == slot);
    }
    let mut count = 0;
    for_each_child(value, &mut |child| count += uses(child, slot));
    count
}

/// At most one row of a plan.
pub fn first_row(plan: Plan) -> Plan {
    if only_value(&plan).is_some() {
        return plan;
    }
    Plan::Limit {
        input: Box::new(plan),
        limit: Some(literal(Value::Int8(1), LogicalType::Int8)),
        offset: None,
        ties: Vec::new(),
    }
}

/// No row where an argument is NULL.
pub fn strict(plan: Plan, values: &[Expr]) -> Plan {
    let is_null = |negated: bool| {
        move |value: &Expr| Expr::IsNull {
            input: Box::new(value.clone()),
            negated,
        }
    };
    match plan {
        Plan::Project { input, mut exprs } if *input == one_row() && exprs.len() == 1 => {
            if let Some(value) = exprs.pop()
                && !values.is_empty()
            {
                let ty = value.logical_type();
                let nothing = literal(Value::Null, ty);
                let any = Expr::Or(values.iter().map(is_null(false)).collect());
                exprs.push(Expr::Case {
                    branches: vec![(any, nothing)],
                    otherwise: Some(Box::new(value)),
                    ty,
                });
            }
            Plan::Project { input, exprs }
        }
        plan => filtered(plan, values.iter().map(is_null(true)).collect()),
    }
}

/// The rows of a query as those of a function that gives nothing: NULL each.
pub fn void_query(plan: Plan, columns: Vec<(String, LogicalType)>) -> Query {
    let fields = columns.into_iter();
    Query {
        plan: Plan::Project {
            input: Box::new(first_row(plan)),
            exprs: vec![literal(Value::Null, LogicalType::Text)],
        },
        fields: fields.map(|(name, ty)| Field { name, ty }).collect(),
        untyped: Vec::new(),
    }
}

/// `42P13`: a body that does not give what its function declares.
pub fn mismatch(def: &FunctionDef, detail: impl Into<String>) -> Error {
    let shown = match def.returns {
        Returns::Value(ty) => Some(ty),
        _ => def.row_type(),
    };
    let shown = shown.map_or_else(String::new, |ty| ty.to_string());
    let message = format!("return type mismatch in function declared to return {shown}");
    invalid(message).with_detail(detail)
}

/// `42P13`
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_FUNCTION_DEFINITION, message)
}
