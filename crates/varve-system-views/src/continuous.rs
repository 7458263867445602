//! Continuous aggregates: what `timescaledb_information` tells of them, and the queries by which
//! `refresh_continuous_aggregate` finds out what there is to do.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::continuous::{ContinuousDef, rows_name, time_literal, units};
use varve_catalog::model::hypertable::{CHUNK_SCHEMA_NAME, TimeUnit};
use varve_catalog::model::oid::relation_oid;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::ViewDef;
use varve_types::{LogicalType, SqlText, Value, sql};

use crate::{OWNER, ShownTexts, text};

/// The columns of `_timescaledb_catalog.continuous_agg`: texts of queries, whose times are in the
/// units of the time.
pub(crate) const AGG: &str =
    "crelation csource lwatermark tnoted tunmade tmade tall_of_source twindow_start twindow_end";
/// The columns of `timescaledb_information.continuous_aggregates`. Behind those of TimescaleDB: the
/// end of what is materialized, and how many ranges below it were noted as changed since.
pub(crate) const AGGREGATES: &str = "nhypertable_schema nhypertable_name nview_schema \
     nview_name nview_owner bmaterialized_only bcompression_enabled \
     nmaterialization_hypertable_schema nmaterialization_hypertable_name tview_definition \
     bfinalized twatermark linvalid_ranges";

/// An aggregate with the tables around it.
struct Aggregate<'c> {
    view: &'c ViewDef,
    def: &'c ContinuousDef,
    /// That of its rows.
    table: &'c TableDef,
    source: &'c TableDef,
    /// The type of the time.
    ty: LogicalType,
}

fn all(catalog: &Catalog) -> impl Iterator<Item = Aggregate<'_>> {
    catalog.views.values().filter_map(|view| {
        let def = view.continuous.as_deref()?;
        let table = catalog.tables.get(&view.rows()?)?;
        Some(Aggregate {
            view,
            def,
            table,
            source: catalog.tables.get(&def.source)?,
            ty: table.time_column()?.1.ty,
        })
    })
}

fn class(table: &TableDef) -> Value {
    Value::Reg(LogicalType::Regclass, relation_oid(table.object))
}

/// Rows of a table or of an aggregate, as they are.
fn name_of(catalog: &Catalog, table: &TableDef) -> SqlText {
    let view = catalog.view_of(table.object);
    match view.and_then(|view| view.continuous.as_deref()) {
        Some(def) => SqlText::name_in(CHUNK_SCHEMA_NAME, &rows_name(def.number)),
        None => SqlText::name_in(catalog.schema_name(table.schema), &table.name),
    }
}

impl Aggregate<'_> {
    /// A query of a range: from the bucket of a time to the end of that of another.
    fn range(&self, first: &SqlText, last: &SqlText, from: SqlText) -> SqlText {
        let bucket = &self.def.bucket;
        let next = bucket.next(&bucket.of(last), self.ty);
        let (lo, hi) = (units(&bucket.of(first), self.ty), units(&next, self.ty));
        sql!["SELECT ", lo, " AS lo, ", hi, " AS hi FROM ", from]
    }

    fn noted(&self) -> SqlText {
        let notes = format!("_invalidations_{}", self.def.number);
        let (mut first, mut last) = (sql!["first"], sql!["last"]);
        if self.def.bucket.zone.is_some() {
            first.push(" - interval '1 day'");
            last.push(" + interval '1 day'");
        }
        self.range(&first, &last, SqlText::name_in(CHUNK_SCHEMA_NAME, &notes))
    }

    /// What the source has, from the watermark on if `above`.
    fn of_source(&self, catalog: &Catalog, above: bool) -> Option<SqlText> {
        let mut columns = self.source.columns.iter();
        let time = columns.find(|column| column.id == self.def.column)?;
        let time = SqlText::name(&time.name);
        let mut from = name_of(catalog, self.source);
        let mut first = sql!["min(", &time, ")"];
        if let Some(watermark) = self.def.watermark.filter(|_| above) {
            let watermark = time_literal(self.ty, watermark).ok()?;
            from.push(" WHERE ");
            from.push(self.def.bucket.within(&time, Some(&watermark), None));
            // So that no gap is left that had no rows.
            first = watermark;
        }
        from.push(" HAVING count(*) > 0");
        Some(self.range(&first, &sql!["max(", &time, ")"], from))
    }

    fn made(&self, catalog: &Catalog) -> Option<SqlText> {
        let bucket = SqlText::name(&self.table.time_column()?.1.name);
        let mut from = name_of(catalog, self.table);
        from.push(" HAVING count(*) > 0");
        Some(self.range(
            &sql!["min(", &bucket, ")"],
            &sql!["max(", &bucket, ")"],
            from,
        ))
    }

    /// The bucket of a time that `format` puts in, and the first one that does not begin before
    /// it.
    fn window(&self) -> [SqlText; 2] {
        let ty = SqlText::built_in_type(self.ty, varve_types::TypeMod::NONE);
        let given = sql![" FROM (SELECT %L::", ty, " AS x) AS a"];
        let bucket = self.def.bucket.of(&sql!["x"]);
        let next = self.def.bucket.next(&bucket, self.ty);
        let start = sql!["CASE WHEN ", &bucket, " = x THEN x ELSE ", next, " END"];
        [start, bucket].map(|bound| sql!["SELECT ", units(&bound, self.ty), &given])
    }
}

