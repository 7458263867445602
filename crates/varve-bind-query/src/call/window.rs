//! Window functions.

use varve_ast::{
    Expr as Ast, ExprKind, Frame as AstFrame, FrameBound as AstBound,
    FrameExclusion as AstExclusion, FrameUnits as AstUnits, Name, NamedWindow, OrderItem, Over,
    Span, WindowSpec,
};
use varve_expr::{AggregateArgs, Expr, Placeholder, resolve_aggregate};
use varve_plan::build::operand::{CastContext, Operand};
use varve_plan::build::output::check_comparable;
use varve_plan::build::window::WindowUse;
use varve_plan::optimize::push_down::never_fails;
use varve_plan::plan::SortKeyExpr;
use varve_plan::plan::window::{
    Frame, FrameBound, FrameExclusion, FrameUnits, WindowCall, WindowFunction,
};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::arguments::AggregateSyntax;
use crate::context::binder::QueryBinder;
use crate::context::scope::{ExprScope, count_sets, refuse_sets};

const RANGE_OFFSET: &str = "RANGE with offset PRECEDING/FOLLOWING";

/// The type of the offsets that RANGE takes for an order of this type.
fn range_offset_type(order: LogicalType) -> Option<LogicalType> {
    use LogicalType as T;
    match order {
        T::Int2 | T::Int4 | T::Int8 => Some(T::Int8),
        T::Float4 | T::Float8 => Some(T::Float8),
        T::Numeric => Some(T::Numeric),
        T::Date | T::Time | T::Timestamp | T::TimestampTz | T::Interval => Some(T::Interval),
        _ => None,
    }
}

/// A window as it is written, names resolved.
#[derive(Clone, Copy)]
struct Written<'a> {
    partition: &'a [Ast],
    order: &'a [OrderItem],
    frame: Option<&'a AstFrame>,
    span: Span,
}

fn windowing_error(message: impl Into<String>, position: u32) -> Error {
    located(Error::new(SqlState::WINDOWING_ERROR, message), position)
}

