//! ORDER BY, and the ordinals and names that GROUP BY shares with it.

use varve_ast::{
    Expr as Ast, ExprKind, LiteralKind, NullsOrder, Operator, OrderDirection, OrderItem,
};
use varve_expr::walk::same_meaning;
use varve_plan::build::output::{OrderKey, Output, SortTarget, check_comparable};
use varve_plan::scope::error::located;
use varve_types::{Error, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    pub(crate) fn order_keys(
        &mut self,
        order_by: &[OrderItem],
        outputs: &[Output],
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<OrderKey>> {
        let mut keys = Vec::with_capacity(order_by.len());
        for item in order_by {
            let position = self.at(item.expr.span);
            let (descending, nulls_first) = self.sort_options(item)?;
            let target = self.sort_target(&item.expr, outputs, "ORDER BY", scope)?;
            check_comparable(target.ty(outputs), true, position)?;
            keys.push(OrderKey {
                target,
                descending,
                nulls_first,
                position,
            });
        }
        Ok(keys)
    }

    /// Whether an item descends, and whether its NULLs come first.
    pub fn sort_options(&self, item: &OrderItem) -> Result<(bool, bool)> {
        let OrderItem {
            expr,
            direction,
            nulls,
        } = item;
        let descending = match direction {
            None | Some(OrderDirection::Ascending) => false,
            Some(OrderDirection::Descending) => true,
            Some(OrderDirection::Using(operator)) => match ordering_name(operator) {
                "<" => false,
                ">" => true,
                operator => {
                    let message = format!("operator {operator} is not a valid ordering operator");
                    let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                    return Err(located(error, self.at(expr.span)).with_hint(
                        "Ordering operators must be \"<\" or \">\" members of btree operator \
                         families.",
                    ));
                }
            },
        };
        let nulls_first = match nulls {
            Some(nulls) => *nulls == NullsOrder::First,
            None => descending,
        };
        Ok((descending, nulls_first))
    }

    /// What an item of ORDER BY or DISTINCT ON means.
    pub fn sort_target(
        &mut self,
        expr: &Ast,
        outputs: &[Output],
        clause: &str,
        scope: &mut ExprScope<'_>,
    ) -> Result<SortTarget> {
        let position = self.at(expr.span);
        if let Some(index) = output_named(expr, outputs, clause, position)? {
            return Ok(SortTarget::Output(index));
        }
        if let Some(index) = ordinal(expr, outputs.len(), clause, position)? {
            return Ok(SortTarget::Output(index));
        }
        scope.uses.clear();
        let operand = self.expr(expr, scope)?;
        Ok(SortTarget::Expr {
            expr: varve_expr::fold(self.settle(operand)?),
            uses: core::mem::take(&mut scope.uses),
        })
    }
}

/// The name of an operator without its schema, unless that is another one than `pg_catalog`.
fn ordering_name(operator: &Operator) -> &str {
    match operator.qualifiers.as_slice() {
        [] => &operator.name,
        [schema] if schema.text == "pg_catalog" => &operator.name,
        _ => "",
    }
}

/// The result column whose name an item of ORDER BY is.
pub fn output_named(
    item: &Ast,
    outputs: &[Output],
    clause: &str,
    position: u32,
) -> Result<Option<usize>> {
    let name = match &item.kind {
        ExprKind::Column(column) if column.qualifiers.is_empty() => &column.name.text,
        _ => return Ok(None),
    };
    let mut named = outputs
        .iter()
        .enumerate()
        .filter(|(_, output)| output.name == *name);
    let Some((index, first)) = named.next() else {
        return Ok(None);
    };
    if named.any(|(_, other)| !same_meaning(&first.expr, &other.expr)) {
        let error = Error::new(
            SqlState::AMBIGUOUS_COLUMN,
            format!("{clause} \"{name}\" is ambiguous"),
        );
        return Err(located(error, position));
    }
    Ok(Some(index))
}

/// The result column that an integer names, counted from 1; other constants are refused, as in
/// PostgreSQL.
pub fn ordinal(item: &Ast, outputs: usize, clause: &str, position: u32) -> Result<Option<usize>> {
    let digits = match &item.kind {
        ExprKind::Literal(literal) if literal.kind == LiteralKind::Number => literal.text.as_str(),
        ExprKind::Literal(_) | ExprKind::Null => "",
        _ => return Ok(None),
    };
    let Ok(number) = digits.parse::<u64>() else {
        let error = Error::new(
            SqlState::SYNTAX_ERROR,
            format!("non-integer constant in {clause}"),
        );
        return Err(located(error, position));
    };
    let index = usize::try_from(number)
        .ok()
        .and_then(|number| number.checked_sub(1))
        .filter(|index| *index < outputs);
    match index {
        Some(index) => Ok(Some(index)),
        None => {
            let error = Error::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                format!("{clause} position {number} is not in select list"),
            );
            Err(located(error, position))
        }
    }
}
