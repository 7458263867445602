//! VarveDB through its facade, in memory or on RocksDB.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollster::block_on;
use varve_bench::set::{Column as SetColumn, Values};
use varve_kv::{Kv, MemoryKv};
use varve_types::{Bitmap, Column, ColumnBuilder, ColumnData, ColumnRef, LogicalType, Value};
use varvedb::{
    BulkLoadOptions, Database, Encryption, Options, Prepared, ResultSet, Session, SystemEnv,
};

use crate::engine::{Durability, Engine};
use crate::rows::{Order, Orders, text_of, texts};

const CREATE: &str = "CREATE TABLE orders (id BIGINT PRIMARY KEY, ts BIGINT NOT NULL, \
    customer_id INT NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, \
    email TEXT NOT NULL, price DOUBLE PRECISION NOT NULL, note TEXT)";
const INSERT: &str = "INSERT INTO orders VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const LOOKUP: &str = "SELECT price FROM orders WHERE id = $1";
const RANGE: &str = "SELECT id, price FROM orders WHERE id BETWEEN $1 AND $2 ORDER BY id";
const UPDATE: &str = "UPDATE orders SET price = $1 WHERE id = $2";
const DELETE: &str = "DELETE FROM orders WHERE id BETWEEN $1 AND $2";

/// Of the encrypted database.
const PASSPHRASE: &str = "no secret";
/// Rows that a load is given at once.
const BATCH_ROWS: usize = 65_536;

/// A database of ours.
pub struct Varve {
    folder: Option<PathBuf>,
    /// In memory: what outlives the handle.
    memory: Arc<MemoryKv>,
    encryption: Option<Encryption>,
    open: Option<Open>,
    /// What is to be loaded.
    input: Vec<Vec<ColumnRef>>,
}

struct Open {
    database: Database,
    session: Session,
    /// Statements that were run before, by their text.
    prepared: Vec<(&'static str, Prepared)>,
}

impl Varve {
    /// A new database: on RocksDB in this folder, or in memory.
    pub fn new(folder: Option<&Path>) -> Varve {
        Varve::created(folder, None)
    }

    /// A new encrypted database on RocksDB in this folder.
    pub fn encrypted(folder: &Path) -> Varve {
        Varve::created(Some(folder), Some(Encryption::passphrase(PASSPHRASE)))
    }

    fn created(folder: Option<&Path>, encryption: Option<Encryption>) -> Varve {
        let mut varve = Varve {
            folder: folder.map(|folder| folder.join("varve")),
            memory: Arc::new(MemoryKv::new()),
            encryption,
            open: None,
            input: Vec::new(),
        };
        Engine::open(&mut varve);
        varve.run(CREATE, &[]);
        varve
    }

    fn opened(&mut self) -> &mut Open {
        self.open.as_mut().expect("it is open")
    }

    fn run(&mut self, sql: &str, parameters: &[Value]) -> ResultSet {
        block_on(self.opened().session.query(sql, parameters)).expect(sql)
    }

    /// Runs a statement that is prepared when it is first seen.
    fn run_prepared(&mut self, sql: &'static str, parameters: &[Value]) -> ResultSet {
        let Open {
            session, prepared, ..
        } = self.opened();
        let at = prepared.iter().position(|(text, _)| *text == sql);
        let at = at.unwrap_or_else(|| {
            let statement = block_on(session.prepare(sql, &[])).expect(sql);
            prepared.push((sql, statement));
            prepared.len() - 1
        });
        block_on(session.execute_prepared(&prepared[at].1, parameters)).expect(sql)
    }
}

#[cfg(feature = "disk")]
fn on_disk(folder: &Path) -> Arc<dyn Kv> {
    use varve_kv_rocksdb::{RocksKv, RocksOptions};
    Arc::new(RocksKv::open(folder, &RocksOptions::default()).expect("RocksDB opens"))
}

#[cfg(not(feature = "disk"))]
fn on_disk(_: &Path) -> Arc<dyn Kv> {
    panic!("built without the feature disk");
}

fn values(row: &Order<'_>) -> [Value; 8] {
    let int4 = |number: i64| Value::Int4(i32::try_from(number).expect("an integer of 32 bits"));
    [
        Value::Int8(row.id),
        Value::Int8(row.ts),
        int4(row.customer_id),
        Value::text(row.status),
        Value::text(row.region),
        Value::text(row.email),
        Value::Float8(row.price),
        row.note.map_or(Value::Null, Value::text),
    ]
}

/// Some rows of a generated column, as the engine takes them.
fn column(column: &SetColumn, start: usize, end: usize) -> Column {
    let validity = column.validity.as_ref().map(|validity| {
        let mut bits = Bitmap::new();
        validity[start..end].iter().for_each(|bit| bits.push(*bit));
        bits
    });
    let (ty, data) = match &column.values {
        Values::Int32(ints) => {
            let narrow = ints[start..end].iter().map(|int| *int as i32).collect();
            (LogicalType::Int4, ColumnData::Int32(narrow))
        }
        Values::Int64(ints) => (
            LogicalType::Int8,
            ColumnData::Int64(ints[start..end].to_vec()),
        ),
        Values::Float64(doubles) => (
            LogicalType::Float8,
            ColumnData::Float64(doubles[start..end].to_vec()),
        ),
        Values::Text(_) => {
            let texts = texts(column);
            let mut builder = ColumnBuilder::with_capacity(LogicalType::Text, end - start);
            for row in start..end {
                if column.is_valid(row) {
                    builder.push_str(text_of(texts, row));
                } else {
                    builder.push_null();
                }
            }
            return builder.finish();
        }
        other => panic!("{other:?} is not in D13"),
    };
    Column::plain(ty, data, validity).expect("lengths agree")
}

/// The set as columns, cut into batches.
fn batches(orders: &Orders) -> Vec<Vec<ColumnRef>> {
    let rows = orders.rows();
    let starts = (0..rows).step_by(BATCH_ROWS);
    let batch = |start: usize| {
        let end = rows.min(start + BATCH_ROWS);
        let columns = orders.set.columns.iter();
        columns.map(|of| Arc::new(column(of, start, end))).collect()
    };
    starts.map(batch).collect()
}

impl Engine for Varve {
    fn prepare(&mut self, orders: &Orders) {
        self.input = batches(orders);
    }