impl QueryBinder<'_> {
    /// `name(args) OVER ...`.
    pub fn window_call(
        &mut self,
        call: &AggregateSyntax<'_>,
        over: &Over,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = call.position;
        let Some(mut windows) = scope.windows.take() else {
            let message = match scope.clause {
                "window" => "window function calls cannot be nested".to_owned(),
                "aggregate" => {
                    let message = "aggregate function calls cannot contain window function calls";
                    let error = Error::new(SqlState::GROUPING_ERROR, message);
                    return Err(located(error, position));
                }
                clause => format!("window functions are not allowed in {clause}"),
            };
            return Err(windowing_error(message, position));
        };
        let clause = core::mem::replace(&mut scope.clause, "window");
        let bound = self.window_use(call, over, scope);
        scope.clause = clause;
        let bound = bound?;
        let ty = bound.call.ty;
        let part = Placeholder::Window(windows.len());
        windows.push(bound);
        scope.windows = Some(windows);
        Ok(Operand::Known(Expr::Placeholder { part, ty }))
    }

    fn window_use(
        &mut self,
        call: &AggregateSyntax<'_>,
        over: &Over,
        scope: &mut ExprScope<'_>,
    ) -> Result<WindowUse> {
        let sets = count_sets(scope);
        let (function, mut args, ty) = self.window_function(call, scope)?;
        refuse_sets(scope, sets, "window")?;
        let filter = match &call.call.filter {
            None => None,
            Some(filter) => Some(self.window_filter(filter, function, &mut args, call, scope)?),
        };
        let written = match over {
            Over::Name(name) => self.named_window(name, scope)?,
            Over::Spec(spec) => self.window_spec(spec, scope)?,
        };
        scope.clause = "window definitions";
        let mut partition = Vec::with_capacity(written.partition.len());
        for item in written.partition {
            let operand = self.expr(item, scope)?;
            let expr = varve_expr::fold(self.settle(operand)?);
            check_comparable(expr.logical_type(), false, self.at(item.span))?;
            partition.push(expr);
        }
        let mut order = Vec::with_capacity(written.order.len());
        for item in written.order {
            order.push(self.window_order(item, scope)?);
        }
        let frame = match written.frame {
            None => Frame::default(),
            Some(frame) => self.window_frame(frame, &order, self.at(written.span))?,
        };
        Ok(WindowUse {
            partition,
            order,
            call: WindowCall {
                function,
                args,
                filter,
                frame,
                ty,
                position: call.position,
            },
        })
    }

    /// FILTER of a call whose arguments are bound.
    fn window_filter(
        &mut self,
        filter: &Ast,
        function: WindowFunction,
        args: &mut [Expr],
        call: &AggregateSyntax<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        if !matches!(function, WindowFunction::Aggregate(_)) {
            let message = "FILTER is not implemented for non-aggregate window functions";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, call.position));
        }
        let sets = count_sets(scope);
        let aggregates = scope.aggregates.take();
        scope.clause = "FILTER";
        let filter = self.filter(filter, scope)?;
        scope.aggregates = aggregates;
        refuse_sets(scope, sets, "FILTER")?;
        // Nothing is computed of rows that do not count.
        for arg in args.iter_mut().filter(|arg| !never_fails(arg)) {
            let ty = arg.logical_type();
            *arg = Expr::Case {
                branches: vec![(filter.clone(), arg.clone())],
                otherwise: None,
                ty,
            };
        }
        Ok(filter)
    }

    fn window_order(&mut self, item: &OrderItem, scope: &mut ExprScope<'_>) -> Result<SortKeyExpr> {
        let (descending, nulls_first) = self.sort_options(item)?;
        let operand = self.expr(&item.expr, scope)?;
        let expr = varve_expr::fold(self.settle(operand)?);
        check_comparable(expr.logical_type(), true, self.at(item.expr.span))?;
        Ok(SortKeyExpr {
            expr,
            descending,
            nulls_first,
        })
    }

    /// Refuses a name that two windows of WINDOW have.
    pub fn check_window_names(&self, windows: &[NamedWindow]) -> Result<()> {
        for (at, NamedWindow { name, .. }) in windows.iter().enumerate() {
            let mut before = windows.iter().take(at);
            if before.any(|known| known.name.text == name.text) {
                let message = format!("window \"{}\" is already defined", name.text);
                return Err(windowing_error(message, self.at(name.span)));
            }
        }
        Ok(())
    }

    /// The window of WINDOW with a name.
    fn named_window<'s>(&self, name: &Name, scope: &ExprScope<'s>) -> Result<Written<'s>> {
        self.window_before(name, scope, scope.window_definitions.len())
    }

    fn window_before<'s>(
        &self,
        name: &Name,
        scope: &ExprScope<'s>,
        end: usize,
    ) -> Result<Written<'s>> {
        let definitions = scope.window_definitions.iter().enumerate().take(end);
        let mut named = definitions.filter(|(_, known)| known.name.text == name.text);
        let Some((at, definition)) = named.next() else {
            let message = format!("window \"{}\" does not exist", name.text);
            let error = Error::new(SqlState::UNDEFINED_OBJECT, message);
            return Err(located(error, self.at(name.span)));
        };
        self.merged_window(&definition.spec, scope, at, false)
    }

    fn window_spec<'a>(&self, spec: &'a WindowSpec, scope: &ExprScope<'a>) -> Result<Written<'a>> {
        self.merged_window(spec, scope, scope.window_definitions.len(), true)
    }

    /// A window that may add to one defined before; `is_over`: it stands behind OVER.
    fn merged_window<'a>(
        &self,
        spec: &'a WindowSpec,
        scope: &ExprScope<'a>,
        end: usize,
        is_over: bool,
    ) -> Result<Written<'a>> {
        let WindowSpec {
            base,
            partition_by,
            order_by,
            frame,
            span,
        } = spec;
        let mut written = Written {
            partition: partition_by,
            order: order_by,
            frame: frame.as_ref(),
            span: *span,
        };
        let Some(name) = base else {
            return Ok(written);
        };
        let base = self.window_before(name, scope, end)?;
        let shown = &name.text;
        let position = self.at(*span);
        let error = |what: &str| windowing_error(format!("{what} \"{shown}\""), position);
        if !partition_by.is_empty() {
            return Err(error("cannot override PARTITION BY clause of window"));
        }
        if !base.order.is_empty() {
            if !order_by.is_empty() {
                return Err(error("cannot override ORDER BY clause of window"));
            }
            written.order = base.order;
        }
        if base.frame.is_some() {
            let message = format!("cannot copy window \"{shown}\" because it has a frame clause");
            let error = windowing_error(message, position);
            let is_name = is_over && order_by.is_empty() && frame.is_none();
            return Err(match is_name {
                true => error.with_hint("Omit the parentheses in this OVER clause."),
                false => error,
            });
        }
        written.partition = base.partition;
        Ok(written)
    }

    /// The function with its arguments, and the type of the result.
    fn window_function(
        &mut self,
        call: &AggregateSyntax<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<(WindowFunction, Vec<Expr>, LogicalType)> {
        use WindowFunction as F;
        let AggregateSyntax { name, position, .. } = *call;
        let operands = self.written_operands(call, scope)?;
        let function = match (name, operands.len()) {
            ("row_number", 0) => F::RowNumber,
            ("rank", 0) => F::Rank,
            ("dense_rank", 0) => F::DenseRank,
            ("percent_rank", 0) => F::PercentRank,
            ("cume_dist", 0) => F::CumeDist,
            ("ntile", 1) => F::Ntile,
            ("lag", 1..=3) => F::Lag,
            ("lead", 1..=3) => F::Lead,
            ("first_value", 1) => F::FirstValue,
            ("last_value", 1) => F::LastValue,
            ("nth_value", 2) => F::NthValue,
            _ => {
                let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
                let found = match types.as_slice() {
                    [] => AggregateArgs::Star,
                    types => AggregateArgs::List(types),
                };
                let Some(function) = resolve_aggregate(name, found, position)? else {
                    return Err(self.not_a_window_function(name, &operands, position));
                };
                let args = self.aggregate_args(function, operands, position)?;
                let args = args.into_iter().map(varve_expr::fold).collect();
                return Ok((F::Aggregate(function), args, function.result_type()));
            }
        };
        let mut bound = Vec::with_capacity(operands.len());
        let mut operands = operands.into_iter();
        let ty = match function {
            F::RowNumber | F::Rank | F::DenseRank => LogicalType::Int8,
            F::PercentRank | F::CumeDist => LogicalType::Float8,
            F::Ntile => {
                for operand in operands.by_ref() {
                    bound.push(self.window_arg(operand, LogicalType::Int4, name, position)?);
                }
                LogicalType::Int4
            }
            _ => {
                let (value, number, default) = (operands.next(), operands.next(), operands.next());
                let values: Vec<Operand> = value.into_iter().chain(default).collect();
                let (values, ty) = self.unify(values, name, &[position])?;
                let mut values = values.into_iter();
                bound.extend(values.next());
                if let Some(number) = number {
                    bound.push(self.window_arg(number, LogicalType::Int4, name, position)?);
                }
                bound.extend(values.next());
                ty
            }
        };
        Ok((
            function,
            bound.into_iter().map(varve_expr::fold).collect(),
            ty,
        ))
    }

    fn window_arg(
        &mut self,
        operand: Operand,
        ty: LogicalType,
        name: &str,
        position: u32,
    ) -> Result<Expr> {
        let shown = type_shown(&operand);
        let converted = self.convert(operand, ty, CastContext::Implicit, position)?;
        converted.map(varve_expr::fold).ok_or_else(|| {
            let message = format!("function {name}({shown}) does not exist");
            located(Error::new(SqlState::UNDEFINED_FUNCTION, message), position)
        })
    }

    fn not_a_window_function(&mut self, name: &str, operands: &[Operand], position: u32) -> Error {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        match varve_expr::resolve_function(name, &types, position) {
            Err(error) => error,
            Ok(_) => {
                let message = format!(
                    "OVER specified, but {name} is not a window function nor an aggregate function"
                );
                located(Error::new(SqlState::UNDEFINED_FUNCTION, message), position)
            }
        }
    }

    fn window_frame(
        &mut self,
        frame: &AstFrame,
        order: &[SortKeyExpr],
        position: u32,
    ) -> Result<Frame> {
        let units = match frame.units {
            AstUnits::Rows => FrameUnits::Rows,
            AstUnits::Range => FrameUnits::Range,
            AstUnits::Groups => FrameUnits::Groups,
        };
        if units == FrameUnits::Groups && order.is_empty() {
            let message = "GROUPS mode requires an ORDER BY clause";
            return Err(windowing_error(message, position));
        }
        let offset_type = match (units, order) {
            (FrameUnits::Range, [key]) => Some(key.expr.logical_type()),
            (FrameUnits::Range, _) => None,
            _ => Some(LogicalType::Int8),
        };
        let start = self.frame_bound(&frame.start, offset_type, units, position)?;
        let end = match &frame.end {
            None => FrameBound::Current,
            Some(bound) => self.frame_bound(bound, offset_type, units, position)?,
        };
        Ok(Frame {
            units,
            start,
            end,
            exclusion: exclusion(frame),
        })
    }

    fn frame_bound(
        &mut self,
        bound: &AstBound,
        offset_type: Option<LogicalType>,
        units: FrameUnits,
        position: u32,
    ) -> Result<FrameBound> {
        let (ast, preceding) = match bound {
            AstBound::CurrentRow => return Ok(FrameBound::Current),
            AstBound::Preceding(None) => return Ok(FrameBound::First),
            AstBound::Following(None) => return Ok(FrameBound::Last),
            AstBound::Preceding(Some(ast)) => (ast, true),
            AstBound::Following(Some(ast)) => (ast, false),
        };
        let Some(ty) = offset_type else {
            let message =
                "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
            return Err(windowing_error(message, position));
        };
        let names = Scope::default();
        let clause = match units {
            FrameUnits::Rows => "ROWS",
            FrameUnits::Range => "RANGE",
            FrameUnits::Groups => "GROUPS",
        };
        if let ExprKind::Column(_) = &ast.kind {
            let message = format!("argument of {clause} must not contain variables");
            let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
            return Err(located(error, self.at(ast.span)));
        }
        let mut scope = ExprScope::plain(&names, clause);
        let operand = self.expr(ast, &mut scope)?;
        let shown = type_shown(&operand);
        let place = self.at(ast.span);
        let by = if units == FrameUnits::Range {
            self.range_offset(operand, ty, place)?
        } else {
            self.convert(operand, ty, CastContext::Assignment, position)?
                .ok_or_else(|| {
                    let message =
                        format!("argument of {clause} must be type {ty}, not type {shown}");
                    located(Error::new(SqlState::DATATYPE_MISMATCH, message), position)
                })?
        };
        let by = varve_expr::fold(by);
        Ok(if preceding {
            FrameBound::Preceding(by)
        } else {
            FrameBound::Following(by)
        })
    }

    /// How far RANGE goes from a value of a type.
    fn range_offset(&mut self, operand: Operand, ty: LogicalType, place: u32) -> Result<Expr> {
        let refused = |what| located(Error::new(SqlState::FEATURE_NOT_SUPPORTED, what), place);
        let Some(wanted) = range_offset_type(ty) else {
            let ty = match ty {
                LogicalType::Varchar => LogicalType::Text,
                other => other,
            };
            let what = format!("{RANGE_OFFSET} is not supported for column type {ty}");
            return Err(refused(what));
        };
        let shown = type_shown(&operand);
        self.convert(operand, wanted, CastContext::Implicit, place)?
            .ok_or_else(|| {
                let what = format!(
                    "{RANGE_OFFSET} is not supported for column type {ty} and offset type {shown}"
                );
                refused(what).with_hint("Cast the offset value to an appropriate type.")
            })
    }
}

/// The type of an operand in messages.
fn type_shown(operand: &Operand) -> String {
    match operand.ty() {
        Some(ty) => ty.to_string(),
        None => "unknown".to_owned(),
    }
}

/// The rows that a frame leaves out.
fn exclusion(frame: &AstFrame) -> FrameExclusion {
    match frame.exclusion {
        Some((AstExclusion::CurrentRow, _)) => FrameExclusion::CurrentRow,
        Some((AstExclusion::Group, _)) => FrameExclusion::Group,
        Some((AstExclusion::Ties, _)) => FrameExclusion::Ties,
        Some((AstExclusion::NoOthers, _)) | None => FrameExclusion::NoOthers,
    }
}
