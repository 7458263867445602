//! The names that a query's expressions may use.

use varve_catalog::model::schema::RelationName;
use varve_types::{Error, LogicalType, ObjectId, Result, RowTypeId, SqlState};

use crate::scope::locked_relation::LockedRelation;

/// Starts the names of derived tables without an alias; no query can write it.
pub const UNNAMED: char = '\0';

/// The system column with the OID of the table that a row is in.
pub const TABLEOID: &str = "tableoid";

/// The relations of a FROM clause; their columns are numbered one after another.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The tables in reach, in the order of their columns.
    pub tables: Vec<ScopeTable>,
    /// The columns of `*` in order, which are also those found without a table's name: columns
    /// merged by USING are there once.
    pub star: Vec<usize>,
}

/// One relation of a FROM clause.
#[derive(Clone, Debug)]
pub struct ScopeTable {
    /// The name by which it is qualified.
    pub name: String,
    /// Number of its first column.
    pub first: usize,
    /// Its columns.
    pub columns: Vec<(String, LogicalType)>,
    /// Positions of the columns that tell its rows apart: the primary key of a table.
    pub key: Vec<usize>,
    /// What its rows are of.
    pub row_type: RowTypeId,
    /// Whether its only column is what a row of it is: of a function of values.
    pub is_value: bool,
    /// The name that its alias hides; empty where there is none.
    pub hidden_name: String,
    /// The schema that may stand before its name; empty where none may.
    pub schema: String,
    /// Number of the column with the OID of the row's table, where it is there.
    pub tableoid: Option<usize>,
    /// How many of its last columns are none of the result of `*`.
    pub hidden: usize,
    /// How its rows are locked.
    pub locked: Option<LockedRelation>,
    /// The relation whose rows the statement changes, where it is that.
    pub changed: Option<ObjectId>,
}

impl ScopeTable {
    /// A column for an error: with the relation's name where it has one.
    pub fn shown(&self, column: &str) -> String {
        match self.name.as_str() {
            name if name.starts_with(UNNAMED) => column.to_owned(),
            name => format!("{name}.{column}"),
        }
    }
}

impl Scope {
    /// A scope of one relation whose columns start at `first`.
    pub fn table(name: String, first: usize, columns: Vec<(String, LogicalType)>) -> Scope {
        Scope {
            star: (first..first + columns.len()).collect(),
            tables: vec![ScopeTable {
                name,
                first,
                columns,
                key: Vec::new(),
                row_type: RowTypeId::RECORD,
                is_value: false,
                hidden_name: String::new(),
                schema: String::new(),
                tableoid: None,
                hidden: 0,
                locked: None,
                changed: None,
            }],
        }
    }

    /// The same scope, whose relations are of a table that may have another name.
    pub fn hiding(mut self, table: &str) -> Scope {
        for known in &mut self.tables {
            if known.name != table {
                table.clone_into(&mut known.hidden_name);
            }
        }
        self
    }

    /// The same scope, whose relations are in a schema, which their names may tell, if no alias
    /// hides them.
    pub fn in_schema(mut self, schema: &str) -> Scope {
        for known in &mut self.tables {
            if known.hidden_name.is_empty() {
                schema.clone_into(&mut known.schema);
            }
        }
        self
    }

    /// The same names for columns that are numbered `by` higher.
    pub fn shifted(mut self, by: usize) -> Scope {
        for table in &mut self.tables {
            table.first += by;
            table.tableoid = table.tableoid.map(|at| at + by);
            let locked = table.locked.iter_mut();
            locked.for_each(|locked| locked.columns.iter_mut().for_each(|at| *at += by));
        }
        for index in &mut self.star {
            *index += by;
        }
        self
    }

    /// Adds the relations of another scope.
    pub fn append(&mut self, other: Scope) -> Result<()> {
        for table in &other.tables {
            let is_same = |known: &ScopeTable| {
                let is_other = !known.schema.is_empty() && !table.schema.is_empty();
                known.name == table.name && !(is_other && known.schema != table.schema)
            };
            let is_named = !table.name.starts_with(UNNAMED);
            if is_named && self.tables.iter().any(is_same) {
                return Err(Error::new(
                    SqlState::DUPLICATE_ALIAS,
                    format!("table name \"{}\" specified more than once", table.name),
                ));
            }
        }
        self.tables.extend(other.tables);
        self.star.extend(other.star);
        Ok(())
    }

    /// The name and type of a column by its number.
    pub fn column(&self, index: usize) -> Option<(&ScopeTable, &str, LogicalType)> {
        self.tables.iter().find_map(|table| {
            if table.tableoid == Some(index) {
                return Some((table, TABLEOID, LogicalType::Oid));
            }
            let (name, ty) = table.columns.get(index.checked_sub(table.first)?)?;
            Some((table, name.as_str(), *ty))
        })
    }

