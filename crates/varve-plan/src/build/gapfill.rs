//! `time_bucket_gapfill`: groups by buckets of time with a row also for buckets in which there is
//! nothing, and `locf` and `interpolate`, which say what such rows hold.
//!
//! Over the groups stands a window of the other groups in the order of time, which tells each row
//! the bucket of the next one; then a set-returning function that gives each row and those of the
//! gap behind it (the first row also those of the gap before it); then a projection in which the
//! results of aggregates are NULL in the rows of gaps. The columns of the groups keep their places.

use varve_expr::walk::{for_each_child_mut, is_column_free, same_meaning};
use varve_expr::{AggregateArgs, Expr, Function, fold, resolve_aggregate};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState, Value};

use crate::build::limit::sorted;
use crate::build::operand::literal;
use crate::build::output::SortTarget;
use crate::build::stage::{Above, Distinctness};
use crate::plan::window::{Frame, WindowCall, WindowFunction, WindowNode};
use crate::plan::{Plan, ProjectSetNode, SetCall, SortKeyExpr};
use crate::scope::error::located;

const GAPFILL: &str = "time_bucket_gapfill";
/// What the rows of gaps are: they stand before their row, they are it, or they stand behind it.
const BEFORE: i32 = -1;
const OWN: i32 = 0;

/// The group that is filled.
pub struct Gapfill {
    /// Its place among the groups.
    group: usize,
    ty: LogicalType,
    width: Expr,
    start: Expr,
    finish: Expr,
    /// Whether `finish` itself is to have a bucket.
    to_finish: Expr,
    zone: Expr,
}

impl Gapfill {
    /// The group that is to be filled, if there is one; what its arguments leave out is found in
    /// the conditions of WHERE.
    pub fn find(groups: &[Expr], conditions: &[Expr]) -> Result<Option<Gapfill>> {
        let calls = groups.iter().enumerate();
        let mut calls = calls.filter_map(|(at, group)| match group {
            Expr::Call {
                function,
                args,
                position,
            } if function.name() == GAPFILL => Some((at, args, *position, function.result_type())),
            _ => None,
        });
        let Some((group, args, position, ty)) = calls.next() else {
            return Ok(None);
        };
        if calls.next().is_some() {
            let message = "multiple time_bucket_gapfill calls not allowed";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        let (width, moment) = match args.as_slice() {
            [width, moment, ..] => (width.clone(), moment),
            _ => return Err(Error::internal("time_bucket_gapfill without its arguments")),
        };
        let zone = args
            .get(2)
            .filter(|arg| arg.logical_type() == LogicalType::Text);
        let bounds = args
            .get(if zone.is_some() { 3 } else { 2 }..)
            .unwrap_or_default();
        let given = |at: usize| bounds.get(at).filter(|bound| !is_null(bound)).cloned();
        let start = given(0).or_else(|| bound(moment, conditions, true).map(|(start, _)| start));
        let finish = match given(1) {
            Some(finish) => Some((finish, false)),
            None => bound(moment, conditions, false),
        };
        let start = start.ok_or_else(|| missing("start", position))?;
        let (finish, to_finish) = finish.ok_or_else(|| missing("finish", position))?;
        let zone = zone.cloned();
        let zone = zone.unwrap_or_else(|| literal(Value::Null, LogicalType::Text));
        check_simple(&width, "bucket_width", position)?;
        check_simple(&start, "start", position)?;
        check_simple(&finish, "finish", position)?;
        Ok(Some(Gapfill {
            group,
            ty,
            width,
            start,
            finish,
            to_finish: literal(Value::Boolean(to_finish), LogicalType::Boolean),
            zone,
        }))
    }

    /// The plan with the rows of gaps, over which `above` is computed.
    pub fn fill(self, plan: Plan, groups: usize, above: &mut Above<'_>) -> Result<Plan> {
        let types = plan.types();
        let width = types.len();
        let (group, ty) = (self.group, self.ty);
        let bucket = column(group, ty);
        let mut fills = Fills {
            kind: width,
            bucket: bucket.clone(),
            calls: vec![
                window_call(WindowFunction::RowNumber, Vec::new(), LogicalType::Int8),
                window_call(WindowFunction::Lead, vec![bucket.clone()], ty),
            ],
            columns: vec![bucket.clone(), column(width + 1, ty)],
            before: width,
        };
        fills.rewrite_all(above)?;
        let Fills { calls, columns, .. } = fills;
        let column_of = |(index, ty): (usize, &LogicalType)| column(index, *ty);
        let others = types.iter().enumerate().take(groups);
        let partition: Vec<Expr> = others
            .filter(|(index, _)| *index != group)
            .map(column_of)
            .collect();
        let ascending = |expr: &Expr| SortKeyExpr {
            expr: expr.clone(),
            descending: false,
            nulls_first: false,
        };
        let keys = partition.iter().chain([&bucket]).map(ascending).collect();
        let plan = Plan::Window(WindowNode {
            input: Box::new(sorted(plan, keys)),
            partition,
            order: vec![ascending(&bucket)],
            calls,
        });
        let time = plan.width();
        let call = self.gaps(bucket, width)?;
        let plan = Plan::ProjectSet(ProjectSetNode {
            input: Box::new(plan),
            calls: vec![call],
            ordinality: false,
        });
        let kind = column(time + 1, LogicalType::Int4);
        let shown = types.iter().enumerate().map(|(index, ty)| match index {
            index if index == group => column(time, *ty),
            index if index < groups => column(index, *ty),
            index => when(&kind, OWN, column(index, *ty), None),
        });
        let mut exprs: Vec<Expr> = shown.collect();
        exprs.push(kind.clone());
        exprs.extend(columns);
        Ok(Plan::Project {
            input: Box::new(plan),
            exprs,
        })
    }

    /// The call that gives a row and those of the gaps around it, for rows that have the number of
    /// the row and the next bucket from `width` on.
    fn gaps(self, bucket: Expr, width: usize) -> Result<SetCall> {
        let function = Function::form("\0gaps", Some(self.ty));
        Ok(SetCall {
            function: function.ok_or_else(|| Error::internal("no function for gaps"))?,
            args: vec![
                bucket,
                column(width + 1, self.ty),
                column(width, LogicalType::Int8),
                self.width,
                self.start,
                self.finish,
                self.to_finish,
                self.zone,
            ],
            types: vec![self.ty, LogicalType::Int4],
            position: 0,
            routine: None,
        })
    }
}

/// What `locf` and `interpolate` need of the rows around a gap.
struct Fills {
    /// The column of the projection that tells what a row is; those of `columns` stand behind it,
    /// first the bucket of the row and that of the next one.
    kind: usize,
    bucket: Expr,
    calls: Vec<WindowCall>,
    columns: Vec<Expr>,
    /// The columns before those of `calls`.
    before: usize,
}

impl Fills {
    fn rewrite_all(&mut self, above: &mut Above<'_>) -> Result<()> {
        let on = match &mut *above.distinct {
            Distinctness::On(on) => on.as_mut_slice(),
            _ => &mut [],
        };
        let keys = above
            .keys
            .iter_mut()
            .map(|key| &mut key.target)
            .chain(on.iter_mut().map(|(target, _)| target));
        let keys = keys.filter_map(SortTarget::expr_mut);
        let outputs = above.outputs.iter_mut().map(|output| &mut output.expr);
        let sets = above
            .sets
            .iter_mut()
            .flatten()
            .flat_map(|call| &mut call.args);
        let mut exprs = outputs.chain(keys).chain(sets);
        exprs.try_for_each(|expr| self.rewrite(expr))?;
        for window in above.windows.iter_mut() {
            window.for_each_expr_mut(&mut |expr| self.rewrite(expr))?;
        }
        Ok(())
    }

