//! CREATE TABLE.

use sqlparser::ast::{CreateTable, CreateTableOptions, Expr, SqlOption, Value};
use varve_types::{SqlText, sql};

use crate::ddl::column::enum_name;
use crate::ddl::types::Type;
use crate::later::Kind;
use crate::names::{key, last, spelled};
use crate::schema::Table;
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::translator::Translator;

/// The value of an option of MySQL's, such as AUTO_INCREMENT.
pub(crate) fn option<'t>(table: &'t CreateTable, name: &str) -> Option<&'t Expr> {
    let CreateTableOptions::Plain(options) = &table.table_options else {
        return None;
    };
    options.iter().find_map(|option| match option {
        SqlOption::KeyValue { key, value } if key.value.eq_ignore_ascii_case(name) => Some(value),
        _ => None,
    })
}

impl<'s> Translator<'s> {
    pub(crate) fn create_table(&mut self, create: &CreateTable, at: u64) -> Result<()> {
        if create.like.is_some() || create.clone.is_some() {
            return Err(Fault::new(
                at,
                "CREATE TABLE LIKE, which has no counterpart",
            ));
        }
        let name = last(&create.name)?;
        let head = sql![
            if create.temporary {
                "CREATE TEMPORARY TABLE "
            } else {
                "CREATE TABLE "
            },
            if create.if_not_exists {
                "IF NOT EXISTS "
            } else {
                ""
            }
        ];
        if let Some(query) = &create.query {
            if !create.columns.is_empty() {
                return Err(Fault::new(at, "CREATE TABLE of columns and a query"));
            }
            let mut writer = Writer::new(self.schema, self.dialect);
            let query = writer.query(query)?;
            self.write(at, sql![head, SqlText::name(&spelled(name)), " AS ", query]);
            return Ok(());
        }
        let table = self.schema.named(&create.name)?;
        let mut elements = Vec::new();
        for column in &create.columns {
            elements.push(self.column(table, column)?);
        }
        for constraint in &create.constraints {
            elements.extend(self.constraint(table, constraint, at)?);
        }
        self.enum_types(table, at);
        let elements = SqlText::joined(&elements, ", ");
        self.write(
            at,
            sql![head, SqlText::name(&table.name), " (", elements, ")"],
        );
        self.continue_identity(table, at);
        self.table_options(create, table, at);
        Ok(())
    }

    fn enum_types(&mut self, table: &Table, at: u64) {
        for column in &table.columns {
            let Type::Enum(members) = &column.ty else {
                continue;
            };
            let name = enum_name(table, column);
            if self.dropped.contains(&key(&table.name)) {
                self.write(at, sql!["DROP TYPE IF EXISTS ", &name]);
            }
            let members: Vec<SqlText> = members.iter().map(|m| SqlText::literal(m)).collect();
            let members = SqlText::joined(&members, ", ");
            self.write(at, sql!["CREATE TYPE ", name, " AS ENUM (", members, ")"]);
        }
    }

    /// Lets the identity count on behind the rows.
    fn continue_identity(&mut self, table: &Table, at: u64) {
        let Some(column) = table.columns.iter().find(|column| column.is_identity) else {
            return;
        };
        let (name, of) = (SqlText::name(&column.name), SqlText::name(&table.name));
        let last = match table.counted.filter(|counted| *counted > 0) {
            Some(counted) => sql!["greatest(max(", &name, "), ", counted, ")"],
            None => sql!["max(", &name, ")"],
        };
        let sequence = sql![
            "pg_get_serial_sequence(",
            SqlText::literal(of.as_str()),
            ", ",
            SqlText::literal(&column.name),
            ")"
        ];
        let text = sql![
            "SELECT setval(",
            sequence,
            ", ",
            &last,
            ") FROM ",
            of,
            " HAVING ",
            &last
        ];
        self.later
            .add(Kind::Sequence, at, &table.name, sql![text, " > 0"]);
    }

    fn table_options(&mut self, create: &CreateTable, table: &Table, at: u64) {
        let comment = match &create.table_options {
            CreateTableOptions::Plain(options) => options.iter().find_map(|option| match option {
                SqlOption::Comment(
                    sqlparser::ast::CommentDef::WithEq(text)
                    | sqlparser::ast::CommentDef::WithoutEq(text),
                ) => Some(text.as_str()),
                _ => None,
            }),
            _ => None,
        };
        let comment = comment.or_else(|| match option(create, "comment")? {
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => Some(text.as_str()),
                _ => None,
            },
            _ => None,
        });
        if let Some(comment) = comment {
            let place = SqlText::name(&table.name);
            let text = sql![
                "COMMENT ON TABLE ",
                place,
                " IS ",
                SqlText::literal(comment)
            ];
            self.later.add(Kind::Comment, at, &table.name, text);
        }
        if create.partition_by.is_some() {
            self.remark(
                at,
                format!("the table {} is not partitioned here", table.name),
            );
        }
    }
}
