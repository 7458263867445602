//! COPY ... FROM STDIN: records become rows of a table, all or none.

use std::sync::Arc;

use varve_catalog::{Catalog, TableDef};
use varve_dml::chunks::MadeChunks;
use varve_dml::notes::note_rows;
use varve_dml::route::checked_inside;
use varve_dml::table_rows::with_defaults;
use varve_dml::{Left, StatementRunner, StatementTxn, index, name_constraint};
use varve_expr::{EvalContext, Host, Locale, Parameters, evaluate_filter, parse_value_with_mod};
use varve_plan::{CopyFormat, CopyHeader, CopyPlan};
use varve_store::{BulkLoad, InsertError};
use varve_types::meter::Cancel;
use varve_types::{
    Batch, ColumnBuilder, Error, Invariant, LogicalType, Pacer, Result, SqlState, TreeId, TypeMod,
    VECTOR_ROWS, Value,
};

use crate::binary::{self, BinaryReader};
use crate::csv::CsvReader;
use crate::defaults::{check_default, filled, is_default};
use crate::record::{FieldKind, RawField, Record, RecordReader, Step, bad_file, shortened};
use crate::text::TextReader;

/// Bytes of cells after which a batch is handed on before it has all its rows: as many as a vector
/// may have, so that wide rows are not collected for nothing.
const BATCH_BYTES_MAX: usize = 1 << 20;

/// The session of a COPY.
pub trait CopyHost: Host + Send + Sync {
    /// What the COPY sees.
    fn catalog(&self) -> Arc<Catalog>;
}

/// Where the rows of a COPY go.
pub enum CopyTarget<'a> {
    /// They are part of a transaction, and may fire triggers.
    Transaction(&'a mut StatementTxn, Option<&'a dyn StatementRunner>),
    /// They are all that happens.
    Load(&'a mut BulkLoad),
}

impl CopyTarget<'_> {
    async fn insert(&mut self, table: &TableDef, rows: &Batch) -> Result<(), InsertError> {
        match self {
            CopyTarget::Transaction(txn, _) => {
                let rows = index::with_row_ids(&txn.store, table, rows);
                txn.store.insert(table.tree, &rows).await?;
                let rows = core::slice::from_ref(&rows);
                Ok(index::add(txn, table, rows).await?)
            }
            CopyTarget::Load(load) => index::load(load, table, rows).await,
        }
    }

    fn has_unchecked(&self) -> bool {
        match self {
            CopyTarget::Transaction(..) => false,
            CopyTarget::Load(load) => load.has_unchecked(),
        }
    }
}

/// What expressions of the table are evaluated with.
pub(super) fn context_of<'a>(host: &'a dyn CopyHost, locale: &'a Locale) -> EvalContext<'a> {
    EvalContext {
        outer: &[],
        params: Parameters::NONE,
        locale,
        host: Some(host),
    }
}

/// A COPY that is waiting for data.
pub struct CopyIn {
    pub(super) plan: Box<CopyPlan>,
    pub(super) locale: Locale,
    reader: Box<dyn RecordReader + Send + Sync>,
    header_pending: bool,
    /// The data ended before the file: the rest is passed over.
    has_ended: bool,
    /// For each table column, which field of a record fills it.
    file_fields: Vec<Option<usize>>,
    builders: Vec<ColumnBuilder>,
    batch_bytes: usize,
    /// The places in the batch, by row and column, that get defaults.
    defaults: Vec<(u32, usize)>,
    /// Of each record of the batch its line, and what an error shows of it.
    lines: Vec<(u64, Box<str>)>,
    /// The line on which the first record of the batch began.
    pub(super) batch_line: u64,
    /// The line of the first batch whose keys may not have been checked yet.
    unchecked_line: Option<u64>,
    rows: u64,
    pub(super) host: Arc<dyn CopyHost>,
    pub(super) cancel: Arc<dyn Cancel + Send + Sync>,
    pub(super) left: Left,
    /// The chunks that a load has made.
    chunks: MadeChunks,
    /// Whether triggers are fired; those before the statement once it has begun.
    fires_triggers: bool,
    pub(super) has_begun: bool,
}

