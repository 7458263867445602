//! COPY ... FROM STDIN: CSV text becomes rows of a table, all or none.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_expr::{Locale, parse_value_with_mod};
use varve_sql::{CopyPlan, TableDef};
use varve_store::{BulkLoad, InsertError, Transaction};
use varve_types::{
    Batch, ColumnBuilder, Error, LogicalType, Result, SqlState, TreeId, TypeMod, VECTOR_ROWS,
};

use crate::csv::{CsvReader, Record};
use crate::deferred::Deferred;
use crate::foreign_keys::Work;
use crate::host::SessionHost;
use crate::index;
use crate::pacer::Pacer;
use crate::session::CancelFlag;
use crate::table_rows::{checked, not_null_error, with_defaults};
use crate::write::{Writer, name_constraint};

/// The longest CSV record: far above any row that a run takes.
const RECORD_BYTES_MAX: usize = 64 << 20;
/// Bytes of cells after which a batch is handed on before it has all its rows.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// The most of a bad field that an error shows.
const SHOWN_CHARACTERS_MAX: usize = 100;

/// Where the rows of a COPY go.
pub(crate) enum CopyTarget<'a> {
    /// They are part of a transaction.
    Transaction(&'a mut Transaction, &'a mut Deferred),
    /// They are all that happens.
    Load(&'a mut BulkLoad),
}

