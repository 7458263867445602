//! Views with the names of sqlite-zstd's tables: `_TABLE_zstd` has compressed values and beside
//! them the numbers of their dictionaries.
//!
//! They follow their tables: they get out of the way of a statement that changes these, and are
//! made anew behind it.

use varve_catalog::{Catalog, ColumnDef, Dropped, PUBLIC, TableDef, ViewDef};
use varve_dml::StatementTxn;
use varve_types::{LogicalType, ObjectId, Result, SqlText, Value, sql};

use super::{Scope, Session};
use crate::transparent::config::whole_name;
use crate::transparent::{Chooser, Config, config};

impl Session {
    /// Makes the view of a table, in place of the one that there is.
    pub(super) async fn make_compatibility_view(
        &mut self,
        txn: &mut StatementTxn,
        table: ObjectId,
        scope: Scope,
    ) -> Result<()> {
        let path = self.settings.search_path.clone();
        let mut catalog = self.catalog.borrow_mut().get(&txn.store, &path)?;
        let known = catalog.tables.get(&table);
        if let Some(view) = known.and_then(|table| view_of(&catalog, table)) {
            let drop = sql!["DROP VIEW ", name_of(&catalog, view)];
            self.run_own(txn, &drop, (&[], scope)).await?;
            catalog = self.catalog.borrow_mut().get(&txn.store, &path)?;
        }
        let Some(table) = catalog.tables.get(&table) else {
            return Ok(());
        };
        let configs = self.configs_in(txn, scope).await?;
        let mut columns = Vec::new();
        for (_, config) in &configs {
            if let Some((known, column)) = config.target(&catalog)
                && known.object == table.object
            {
                columns.push((column, config));
            }
        }
        let name = format!("_{}_zstd", table.name);
        if columns.is_empty() || catalog.find_in(table.schema, &name).is_some() {
            return Ok(());
        }
        let create = view_sql(&catalog, table, &columns);
        self.run_own(txn, &create, (&[], scope)).await?;
        Ok(())
    }

    /// Drops the views of all tables; those are kept for which they are to be made again.
    pub(in crate::session) async fn drop_compatibility_views(
        &mut self,
        txn: &mut StatementTxn,
        scope: Scope,
    ) -> Result<()> {
        let path = self.settings.search_path.clone();
        let catalog = self.catalog.borrow_mut().get(&txn.store, &path)?;
        let mut tables = Vec::new();
        for table in catalog.tables.values() {
            let view = view_of(&catalog, table);
            let is_free = |view: &&ViewDef| {
                let dependents = catalog.dependents(Dropped::View(view.object));
                dependents.is_empty()
            };
            if let Some(view) = view.filter(is_free) {
                let drop = sql!["DROP VIEW ", name_of(&catalog, view)];
                self.run_own(txn, &drop, (&[], scope)).await?;
                tables.push(table.object);
            }
        }
        self.without_views = tables;
        Ok(())
    }

    /// The configurations that a transaction sees, without those that are wrong.
    pub(super) async fn configs_in(
        &mut self,
        txn: &mut StatementTxn,
        scope: Scope,
    ) -> Result<Vec<(Value, Config)>> {
        let mut configs = Vec::new();
        let rows = self.run_own(txn, &sql![config::ALL], (&[], scope)).await?;
        for row in rows.rows() {
            if let [id, text] = row.as_slice() {
                let text = std::slice::from_ref(text);
                let fields = self
                    .run_own(txn, &sql![config::FIELDS], (text, scope))
                    .await;
                let config = fields.and_then(|fields| Config::of_fields(&fields.rows()));
                configs.extend(config.ok().map(|config| (id.clone(), config)));
            }
        }
        Ok(configs)
    }
}

