//! Indexes.

use sqlparser::ast::{CreateIndex, Expr, IndexColumn, IndexConstraint, OrderBySort};
use varve_types::{SqlText, sql};

use crate::ddl::constraint::key_column;
use crate::later::Kind;
use crate::names::{last, line, spelled};
use crate::schema::Table;
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::translator::Translator;

impl<'s> Translator<'s> {
    pub(crate) fn create_index(&mut self, index: &CreateIndex, at: u64) -> Result<()> {
        let is_plain = index.include.is_empty()
            && index.with.is_empty()
            && index.alter_options.is_empty()
            && index.nulls_distinct.is_none();
        let name = index.name.as_ref().filter(|_| is_plain);
        let Some(name) = name else {
            return Err(Fault::new(
                at,
                "a clause of CREATE INDEX that has no counterpart",
            ));
        };
        let table = self.schema.named(&index.table_name)?;
        let name = self.index_name(&spelled(last(name)?), table);
        let mut text = sql![
            if index.unique {
                "CREATE UNIQUE INDEX "
            } else {
                "CREATE INDEX "
            },
            if index.if_not_exists {
                "IF NOT EXISTS "
            } else {
                ""
            },
            SqlText::name(&name),
            " ON ",
            SqlText::name(&table.name),
            " (",
            self.index_parts(&index.columns, table)?,
            ")"
        ];
        if let Some(condition) = &index.predicate {
            let mut writer = Writer::over(self.schema, self.dialect, table);
            text.push(sql![" WHERE ", writer.expr(condition)?]);
        }
        self.write(at, text);
        Ok(())
    }

    /// MySQL's KEY within CREATE TABLE.
    pub(crate) fn index_of_table(
        &mut self,
        table: &'s Table,
        index: &IndexConstraint,
        at: u64,
    ) -> Result<()> {
        let at = index.name.as_ref().map_or(at, line);
        let parts = self.index_parts(&index.columns, table)?;
        let name = match &index.name {
            Some(name) => SqlText::name(&self.index_name(&spelled(name), table)),
            None => SqlText::default(),
        };
        let text = sql![
            "CREATE INDEX ",
            name,
            " ON ",
            SqlText::name(&table.name),
            " (",
            parts,
            ")"
        ];
        self.later.add(Kind::Index, at, &table.name, text);
        Ok(())
    }

    /// Indexes of MySQL have names of their own table; here they are relations.
    fn index_name(&mut self, name: &str, table: &Table) -> String {
        if self.take_name(name) {
            return name.to_owned();
        }
        let mut longer = format!("{}_{name}", table.name);
        while !self.take_name(&longer) {
            longer.push('_');
        }
        longer
    }

    fn index_parts(&mut self, parts: &[IndexColumn], table: &'s Table) -> Result<SqlText> {
        let mut writer = Writer::over(self.schema, self.dialect, table);
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            let mut text = match (key_column(part, table), &part.column.expr) {
                (Some((name, _)), _) => SqlText::name(name),
                (None, Expr::Collate { expr, collation })
                    if last(collation)?.value.eq_ignore_ascii_case("nocase") =>
                {
                    sql!["lower(", writer.expr(expr)?, ")"]
                }
                (None, Expr::Collate { expr, .. }) => writer.expr(expr)?,
                (None, expr) => sql!["(", writer.expr(expr)?, ")"],
            };
            if matches!(part.column.options.sort, Some(OrderBySort::Desc)) {
                text.push(" DESC");
            }
            texts.push(text);
        }
        Ok(SqlText::joined(&texts, ", "))
    }
}