impl CopyTarget<'_> {
    async fn insert(&mut self, table: &TableDef, rows: &Batch) -> Result<(), InsertError> {
        match self {
            CopyTarget::Transaction(transaction, deferred) => {
                let rows = index::with_row_ids(transaction, table, rows);
                transaction.insert(table.tree, &rows).await?;
                let rows = core::slice::from_ref(&rows);
                Ok(index::add(transaction, deferred, table, rows).await?)
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

/// A COPY that is waiting for data.
pub(crate) struct CopyIn {
    plan: CopyPlan,
    locale: Locale,
    reader: CsvReader,
    header_pending: bool,
    /// For each table column, which field of a record fills it.
    file_fields: Vec<Option<usize>>,
    builders: Vec<ColumnBuilder>,
    batch_bytes: usize,
    /// The line on which the first record of the batch began.
    batch_line: u64,
    /// The line of the first batch whose keys may not have been checked yet.
    unchecked_line: Option<u64>,
    rows: u64,
    host: Arc<SessionHost>,
    cancel: Arc<CancelFlag>,
    /// What foreign keys have to look at still.
    work: VecDeque<Work>,
}

impl CopyIn {
    /// A COPY before its first byte.
    pub fn new(
        plan: CopyPlan,
        host: &Arc<SessionHost>,
        cancel: &Arc<CancelFlag>,
        locale: Locale,
    ) -> CopyIn {
        let options = &plan.options;
        CopyIn {
            reader: CsvReader::new(options.delimiter, options.quote, RECORD_BYTES_MAX),
            header_pending: options.header,
            file_fields: (0..plan.table.columns.len())
                .map(|position| plan.columns.iter().position(|column| *column == position))
                .collect(),
            builders: builders(&plan),
            batch_bytes: 0,
            batch_line: 1,
            unchecked_line: None,
            rows: 0,
            host: Arc::clone(host),
            cancel: Arc::clone(cancel),
            work: VecDeque::new(),
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
        let mut rest = bytes;
        loop {
            let (taken, complete) = self
                .reader
                .read(rest)
                .map_err(|error| self.at_line(error))?;
            rest = rest.get(taken..).unwrap_or_default();
            if !complete {
                return Ok(());
            }
            self.take_record()?;
            if self.batch_is_full() {
                self.hand_on(target).await?;
                pacer.pace().await;
            }
        }
    }

    /// Takes the end of the file; answers the number of rows.
    pub async fn finish(&mut self, target: &mut CopyTarget<'_>) -> Result<u64> {
        if self.reader.finish().map_err(|error| self.at_line(error))? {
            self.take_record()?;
        }
        self.hand_on(target).await?;
        self.refer(target, &Batch::new(Vec::new(), 0), true).await?;
        Ok(self.rows)
    }

    /// Looks for what rows that were inserted refer to, at the end also for what was left.
    async fn refer(
        &mut self,
        target: &mut CopyTarget<'_>,
        rows: &Batch,
        at_end: bool,
    ) -> Result<()> {
        let table = &self.plan.table;
        let CopyTarget::Transaction(transaction, deferred) = target else {
            return Ok(());
        };
        if table.foreign_keys.is_empty() {
            return Ok(());
        }
        let (shared, catalog) = (self.host.shared(), self.host.catalog());
        let mut writer = Writer {
            shared,
            catalog: &catalog,
            transaction,
            deferred,
            context: self.host.context(&[], &self.locale),
            cancel: &self.cancel,
            work: core::mem::take(&mut self.work),
        };
        match at_end {
            true => writer.settle().await?,
            false => writer.refers(table, core::slice::from_ref(rows)).await?,
        }
        self.work = core::mem::take(&mut writer.work);
        Ok(())
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
            return Ok(());
        }
        if self.builders.first().is_none_or(ColumnBuilder::is_empty) {
            self.batch_line = record.line;
        }
        check_width(&self.plan, record)?;
        for (position, builder) in self.builders.iter_mut().enumerate() {
            let field = match self.file_fields.get(position) {
                Some(Some(index)) => record.field(*index),
                _ => None,
            };
            let null = self.plan.options.null.as_bytes();
            let Some(field) = field.filter(|field| field.quoted || field.bytes != null) else {
                if let Some(column) = self.plan.table.columns.get(position)
                    && !column.nullable
                    && is_given(&self.file_fields, position)
                {
                    let error = not_null_error(&self.plan.table, column);
                    return Err(in_field(&self.plan, record.line, position, None, error));
                }
                builder.push_null();
                continue;
            };
            self.batch_bytes += field.bytes.len();
            let text = std::str::from_utf8(field.bytes).map_err(|_| {
                let error = Error::new(
                    SqlState::CHARACTER_NOT_IN_REPERTOIRE,
                    "invalid byte sequence for encoding \"UTF8\"",
                );
                in_field(&self.plan, record.line, position, None, error)
            })?;
            let ty = builder.logical_type();
            if ty == LogicalType::Text {
                builder.push_str(text);
            } else {
                let column = self.plan.table.columns.get(position);
                let modifier = column.map_or(TypeMod::NONE, |column| column.modifier);
                let value =
                    parse_value_with_mod(text, ty, modifier, &self.locale).map_err(|error| {
                        in_field(&self.plan, record.line, position, Some(text), error)
                    })?;
                builder.push(&value);
            }
        }
        Ok(())
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
        self.unchecked_line.get_or_insert(self.batch_line);
        let inserted = target.insert(&self.plan.table, &batch).await;
        inserted.map_err(|error| self.name_error(error))?;
        self.refer(target, &batch, false).await?;
        if !target.has_unchecked() {
            self.unchecked_line = None;
        }
        self.rows += rows as u64;
        Ok(())
    }

    /// Rows with the values that the file does not give, and checked one by one.
    fn completed(&self, rows: Batch) -> Result<Batch> {
        let table = &self.plan.table;
        let context = self.host.context(&[], &self.locale);
        let given = |at| is_given(&self.file_fields, at);
        let completed = with_defaults(table, rows, &given, &context)
            .and_then(|rows| checked(table, &rows, &context));
        completed.map_err(|error| {
            let line = self.batch_line;
            let context = format!("COPY {}, the rows from line {line} on", table.name);
            error.with_context(context)
        })
    }

    /// The error of rows that were handed on, with the line from which on they are.
    pub fn name_error(&self, error: InsertError) -> Error {
        let table = &self.plan.table;
        let line = self.unchecked_line.unwrap_or(self.batch_line);
        let context = format!("COPY {}, the rows from line {line} on", table.name);
        name_constraint(table, error).with_context(context)
    }

    /// Whether rows can be loaded without a look at other tables.
    pub fn is_alone(&self) -> bool {
        self.plan.table.foreign_keys.is_empty()
    }

    /// The tree of the table.
    pub fn tree(&self) -> TreeId {
        self.plan.table.tree
    }

    fn at_line(&self, error: Error) -> Error {
        error.with_context(format!(
            "COPY {}, line {}",
            self.plan.table.name,
            self.reader.record_line()
        ))
    }
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
        let missing = plan
            .columns
            .get(given)
            .and_then(|position| plan.table.columns.get(*position));
        format!(
            "missing data for column \"{}\"",
            missing.map_or("", |column| &column.name)
        )
    } else {
        return Ok(());
    };
    Err(Error::new(SqlState::BAD_COPY_FILE_FORMAT, message)
        .with_detail(format!(
            "the line has {given} fields, {wanted} are expected"
        ))
        .with_table(&plan.table.name)
        .with_context(format!("COPY {}, line {}", plan.table.name, record.line)))
}

fn in_field(
    plan: &CopyPlan,
    line: u64,
    position: usize,
    text: Option<&str>,
    error: Error,
) -> Error {
    let column = plan
        .table
        .columns
        .get(position)
        .map_or("", |column| column.name.as_str());
    let mut context = format!("COPY {}, line {line}, column {column}", plan.table.name);
    if let Some(text) = text {
        let shown: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
        context.push_str(&format!(": \"{shown}\""));
    }
    error
        .with_table(&plan.table.name)
        .with_column(column)
        .with_context(context)
}
