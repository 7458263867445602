//! What single statements take, in memory, in this process, after a warm-up: `cargo run --release
//! -p varvedb --example statements`.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{Env, Result, Value};
use varvedb::{Database, Options, Session, SystemEnv};

/// Rows of the table.
const ROWS: i64 = 100_000;
/// Calls that are measured together.
const CALLS: i64 = 20_000;

const CREATE: &str = "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer_id BIGINT NOT NULL, \
    at TIMESTAMP NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, items INTEGER NOT NULL, \
    amount DOUBLE PRECISION NOT NULL, email TEXT NOT NULL, note TEXT)";
const INSERT: &str = "INSERT INTO orders VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

fn main() -> Result<()> {
    pollster::block_on(run())
}

async fn run() -> Result<()> {
    let clock = SystemEnv::new();
    let kv = Arc::new(MemoryKv::new());
    let env = Arc::new(SystemEnv::new());
    let database = Database::open(kv, env, Options::native()).await?;
    let mut session = database.session();
    session.query(CREATE, &[]).await?;
    session.query("BEGIN", &[]).await?;
    for id in 0..ROWS {
        session.query(INSERT, &row(id)).await?;
    }
    session.query("COMMIT", &[]).await?;

    point_reads(&clock, &mut session, "memtable").await?;
    changes(&clock, &mut session, "memtable").await?;
    database.flush().await?;
    point_reads(&clock, &mut session, "run").await?;
    changes(&clock, &mut session, "run").await?;
    Ok(())
}

async fn point_reads(clock: &SystemEnv, session: &mut Session, place: &str) -> Result<()> {
    let start_us = clock.monotonic_us();
    for _ in 0..CALLS {
        session.query("SELECT 1", &[]).await?;
    }
    report(clock, &format!("{place}: constant"), start_us, CALLS);

    let all = "SELECT * FROM orders WHERE id = $1";
    let one = "SELECT status FROM orders WHERE id = $1";
    for (name, sql) in [("all columns", all), ("one column", one)] {
        let start_us = clock.monotonic_us();
        for call in 0..CALLS {
            let key = [Value::Int8(call * 7919 % ROWS)];
            let found = session.query(sql, &key).await?;
            assert_eq!(found.row_count(), 1, "each key is there");
        }
        report(clock, &format!("{place}: get, {name}"), start_us, CALLS);

        let prepared = session.prepare(sql, &[]).await?;
        let start_us = clock.monotonic_us();
        for call in 0..CALLS {
            let key = [Value::Int8(call * 7919 % ROWS)];
            session.execute_prepared(&prepared, &key).await?;
        }
        let name = format!("{place}: get, {name}, prepared");
        report(clock, &name, start_us, CALLS);
    }
    Ok(())
}

async fn changes(clock: &SystemEnv, session: &mut Session, place: &str) -> Result<()> {
    let first = if place == "run" { 2 * ROWS } else { ROWS };
    let start_us = clock.monotonic_us();
    for id in first..first + CALLS {
        session.query(INSERT, &row(id)).await?;
    }
    report(clock, &format!("{place}: insert"), start_us, CALLS);

    let start_us = clock.monotonic_us();
    for hundred in 0..CALLS / 100 {
        session.query("BEGIN", &[]).await?;
        for id in 0..100 {
            let id = first + CALLS + hundred * 100 + id;
            session.query(INSERT, &row(id)).await?;
        }
        session.query("COMMIT", &[]).await?;
    }
    let name = format!("{place}: 100 inserts in a transaction");
    report(clock, &name, start_us, CALLS / 100);

    let rows: Vec<String> = (0..100)
        .map(|row| {
            let cells: Vec<String> = (1..=9).map(|cell| format!("${}", row * 9 + cell)).collect();
            format!("({})", cells.join(", "))
        })
        .collect();
    let sql = format!("INSERT INTO orders VALUES {}", rows.join(", "));
    let start_us = clock.monotonic_us();
    for hundred in 0..CALLS / 100 {
        let start = first + 2 * CALLS + hundred * 100;
        let values: Vec<Value> = (start..start + 100).flat_map(row).collect();
        session.query(&sql, &values).await?;
    }
    let name = format!("{place}: insert of 100 rows");
    report(clock, &name, start_us, CALLS / 100);

    let update = "UPDATE orders SET status = $2 WHERE id = $1";
    let start_us = clock.monotonic_us();
    for call in 0..CALLS {
        let values = [Value::Int8(call * 7919 % ROWS), Value::text("returned")];
        session.query(update, &values).await?;
    }
    report(clock, &format!("{place}: update"), start_us, CALLS);

    let start_us = clock.monotonic_us();
    for id in first..first + CALLS {
        let delete = "DELETE FROM orders WHERE id = $1";
        session.query(delete, &[Value::Int8(id)]).await?;
    }
    report(clock, &format!("{place}: delete"), start_us, CALLS);
    Ok(())
}

fn row(id: i64) -> Vec<Value> {
    let text = |words: &[&str]| {
        let at = usize::try_from(id.unsigned_abs()).unwrap_or(0) % words.len();
        Value::text(words.get(at).copied().unwrap_or_default())
    };
    vec![
        Value::Int8(id),
        Value::Int8(id * 31 % 10_000),
        Value::Timestamp(1_600_000_000_000_000 + id * 1_000_000),
        text(&["new", "paid", "packed", "shipped", "delivered", "returned"]),
        text(&["north", "east", "south", "west"]),
        Value::Int4(3),
        Value::Float8(12.5),
        Value::text(format!("ada.lane{id}@example.org")),
        text(&["leave at the back gate, ring twice, please call before"]),
    ]
}

fn report(clock: &SystemEnv, name: &str, start_us: u64, calls: i64) {
    let us = clock.monotonic_us().saturating_sub(start_us);
    let calls = calls.unsigned_abs().max(1);
    let ns = us * 1000 / calls;
    println!("{name:45} {:>6}.{:02} us", ns / 1000, ns % 1000 / 10);
}
