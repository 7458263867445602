//! Options that make a table a hypertable and say how its chunks are: `tsdb.hypertable`,
//! `tsdb.partition_column`, `tsdb.chunk_interval` and the like, as TimescaleDB spells them.

use varve_ast::{DefinedOption, OptionValue};
use varve_catalog::model::hypertable::{HypertableDef, Segments, TimeUnit};
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::table::TableDef;
use varve_catalog::text::name::folded_path;
use varve_expr::{DEFAULT_LOCALE, parse_value};
use varve_plan::plan::utility::Message;
use varve_types::{Error, LogicalType, ObjectId, Result, SqlState, Value};

use crate::binder::DdlBinder;
use crate::table::segments::{SortOption, Sorted};
use crate::table::storage::{nearest, not_yet, reset_with_value};

/// Prefixes of parameters that TimescaleDB gives tables and views.
const NAMESPACES: [&str; 2] = ["timescaledb", "tsdb"];

/// What is accepted behind them.
const KNOWN: [&str; 13] = [
    "hypertable",
    "partition_column",
    "chunk_interval",
    "chunk_time_interval",
    "integer_now_func",
    "columnstore",
    "enable_columnstore",
    "compress",
    "create_default_indexes",
    "segmentby",
    "compress_segmentby",
    "orderby",
    "compress_orderby",
];

/// What TimescaleDB has too, and is not here.
const NOT_YET: [&str; 6] = [
    "compress_chunk_time_interval",
    "compress_chunk_interval",
    "compress_index",
    "sparse_index",
    "associated_schema",
    "associated_table_prefix",
];

/// How much wider the chunks of a continuous aggregate are than those of what it reads.
pub(crate) const WIDER_CHUNKS: i64 = 10;

const WEEK_US: i64 = 7 * DAY_US;
const DAY_US: i64 = 86_400_000_000;

/// Whether a parameter is one of TimescaleDB's.
pub fn is_timescale(name: &str) -> bool {
    of_timescale(name).is_some()
}

/// The parameters that are none of TimescaleDB's.
pub fn without_timescale(options: &[DefinedOption]) -> Vec<DefinedOption> {
    let others = options.iter();
    let others = others.filter(|option| !is_timescale(&option.name.text));
    others.cloned().collect()
}

/// The name of a parameter of TimescaleDB without its prefix.
pub(crate) fn of_timescale(name: &str) -> Option<&str> {
    let (namespace, own) = name.split_once('.')?;
    NAMESPACES.contains(&namespace).then_some(own)
}

/// What options say of a hypertable.
#[derive(Default)]
struct Written<'o> {
    hypertable: Option<bool>,
    column: Option<&'o str>,
    interval: Option<&'o str>,
    integer_now: Option<&'o str>,
    columnstore: Option<bool>,
    sorted: Sorted<'o>,
}