    fn rewrite(&mut self, expr: &mut Expr) -> Result<()> {
        if let Expr::Call { function, args, .. } = expr
            && let name @ ("locf" | "interpolate") = function.name()
        {
            let args = core::mem::take(args);
            *expr = match name {
                "locf" => self.carried(args)?,
                _ => self.interpolated(args)?,
            };
            return Ok(());
        }
        let mut result = Ok(());
        for_each_child_mut(expr, &mut |child| {
            if result.is_ok() {
                result = self.rewrite(child);
            }
        });
        result
    }

    /// A column of the projection for an expression over the rows of the window.
    fn shown(&mut self, expr: Expr) -> Expr {
        let known = self
            .columns
            .iter()
            .position(|known| same_meaning(known, &expr));
        let ty = expr.logical_type();
        let at = known.unwrap_or_else(|| {
            self.columns.push(expr);
            self.columns.len() - 1
        });
        column(self.kind + 1 + at, ty)
    }

    /// A column of the projection for the result of a window function.
    fn called(&mut self, call: WindowCall) -> Expr {
        let ty = call.ty;
        let known = self.calls.iter().position(|known| *known == call);
        let at = known.unwrap_or_else(|| {
            self.calls.push(call);
            self.calls.len() - 1
        });
        self.shown(column(self.before + at, ty))
    }

    fn kind(&self) -> Expr {
        column(self.kind, LogicalType::Int4)
    }

    /// `locf(value, prev, treat_null_as_missing)`: in a gap the value of the row before it, or
    /// `prev` where there is none.
    fn carried(&mut self, args: Vec<Expr>) -> Result<Expr> {
        let (value, prev, past_nulls) = three(args)?;
        let ty = value.logical_type();
        let own = self.shown(value.clone());
        let carried = when(&self.kind(), BEFORE, prev.clone(), Some(own));
        if matches!(
            past_nulls,
            Expr::Literal {
                value: Value::Boolean(false),
                ..
            }
        ) {
            return Ok(carried);
        }
        let types = [Some(ty), Some(self.bucket.logical_type())];
        let last = resolve_aggregate("last", AggregateArgs::List(&types), 0)?;
        let last = last.ok_or_else(|| Error::internal("no aggregate for locf"))?;
        let args = vec![value.clone(), self.bucket.clone()];
        let last = self.called(WindowCall {
            filter: Some(Expr::IsNull {
                input: Box::new(value),
                negated: true,
            }),
            ..window_call(WindowFunction::Aggregate(last), args, ty)
        });
        let known = Expr::Coalesce {
            args: vec![last, prev.clone()],
            ty,
        };
        let known = when(&self.kind(), BEFORE, prev, Some(known));
        Ok(fold(Expr::Case {
            branches: vec![(past_nulls, known)],
            otherwise: Some(Box::new(carried)),
            ty,
        }))
    }

