//! Scans under conditions: comparisons with constants are made by the scans themselves.

use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_expr::walk::{conjunction, is_fixed};
use varve_types::{CompareOp, KeyPart, LogicalType, PartPredicate, PredicateTest, Value};

use crate::optimize::index_choice::Asked;
use crate::optimize::prefix_range::prefix_range;
use crate::plan::{LookupNode, Plan, PushedPredicate, Relation, ScanNode};

/// One row without columns: what a query without FROM reads.
pub fn one_row() -> Plan {
    Plan::Values {
        rows: vec![Vec::new()],
        types: Vec::new(),
    }
}

/// The rows for which all conditions hold.
///
/// Those that cannot fail come first, so that none fails for a row that another one refuses.
pub fn filtered(plan: Plan, conditions: Vec<Expr>) -> Plan {
    let (mut conditions, others): (Vec<Expr>, Vec<Expr>) =
        conditions.into_iter().partition(never_fails);
    conditions.extend(others);
    match conjunction(conditions) {
        None => plan,
        Some(predicate) => Plan::Filter {
            input: Box::new(plan),
            predicate,
        },
    }
}

/// Whether a condition is made of comparisons of columns and constants only.
pub fn never_fails(expr: &Expr) -> bool {
    match expr {
        Expr::Column { .. } | Expr::Literal { .. } | Expr::Parameter { .. } => true,
        Expr::Compare { left, right, .. } => never_fails(left) && never_fails(right),
        Expr::And(items) | Expr::Or(items) => items.iter().all(never_fails),
        Expr::Not(input) | Expr::IsNull { input, .. } => never_fails(input),
        Expr::InList { input, list, .. } => never_fails(input) && list.iter().all(never_fails),
        _ => false,
    }
}

/// A scan of all columns of a relation under conditions over them: a lookup where they fix the
/// whole primary key.
pub(crate) fn filtered_scan(
    mut scan: ScanNode,
    primary_key: &[usize],
    conditions: Vec<Expr>,
) -> Plan {
    let Relation::Tree(tree) = scan.relation else {
        return filtered(Plan::Scan(scan), conditions);
    };
    let pushed: Vec<Pushed> = conditions
        .into_iter()
        .map(|condition| Pushed::of(condition, scan.table.as_deref()))
        .collect();
    let mut key = Vec::with_capacity(primary_key.len());
    let mut in_key = Vec::with_capacity(primary_key.len());
    for column in primary_key {
        let found = pushed.iter().enumerate().find_map(|(index, pushed)| {
            let mut predicates = pushed.predicates.iter();
            let value = predicates.find_map(|test| equal_value(test, KeyPart::Column(*column)))?;
            Some((index, value))
        });
        let Some((index, value)) = found else { break };
        in_key.push(index);
        key.push(value);
    }
    if !primary_key.is_empty() && key.len() == primary_key.len() {
        let rest = pushed
            .into_iter()
            .enumerate()
            .filter(|(index, pushed)| !(in_key.contains(index) && pushed.is_all))
            .map(|(_, pushed)| pushed.condition)
            .collect();
        let lookup = Plan::Lookup(LookupNode {
            tree,
            name: scan.name,
            column_names: scan.column_names,
            key_columns: primary_key.to_vec(),
            key,
            columns: scan.columns,
            types: scan.types,
            with_position: scan.with_position,
        });
        return filtered(lookup, rest);
    }
    let mut rest = Vec::new();
    for pushed in pushed {
        scan.predicates.extend(pushed.predicates);
        if !pushed.is_all {
            rest.push(pushed.condition);
        }
    }
    filtered(Plan::Scan(scan), rest)
}

/// A condition, and what a scan can test of it.
struct Pushed {
    condition: Expr,
    /// Tests that hold wherever the condition does.
    predicates: Vec<PushedPredicate>,
    /// Whether they say all that the condition says.
    is_all: bool,
}

impl Pushed {
    fn of(condition: Expr, table: Option<&TableDef>) -> Pushed {
        // An index may be on the condition itself.
        let (predicates, is_all) = match pushed_predicate(&condition, table) {
            Some(predicate) => (vec![predicate], true),
            None => prefix_range(&condition, table).unwrap_or_default(),
        };
        Pushed {
            condition,
            predicates,
            is_all,
        }
    }
}

/// What a predicate says that a column equals.
fn equal_value(predicate: &PushedPredicate, wanted: KeyPart) -> Option<Expr> {
    match predicate {
        PushedPredicate::Fixed(PartPredicate {
            column,
            test: PredicateTest::Compare(CompareOp::Eq, value),
        }) if *column == wanted => Some(Expr::Literal {
            ty: value.logical_type()?,
            value: value.clone(),
        }),
        PushedPredicate::Compare {
            column,
            op: CompareOp::Eq,
            value,
        } if *column == wanted => Some(value.clone()),
        _ => None,
    }
}

