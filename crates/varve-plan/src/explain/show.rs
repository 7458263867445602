//! A plan as it is shown: lines of text, or JSON in the form of PostgreSQL's.

use varve_types::SqlText;

use super::Node;
use crate::plan::statement::ExplainOptions;

/// What a node of a plan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeActual {
    /// Rows that it gave.
    pub rows: u64,
    /// Time until its last row, that of its inputs included.
    pub elapsed_us: u64,
}

/// What a statement did.
#[derive(Clone, Debug, Default)]
pub struct StatementActual {
    /// Its nodes in pre-order.
    pub nodes: Vec<NodeActual>,
    /// Rows that it gave or changed.
    pub rows: u64,
    /// Time that it took.
    pub elapsed_us: u64,
    /// Time that was taken before to parse it, to plan it, and to begin its transaction.
    pub before_us: [u64; 3],
    /// Pages, and groups made of them, that caches had meanwhile.
    pub pages_hit: u64,
    /// Pages that were read meanwhile.
    pub pages_read: u64,
    /// Vectors of columns that were decoded, filtered or taken rows of.
    pub vectors_decoded: u64,
    /// Vectors of columns of which zone maps told all that was wanted.
    pub vectors_known: u64,
}

impl StatementActual {
    /// What took how long, in order. The commit comes after the answer.
    fn phases(&self) -> [(&'static str, u64); 4] {
        let [parse, plan, begin] = self.before_us;
        [
            ("Parsing Time", parse),
            ("Begin Time", begin),
            ("Planning Time", plan),
            ("Execution Time", self.elapsed_us),
        ]
    }
}

fn milliseconds(us: u64) -> String {
    format!("{}.{:03}", us / 1000, us % 1000)
}

/// The lines of a node and those below it.
pub(super) fn lines(
    node: &Node,
    depth: usize,
    options: &ExplainOptions,
    actual: &dyn Fn(&Node) -> Option<NodeActual>,
    lines_out: &mut Vec<String>,
) {
    // PostgreSQL's layout: six columns a level, the arrow in the first of them.
    let (before, inside) = match depth {
        0 => (String::new(), " ".repeat(2)),
        _ => (
            format!("{}->  ", " ".repeat(6 * depth - 4)),
            " ".repeat(6 * depth + 2),
        ),
    };
    let mut line = format!("{before}{}", node.title);
    if let Some(NodeActual { rows, elapsed_us }) = actual(node) {
        let time = match options.timing {
            true => format!("time={} ", milliseconds(elapsed_us)),
            false => String::new(),
        };
        line.push_str(&format!(" (actual {time}rows={rows})"));
    }
    lines_out.push(line);
    if options.verbose && !node.columns.is_empty() {
        lines_out.push(format!(
            "{inside}Output: {}",
            SqlText::joined(&node.columns, ", ")
        ));
    }
    for property in &node.properties {
        lines_out.push(format!("{inside}{property}"));
    }
    for child in &node.children {
        lines(child, depth + 1, options, actual, lines_out);
    }
}

/// The lines below the plan.
pub(super) fn summary_lines(
    options: &ExplainOptions,
    actual: &StatementActual,
    lines_out: &mut Vec<String>,
) {
    lines_out.push(format!("Rows: {}", actual.rows));
    if options.buffers {
        let (hit, read) = (actual.pages_hit, actual.pages_read);
        lines_out.push(format!("Buffers: shared hit={hit} read={read}"));
    }
    if options.summary {
        for (name, us) in actual.phases() {
            lines_out.push(format!("{name}: {} ms", milliseconds(us)));
        }
    }
}

/// A node in the form of SQLite's EXPLAIN QUERY PLAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlanRow {
    /// Its number, from 1.
    pub id: i32,
    /// The number of the node above it; 0 for none.
    pub parent: i32,
    /// What it does.
    pub detail: String,
}