    /// `interpolate(value, prev_time, prev, next_time, next)`: in a gap the value on the line
    /// between the rows around it; what is given besides stands for a row that is not there.
    fn interpolated(&mut self, args: Vec<Expr>) -> Result<Expr> {
        let [value, prev_time, prev, next_time, next] = match <[Expr; 5]>::try_from(args) {
            Ok(args) => args,
            Err(_) => return Err(Error::internal("interpolate without its arguments")),
        };
        let ty = value.logical_type();
        let time = self.bucket.clone();
        let lead = self.called(window_call(WindowFunction::Lead, vec![value.clone()], ty));
        let own = self.shown(value);
        let own_time = self.shown(time.clone());
        let lead_time = column(self.kind + 2, time.logical_type());
        let is_last = Expr::IsNull {
            input: Box::new(lead_time.clone()),
            negated: false,
        };
        let is_before = is_kind(&self.kind(), BEFORE);
        let as_time = |given: Expr| Expr::Cast {
            input: Box::new(given),
            to: time.logical_type(),
            modifier: varve_types::TypeMod::NONE,
            explicit: true,
            position: 0,
        };
        let next_time = case(&is_last, as_time(next_time), lead_time);
        let next = case(&is_last, next, lead);
        let args = vec![
            case(&is_before, prev, own.clone()),
            case(&is_before, as_time(prev_time), own_time.clone()),
            case(&is_before, own.clone(), next),
            case(&is_before, own_time, next_time),
            time,
        ];
        let function = Function::form("\0interpolated", Some(ty));
        let between = Expr::Call {
            function: function.ok_or_else(|| Error::internal("no function for gaps"))?,
            args,
            position: 0,
        };
        Ok(when(&self.kind(), OWN, own, Some(between)))
    }
}

/// `22023`: a bound that neither an argument nor WHERE tells.
fn missing(what: &str, position: u32) -> Error {
    let message =
        format!("missing time_bucket_gapfill argument: could not infer {what} from WHERE clause");
    let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    located(error, position)
        .with_hint("Specify start and finish as arguments or in the WHERE clause.")
}

/// Refuses an argument that reads columns.
fn check_simple(arg: &Expr, name: &str, position: u32) -> Result<()> {
    if is_column_free(arg) {
        return Ok(());
    }
    let message =
        format!("invalid time_bucket_gapfill argument: {name} must be a simple expression");
    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
    Err(located(error, position))
}

fn three(args: Vec<Expr>) -> Result<(Expr, Expr, Expr)> {
    match <[Expr; 3]>::try_from(args) {
        Ok([a, b, c]) => Ok((a, b, c)),
        Err(_) => Err(Error::internal("locf without its arguments")),
    }
}

fn column(index: usize, ty: LogicalType) -> Expr {
    Expr::Column { index, ty }
}

fn is_kind(kind: &Expr, wanted: i32) -> Expr {
    Expr::Compare {
        op: CompareOp::Eq,
        left: Box::new(kind.clone()),
        right: Box::new(literal(Value::Int4(wanted), LogicalType::Int4)),
    }
}

fn case(condition: &Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Case {
        ty: otherwise.logical_type(),
        branches: vec![(condition.clone(), then)],
        otherwise: Some(Box::new(otherwise)),
    }
}

/// `then` in the rows of a kind.
fn when(kind: &Expr, wanted: i32, then: Expr, otherwise: Option<Expr>) -> Expr {
    let otherwise = otherwise.unwrap_or_else(|| literal(Value::Null, then.logical_type()));
    case(&is_kind(kind, wanted), then, otherwise)
}

fn window_call(function: WindowFunction, args: Vec<Expr>, ty: LogicalType) -> WindowCall {
    WindowCall {
        function,
        args,
        filter: None,
        frame: Frame::default(),
        ty,
        position: 0,
    }
}

fn is_null(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Literal {
            value: Value::Null,
            ..
        }
    )
}

/// What the conditions say of the first or last moment, and whether that one is included.
fn bound(moment: &Expr, conditions: &[Expr], is_start: bool) -> Option<(Expr, bool)> {
    conditions.iter().find_map(|condition| {
        let Expr::Compare { op, left, right } = condition else {
            return None;
        };
        let (op, value) = if same_meaning(left, moment) {
            (*op, right)
        } else if same_meaning(right, moment) {
            (op.flipped(), left)
        } else {
            return None;
        };
        let fits = match op {
            CompareOp::Gt | CompareOp::GtEq => is_start,
            CompareOp::Lt | CompareOp::LtEq => !is_start,
            _ => false,
        };
        let fits = fits && is_column_free(value);
        fits.then(|| ((**value).clone(), op == CompareOp::LtEq))
    })
}
