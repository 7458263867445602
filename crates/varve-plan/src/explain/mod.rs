//! EXPLAIN text: the plan as a tree of lines, in PostgreSQL's words.

mod nodes;
mod show;

use nodes::describe_more;
use varve_catalog::model::deparse::{deparse, deparse_list, deparse_predicate};
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_types::{KeyPart, PartPredicate, SqlText, TreeId, sql};

use crate::optimize::index_choice::{IndexChoice, is_named_by_key};
use crate::optimize::scan_order::OrderChoice;
use crate::plan::prefix::PrefixForm;
use crate::plan::statement::ExplainOptions;
use crate::plan::{
    AggregateCall, Arbiter, InsertPlan, JoinKind, JoinNode, LookupNode, Mark, MergePlan,
    ModifyPlan, OnConflict, Plan, PushedPredicate, Query, ScanNode, SortKeyExpr, Statement,
};

pub use show::{NodeActual, QueryPlanRow, StatementActual};

/// What finds rows by their key, which depends on where a tree's rows lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAccess {
    /// The memtable's adaptive radix tree: all rows are in memory.
    Memtable,
    /// Filters and sparse indexes of runs: all rows are in runs.
    Runs,
    /// First the one, then the others.
    MemtableAndRuns,
}

impl KeyAccess {
    fn label(self) -> &'static str {
        match self {
            KeyAccess::Memtable => "art",
            KeyAccess::Runs => "run index",
            KeyAccess::MemtableAndRuns => "art, run index",
        }
    }
}

/// What EXPLAIN tells of the present moment beside the plan.
pub trait Present {
    /// How rows of a tree are found by key.
    fn key_access(&self, tree: TreeId) -> KeyAccess;

    /// How many of the chunks of a hypertable a scan may find rows in, and how many there are;
    /// `None` for another table.
    fn chunks(&self, scan: &ScanNode) -> Option<(usize, usize)>;
}

/// All rows are in memory, and no table is a hypertable.
struct InMemory;

impl Present for InMemory {
    fn key_access(&self, _: TreeId) -> KeyAccess {
        KeyAccess::Memtable
    }

    fn chunks(&self, _: &ScanNode) -> Option<(usize, usize)> {
        None
    }
}

/// The lines that EXPLAIN shows for a statement whose tables are in memory; none for one without a
/// plan.
pub fn explain(statement: &Statement) -> Vec<String> {
    explain_with(statement, &ExplainOptions::default(), &InMemory, None)
}

/// What EXPLAIN shows for a statement, and for what it did.
pub fn explain_with(
    statement: &Statement,
    options: &ExplainOptions,
    present: &dyn Present,
    actual: Option<&StatementActual>,
) -> Vec<String> {
    let mut plans = Vec::new();
    let Some(mut node) = statement_node(statement, &mut plans) else {
        return Vec::new();
    };
    node.complete(present);
    let actual_of = |node: &Node| {
        let nodes = &actual?.nodes;
        let at = plans.iter().position(|plan| Some(*plan) == node.plan)?;
        nodes
            .get(at)
            .filter(|_| nodes.len() == plans.len())
            .copied()
    };
    if options.json {
        return vec![show::json(&node, options, &actual_of, actual)];
    }
    let mut lines = Vec::new();
    show::lines(&node, 0, options, &actual_of, &mut lines);
    if let Some(actual) = actual {
        show::summary_lines(options, actual, &mut lines);
    }
    lines
}

/// What SQLite's EXPLAIN QUERY PLAN shows: a row for each node.
pub fn explain_query_plan(statement: &Statement, present: &dyn Present) -> Vec<QueryPlanRow> {
    let mut rows = Vec::new();
    if let Some(mut node) = statement_node(statement, &mut Vec::new()) {
        node.complete(present);
        show::query_plan_rows(&node, 0, &mut rows);
    }
    rows
}

