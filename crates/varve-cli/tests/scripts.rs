//! Scripts as psql runs them: what they print, and how they end.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are missing"
)]

mod common;

use common::{corpus, varve};

/// A script, what it prints, and what it says on standard error.
const SCRIPTS: [(&str, &str, &str); 15] = [
    (
        "SELECT 1 AS one, 'a' AS text; SELECT 2\n",
        " one | text \n-----+------\n   1 | a\n(1 row)\n\n ?column? \n----------\n        2\n(1 row)\n\n",
        "",
    ),
    (
        "CREATE TABLE t (a int, b text);\nCOPY t FROM stdin;\n1\tone\n2\t\\N\n\\.\n\
         UPDATE t SET b = 'x;y' WHERE a = 2;\nCOPY t TO STDOUT;\nDROP TABLE t;\n",
        "CREATE TABLE\nCOPY 2\nUPDATE 1\n1\tone\n2\tx;y\nDROP TABLE\n",
        "",
    ),
    (
        "\\set n 5\n\\set s 'it''s'\nSELECT :n, :'s', :\"s\" FROM (SELECT 1 AS :\"s\") x \\gx\n",
        "-[ RECORD 1 ]--\n?column? | 5\n?column? | it's\nit's     | 1\n\n",
        "",
    ),
    (
        "SELECT 7 AS a, 'b' AS b \\gset p_\n\\echo :p_a :p_b :{?p_a} :none\n\\unset p_a\n\\echo :p_a\n",
        "7 b TRUE :none\n:p_a\n",
        "",
    ),
    (
        "\\if no\n\\echo a\nSELECT 1;\n\\elif yes\n\\echo b\n\\if 0\n\\echo c\n\\endif\n\\else\n\\echo d\n\\endif\n",
        "b\n",
        "",
    ),
    (
        "SELECT 'SELECT ' || x || ' AS y' FROM generate_series(1, 2) x \\gexec\n",
        " y \n---\n 1\n(1 row)\n\n y \n---\n 2\n(1 row)\n\n",
        "",
    ),
    (
        "\\pset null -\n\\a\n\\t\nSELECT 1, NULL;\n\\pset fieldsep ,\nSELECT 1, 2;\n",
        "Null display is \"-\".\nOutput format is unaligned.\nTuples only is on.\n1|-\n\
         Field separator is \",\".\n1,2\n",
        "",
    ),
    (
        "SELECT x;\nSELECT 'on';\n",
        " ?column? \n----------\n on\n(1 row)\n\n",
        "ERROR:  column \"x\" does not exist\nLINE 1: SELECT x;\n               ^\n",
    ),
    (
        "\\set VERBOSITY sqlstate\nSELECT x;\n\\echo :ERROR :SQLSTATE\n\\set VERBOSITY terse\nSELECT 1/0;\n",
        "true 42703\n",
        "ERROR:  42703\nERROR:  division by zero\n",
    ),
    (
        "BEGIN;\nCREATE TABLE t (a int);\nROLLBACK;\n\\d t\n\\nothing\n",
        "BEGIN\nCREATE TABLE\nROLLBACK\n",
        "Did not find any relation named \"t\".\ninvalid command \\nothing\n",
    ),
    (
        "CREATE DATABASE Shop;\nCREATE DATABASE shop;\n\\c shop;\nCREATE TABLE t (a int);\n\
         DROP DATABASE shop;\n\\c postgres\n\\dt\nDROP DATABASE shop;\nDROP DATABASE IF EXISTS shop;\n",
        "CREATE DATABASE\nYou are now connected to database \"shop\" as user \"postgres\".\n\
         CREATE TABLE\nYou are now connected to database \"varvedb\" as user \"postgres\".\n\
         DROP DATABASE\nDROP DATABASE\n",
        "ERROR:  database \"shop\" already exists\nERROR:  cannot drop the currently open database\n\
         Did not find any relations.\nNOTICE:  database \"shop\" does not exist, skipping\n",
    ),
    (
        "COPY missing FROM stdin;\nDROP TABLE important;\n\\.\nSELECT 1\\; SELECT 2;\n",
        " ?column? \n----------\n        1\n(1 row)\n\n ?column? \n----------\n        2\n(1 row)\n\n",
        "ERROR:  relation \"missing\" does not exist\n",
    ),
    (
        "CREATE TABLE t (a int PRIMARY KEY, b text NOT NULL DEFAULT 'x' CHECK (b <> ''));\n\
         CREATE TABLE u (a int REFERENCES t, c int UNIQUE);\nCREATE INDEX ON u (a);\n\\d t\n\\d u\n",
        "CREATE TABLE\nCREATE TABLE\nCREATE INDEX\n\
         \x20                 Table \"public.t\"\n\
         \x20Column |  Type   | Collation | Nullable |  Default  \n\
         --------+---------+-----------+----------+-----------\n\
         \x20a      | integer |           | not null | \n\
         \x20b      | text    |           | not null | 'x'::text\n\
         Indexes:\n    \"t_pkey\" PRIMARY KEY, btree (a)\n\
         Check constraints:\n    \"t_b_check\" CHECK (b <> ''::text)\n\
         Referenced by:\n    TABLE \"u\" CONSTRAINT \"u_a_fkey\" FOREIGN KEY (a) REFERENCES t(a)\n\n\
         \x20                Table \"public.u\"\n\
         \x20Column |  Type   | Collation | Nullable | Default \n\
         --------+---------+-----------+----------+---------\n\
         \x20a      | integer |           |          | \n\
         \x20c      | integer |           |          | \n\
         Indexes:\n    \"u_a_idx\" btree (a)\n    \"u_c_key\" UNIQUE CONSTRAINT, btree (c)\n\
         Foreign-key constraints:\n    \"u_a_fkey\" FOREIGN KEY (a) REFERENCES t(a)\n\n",
        "",
    ),
    (
        "CREATE VIEW v AS SELECT 1 AS a;\nCREATE SEQUENCE s;\n\\dv\n\\ds\n\\d s*\n",
        "CREATE VIEW\nCREATE SEQUENCE\n\
         \x20       List of relations\n Schema | Name | Type |  Owner   \n\
         --------+------+------+----------\n public | v    | view | postgres\n(1 row)\n\n\
         \x20         List of relations\n Schema | Name |   Type   |  Owner   \n\
         --------+------+----------+----------\n public | s    | sequence | postgres\n(1 row)\n\n\
         \x20                            Sequence \"public.s\"\n\
         \x20 Type  | Start | Minimum |       Maximum       | Increment | Cycles? | Cache \n\
         --------+-------+---------+---------------------+-----------+---------+-------\n\
         \x20bigint |     1 |       1 | 9223372036854775807 |         1 | no      |     1\n\n",
        "",
    ),
    (
        "\\set AUTOCOMMIT off\nCREATE TABLE t (a int);\nROLLBACK;\n\\set AUTOCOMMIT on\n\\dt\n\\q\nSELECT 1;\n",
        "CREATE TABLE\nROLLBACK\n",
        "Did not find any relations.\n",
    ),
];

