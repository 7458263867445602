//! SQLite by `rusqlite`, in a file.

use std::path::Path;
use std::time::Instant;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use varve_tsbs::answer::Cell;
use varve_tsbs::data_set::DataSet;
use varve_tsbs::dialect::Dialect;

use crate::measure::seconds_of;
use crate::peer::{Peer, PeerLoad};

const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
                        PRAGMA cache_size = -524288; PRAGMA temp_store = MEMORY";
/// After so many seconds of one type of query it has been asked enough.
const ENOUGH_SECONDS: f64 = 5.0;
/// But so many windows are always asked.
const WINDOWS_MIN: usize = 3;

/// A database of SQLite's.
pub struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// A database with these rows.
    pub fn load<D: DataSet>(folder: &Path, data: &D) -> (Sqlite, PeerLoad) {
        let connection = Connection::open(folder.join("tsbs.sqlite")).expect("SQLite opens");
        connection.execute_batch(SETTINGS).expect("settings");
        let create = D::create(Dialect::Sqlite, 0);
        connection.execute_batch(&create).expect("CREATE TABLE");
        let mut sqlite = Sqlite { connection };
        let start = Instant::now();
        let rows: u64 = D::TABLES.iter().map(|table| sqlite.fill(data, table)).sum();
        let seconds = start.elapsed().as_secs_f64();
        let connection = &sqlite.connection;
        connection
            .execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")
            .expect("ANALYZE");
        let pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes: i64 = connection
            .query_row(pages, [], |row| row.get(0))
            .expect("bytes");
        let load = PeerLoad {
            name: "SQLite",
            rows_per_s: rows as f64 / seconds,
            bytes: bytes as u64,
        };
        (sqlite, load)
    }

    /// Inserts the rows of a table in one transaction. Answers how many there are.
    fn fill<D: DataSet>(&mut self, data: &D, table: &str) -> u64 {
        let transaction = self.connection.transaction().expect("BEGIN");
        let mut rows = 0;
        data.each_row(table, &mut |cells| {
            let places = vec!["?"; cells.len()].join(", ");
            let insert = format!("INSERT INTO {table} VALUES ({places})");
            let mut insert = transaction.prepare_cached(&insert).expect("prepare");
            let values = params_from_iter(cells.iter().map(value));
            rows += insert.execute(values).expect("INSERT") as u64;
        });
        transaction.commit().expect("COMMIT");
        rows
    }

    fn read(&self, sql: &str) {
        let mut select = self.connection.prepare_cached(sql).expect(sql);
        let columns = select.column_count();
        let mut rows = select.query([]).expect(sql);
        let mut nulls = 0_usize;
        while let Some(row) = rows.next().expect("a row") {
            for column in 0..columns {
                let value = row.get_ref(column).expect("a value");
                nulls += usize::from(value == rusqlite::types::ValueRef::Null);
            }
        }
        std::hint::black_box(nulls);
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(int) => Value::Integer(*int),
        Cell::Float(float) => Value::Real(*float),
        Cell::Text(text) => Value::Text(text.clone()),
    }
}

impl Peer for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn seconds(&mut self, queries: &[String]) -> Vec<f64> {
        let start = Instant::now();
        let mut seconds = Vec::new();
        for sql in queries {
            let is_enough = start.elapsed().as_secs_f64() > ENOUGH_SECONDS;
            if is_enough && seconds.len() >= WINDOWS_MIN {
                break;
            }
            self.read(sql);
            seconds.push(seconds_of(|| self.read(sql)));
        }
        seconds
    }
}
