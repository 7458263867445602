//! What makes the query of a continuous aggregate one that can be kept by buckets.

use std::sync::Arc;

use varve_ast::{GroupItem, QueryBody};
use varve_catalog::model::continuous::BucketText;
use varve_catalog::model::deparse::deparse;
use varve_catalog::model::table::TableDef;
use varve_expr::walk::for_each_child;
use varve_expr::{Expr, fold, is_immutable_cast};
use varve_plan::plan::{JoinKind, Plan, Query, ScanNode};
use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, SqlState, SqlText, Value, sql};

const BUCKET: &str = "time_bucket";

/// Functions whose result for a `timestamptz` depends on the zone of the session.
const OF_SESSION_ZONE: [&str; 5] = ["date_trunc", "date_part", "extract", "to_char", "age"];

/// How a query is divided into buckets.
pub(super) struct Buckets {
    /// What it reads.
    pub source: Arc<TableDef>,
    /// The time column of that.
    pub column: ColumnId,
    /// The other tables that it reads.
    pub joined: Vec<ObjectId>,
    /// The place of the bucket in its columns.
    pub output: usize,
    /// The call of `time_bucket`.
    pub text: BucketText,
}

fn invalid(detail: impl Into<String>, hint: &'static str) -> Error {
    let message = "invalid continuous aggregate query";
    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
    error.with_detail(detail.into()).with_hint(hint)
}

/// Refuses clauses that cannot be kept by buckets.
pub(super) fn check_form(query: &varve_ast::Query) -> Result<()> {
    let hint = "Put the clause into the query that reads the aggregate.";
    let refuse = |is_there: bool, what: &str| match is_there {
        true => Err(invalid(format!("{what} cannot be kept by buckets."), hint)),
        false => Ok(()),
    };
    refuse(query.with.is_some(), "WITH")?;
    refuse(!query.order_by.is_empty(), "ORDER BY")?;
    refuse(query.limit.is_some() || query.offset.is_some(), "LIMIT")?;
    refuse(!query.locks.is_empty(), "FOR UPDATE")?;
    let select = match query.body.as_ref() {
        QueryBody::Select(select) => select,
        QueryBody::Query(query) => return check_form(query),
        _ => return refuse(true, "A query that is no plain SELECT"),
    };
    refuse(select.distinct.is_some(), "DISTINCT")?;
    refuse(!select.windows.is_empty(), "WINDOW")?;
    let is_set = |item: &GroupItem| !matches!(item, GroupItem::Expr(_));
    refuse(select.group_by.iter().any(is_set), "A grouping set")
}