impl<'o> Written<'o> {
    /// `22023` for a parameter that there is not, or a value that it cannot have.
    fn of(options: impl Iterator<Item = &'o DefinedOption>) -> Result<Written<'o>> {
        let mut written = Written::default();
        for DefinedOption { name, value } in options {
            let (name, value) = (name.text.as_str(), value.as_ref());
            match of_timescale(name).unwrap_or_default() {
                "hypertable" => written.hypertable = Some(truth(name, value)?),
                "partition_column" => written.column = Some(text(name, value)?),
                "chunk_interval" | "chunk_time_interval" => {
                    written.interval = Some(text(name, value)?);
                }
                "integer_now_func" => written.integer_now = Some(text(name, value)?),
                "columnstore" | "enable_columnstore" | "compress" => {
                    written.columnstore = Some(truth(name, value)?);
                }
                "segmentby" | "compress_segmentby" => {
                    SortOption::of(name, value)?.put(&mut written.sorted.by)?;
                }
                "orderby" | "compress_orderby" => {
                    SortOption::of(name, value)?.put(&mut written.sorted.order)?;
                }
                // There is no index to leave out: runs are divided by time anyway.
                "create_default_indexes" if !truth(name, value)? => {}
                "create_default_indexes" => return Err(default_index(name)),
                own if NOT_YET.contains(&own) => return Err(not_yet(name)),
                own => return Err(unrecognized(name, own)),
            }
        }
        Ok(written)
    }
}

impl DdlBinder<'_, '_> {
    /// Makes a table what options of TimescaleDB say, if there are some. `indexes` are new ones of
    /// the table.
    pub fn put_hypertable(
        &mut self,
        table: &mut TableDef,
        options: &[DefinedOption],
        indexes: &[IndexDef],
    ) -> Result<()> {
        let options = options.iter();
        let mut own = options
            .filter(|option| is_timescale(&option.name.text))
            .peekable();
        if own.peek().is_none() {
            return Ok(());
        }
        let mut written = Written::of(own)?;
        if written.hypertable == Some(false) {
            let what = "making a hypertable a plain table";
            let hint = "Leave the parameter out, or copy the rows: CREATE TABLE ... AS SELECT ...";
            return Err(Error::unsupported(what).with_hint(hint));
        }
        let mut def = match (&table.hypertable, written.hypertable) {
            (Some(_), Some(true)) => {
                let message = format!("table \"{}\" is already a hypertable", table.name);
                return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
            }
            (Some(def), _) => HypertableDef::clone(def),
            (None, Some(true)) => self.new_hypertable(table, &written)?,
            (None, _) => return Err(not_a_hypertable(&table.name)),
        };
        let (_, unit) = time_column(table, &def)?;
        if table.hypertable.is_some() && written.column.is_some() {
            let what = "another partition column of a hypertable";
            return Err(Error::unsupported(what));
        }
        if let Some(interval) = written.interval {
            def.width = chunk_width(unit, interval)?;
        }
        if let Some(function) = written.integer_now {
            def.integer_now = Some(self.integer_now(function, table, &def)?);
        }
        def.is_columnstore = written.columnstore.unwrap_or(def.is_columnstore);
        written.sorted.is_asked = written.columnstore == Some(true);
        def.segments = written.sorted.segments(table, &def, indexes)?;
        table.stored.partition = Some(def.partition());
        table.hypertable = Some(Box::new(def));
        Ok(())
    }

    /// `RESET (tsdb. ...)`: takes back what was said of the order of rows.
    pub fn reset_hypertable(
        &mut self,
        table: &mut TableDef,
        options: &[DefinedOption],
    ) -> Result<()> {
        let own = options.iter();
        let own = own.filter(|option| is_timescale(&option.name.text));
        let mut def = None;
        for DefinedOption { name, value } in own {
            let name = name.text.as_str();
            if value.is_some() {
                return Err(reset_with_value());
            }
            let known = table.hypertable.as_deref();
            let known = known.ok_or_else(|| not_a_hypertable(&table.name))?;
            let mut segments = def.get_or_insert_with(|| known.clone()).segments.as_mut();
            match of_timescale(name).unwrap_or_default() {
                "segmentby" | "compress_segmentby" => {
                    segments
                        .iter_mut()
                        .for_each(|known| known.is_by_given = false);
                }
                "orderby" | "compress_orderby" => {
                    segments
                        .iter_mut()
                        .for_each(|known| known.is_order_given = false);
                }
                own if KNOWN.contains(&own) || NOT_YET.contains(&own) => {
                    let what = format!("RESET of the parameter \"{name}\"");
                    let hint = "ALTER TABLE ... SET gives it another value.";
                    return Err(Error::unsupported(what).with_hint(hint));
                }
                own => return Err(unrecognized(name, own)),
            }
        }
        if let Some(mut def) = def {
            let is_given = |known: &mut Segments| known.is_by_given || known.is_order_given;
            def.segments = def.segments.take_if(is_given);
            def.segments = Sorted::default().segments(table, &def, &[])?;
            table.hypertable = Some(Box::new(def));
        }
        Ok(())
    }

