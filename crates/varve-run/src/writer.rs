//! Writes a run from batches in key order.

use std::sync::Arc;

use varve_codec::ZstdEncoders;
use varve_sort::VecMap;
use varve_types::{
    Batch, Broken, Column, ColumnBuilder, ColumnData, ColumnId, ColumnRef, Invariant, LogicalType,
    Parallel, PhysicalType, VECTOR_ROWS,
};

use crate::column_encoder::ColumnEncoder;
use crate::group::GroupEncoding;
use crate::group::{ColumnWriter, GroupWriter};
use crate::{
    ColumnSpec, ColumnStats, GROUP_BYTES_MAX, GroupInfo, Holds, ROW_BYTES_MAX, RunError, RunHead,
    RunSpec, RunValue, VECTOR_BYTES_MAX, ValueFrames, ZoneMap, encode_ordered_row_key, key_hash,
};

/// When the values of the first group have so many bytes in memory, they are encoded on trial, to
/// learn how many bytes of values make a group.
const TRIAL_BYTES: usize = 1 << 20;
/// No group takes more than this in memory.
const GROUP_VALUE_BYTES_MAX: usize = 16 << 20;

/// So many rows have room at first.
const FIRST_ROWS: usize = 64;

/// Writes one run. Memory is bounded by one group and the values not yet taken.
pub struct RunWriter {
    spec: RunSpec,
    /// The vector being filled.
    pending: Vec<ColumnBuilder>,
    pending_rows: usize,
    pending_bytes: usize,
    pending_first_key: Vec<u8>,
    pending_hashes: Vec<u64>,
    last_key: Option<Vec<u8>>,
    rows: u64,
    group: GroupWriter,
    /// The group before it, where it is not encoded yet.
    encoding: Option<GroupEncoding>,
    groups: Vec<GroupInfo>,
    columns: Vec<ColumnWriter>,
    /// When the group has so many bytes of values in memory, about [`GROUP_BYTES_MAX`] encoded ones
    /// are expected; `None` before anything was encoded.
    group_value_bytes_max: Option<usize>,
    /// No group takes more than this in memory, however well it is encoded.
    group_bytes_limit: usize,
    next_value: u32,
    values: Vec<RunValue>,
    value_bytes: u64,
    parallel: Option<Arc<dyn Parallel>>,
}

/// What is left of a run once all rows are in.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The values not taken before.
    pub values: Vec<RunValue>,
    /// The head, encoded.
    pub head_bytes: Vec<u8>,
    /// The head.
    pub head: RunHead,
    /// Rows of the run.
    pub rows: u64,
    /// Bytes of the head and all values.
    pub bytes: u64,
}

impl RunWriter {
    /// A writer of an empty run. The key columns must be positions in the columns.
    pub fn new(spec: RunSpec) -> Result<RunWriter, RunError> {
        let orders = spec.key_orders.len();
        if spec.key_columns.is_empty()
            || orders != 0 && orders != spec.key_columns.len()
            || spec
                .key_columns
                .iter()
                .any(|key| *key >= spec.columns.len())
        {
            return Err(RunError::Mismatch("key column"));
        }
        let types = || spec.columns.iter().map(|column| column.ty);
        let stats = |ty| ColumnStats {
            zone: ZoneMap::empty(ty),
            stored_bytes: 0,
            encoded_bytes: 0,
            codecs: 0,
            value_frames: VecMap::default(),
        };
        Ok(RunWriter {
            // Many runs are open at once where rows are kept apart, with few rows each.
            pending: types()
                .map(|ty| ColumnBuilder::with_capacity(ty, FIRST_ROWS))
                .collect(),
            pending_rows: 0,
            pending_bytes: 0,
            pending_first_key: Vec::new(),
            pending_hashes: Vec::new(),
            last_key: None,
            rows: 0,
            group: GroupWriter::new(&spec, 0),
            encoding: None,
            groups: Vec::new(),
            columns: (0..)
                .zip(types())
                .map(|(at, ty)| ColumnWriter::new(encoder(&spec, at, ty), stats(ty)))
                .collect(),
            group_value_bytes_max: None,
            group_bytes_limit: GROUP_VALUE_BYTES_MAX,
            next_value: 0,
            values: Vec::new(),
            value_bytes: 0,
            parallel: None,
            spec,
        })
    }

