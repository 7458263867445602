//! The rows of tables and the values of sequences.

use varve_types::{LogicalType, Result};

use super::{Dump, Relation, literal};

impl Dump<'_, '_> {
    /// The rows of a table, in its order.
    pub(super) async fn rows(&mut self, table: &Relation) -> Result<()> {
        let stored = table.columns.iter().filter(|column| !column.is_generated);
        let columns: Vec<&str> = stored.map(|column| column.name.as_str()).collect();
        let list = match columns.is_empty() {
            true => String::new(),
            false => format!(" ({})", columns.join(", ")),
        };
        if self.options.inserts {
            return self.insert_rows(table, &columns, &list).await;
        }
        let sql = format!("COPY {}{list} TO STDOUT", table.name);
        let result = self.session.query(&sql, &[]).await?;
        self.write(&format!("COPY {}{list} FROM stdin;\n", table.name))?;
        if let Some(copied) = &result.copied {
            for chunk in copied.chunks() {
                (self.out)(&chunk)?;
            }
        }
        self.write("\\.\n\n")
    }

    async fn insert_rows(&mut self, table: &Relation, columns: &[&str], list: &str) -> Result<()> {
        let sql = format!("SELECT {} FROM ONLY {}", columns.join(", "), table.name);
        let result = self.session.query(&sql, &[]).await?;
        let is_fixed = table.columns.iter().any(|column| column.identity == "a");
        let overriding = if is_fixed {
            " OVERRIDING SYSTEM VALUE"
        } else {
            ""
        };
        let values = if columns.is_empty() {
            " DEFAULT VALUES"
        } else {
            " VALUES"
        };
        let head = format!("INSERT INTO {}{list}{overriding}{values}", table.name);
        let is_bare: Vec<bool> = result
            .fields
            .iter()
            .map(|field| is_bare(field.ty))
            .collect();
        let out = &mut *self.out;
        for row in result.text_rows() {
            let cells = row.iter().zip(&is_bare).map(|(cell, is_bare)| match cell {
                None => "NULL".to_owned(),
                Some(text) if *is_bare && is_number(text) => text.clone(),
                Some(text) => literal(text),
            });
            let cells: Vec<String> = cells.collect();
            let line = match cells.is_empty() {
                true => format!("{head};\n"),
                false => format!("{head} ({});\n", cells.join(", ")),
            };
            out(line.as_bytes())?;
        }
        self.write("\n")
    }

    /// What sequences give next.
    pub(super) async fn sequence_values(&mut self, relations: &[Relation]) -> Result<()> {
        for sequence in relations.iter().filter(|relation| relation.kind == "S") {
            let name = &sequence.name;
            let (last, is_called) = self.session.sequence_value(name).await?;
            self.write(&format!(
                "SELECT pg_catalog.setval({}, {last}, {is_called});\n\n",
                literal(name)
            ))?;
        }
        Ok(())
    }
}

/// Whether values of a type need no quotes.
fn is_bare(ty: LogicalType) -> bool {
    ty.is_numeric()
}

/// Whether a text is a plain number, not a NaN or an infinity.
fn is_number(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit())
}
