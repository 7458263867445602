//! PostgreSQL by `psql`, where a server answers. `PGHOST` and the like say which one.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use varve_tsbs::data_set::DataSet;
use varve_tsbs::dialect::Dialect;
use varve_tsbs::engine::{PIECE_ROWS, copy_text};

use crate::peer::{Peer, PeerLoad};

/// Where its tables are, until the end.
const SCHEMA: &str = "varve_bench_tsbs";
/// How many windows of a type it is asked.
const WINDOWS: usize = 5;
/// How often for each, of which the first time does not count.
const RUNS: usize = 4;

/// A schema in a server that answered.
pub struct Postgres;

impl Postgres {
    /// The rows in tables of a server, if one answers.
    pub fn load<D: DataSet>(data: &D) -> Option<(Postgres, PeerLoad)> {
        let answers = psql().arg("-c").arg("SELECT 1").output().ok()?;
        if !answers.status.success() {
            return None;
        }
        let create = D::create(Dialect::Postgres, 0);
        run(&format!(
            "DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; \
             SET search_path = {SCHEMA}; {create};\n"
        ));
        let start = Instant::now();
        let rows: u64 = D::TABLES.iter().map(|table| fill(data, table)).sum();
        let seconds = start.elapsed().as_secs_f64();
        run("VACUUM ANALYZE;\n");
        let bytes = run(&format!(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class \
             WHERE relkind = 'r' AND relnamespace = '{SCHEMA}'::regnamespace;\n"
        ));
        let load = PeerLoad {
            name: "PostgreSQL",
            rows_per_s: rows as f64 / seconds,
            bytes: bytes.trim().parse().unwrap_or(0),
        };
        Some((Postgres, load))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        run(&format!("DROP SCHEMA {SCHEMA} CASCADE;\n"));
    }
}

fn psql() -> Command {
    let mut command = Command::new("psql");
    command.args(["-X", "-q", "-A", "-t", "-w", "-v", "ON_ERROR_STOP=1"]);
    command
}

fn start() -> Child {
    let piped = psql()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    piped.expect("psql starts")
}

/// What psql prints for a script.
fn run(script: &str) -> String {
    let mut child = start();
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("a script");
    drop(input);
    let output = child.wait_with_output().expect("psql ends");
    assert!(output.status.success(), "psql failed: {script}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn fill<D: DataSet>(data: &D, table: &str) -> u64 {
    let pieces = copy_text(data, table, PIECE_ROWS);
    let mut child = start();
    let mut input = child.stdin.take().expect("a pipe");
    let mut send = || -> io::Result<()> {
        input.write_all(format!("COPY {SCHEMA}.{table} FROM STDIN;\n").as_bytes())?;
        for piece in &pieces {
            input.write_all(piece.as_bytes())?;
        }
        input.write_all(b"\\.\n")
    };
    send().expect("rows for psql");
    drop(input);
    assert!(child.wait().is_ok_and(|status| status.success()), "COPY");
    let lines = |piece: &String| piece.bytes().filter(|byte| *byte == b'\n').count() as u64;
    pieces.iter().map(lines).sum()
}

impl Peer for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn seconds(&mut self, queries: &[String]) -> Vec<f64> {
        let mut script = format!(
            "SET search_path = {SCHEMA}; SET timezone = 'UTC';\n\\o /dev/null\n\\timing on\n"
        );
        for sql in queries.iter().take(WINDOWS) {
            script.push_str(&format!("{sql};\n").repeat(RUNS));
        }
        let printed = run(&script);
        let times = printed.lines().filter_map(|line| {
            let ms = line.strip_prefix("Time: ")?.split(' ').next()?;
            ms.parse::<f64>().ok().map(|ms| ms / 1e3)
        });
        let times: Vec<f64> = times.collect();
        let least = |runs: &[f64]| runs[1..].iter().copied().fold(f64::MAX, f64::min);
        times.chunks_exact(RUNS).map(least).collect()
    }
}
