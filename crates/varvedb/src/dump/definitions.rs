//! Statements that make the objects.

use std::collections::{BTreeMap, BTreeSet};

use varve_catalog::{Creation, Made, relation_oid};
use varve_types::{Error, Result};

use super::{Column, Dump, Relation, literal, texts};

pub(super) const OF_USERS: &str = "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname !~ '^_timescaledb_'";

impl Dump<'_, '_> {
    pub(super) async fn schemas(&mut self) -> Result<()> {
        let sql = "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^(pg|_timescaledb)_' \
                   AND nspname NOT IN ('information_schema', 'public') ORDER BY nspname";
        for row in self.cells(sql).await? {
            let [name] = texts(row);
            self.write(&format!("CREATE SCHEMA {name};\n\n"))?;
        }
        let sql = "SELECT count(*) FROM pg_namespace WHERE nspname = 'public'";
        if self.cell(sql).await? == "0" {
            self.write("DROP SCHEMA public;\n\n")?;
        }
        Ok(())
    }

    /// Types, functions, sequences, tables and views, each by its statement.
    pub(super) async fn creations(
        &mut self,
        creations: &[Creation],
        relations: &[Relation],
    ) -> Result<()> {
        let columns = relations.iter().flat_map(|relation| &relation.columns);
        // Their tables make these.
        let identities: BTreeSet<&str> = columns
            .filter(|column| !column.identity.is_empty())
            .filter_map(|column| column.sequence.as_deref())
            .collect();
        let numbers: BTreeMap<&str, &Relation> = relations
            .iter()
            .map(|one| (one.oid.as_str(), one))
            .collect();
        for creation in creations {
            let number = creation.oid.to_string();
            let relation = numbers.get(number.as_str());
            match (creation.kind, relation) {
                (Made::Type, _) => {
                    let catalog = self.session.catalog_of_block()?;
                    let text = catalog.type_definition(creation.object);
                    let text = text.ok_or_else(|| Error::internal("a type has gone"))?;
                    self.write(&format!("{text};\n\n"))?;
                }
                (Made::Function, _) => {
                    let text = self
                        .cell(&format!("SELECT pg_get_functiondef({number})"))
                        .await?;
                    self.write(&format!("{};\n\n", text.trim_end()))?;
                }
                (Made::Sequence, Some(one)) if identities.contains(one.name.as_str()) => {}
                (Made::Sequence, Some(one)) => self.sequence(one).await?,
                (Made::Table, Some(one)) => self.table(one).await?,
                (Made::View, Some(one)) => self.view(one).await?,
                // A materialized view has the number of the table with its rows.
                (Made::View, None) => {
                    let rows = self.session.catalog_of_block()?;
                    let rows = rows
                        .views
                        .get(&creation.object)
                        .and_then(|view| view.rows());
                    let number = rows.map(|rows| relation_oid(rows).to_string());
                    let view = number.and_then(|number| numbers.get(number.as_str()));
                    let view = view.ok_or_else(|| Error::internal("a view has gone"))?;
                    self.view(view).await?;
                }
                (Made::Sequence | Made::Table, None) => {
                    return Err(Error::internal("a relation has gone"));
                }
            }
        }
        Ok(())
    }

