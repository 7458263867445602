//! A database as a script of SQL, as pg_dump writes it: it loads into PostgreSQL and into an empty
//! database here, with equal rows. What it says of the objects comes from the catalog by SQL.
//!
//! Objects come in the order in which they can be made: schemas; types, functions, sequences and
//! tables with their CHECK constraints, each behind what it names; then the rows, keys and indexes;
//! views and what names them; triggers and foreign keys. Of two databases with the same objects and
//! rows the dumps are the same bytes. What cannot be dumped fails the dump.
//!
//! All names have their schemas, so the search path of who loads it is what it was.

mod comments;
mod definitions;
mod inheritance;
mod rows;

use std::collections::BTreeSet;

use varve_catalog::{Creation, Made};
use varve_types::{Error, Failure, Result, SqlState, SqlText};

use self::definitions::OF_USERS;
use crate::session::Session;

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
    ///
    /// Where rows are damaged it writes all others, then answers `XX001` with the names of the
    /// tables.
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
            unreadable: Vec::new(),
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
    /// Tables whose rows are damaged, and how.
    unreadable: Vec<String>,
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
    /// ` STORAGE mode COMPRESSION method`, where they were said.
    storage: String,
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
SELECT pg_catalog.set_config('dump.search_path', pg_catalog.current_setting('search_path'), false);
SELECT pg_catalog.set_config('search_path', '', false);

";

const TAIL: &str = "\
SELECT pg_catalog.set_config('search_path', pg_catalog.current_setting('dump.search_path'), false);

--
-- VarveDB database dump complete
--
";

impl Dump<'_, '_> {
    async fn run(&mut self) -> Result<()> {
        for setting in [
            "datestyle = ISO",
            "intervalstyle = postgres",
            "search_path = ''",
        ] {
            self.session
                .query(&format!("SET LOCAL {setting}"), &[])
                .await?;
        }
        self.write(HEAD)?;
        let creations = self.session.catalog_of_block()?.creations()?;
        let relations = self.relations().await?;
        let (first, last): (Vec<Creation>, Vec<Creation>) =
            creations.into_iter().partition(|one| !one.is_after_views);
        if self.options.schema {
            self.schemas().await?;
            self.creations(&first, &relations).await?;
        }
        let tables = tables(&relations, &first);
        self.rows_of(&tables).await?;
        if self.options.schema {
            self.keys_and_indexes(&tables).await?;
            self.inheritance().await?;
            self.creations(&last, &relations).await?;
        }
        let tables = self::tables(&relations, &last);
        self.rows_of(&tables).await?;
        if self.options.data {
            self.sequence_values(&relations).await?;
        }
        if self.options.schema {
            self.keys_and_indexes(&tables).await?;
            self.filled_views(&relations).await?;
            self.triggers().await?;
            self.integer_now_functions().await?;
            self.foreign_keys(&relations).await?;
            self.jobs().await?;
            self.comments().await?;
        }
        self.write(TAIL)?;
        self.check_all_read()
    }

    /// The rows of tables that have some of their own. Those that are damaged are left out.
    async fn rows_of(&mut self, tables: &[&Relation]) -> Result<()> {
        let some = tables.iter().filter(|table| table.kind == "r");
        for table in some.filter(|_| self.options.data).collect::<Vec<_>>() {
            self.session.query("SAVEPOINT rows", &[]).await?;
            match self.rows(table).await {
                Err(error) if error.failure() == Some(Failure::Corrupt) => {
                    self.unreadable.push(format!("{}: {error}", table.name));
                    self.session.query("ROLLBACK TO rows", &[]).await?;
                }
                read => read?,
            }
            self.session.query("RELEASE rows", &[]).await?;
        }
        Ok(())
    }

    /// An error that names the tables whose rows are not in the script.
    fn check_all_read(&self) -> Result<()> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let message = match self.unreadable.len() {
            1 => "the rows of a table cannot be read and are not dumped".to_owned(),
            count => format!("the rows of {count} tables cannot be read and are not dumped"),
        };
        Err(Error::corrupted(message).with_detail(self.unreadable.join("\n")))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        (self.out)(text.as_bytes())
    }

    /// The first cell of the first row; empty where there is none.
    async fn cell(&mut self, sql: &str) -> Result<String> {
        let row = self.cells(sql).await?.into_iter().next();
        let [cell] = texts(row.unwrap_or_default());
        Ok(cell)
    }

    /// The rows of a query on the catalog as text; NULL is `None`.
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
            relation.columns = self.columns(relation).await?;
        }
        Ok(relations)
    }

    async fn columns(&mut self, relation: &Relation) -> Result<Vec<Column>> {
        let sql = format!(
            "SELECT quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull, \
             a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), \
             pg_get_serial_sequence({}, a.attname), \
             coalesce(' STORAGE ' || substring(array_to_string(a.attoptions, ',') FROM 'storage=([a-z_]+)'), '') || \
             coalesce(' COMPRESSION ' || substring(array_to_string(a.attoptions, ',') FROM 'compression=([a-z0-9_()]+)'), \
             '') \
             FROM pg_attribute a \
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE a.attrelid = {} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            literal(&relation.name),
            relation.oid
        );
        let rows = self.cells(&sql).await?.into_iter().map(|mut row| {
            let storage = row.pop().flatten().unwrap_or_default();
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
                storage,
            }
        });
        Ok(rows.collect())
    }
}

/// Those of some relations that are tables among what is made.
fn tables<'r>(relations: &'r [Relation], creations: &[Creation]) -> Vec<&'r Relation> {
    let made = creations.iter().filter(|one| one.kind == Made::Table);
    let made: BTreeSet<String> = made.map(|one| one.oid.to_string()).collect();
    let tables = relations.iter().filter(|relation| relation.is_table());
    tables.filter(|table| made.contains(&table.oid)).collect()
}

/// The first cells of a row; NULL and what is missing are empty.
fn texts<const N: usize>(row: Vec<Option<String>>) -> [String; N] {
    let mut cells = row.into_iter();
    std::array::from_fn(|_| cells.next().flatten().unwrap_or_default())
}

/// A text as a literal, where backslashes stand for themselves.
fn literal(text: &str) -> String {
    SqlText::literal(text).into_string()
}