/// H25.
#[test]
fn a_database_in_memory_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let script = "create table t as select i from generate_series(1, 100000) i; checkpoint;
         select count(*) from t;";
    let ran = varve(folder.path(), &["-qAt", "memory://"], script);
    assert_eq!(
        (ran.out.as_str(), ran.status),
        ("100000\n", 0),
        "{}",
        ran.err
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn scripts_print_what_psql_prints() {
    let folder = tempfile::tempdir().unwrap();
    for (script, out, err) in SCRIPTS {
        let ran = varve(folder.path(), &["memory://"], script);
        assert_eq!(
            (ran.out.as_str(), ran.err.as_str(), ran.status),
            (out, err, 0),
            "{script}"
        );
    }
}

#[test]
fn exit_statuses_and_places_of_errors() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("bad.sql", "SELECT 1;\nSELECT\n  x;\n\\echo after\n");
    write("outer.sql", "\\i sub/inner.sql\n\\echo outer\n");
    write("sub/inner.sql", "\\ir beside.sql\n\\echo inner\n");
    write("sub/beside.sql", "\\echo beside\n");
    let cases: [(&[&str], &str, &str, i32); 9] = [
        (
            &["-qAt", "memory://", "-f", "bad.sql"],
            "1\nafter\n",
            "varve:bad.sql:3: ERROR:  column \"x\" does not exist\nLINE 2:   x;\n          ^\n",
            0,
        ),
        (
            &[
                "-qAt",
                "-v",
                "ON_ERROR_STOP=1",
                "memory://",
                "-f",
                "bad.sql",
                "-c",
                "SELECT 2",
            ],
            "1\n",
            "varve:bad.sql:3: ERROR:  column \"x\" does not exist\nLINE 2:   x;\n          ^\n",
            3,
        ),
        (
            &["memory://", "-f", "outer.sql"],
            "beside\ninner\nouter\n",
            "",
            0,
        ),
        (
            &[
                "-At",
                "memory://",
                "-c",
                "SELECT 1",
                "-f",
                "-",
                "-c",
                "SELECT 3",
            ],
            "1\n2\n3\n",
            "",
            0,
        ),
        (&["memory://", "-c", "SELECT"], "--\n(1 row)\n\n", "", 0),
        (
            &["memory://", "-c", "SELECT nothing"],
            "",
            "ERROR:  column \"nothing\" does not exist\nLINE 1: SELECT nothing\n               ^\n",
            1,
        ),
        (
            &["memory://", "-d", "gone"],
            "",
            "varve: error: database \"gone\" does not exist\n",
            2,
        ),
        (
            &["memory://", "-f", "-", "-c", "\\c gone"],
            " ?column? \n----------\n        2\n(1 row)\n\n",
            "\\connect: database \"gone\" does not exist\n",
            2,
        ),
        (
            &[
                "-q1",
                "memory://",
                "-c",
                "CREATE TABLE t (a int)",
                "-c",
                "SELECT x",
                "-c",
                "SELECT 1",
            ],
            "",
            "ERROR:  column \"x\" does not exist\nLINE 1: SELECT x\n               ^\n",
            1,
        ),
    ];
    for (arguments, out, err, status) in cases {
        let ran = varve(folder.path(), arguments, "SELECT 2;\n");
        assert_eq!(
            (ran.out.as_str(), ran.err.as_str(), ran.status),
            (out, err, status),
            "{arguments:?}"
        );
    }
}

