//! What transaction number `i` does, given which transactions there are before it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::SplitMix64;
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varve_store::StoreSettings;
use varve_types::{Column, ColumnRef, LogicalType, Value};
use varvedb::{Database, Options, Session, SystemEnv};

/// Keys of a transaction begin at its number times this.
pub const KEYS: i64 = 10_000;

/// What a transaction does to the rows of `data`: a key, the transaction that wrote it last, a
/// text. Each has a row in `journal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Inserts so many rows of its own.
    Insert(i64),
    /// The same, by a bulk load.
    Load(i64),
    /// Takes over the rows with even keys of an earlier one.
    Update(i64),
    /// Deletes the rows with odd keys of an earlier one.
    Delete(i64),
}

/// What transaction `token` does, and how durable its commit is.
pub fn work(token: i64) -> (Work, &'static str) {
    let mut random = SplitMix64::new(token.cast_unsigned());
    let earlier = 1 + random.up_to(token.cast_unsigned().saturating_sub(2)) as i64;
    let work = match random.up_to(15) {
        0 => Work::Insert(1000 + random.up_to(2000) as i64),
        1 => Work::Load(1000 + random.up_to(4000) as i64),
        2..=5 => Work::Update(earlier),
        6..=7 => Work::Delete(earlier),
        _ => Work::Insert(1 + random.up_to(20) as i64),
    };
    let durability = match random.coin() {
        true => "strict",
        false => "relaxed",
    };
    (work, durability)
}

pub type Rows = BTreeMap<i64, (i64, String)>;

/// What the transaction leaves.
pub fn apply(rows: &mut Rows, token: i64) {
    match work(token).0 {
        Work::Insert(count) | Work::Load(count) => {
            rows.extend((0..count).map(|i| (token * KEYS + i, (token, text(token, i)))));
        }
        Work::Update(other) => {
            for (key, row) in rows.range_mut(other * KEYS..(other + 1) * KEYS) {
                if key % 2 == 0 {
                    row.0 = token;
                }
            }
        }
        Work::Delete(other) => {
            rows.retain(|key, _| key / KEYS != other || key % 2 == 0);
        }
    }
}

pub fn text(token: i64, i: i64) -> String {
    format!("row {i} of {token}, {}", i * token % 97)
}

/// The columns of `data`.
pub fn columns(rows: &[(i64, i64, String)]) -> Vec<ColumnRef> {
    let numbers = |pick: fn(&(i64, i64, String)) -> i64| {
        let values: Vec<Value> = rows.iter().map(|row| Value::Int8(pick(row))).collect();
        Arc::new(Column::from_values(LogicalType::Int8, &values))
    };
    let texts: Vec<Value> = rows.iter().map(|row| Value::text(row.2.as_str())).collect();
    let texts = Arc::new(Column::from_values(LogicalType::Text, &texts));
    vec![numbers(|row| row.0), numbers(|row| row.1), texts]
}

/// The rows that a statement answers, which must not fail.
pub fn run(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    match block_on(session.query(sql, &[])) {
        Ok(answer) => answer.rows(),
        Err(error) => panic!("{sql}: {error:?}"),
    }
}

/// Opens the database under bounds so small that every few commits flush or spill.
pub fn open(folder: &Path) -> Database {
    let kv = RocksKv::open(folder, &RocksOptions::default()).expect("RocksDB opens");
    let options = Options {
        memory_limit_bytes: 256 << 20,
        store: StoreSettings {
            memtable_bytes_max: 128 << 10,
            log_values_max: 16,
            write_batch_bytes_max: 32 << 10,
            ..StoreSettings::native()
        },
        ..Options::native()
    };
    let database = Database::open(Arc::new(kv), Arc::new(SystemEnv::new()), options);
    block_on(database).expect("the database opens")
}
