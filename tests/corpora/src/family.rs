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
}

const fn slt(
    name: &'static str,
    dialect: Dialect,
    endings: &'static [&'static str],
) -> Family {
    Family {
        name,
        reader: Reader::Slt(dialect),
        endings,
        setup: &[],
        skipped_percent_max: 25,
    }
}

const fn set(name: &'static str, reader: Reader) -> Family {
    Family {
        name,
        reader,
        endings: &[],
        setup: &["SET TIME ZONE 'UTC'"],
        skipped_percent_max: 25,
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
            "SET TIME ZONE 'PST8PDT'",
            "SET datestyle = 'Postgres, MDY'",
            "SET intervalstyle = 'postgres_verbose'",
        ],
        skipped_percent_max: 25,
    },
    Family {
        skipped_percent_max: 60,
        ..slt("duckdb", Dialect::DuckDb, &[".test"])
    },
    slt("risingwave", Dialect::RisingWave, &[".slt", ".slt.part"]),
    slt("datafusion", Dialect::DataFusion, &[".slt"]),
    Family {
        // Its tests name tables by the database, which is called `test`.
        setup: &["CREATE SCHEMA IF NOT EXISTS test", "SET search_path TO test"],
        ..slt("cockroach", Dialect::Cockroach, &[""])
    },
    slt("risinglight", Dialect::RisingLight, &[".slt"]),
    slt("gluesql", Dialect::GlueSql, &[".sql"]),
    set("tpch", Reader::TpcH),
    set("tsbs", Reader::Tsbs),
    set("clickbench", Reader::ClickBench),
    set("h2o", Reader::H2o),
];
