//! Statements that make the objects.

use varve_types::Result;

use super::{Column, Dump, Relation, literal, texts};

pub(super) const OF_USERS: &str =
    "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')";

impl Dump<'_, '_> {
    pub(super) async fn schemas(&mut self) -> Result<()> {
        let sql = "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' \
                   AND nspname NOT IN ('information_schema', 'public') ORDER BY nspname";
        for row in self.cells(sql).await? {
            let [name] = texts(row);
            self.write(&format!("CREATE SCHEMA {name};\n\n"))?;
        }
        Ok(())
    }

    /// Enums and domains, in the order in which they were made: one may build on another.
    pub(super) async fn types(&mut self) -> Result<()> {
        let sql = format!(
            "SELECT t.oid, t.typtype, quote_ident(n.nspname), \
             quote_ident(n.nspname) || '.' || quote_ident(t.typname) \
             FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace \
             WHERE t.typtype IN ('e', 'd') AND {OF_USERS} ORDER BY t.oid"
        );
        for row in self.cells(&sql).await? {
            let [oid, kind, schema, name] = texts(row);
            self.enter(&schema).await?;
            match kind.as_str() {
                "e" => self.enumeration(&oid, &name).await?,
                _ => self.domain(&oid, &name).await?,
            }
        }
        Ok(())
    }

    async fn enumeration(&mut self, oid: &str, name: &str) -> Result<()> {
        let sql =
            format!("SELECT enumlabel FROM pg_enum WHERE enumtypid = {oid} ORDER BY enumsortorder");
        let labels = self.cells(&sql).await?.into_iter().map(|row| {
            let [label] = texts(row);
            format!("\n    {}", literal(&label))
        });
        let labels: Vec<String> = labels.collect();
        self.write(&format!(
            "CREATE TYPE {name} AS ENUM ({}\n);\n\n",
            labels.join(",")
        ))
    }

    async fn domain(&mut self, oid: &str, name: &str) -> Result<()> {
        let sql = format!(
            "SELECT format_type(typbasetype, typtypmod), typnotnull, typdefault \
             FROM pg_type WHERE oid = {oid}"
        );
        let mut text = String::new();
        for mut row in self.cells(&sql).await? {
            let default = row.pop().flatten();
            let [base, not_null] = texts(row);
            text = format!("CREATE DOMAIN {name} AS {base}");
            if not_null == "t" {
                text.push_str(" NOT NULL");
            }
            if let Some(default) = default {
                text.push_str(&format!(" DEFAULT {default}"));
            }
        }
        let sql = format!(
            "SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint \
             WHERE contypid = {oid} ORDER BY conname"
        );
        for row in self.cells(&sql).await? {
            let [constraint, definition] = texts(row);
            text.push_str(&format!("\n    CONSTRAINT {constraint} {definition}"));
        }
        self.write(&format!("{text};\n\n"))
    }

    /// Sequences but for those of identities, which their tables make.
    pub(super) async fn sequences(&mut self, relations: &[Relation]) -> Result<()> {
        let columns = relations.iter().flat_map(|relation| &relation.columns);
        let identities: Vec<String> = columns
            .filter(|column| !column.identity.is_empty())
            .filter_map(|column| column.sequence.clone())
            .collect();
        for sequence in relations.iter().filter(|relation| relation.kind == "S") {
            if identities.contains(&sequence.name) {
                continue;
            }
            self.enter(&sequence.schema).await?;
            let options = self.sequence_options(&sequence.oid).await?;
            let ty = format!(
                "SELECT format_type(seqtypid, NULL) FROM pg_sequence WHERE seqrelid = {}",
                sequence.oid
            );
            let ty = self
                .cells(&ty)
                .await?
                .into_iter()
                .next()
                .unwrap_or_default();
            let [ty] = texts(ty);
            self.write(&format!(
                "CREATE SEQUENCE {} AS {ty}{options};\n\n",
                sequence.name
            ))?;
        }
        Ok(())
    }

    /// ` START WITH 1 INCREMENT BY 1 ...`
    async fn sequence_options(&mut self, oid: &str) -> Result<String> {
        let sql = format!(
            "SELECT format(' START WITH %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s%s', \
             seqstart, seqincrement, seqmin, seqmax, seqcache, \
             CASE WHEN seqcycle THEN ' CYCLE' ELSE '' END) FROM pg_sequence WHERE seqrelid = {oid}"
        );
        let row = self.cells(&sql).await?.into_iter().next();
        let [options] = texts(row.unwrap_or_default());
        Ok(options)
    }

    pub(super) async fn table(&mut self, table: &Relation) -> Result<()> {
        self.enter(&table.schema).await?;
        let mut parts = Vec::new();
        for column in &table.columns {
            parts.push(self.column(column).await?);
        }
        let sql = format!(
            "SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint \
             WHERE conrelid = {} AND contype = 'c' ORDER BY conname",
            table.oid
        );
        for row in self.cells(&sql).await? {
            let [name, definition] = texts(row);
            parts.push(format!("CONSTRAINT {name} {definition}"));
        }
        let parts: Vec<String> = parts.iter().map(|part| format!("\n    {part}")).collect();
        let by = self.partitioning(table).await?;
        self.write(&format!(
            "CREATE TABLE {} ({}\n){by};\n\n",
            table.name,
            parts.join(",")
        ))?;
        for column in &table.columns {
            if let (Some(sequence), "") = (&column.sequence, column.identity.as_str()) {
                self.write(&format!(
                    "ALTER SEQUENCE {sequence} OWNED BY {}.{};\n\n",
                    table.name, column.name
                ))?;
            }
        }
        Ok(())
    }