/// The view `_TABLE_zstd` of a table. One that reads no dictionaries is somebody else's.
pub(super) fn view_of<'c>(catalog: &'c Catalog, table: &TableDef) -> Option<&'c ViewDef> {
    let (name, schema) = (format!("_{}_zstd", table.name), table.schema);
    let mut views = catalog.views.values();
    let view = views.find(|view| view.schema == schema && view.name == name);
    let mut tables = catalog.tables.values();
    let dictionaries =
        tables.find(|table| table.schema == PUBLIC && table.name == "_zstd_dicts")?;
    view.map(|view| &**view)
        .filter(|view| view.reads(table.object) && view.reads(dictionaries.object))
}

fn name_of(catalog: &Catalog, view: &ViewDef) -> SqlText {
    SqlText::name_in(catalog.schema_name(view.schema), &view.name)
}

/// What the view adds to a column.
struct Names {
    /// The key that the chooser gives.
    key: SqlText,
    /// The number of the dictionary.
    number: SqlText,
}

impl Names {
    fn new(table: &TableDef, column: &ColumnDef) -> Names {
        let key = free_name(table, &format!("{} key", column.name));
        Names {
            key: SqlText::quoted_name(&key),
            number: SqlText::name(&free_name(table, &format!("_{}_dict", column.name))),
        }
    }
}

/// A name, with a digit behind it where the table has a column of that name.
fn free_name(table: &TableDef, wanted: &str) -> String {
    let is_free = |name: &String| table.columns.iter().all(|column| column.name != *name);
    let numbered = (1..=table.columns.len()).map(|number| format!("{wanted}{number}"));
    let mut names = core::iter::once(wanted.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_else(|| wanted.to_owned())
}

/// The view in three steps: the keys, the numbers of the dictionaries, the compressed values.
fn view_sql(catalog: &Catalog, table: &TableDef, columns: &[(&ColumnDef, &Config)]) -> SqlText {
    let name = format!("_{}_zstd", table.name);
    let mut shown = Vec::new();
    for column in &table.columns {
        let mut configs = columns.iter();
        let config = configs.find(|(known, _)| known.id == column.id);
        match config {
            Some((_, config)) => shown.push(compressed(column, config, Names::new(table, column))),
            None => shown.push(SqlText::name(&column.name)),
        }
    }
    let mut keys = vec![sql!["*"]];
    let mut numbers = vec![sql!["k.*"]];
    let mut joins = SqlText::default();
    for (at, (column, config)) in columns.iter().enumerate() {
        let Names { key, number } = Names::new(table, column);
        keys.push(sql![Chooser::sql(&config.chooser), " AS ", &key]);
        let dictionaries = sql!["d", at];
        numbers.push(sql![
            "CASE WHEN ",
            &key,
            " = '[nodict]' THEN -1 WHEN ",
            &key,
            " IS NOT NULL THEN coalesce(",
            &dictionaries,
            ".id, -1) END AS ",
            number,
        ]);
        joins.push(sql![
            " LEFT JOIN public._zstd_dicts ",
            &dictionaries,
            " ON ",
            &dictionaries,
            ".chooser_key = k.",
            &key,
        ]);
    }
    sql![
        "CREATE VIEW ",
        SqlText::name_in(catalog.schema_name(table.schema), &name),
        " AS SELECT ",
        SqlText::joined(&shown, ", "),
        " FROM (SELECT ",
        SqlText::joined(&numbers, ", "),
        " FROM (SELECT ",
        SqlText::joined(&keys, ", "),
        " FROM ONLY ",
        whole_name(catalog, table),
        ") k",
        joins,
        ") n",
    ]
}

/// A value as sqlite-zstd keeps it, and the number of its dictionary.
fn compressed(column: &ColumnDef, config: &Config, Names { number, .. }: Names) -> SqlText {
    let name = SqlText::name(&column.name);
    let value = match column.ty {
        LogicalType::Json | LogicalType::Jsonb => sql!["CAST(", &name, " AS text)"],
        _ => name.clone(),
    };
    sql![
        "zstd_compress_col(",
        value,
        ", ",
        u32::from(config.level),
        ", ",
        &number,
        ", true) AS ",
        name,
        ", ",
        number,
    ]
}
