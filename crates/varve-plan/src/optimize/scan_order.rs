//! Rows that are read in the order in which they are wanted, so that the first ones are enough:
//! under a LIMIT, and for `min` and `max` of a whole table.

use varve_catalog::model::table::TableDef;
use varve_expr::walk::map_columns;
use varve_expr::{AggregateFunction, Expr};
use varve_types::{KeyOrder, KeyPart, LogicalType, PartPredicate, PredicateTest, Value};

use crate::optimize::index_choice::{
    Asked, IndexChoice, best_score, covers, fixed_score, is_usable, score,
};
use crate::plan::{AggregateCall, OrderColumn, Plan, PushedPredicate, ScanNode, SortKeyExpr};

/// What gives rows in an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderChoice<'a> {
    /// An index; `None`: the table itself, by what its rows are sorted by.
    pub index: Option<IndexChoice<'a>>,
    /// Whether it is read backwards.
    pub reverse: bool,
}

/// What gives rows in an order without reading others: the table or an index whose leading columns
/// predicates fix, and then those of the order follow. `None` where another index leaves out more.
pub fn choose_order<'a>(
    table: &'a TableDef,
    order: &[OrderColumn],
    asked: &[(KeyPart, Asked)],
    known: &[&PartPredicate],
    columns: &[usize],
    with_position: bool,
) -> Option<OrderChoice<'a>> {
    // Values that are named one by one are looked up one by one.
    if order.is_empty() || asked.iter().any(|(_, asks)| *asks == Asked::Points) {
        return None;
    }
    let mut best: Option<(u32, OrderChoice<'a>)> = None;
    let key = table.sort_columns().into_iter();
    let key: Vec<(KeyPart, KeyOrder)> = key
        .map(|(at, order)| (KeyPart::Column(at), order))
        .collect();
    if !key.is_empty()
        && let Some(reverse) = gives(table, &key, order, asked, &[])
    {
        let index = None;
        let score = fixed_score(asked, &mut key.iter().map(|(part, _)| *part));
        best = Some((score, OrderChoice { index, reverse }));
    }
    for index in table.indexes.iter().filter(|index| is_usable(index, known)) {
        let row_key = table.row_key().into_iter().map(KeyPart::Column);
        let key = index.keys.iter().copied();
        let key = key.chain(row_key.map(|part| (part, KeyOrder::default())));
        let key: Vec<(KeyPart, KeyOrder)> = key.collect();
        let Some(reverse) = gives(table, &key, order, asked, &index.predicate) else {
            continue;
        };
        let score = score(index, asked);
        let covers = covers(table, index, asked, columns, with_position);
        let choice = OrderChoice {
            index: Some(IndexChoice { index, covers }),
            reverse,
        };
        let covering = |choice: &OrderChoice<'_>| choice.index.is_none_or(|index| index.covers);
        let better = best.as_ref().is_none_or(|(known, other)| {
            score > *known || score == *known && covers && !covering(other)
        });
        if better {
            best = Some((score, choice));
        }
    }
    let (score, choice) = best?;
    (score >= best_score(table, asked, known)).then_some(choice)
}

/// Whether rows by `key` that pass are in an order, and if so whether backwards.
fn gives(
    table: &TableDef,
    key: &[(KeyPart, KeyOrder)],
    order: &[OrderColumn],
    asked: &[(KeyPart, Asked)],
    told: &[PartPredicate],
) -> Option<bool> {
    let fixed = |column: KeyPart| asked.contains(&(column, Asked::Equal));
    let has_no_null = |column: KeyPart| {
        let definition = column.column().and_then(|at| table.columns.get(at));
        let mut tests = asked.iter();
        definition.is_some_and(|column| !column.nullable)
            || tests.any(|(tested, asks)| *tested == column && *asks != Asked::Equal)
    };
    let mut wanted = order
        .iter()
        .filter(|wanted| !fixed(wanted.column))
        .peekable();
    let mut reverse = None;
    // Tests of these columns leave out rows at the ends only.
    let mut bounded = Vec::new();
    for (column, stored) in key {
        if fixed(*column) {
            if reverse.is_none() {
                bounded.push(*column);
            }
            continue;
        }
        let Some(next) = wanted.next_if(|next| next.column == *column) else {
            if wanted.peek().is_none() {
                break;
            }
            return None;
        };
        let turned = next.order.descending != stored.descending;
        let nulls_turned = next.order.nulls_first != stored.nulls_first;
        if nulls_turned != turned && !has_no_null(*column) {
            return None;
        }
        match reverse {
            None => bounded.push(*column),
            Some(reverse) if reverse != turned => return None,
            Some(_) => {}
        }
        reverse = Some(turned);
    }
    // What the index itself tests leaves out nothing of it; another test of that column would.
    let is_told = |column: KeyPart| {
        let told = told.iter().filter(|test| test.column == column).count();
        let tests = asked.iter().filter(|(tested, _)| *tested == column).count();
        tests <= told
    };
    let mut tested = asked.iter();
    let only_bounds = tested.all(|(column, _)| bounded.contains(column) || is_told(*column));
    // After the whole key no two rows are left to be ordered.
    only_bounds.then_some(reverse.unwrap_or(false))
}

