//! The lines of the nodes that are neither scans nor joins nor what a plain SELECT has.

use varve_catalog::model::deparse::{deparse, deparse_list};
use varve_types::{SqlText, sql};

use super::{Node, describe, show_keys};
use crate::plan::window::{WindowCall, WindowNode};
use crate::plan::{Plan, ProjectSetNode};

/// A node with one or more inputs whose columns are those of the first.
fn over(title: impl Into<String>, inputs: &[&Plan]) -> Node {
    let children: Vec<Node> = inputs.iter().map(|input| describe(input)).collect();
    let columns = children.first().map(|child| child.columns.clone());
    let mut node = Node::new(title, columns.unwrap_or_default());
    node.children = children;
    node
}

pub(super) fn describe_more(plan: &Plan) -> Node {
    match plan {
        Plan::Append { inputs, .. } => {
            let inputs: Vec<&Plan> = inputs.iter().collect();
            over("Append", &inputs)
        }
        Plan::SetOperation(node) => {
            let name = if node.except { "Except" } else { "Intersect" };
            let all = if node.all { " All" } else { "" };
            over(format!("HashSetOp {name}{all}"), &[&node.left, &node.right])
        }
        Plan::With(node) => {
            let mut shown = describe(&node.body);
            let mut definition = describe(&node.definition);
            definition.title = format!("CTE {}: {}", node.name, definition.title);
            shown.children.insert(0, definition);
            shown
        }
        Plan::CteScan(scan) => {
            let columns = scan.column_names.iter();
            let columns = columns.map(|name| SqlText::name(name));
            Node::on_table("CTE Scan", &scan.name, columns.collect())
        }
        Plan::Recursive(node) => over("Recursive Union", &[&node.base, &node.step]),
        Plan::First { input, keys } => {
            let node = over("Unique", &[input]);
            let keys = deparse_list(keys, &node.columns);
            node.property("Key", &keys)
        }
        Plan::ProjectSet(node) => describe_project_set(node),
        Plan::Window(node) => describe_window(node),
        Plan::Lock(node) => over("LockRows", &[&node.input]),
        Plan::Sample { input, percent, .. } => {
            over("Sample", &[input]).property("Percent", deparse(percent, &[]))
        }
        _ => Node::new("Result", Vec::new()),
    }
}

fn describe_project_set(node: &ProjectSetNode) -> Node {
    let mut shown = over("ProjectSet", &[&node.input]);
    let inner = shown.columns.clone();
    for call in &node.calls {
        let name = call.function.name();
        let args = deparse_list(&call.args, &inner);
        let names = call.function.columns();
        if names.is_empty() {
            shown.columns.push(sql![name, "(", args, ")"]);
        }
        let names = names.iter();
        let names = names.map(|(column, _)| sql![name, ".", SqlText::name(column)]);
        shown.columns.extend(names);
    }
    if node.ordinality {
        shown.columns.push(sql!["ordinality"]);
    }
    shown
}

fn describe_window(node: &WindowNode) -> Node {
    let mut shown = over("WindowAgg", &[&node.input]);
    let inner = shown.columns.clone();
    let calls: Vec<SqlText> = node
        .calls
        .iter()
        .map(|call| show_call(call, &inner))
        .collect();
    shown = shown.property("Calls", SqlText::joined(&calls, ", "));
    if !node.partition.is_empty() {
        shown = shown.property("Partition By", deparse_list(&node.partition, &inner));
    }
    if !node.order.is_empty() {
        shown = shown.property("Order By", show_keys(&node.order, &inner));
    }
    shown.columns.extend(calls);
    shown
}

fn show_call(call: &WindowCall, columns: &[SqlText]) -> SqlText {
    let args = deparse_list(&call.args, columns);
    sql![call.function.name(), "(", args, ") OVER (?)"]
}