/// The buckets of a query as it was bound.
pub(super) fn buckets_of(query: &Query) -> Result<Buckets> {
    check_immutable(&query.plan)?;
    let mut top = &query.plan;
    let (input, groups) = loop {
        match top {
            Plan::Project { input, .. } | Plan::Filter { input, .. } => top = input,
            Plan::Aggregate { input, groups, .. } => break (input.as_ref(), groups),
            Plan::Window(_) => {
                let detail = "A window function sees the rows of other buckets.";
                return Err(invalid(
                    detail,
                    "Use it in the query that reads the aggregate.",
                ));
            }
            _ => return Err(no_bucket()),
        }
    };
    let mut sources = Sources::default();
    sources.add(input, true)?;
    let found = sources
        .source
        .and_then(|scan| Some((scan, scan.table.as_ref()?)));
    let Some((source, table)) = found else {
        let message = "table is not a hypertable";
        let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
        return Err(error.with_hint(
            "A continuous aggregate reads one hypertable, or another continuous aggregate.",
        ));
    };
    let calls = groups.iter().enumerate();
    let calls = calls.filter_map(|(at, group)| Some((at, bucket_call(input, group)?)));
    let calls: Vec<(usize, (&Plan, &Vec<Expr>))> = calls.collect();
    let (group, (below, args)) = match calls.as_slice() {
        [] => return Err(no_bucket()),
        [call] => *call,
        _ => {
            let detail = "GROUP BY has more than one call of time_bucket.";
            return Err(invalid(
                detail,
                "Group by one width, and make another aggregate over it.",
            ));
        }
    };
    let text = bucket_text(args)?;
    let time = args.get(1).and_then(|moment| match moment {
        Expr::Column { index, .. } => column_of(below, *index),
        _ => None,
    });
    let time = time.filter(|(scan, at)| {
        core::ptr::eq(*scan, source) && table.time_column().is_some_and(|(time, _)| time == *at)
    });
    let Some(column) = time.and_then(|(_, at)| table.columns.get(at)) else {
        let message = "time_bucket must be of the time column of the hypertable";
        let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
        return Err(error.with_hint("Give the column itself, without a cast or arithmetic."));
    };
    let mut outputs = 0..query.fields.len();
    let output = outputs.find(|at| is_group(&query.plan, *at, group));
    let output = output.ok_or_else(|| {
        let detail = "The bucket is not a column of the result.";
        invalid(detail, "Add the call of time_bucket to the select list.")
    })?;
    Ok(Buckets {
        source: Arc::clone(table),
        column: column.id,
        joined: sources.joined,
        output,
        text,
    })
}

fn no_bucket() -> Error {
    let message = "continuous aggregate view must include a valid time bucket function";
    let hint = "GROUP BY time_bucket(width, time), where the time is that of the hypertable.";
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_hint(hint)
}

/// What a query reads.
#[derive(Default)]
struct Sources<'p> {
    /// The hypertable.
    source: Option<&'p ScanNode>,
    /// The other tables.
    joined: Vec<ObjectId>,
}

impl<'p> Sources<'p> {
    /// Adds what a plan reads; the hypertable may be there if `is_kept`: where each row of it is
    /// one or more rows of the plan.
    fn add(&mut self, plan: &'p Plan, is_kept: bool) -> Result<()> {
        match plan {
            Plan::Filter { input, .. } | Plan::Project { input, .. } => self.add(input, is_kept),
            Plan::Join(join) if join.kind == JoinKind::Inner && join.outer.is_empty() => {
                self.add(&join.left, is_kept)?;
                self.add(&join.right, is_kept)
            }
            Plan::Join(join) if join.kind == JoinKind::Left && join.outer.is_empty() => {
                self.add(&join.left, is_kept)?;
                self.add(&join.right, false)
            }
            Plan::Scan(scan) => match &scan.table {
                Some(table) if table.hypertable.is_none() => {
                    if !self.joined.contains(&table.object) {
                        self.joined.push(table.object);
                    }
                    Ok(())
                }
                Some(_) if is_kept && self.source.is_none() => {
                    self.source = Some(scan);
                    Ok(())
                }
                _ => Err(more_sources()),
            },
            _ => Err(more_sources()),
        }
    }
}

fn more_sources() -> Error {
    let detail = "FROM and WHERE have more than one hypertable and tables that it is joined with.";
    let hint = "Only inner joins are supported, and left ones of the hypertable with a table.";
    invalid(detail, hint)
}

/// The call of `time_bucket` that an expression over a plan is, with the plan that its arguments
/// are over.
fn bucket_call<'p>(plan: &'p Plan, expr: &'p Expr) -> Option<(&'p Plan, &'p Vec<Expr>)> {
    match expr {
        Expr::Call { function, args, .. } if function.name() == BUCKET => Some((plan, args)),
        Expr::Column { index, .. } => match plan {
            Plan::Filter { input, .. } => bucket_call(input, expr),
            Plan::Project { input, exprs } => bucket_call(input, exprs.get(*index)?),
            _ => None,
        },
        _ => None,
    }
}