impl CopyIn {
    /// A COPY before its first byte.
    pub fn new(
        plan: Box<CopyPlan>,
        host: Arc<dyn CopyHost>,
        cancel: Arc<dyn Cancel + Send + Sync>,
        locale: Locale,
    ) -> CopyIn {
        let options = &plan.options;
        let catalog = host.catalog();
        CopyIn {
            reader: match options.format {
                CopyFormat::Text => {
                    let default = options.default.as_deref();
                    Box::new(TextReader::new(options.delimiter, &options.null, default))
                }
                CopyFormat::Csv => {
                    let (delimiter, quote) = (options.delimiter, options.quote);
                    Box::new(CsvReader::new(delimiter, quote, options.escape))
                }
                CopyFormat::Binary => Box::new(BinaryReader::default()),
            },
            header_pending: options.header != CopyHeader::None,
            has_ended: false,
            file_fields: (0..plan.table.columns.len())
                .map(|position| plan.columns.iter().position(|column| *column == position))
                .collect(),
            builders: builders(&plan),
            batch_bytes: 0,
            defaults: Vec::new(),
            lines: Vec::new(),
            batch_line: 1,
            unchecked_line: None,
            rows: 0,
            host,
            cancel,
            left: Left::default(),
            chunks: MadeChunks::default(),
            fires_triggers: match plan.table.partitioning() {
                None => !catalog.triggers_of(plan.table.object).is_empty(),
                // Those of any partition.
                Some(_) => !catalog.triggers.is_empty(),
            },
            has_begun: false,
            plan,
            locale,
        }
    }

