//! A database as a script of SQL, as pg_dump writes it: it loads into PostgreSQL and into an empty
//! database here, with equal rows. What it says of the objects comes from the catalogue by SQL.
//!
//! Objects come in the order in which they can be made: schemas, types, sequences, tables with
//! their CHECK constraints, then the rows, then keys, indexes, views and foreign keys. Of two
//! databases with the same objects and rows the dumps are the same bytes.

mod comments;
mod definitions;
mod families;
mod rows;

use varve_types::{Error, Result, SqlState};

use self::definitions::OF_USERS;
use crate::Session;

/// What a dump holds.
#[derive(Clone, Copy, Debug)]
pub struct DumpOptions {
    /// Whether it makes the objects.
    pub schema: bool,
    /// Whether it has the rows.
    pub data: bool,
    /// Whether the rows come as INSERT statements instead of COPY.
    pub inserts: bool,
}

impl Default for DumpOptions {
    fn default() -> DumpOptions {
        DumpOptions {
            schema: true,
            data: true,
            inserts: false,
        }
    }
}

/// Takes the script piece by piece; its error ends the dump.
pub type DumpSink<'a> = dyn FnMut(&[u8]) -> Result<()> + 'a;

impl Session {
    /// Writes the database as it is now to `out`. In a transaction block it answers `25001`.
    pub async fn dump(&mut self, options: DumpOptions, out: &mut DumpSink<'_>) -> Result<()> {
        if self.in_transaction() {
            let message = "a dump cannot run inside a transaction block";
            return Err(Error::new(SqlState::ACTIVE_SQL_TRANSACTION, message));
        }
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.query(begin, &[]).await?;
        let mut dump = Dump {
            session: self,
            options,
            out,
            schema: String::new(),
        };
        let dumped = dump.run().await;
        let ended = self.query("ROLLBACK", &[]).await;
        dumped.and(ended.map(drop))
    }
}

/// A dump under way.
struct Dump<'a, 'b> {
    session: &'a mut Session,
    options: DumpOptions,
    out: &'a mut DumpSink<'b>,
    /// The schema, as it is quoted, that names without one belong to.
    schema: String,
}

/// A relation as the script names it.
#[derive(Clone, Debug)]
struct Relation {
    oid: String,
    /// Its schema, in quotes where it needs them.
    schema: String,
    /// Its whole name, in quotes where it needs them.
    name: String,
    kind: String,
    columns: Vec<Column>,
}

impl Relation {
    /// Whether it is a table, which may have partitions.
    fn is_table(&self) -> bool {
        self.kind == "r" || self.kind == "p"
    }
}

#[derive(Clone, Debug)]
struct Column {
    /// In quotes where it needs them.
    name: String,
    ty: String,
    not_null: bool,
    /// `a` or `d`.
    identity: String,
    is_generated: bool,
    /// Of the default or of what it is generated from.
    expression: Option<String>,
    /// Schema and name of the sequence that belongs to it, without quotes.
    sequence: Option<String>,
}

const HEAD: &str = "\
--
-- VarveDB database dump
--

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET client_min_messages = warning;

";

impl Dump<'_, '_> {
    async fn run(&mut self) -> Result<()> {
        for setting in ["datestyle = ISO", "intervalstyle = postgres"] {
            self.session
                .query(&format!("SET LOCAL {setting}"), &[])
                .await?;
        }
        self.write(HEAD)?;
        if self.options.schema {
            self.schemas().await?;
            self.types().await?;
        }
        let relations = self.relations().await?;
        if self.options.schema {
            self.sequences(&relations).await?;
            for table in relations.iter().filter(|relation| relation.is_table()) {
                self.table(table).await?;
            }
        }
        if self.options.data {
            for table in relations.iter().filter(|relation| relation.kind == "r") {
                self.rows(table).await?;
            }
            self.sequence_values(&relations).await?;
        }
        if self.options.schema {
            self.keys_and_indexes(&relations).await?;
            self.families().await?;
            self.views(&relations).await?;
            self.foreign_keys(&relations).await?;
            self.comments().await?;
        }
        self.write("--\n-- VarveDB database dump complete\n--\n")
    }

    fn write(&mut self, text: &str) -> Result<()> {
        (self.out)(text.as_bytes())
    }

    /// Has names without a schema mean this one, here and in the script.
    async fn enter(&mut self, schema: &str) -> Result<()> {
        if self.schema == schema {
            return Ok(());
        }
        let path = match schema {
            "public" => schema.to_owned(),
            _ => format!("{schema}, public"),
        };
        let set = format!("SET LOCAL search_path = {path}");
        self.session.query(&set, &[]).await?;
        schema.clone_into(&mut self.schema);
        self.write(&format!("SET search_path = {path};\n\n"))
    }

    /// The rows of a query on the catalogue as text; NULL is `None`.
    async fn cells(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        let result = self.session.query(sql, &[]).await?;
        Ok(result.text_rows().collect())
    }

    /// The tables, views and sequences, with their columns.
    async fn relations(&mut self) -> Result<Vec<Relation>> {
        let sql = format!(
            "SELECT c.oid, quote_ident(n.nspname), \
             quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind \
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relpersistence <> 't' \
             AND {OF_USERS} ORDER BY n.nspname, c.relname"
        );
        let mut relations = Vec::new();
        for row in self.cells(&sql).await? {
            let [oid, schema, name, kind] = texts(row);
            relations.push(Relation {
                columns: Vec::new(),
                oid,
                schema,
                name,
                kind,
            });
        }
        for relation in &mut relations {
            self.enter_quietly(&relation.schema).await?;
            relation.columns = self.columns(relation).await?;
        }
        // The script has not been told.
        self.schema.clear();
        Ok(relations)
    }

    async fn enter_quietly(&mut self, schema: &str) -> Result<()> {
        let set = format!("SET LOCAL search_path = {schema}, public");
        self.session.query(&set, &[]).await.map(drop)
    }

    async fn columns(&mut self, relation: &Relation) -> Result<Vec<Column>> {
        let sql = format!(
            "SELECT quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull, \
             a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), \
             pg_get_serial_sequence({}, a.attname) \
             FROM pg_attribute a \
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE a.attrelid = {} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            literal(&relation.name),
            relation.oid
        );
        let rows = self.cells(&sql).await?.into_iter().map(|mut row| {
            let sequence = row.pop().flatten();
            let expression = row.pop().flatten();
            let [name, ty, not_null, identity, generated] = texts(row);
            Column {
                name,
                ty,
                not_null: not_null == "t",
                identity,
                is_generated: generated == "s",
                expression,
                sequence,
            }
        });
        Ok(rows.collect())
    }
}

/// The first cells of a row; NULL and what is missing are empty.
fn texts<const N: usize>(row: Vec<Option<String>>) -> [String; N] {
    let mut cells = row.into_iter();
    std::array::from_fn(|_| cells.next().flatten().unwrap_or_default())
}

/// A text as a literal, where backslashes stand for themselves.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
