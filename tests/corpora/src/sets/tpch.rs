//! TPC-H's 22 queries at scale factor 0.01 with the answers that came with them, or PostgreSQL's.

use std::path::Path;

use super::judge::{Stage, text, wrong_rows};
use super::known::Known;
use crate::archive::SourceFile;
use crate::engine::{Client, failure};
use crate::run::Judged;

const TABLES: [(&str, &str); 8] = [
    (
        "region",
        "r_regionkey INTEGER PRIMARY KEY, r_name CHAR(25), r_comment VARCHAR(152)",
    ),
    (
        "nation",
        "n_nationkey INTEGER PRIMARY KEY, n_name CHAR(25), n_regionkey INTEGER, \
         n_comment VARCHAR(152)",
    ),
    (
        "part",
        "p_partkey INTEGER PRIMARY KEY, p_name VARCHAR(55), p_mfgr CHAR(25), p_brand CHAR(10), \
         p_type VARCHAR(25), p_size INTEGER, p_container CHAR(10), p_retailprice DECIMAL(15,2), \
         p_comment VARCHAR(23)",
    ),
    (
        "supplier",
        "s_suppkey INTEGER PRIMARY KEY, s_name CHAR(25), s_address VARCHAR(40), \
         s_nationkey INTEGER, s_phone CHAR(15), s_acctbal DECIMAL(15,2), s_comment VARCHAR(101)",
    ),
    (
        "partsupp",
        "ps_partkey INTEGER, ps_suppkey INTEGER, ps_availqty INTEGER, \
         ps_supplycost DECIMAL(15,2), ps_comment VARCHAR(199), PRIMARY KEY (ps_partkey, ps_suppkey)",
    ),
    (
        "customer",
        "c_custkey INTEGER PRIMARY KEY, c_name VARCHAR(25), c_address VARCHAR(40), \
         c_nationkey INTEGER, c_phone CHAR(15), c_acctbal DECIMAL(15,2), c_mktsegment CHAR(10), \
         c_comment VARCHAR(117)",
    ),
    (
        "orders",
        "o_orderkey BIGINT PRIMARY KEY, o_custkey INTEGER, o_orderstatus CHAR(1), \
         o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority CHAR(15), o_clerk CHAR(15), \
         o_shippriority INTEGER, o_comment VARCHAR(79)",
    ),
    (
        "lineitem",
        "l_orderkey BIGINT, l_partkey INTEGER, l_suppkey INTEGER, l_linenumber INTEGER, \
         l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), \
         l_tax DECIMAL(15,2), l_returnflag CHAR(1), l_linestatus CHAR(1), l_shipdate DATE, \
         l_commitdate DATE, l_receiptdate DATE, l_shipinstruct CHAR(25), l_shipmode CHAR(10), \
         l_comment VARCHAR(44), PRIMARY KEY (l_orderkey, l_linenumber)",
    ),
];

/// Queries whose answers came with addresses and comments of another generator than the data's.
const OTHER_TEXTS: [u32; 5] = [2, 10, 13, 15, 20];

const ANSWERS: &str = include_str!("../../answers/tpch.txt");

/// Runs the queries, or with a folder writes the answers of those into it whose answers are of
/// other data.
pub fn run(
    client: &mut Client,
    files: &[SourceFile],
    folder: Option<&Path>,
) -> Result<Vec<Judged>, String> {
    let mut known = Known::new(ANSWERS, folder);
    let mut stage = Stage::new(client);
    for (table, columns) in TABLES {
        stage.make(&format!("CREATE TABLE {table} ({columns})"));
        if let Some(data) = text(files, &format!("sf0.01/{table}.tbl")) {
            // A bar ends each line, where COPY wants one between fields only.
            let data = String::from_utf8_lossy(data).replace("|\n", "\n");
            let sql = format!("COPY {table} FROM STDIN (DELIMITER '|')");
            let loaded = stage.load(&sql, data.into_bytes());
            stage
                .causes
                .note(&format!("CREATE TABLE {table} ()"), failure(&loaded));
        }
    }
    for number in 1..=22 {
        let path = format!("queries/q{number:02}.sql");
        let answer = text(files, &format!("answers/sf0.01/q{number:02}.csv"));
        let (Some(sql), Some(wanted)) = (text(files, &path), answer) else {
            continue;
        };
        let (sql, wanted) = (
            String::from_utf8_lossy(sql),
            String::from_utf8_lossy(wanted),
        );
        if OTHER_TEXTS.contains(&number) {
            stage.query(&path, 1, &sql, |answer| known.wrong(&path, answer));
            continue;
        }
        let lines: Vec<&str> = wanted.lines().skip(1).collect();
        let in_order = sql.to_lowercase().contains("order by");
        stage.query(&path, 1, &sql, |answer| {
            wrong_rows(answer, &lines, '|', in_order)
        });
    }
    known.save("tpch")?;
    Ok(stage.judged)
}
