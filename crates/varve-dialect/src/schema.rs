//! The tables of the script, as the first reading found them.

use std::collections::BTreeMap;

use sqlparser::ast::{Ident, ObjectName};

use crate::ddl::types::Type;
use crate::names::{key, last};
use crate::script::{Fault, Result};
use crate::seen::Seen;

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    /// The type that the declaration asks for.
    pub wish: Type,
    /// The type that takes all its values.
    pub ty: Type,
    pub seen: Seen,
    /// Counts by itself.
    pub is_identity: bool,
    pub is_generated: bool,
}

/// A table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The columns of its primary key, then those of each unique constraint.
    pub keys: Vec<Vec<String>>,
    /// What its identity has counted to, beside the rows.
    pub counted: Option<i64>,
}

/// All tables, by the key of their names.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub tables: BTreeMap<String, Table>,
    /// How any column is spelled, by its key.
    spellings: BTreeMap<String, String>,
}

impl Table {
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        let name = key(name);
        self.columns.iter().find(|column| key(&column.name) == name)
    }

    pub(crate) fn column_mut(&mut self, name: &str) -> Option<&mut Column> {
        let name = key(name);
        let mut columns = self.columns.iter_mut();
        columns.find(|column| key(&column.name) == name)
    }

    /// The column of this name, or why there is none.
    pub(crate) fn named(&self, name: &Ident) -> Result<&Column> {
        self.column(&name.value).ok_or_else(|| {
            let message = format!("the table {} has no column {}", self.name, name.value);
            Fault::new(name.span.start.line, message)
        })
    }
}

impl Schema {
    pub(crate) fn declare(&mut self, table: Table) {
        for column in &table.columns {
            let spelling = self.spellings.entry(key(&column.name));
            spelling.or_insert_with(|| column.name.clone());
        }
        self.tables.insert(key(&table.name), table);
    }

    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(&key(name))
    }

    pub(crate) fn table_mut(&mut self, name: &str) -> Option<&mut Table> {
        self.tables.get_mut(&key(name))
    }

    /// The table of this name, or why there is none.
    pub(crate) fn named(&self, name: &ObjectName) -> Result<&Table> {
        let name = last(name)?;
        self.table(&name.value).ok_or_else(|| {
            let message = format!("the script makes no table {}", name.value);
            Fault::new(name.span.start.line, message)
        })
    }

    /// How a column of any table is spelled.
    pub(crate) fn spelling(&self, name: &str) -> Option<&str> {
        self.spellings.get(&key(name)).map(String::as_str)
    }
}
