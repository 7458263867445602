//! Aggregate calls, and expressions over groups.

use varve_ast::Expr as Ast;
use varve_expr::walk::same_meaning;
use varve_expr::{AggregateArgs, AggregateFunction, Expr, Placeholder, fold, resolve_aggregate};
use varve_plan::build::aggregate::{known_call, known_expr};
use varve_plan::build::array::form;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::output::check_comparable;
use varve_plan::build::row_value::is_object;
use varve_plan::plan::{AggregateCall, SortKeyExpr};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::context::arguments::AggregateSyntax;
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// What a call is ordered by.
#[derive(Default)]
struct Ordered {
    keys: Vec<Expr>,
    /// Whether each is descending, and whether NULL comes first.
    directions: Vec<(bool, bool)>,
    places: Vec<u32>,
}

impl QueryBinder<'_> {
    /// An aggregate: kept apart in the scope, a column of its own in the expression.
    pub fn aggregate(
        &mut self,
        call: &AggregateSyntax<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = call.position;
        let counts = self.captured_counts();
        let subqueries = scope.subqueries.as_ref().map_or(0, Vec::len);
        let mut inner = ExprScope::plain(scope.names, "aggregate");
        inner.subqueries = scope.subqueries.take();
        let bound = self.aggregate_call(call, &mut inner);
        scope.subqueries = inner.subqueries.take();
        let mut bound = bound?;
        if inner.uses.is_empty() {
            let own = scope.subqueries.as_mut();
            let mut own = own.map_or_else(Vec::new, |all| all.split_off(subqueries));
            let found = self.aggregate_of_outer(&mut bound, (subqueries, &mut own), &counts)?;
            if let Some(operand) = found {
                return Ok(operand);
            }
            scope
                .subqueries
                .iter_mut()
                .for_each(|all| all.append(&mut own));
        }
        let Some(calls) = scope.aggregates.as_mut() else {
            let message = match scope.clause {
                "aggregate" => "aggregate function calls cannot be nested".to_owned(),
                clause => format!("aggregate functions are not allowed in {clause}"),
            };
            let error = Error::new(SqlState::GROUPING_ERROR, message);
            return Err(located(error, position));
        };
        let ty = bound.function.result_type();
        Ok(Operand::Known(Expr::Placeholder {
            part: Placeholder::Aggregate(known_call(calls, &mut bound)),
            ty,
        }))
    }

    fn aggregate_call(
        &mut self,
        written: &AggregateSyntax<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<AggregateCall> {
        let AggregateSyntax {
            name,
            call,
            position,
            ..
        } = *written;
        let within_group = !call.within_group.is_empty();
        let mut operands = self.written_operands(written, scope)?;
        let direct = operands.len();
        let Ordered {
            mut keys,
            directions,
            places,
        } = self.aggregate_order(written, &mut operands, scope)?;
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let args = match (call.has_star, within_group) {
            (true, _) => AggregateArgs::Star,
            (_, true) => AggregateArgs::WithinGroup(&types, direct),
            _ => AggregateArgs::List(&types),
        };
        let function: AggregateFunction = resolve_aggregate(name, args, position)?
            .ok_or_else(|| Error::internal(format!("{name} stopped being an aggregate")))?;
        let as_written: Vec<Option<Expr>> = operands.iter().map(known_expr).collect();
        let mut args = if function.direct_arguments() == Some(usize::MAX) {
            self.hypothetical_row(operands, &directions, position)?
        } else {
            self.aggregate_args(function, operands, position)?
        };
        if within_group {
            let ordered = args.iter().skip(direct).take(directions.len());
            keys = ordered.cloned().collect();
        }
        args = args.into_iter().map(fold).collect();
        let keys = keys.into_iter().zip(directions);
        let order = keys.map(|(expr, (descending, nulls_first))| SortKeyExpr {
            expr,
            descending,
            nulls_first,
        });
        let mut order: Vec<SortKeyExpr> = order.collect();
        if call.is_distinct {
            let first = written.args.first();
            let first = first.map_or(position, |arg| self.at(arg.span));
            distinct_order(&args, &as_written, &mut order, (first, &places))?;
        }
        if !function.depends_on_order() {
            order.clear();
        }
        let filter = match &call.filter {
            Some(filter) => {
                scope.clause = "FILTER";
                Some(self.filter(filter, scope)?)
            }
            None => None,
        };
        Ok(AggregateCall {
            function,
            args,
            distinct: call.is_distinct,
            order,
            filter,
            position,
        })
    }

    /// What a call is ordered by; what WITHIN GROUP has becomes operands.
    fn aggregate_order(
        &mut self,
        written: &AggregateSyntax<'_>,
        operands: &mut Vec<Operand>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Ordered> {
        let mut ordered = Ordered::default();
        for item in written.order() {
            ordered.places.push(self.at(item.expr.span));
            ordered.directions.push(self.sort_options(item)?);
            let operand = self.expr(&item.expr, scope)?;
            match written.call.within_group.is_empty() {
                true => ordered.keys.push(fold(self.settle(operand)?)),
                false => operands.push(operand),
            }
        }
        Ok(ordered)
    }

    /// The arguments of a call, bound.
    pub fn written_operands(
        &mut self,
        written: &AggregateSyntax<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Operand>> {
        let mut operands = Vec::with_capacity(written.args.len());
        for arg in written.args {
            operands.push(self.expr(arg, scope)?);
        }
        for key in written
            .entries
            .iter()
            .filter_map(|entry| entry.key.as_ref())
        {
            operands.push(self.expr(key, scope)?);
        }
        for entry in written.entries {
            operands.push(self.json_operand(&entry.value, scope)?);
        }
        Ok(operands)
    }

    /// Each argument in the type that the function takes.
    pub fn aggregate_args(
        &mut self,
        function: AggregateFunction,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Vec<Expr>> {
        let mut args = Vec::with_capacity(operands.len());
        for (index, operand) in operands.into_iter().enumerate() {
            args.push(match function.argument_type(index) {
                None => self.settle(operand)?,
                Some(ty) => self
                    .convert(operand, ty, CastContext::Implicit, position)?
                    .ok_or_else(|| {
                        let name = function.name();
                        Error::internal(format!("an argument of {name} does not convert to {ty}"))
                    })?,
            });
        }
        if let ("json_agg", [row]) = (function.name(), args.as_mut_slice())
            && is_object(row)
        {
            *row = form("\0line", None, vec![row.clone()], position)?;
        }
        Ok(args)
    }

    /// The hypothetical row, what is ordered by in the same types, and the directions.
    fn hypothetical_row(
        &mut self,
        operands: Vec<Operand>,
        directions: &[(bool, bool)],
        position: u32,
    ) -> Result<Vec<Expr>> {
        if directions.len() > 31 {
            return Err(located(
                Error::new(
                    SqlState::STATEMENT_TOO_COMPLEX,
                    "WITHIN GROUP takes at most 31 columns",
                ),
                position,
            ));
        }
        let mut row = operands;
        let ordered = row.split_off(directions.len().min(row.len()));
        let (mut wanted, mut values) = (Vec::new(), Vec::new());
        for pair in row.into_iter().zip(ordered) {
            let (pair, _) = self.unify(vec![pair.0, pair.1], "WITHIN GROUP", &[position])?;
            let mut pair = pair.into_iter();
            wanted.extend(pair.next());
            values.extend(pair.next());
        }
        let mut flags = 0_i64;
        for (descending, nulls_first) in directions.iter().rev() {
            flags = flags << 2 | i64::from(*nulls_first) << 1 | i64::from(*descending);
        }
        wanted.append(&mut values);
        wanted.push(literal(Value::Int8(flags), LogicalType::Int8));
        Ok(wanted)
    }

    /// `grouping(a, b)`: a bit for each argument, 1 where it is not grouped by.
    pub fn grouping(
        &mut self,
        args: &[&Ast],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let error =
            |message: String| located(Error::new(SqlState::GROUPING_ERROR, message), position);
        if scope.aggregates.is_none() {
            let clause = scope.clause;
            return Err(error(format!(
                "grouping operations are not allowed in {clause}"
            )));
        }
        if args.len() > 31 {
            let message = "GROUPING must have fewer than 32 arguments";
            return Err(located(
                Error::new(SqlState::STATEMENT_TOO_COMPLEX, message),
                position,
            ));
        }
        let mut inner = ExprScope::plain(scope.names, "GROUPING");
        let mut exprs = Vec::with_capacity(args.len());
        for arg in args {
            let operand = self.expr(arg, &mut inner)?;
            exprs.push(fold(self.settle(operand)?));
        }
        let position = args.first().map_or(position, |arg| self.at(arg.span));
        let part = Placeholder::Grouping(scope.groupings.len());
        scope.groupings.push((exprs, position));
        Ok(Operand::Known(Expr::Placeholder {
            part,
            ty: LogicalType::Int4,
        }))
    }
}

/// With DISTINCT rows are also ordered by the arguments, as PostgreSQL finds the equal ones. ORDER
/// BY repeats them as they are `written`, before they are converted to what the function takes.
fn distinct_order(
    args: &[Expr],
    written: &[Option<Expr>],
    order: &mut Vec<SortKeyExpr>,
    (position, places): (u32, &[u32]),
) -> Result<()> {
    for arg in args {
        check_comparable(arg.logical_type(), false, position)?;
    }
    for (at, key) in order.iter_mut().enumerate() {
        let mut pairs = args.iter().zip(written);
        let found = pairs.find(|(arg, written)| {
            let written = written.as_ref().unwrap_or(arg);
            same_meaning(written, &key.expr)
        });
        let Some((arg, _)) = found else {
            let message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in \
                           argument list";
            return Err(located(
                Error::new(SqlState::INVALID_COLUMN_REFERENCE, message),
                places.get(at).copied().unwrap_or(0),
            ));
        };
        key.expr = arg.clone();
    }
    for arg in args {
        if !order.iter().any(|key| same_meaning(&key.expr, arg)) {
            order.push(SortKeyExpr {
                expr: arg.clone(),
                descending: false,
                nulls_first: false,
            });
        }
    }
    Ok(())
}
