//! Jobs that SQL describes run in the background, and a crash neither loses nor doubles one.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan, SplitMix64};
use varve_kv::{Kv, MemoryKv};
use varve_types::{Column, LogicalType, SqlState, Value};
use varvedb::{BulkLoadOptions, Database, Options, Session, SystemEnv};

use super::super::{ints, open, rows, run};

const LOG: &str = "CREATE TABLE log (job int, n bigint);
    CREATE PROCEDURE note(job_id int, config jsonb) LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO log SELECT job_id, count(*) FROM log;
    END $$";

fn one(session: &mut Session, sql: &str) -> Vec<Value> {
    rows(session, sql).remove(0)
}

/// The only row of a query, as text.
fn row(session: &mut Session, sql: &str) -> Value {
    one(session, &format!("SELECT x::text FROM ({sql}) x")).remove(0)
}

/// T7.
#[test]
fn what_is_due_is_run_once() {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let mut session = database.session();
    run(&mut session, LOG);
    run(&mut session, "SELECT add_job('note', '1 day')");
    block_on(database.run_jobs_until_idle()).unwrap();
    block_on(database.run_jobs_until_idle()).unwrap();
    assert_eq!(
        rows(&mut session, "SELECT job::bigint FROM log"),
        ints(&[1000])
    );
    run(&mut session, "SELECT alter_job(1000, next_start => now())");
    block_on(database.run_jobs_until_idle()).unwrap();
    let stats = "SELECT job_id, total_runs, total_successes, job_status, next_start > now() \
                 FROM timescaledb_information.job_stats";
    assert_eq!(
        row(&mut session, stats),
        Value::text("(1000,2,2,Scheduled,t)")
    );
    // What is due when a database is opened runs then, and what is paused does not.
    run(
        &mut session,
        "SELECT alter_job(1000, next_start => now()); SELECT add_job('note', '1 day', scheduled => false)",
    );
    drop((session, database));
    let database = open(&kv);
    block_on(database.run_jobs_until_idle()).unwrap();
    let mut session = database.session();
    assert_eq!(rows(&mut session, "SELECT count(*) FROM log"), ints(&[3]));
}

#[test]
fn a_load_means_the_table_of_the_user() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, LOG);
    run(
        &mut session,
        "SELECT add_job('note', '1 day', scheduled => false)",
    );
    let ids = || {
        vec![Arc::new(Column::constant(
            LogicalType::Int4,
            &Value::Int4(7),
            1,
        ))]
    };
    let load =
        |name| block_on(database.direct_bulk_load(name, [ids()], BulkLoadOptions::default()));
    assert_eq!(load("job").unwrap_err().state(), SqlState::UNDEFINED_TABLE);
    run(&mut session, "CREATE TABLE job (x int)");
    load("job").unwrap();
    assert_eq!(rows(&mut session, "SELECT count(*) FROM job"), ints(&[1]));
}

#[test]
fn a_thread_runs_a_job_again_and_again() {
    let database = open(&Arc::new(MemoryKv::new()));
    let thread = database.spawn_jobs().unwrap();
    let mut session = database.session();
    run(&mut session, LOG);
    run(
        &mut session,
        "SELECT add_job('note', '20 milliseconds', fixed_schedule => false)",
    );
    let count = "SELECT count(*) >= 3 FROM log";
    while rows(&mut session, count) != [[Value::Boolean(true)]] {
        run(&mut session, "SELECT pg_sleep(0.005)");
    }
    run(&mut session, "SELECT delete_job(1000)");
    drop((session, database));
    thread.join().unwrap();
}