    async fn column(&mut self, column: &Column) -> Result<String> {
        let mut text = format!("{} {}", column.name, column.ty);
        match (
            &column.sequence,
            column.identity.as_str(),
            &column.expression,
        ) {
            (Some(sequence), "a" | "d", _) => {
                let oid = format!("{}::regclass::oid", literal(sequence));
                let options = self.sequence_options(&oid).await?;
                let when = if column.identity == "a" {
                    "ALWAYS"
                } else {
                    "BY DEFAULT"
                };
                text.push_str(&format!(
                    " GENERATED {when} AS IDENTITY ({})",
                    options.trim()
                ));
            }
            (_, _, Some(expression)) if column.is_generated => {
                text.push_str(&format!(" GENERATED ALWAYS AS ({expression}) STORED"));
            }
            (_, _, Some(expression)) => text.push_str(&format!(" DEFAULT {expression}")),
            _ => {}
        }
        if column.not_null {
            text.push_str(" NOT NULL");
        }
        Ok(text)
    }

    /// Primary keys, UNIQUE constraints and the other indexes of tables.
    pub(super) async fn keys_and_indexes(&mut self, relations: &[Relation]) -> Result<()> {
        for table in relations.iter().filter(|relation| relation.is_table()) {
            self.enter(&table.schema).await?;
            self.constraints(table, "'p', 'u'").await?;
            self.indexes(table).await?;
        }
        Ok(())
    }

    /// Foreign keys, which need the keys of other tables.
    pub(super) async fn foreign_keys(&mut self, relations: &[Relation]) -> Result<()> {
        for table in relations.iter().filter(|relation| relation.is_table()) {
            self.enter(&table.schema).await?;
            self.constraints(table, "'f'").await?;
        }
        Ok(())
    }

    async fn constraints(&mut self, table: &Relation, kinds: &str) -> Result<()> {
        let sql = format!(
            "SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint \
             WHERE conrelid = {} AND contype IN ({kinds}) ORDER BY contype, conname",
            table.oid
        );
        for row in self.cells(&sql).await? {
            let [name, definition] = texts(row);
            self.write(&format!(
                "ALTER TABLE ONLY {}\n    ADD CONSTRAINT {name} {definition};\n\n",
                table.name
            ))?;
        }
        Ok(())
    }

    async fn indexes(&mut self, table: &Relation) -> Result<()> {
        let sql = format!(
            "SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i \
             JOIN pg_class c ON c.oid = i.indexrelid \
             LEFT JOIN pg_constraint k ON k.conrelid = i.indrelid AND k.conindid = i.indexrelid \
             AND k.contype IN ('p', 'u') \
             WHERE i.indrelid = {} AND k.oid IS NULL ORDER BY c.relname",
            table.oid
        );
        for row in self.cells(&sql).await? {
            let [definition] = texts(row);
            self.write(&format!("{definition};\n\n"))?;
        }
        Ok(())
    }

    /// Views in the order in which they were made, since one may read another.
    pub(super) async fn views(&mut self, relations: &[Relation]) -> Result<()> {
        let views = relations
            .iter()
            .filter(|relation| relation.kind == "v" || relation.kind == "m");
        let mut views: Vec<&Relation> = views.collect();
        let number = |view: &&Relation| view.oid.parse::<u64>().unwrap_or(u64::MAX);
        varve_sort::sort_by_key(&mut views, number);
        for view in &views {
            self.enter(&view.schema).await?;
            let sql = format!("SELECT pg_get_viewdef({})", view.oid);
            let row = self.cells(&sql).await?.into_iter().next();
            let [definition] = texts(row.unwrap_or_default());
            let definition = definition.trim().trim_end_matches(';');
            let columns: Vec<&str> = view
                .columns
                .iter()
                .map(|column| column.name.as_str())
                .collect();
            let (kind, end) = match view.kind.as_str() {
                "m" => ("MATERIALIZED VIEW", "\n  WITH NO DATA"),
                _ => ("VIEW", ""),
            };
            self.write(&format!(
                "CREATE {kind} {} ({}) AS\n{definition}{end};\n\n",
                view.name,
                columns.join(", ")
            ))?;
        }
        for view in views.iter().filter(|view| view.kind == "m") {
            self.enter(&view.schema).await?;
            self.indexes(view).await?;
            let sql = format!(
                "SELECT relispopulated FROM pg_class WHERE oid = {}",
                view.oid
            );
            let row = self.cells(&sql).await?.into_iter().next();
            let [is_filled] = texts(row.unwrap_or_default());
            if self.options.data && is_filled == "t" {
                self.write(&format!("REFRESH MATERIALIZED VIEW {};\n\n", view.name))?;
            }
        }
        Ok(())
    }
}