    /// Lets columns be encoded at the same time. The bytes stay the same.
    #[must_use]
    pub fn with_parallel(self, parallel: Option<Arc<dyn Parallel>>) -> RunWriter {
        RunWriter { parallel, ..self }
    }

    /// Ends groups that take so much in memory, so that each is encoded in less time.
    #[must_use]
    pub fn with_group_bytes(mut self, bytes: usize) -> RunWriter {
        self.group_bytes_limit = bytes.clamp(1, GROUP_VALUE_BYTES_MAX);
        self
    }

    /// Gives encoders of zstd to the columns that ask for it. Without, they are compressed by their
    /// stage, and the head tells that they are not yet as they were asked for.
    #[must_use]
    pub fn with_zstd(mut self, zstd: Option<&Arc<dyn ZstdEncoders>>) -> RunWriter {
        for column in &mut self.columns {
            if column.encoder.zstd_level.is_some() || column.encoder.is_by_value() {
                column.zstd = zstd.cloned();
            }
        }
        self
    }

    /// Says how the values of columns are compressed one by one, where that was asked for. Without
    /// that or zstd the head tells that they are not yet.
    #[must_use]
    pub fn with_value_frames(mut self, frames: &[(ColumnId, Arc<dyn ValueFrames>)]) -> RunWriter {
        for (column, spec) in self.columns.iter_mut().zip(&self.spec.columns) {
            let frames = frames.iter().find(|(id, _)| *id == spec.id);
            column.frames = frames
                .filter(|_| column.encoder.is_by_value() && spec.holds == Holds::Values)
                .map(|(_, frames)| Arc::clone(frames));
        }
        self
    }

    /// Adds the chosen rows of a batch, whose columns are those of the run. Keys must ascend
    /// strictly, within the batch and from call to call. After an error the writer must be dropped.
    pub fn append(&mut self, batch: &Batch) -> Result<(), RunError> {
        let columns = (0..self.spec.columns.len()).map_while(|at| batch.column(at));
        let columns: Vec<ColumnRef> = columns.collect();
        self.append_range(&columns, 0, batch.rows())
    }

    /// Adds the rows `start..end` of columns of any length, as [`RunWriter::append`] does.
    pub fn append_range(
        &mut self,
        columns: &[ColumnRef],
        start: usize,
        end: usize,
    ) -> Result<(), RunError> {
        self.check_columns(columns, end)?;
        let mut start = start;
        while start < end {
            let rows = self.take_keys(columns, start, end)?;
            for (builder, column) in self.pending.iter_mut().zip(columns) {
                builder.append_range(column, start, start + rows);
            }
            start += rows;
            self.pending_rows += rows;
            if self.pending_rows == VECTOR_ROWS || self.pending_bytes > VECTOR_BYTES_MAX {
                self.end_vector()?;
            }
        }
        Ok(())
    }

    /// The finished values so far, each handed out once.
    pub fn take_values(&mut self) -> Vec<RunValue> {
        core::mem::take(&mut self.values)
    }

    /// The key of the last row.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.last_key.as_deref()
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of the values that wait to be encoded.
    pub fn held_bytes(&self) -> usize {
        self.pending_bytes + self.group.value_bytes()
    }

    /// Bytes of all finished values so far, taken or not: for cutting output runs by size.
    pub fn value_bytes(&self) -> u64 {
        self.value_bytes
    }

    /// Ends the last group: no more rows will come. What is left can be done in steps.
    pub fn end_rows(&mut self) -> Result<(), RunError> {
        self.end_vector()?;
        if !self.group.is_empty() {
            self.end_steps()?;
            self.end_group()?;
        }
        Ok(())
    }

    /// Ends the run.
    pub fn finish(mut self) -> Result<FinishedRun, RunError> {
        self.end_rows()?;
        self.end_steps()?;
        let head = RunHead {
            run: self.spec.run,
            schema_version: self.spec.schema_version,
            columns: self.spec.columns,
            key_columns: self.spec.key_columns,
            key_orders: self.spec.key_orders,
            values: self.next_value,
            groups: self.groups,
            stats: self
                .columns
                .into_iter()
                .map(|column| column.stats)
                .collect(),
        };
        let head_bytes = head.encode();
        Ok(FinishedRun {
            values: self.values,
            rows: self.rows,
            bytes: self.value_bytes + head_bytes.len() as u64,
            head_bytes,
            head,
        })
    }

