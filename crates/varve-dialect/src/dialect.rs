//! The dialects that are read.

use core::fmt;
use core::str::FromStr;

use sqlparser::dialect::{MySqlDialect, SQLiteDialect};

/// A dialect that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite: what `sqlite3 app.db .dump` prints, schemas, and scripts for its shell.
    Sqlite,
    /// MySQL and MariaDB: what `mysqldump` prints, schemas, and scripts for its shell.
    MySql,
}

/// The name is not that of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDialect;

impl Dialect {
    /// The names that are known.
    pub const NAMES: [&str; 2] = ["sqlite", "mysql"];

    pub(crate) fn reader(self) -> &'static dyn sqlparser::dialect::Dialect {
        match self {
            Dialect::Sqlite => &SQLiteDialect {},
            Dialect::MySql => &MySqlDialect {},
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        match name {
            "sqlite" => Ok(Dialect::Sqlite),
            "mysql" => Ok(Dialect::MySql),
            _ => Err(UnknownDialect),
        }
    }
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the dialects are sqlite and mysql")
    }
}

impl core::error::Error for UnknownDialect {}