/// A statement as it is shown, with the nodes of its plan as the executor numbers them; `None` for
/// one without a plan.
fn statement_node(statement: &Statement, plans: &mut Vec<*const Plan>) -> Option<Node> {
    Some(match statement {
        Statement::Query(Query { plan, .. }) => {
            preorder(plan, plans);
            describe(plan)
        }
        Statement::Insert(InsertPlan {
            table,
            source,
            on_conflict,
            ..
        }) => {
            preorder(source, plans);
            let mut node = above(format!("Insert on {}", table.name), source);
            if let Some(conflict) = on_conflict {
                node.properties.extend(conflict_lines(table, conflict));
            }
            node
        }
        Statement::Update(ModifyPlan { table, source, .. }) => {
            preorder(source, plans);
            above(format!("Update on {}", table.name), source)
        }
        Statement::Delete(ModifyPlan { table, source, .. }) => {
            preorder(source, plans);
            above(format!("Delete on {}", table.name), source)
        }
        Statement::Merge(MergePlan { table, source, .. }) => {
            preorder(source, plans);
            above(format!("Merge on {}", table.name), source)
        }
        Statement::Explain { statement, .. } => return statement_node(statement, plans),
        _ => return None,
    })
}

/// The nodes of a plan as the executor numbers them.
fn preorder(plan: &Plan, all: &mut Vec<*const Plan>) {
    all.push(core::ptr::from_ref(plan));
    plan.for_each_input(&mut |input| preorder(input, all));
}

fn conflict_lines(table: &TableDef, conflict: &OnConflict) -> Vec<String> {
    let how = match conflict.update {
        Some(_) => "UPDATE",
        None => "NOTHING",
    };
    let name = |arbiter: &Arbiter| match arbiter {
        Arbiter::PrimaryKey => table.key_name(),
        Arbiter::Index(tree) => {
            let index = table.indexes.iter().find(|index| index.tree == *tree);
            index.map_or(String::new(), |index| index.name.clone())
        }
    };
    let names: Vec<String> = conflict.arbiters.iter().map(name).collect();
    let mut lines = vec![format!("Conflict Resolution: {how}")];
    if !names.is_empty() {
        lines.push(format!("Conflict Arbiter Indexes: {}", names.join(", ")));
    }
    lines
}

const LIMIT: &str = "Limit";

/// A node as it is shown.
struct Node {
    title: String,
    properties: Vec<String>,
    children: Vec<Node>,
    /// The output columns as expressions of SQL.
    columns: Vec<SqlText>,
    /// The table whose columns these are, for a scan or lookup.
    table: Option<String>,
    /// The tree whose rows are found by their key.
    looked_up: Option<TreeId>,
    /// The scan of a hypertable.
    hypertable: Option<Box<ScanNode>>,
    /// The outermost of the plan's nodes that are shown as this one: only told from others.
    plan: Option<*const Plan>,
}

impl Node {
    fn new(title: impl Into<String>, columns: Vec<SqlText>) -> Node {
        Node {
            title: title.into(),
            properties: Vec::new(),
            children: Vec::new(),
            columns,
            table: None,
            looked_up: None,
            hypertable: None,
            plan: None,
        }
    }

    /// A scan or lookup.
    fn on_table(how: &str, table: &str, columns: Vec<SqlText>) -> Node {
        let mut node = Node::new(format!("{how} on {table}"), columns);
        node.table = Some(table.to_owned());
        node
    }

    /// A lookup by key, whose title says what finds the rows once that is known.
    fn lookup(tree: TreeId, table: &str, columns: Vec<SqlText>) -> Node {
        let mut node = Node::on_table("Index Lookup", table, columns);
        node.looked_up = Some(tree);
        node
    }

    /// Adds what is known of the present moment.
    fn complete(&mut self, present: &dyn Present) {
        if let (Some(tree), Some(table)) = (self.looked_up, &self.table) {
            let label = present.key_access(tree).label();
            self.title = format!("Index Lookup ({label}) on {table}");
        }
        if let Some((read, all)) = self
            .hypertable
            .as_ref()
            .and_then(|scan| present.chunks(scan))
        {
            self.properties.push(format!("Chunks: {read} of {all}"));
        }
        for child in &mut self.children {
            child.complete(present);
        }
    }

    /// The output columns as joins show them: those of a table with its name.
    fn qualified_columns(&self) -> Vec<SqlText> {
        match &self.table {
            None => self.columns.clone(),
            Some(table) => {
                let table = SqlText::name(table);
                let columns = self.columns.iter();
                columns.map(|column| sql![&table, ".", column]).collect()
            }
        }
    }