    /// A hypertable with the default width of chunks.
    fn new_hypertable(
        &mut self,
        table: &mut TableDef,
        written: &Written<'_>,
    ) -> Result<HypertableDef> {
        refuse_unfit(self, table)?;
        let found = match written.column {
            Some(name) => {
                let name = folded_path(name)?.name;
                let mut columns = table.columns.iter_mut();
                let found = columns.find(|column| column.name == name);
                found.ok_or_else(|| {
                    let message = format!("column \"{name}\" does not exist");
                    Error::new(SqlState::UNDEFINED_COLUMN, message)
                })?
            }
            // As TimescaleDB does since it has such options.
            None => {
                let is_time = |ty| matches!(ty, LogicalType::Timestamp | LogicalType::TimestampTz);
                let mut columns = table.columns.iter_mut();
                columns.find(|column| is_time(column.ty)).ok_or_else(|| {
                    let message = "partition column could not be determined";
                    let hint = "Use \"tsdb.partition_column\" to specify the column to use as \
                                partitioning column.";
                    Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint)
                })?
            }
        };
        let Some(unit) = TimeUnit::of(found.ty) else {
            let message = format!("invalid type for dimension \"{}\"", found.name);
            let hint = "Use an integer, timestamp, or date type.";
            return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message).with_hint(hint));
        };
        let width = match unit {
            TimeUnit::Microsecond => WEEK_US,
            TimeUnit::Day => 7,
            TimeUnit::Number(..) if written.interval.is_some() => 1,
            TimeUnit::Number(..) => {
                let message = "integer dimensions require an explicit interval";
                let hint = "Set tsdb.chunk_interval, or chunk_time_interval, to a number.";
                let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
                return Err(error.with_hint(hint));
            }
        };
        if core::mem::take(&mut found.nullable) {
            let text = format!("adding not-null constraint to column \"{}\"", found.name);
            self.query.outputs.messages.push(Message::notice(text));
        }
        let column = found.id;
        Ok(HypertableDef {
            number: self.next_hypertable(),
            column,
            width,
            integer_now: None,
            is_columnstore: true,
            segments: None,
        })
    }

    /// The number of a new hypertable.
    pub(crate) fn next_hypertable(&self) -> u32 {
        let tables = self.catalog.tables.values();
        let numbers = tables.filter_map(|table| Some(table.hypertable.as_ref()?.number));
        numbers.max().unwrap_or(0).saturating_add(1)
    }

    /// The function that tells the present of a column of integers.
    fn integer_now(&self, name: &str, table: &TableDef, def: &HypertableDef) -> Result<ObjectId> {
        let (column, unit) = time_column(table, def)?;
        if !matches!(unit, TimeUnit::Number(..)) {
            let message = "custom time function not supported for this time column";
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            return Err(error.with_hint("Only integer columns need one."));
        }
        let path = folded_path(name.trim_end_matches("()"))?;
        let named = self.catalog.functions_named(&path);
        let mut fitting = named.iter().filter(|known| known.input_types().is_empty());
        let found = fitting.find(|known| {
            use varve_catalog::model::function_def::Returns;
            !known.is_procedure && !known.returns_set && known.returns == Returns::Value(column)
        });
        found.map(|known| known.object).ok_or_else(|| {
            let message = format!("invalid custom time function \"{name}\"");
            let hint = format!(
                "A custom time function must take no arguments, be STABLE, and return {column}."
            );
            Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint)
        })
    }
}

/// The type of the time column, and its unit.
fn time_column(table: &TableDef, def: &HypertableDef) -> Result<(LogicalType, TimeUnit)> {
    let mut columns = table.columns.iter();
    let found = columns.find(|column| column.id == def.column);
    let found = found.and_then(|found| Some((found.ty, TimeUnit::of(found.ty)?)));
    found.ok_or_else(|| Error::internal("a hypertable without its time column"))
}