    fn check_columns(&self, columns: &[ColumnRef], rows: usize) -> Result<(), RunError> {
        let fit = |(column, spec): (&ColumnRef, &ColumnSpec)| {
            column.logical_type() == spec.ty && column.len() >= rows
        };
        let all = columns.len() >= self.spec.columns.len();
        match all && columns.iter().zip(&self.spec.columns).all(fit) {
            true => Ok(()),
            false => Err(RunError::Mismatch("batch column")),
        }
    }

    /// Checks and notes the keys of the rows from `start` on that go into the pending vector;
    /// returns how many do.
    fn take_keys(
        &mut self,
        columns: &[ColumnRef],
        start: usize,
        end: usize,
    ) -> Result<usize, RunError> {
        let rows = self.take_bytes(columns, start, end)?;
        let (mut key, mut filter_key) = (Vec::new(), Vec::new());
        for row in start..start + rows {
            key.clear();
            let keys = self
                .spec
                .key_columns
                .iter()
                .filter_map(|at| columns.get(*at));
            let keys = keys.map(AsRef::as_ref);
            encode_ordered_row_key(keys.clone(), &self.spec.key_orders, row, &mut key);
            if self.last_key.as_ref().is_some_and(|last| *last >= key) {
                return Err(RunError::KeysOutOfOrder {
                    run: self.spec.run,
                    row: self.rows,
                });
            }
            if self.pending_rows == 0 && row == start {
                self.pending_first_key.clone_from(&key);
            }
            if self.spec.filter {
                let hash = match self.spec.filter_key_columns {
                    None => key_hash(&key),
                    Some(columns) => {
                        let (keys, orders) = (keys.take(columns), &self.spec.key_orders);
                        filter_key.clear();
                        encode_ordered_row_key(keys, orders, row, &mut filter_key);
                        key_hash(&filter_key)
                    }
                };
                self.pending_hashes.push(hash);
            }
            core::mem::swap(self.last_key.get_or_insert_default(), &mut key);
            self.rows += 1;
        }
        Ok(rows)
    }

    /// Counts the bytes of the rows from `start` on that go into the pending vector; returns how
    /// many rows do.
    fn take_bytes(
        &mut self,
        columns: &[ColumnRef],
        start: usize,
        end: usize,
    ) -> Result<usize, RunError> {
        let room = (VECTOR_ROWS - self.pending_rows).min(end - start);
        let bytes = bytes_of_rows(columns, start, start + room);
        if bytes <= ROW_BYTES_MAX && self.pending_bytes + bytes <= VECTOR_BYTES_MAX {
            self.pending_bytes += bytes;
            return Ok(room);
        }
        for taken in 1..=room {
            let bytes = bytes_of_rows(columns, start + taken - 1, start + taken);
            if bytes > ROW_BYTES_MAX {
                return Err(RunError::RowTooLarge { bytes });
            }
            self.pending_bytes += bytes;
            if self.pending_bytes > VECTOR_BYTES_MAX {
                return Ok(taken);
            }
        }
        Ok(room)
    }