    fn property(mut self, name: &str, value: impl AsRef<str>) -> Node {
        let value = value.as_ref();
        self.properties.push(format!("{name}: {value}"));
        self
    }
}

fn above(title: String, source: &Plan) -> Node {
    let mut node = Node::new(title, Vec::new());
    node.children.push(describe(source));
    node
}

/// A plan as it is shown.
fn describe(plan: &Plan) -> Node {
    let mut node = described(plan);
    node.plan = Some(core::ptr::from_ref(plan));
    node
}

fn described(plan: &Plan) -> Node {
    match plan {
        Plan::Scan(scan) => describe_scan(scan),
        Plan::Lookup(lookup) => describe_lookup(lookup),
        Plan::Values { rows, types } if types.is_empty() && rows.len() == 1 => {
            Node::new("Result", Vec::new())
        }
        Plan::Values { rows, types } => {
            let columns = (1..=types.len()).map(|number| sql!["column", number]);
            Node::new("Values Scan", columns.collect()).property("Rows", rows.len().to_string())
        }
        Plan::Filter { input, predicate } => describe_filter(input, predicate),
        Plan::Project { input, exprs } => {
            let mut node = describe(input);
            let columns = node.columns;
            node.columns = exprs.iter().map(|expr| deparse(expr, &columns)).collect();
            node.table = None;
            node
        }
        Plan::Aggregate {
            input,
            groups,
            aggregates,
        } => describe_aggregate(input, groups, aggregates),
        Plan::Sort { input, keys } => describe_sort(input, keys),
        Plan::Limit {
            input,
            limit,
            offset,
            ties,
        } => {
            let child = describe(input);
            let mut node = Node::new(LIMIT, child.columns.clone());
            for (name, expr) in [("Limit", limit), ("Offset", offset)] {
                if let Some(expr) = expr {
                    node = node.property(name, deparse(expr, &[]));
                }
            }
            if !ties.is_empty() {
                let ties = deparse_list(ties, &node.columns);
                node = node.property("With Ties", &ties);
            }
            node.children.push(child);
            node
        }
        Plan::Join(join) => describe_join(join),
        other => describe_more(other),
    }
}

fn describe_filter(input: &Plan, predicate: &Expr) -> Node {
    let mut node = describe(input);
    if node.title == LIMIT {
        // Shown on the limit it would read as if it came before.
        let mut outer = Node::new("Subquery Scan", node.columns.clone());
        outer.children.push(node);
        node = outer;
    }
    let filter = deparse(predicate, &node.columns);
    node.property("Filter", &filter)
}

fn describe_aggregate(input: &Plan, groups: &[Expr], aggregates: &[AggregateCall]) -> Node {
    let child = describe(input);
    let mut columns: Vec<SqlText> = groups
        .iter()
        .map(|group| deparse(group, &child.columns))
        .collect();
    let group_key = SqlText::joined(&columns, ", ");
    columns.extend(
        aggregates
            .iter()
            .map(|call| show_call(call, &child.columns)),
    );
    let mut node = if groups.is_empty() {
        Node::new("Aggregate", columns)
    } else {
        Node::new("HashAggregate", columns).property("Group Key", &group_key)
    };
    node.children.push(child);
    node
}

fn describe_sort(input: &Plan, keys: &[SortKeyExpr]) -> Node {
    if let Plan::Scan(scan) = input
        && let Some(choice) = scan.in_order()
    {
        return describe_ordered_scan(scan, &choice);
    }
    let child = describe(input);
    let shown = show_keys(keys, &child.columns);
    let mut node = Node::new("Sort", child.columns.clone()).property("Sort Key", shown);
    node.children.push(child);
    node
}

/// The columns of a scan's output by name; the position column has none of its own.
fn output_names(names: &[String], columns: &[usize], with_position: bool) -> Vec<SqlText> {
    let mut shown: Vec<SqlText> = columns
        .iter()
        .map(|column| names.get(*column).map(|name| SqlText::name(name)))
        .map(Option::unwrap_or_default)
        .collect();
    if with_position {
        shown.push(sql!["ctid"]);
    }
    shown
}