/// The rows of a node and those below it.
pub(super) fn query_plan_rows(node: &Node, parent: i32, rows: &mut Vec<QueryPlanRow>) {
    let id = i32::try_from(rows.len())
        .unwrap_or(i32::MAX)
        .saturating_add(1);
    let mut detail = match node.title.split_once(" using ") {
        Some((scan, rest)) => {
            let (index, table) = rest.split_once(" on ").unwrap_or((rest, ""));
            let covering = if scan.starts_with("Index Only") {
                "COVERING "
            } else {
                ""
            };
            format!("{scan} on {table} USING {covering}INDEX {index}")
        }
        None if node.looked_up.is_some() => format!("{} USING PRIMARY KEY", node.title),
        None => node.title.clone(),
    };
    if !node.properties.is_empty() {
        detail.push_str(&format!(" ({})", node.properties.join("; ")));
    }
    rows.push(QueryPlanRow { id, parent, detail });
    for child in &node.children {
        query_plan_rows(child, id, rows);
    }
}

/// The plan as a JSON document of one statement.
pub(super) fn json(
    node: &Node,
    options: &ExplainOptions,
    actual_of: &dyn Fn(&Node) -> Option<NodeActual>,
    actual: Option<&StatementActual>,
) -> String {
    let mut entries = vec![("Plan".to_owned(), json_node(node, 4, options, actual_of))];
    if let Some(actual) = actual {
        entries.push(("Rows".to_owned(), actual.rows.to_string()));
        if options.buffers {
            let count = |name: &str, pages: u64| (name.to_owned(), pages.to_string());
            entries.push(count("Shared Hit Blocks", actual.pages_hit));
            entries.push(count("Shared Read Blocks", actual.pages_read));
        }
        if options.summary {
            let phases = actual.phases().into_iter();
            entries.extend(phases.map(|(name, us)| (name.to_owned(), milliseconds(us))));
        }
    }
    format!("[\n  {}\n]", object(&entries, 2))
}

fn json_node(
    node: &Node,
    indent: usize,
    options: &ExplainOptions,
    actual: &dyn Fn(&Node) -> Option<NodeActual>,
) -> String {
    let mut entries = Vec::new();
    let mut add = |name: &str, value: String| entries.push((name.to_owned(), value));
    let mut title = node.title.as_str();
    if let Some((subplan, rest)) = title.split_once(": ") {
        add("Subplan Name", quoted(subplan));
        title = rest;
    }
    let (title, relation) = match title.split_once(" on ") {
        Some((title, relation)) => (title, Some(relation)),
        None => (title, None),
    };
    let (title, index) = match title.split_once(" using ") {
        Some((title, index)) => (title, Some(index)),
        None => (title, None),
    };
    add("Node Type", quoted(title));
    if let Some(index) = index {
        add("Index Name", quoted(index));
    }
    if let Some(relation) = relation {
        add("Relation Name", quoted(relation));
    }
    if let Some(NodeActual { rows, elapsed_us }) = actual(node) {
        if options.timing {
            add("Actual Total Time", milliseconds(elapsed_us));
        }
        add("Actual Rows", rows.to_string());
    }
    if options.verbose && !node.columns.is_empty() {
        let columns: Vec<String> = node
            .columns
            .iter()
            .map(|column| quoted(column.as_str()))
            .collect();
        add("Output", format!("[{}]", columns.join(", ")));
    }
    for property in &node.properties {
        let (name, value) = property.split_once(": ").unwrap_or((property, ""));
        add(name, quoted(value));
    }
    if !node.children.is_empty() {
        let inner = indent + 4;
        let space = " ".repeat(inner);
        let children: Vec<String> = node
            .children
            .iter()
            .map(|child| format!("{space}{}", json_node(child, inner, options, actual)))
            .collect();
        let close = " ".repeat(indent + 2);
        add("Plans", format!("[\n{}\n{close}]", children.join(",\n")));
    }
    object(&entries, indent)
}

/// An object whose braces stand `indent` columns in.
fn object(entries: &[(String, String)], indent: usize) -> String {
    let space = " ".repeat(indent + 2);
    let entries: Vec<String> = entries
        .iter()
        .map(|(name, value)| format!("{space}{}: {value}", quoted(name)))
        .collect();
    format!("{{\n{}\n{}}}", entries.join(",\n"), " ".repeat(indent))
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            other if u32::from(other) < 0x20 => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(other)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