/// The condition as a test of one column that a scan can apply, where it is one, or as a test of an
/// expression that an index of the table is on.
pub fn pushed_predicate(condition: &Expr, table: Option<&TableDef>) -> Option<PushedPredicate> {
    if let Some(table) = table.filter(|table| !table.expressions.is_empty()) {
        let side = |expr: &Expr| {
            let place = |expr: &Expr| Some((table.indexed_expression(expr)?, expr.logical_type()));
            place(expr).or_else(|| place(widened(expr)?))
        };
        let is_bound = |predicate: &PushedPredicate| match predicate {
            PushedPredicate::Fixed(fixed) => Asked::of(&fixed.test) != Asked::Other,
            PushedPredicate::Compare { op, .. } => *op != CompareOp::NotEq,
            PushedPredicate::In { .. } | PushedPredicate::Prefix { .. } => true,
        };
        let predicate = predicate_of(condition, &side).filter(is_bound);
        if predicate.is_some() {
            return predicate;
        }
    }
    predicate_of(condition, &plain_column)
}

/// The condition as a test of what `side` knows, with its type.
fn predicate_of(
    condition: &Expr,
    side: &dyn Fn(&Expr) -> Option<(KeyPart, LogicalType)>,
) -> Option<PushedPredicate> {
    let fixed = |column, test| Some(PushedPredicate::Fixed(PartPredicate { column, test }));
    let is = |truth| PredicateTest::Compare(CompareOp::Eq, Value::Boolean(truth));
    if let Some((column, LogicalType::Boolean)) = side(condition) {
        return fixed(column, is(true));
    }
    match condition {
        Expr::Not(input) => match side(input)? {
            (column, LogicalType::Boolean) => fixed(column, is(false)),
            _ => None,
        },
        Expr::IsNull { input, negated } => match side(input)?.0 {
            column if *negated => fixed(column, PredicateTest::IsNotNull),
            column => fixed(column, PredicateTest::IsNull),
        },
        Expr::Compare { op, left, right } => {
            if is_fixed(right) {
                compare_predicate(side(left)?, *op, right)
            } else if is_fixed(left) {
                compare_predicate(side(right)?, op.flipped(), left)
            } else {
                None
            }
        }
        Expr::InList {
            input,
            list,
            negated: false,
        } => {
            let (column, ty) = side(input)?;
            let mut values = Vec::with_capacity(list.len());
            let mut exprs = Vec::new();
            for item in list {
                match item {
                    // NULL equals nothing; a number outside the column's type neither.
                    Expr::Literal { value, .. } => values.extend(narrowed(value, ty)),
                    item if is_fixed(item) && item.logical_type() == ty => {
                        exprs.push(item.clone());
                    }
                    _ => return None,
                }
            }
            if exprs.is_empty() {
                return match values.as_slice() {
                    [value] => fixed(column, PredicateTest::Compare(CompareOp::Eq, value.clone())),
                    _ => fixed(column, PredicateTest::In(values)),
                };
            }
            exprs.extend(values.into_iter().map(|value| Expr::Literal { value, ty }));
            let values = exprs;
            Some(match values.as_slice() {
                [value] => PushedPredicate::Compare {
                    column,
                    op: CompareOp::Eq,
                    value: value.clone(),
                },
                _ => PushedPredicate::In { column, values },
            })
        }
        _ => None,
    }
}

fn compare_predicate(
    (column, ty): (KeyPart, LogicalType),
    op: CompareOp,
    value: &Expr,
) -> Option<PushedPredicate> {
    #[cfg(feature = "planted")]
    let op = match op {
        CompareOp::LtEq
            if varve_expr::planted::is_planted(varve_expr::planted::Planted::OpenBound) =>
        {
            CompareOp::Lt
        }
        op => op,
    };
    match value {
        Expr::Literal { value, .. } => {
            let test = PredicateTest::Compare(op, narrowed(value, ty)?);
            Some(PushedPredicate::Fixed(PartPredicate { column, test }))
        }
        value if value.logical_type() == ty => Some(PushedPredicate::Compare {
            column,
            op,
            value: value.clone(),
        }),
        _ => None,
    }
}

/// What an expression is to a scan: an expression that an index of the table is on, or a column.
pub(super) fn part_of(expr: &Expr, table: Option<&TableDef>) -> Option<KeyPart> {
    let indexed = table.and_then(|table| table.indexed_expression(expr));
    indexed.or_else(|| Some(plain_column(expr)?.0))
}

/// The column and its type; a column of a wider integer type counts as itself.
fn plain_column(expr: &Expr) -> Option<(KeyPart, LogicalType)> {
    match expr {
        Expr::Column { index, ty } => Some((KeyPart::Column(*index), *ty)),
        expr => match widened(expr)? {
            Expr::Column { index, ty } => Some((KeyPart::Column(*index), *ty)),
            _ => None,
        },
    }
}

/// The integer that an expression widens to one of more bytes.
fn widened(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Cast {
            input,
            to: LogicalType::Int8,
            ..
        } if matches!(input.logical_type(), LogicalType::Int2 | LogicalType::Int4) => Some(input),
        Expr::Cast {
            input,
            to: LogicalType::Int4,
            ..
        } if input.logical_type() == LogicalType::Int2 => Some(input),
        _ => None,
    }
}

/// The constant in the column's type; `None` for NULL and for what the type cannot hold.
fn narrowed(value: &Value, ty: LogicalType) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Int4(_) | Value::Int8(_) if matches!(ty, LogicalType::Int2 | LogicalType::Int4) => {
            Value::of_integer(ty, value.integer()?)
        }
        value => value.is_of(ty).then(|| value.clone()),
    }
}