fn describe_scan(scan: &ScanNode) -> Node {
    if let Some(table) = scan.table.as_deref()
        && is_named_by_key(table, &scan.asked())
    {
        let columns = output_names(&scan.column_names, &scan.columns, scan.with_position);
        return with_filter(Node::lookup(table.tree, &scan.name, columns), scan);
    }
    if let Some(IndexChoice { index, covers }) = scan.index() {
        let title = format!("{} using {}", index_scan(covers), index.name);
        return scan_node(&title, scan);
    }
    let mut node = scan_node("Seq Scan", scan);
    let table = scan.table.as_ref();
    if table.is_some_and(|table| table.hypertable.is_some()) {
        node.hypertable = Some(Box::new(scan.clone()));
    }
    node
}

/// A scan in place of a sort.
fn describe_ordered_scan(scan: &ScanNode, choice: &OrderChoice<'_>) -> Node {
    let backward = if choice.reverse { " Backward" } else { "" };
    let (kind, name) = match (choice.index, &scan.table) {
        (Some(IndexChoice { index, covers }), _) => (index_scan(covers), index.name.clone()),
        (None, Some(table)) if table.primary_key.is_empty() => {
            let skip = if scan.first_of > 0 { " Skip" } else { "" };
            return scan_node(&format!("Sorted{skip} Scan{backward}"), scan);
        }
        (None, _) => (index_scan(false), format!("{}_pkey", scan.name)),
    };
    let kind = match scan.first_of {
        0 => kind,
        _ => "Index Skip Scan",
    };
    scan_node(&format!("{kind}{backward} using {name}"), scan)
}

fn index_scan(covers: bool) -> &'static str {
    if covers {
        "Index Only Scan"
    } else {
        "Index Scan"
    }
}

fn scan_node(title: &str, scan: &ScanNode) -> Node {
    let columns = output_names(&scan.column_names, &scan.columns, scan.with_position);
    with_filter(Node::on_table(title, &scan.name, columns), scan)
}

/// A node of a scan with what the scan itself sorts out.
fn with_filter(node: Node, scan: &ScanNode) -> Node {
    if scan.predicates.is_empty() {
        return node;
    }
    let column_name = |part: KeyPart| scan.column_names.get(part.column()?);
    let name = |part: KeyPart| match (column_name(part), &scan.table) {
        (Some(name), _) => SqlText::name(name),
        (None, Some(table)) => table.label_of(part),
        (None, None) => sql!["?"],
    };
    let shown: Vec<SqlText> = scan
        .predicates
        .iter()
        .map(|predicate| match predicate {
            PushedPredicate::Fixed(PartPredicate { column, test }) => {
                deparse_predicate(&name(*column), test)
            }
            PushedPredicate::In { column, values } => {
                sql!["(", name(*column), " IN (", deparse_list(values, &[]), "))"]
            }
            PushedPredicate::Compare { column, op, value } => {
                let value = deparse(value, &[]);
                sql!["(", name(*column), " ", op.symbol(), " ", value, ")"]
            }
            PushedPredicate::Prefix { column, prefix } => {
                let begins = match prefix.form {
                    PrefixForm::Pattern => " ^@ prefix of ",
                    PrefixForm::Text => " ^@ ",
                };
                sql!["(", name(*column), begins, deparse(&prefix.value, &[]), ")"]
            }
        })
        .collect();
    node.property("Pushed Filter", all_of(&shown))
}

fn describe_lookup(lookup: &LookupNode) -> Node {
    let columns = output_names(&lookup.column_names, &lookup.columns, lookup.with_position);
    let shown: Vec<SqlText> = lookup
        .key_columns
        .iter()
        .zip(&lookup.key)
        .map(|(column, value)| {
            let name = lookup.column_names.get(*column);
            let name = name.map_or_else(|| sql!["?"], |name| SqlText::name(name));
            sql!["(", name, " = ", deparse(value, &[]), ")"]
        })
        .collect();
    Node::lookup(lookup.tree, &lookup.name, columns).property("Index Cond", all_of(&shown))
}

