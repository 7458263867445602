//! The families of the corpora: where their files are, how they are read, what their sessions begin
//! with, how much of them may be skipped.

use crate::slt::Dialect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Slt(Dialect),
    Regress,
    TpcH,
    Tsbs,
    ClickBench,
    H2o,
}

#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name, and that of its folder.
    pub name: &'static str,
    pub reader: Reader,
    /// Ends of the names of files that are run; others are included or read by these.
    pub endings: &'static [&'static str],
    /// Run first in each session.
    pub setup: &'static [&'static str],
    /// Most records that may be skipped, in percent.
    pub skipped_percent_max: u64,
    /// A part of the files that has a target of its own.
    pub share: Option<Share>,
}

/// Files by patterns, under a name.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub name: &'static str,
    pub files: &'static [&'static str],
}

/// The tests on types, expressions, select, joins, aggregates, window functions, WITH,
/// subqueries, changes of rows, arrays, jsonb, strings, numbers, dates and times, constraints,
/// sequences, views, transactions, PREPARE and COPY.
const REGRESS_CORE: Share = Share {
    name: "core",
    files: &[
        "sql/aggregates.sql",
        "sql/arrays.sql",
        "sql/boolean.sql",
        "sql/case.sql",
        "sql/char.sql",
        "sql/constraints.sql",
        "sql/copy.sql",
        "sql/copy2.sql",
        "sql/copyselect.sql",
        "sql/create_table.sql",
        "sql/create_view.sql",
        "sql/date.sql",
        "sql/delete.sql",
        "sql/domain.sql",
        "sql/enum.sql",
        "sql/equivclass.sql",
        "sql/expressions.sql",
        "sql/float4.sql",
        "sql/float8.sql",
        "sql/foreign_key.sql",
        "sql/functional_deps.sql",
        "sql/generated.sql",
        "sql/generated_stored.sql",
        "sql/groupingsets.sql",
        "sql/horology.sql",
        "sql/identity.sql",
        "sql/incremental_sort.sql",
        "sql/insert.sql",
        "sql/insert_conflict.sql",
        "sql/int2.sql",
        "sql/int4.sql",
        "sql/int8.sql",
        "sql/interval.sql",
        "sql/join.sql",
        "sql/join_hash.sql",
        "sql/json.sql",
        "sql/json_encoding.sql",
        "sql/jsonb.sql",
        "sql/jsonb_jsonpath.sql",
        "sql/jsonpath.sql",
        "sql/jsonpath_encoding.sql",
        "sql/limit.sql",
        "sql/matview.sql",
        "sql/memoize.sql",
        "sql/merge.sql",
        "sql/name.sql",
        "sql/numeric.sql",
        "sql/numerology.sql",
        "sql/oid.sql",
        "sql/plancache.sql",
        "sql/portals.sql",
        "sql/prepare.sql",
        "sql/rangefuncs.sql",
        "sql/regex.sql",
        "sql/returning.sql",
        "sql/rowtypes.sql",
        "sql/select*.sql",
        "sql/sequence.sql",
        "sql/sqljson.sql",
        "sql/sqljson_*.sql",
        "sql/strings.sql",
        "sql/subselect.sql",
        "sql/tablesample.sql",
        "sql/test_setup.sql",
        "sql/text.sql",
        "sql/time.sql",
        "sql/timestamp.sql",
        "sql/timestamptz.sql",
        "sql/transactions.sql",
        "sql/truncate.sql",
        "sql/union.sql",
        "sql/updatable_views.sql",
        "sql/update.sql",
        "sql/uuid.sql",
        "sql/varchar.sql",
        "sql/window.sql",
        "sql/with.sql",
    ],
};

const fn slt(name: &'static str, dialect: Dialect, endings: &'static [&'static str]) -> Family {
    Family {
        name,
        reader: Reader::Slt(dialect),
        endings,
        setup: &[],
        skipped_percent_max: 25,
        share: None,
    }
}

const fn set(name: &'static str, reader: Reader) -> Family {
    Family {
        name,
        reader,
        endings: &[],
        setup: &["SET TIME ZONE 'UTC'"],
        skipped_percent_max: 25,
        share: None,
    }
}

pub const FAMILIES: [Family; 12] = [
    slt("sqllogictest", Dialect::Sqlite, &[".test"]),
    Family {
        name: "postgres-regress",
        reader: Reader::Regress,
        endings: &[".sql"],
        // What pg_regress sets.
        setup: &[
            "SET timezone = 'PST8PDT'",
            "SET datestyle = 'Postgres, MDY'",
            "SET intervalstyle = 'postgres_verbose'",
        ],
        skipped_percent_max: 25,
        share: Some(REGRESS_CORE),
    },
    Family {
        skipped_percent_max: 60,
        ..slt("duckdb", Dialect::DuckDb, &[".test"])
    },
    Family {
        share: Some(Share {
            name: "batch",
            files: &["batch/*"],
        }),
        ..slt("risingwave", Dialect::RisingWave, &[".slt", ".slt.part"])
    },
    Family {
        share: Some(Share {
            name: "pg_compat",
            files: &["pg_compat/*"],
        }),
        ..slt("datafusion", Dialect::DataFusion, &[".slt"])
    },
    Family {
        // Its tests name tables by the database, which is called `test`.
        setup: &[
            "CREATE SCHEMA IF NOT EXISTS test",
            "SET search_path TO test",
        ],
        ..slt("cockroach", Dialect::Cockroach, &[""])
    },
    slt("risinglight", Dialect::RisingLight, &[".slt"]),
    slt("gluesql", Dialect::GlueSql, &[".sql"]),
    set("tpch", Reader::TpcH),
    set("tsbs", Reader::Tsbs),
    set("clickbench", Reader::ClickBench),
    set("h2o", Reader::H2o),
];
