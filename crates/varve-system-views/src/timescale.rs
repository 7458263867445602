//! `timescaledb_information`, and the catalog of hypertables and chunks that functions read.

use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::hypertable::{CHUNK_SCHEMA_NAME, ChunkDef};
use varve_catalog::model::hypertable::{HypertableDef, TimeUnit};
use varve_catalog::model::oid::relation_oid;
use varve_catalog::model::table::{ColumnDef, TableDef};
use varve_types::{Interval, LogicalType, ObjectId, SqlText, Value};

use crate::segments::sort_options;
use crate::{OWNER, text};

/// The schema of what functions read.
pub(crate) const SCHEMA: &str = "_timescaledb_catalog";
/// The columns of the views, as [`crate::CatalogView`] has them.
pub(crate) const HYPERTABLE: &str =
    "iid crelation nschema_name ntable_name ntime_column rtime_type tinteger_now_func";
pub(crate) const CHUNK: &str =
    "iid chypertable crelation lrange_start lrange_end Zcreation_time bcompressed";
pub(crate) const HYPERTABLES: &str = "nhypertable_schema nhypertable_name nowner snum_dimensions lnum_chunks bcompression_enabled \
     Ttablespaces nprimary_dimension rprimary_dimension_type";
pub(crate) const DIMENSIONS: &str = "nhypertable_schema nhypertable_name ldimension_number ncolumn_name rcolumn_type \
     tdimension_type vtime_interval linteger_interval ninteger_now_func snum_partitions";
pub(crate) const CHUNKS: &str = "nhypertable_schema nhypertable_name nchunk_schema nchunk_name nprimary_dimension \
     rprimary_dimension_type Zrange_start Zrange_end lrange_start_integer lrange_end_integer \
     bis_compressed nchunk_tablespace Zchunk_creation_time";

const DAY_US: i64 = 86_400_000_000;

/// A hypertable with its definition and its time column.
pub(crate) struct Hyper<'c> {
    pub(crate) table: &'c TableDef,
    def: &'c HypertableDef,
    time: &'c ColumnDef,
}

/// All hypertables by number.
pub(crate) fn all(catalog: &Catalog) -> Vec<Hyper<'_>> {
    let tables = catalog.tables.values();
    let mut found: Vec<Hyper<'_>> = tables
        .filter_map(|table| {
            let def = table.hypertable.as_deref()?;
            let (_, time) = table.time_column()?;
            Some(Hyper { table, def, time })
        })
        .collect();
    varve_sort::sort_by_key(&mut found, |hyper| hyper.def.number);
    found
}

impl Hyper<'_> {
    /// Schema and name.
    pub(crate) fn names(&self, catalog: &Catalog) -> [Value; 2] {
        let schema = catalog.schema_name(self.table.schema);
        [text(schema), text(&self.table.name)]
    }

    /// Name and type of the time column.
    fn time(&self) -> [Value; 2] {
        let ty = Value::Reg(LogicalType::Regtype, self.time.ty.oid());
        [text(&self.time.name), ty]
    }

    fn now_function(&self, catalog: &Catalog) -> Value {
        let function = self.def.integer_now;
        let function = function.and_then(|function| catalog.functions.get(&function));
        function.map_or(Value::Null, |function| text(&function.name))
    }

    /// The width of new chunks, as an interval or as a number.
    fn width(&self) -> [Value; 2] {
        let us = match TimeUnit::of(self.time.ty) {
            Some(TimeUnit::Microsecond) => self.def.width,
            Some(TimeUnit::Day) => self.def.width.saturating_mul(DAY_US),
            _ => return [Value::Null, Value::Int8(self.def.width)],
        };
        let interval = Interval {
            months: 0,
            days: i32::try_from(us / DAY_US).unwrap_or(i32::MAX),
            us: us % DAY_US,
        };
        [Value::Interval(interval), Value::Null]
    }

    /// The range of a chunk, as points in time and as numbers.
    fn range(&self, chunk: &ChunkDef) -> [Value; 4] {
        let point = |bound: i64| match TimeUnit::of(self.time.ty) {
            Some(TimeUnit::Day) => Value::TimestampTz(bound.saturating_mul(DAY_US)),
            _ => Value::TimestampTz(bound),
        };
        let (start, end) = (chunk.start, chunk.end);
        match TimeUnit::of(self.time.ty) {
            Some(TimeUnit::Number(..)) => [
                Value::Null,
                Value::Null,
                Value::Int8(start),
                Value::Int8(end),
            ],
            _ => [point(start), point(end), Value::Null, Value::Null],
        }
    }
}