fn describe_join(join: &JoinNode) -> Node {
    let left = describe(&join.left);
    let right = describe(&join.right);
    let (on_left, on_right) = (left.qualified_columns(), right.qualified_columns());
    let both = [on_left.as_slice(), on_right.as_slice()].concat();
    let (hash, loop_kind) = match join.kind {
        JoinKind::Inner => ("Hash Join", ""),
        JoinKind::Left => ("Hash Left Join", " Left Join"),
        JoinKind::Right => ("Hash Right Join", " Right Join"),
        JoinKind::Full => ("Hash Full Join", " Full Join"),
        JoinKind::Semi => ("Hash Semi Join", " Semi Join"),
        JoinKind::Anti => ("Hash Anti Join", " Anti Join"),
        JoinKind::Mark => ("Hash Mark Join", " Mark Join"),
        JoinKind::Single => ("Hash Single Join", " Single Join"),
    };
    let is_hashed = !join.equal.is_empty() || matches!(join.mark, Mark::Equal(..));
    let title = if !join.outer.is_empty() {
        format!("Dependent Loop{loop_kind}")
    } else if is_hashed {
        hash.to_owned()
    } else {
        format!("Nested Loop{loop_kind}")
    };
    let columns = match join.kind {
        JoinKind::Semi | JoinKind::Anti => on_left.clone(),
        JoinKind::Mark => on_left.iter().cloned().chain([sql!["(SubPlan)"]]).collect(),
        _ => both.clone(),
    };
    let mut node = Node::new(title, columns);
    if !join.outer.is_empty() {
        let shown: Vec<SqlText> = join
            .outer
            .iter()
            .map(|(slot, expr)| sql!["$outer", *slot, " = ", deparse(expr, &on_left)])
            .collect();
        node = node.property("Outer", SqlText::joined(&shown, ", "));
    }
    if !join.equal.is_empty() {
        let shown: Vec<SqlText> = join
            .equal
            .iter()
            .map(|(left, right)| {
                let right = deparse(right, &on_right);
                sql!["(", deparse(left, &on_left), " = ", right, ")"]
            })
            .collect();
        node = node.property("Hash Cond", all_of(&shown));
    }
    if let Some(residual) = &join.residual {
        node = node.property("Join Filter", deparse(residual, &both));
    }
    match &join.mark {
        Mark::Exists => {}
        Mark::Equal(left, right) => {
            let (left, right) = (deparse(left, &on_left), deparse(right, &on_right));
            node = node.property("Mark", sql!["(", left, " = ", right, ")"]);
        }
        Mark::Condition(condition) => {
            node = node.property("Mark", deparse(condition, &both));
        }
    }
    node.children.push(left);
    node.children.push(right);
    node
}

/// Conditions joined by AND, in parentheses where there are several.
fn all_of(conditions: &[SqlText]) -> SqlText {
    match conditions {
        [one] => one.clone(),
        several => sql!["(", SqlText::joined(several, " AND "), ")"],
    }
}

fn show_call(call: &AggregateCall, columns: &[SqlText]) -> SqlText {
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = show_keys(&call.order, columns);
    let args = match (call.args.as_slice(), call.function.direct_arguments()) {
        ([], _) => sql!["*"],
        (args, None) if order.is_empty() => deparse_list(args, columns),
        (args, None) => sql![deparse_list(args, columns), " ORDER BY ", order],
        (args, Some(direct)) => {
            let direct = args.get(..direct.min(call.order.len())).unwrap_or_default();
            let direct = deparse_list(direct, columns);
            sql![direct, ") WITHIN GROUP (ORDER BY ", order]
        }
    };
    let filter = match &call.filter {
        None => SqlText::default(),
        Some(filter) => sql![" FILTER (WHERE ", deparse(filter, columns), ")"],
    };
    let name = call.function.name();
    sql![name, "(", distinct, args, ")", filter]
}

/// Keys with commas between them.
pub(crate) fn show_keys(keys: &[SortKeyExpr], columns: &[SqlText]) -> SqlText {
    let shown = keys.iter().map(|key| show_key(key, columns));
    SqlText::joined(&shown.collect::<Vec<SqlText>>(), ", ")
}

fn show_key(key: &SortKeyExpr, columns: &[SqlText]) -> SqlText {
    let mut shown = deparse(&key.expr, columns);
    if key.descending {
        shown.push(" DESC");
    }
    if key.nulls_first != key.descending {
        shown.push(if key.nulls_first {
            " NULLS FIRST"
        } else {
            " NULLS LAST"
        });
    }
    shown
}