#[test]
fn a_job_that_fails_is_told_and_waits_longer_each_time() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE FUNCTION divides(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
         BEGIN PERFORM 1 / (config->>'by')::int; END $$;
         SELECT add_job('divides', '1 day', '{\"by\": 0}', fixed_schedule => false);
         SELECT alter_job(1000, retry_period => '1 hour', max_retries => 2)",
    );
    let told = "SELECT scheduled, (next_start - last_finish)::text FROM _timescaledb_config.job j \
                JOIN _timescaledb_config.job_stat s ON j.id = s.job_id";
    for expected in ["(t,01:00:00)", "(t,02:00:00)", "(f,04:00:00)"] {
        run(&mut session, "SELECT alter_job(1000, next_start => now())");
        block_on(database.run_jobs_until_idle()).unwrap();
        assert_eq!(row(&mut session, told), Value::text(expected));
    }
    let errors = "SELECT count(*), max(sqlerrcode), max(err_message) \
                  FROM timescaledb_information.job_errors WHERE job_id = 1000";
    assert_eq!(
        row(&mut session, errors),
        Value::text("(3,22012,\"division by zero\")")
    );
    run(
        &mut session,
        "SELECT alter_job(1000, config => '{\"by\": 1}', scheduled => true, next_start => now())",
    );
    block_on(database.run_jobs_until_idle()).unwrap();
    let stats = "SELECT last_run_status, total_runs, total_failures \
                 FROM timescaledb_information.job_stats";
    assert_eq!(row(&mut session, stats), Value::text("(Success,4,3)"));
}

#[test]
fn a_job_ends_when_its_time_is_over() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE FUNCTION sleeps(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
         BEGIN PERFORM pg_sleep(3600); END $$;
         SELECT add_job('sleeps', '1 day', scheduled => false);
         SELECT alter_job(1000, max_runtime => '10 milliseconds', scheduled => true)",
    );
    block_on(database.run_jobs_until_idle()).unwrap();
    let errors = "SELECT sqlerrcode FROM timescaledb_information.job_errors";
    assert_eq!(row(&mut session, errors), Value::text("(57014)"));
}

/// The rows that are there: how many the policy of retention must have left, and all of them by
/// chunk.
fn check(session: &mut Session, clock: i64, call: u64) {
    let kept = format!(
        "SELECT count(*), sum(v)::bigint FROM m WHERE at >= {}",
        clock - 500
    );
    let first = (clock - 500).max(0);
    let sum: i64 = (first..clock).sum();
    let count = clock - first;
    let expected = vec![Value::Int8(count), Value::Int8(sum)];
    assert_eq!(one(session, &kept), expected, "clock {clock}, call {call}");
    // Of what is older a chunk is there as a whole or not at all.
    let broken = "SELECT at / 100, count(*) FROM m GROUP BY 1 HAVING count(*) <> 100";
    assert_eq!(rows(session, broken).len(), 0, "clock {clock}, call {call}");
    let chunks = "SELECT count(*) FROM m WHERE NOT EXISTS (SELECT FROM \
                  timescaledb_information.chunks c WHERE c.hypertable_name = 'm' \
                  AND at >= c.range_start_integer AND at < c.range_end_integer)";
    assert_eq!(rows(session, chunks), ints(&[0]));
    // All that ever came is in the aggregate, what was dropped below it too.
    let all = "SELECT sum(n)::bigint, sum(v)::bigint FROM tens";
    let expected = vec![Value::Int8(clock), Value::Int8((0..clock).sum())];
    assert_eq!(one(session, all), expected, "clock {clock}, call {call}");
    let doubled = "SELECT (SELECT count(*) FROM log) - total_successes \
                   FROM timescaledb_information.job_stats WHERE job_id = 1000";
    assert!(
        rows(session, doubled)
            .iter()
            .flatten()
            .all(|value| *value == Value::Int8(0))
    );
}

fn open_on(kv: &Arc<FaultKv<MemoryKv>>) -> Database {
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let mut options = Options::browser();
    options.store.memtable_bytes_max = 16 << 10;
    let env = Arc::new(SystemEnv::new());
    block_on(Database::open(kv, env, options)).unwrap()
}