pub(crate) fn class(object: ObjectId) -> Value {
    Value::Reg(LogicalType::Regclass, relation_oid(object))
}

/// The options that make the table a hypertable again.
pub(crate) fn hypertable_options(table: &TableDef) -> Vec<String> {
    let (Some(def), Some((_, time))) = (table.hypertable.as_deref(), table.time_column()) else {
        return Vec::new();
    };
    let unit = match TimeUnit::of(time.ty) {
        Some(TimeUnit::Day) => DAY_US,
        _ => 1,
    };
    let mut options = vec![
        "tsdb.hypertable=true".to_owned(),
        format!("tsdb.partition_column={}", SqlText::name(&time.name)),
        // Microseconds, or numbers.
        format!("tsdb.chunk_interval={}", def.width.saturating_mul(unit)),
    ];
    if !def.is_columnstore {
        options.push("tsdb.columnstore=false".to_owned());
    }
    options.extend(sort_options(table));
    options
}

/// `_timescaledb_catalog.hypertable`
pub(crate) fn hypertable(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |hyper: Hyper<'_>| {
        let number = i32::try_from(hyper.def.number).unwrap_or(i32::MAX);
        let mut row = vec![Value::Int4(number), class(hyper.table.object)];
        row.extend(hyper.names(catalog));
        row.extend(hyper.time());
        let function = hyper.def.integer_now;
        let function = function.and_then(|function| catalog.functions.get(&function));
        let name = |function: &Arc<FunctionDef>| {
            SqlText::name_in(catalog.schema_name(function.schema), &function.name)
        };
        row.push(function.map_or(Value::Null, |function| text(name(function))));
        row
    };
    all(catalog).into_iter().map(row).collect()
}

/// `_timescaledb_catalog.chunk`
pub(crate) fn chunk(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for hyper in all(catalog) {
        for chunk in catalog.chunks_of(hyper.table.object) {
            let number = i32::try_from(chunk.number).unwrap_or(i32::MAX);
            rows.push(vec![
                Value::Int4(number),
                class(hyper.table.object),
                class(chunk.object),
                Value::Int8(chunk.start),
                Value::Int8(chunk.end),
                Value::TimestampTz(chunk.made_us),
                Value::Boolean(chunk.is_compressed),
            ]);
        }
    }
    rows
}

/// `timescaledb_information.hypertables`
pub(crate) fn hypertables(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |hyper: Hyper<'_>| {
        let chunks = catalog.chunks_of(hyper.table.object).len();
        let mut row = hyper.names(catalog).to_vec();
        row.extend([
            text(OWNER),
            Value::Int2(1),
            Value::count(chunks),
            Value::Boolean(hyper.def.is_columnstore),
            Value::Null,
        ]);
        row.extend(hyper.time());
        row
    };
    let all = all(catalog).into_iter();
    let tables = all.filter(|hyper| catalog.view_of(hyper.table.object).is_none());
    tables.map(row).collect()
}

/// `timescaledb_information.dimensions`
pub(crate) fn dimensions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |hyper: Hyper<'_>| {
        let mut row = hyper.names(catalog).to_vec();
        row.push(Value::Int8(1));
        row.extend(hyper.time());
        row.push(text("Time"));
        row.extend(hyper.width());
        row.push(hyper.now_function(catalog));
        row
    };
    all(catalog).into_iter().map(row).collect()
}

/// `timescaledb_information.chunks`
pub(crate) fn chunks(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for hyper in all(catalog) {
        for chunk in catalog.chunks_of(hyper.table.object) {
            let mut row = hyper.names(catalog).to_vec();
            row.extend([text(CHUNK_SCHEMA_NAME), text(chunk.name())]);
            row.extend(hyper.time());
            row.extend(hyper.range(chunk));
            row.extend([
                Value::Boolean(chunk.is_compressed),
                Value::Null,
                Value::TimestampTz(chunk.made_us),
            ]);
            rows.push(row);
        }
    }
    rows
}