/// `0A000` for a hypertable that is to have or be a child: rows of a child have no chunks.
pub fn refuse_inheritance(table: &TableDef) -> Result<()> {
    match table.hypertable {
        None => Ok(()),
        Some(_) => Err(Error::unsupported("inheritance of a hypertable")),
    }
}

/// `0A000` for tables that cannot have chunks.
fn refuse_unfit(binder: &DdlBinder<'_, '_>, table: &TableDef) -> Result<()> {
    let what = if table.partitioning().is_some() || table.bound().is_some() {
        "a hypertable that is partitioned otherwise too"
    } else if !table.parents().is_empty() || !table.children().is_empty() {
        "a hypertable with inheritance"
    } else if varve_catalog::is_temporary(table.schema) {
        "a temporary hypertable"
    } else if binder.catalog.view_of(table.object).is_some() {
        "a materialized view as a hypertable"
    } else {
        return Ok(());
    };
    Err(Error::unsupported(what))
}

/// How wide chunks are that a text asks for: an interval, or a number of the column's units; of
/// timestamps and dates, of microseconds.
fn chunk_width(unit: TimeUnit, text: &str) -> Result<i64> {
    let invalid = |message: &str| Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    let number = text.trim().parse::<i64>().ok();
    if let TimeUnit::Number(_, most) = unit {
        let hint = "Use a number above 0 that fits the type of the column.";
        let number = number.filter(|number| (1..=most).contains(number));
        return number.ok_or_else(|| {
            invalid("invalid interval: must be an integer for an integer column").with_hint(hint)
        });
    }
    let span = match number {
        Some(number) => i128::from(number),
        None => match parse_value(text, LogicalType::Interval, &DEFAULT_LOCALE)? {
            Value::Interval(interval) => interval.span_us(),
            _ => return Err(Error::internal("an interval of another type")),
        },
    };
    let width = i64::try_from(span).ok().filter(|width| *width > 0);
    let width = width.ok_or_else(|| {
        invalid("invalid chunk interval: must be above 0").with_hint("Write it as '1 day'.")
    })?;
    match unit {
        TimeUnit::Day if width % DAY_US != 0 => {
            Err(invalid("invalid interval: must be multiples of one day"))
        }
        TimeUnit::Day => Ok(width / DAY_US),
        _ => Ok(width),
    }
}

pub(crate) fn truth(name: &str, value: Option<&OptionValue>) -> Result<bool> {
    let Some(value) = value else { return Ok(true) };
    match value.text.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        other => {
            let message = format!("invalid value for boolean option \"{name}\": {other}");
            Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
    }
}

pub(super) fn text<'o>(name: &str, value: Option<&'o OptionValue>) -> Result<&'o str> {
    let value = value.map(|value| value.text.as_str());
    value.filter(|text| !text.is_empty()).ok_or_else(|| {
        let message = format!("parameter \"{name}\" has no value");
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
    })
}

/// `0A000`
fn default_index(name: &str) -> Error {
    Error::unsupported(format!("the parameter \"{name}\"")).with_hint(
        "No index on time is needed: runs are divided by time. For one, CREATE INDEX ON table \
         (time DESC).",
    )
}

/// `22023`
pub(super) fn unrecognized(name: &str, own: &str) -> Error {
    let message = format!("unrecognized parameter \"{name}\"");
    let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    match nearest(own, &KNOWN) {
        Some(near) => error.with_hint(format!("Did you mean \"tsdb.{near}\"?")),
        None => error.with_hint("Leave it out: nothing would come of it."),
    }
}

/// `42809`
fn not_a_hypertable(table: &str) -> Error {
    let message = format!("table \"{table}\" is not a hypertable");
    Error::new(SqlState::WRONG_OBJECT_TYPE, message).with_hint(
        "Make it one first: SELECT create_hypertable('table', 'time column'), or CREATE TABLE ... \
         WITH (tsdb.hypertable).",
    )
}
