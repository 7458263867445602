//! VarveDB with a data set, and the states that its chunks can be in.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::Kv;
use varve_types::Value;
use varvedb::{Database, Options, ResultSet, Session, SystemEnv};

use crate::answer::{Answer, Cell};
use crate::data_set::DataSet;
use crate::dialect::{Dialect, time_text};

/// Rows whose text COPY is given at once.
pub const PIECE_ROWS: usize = 10_000;

/// What happened to the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// They are as rows came in.
    Plain,
    /// Each is compressed.
    Compressed,
    /// Every second one is compressed.
    HalfCompressed,
    /// Each was compressed, then rows were changed.
    Updated,
}

impl State {
    /// All states.
    pub const ALL: [State; 4] = [
        State::Plain,
        State::Compressed,
        State::HalfCompressed,
        State::Updated,
    ];

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            State::Plain => "plain",
            State::Compressed => "compressed",
            State::HalfCompressed => "half compressed",
            State::Updated => "after updates",
        }
    }
}

/// How rows come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// By one COPY a table, which writes sorted runs.
    Whole,
    /// By transactions of so many rows, so that runs are what flushes make of them.
    Batches {
        /// Of each transaction.
        rows: usize,
        /// After how many of them what is in memory becomes runs, if not by itself.
        flushed_each: usize,
    },
}

/// An open database and its session.
pub struct Engine {
    database: Database,
    session: Session,
}

impl Engine {
    /// A database with the settings of native programs, and one session.
    pub fn open(kv: Arc<dyn Kv>) -> Engine {
        let env = Arc::new(SystemEnv::new());
        let opened = block_on(Database::open(kv, env, Options::native()));
        let database = opened.expect("the database opens");
        let session = database.session();
        Engine { database, session }
    }

    /// Runs statements that answer nothing of interest.
    pub fn run(&mut self, script: &str) {
        block_on(self.session.execute_script(script)).expect(script);
    }

    /// The result of a query, or what is wrong with it.
    pub fn query(&mut self, sql: &str) -> Result<ResultSet, String> {
        block_on(self.session.query(sql, &[])).map_err(|error| error.to_string())
    }

    /// Its rows.
    pub fn answer(&mut self, sql: &str) -> Result<Answer, String> {
        self.query(sql).map(|result| cells(&result))
    }

    /// Makes the tables and loads all rows. Answers the seconds that loading the hypertables took,
    /// with their rows in runs.
    pub fn load<D: DataSet>(&mut self, data: &D, chunk_hours: u32, load: Load) -> f64 {
        self.run(&D::create(Dialect::Varve, chunk_hours));
        let mut seconds = 0.0;
        for table in D::TABLES {
            let is_hypertable = D::HYPERTABLES.contains(table);
            let rows = match load {
                Load::Batches { rows, .. } if is_hypertable => rows,
                _ => PIECE_ROWS,
            };
            let pieces = copy_text(data, table, rows);
            let start = std::time::Instant::now();
            match load {
                Load::Batches { flushed_each, .. } if is_hypertable => {
                    self.copy_batches(table, &pieces, flushed_each);
                }
                _ => self.copy(table, &pieces),
            }
            self.flush();
            if is_hypertable {
                seconds += start.elapsed().as_secs_f64();
            }
        }
        seconds
    }

    /// A transaction for each piece.
    fn copy_batches(&mut self, table: &str, pieces: &[String], flushed_each: usize) {
        for (number, piece) in pieces.iter().enumerate() {
            self.run("BEGIN");
            self.copy(table, std::slice::from_ref(piece));
            self.run("COMMIT");
            if (number + 1) % flushed_each == 0 {
                self.flush();
            }
        }
    }

    /// Moves what is in memory into runs.
    pub fn flush(&self) {
        block_on(self.database.flush()).expect("a flush");
    }

    fn copy(&mut self, table: &str, pieces: &[String]) {
        let copied = block_on(async {
            let begin = format!("COPY {table} FROM STDIN");
            self.session.copy_begin(&begin).await?;
            for piece in pieces {
                self.session.copy_write(piece.as_bytes()).await?;
            }
            self.session.copy_finish().await
        });
        copied.expect("COPY");
    }

    /// Brings rows that were loaded into that state. Rows of `data` change with those of the
    /// engine. Half of the changes are in runs then, half in memory.
    pub fn bring_to<D: DataSet>(&mut self, state: State, data: &mut D) {
        for table in D::HYPERTABLES {
            match state {
                State::Plain => {}
                State::HalfCompressed => self.compress_half(table),
                State::Compressed | State::Updated => {
                    self.run(&format!(
                        "SELECT compress_chunk(c) FROM show_chunks('{table}') c"
                    ));
                }
            }
        }
        if state == State::Updated {
            let changes = data.changes();
            let flushed = changes.len() / 2;
            for (number, change) in changes.iter().enumerate() {
                if number == flushed {
                    self.flush();
                }
                self.run(&change.sql);
                (change.apply)(data);
            }
        }
    }

    fn compress_half(&mut self, table: &str) {
        let chunks = format!("SELECT c::text FROM show_chunks('{table}') c");
        let chunks = self.answer(&chunks).expect("chunks");
        for row in chunks.iter().step_by(2) {
            if let [Cell::Text(chunk)] = row.as_slice() {
                self.run(&format!("SELECT compress_chunk('{chunk}')"));
            }
        }
    }

    /// Closes it.
    pub fn close(self) {
        drop(self.session);
        block_on(self.database.close()).expect("it closes");
    }
}

/// The rows of a table as COPY reads them, in pieces of so many rows.
pub fn copy_text<D: DataSet>(data: &D, table: &str, piece_rows: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rows = 0;
    let is_timed = D::HYPERTABLES.contains(&table);
    data.each_row(table, &mut |cells| {
        if rows % piece_rows == 0 {
            pieces.push(String::new());
        }
        rows += 1;
        let Some(piece) = pieces.last_mut() else {
            return;
        };
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                piece.push('\t');
            }
            match cell {
                Cell::Null => piece.push_str("\\N"),
                Cell::Int(time) if is_timed && i == 0 => piece.push_str(&time_text(*time)),
                Cell::Int(int) => piece.push_str(&int.to_string()),
                Cell::Float(float) => piece.push_str(&float.to_string()),
                Cell::Text(text) => piece.push_str(text),
            }
        }
        piece.push('\n');
    });
    pieces
}

fn cells(result: &ResultSet) -> Answer {
    let rows = result.rows();
    rows.iter()
        .map(|row| row.iter().map(cell).collect())
        .collect()
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Boolean(truth) => Cell::Int(i64::from(*truth)),
        Value::Int4(int) => Cell::Int(i64::from(*int)),
        Value::Int8(int) | Value::TimestampTz(int) => Cell::Int(*int),
        Value::Float8(float) => Cell::Float(*float),
        Value::Numeric(decimal) => Cell::Float(decimal.to_f64()),
        Value::Text(text) => Cell::text(text),
        other => panic!("{other:?} is in no answer"),
    }
}