/// Whether work comes to its end before the process dies.
fn survives(kv: &FaultKv<MemoryKv>, work: impl Future<Output = varve_types::Result<()>>) -> bool {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match work.as_mut().poll(&mut context) {
            Poll::Ready(answer) => {
                answer.unwrap();
                return true;
            }
            Poll::Pending if kv.is_crashing() => return false,
            Poll::Pending => {}
        }
    }
}

/// T4, T6, T7, T26: the process dies at any call of jobs that compress, drop, merge, refresh and
/// write.
#[test]
fn a_crash_of_jobs_loses_and_doubles_nothing() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let mut random = SplitMix64::new(7);
    let mut session = open_on(&kv).session();
    run(&mut session, LOG);
    run(
        &mut session,
        "CREATE TABLE clock (now bigint);
         INSERT INTO clock VALUES (0);
         CREATE FUNCTION present() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT now FROM clock';
         CREATE TABLE m (at bigint, v bigint) WITH (tsdb.hypertable, tsdb.partition_column = 'at',
             tsdb.chunk_interval = 100);
         SELECT set_integer_now_func('m', 'present');
         CREATE MATERIALIZED VIEW tens WITH (tsdb.continuous, tsdb.materialized_only = false,
             tsdb.chunk_interval = 200) AS
             SELECT time_bucket(10, at) AS ten, count(*) AS n, sum(v) AS v FROM m GROUP BY 1
             WITH NO DATA;
         CREATE FUNCTION merges(job_id int, config jsonb) RETURNS void LANGUAGE plpgsql AS $$
         DECLARE
           oldest regclass[];
         BEGIN
           SELECT array_agg(c) INTO oldest FROM (SELECT show_chunks('m') AS c LIMIT 2) x;
           IF array_length(oldest, 1) = 2 THEN
             CALL merge_chunks(oldest);
           END IF;
         END $$;
         SELECT add_job('note', '1 day');
         SELECT add_continuous_aggregate_policy('tens', NULL, 50, '1 day');
         SELECT add_job('merges', '1 day');
         SELECT add_compression_policy('m', BIGINT '200');
         SELECT add_retention_policy('m', BIGINT '500')",
    );
    let mut cuts = 0;
    let mut clock = 0;
    while cuts < 200 {
        let grow = format!(
            "INSERT INTO m SELECT i, i FROM generate_series({clock}, {}) i;
             UPDATE clock SET now = now + 100;
             SELECT alter_job(id, next_start => now()) FROM _timescaledb_config.job",
            clock + 99
        );
        run(&mut session, &grow);
        clock += 100;
        drop(session);
        let database = open_on(&kv);
        let call = 1 + random.up_to(40);
        let carried_out = random.coin();
        kv.fault_in(call, CallFault::Crash { carried_out });
        let ended = survives(&kv, database.run_jobs_until_idle());
        drop(database);
        if ended {
            kv.forget_faults();
        } else {
            cuts += 1;
            block_on(kv.crash()).unwrap();
        }
        session = open_on(&kv).session();
        check(&mut session, clock, call);
    }
    run(
        &mut session,
        "SELECT alter_job(id, next_start => now()) FROM _timescaledb_config.job",
    );
    drop(session);
    let database = open_on(&kv);
    block_on(database.run_jobs_until_idle()).unwrap();
    let mut session = database.session();
    check(&mut session, clock, 0);
    let kept = "SELECT min(range_end_integer) > (SELECT now - 500 FROM clock) \
                FROM timescaledb_information.chunks WHERE hypertable_name = 'm'";
    assert_eq!(rows(&mut session, kept), [[Value::Boolean(true)]]);
    let compressed = "SELECT bool_and(is_compressed) FROM timescaledb_information.chunks \
                      WHERE hypertable_name = 'm' AND range_end_integer <= \
                      (SELECT now - 200 FROM clock)";
    assert_eq!(rows(&mut session, compressed), [[Value::Boolean(true)]]);
    let crashes = "SELECT sum(total_crashes) > 0 FROM _timescaledb_config.job_stat";
    assert_eq!(rows(&mut session, crashes), [[Value::Boolean(true)]]);
}