impl ScanNode {
    /// What gives the rows in the order that a sort above it wants.
    pub fn in_order(&self) -> Option<OrderChoice<'_>> {
        let table = self.table.as_deref()?;
        let asked = self.asked();
        let known = self.known();
        choose_order(
            table,
            &self.order,
            &asked,
            &known,
            &self.columns,
            self.with_position,
        )
    }

    /// Notes the order of sort keys over the output, where something gives it.
    fn note_order(&mut self, keys: &[SortKeyExpr]) -> bool {
        let Some(table) = &self.table else {
            return false;
        };
        let column = |key: &SortKeyExpr| {
            Some(OrderColumn {
                column: self.part_of(table, &key.expr)?,
                order: KeyOrder {
                    descending: key.descending,
                    nulls_first: key.nulls_first,
                },
            })
        };
        let Some(order) = keys.iter().map(column).collect() else {
            return false;
        };
        self.order = order;
        let given = self.in_order().is_some();
        if !given {
            self.order.clear();
        }
        given
    }

    /// What an expression over the output means.
    fn part_of(&self, table: &TableDef, expr: &Expr) -> Option<KeyPart> {
        if let Expr::Column { index, .. } = expr {
            return self.columns.get(*index).copied().map(KeyPart::Column);
        }
        if table.expressions.is_empty() {
            return None;
        }
        let mut expr = expr.clone();
        let columns = &self.columns;
        map_columns(&mut expr, &|index| {
            columns.get(index).copied().unwrap_or(usize::MAX)
        });
        table.indexed_expression(&expr)
    }
}

/// The plan with orders noted on the scans of which first rows are wanted.
pub(crate) fn with_orders(mut plan: Plan) -> Plan {
    note(&mut plan, false);
    plan
}

fn note(plan: &mut Plan, is_limited: bool) {
    match plan {
        Plan::Project { input, .. } => note(input, is_limited),
        Plan::Lock(node) => note(&mut node.input, is_limited),
        Plan::Limit {
            input, limit, ties, ..
        } => note(input, ties.is_empty() && (is_limited || limit.is_some())),
        Plan::Sort { input, keys } => match input.as_mut() {
            Plan::Scan(scan) if is_limited => {
                scan.note_order(keys);
            }
            input => note(input, false),
        },
        Plan::First { input, keys } => match input.as_mut() {
            Plan::Sort {
                input,
                keys: sort_keys,
            } => match input.as_mut() {
                Plan::Scan(scan) => note_firsts(scan, keys, sort_keys),
                input => note(input, false),
            },
            input => note(input, false),
        },
        Plan::Aggregate {
            input,
            groups,
            aggregates,
        } => {
            if let ([], [call], Plan::Scan(scan)) =
                (groups.as_slice(), aggregates.as_slice(), input.as_ref())
                && let Some(first) = first_row(scan, call)
            {
                **input = first;
            } else {
                note(input, false);
            }
        }
        other => other.for_each_input_mut(&mut |input| note(input, false)),
    }
}

/// Notes that of rows with the same keys only the first is wanted, where something gives the rows
/// in their order and skips the others.
fn note_firsts(scan: &mut ScanNode, keys: &[Expr], sort_keys: &[SortKeyExpr]) {
    let mut leading = sort_keys.iter().take(keys.len());
    let are_leading = leading.len() == keys.len() && leading.all(|key| keys.contains(&key.expr));
    if are_leading && scan.predicates.is_empty() && scan.note_order(sort_keys) {
        scan.first_of = keys.len();
    }
}

/// The one row of a scan that decides `min` or `max`.
fn first_row(scan: &ScanNode, call: &AggregateCall) -> Option<Plan> {
    let descending = match call.function {
        AggregateFunction::Min(_) => false,
        AggregateFunction::Max(_) => true,
        _ => return None,
    };
    let (None, [argument], Some(table)) = (&call.filter, call.args.as_slice(), &scan.table) else {
        return None;
    };
    let mut scan = scan.clone();
    let column = scan.part_of(table, argument)?;
    let definition = column.column().and_then(|at| table.columns.get(at));
    let may_be_null = definition.is_none_or(|column| column.nullable);
    if may_be_null {
        scan.predicates.push(PushedPredicate::Fixed(PartPredicate {
            column,
            test: PredicateTest::IsNotNull,
        }));
    }
    let keys = vec![SortKeyExpr {
        expr: argument.clone(),
        descending,
        nulls_first: descending,
    }];
    scan.note_order(&keys).then(|| Plan::Limit {
        input: Box::new(Plan::Sort {
            input: Box::new(Plan::Scan(scan)),
            keys,
        }),
        limit: Some(Expr::Literal {
            value: Value::Int8(1),
            ty: LogicalType::Int8,
        }),
        offset: None,
        ties: Vec::new(),
    })
}
