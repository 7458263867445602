//! Short statements that ask for much: they are answered, or refused before they take it.

use super::{fails, ints, rows, run, session};

/// What each refused statement is refused with.
fn refuse(session: &mut varvedb::Session, codes: &[&str], sql: &str) {
    let error = fails(session, sql);
    assert!(codes.contains(&error.state().code()), "{sql}: {error:?}");
    assert_eq!(rows(session, "SELECT 1::int8"), ints(&[1]), "{sql}");
}

#[test]
fn long_values_of_many_rows_pass_one_by_one() {
    let mut session = session();
    run(&mut session, "SET varve.memory_limit = '64MB'");
    let cases = [
        (
            "SELECT sum(length(r)) FROM generate_series(1, 100) g, \
             LATERAL (SELECT repeat('x', 10000000 + g) AS r) s",
            1_000_005_050,
        ),
        (
            "SELECT sum(length(repeat('x', 10000000 + g))) FROM generate_series(1, 100) g",
            1_000_005_050,
        ),
    ];
    for (sql, answer) in cases {
        assert_eq!(rows(&mut session, sql), ints(&[answer]), "{sql}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut session = session();
    run(&mut session, "SET varve.memory_limit = '64MB'");
    let cases = [
        "SELECT string_agg(g::text, ',') OVER (ORDER BY g) FROM generate_series(1, 50000) g",
        "SELECT array_agg(g) OVER (ORDER BY g) FROM generate_series(1, 50000) g",
        "SELECT jsonb_agg(g) OVER (ORDER BY g) FROM generate_series(1, 20000) g",
        "SELECT repeat('x', 10000000 + g) FROM generate_series(1, 1000) g",
        "SELECT a.r FROM (SELECT repeat('x', 10000000) r) a, generate_series(1, 1000) g \
         ORDER BY a.r || g",
        "SELECT array_agg(repeat('x', 10000000 + g)) FROM generate_series(1, 1000) g",
        "SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 1000) g",
        "SELECT array_fill(repeat('x', 1000000), ARRAY[1000000])",
        "SELECT string_to_array(repeat(',', 16000000), ',')",
        "SELECT jsonb_path_query_array(jsonb_agg(repeat('x', 100000)), '$.**.**.**.**') \
         FROM generate_series(1, 100)",
        "SELECT (repeat('[', 250) || repeat('1,', 4000000) || '1' || repeat(']', 250))::jsonb",
        "WITH RECURSIVE r AS (SELECT 'x' AS t UNION ALL SELECT t || t FROM r) SELECT t FROM r",
        "SELECT DISTINCT repeat('x', 10000000 + g) FROM generate_series(1, 100) g",
        "SELECT repeat('x', 10000000 + g), count(*) FROM generate_series(1, 100) g GROUP BY 1",
        "SELECT lag(repeat('x', 1000000 + g)) OVER (ORDER BY g) FROM generate_series(1, 1000) g",
    ];
    for sql in cases {
        refuse(&mut session, &["53200", "54000"], sql);
    }
}

#[test]
fn plans_have_a_size_limit() {
    let kinds = [
        "CREATE VIEW v{n} AS SELECT x || x AS x FROM v{m} WHERE x > 'a'",
        "CREATE VIEW v{n} AS SELECT * FROM v{m} UNION ALL SELECT * FROM v{m}",
        "CREATE VIEW v{n} AS SELECT a.x FROM v{m} a JOIN v{m} b USING (x)",
        "CREATE FUNCTION f{n}(x int) RETURNS int LANGUAGE sql IMMUTABLE \
         AS 'SELECT f{m}(x) + f{m}(x) + f{m}(x)'",
    ];
    for kind in kinds {
        let mut session = session();
        run(
            &mut session,
            "CREATE TABLE v0 (x text); CREATE FUNCTION f0(x int) RETURNS int \
             LANGUAGE sql IMMUTABLE AS 'SELECT x * 2'",
        );
        let refused = (1..=22).find_map(|level: u32| {
            let sql = kind.replace("{n}", &level.to_string());
            let sql = sql.replace("{m}", &(level - 1).to_string());
            let made = pollster::block_on(session.query(&sql, &[]));
            let read = format!("EXPLAIN SELECT x FROM v{level} WHERE x > 'b'");
            let is_view = kind.contains("VIEW");
            let mut read = || pollster::block_on(session.query(&read, &[])).err();
            made.err().or_else(|| is_view.then(&mut read).flatten())
        });
        let code = refused.map(|error| error.state().code());
        assert_eq!(code, Some("54001"), "{kind}");
        assert_eq!(rows(&mut session, "SELECT count(*) FROM v0"), ints(&[0]));
    }
}

#[test]
fn a_timeout_is_noticed_everywhere() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (x int); SET statement_timeout = '20ms'",
    );
    let cases = [
        "SELECT count(*) FROM regexp_matches(repeat('ab', 5000000), '(a+?)(b*)+?$', 'g')",
        "SELECT count(*) FROM generate_series(1, 1000000000)",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 100000 PRECEDING AND 1 PRECEDING) \
         FROM generate_series(1, 1000000) x",
        "SELECT jsonb_path_exists((SELECT jsonb_agg(g) FROM generate_series(1, 10000) g), \
         '$[*] ? (@ == $[*] && 1 == 2)')",
        "DO $$ BEGIN LOOP END LOOP; END $$",
        "SELECT translate(repeat('a', 10000000), repeat('b', 10000), '')",
    ];
    for sql in cases {
        let error = fails(&mut session, sql);
        assert_eq!(error.state().code(), "57014", "{sql}: {error:?}");
    }
}
