//! What holds for every plan: cancelling, dropping half-way, making way, refused memory.

use core::future::Future;
use core::sync::atomic::Ordering;
use core::task::{Context, Waker};

use varve_expr::{AggregateFunction as F, Expr};
use varve_plan::{JoinKind, JoinNode, Mark, Plan};
use varve_types::{CompareOp, LogicalType, SqlState, Value};

use crate::testing::{Setting, batches_of, by, call, column, compare, limit, literal, show};
use crate::{NodeProfile, execute, execute_instrumented};

const INT4: LogicalType = LogicalType::Int4;

fn setting(rows: i32) -> Setting {
    let rows: Vec<Vec<Value>> = (0..rows)
        .map(|i| vec![Value::Int4(i % 97), Value::text(i.to_string())])
        .collect();
    let mut setting = Setting::with(batches_of("it", &rows, 100));
    setting.add_table(batches_of("it", &rows[..rows.len() / 20], 100));
    setting
}

fn number() -> Expr {
    column(0, INT4)
}

/// A plan of each kind over two tables of a number and a text.
fn plans(setting: &Setting) -> Vec<(&'static str, Plan)> {
    let scan = || Box::new(setting.scan(0, "it"));
    let sort = || Plan::Sort {
        input: scan(),
        keys: vec![by(number(), true)],
    };
    let join = |equal| JoinNode {
        kind: JoinKind::Inner,
        mark: Mark::Exists,
        outer: Vec::new(),
        left: scan(),
        right: Box::new(setting.scan(1, "it")),
        equal,
        residual: Some(compare(number(), CompareOp::GtEq, column(2, INT4))),
    };
    vec![
        ("scan", *scan()),
        (
            "filter",
            Plan::Filter {
                input: scan(),
                predicate: compare(number(), CompareOp::Lt, literal(Value::Int4(5))),
            },
        ),
        (
            "project",
            Plan::Project {
                input: scan(),
                exprs: vec![number()],
            },
        ),
        (
            "aggregate",
            Plan::Aggregate {
                input: scan(),
                groups: vec![column(1, LogicalType::Text)],
                aggregates: vec![call(F::CountStar, None)],
            },
        ),
        (
            "distinct",
            Plan::Aggregate {
                input: scan(),
                groups: vec![number()],
                aggregates: Vec::new(),
            },
        ),
        ("sort", sort()),
        ("top-n", limit(sort(), Some(10), Some(2))),
        ("limit", limit(*scan(), Some(150), Some(20))),
        ("hash join", Plan::Join(join(vec![(number(), number())]))),
        ("cross join", Plan::Join(join(Vec::new()))),
    ]
}

/// Polls a run up to `polls` times, then drops it wherever it waits; true when it came to its end.
fn run_partly(setting: &Setting, plan: &Plan, polls: usize) -> bool {
    let context = setting.context();
    let run = async {
        let mut stream = execute(plan, &context).unwrap();
        while stream.next().await.unwrap().is_some() {}
    };
    let mut run = Box::pin(run);
    let mut task = Context::from_waker(Waker::noop());
    let ended = (0..polls).any(|_| run.as_mut().poll(&mut task).is_ready());
    drop(run);
    setting.assert_clean();
    ended
}

#[test]
fn a_cancelled_query_stops_with_57014_at_whatever_point() {
    // Where memory is short, sorts are cancelled while they spill and merge too.
    for limit_bytes in [1 << 30, 300_000] {
        let setting = setting(2000);
        for (name, plan) in plans(&setting) {
            setting
                .memory
                .set_limit_bytes(limit_bytes.max(if name == "sort" { 0 } else { 1 << 20 }));
            let mut checks = 0;
            loop {
                setting.cancel.checks_left.set(checks);
                match setting.run(&plan) {
                    Ok(_) => break,
                    Err(error) => assert_eq!(error.state(), SqlState::QUERY_CANCELED, "{name}"),
                }
                checks += 1 + checks / 8;
            }
            assert!(checks > 1, "{name} asks while it runs");
        }
    }
}

#[test]
fn a_stream_dropped_half_way_gives_all_back() {
    for (name, plan) in plans(&setting(2000)) {
        let setting = setting(2000);
        if name == "sort" {
            setting.memory.set_limit_bytes(300_000);
        }
        let mut polls = 0;
        while !run_partly(&setting, &plan, polls) {
            polls += 1 + polls / 4;
        }
        assert!(polls > 2, "{name}");
    }
}

#[test]
fn work_makes_way_after_each_slice() {
    for (name, plan) in plans(&setting(2000)) {
        let setting = setting(2000);
        setting.run(&plan).unwrap();
        let yields = setting.env.yields.load(Ordering::Relaxed);
        // The clock goes on by a millisecond a look, and a slice is eight.
        let batches = setting.source.batches_given.get();
        assert!(
            yields >= batches / 10,
            "{name}: {yields} yields in {batches} batches"
        );
    }
}

#[test]
fn memory_refused_is_53200_or_spilled() {
    for (name, plan) in plans(&setting(2000)) {
        let setting = setting(2000);
        let expected = show(&setting.run(&plan).unwrap());
        for limit_bytes in [0, 1000, 20_000, 100_000] {
            setting.memory.set_limit_bytes(limit_bytes);
            match setting.run(&plan) {
                Ok(answer) => assert_eq!(show(&answer), expected, "{name} {limit_bytes}"),
                Err(error) => assert_eq!(error.state(), SqlState::OUT_OF_MEMORY, "{name}"),
            }
        }
    }
}

#[test]
fn a_failing_source_passes_its_error_on() {
    let setting = setting(100);
    let plan = Plan::Scan(varve_plan::ScanNode {
        table: None,
        relation: varve_plan::Relation::System(varve_plan::SystemView::Tables),
        name: "varve_tables".to_owned(),
        column_names: Vec::new(),
        columns: Vec::new(),
        types: Vec::new(),
        predicates: Vec::new(),
        with_position: false,
        order: Vec::new(),
        first_of: 0,
    });
    let error = setting.run(&plan).unwrap_err();
    assert_eq!(error.state(), SqlState::FEATURE_NOT_SUPPORTED);
}

#[test]
fn an_instrumented_run_counts_by_node() {
    let mut setting = setting(1000);
    setting.source.knows_counts = true;
    let (scan_0, scan_1) = (setting.scan(0, "it"), setting.scan(1, "it"));
    let counted = Plan::Aggregate {
        input: Box::new(scan_1),
        groups: Vec::new(),
        aggregates: vec![call(F::CountStar, None)],
    };
    let join = Plan::Join(JoinNode {
        kind: JoinKind::Inner,
        mark: Mark::Exists,
        outer: Vec::new(),
        left: Box::new(limit(scan_0, Some(250), None)),
        right: Box::new(counted),
        equal: Vec::new(),
        residual: None,
    });
    let context = setting.context();
    let nodes = pollster::block_on(async {
        let (mut stream, profile) = execute_instrumented(&join, &context).unwrap();
        while stream.next().await.unwrap().is_some() {}
        profile.nodes()
    });
    let counts = |node: &NodeProfile| (node.rows, node.batches);
    // Join, limit, scan, aggregate, and the scan that the aggregate did not need.
    let expected = [(250, 3), (250, 3), (300, 3), (1, 1), (0, 0)];
    let counted: Vec<_> = nodes.iter().map(counts).collect();
    assert_eq!(counted, expected);
    assert!(nodes[0].elapsed_us >= nodes[1].elapsed_us);
    assert!(nodes[1].elapsed_us >= nodes[2].elapsed_us);
}
