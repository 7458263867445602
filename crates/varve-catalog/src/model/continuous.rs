//! Continuous aggregates: materialized views over a hypertable whose rows are kept by buckets of
//! its time, so that only those buckets are made anew whose rows have changed.
//!
//! The rows of an aggregate are a hypertable over the buckets. What lies below its *watermark* was
//! materialized. Whoever changes rows of the source *notes* the range of their times in a table of
//! the aggregate's own, where it is below the line from which on nothing is noted.
//!
//! Bytes, in those of its view:
//!
//! | field | bytes |
//! |---|---|
//! | number of the hypertable with its rows | 4 |
//! | object of the source's table, id of its time column | 8 + 4 |
//! | number of tables that it is joined with, their objects | 2 + 8 each |
//! | object of the table of notes | 8 |
//! | how often the line was raised | 4 |
//! | flags: 1 read as it is, 2 a zone, 4 a watermark, 8 a line | 1 |
//! | the call before and behind the time, the width, the zone | 4 + UTF-8 each |
//! | watermark, line | 8 each |

use std::sync::Arc;

use varve_types::{ColumnId, LogicalType, ObjectId, Result, SqlText, Value, sql};

use crate::model::bytes::{Input, broken, put_count};
use crate::model::catalog::{Catalog, Named};
use crate::model::hypertable::CHUNK_SCHEMA;
use crate::model::table::{ColumnDef, TableDef};
use crate::model::view::{ViewDef, put_text, take_object, take_text};
use crate::text::sql_source::source;

const IS_AS_IT_IS: u8 = 1;
const HAS_ZONE: u8 = 2;
const HAS_WATERMARK: u8 = 4;
const HAS_LINE: u8 = 8;

/// What makes a materialized view a continuous aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinuousDef {
    /// The number of the hypertable with its rows.
    pub number: u32,
    /// The table that it reads.
    pub source: ObjectId,
    /// The time column of that table.
    pub column: ColumnId,
    /// The other tables that the query reads.
    pub joined: Vec<ObjectId>,
    /// The table of the times that have changed.
    pub notes: ObjectId,
    /// How often the line was raised: writers rely on it.
    pub raised: u32,
    /// Whether it is read as it is, without what was not materialized yet.
    pub materialized_only: bool,
    /// The buckets.
    pub bucket: BucketText,
    /// The start of the first bucket that was never materialized, in units of the time.
    pub watermark: Option<i64>,
    /// The time from which on changes need not be noted; never below the watermark.
    pub line: Option<i64>,
}

impl ContinuousDef {
    /// The tables whose rows it is made of.
    pub fn reads(&self) -> impl Iterator<Item = ObjectId> {
        core::iter::once(self.source).chain(self.joined.iter().copied())
    }
}

/// The call of `time_bucket`, as SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketText {
    /// What stands before the time.
    pub before: String,
    /// What stands behind it.
    pub after: String,
    /// The width.
    pub width: String,
    /// The time zone, where there is one.
    pub zone: Option<String>,
}

impl BucketText {
    /// The bucket of a time.
    pub fn of(&self, time: &SqlText) -> SqlText {
        sql![source(&self.before), time, source(&self.after)]
    }

    /// The bucket behind the one that starts at a time.
    pub fn next(&self, start: &SqlText, ty: LogicalType) -> SqlText {
        let width = source(&self.width);
        let ty = SqlText::built_in_type(ty, varve_types::TypeMod::NONE);
        let Some(zone) = &self.zone else {
            return sql!["((", start, ") + ", width, ")::", ty];
        };
        let zone = source(zone);
        let local = sql!["((", start, ") AT TIME ZONE ", &zone, ")"];
        self.of(&sql![
            "((",
            local,
            " + ",
            width,
            ") AT TIME ZONE ",
            zone,
            ")"
        ])
    }

    /// A condition on a time: its bucket is at or behind `from` and before `to`, which are starts
    /// of buckets.
    pub fn within(&self, time: &SqlText, from: Option<&SqlText>, to: Option<&SqlText>) -> SqlText {
        let mut tests = Vec::new();
        let bounds = [(from, " >= ", " - "), (to, " < ", " + ")];
        for (bound, compares, off) in bounds {
            let Some(bound) = bound else { continue };
            // Where clocks are set back, a time may come before the start of its bucket.
            if self.zone.is_some() {
                tests.push(sql![self.of(time), compares, bound]);
                tests.push(sql![time, compares, "(", bound, off, "interval '1 day')"]);
            } else {
                tests.push(sql![time, compares, bound]);
            }
        }
        SqlText::joined(&tests, " AND ")
    }

    /// How far apart a time and its bucket may be where clocks are set, in units of the time.
    pub fn slack(&self) -> i64 {
        match self.zone {
            Some(_) => 86_400_000_000,
            None => 0,
        }
    }
}

/// The name under which the rows are read as they are.
pub fn rows_name(number: u32) -> String {
    format!("_materialized_hypertable_{number}")
}

/// The table in which the changed times of an aggregate are noted, without an object.
pub fn notes_table(number: u32, ty: LogicalType) -> TableDef {
    let column = |id, name| ColumnDef::new(ColumnId(id), name, ty, false);
    TableDef {
        schema: CHUNK_SCHEMA,
        ..TableDef::new(
            format!("_invalidations_{number}"),
            vec![column(1, "first"), column(2, "last")],
            Vec::new(),
        )
    }
}