    fn load(&mut self, orders: &Orders) {
        let options = BulkLoadOptions::default();
        let batches = std::mem::take(&mut self.input);
        let database = &self.open.as_ref().expect("it is open").database;
        let loaded = block_on(database.direct_bulk_load("orders", batches, options));
        assert_eq!(loaded.expect("the load").rows, orders.rows() as u64);
    }

    fn set_durability(&mut self, durability: Durability) {
        let level = match durability {
            Durability::Strict => "strict",
            Durability::Relaxed => "relaxed",
            Durability::Async => "async",
        };
        self.run(&format!("SET varve.durability = '{level}'"), &[]);
    }

    fn insert_each(&mut self, rows: &[Order<'_>]) {
        for row in rows {
            self.run_prepared(INSERT, &values(row));
        }
    }

    fn insert_batch(&mut self, rows: &[Order<'_>]) {
        self.run("BEGIN", &[]);
        self.insert_each(rows);
        self.run("COMMIT", &[]);
    }

    fn lookup(&mut self, id: i64) -> Option<f64> {
        let answer = self.run_prepared(LOOKUP, &[Value::Int8(id)]);
        let batch = answer.batches.first()?;
        match batch.column(0)?.value(0) {
            Value::Float8(price) => Some(price),
            _ => None,
        }
    }

    fn range(&mut self, from: i64, to: i64) -> (f64, usize) {
        let answer = self.run_prepared(RANGE, &[Value::Int8(from), Value::Int8(to)]);
        let (mut sum, mut count) = (0.0, 0);
        for batch in &answer.batches {
            let prices = batch.column(1).expect("two columns").flatten();
            if let ColumnData::Float64(prices) = prices.data() {
                sum += prices.iter().sum::<f64>();
            }
            count += batch.rows();
        }
        (sum, count)
    }

    fn update_batch(&mut self, ids: &[i64], price: f64) {
        self.run("BEGIN", &[]);
        for id in ids {
            self.run_prepared(UPDATE, &[Value::Float8(price), Value::Int8(*id)]);
        }
        self.run("COMMIT", &[]);
    }

    fn delete_range(&mut self, from: i64, to: i64) -> u64 {
        let answer = self.run_prepared(DELETE, &[Value::Int8(from), Value::Int8(to)]);
        answer.affected_rows.unwrap_or(0)
    }

    fn count(&mut self) -> i64 {
        match self.run("SELECT count(*) FROM orders", &[]).rows().first() {
            Some(row) => match row.first() {
                Some(Value::Int8(count)) => *count,
                other => panic!("a count is no {other:?}"),
            },
            None => panic!("count(*) answers one row"),
        }
    }

    fn compact(&mut self) -> u64 {
        self.run("VACUUM", &[]);
        let bytes = self.run("SELECT sum(stored_bytes)::BIGINT FROM varve_storage", &[]);
        match bytes.rows().first().and_then(|row| row.first()) {
            Some(Value::Int8(bytes)) => bytes.cast_unsigned(),
            other => panic!("bytes are no {other:?}"),
        }
    }

    fn write_amplification(&mut self) -> Option<f64> {
        let select = "SELECT value FROM varve_statistics WHERE name = 'write_amplification'";
        match self.run(select, &[]).rows().first()?.first()? {
            Value::Float8(factor) => Some(*factor),
            other => panic!("a factor is no {other:?}"),
        }
    }

    fn close(&mut self) -> bool {
        if let Some(Open {
            database, session, ..
        }) = self.open.take()
        {
            drop(session);
            block_on(database.close()).expect("it closes");
        }
        true
    }

    fn open(&mut self) {
        let kv: Arc<dyn Kv> = match &self.folder {
            Some(folder) => on_disk(folder),
            None => Arc::new(self.memory.reopen()),
        };
        let env = Arc::new(SystemEnv::new());
        let options = Options {
            encryption: self.encryption.clone(),
            ..Options::native()
        };
        let opened = block_on(Database::open(kv, env, options));
        let database = opened.expect("the database opens");
        let session = database.session();
        self.open = Some(Open {
            database,
            session,
            prepared: Vec::new(),
        });
    }
}
