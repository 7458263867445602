//! What names mean while a statement is written.

use std::collections::{BTreeMap, BTreeSet};

use sqlparser::ast::{Expr, Ident, ObjectName};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::ddl::types::Type;
use crate::names::{key, last, parts, spelled};
use crate::schema::{Column, Schema, Table};
use crate::script::{Fault, Result};

/// Writes one statement. Names of all its queries are in one scope: it is only about spelling.
pub(crate) struct Writer<'s> {
    pub schema: &'s Schema,
    pub dialect: Dialect,
    /// Tables by the keys of the names that they have in the statement.
    tables: Vec<(String, Option<&'s Table>)>,
    /// Names that the statement gives, by their keys.
    given: BTreeMap<String, String>,
    /// Keys of the relations that it reads.
    pub uses: BTreeSet<String>,
    /// The type of the column whose value is written, for moments.
    pub wanted: Type,
}

impl<'s> Writer<'s> {
    pub(crate) fn new(schema: &'s Schema, dialect: Dialect) -> Writer<'s> {
        Writer {
            schema,
            dialect,
            tables: Vec::new(),
            given: BTreeMap::new(),
            uses: BTreeSet::new(),
            wanted: Type::Any,
        }
    }

    /// A writer in which the columns of `table` are known.
    pub(crate) fn over(schema: &'s Schema, dialect: Dialect, table: &'s Table) -> Writer<'s> {
        let mut writer = Writer::new(schema, dialect);
        writer.tables.push((key(&table.name), Some(table)));
        writer
    }

    /// Makes a table known by a name.
    pub(crate) fn know(&mut self, name: &str, table: Option<&'s Table>) {
        self.tables.push((key(name), table));
    }

    /// Writes a name that is given here, such as behind AS.
    pub(crate) fn give(&mut self, name: &Ident) -> SqlText {
        let spelled = spelled(name);
        let given = self.given.entry(key(&name.value)).or_insert(spelled);
        SqlText::name(given)
    }

    /// The name of a relation.
    pub(crate) fn relation(&mut self, name: &ObjectName) -> Result<SqlText> {
        let name = last(name)?;
        self.uses.insert(key(&name.value));
        if let Some(given) = self.given.get(&key(&name.value)) {
            return Ok(SqlText::name(given));
        }
        Ok(match self.schema.table(&name.value) {
            Some(table) => SqlText::name(&table.name),
            None => SqlText::name(&spelled(name)),
        })
    }

    fn known_column(&self, name: &str) -> Option<&'s Column> {
        let mut tables = self.tables.iter().rev();
        tables.find_map(|(_, table)| table.and_then(|table| table.column(name)))
    }

    /// The column that an expression is.
    pub(crate) fn column_of(&self, expr: &Expr) -> Option<&'s Column> {
        match expr {
            Expr::Identifier(name) => self.known_column(&name.value),
            Expr::CompoundIdentifier(parts) => {
                let (name, before) = parts.split_last()?;
                self.qualified(before.last()?)?.column(&name.value)
            }
            Expr::Nested(inner) => self.column_of(inner),
            _ => None,
        }
    }

    fn qualified(&self, name: &Ident) -> Option<&'s Table> {
        let name = key(&name.value);
        let mut tables = self.tables.iter().rev();
        let found = tables.find(|(known, _)| *known == name)?;
        found.1
    }

    /// A name that stands alone. In SQLite one in double quotes is a text where nothing has it.
    pub(crate) fn name(&self, name: &Ident) -> SqlText {
        if let Some(given) = self.given.get(&key(&name.value)) {
            return SqlText::name(given);
        }
        if let Some(column) = self.known_column(&name.value) {
            return SqlText::name(&column.name);
        }
        match self.schema.spelling(&name.value) {
            Some(spelling) => SqlText::name(spelling),
            None if name.quote_style == Some('"') && self.dialect == Dialect::Sqlite => {
                SqlText::literal(&name.value)
            }
            None => SqlText::name(&spelled(name)),
        }
    }

    /// A name with that of its table, and with that of a database before it.
    pub(crate) fn compound(&self, parts: &[Ident]) -> Result<SqlText> {
        let [.., table, name] = parts else {
            return Err(Fault::new(0, "a name is missing"));
        };
        let known = self.qualified(table);
        let column = known.and_then(|table| table.column(&name.value));
        let column = match column {
            Some(column) => SqlText::name(&column.name),
            None => self.name(name),
        };
        Ok(sql![self.qualifier(table), ".", column])
    }

    fn qualifier(&self, table: &Ident) -> SqlText {
        let is_row = matches!(key(&table.value).as_str(), "new" | "old" | "excluded");
        if is_row && self.qualified(table).is_some() {
            return SqlText::name(&key(&table.value));
        }
        match self.given.get(&key(&table.value)) {
            Some(given) => SqlText::name(given),
            None => match self.schema.table(&table.value) {
                Some(table) => SqlText::name(&table.name),
                None => SqlText::name(&spelled(table)),
            },
        }
    }

    /// `table.*`
    pub(crate) fn all_of(&self, name: &ObjectName) -> Result<SqlText> {
        let parts = parts(name)?;
        let table = parts
            .last()
            .ok_or_else(|| Fault::new(0, "a name is missing"))?;
        Ok(sql![self.qualifier(table), ".*"])
    }
}