/// A time as SQL.
pub fn time_literal(ty: LogicalType, units: i64) -> Result<SqlText> {
    let value = Value::of_integer(ty, units).ok_or_else(|| broken("time of an aggregate"))?;
    let text = varve_expr::format_value(&value, &varve_expr::DEFAULT_LOCALE);
    let ty = SqlText::built_in_type(ty, varve_types::TypeMod::NONE);
    Ok(sql![SqlText::literal(&text), "::", ty])
}

/// A time in units, as SQL of type bigint.
pub fn units(time: &SqlText, ty: LogicalType) -> SqlText {
    let (finite, least, most) = match ty {
        LogicalType::Date => {
            let days = sql!["((", time, ") - date '1970-01-01')"];
            (days, i64::from(i32::MIN), i64::from(i32::MAX))
        }
        LogicalType::Timestamp | LogicalType::TimestampTz => {
            let us = sql!["(extract(epoch FROM ", time, ") * 1000000)::bigint"];
            (us, i64::MIN, i64::MAX)
        }
        _ => return sql!["(", time, ")::bigint"],
    };
    let bound = |bound: i64| sql!["'", bound, "'::bigint"];
    sql![
        "CASE WHEN isfinite(",
        time,
        ") THEN ",
        finite,
        " WHEN ",
        time,
        " < 'epoch' THEN ",
        bound(least),
        " ELSE ",
        bound(most),
        " END"
    ]
}

impl Catalog {
    /// The continuous aggregates that read a table.
    pub fn aggregates_of(&self, table: ObjectId) -> impl Iterator<Item = &Arc<ViewDef>> {
        let views = self.aggregates.get(&table).map_or(&[][..], Vec::as_slice);
        views.iter().filter_map(|view| self.views.get(view))
    }

    pub(crate) fn add_aggregate(&mut self, view: &ViewDef, rows: ObjectId) {
        let Some(def) = view.continuous.as_deref() else {
            return;
        };
        self.materialized.insert(def.notes, view.object);
        let names = self.names.entry(CHUNK_SCHEMA).or_default();
        names.insert(rows_name(def.number).into(), Named::Table(rows));
        for table in def.reads() {
            let known = self.aggregates.entry(table).or_default();
            if let Err(at) = known.binary_search(&view.object) {
                known.insert(at, view.object);
            }
        }
    }

    pub(crate) fn remove_aggregate(&mut self, view: &ViewDef, rows: ObjectId) {
        let Some(def) = view.continuous.as_deref() else {
            return;
        };
        self.materialized.remove(&def.notes);
        self.remove_name(CHUNK_SCHEMA, &rows_name(def.number), Named::Table(rows));
        for table in def.reads() {
            if let Some(known) = self.aggregates.get_mut(&table) {
                known.retain(|known| *known != view.object);
                if known.is_empty() {
                    self.aggregates.remove(&table);
                }
            }
        }
    }
}

pub(crate) fn put_continuous(bytes: &mut Vec<u8>, def: &ContinuousDef) -> Result<()> {
    bytes.extend(def.number.to_le_bytes());
    bytes.extend(def.source.0.to_le_bytes());
    bytes.extend(def.column.0.to_le_bytes());
    put_count(bytes, def.joined.len())?;
    for table in &def.joined {
        bytes.extend(table.0.to_le_bytes());
    }
    bytes.extend(def.notes.0.to_le_bytes());
    bytes.extend(def.raised.to_le_bytes());
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    bytes.push(
        flag(def.materialized_only, IS_AS_IT_IS)
            | flag(def.bucket.zone.is_some(), HAS_ZONE)
            | flag(def.watermark.is_some(), HAS_WATERMARK)
            | flag(def.line.is_some(), HAS_LINE),
    );
    put_text(bytes, &def.bucket.before)?;
    put_text(bytes, &def.bucket.after)?;
    put_text(bytes, &def.bucket.width)?;
    if let Some(zone) = &def.bucket.zone {
        put_text(bytes, zone)?;
    }
    for time in [def.watermark, def.line].into_iter().flatten() {
        bytes.extend(time.to_le_bytes());
    }
    Ok(())
}

pub(crate) fn take_continuous(input: &mut Input<'_>) -> Result<ContinuousDef> {
    let number = u32::from_le_bytes(input.array()?);
    let source = take_object(input)?;
    let column = ColumnId(u32::from_le_bytes(input.array()?));
    let mut joined = Vec::new();
    for _ in 0..input.count()? {
        joined.push(take_object(input)?);
    }
    let notes = take_object(input)?;
    let raised = u32::from_le_bytes(input.array()?);
    let flags = input.u8()?;
    if flags > (IS_AS_IT_IS | HAS_ZONE | HAS_WATERMARK | HAS_LINE) {
        return Err(broken("flags of a continuous aggregate"));
    }
    let bucket = BucketText {
        before: take_text(input)?,
        after: take_text(input)?,
        width: take_text(input)?,
        zone: match flags & HAS_ZONE {
            0 => None,
            _ => Some(take_text(input)?),
        },
    };
    let mut time = |flag: u8| -> Result<Option<i64>> {
        match flags & flag {
            0 => Ok(None),
            _ => Ok(Some(i64::from_le_bytes(input.array()?))),
        }
    };
    Ok(ContinuousDef {
        number,
        source,
        column,
        joined,
        notes,
        raised,
        materialized_only: flags & IS_AS_IT_IS != 0,
        bucket,
        watermark: time(HAS_WATERMARK)?,
        line: time(HAS_LINE)?,
    })
}