/// The column of a table that a column of a plan is.
fn column_of(plan: &Plan, index: usize) -> Option<(&ScanNode, usize)> {
    match plan {
        Plan::Scan(scan) => Some((scan, *scan.columns.get(index)?)),
        Plan::Filter { input, .. } => column_of(input, index),
        Plan::Project { input, exprs } => match exprs.get(index)? {
            Expr::Column { index, .. } => column_of(input, *index),
            _ => None,
        },
        Plan::Join(join) => match index.checked_sub(join.left.width()) {
            None => column_of(&join.left, index),
            Some(index) => column_of(&join.right, index),
        },
        _ => None,
    }
}

/// Whether a column of a plan is a group of the aggregation below.
fn is_group(plan: &Plan, column: usize, group: usize) -> bool {
    match plan {
        Plan::Filter { input, .. } => is_group(input, column, group),
        Plan::Project { input, exprs } => match exprs.get(column) {
            Some(Expr::Column { index, .. }) => is_group(input, *index, group),
            _ => false,
        },
        Plan::Aggregate { .. } => column == group,
        _ => false,
    }
}

/// The call as SQL: all but the time is constant.
fn bucket_text(args: &[Expr]) -> Result<BucketText> {
    let shown = |arg: &Expr| match fold(arg.clone()) {
        Expr::Literal { value, ty } => Ok((
            deparse(
                &Expr::Literal {
                    value: value.clone(),
                    ty,
                },
                &[],
            ),
            value,
        )),
        _ => {
            let message = "only immutable expressions allowed in time bucket function";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            Err(error.with_hint("Use constants as width, time zone, origin and offset."))
        }
    };
    let [width, _, others @ ..] = args else {
        return Err(no_bucket());
    };
    let (width, value) = shown(width)?;
    let is_positive = match &value {
        Value::Interval(interval) => interval.span_us() > 0,
        value => value.integer().is_some_and(|width| width > 0),
    };
    if !is_positive {
        let message = "invalid width of buckets: must be above 0";
        return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    let mut zone = None;
    let mut after = sql![];
    for other in others {
        let (text, value) = shown(other)?;
        if other.logical_type() == LogicalType::Text && !value.is_null() {
            zone = Some(text.clone());
        }
        after.push(sql![", ", text]);
    }
    after.push(")");
    Ok(BucketText {
        before: sql![BUCKET, "(", &width, ", "].into_string(),
        after: after.into_string(),
        width: width.into_string(),
        zone: zone.map(SqlText::into_string),
    })
}

/// Refuses what may give something else at another time or in another session.
fn check_immutable(plan: &Plan) -> Result<()> {
    let mut is_immutable = true;
    visit(plan, &mut |expr| is_immutable &= is_same_always(expr));
    if is_immutable {
        return Ok(());
    }
    let message = "only immutable functions supported in continuous aggregate view";
    let hint = "Make sure all functions in the continuous aggregate definition have IMMUTABLE \
                volatility: give time zones, and leave out what depends on the present.";
    Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_hint(hint))
}

fn visit(plan: &Plan, look: &mut dyn FnMut(&Expr)) {
    plan.for_each_expr(look);
    plan.for_each_input(&mut |input| visit(input, look));
}

fn is_same_always(expr: &Expr) -> bool {
    let itself = match expr {
        Expr::Placeholder { .. } | Expr::Parameter { .. } | Expr::Outer { .. } => false,
        Expr::Call { function, args, .. } => {
            let has_zone = |arg: &Expr| arg.logical_type() == LogicalType::TimestampTz;
            let of_session = OF_SESSION_ZONE.contains(&function.name());
            let of_session = of_session && args.iter().any(has_zone) && args.len() < 3;
            function.is_immutable() && !of_session
        }
        Expr::Cast { input, to, .. } => is_immutable_cast(input.logical_type(), *to),
        _ => true,
    };
    let mut all = itself;
    for_each_child(expr, &mut |child| all &= is_same_always(child));
    all
}
