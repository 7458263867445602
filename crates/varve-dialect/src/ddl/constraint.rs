//! Constraints of tables.

use sqlparser::ast::{
    ConstraintCharacteristics, DeferrableInitial, Expr, ForeignKeyConstraint, Ident, IndexColumn,
    ReferentialAction, TableConstraint,
};
use varve_types::{SqlText, sql};

use crate::expression::literal::{Literal, arguments};
use crate::later::Kind;
use crate::names::{last, line, spelled};
use crate::schema::Table;
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::translator::Translator;

/// The column that a part of a key is, and whether only its first letters are meant, as MySQL
/// writes by `name(10)`.
pub(crate) fn key_column<'t>(part: &IndexColumn, table: &'t Table) -> Option<(&'t str, bool)> {
    let (name, is_prefix) = match &part.column.expr {
        Expr::Identifier(name) => (name, false),
        Expr::Function(call) => {
            let arguments = arguments(call)?;
            let is_length = matches!(
                arguments.as_slice(),
                [length] if matches!(Literal::of(length), Some(Literal::Number(_)))
            );
            (last(&call.name).ok().filter(|_| is_length)?, true)
        }
        _ => return None,
    };
    table
        .column(&name.value)
        .map(|column| (column.name.as_str(), is_prefix))
}

/// The names of the columns of a key.
pub(crate) fn key_columns(parts: &[IndexColumn], table: &Table) -> Option<Vec<String>> {
    let names = parts
        .iter()
        .map(|part| Some(key_column(part, table)?.0.to_owned()));
    names.collect()
}

impl<'s> Translator<'s> {
    /// A constraint as an element of CREATE TABLE or behind ADD; nothing where it comes later.
    pub(crate) fn constraint(
        &mut self,
        table: &'s Table,
        constraint: &TableConstraint,
        at: u64,
    ) -> Result<Option<SqlText>> {
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let columns = self.key(table, &key.columns, at)?;
                let name = self.relation_name(key.name.as_ref());
                Ok(Some(sql![name, "PRIMARY KEY (", columns, ")"]))
            }
            TableConstraint::Unique(key) => {
                let columns = self.key(table, &key.columns, at)?;
                let name = key.name.as_ref().or(key.index_name.as_ref());
                let name = self.relation_name(name);
                Ok(Some(sql![name, "UNIQUE (", columns, ")"]))
            }
            TableConstraint::ForeignKey(key) => {
                let mut columns = Vec::new();
                for column in &key.columns {
                    columns.push(SqlText::name(&table.named(column)?.name));
                }
                let columns = SqlText::joined(&columns, ", ");
                let at = key.columns.first().map_or(at, line);
                self.foreign_key(table, columns, key, at)?;
                Ok(None)
            }
            TableConstraint::Check(check) => {
                let mut writer = Writer::over(self.schema, self.dialect, table);
                let name = named(check.name.as_ref());
                Ok(Some(sql![name, "CHECK (", writer.expr(&check.expr)?, ")"]))
            }
            TableConstraint::Index(index) => {
                self.index_of_table(table, index, at)?;
                Ok(None)
            }
            TableConstraint::FulltextOrSpatial(index) => {
                let name = index.opt_index_name.as_ref().map_or("", |name| &name.value);
                let what = if index.fulltext {
                    "full text"
                } else {
                    "spatial"
                };
                let message = format!("the {what} index {name} is left out: there are none here");
                self.remark(index.opt_index_name.as_ref().map_or(at, line), message);
                Ok(None)
            }
            _ => Err(Fault::new(at, "a constraint that has no counterpart")),
        }
    }

    fn key(&mut self, table: &Table, parts: &[IndexColumn], at: u64) -> Result<SqlText> {
        let mut names = Vec::with_capacity(parts.len());
        for part in parts {
            let Some((name, is_prefix)) = key_column(part, table) else {
                return Err(Fault::new(at, "a key over an expression"));
            };
            if is_prefix {
                let message =
                    format!("the key over the first letters of {name} is over all of them");
                self.remark(at, message);
            }
            names.push(SqlText::name(name));
        }
        Ok(SqlText::joined(&names, ", "))
    }

    /// `CONSTRAINT name `, where nothing else has that name: keys of a table are relations here.
    fn relation_name(&mut self, name: Option<&Ident>) -> SqlText {
        match name {
            Some(name) if self.take_name(&name.value) => named(Some(name)),
            _ => SqlText::default(),
        }
    }

    /// Notes a foreign key for the end: the sources make tables and rows in any order.
    pub(crate) fn foreign_key(
        &mut self,
        table: &Table,
        columns: SqlText,
        key: &ForeignKeyConstraint,
        at: u64,
    ) -> Result<()> {
        let foreign = self.schema.named(&key.foreign_table)?;
        let mut text = sql![
            "ALTER TABLE ",
            SqlText::name(&table.name),
            " ADD ",
            named(key.name.as_ref()),
            "FOREIGN KEY (",
            columns,
            ") REFERENCES ",
            SqlText::name(&foreign.name)
        ];
        if !key.referred_columns.is_empty() {
            let mut names = Vec::new();
            for column in &key.referred_columns {
                names.push(SqlText::name(&foreign.named(column)?.name));
            }
            text.push(sql![" (", SqlText::joined(&names, ", "), ")"]);
        }
        for (event, action) in [
            (" ON DELETE ", key.on_delete),
            (" ON UPDATE ", key.on_update),
        ] {
            if let Some(action) = action {
                text.push(sql![event, word(action)]);
            }
        }
        if let Some(characteristics) = &key.characteristics {
            text.push(deferral(characteristics));
        }
        self.later.add(Kind::ForeignKey, at, &table.name, text);
        Ok(())
    }
}

fn named(name: Option<&Ident>) -> SqlText {
    match name {
        Some(name) => sql!["CONSTRAINT ", SqlText::name(&spelled(name)), " "],
        None => SqlText::default(),
    }
}

fn word(action: ReferentialAction) -> &'static str {
    match action {
        ReferentialAction::Restrict => "RESTRICT",
        ReferentialAction::Cascade => "CASCADE",
        ReferentialAction::SetNull => "SET NULL",
        ReferentialAction::NoAction => "NO ACTION",
        ReferentialAction::SetDefault => "SET DEFAULT",
    }
}

fn deferral(characteristics: &ConstraintCharacteristics) -> &'static str {
    match (characteristics.deferrable, characteristics.initially) {
        (Some(true), Some(DeferrableInitial::Deferred)) => " DEFERRABLE INITIALLY DEFERRED",
        (Some(true), _) => " DEFERRABLE",
        _ => "",
    }
}