    /// Rows handed to the table so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the next piece of the file.
    pub async fn write(
        &mut self,
        target: &mut CopyTarget<'_>,
        bytes: &[u8],
        pacer: &mut Pacer,
    ) -> Result<()> {
        self.begin(target).await?;
        let mut rest = bytes;
        while !self.has_ended {
            let step = self.reader.read(rest);
            match step.map_err(|error| self.at_line(error))? {
                Step::More => return Ok(()),
                Step::End => self.has_ended = true,
                Step::Record(taken) => {
                    rest = rest.get(taken..).unwrap_or_default();
                    self.take_record()?;
                    if self.batch_is_full() {
                        self.hand_on(target).await?;
                        pacer.pause().await;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the end of the file.
    pub async fn finish(&mut self, target: &mut CopyTarget<'_>) -> Result<()> {
        self.begin(target).await?;
        if !self.has_ended {
            let finished = self.reader.finish();
            if finished.map_err(|error| self.at_line(error))? {
                self.take_record()?;
            }
        }
        self.hand_on(target).await?;
        self.refer(target, &Batch::new(Vec::new(), 0), true).await?;
        self.fire(target, false).await
    }

    /// Whether the table has triggers.
    pub fn fires_triggers(&self) -> bool {
        self.fires_triggers
    }

    /// How values are read.
    pub fn locale(&self) -> &Locale {
        &self.locale
    }

    fn batch_is_full(&self) -> bool {
        self.builders
            .first()
            .is_some_and(|builder| builder.len() >= VECTOR_ROWS)
            || self.batch_bytes >= BATCH_BYTES_MAX
    }

    fn take_record(&mut self) -> Result<()> {
        let record = self.reader.record();
        if std::mem::take(&mut self.header_pending) {
            return match self.plan.options.header {
                CopyHeader::Match => check_header(&self.plan, record),
                _ => Ok(()),
            };
        }
        if self.builders.first().is_none_or(ColumnBuilder::is_empty) {
            self.batch_line = record.line;
        }
        check_width(&self.plan, record)?;
        self.lines.push((record.line, record.shown().into()));
        for (position, builder) in self.builders.iter_mut().enumerate() {
            let place = self.file_fields.get(position).copied().flatten();
            let field = place.and_then(|place| Some((place, record.field(place)?)));
            if field.is_some_and(|(_, field)| is_default(&self.plan, field)) {
                check_default(&self.plan, position).map_err(|error| {
                    line_context(&self.plan, record.line, &record.shown(), error)
                })?;
                let row = u32::try_from(builder.len()).or_broken("rows of a batch")?;
                self.defaults.push((row, position));
                builder.push_null();
                continue;
            }
            let field = field.filter(|(place, field)| !is_null(&self.plan, *place, *field));
            let Some((_, field)) = field else {
                builder.push_null();
                continue;
            };
            self.batch_bytes += field.bytes.len();
            let ty = builder.logical_type();
            let column = self.plan.table.columns.get(position);
            let modifier = column.map_or(TypeMod::NONE, |column| column.modifier);
            if self.plan.options.format == CopyFormat::Binary {
                let value = binary::read_value(field.bytes, ty, modifier, &self.locale);
                let value =
                    value.map_err(|error| in_field(&self.plan, record.line, position, None, error));
                builder.push(&value?);
                continue;
            }
            let text = std::str::from_utf8(field.bytes).map_err(|error| {
                let error = invalid_utf8(field.bytes, error.valid_up_to());
                line_context(&self.plan, record.line, &record.shown(), error)
            })?;
            if ty == LogicalType::Text {
                builder.push_str(text);
            } else {
                let value = parse_value_with_mod(text, ty, modifier, &self.locale);
                let value: Value = value.map_err(|error| {
                    in_field(&self.plan, record.line, position, Some(text), error)
                })?;
                builder.push(&value);
            }
        }
        Ok(())
    }

    /// Makes the chunks that rows need, where the table is a hypertable, and tells its aggregates.
    async fn make_chunks(&mut self, target: &mut CopyTarget<'_>, rows: &Batch) -> Result<()> {
        let table = &self.plan.table;
        let catalog = self.host.catalog();
        let now_us = self.locale.now_us;
        let (store, made) = match target {
            CopyTarget::Transaction(txn, _) => (&mut txn.store, &mut txn.chunks),
            CopyTarget::Load(load) => (load.transaction(), &mut self.chunks),
        };
        made.make(store, &catalog.chunks, table, rows, now_us)?;
        note_rows(store, &catalog, table, rows).await
    }

    async fn hand_on(&mut self, target: &mut CopyTarget<'_>) -> Result<()> {
        let fresh = builders(&self.plan);
        let full = std::mem::replace(&mut self.builders, fresh);
        self.batch_bytes = 0;
        let rows = full.first().map_or(0, ColumnBuilder::len);
        if rows == 0 {
            return Ok(());
        }
        let columns = full
            .into_iter()
            .map(|builder| Arc::new(builder.finish()))
            .collect();
        let batch = self.completed(Batch::new(columns, rows))?;
        self.lines.clear();
        let mut rows = batch.rows();
        if rows == 0 {
            return Ok(());
        }
        self.unchecked_line.get_or_insert(self.batch_line);
        if self.plan.table.partitioning().is_some() {
            self.route(target, &batch).await?;
        } else if self.fires_triggers {
            let (name, line) = (self.plan.table.name.clone(), self.batch_line);
            let inserted = self.insert_fired(target, batch).await;
            rows = inserted.map_err(|error| {
                error.in_context(format!("COPY {name}, the rows from line {line} on"))
            })?;
        } else {
            self.make_chunks(target, &batch).await?;
            let inserted = target.insert(&self.plan.table, &batch).await;
            inserted.map_err(|error| self.name_error(error))?;
            self.refer(target, &batch, false).await?;
        }
        if !target.has_unchecked() {
            self.unchecked_line = None;
        }
        self.rows += rows as u64;
        Ok(())
    }

    /// Rows with the values that the file does not give, without those that are left out, and
    /// checked one by one.
    fn completed(&mut self, rows: Batch) -> Result<Batch> {
        let table = &self.plan.table;
        let context = context_of(&*self.host, &self.locale);
        let given = |at| is_given(&self.file_fields, at);
        let line = self.batch_line;
        let failed = |error: Error| {
            error.with_context(format!("COPY {}, the rows from line {line} on", table.name))
        };
        let places = std::mem::take(&mut self.defaults);
        let rows = filled(&self.plan, rows, &places, &context).map_err(failed)?;
        let mut rows = with_defaults(table, rows, &given, &context).map_err(failed)?;
        if let Some(filter) = &self.plan.filter {
            let kept = evaluate_filter(filter, &rows, &context).map_err(failed)?;
            rows = rows.select(&kept).compact();
            let mut at = 0;
            self.lines.retain(|_| {
                at += 1;
                kept.rows().binary_search(&(at - 1)).is_ok()
            });
        }
        // Triggers may change what is checked.
        if self.fires_triggers && table.partitioning().is_none() {
            return Ok(rows);
        }
        let catalog = self.host.catalog();
        let checked = checked_inside(&catalog, table, &rows, &context);
        checked.map_err(|error| self.of_row(&rows, error, &context))
    }

    /// The error of the first row that fails on its own, with its line.
    fn of_row(&self, rows: &Batch, error: Error, context: &EvalContext<'_>) -> Error {
        for (at, (line, shown)) in self.lines.iter().enumerate() {
            let row = rows.slice(at, 1);
            let table = &self.plan.table;
            let checked = checked_inside(&self.host.catalog(), table, &row, context);
            if let Err(error) = checked {
                return line_context(&self.plan, *line, shown, error);
            }
        }
        error
    }

    /// The error of rows that were handed on, with the line from which on they are.
    pub fn name_error(&self, error: InsertError) -> Error {
        let table = &self.plan.table;
        let line = self.unchecked_line.unwrap_or(self.batch_line);
        let context = format!("COPY {}, the rows from line {line} on", table.name);
        name_constraint(table, self.locale.enums.as_ref(), error).with_context(context)
    }

    /// Whether rows can be loaded without a look at other tables.
    pub fn is_alone(&self) -> bool {
        let table = &self.plan.table;
        table.foreign_keys.is_empty() && table.partitioning().is_none() && !self.fires_triggers
    }

    /// The tree of the table.
    pub fn tree(&self) -> TreeId {
        self.plan.table.tree
    }

    fn at_line(&self, error: Error) -> Error {
        let record = self.reader.record();
        line_context(&self.plan, record.line, &record.shown(), error)
    }
}

/// Whether a field stands for NULL.
fn is_null(plan: &CopyPlan, place: usize, field: RawField<'_>) -> bool {
    let options = &plan.options;
    let matches = || field.bytes == options.null.as_bytes();
    match field.kind {
        FieldKind::Null => true,
        FieldKind::Value | FieldKind::Default => false,
        FieldKind::Plain => matches() && !options.force_not_null.contains(&place),
        FieldKind::Quoted => matches() && options.force_null.contains(&place),
    }
}

/// `22021`
fn invalid_utf8(bytes: &[u8], at: usize) -> Error {
    let rest = bytes.get(at..).unwrap_or_default();
    // As many bytes as the first one promises.
    let len = match rest.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => 1,
    };
    let shown = rest.iter().take(len).map(|byte| format!("0x{byte:02x}"));
    let shown: Vec<String> = shown.collect();
    Error::new(
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        format!(
            "invalid byte sequence for encoding \"UTF8\": {}",
            shown.join(" ")
        ),
    )
}

/// Whether the file has a table column.
fn is_given(file_fields: &[Option<usize>], column: usize) -> bool {
    matches!(file_fields.get(column), Some(Some(_)))
}

fn builders(plan: &CopyPlan) -> Vec<ColumnBuilder> {
    plan.table
        .columns
        .iter()
        .map(|column| ColumnBuilder::with_capacity(column.ty, VECTOR_ROWS))
        .collect()
}

fn check_width(plan: &CopyPlan, record: &Record) -> Result<()> {
    let (given, wanted) = (record.len(), plan.columns.len());
    let message = if given > wanted {
        "extra data after last expected column".to_owned()
    } else if given < wanted {
        format!("missing data for column \"{}\"", copied_name(plan, given))
    } else {
        return Ok(());
    };
    let error = bad_file(message).with_table(&plan.table.name);
    Err(line_context(plan, record.line, &record.shown(), error))
}

/// The name of the column that a field of the file fills.
fn copied_name(plan: &CopyPlan, place: usize) -> &str {
    let position = plan.columns.get(place);
    let column = position.and_then(|position| plan.table.columns.get(*position));
    column.map_or("", |column| &column.name)
}

/// Refuses a first line that does not name the columns.
fn check_header(plan: &CopyPlan, record: &Record) -> Result<()> {
    let (given, wanted) = (record.len(), plan.columns.len());
    let failed = |message| {
        let shown = record.shown();
        Err(line_context(plan, record.line, &shown, bad_file(message)))
    };
    if given != wanted {
        return failed(format!(
            "wrong number of fields in header line: got {given}, expected {wanted}"
        ));
    }
    for place in 0..wanted {
        let name = copied_name(plan, place);
        let Some(field) = record.field(place) else {
            continue;
        };
        let start = format!("column name mismatch in header line field {}", place + 1);
        if is_null(plan, place, field) {
            let null = &plan.options.null;
            return failed(format!(
                "{start}: got null value (\"{null}\"), expected \"{name}\""
            ));
        }
        if field.bytes != name.as_bytes() {
            let got = String::from_utf8_lossy(field.bytes);
            return failed(format!("{start}: got \"{got}\", expected \"{name}\""));
        }
    }
    Ok(())
}

/// An error in a line, which it shows.
fn line_context(plan: &CopyPlan, line: u64, shown: &str, error: Error) -> Error {
    let table = &plan.table.name;
    error.with_context(match plan.options.format {
        CopyFormat::Binary => format!("COPY {table}, line {line}"),
        _ => format!("COPY {table}, line {line}: \"{shown}\""),
    })
}

fn in_field(
    plan: &CopyPlan,
    line: u64,
    position: usize,
    text: Option<&str>,
    error: Error,
) -> Error {
    let column = plan.table.columns.get(position);
    let column = column.map_or("", |column| column.name.as_str());
    let mut context = format!("COPY {}, line {line}, column {column}", plan.table.name);
    if let Some(text) = text {
        context.push_str(&format!(": \"{}\"", shortened(text.as_bytes())));
    }
    error
        .with_table(&plan.table.name)
        .with_column(column)
        .with_context(context)
}