#[test]
fn databases_of_a_folder_stay() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "CREATE DATABASE a;\n\\c a\nCREATE TABLE t AS SELECT 5 AS x;\n\\o out.txt\nTABLE t;\n";
    assert_eq!(varve(folder.path(), &["-q", "place"], script).err, "");
    let text = std::fs::read_to_string(folder.path().join("out.txt")).unwrap();
    assert_eq!(text, " x \n---\n 5\n(1 row)\n\n");
    let ran = varve(folder.path(), &["place", "-d", "a", "-Atc", "TABLE t"], "");
    assert_eq!((ran.out.as_str(), ran.status), ("5\n", 0));
    let ran = varve(folder.path(), &["place", "-At", "-l"], "");
    assert!(ran.out.contains("\na|postgres|"), "{}", ran.out);
    varve(folder.path(), &["place", "-c", "DROP DATABASE a"], "");
    assert!(!folder.path().join("place/databases/a").exists());
}

#[test]
fn files_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, 'x,y'), (2, NULL);\n\
        \\copy t TO 'a b.csv' WITH (FORMAT csv, HEADER)\n\\copy (SELECT a FROM t) to stdout\n\
        \\copy t FROM 'a b.csv' CSV HEADER\n\\copy t from stdin\n3\tz\n\\.\n\
        COPY t FROM 'a b.csv' CSV HEADER;\n";
    let ran = varve(folder.path(), &["-At", "memory://"], script);
    let out = "CREATE TABLE\nINSERT 0 2\nCOPY 2\n1\n2\nCOPY 2\nCOPY 1\nCOPY 2\n";
    assert_eq!((ran.out.as_str(), ran.status), (out, 0), "{}", ran.err);
    let text = std::fs::read_to_string(folder.path().join("a b.csv")).unwrap();
    assert_eq!(text, "a,b\n1,\"x,y\"\n2,\n");
}

#[test]
fn chinook_and_northwind_load_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[&str], &str, &str); 2] = [
        (
            "Chinook_PostgreSql",
            &["-qAt", "memory://", "-f", "s.sql", "-f", "-"],
            "SELECT count(*) FROM track; SELECT count(*) FROM playlist_track;\n\
             SELECT sum(total) FROM invoice; SELECT name FROM artist WHERE artist_id = 6;",
            "3503\n8715\n2328.60\nAnt\u{f4}nio Carlos Jobim\n",
        ),
        (
            "northwind",
            &["-qAt", "memory://", "-f", "s.sql", "-f", "-"],
            "SELECT count(*) FROM orders; SELECT count(*) FROM order_details;\n\
             SELECT count(*) FROM customers WHERE country = 'Germany';",
            "830\n2155\n11\n",
        ),
    ];
    for (name, arguments, queries, out) in cases {
        let Some(script) = corpus(&format!("{name}.sql.zst")) else {
            continue;
        };
        std::fs::write(folder.path().join("s.sql"), script).unwrap();
        let ran = varve(folder.path(), arguments, queries);
        assert_eq!((ran.out.as_str(), ran.status), (out, 0), "{}", ran.err);
        assert!(!ran.err.contains("ERROR"), "{}", ran.err);
    }
}