/// `_timescaledb_catalog.continuous_agg`
pub(crate) fn agg(catalog: &Catalog) -> Vec<Vec<Value>> {
    let shown = |text: Option<SqlText>| text.map_or(Value::Null, crate::text);
    let row = |one: Aggregate<'_>| {
        let [start, end] = one.window();
        vec![
            class(one.table),
            class(one.source),
            one.def.watermark.map_or(Value::Null, Value::Int8),
            text(one.noted()),
            shown(one.of_source(catalog, true)),
            shown(one.made(catalog)),
            shown(one.of_source(catalog, false)),
            text(start),
            text(end),
        ]
    };
    all(catalog).map(row).collect()
}

/// `timescaledb_information.continuous_aggregates`; in the place of the number of changed ranges
/// the object of the table that has them.
pub(crate) fn aggregates(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let row = |one: Aggregate<'_>| {
        let watermark = one
            .def
            .watermark
            .and_then(|time| Value::of_integer(one.ty, time));
        let shown = |value| varve_expr::format_value(&value, &varve_expr::DEFAULT_LOCALE);
        let source = catalog.view_of(one.source.object);
        let source = source.map_or(&one.source.name, |view| &view.name);
        let view = catalog.views.get(&one.view.object);
        let definition = view.map(|view| texts.view(catalog, view));
        let hypertable = one.table.hypertable.as_deref();
        vec![
            text(catalog.schema_name(one.source.schema)),
            text(source),
            text(catalog.schema_name(one.view.schema)),
            text(&one.view.name),
            text(OWNER),
            Value::Boolean(one.def.materialized_only),
            Value::Boolean(hypertable.is_some_and(|def| def.is_columnstore)),
            text(CHUNK_SCHEMA_NAME),
            text(rows_name(one.def.number)),
            definition.map_or(Value::Null, text),
            Value::Boolean(true),
            watermark.map_or(Value::Null, |value| text(shown(value))),
            Value::Int8(one.def.notes.0.cast_signed()),
        ]
    };
    all(catalog).map(row).collect()
}

/// The options that make a view such an aggregate again.
pub(crate) fn aggregate_options(catalog: &Catalog, table: &TableDef) -> Option<Vec<String>> {
    let view = catalog.view_of(table.object)?;
    let def = view.continuous.as_deref()?;
    let hypertable = table.hypertable.as_deref()?;
    let unit = match TimeUnit::of(table.time_column()?.1.ty) {
        Some(TimeUnit::Day) => 86_400_000_000,
        _ => 1,
    };
    let mut options = vec![
        "tsdb.continuous=true".to_owned(),
        format!("tsdb.materialized_only={}", def.materialized_only),
        format!(
            "tsdb.chunk_interval={}",
            hypertable.width.saturating_mul(unit)
        ),
    ];
    if !hypertable.is_columnstore {
        options.push("tsdb.columnstore=false".to_owned());
    }
    Some(options)
}