    /// The relation with a name.
    pub fn find_table(&self, wanted: &RelationName, position: u32) -> Result<&ScopeTable> {
        let name = &wanted.name;
        let is_meant = |table: &&ScopeTable| match &wanted.schema {
            None => table.name == *name,
            Some(schema) => table.name == *name && table.schema == *schema,
        };
        let mut meant = self.tables.iter().filter(is_meant);
        match (meant.next(), meant.next()) {
            (Some(table), None) => return Ok(table),
            (Some(_), Some(_)) => {
                let message = format!("table reference \"{name}\" is ambiguous");
                return Err(Error::new(SqlState::AMBIGUOUS_ALIAS, message).at(position));
            }
            (None, _) => {}
        }
        let mut aliased = self.tables.iter();
        Err(
            if let Some(table) = aliased.find(|table| table.hidden_name == *name) {
                let hint = format!(
                    "Perhaps you meant to reference the table alias \"{}\".",
                    table.name
                );
                no_entry("invalid reference to", name).with_hint(hint)
            } else if self.tables.iter().any(|table| table.name == *name) {
                out_of_reach(name)
            } else {
                no_entry("missing", name)
            }
            .at(position),
        )
    }

    /// The column that a name without a table means, if any.
    pub fn find_unqualified(&self, name: &str, position: u32) -> Result<Option<usize>> {
        let hidden = |table: &ScopeTable| {
            let end = table.first + table.columns.len();
            (end - table.hidden..end).chain(table.tableoid)
        };
        let systems = self.tables.iter().flat_map(hidden);
        let all = self.star.iter().copied().chain(systems);
        let mut found = all.filter(|index| {
            self.column(*index)
                .is_some_and(|(_, known, _)| known == name)
        });
        let first = found.next();
        if found.next().is_some() {
            return Err(ambiguous_column(name, position));
        }
        Ok(first)
    }

    /// The column that SQLite's `rowid` means: the one integer that is a table's primary key.
    fn row_id(&self, table: Option<&RelationName>, position: u32) -> Result<Option<usize>> {
        let of_table = |known: &ScopeTable| {
            let [key] = known.key.as_slice() else {
                return None;
            };
            let (_, ty) = known.columns.get(*key)?;
            let is_integer = matches!(
                ty,
                LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
            );
            is_integer.then_some(known.first + key)
        };
        if let Some(table) = table {
            return Ok(of_table(self.find_table(table, position)?));
        }
        let mut found = self.tables.iter().filter_map(of_table);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(ambiguous_column("rowid", position)),
            (one, None) => Ok(one),
        }
    }

    /// The column that a name means.
    pub fn resolve(
        &self,
        table: Option<&RelationName>,
        name: &str,
        position: u32,
    ) -> Result<(usize, LogicalType)> {
        let index = match table {
            None => self.find_unqualified(name, position)?,
            Some(table) => {
                let table = self.find_table(table, position)?;
                let mut matching = (table.first..)
                    .zip(&table.columns)
                    .filter(|(_, (known, _))| known == name);
                let system = table.tableoid.filter(|_| name == TABLEOID);
                let first = matching.next().map(|(index, _)| index).or(system);
                if matching.next().is_some() {
                    return Err(ambiguous_column(name, position));
                }
                first
            }
        };
        let is_row_id = index.is_none() && matches!(name, "rowid" | "_rowid_");
        let index = match is_row_id {
            true => self.row_id(table, position)?,
            false => index,
        };
        let typed = index.and_then(|index| Some((index, self.column(index)?.2)));
        typed.ok_or_else(|| {
            let shown = match table {
                Some(table) => format!("{}.{name}", table.name),
                None => format!("\"{name}\""),
            };
            let error = Error::new(
                SqlState::UNDEFINED_COLUMN,
                format!("column {shown} does not exist"),
            )
            .at(position);
            match self.similar(name) {
                Some(hint) => error.with_hint(hint),
                None if is_row_id => error.with_hint(
                    "Only a table whose primary key is one integer column has it: as that column.",
                ),
                None => error,
            }
        })
    }

    /// A hint that names a column which differs only in case.
    fn similar(&self, name: &str) -> Option<String> {
        let table = self.tables.iter().find_map(|table| {
            let (known, _) = table
                .columns
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
            Some((table, known))
        });
        table.map(|(table, column)| {
            let shown = table.shown(column);
            format!("Perhaps you meant to reference the column \"{shown}\".")
        })
    }
}

fn ambiguous_column(name: &str, position: u32) -> Error {
    let message = format!("column reference \"{name}\" is ambiguous");
    Error::new(SqlState::AMBIGUOUS_COLUMN, message).at(position)
}

fn no_entry(what: &str, table: &str) -> Error {
    let message = format!("{what} FROM-clause entry for table \"{table}\"");
    Error::new(SqlState::UNDEFINED_TABLE, message)
}

/// The error about a table that is there, but not where its name is written.
pub fn out_of_reach(table: &str) -> Error {
    no_entry("invalid reference to", table).with_detail(format!(
        "There is an entry for table \"{table}\", but it cannot be referenced from this part of the \
         query."
    ))
}