    fn end_vector(&mut self) -> Result<(), RunError> {
        if self.pending_rows == 0 {
            return Ok(());
        }
        self.end_steps()?;
        let columns: Vec<Column> = self
            .pending
            .iter_mut()
            .map(|full| {
                let next = builder(full.logical_type());
                core::mem::replace(full, next).finish()
            })
            .collect();
        let first_key = core::mem::take(&mut self.pending_first_key);
        self.group.add_vector(
            columns,
            self.pending_bytes,
            &first_key,
            &mut self.pending_hashes,
            &mut self.columns,
        )?;
        // Only the last vector of a group may be short, so that a row is found by division.
        let short = self.pending_rows < VECTOR_ROWS;
        self.pending_rows = 0;
        self.pending_bytes = 0;
        if self.group_value_bytes_max.is_none() && self.group.value_bytes() >= TRIAL_BYTES {
            let mut encoders = (0..).zip(&self.spec.columns);
            let encoded_bytes = self.group.trial_bytes(|| {
                let (at, column) = encoders.next()?;
                Some(encoder(&self.spec, at, column.ty))
            })?;
            self.expect_ratio(self.group.value_bytes(), encoded_bytes);
        }
        let value_bytes_max = self.group_value_bytes_max.unwrap_or(GROUP_VALUE_BYTES_MAX);
        let value_bytes_max = value_bytes_max.min(self.group_bytes_limit);
        if short || self.group.is_full(value_bytes_max) {
            self.end_group()?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Broken> {
        if self.group.is_empty() {
            return Ok(());
        }
        let next = GroupWriter::new(&self.spec, self.rows);
        let group = core::mem::replace(&mut self.group, next);
        let last_key = self.last_key.as_deref().or_broken("last key of a group")?;
        self.encoding = Some(group.end(last_key));
        Ok(())
    }

    /// Encodes a part of a full group; false where there is nothing left to encode. What is not
    /// done in steps between two calls, so that others get a turn, the next call does at once.
    pub fn step(&mut self) -> Result<bool, RunError> {
        let Some(mut encoding) = self.encoding.take() else {
            return Ok(false);
        };
        if encoding.step(&self.spec, &mut self.columns, self.parallel.as_deref())? {
            self.encoding = Some(encoding);
            return Ok(true);
        }
        let before = self.values.len();
        let group_value_bytes = encoding.value_bytes();
        let info = encoding.finish(
            &self.spec,
            &mut self.next_value,
            &mut self.values,
            &mut self.columns,
        )?;
        debug_assert_eq!(
            info.first_row,
            self.groups.last().map_or(0, GroupInfo::end_row)
        );
        let new = self.values.iter().skip(before);
        let stored_bytes: usize = new.map(|value| value.bytes.len()).sum();
        self.value_bytes += stored_bytes as u64;
        self.groups.push(info);
        self.expect_ratio(group_value_bytes, stored_bytes);
        Ok(true)
    }

    fn end_steps(&mut self) -> Result<(), RunError> {
        while self.step()? {}
        Ok(())
    }

    /// Expects further values to be encoded as these were.
    fn expect_ratio(&mut self, value_bytes: usize, encoded_bytes: usize) {
        // 64 bits, so that 32-bit targets cut groups at the same rows.
        let scaled = (value_bytes as u64).saturating_mul(GROUP_BYTES_MAX as u64);
        let expected = usize::try_from(scaled / (encoded_bytes as u64).max(1));
        let expected = expected.unwrap_or(GROUP_VALUE_BYTES_MAX);
        self.group_value_bytes_max = Some(expected.clamp(1, GROUP_VALUE_BYTES_MAX));
    }
}

/// Takes the values of a vector.
fn builder(ty: LogicalType) -> ColumnBuilder {
    ColumnBuilder::with_capacity(ty, VECTOR_ROWS)
}

/// A new encoder of a column.
fn encoder(spec: &RunSpec, column: usize, ty: LogicalType) -> ColumnEncoder {
    ColumnEncoder::new(ty, spec.has_point_reads(column), spec.encoding(column))
}

/// Bytes of some rows in memory; what is not text has a fixed width.
fn bytes_of_rows(columns: &[ColumnRef], start: usize, end: usize) -> usize {
    let of_column = |column: &ColumnRef| match (column.data(), column.validity()) {
        (ColumnData::Text(strings), None) => {
            let offset = |row: usize| strings.offsets().get(row).map_or(0, |at| *at as usize);
            4 * (end - start) + offset(end).saturating_sub(offset(start))
        }
        (ColumnData::Binary(values), None) => {
            let offset = |row: usize| values.offsets().get(row).map_or(0, |at| *at as usize);
            4 * (end - start) + offset(end).saturating_sub(offset(start))
        }
        _ => match column.logical_type().physical() {
            PhysicalType::Bytes => {
                let rows = start..end;
                rows.map(|row| 4 + column.str_at(row).map_or(0, str::len))
                    .sum()
            }
            PhysicalType::Binary => {
                let rows = start..end;
                rows.map(|row| 4 + column.binary_at(row).map_or(0, <[u8]>::len))
                    .sum()
            }
            PhysicalType::Decimal => 16 * (end - start),
            _ => 8 * (end - start),
        },
    };
    columns.iter().map(of_column).sum()
}
