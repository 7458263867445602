//! SQLite by `rusqlite`, with its write-ahead log.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::engine::{Durability, Engine};
use crate::rows::{Order, Orders};

const CREATE: &str = "CREATE TABLE orders (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, \
    customer_id INTEGER NOT NULL, status TEXT NOT NULL, region TEXT NOT NULL, \
    email TEXT NOT NULL, price REAL NOT NULL, note TEXT)";
const INSERT: &str = "INSERT INTO orders VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
/// As much as our caches may take.
const CACHE: &str = "PRAGMA cache_size = -524288";

/// A database of SQLite's.
pub struct Sqlite {
    path: Option<PathBuf>,
    connection: Option<Connection>,
}

impl Sqlite {
    /// A new database: in a file of this folder, or in memory.
    pub fn new(folder: Option<&Path>) -> Sqlite {
        let path = folder.map(|folder| folder.join("orders.sqlite"));
        let connection = open(path.as_deref());
        connection.execute_batch(CREATE).expect("CREATE TABLE");
        Sqlite {
            path,
            connection: Some(connection),
        }
    }

    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("it is open")
    }

    fn insert_all<'a>(&mut self, rows: impl Iterator<Item = Order<'a>>) {
        let transaction = self.connection().transaction().expect("BEGIN");
        {
            let mut insert = transaction.prepare_cached(INSERT).expect("prepare");
            for row in rows {
                insert.execute(values(&row)).expect("INSERT");
            }
        }
        transaction.commit().expect("COMMIT");
    }
}

fn open(path: Option<&Path>) -> Connection {
    let connection = match path {
        Some(path) => Connection::open(path),
        None => Connection::open_in_memory(),
    };
    let connection = connection.expect("SQLite opens");
    let settings = format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {CACHE}");
    connection.execute_batch(&settings).expect("settings");
    connection
}

fn values<'a>(row: &'a Order<'a>) -> impl rusqlite::Params + 'a {
    (
        row.id,
        row.ts,
        row.customer_id,
        row.status,
        row.region,
        row.email,
        row.price,
        row.note,
    )
}

impl Engine for Sqlite {
    fn load(&mut self, orders: &Orders) {
        self.insert_all((0..orders.rows()).map(|row| orders.order(row, row as i64 + 1)));
    }

    fn set_durability(&mut self, durability: Durability) {
        let level = match durability {
            Durability::Strict => "FULL",
            Durability::Relaxed => "NORMAL",
            Durability::Async => "OFF",
        };
        let pragma = format!("PRAGMA synchronous = {level}");
        self.connection().execute_batch(&pragma).expect("PRAGMA");
    }

    fn insert_each(&mut self, rows: &[Order<'_>]) {
        let mut insert = self.connection().prepare_cached(INSERT).expect("prepare");
        for row in rows {
            insert.execute(values(row)).expect("INSERT");
        }
    }

    fn insert_batch(&mut self, rows: &[Order<'_>]) {
        self.insert_all(rows.iter().copied());
    }

    fn lookup(&mut self, id: i64) -> Option<f64> {
        let select = "SELECT price FROM orders WHERE id = ?1";
        let mut select = self.connection().prepare_cached(select).expect("prepare");
        select.query_row([id], |row| row.get(0)).ok()
    }

    fn range(&mut self, from: i64, to: i64) -> (f64, usize) {
        let select = "SELECT id, price FROM orders WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
        let mut select = self.connection().prepare_cached(select).expect("prepare");
        let mut rows = select.query([from, to]).expect("SELECT");
        let (mut sum, mut count) = (0.0, 0);
        while let Some(row) = rows.next().expect("row") {
            sum += row.get::<_, f64>(1).expect("price");
            count += 1;
        }
        (sum, count)
    }

    fn update_batch(&mut self, ids: &[i64], price: f64) {
        let transaction = self.connection().transaction().expect("BEGIN");
        {
            let update = "UPDATE orders SET price = ?1 WHERE id = ?2";
            let mut update = transaction.prepare_cached(update).expect("prepare");
            for id in ids {
                update.execute(params![price, id]).expect("UPDATE");
            }
        }
        transaction.commit().expect("COMMIT");
    }

    fn delete_range(&mut self, from: i64, to: i64) -> u64 {
        let delete = "DELETE FROM orders WHERE id BETWEEN ?1 AND ?2";
        let mut delete = self.connection().prepare_cached(delete).expect("prepare");
        delete.execute([from, to]).expect("DELETE") as u64
    }

    fn count(&mut self) -> i64 {
        let count = self
            .connection()
            .query_row("SELECT count(*) FROM orders", [], |row| row.get(0));
        count.expect("count")
    }

    fn compact(&mut self) -> u64 {
        let commands = "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection().execute_batch(commands).expect("VACUUM");
        let pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes: i64 = self
            .connection()
            .query_row(pages, [], |row| row.get(0))
            .expect("bytes");
        bytes as u64
    }

    fn write_amplification(&mut self) -> Option<f64> {
        None
    }

    fn close(&mut self) -> bool {
        let is_kept = self.path.is_some();
        if is_kept {
            self.connection = None;
        }
        is_kept
    }

    fn open(&mut self) {
        self.connection = Some(open(self.path.as_deref()));
    }
}