    async fn sequence(&mut self, sequence: &Relation) -> Result<()> {
        let options = self.sequence_options(&sequence.oid).await?;
        let ty = format!(
            "SELECT format_type(seqtypid, NULL) FROM pg_sequence WHERE seqrelid = {}",
            sequence.oid
        );
        let ty = self.cell(&ty).await?;
        let name = &sequence.name;
        self.write(&format!("CREATE SEQUENCE {name} AS {ty}{options};\n\n"))
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
        let sql = format!(
            "SELECT ' WITH (' || string_agg(split_part(o, '=', 1) || '=' || \
             CASE WHEN v ~ '^[a-z0-9_()]+$' THEN v ELSE quote_literal(v) END, ', ') || ')' \
             FROM pg_class, unnest(reloptions) o, LATERAL substr(o, strpos(o, '=') + 1) v WHERE oid = {} GROUP BY reloptions",
            table.oid
        );
        let options = self.cells(&sql).await?.into_iter().next();
        let [options] = texts(options.unwrap_or_default());
        self.write(&format!(
            "CREATE TABLE {} ({}\n){by}{options};\n\n",
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
        let mut text = format!("{} {}{}", column.name, column.ty, column.storage);
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
                    " GENERATED {when} AS IDENTITY (SEQUENCE NAME {sequence}{options})"
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
    pub(super) async fn keys_and_indexes(&mut self, tables: &[&Relation]) -> Result<()> {
        for table in tables {
            self.constraints(table, "'p', 'u'").await?;
            self.indexes(table).await?;
        }
        Ok(())
    }

    /// Foreign keys, which need the keys of other tables.
    pub(super) async fn foreign_keys(&mut self, relations: &[Relation]) -> Result<()> {
        for table in relations.iter().filter(|relation| relation.is_table()) {
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

    /// A view, a materialized one without rows.
    async fn view(&mut self, view: &Relation) -> Result<()> {
        // Names in its query that have no schema are those of its own, or public.
        let path = match view.schema.as_str() {
            "public" => "public".to_owned(),
            schema => format!("{schema}, public"),
        };
        let definition = self
            .cell(&format!("SELECT pg_get_viewdef({})", view.oid))
            .await?;
        let definition = definition.trim().trim_end_matches(';');
        let columns = view.columns.iter().map(|column| column.name.as_str());
        let columns = columns.collect::<Vec<&str>>().join(", ");
        let check = "SELECT check_option FROM information_schema.views v \
                     JOIN pg_class c ON c.relname = v.table_name \
                     JOIN pg_namespace n ON n.oid = c.relnamespace \
                     AND n.nspname = v.table_schema WHERE c.oid = ";
        let check = self.cell(&format!("{check}{}", view.oid)).await?;
        let (kind, end) = match (view.kind.as_str(), check.as_str()) {
            ("m", _) => ("MATERIALIZED VIEW", "\n  WITH NO DATA"),
            (_, "LOCAL") => ("VIEW", "\n  WITH LOCAL CHECK OPTION"),
            (_, "CASCADED") => ("VIEW", "\n  WITH CASCADED CHECK OPTION"),
            _ => ("VIEW", ""),
        };
        let name = &view.name;
        let options = self.aggregate_options(&view.oid).await?;
        self.write(&format!("SET search_path = {path};\n"))?;
        self.write(&format!(
            "CREATE {kind} {name} ({columns}){options} AS\n{definition}{end};\n"
        ))?;
        self.write("SELECT pg_catalog.set_config('search_path', '', false);\n\n")
    }

    /// The options of a continuous aggregate, with `WITH` before them.
    async fn aggregate_options(&mut self, number: &str) -> Result<String> {
        let sql = format!(
            "SELECT ' WITH (' || array_to_string(c.reloptions, ', ') || ')' FROM pg_class c \
             JOIN _timescaledb_catalog.continuous_agg a ON a.relation::oid = c.oid \
             WHERE c.oid = {number}"
        );
        let rows = self.cells(&sql).await?;
        let options = rows.into_iter().next().map(texts);
        Ok(options.map_or_else(String::new, |[options]| options))
    }

    /// The indexes and the rows of materialized views, each behind those that it reads.
    pub(super) async fn filled_views(&mut self, relations: &[Relation]) -> Result<()> {
        let creations = self.session.catalog_of_block()?;
        let order = creations.creations()?;
        let rows = order
            .iter()
            .filter_map(|one| creations.views.get(&one.object)?.rows());
        for number in rows.map(|rows| relation_oid(rows).to_string()) {
            let mut views = relations.iter();
            let Some(view) = views.find(|view| view.oid == number) else {
                continue;
            };
            self.indexes(view).await?;
            if !self.options.data {
                continue;
            }
            let name = &view.name;
            let sql = format!("SELECT relispopulated FROM pg_class WHERE oid = {number}");
            let is_populated = self.cell(&sql).await? == "t";
            let sql = format!(
                "SELECT watermark IS NOT NULL \
                 FROM _timescaledb_catalog.continuous_agg WHERE relation::oid = {number}"
            );
            match self.cells(&sql).await?.into_iter().next().map(texts) {
                Some([is_made]) if is_made == "t" => {
                    let name = literal(name);
                    let call = format!("CALL refresh_continuous_aggregate({name}, NULL, NULL);");
                    self.write(&format!("{call}\n\n"))?;
                }
                None if is_populated => {
                    self.write(&format!("REFRESH MATERIALIZED VIEW {name};\n\n"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What tells the present of hypertables whose time is an integer: functions that may read
    /// them.
    pub(super) async fn integer_now_functions(&mut self) -> Result<()> {
        let sql = "SELECT format('SELECT set_integer_now_func(%L, %L);', \
                   format('%I.%I', schema_name, table_name), integer_now_func) FROM _timescaledb_catalog.hypertable \
                   WHERE integer_now_func IS NOT NULL ORDER BY id";
        for row in self.cells(sql).await? {
            let [statement] = texts(row);
            self.write(&format!("{statement}\n\n"))?;
        }
        Ok(())
    }

    /// Jobs and policies. What is known of their runs stays behind.
    pub(super) async fn jobs(&mut self) -> Result<()> {
        let sql = "SELECT * FROM _timescaledb_functions.job_statements()";
        for row in self.cells(sql).await? {
            let [statement] = texts(row);
            self.write(&format!("{statement}\n\n"))?;
        }
        Ok(())
    }

    /// The triggers of tables and views.
    pub(super) async fn triggers(&mut self) -> Result<()> {
        let sql = format!(
            "SELECT pg_get_triggerdef(t.oid), t.tgenabled, quote_ident(t.tgname), \
             quote_ident(n.nspname) || '.' || quote_ident(c.relname) \
             FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE NOT t.tgisinternal AND c.relpersistence <> 't' AND {OF_USERS} \
             ORDER BY n.nspname, c.relname, t.tgname"
        );
        for row in self.cells(&sql).await? {
            let [definition, enabled, name, table] = texts(row);
            self.write(&format!("{definition};\n\n"))?;
            if enabled == "D" {
                self.write(&format!("ALTER TABLE {table} DISABLE TRIGGER {name};\n\n"))?;
            }
        }
        Ok(())
    }
}
