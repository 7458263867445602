//! D10: the small tables of in-engine and wire benchmarks.

use super::column::{boolean, float64, int64, text};
use crate::set::{Column, Set};

const MAIN_ROWS: i64 = 1000;
const ORDERS_ROWS: i64 = 500;
const WIRE_MAIN_ROWS: i64 = 10_000;
const WIRE_ORDERS_ROWS: i64 = 5000;
const CATEGORIES: [&str; 10] = [
    "books", "garden", "games", "grocery", "health", "home", "music", "office", "sports", "tools",
];
const STATUSES: [&str; 4] = ["pending", "shipped", "delivered", "cancelled"];

pub(super) fn bench_main(name: &str, _: usize) -> Set {
    let columns = vec![
        int64("id", 0..MAIN_ROWS),
        names(MAIN_ROWS),
        int64("age", (0..MAIN_ROWS).map(|i| 20 + i % 50)),
        float64("score", (0..MAIN_ROWS).map(|i| i as f64 * 1.5)),
        boolean("active", (0..MAIN_ROWS).map(|i| i % 3 == 0)),
    ];
    Set::new(name, columns)
}

pub(super) fn bench_orders(name: &str, _: usize) -> Set {
    let status = |i: i64| if i % 4 == 0 { "shipped" } else { "pending" };
    let columns = vec![
        int64("id", 0..ORDERS_ROWS),
        int64("user_id", (0..ORDERS_ROWS).map(|i| i % 200)),
        float64("amount", (0..ORDERS_ROWS).map(|i| 10.0 + 0.75 * i as f64)),
        text("status", (0..ORDERS_ROWS).map(status)),
    ];
    Set::new(name, columns)
}

pub(super) fn wire_main(name: &str, _: usize) -> Set {
    let score = |i: i64| rounded(i % 100 * 95);
    let category = |i: i64| CATEGORIES[(i % 10) as usize];
    let columns = vec![
        int64("id", 0..WIRE_MAIN_ROWS),
        names(WIRE_MAIN_ROWS),
        int64("age", (0..WIRE_MAIN_ROWS).map(|i| 18 + i % 62)),
        float64("score", (0..WIRE_MAIN_ROWS).map(score)),
        boolean("active", (0..WIRE_MAIN_ROWS).map(|i| i % 3 != 0)),
        text("category", (0..WIRE_MAIN_ROWS).map(category)),
    ];
    Set::new(name, columns)
}

pub(super) fn wire_orders(name: &str, _: usize) -> Set {
    let status = |i: i64| STATUSES[(i % 4) as usize];
    let columns = vec![
        int64("id", 0..WIRE_ORDERS_ROWS),
        int64("user_id", (0..WIRE_ORDERS_ROWS).map(|i| i % 5000)),
        float64(
            "amount",
            (0..WIRE_ORDERS_ROWS).map(|i| rounded(1000 + i % 500 * 150)),
        ),
        text("status", (0..WIRE_ORDERS_ROWS).map(status)),
    ];
    Set::new(name, columns)
}

fn names(rows: i64) -> Column {
    text("name", (0..rows).map(|i| format!("user_{i}")))
}

fn rounded(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}
