//! Kernels over encoded columns: each distinct value is computed once.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_types::{
    Bitmap, Column, ColumnBuilder, ColumnData, ColumnRef, Error, LogicalType, Result, Value, meter,
};

use crate::kernels::{Native, TextOperand, pack};

/// What computes a result from columns that are plain or constant.
type ColumnKernel<'a> = &'a dyn Fn(&[ColumnRef], usize) -> Result<Column>;

/// Runs a kernel over columns in any form. A strict kernel never sees a constant NULL.
///
/// Where only one argument varies and it is a dictionary or has runs, the kernel sees its distinct
/// values. A dictionary may hold values that no row has; where one of them is at fault, the rows
/// are computed one by one.
pub(super) fn map_columns(
    args: Vec<ColumnRef>,
    rows: usize,
    result: LogicalType,
    strict: bool,
    kernel: ColumnKernel<'_>,
) -> Result<ColumnRef> {
    if rows == 0 {
        return Ok(Arc::new(ColumnBuilder::new(result).finish()));
    }
    let is_constant = |arg: &ColumnRef| matches!(arg.data(), ColumnData::Constant(_));
    if strict && args.iter().any(|arg| is_constant(arg) && arg.is_null(0)) {
        return Ok(Arc::new(Column::constant(result, &Value::Null, rows)));
    }
    let mut varying = args.iter().enumerate().filter(|(_, arg)| !is_constant(arg));
    let only = match (varying.next(), varying.next()) {
        (None, _) => {
            let value = kernel(&with_length(&args, 1), 1)?.value(0);
            return Ok(Arc::new(Column::constant(result, &value, rows)));
        }
        (Some((i, column)), None) => Some((i, Arc::clone(column))),
        _ => None,
    };
    if let Some((i, column)) = only
        && let Some(values) = distinct_values(&column, strict)
    {
        let mut inner = with_length(&args, values.len());
        if let Some(place) = inner.get_mut(i) {
            *place = Arc::clone(values);
        }
        if let Ok(mapped) = kernel(&inner, values.len()) {
            return with_values(&column, Arc::new(mapped).flatten());
        }
    }
    let plain: Vec<ColumnRef> = args
        .into_iter()
        .map(|arg| {
            if is_constant(&arg) {
                arg
            } else {
                arg.flatten()
            }
        })
        .collect();
    kernel(&plain, rows).map(Arc::new)
}

/// The constants of `args` with another number of rows.
fn with_length(args: &[ColumnRef], rows: usize) -> Vec<ColumnRef> {
    let first = vec![0; rows];
    args.iter()
        .map(|arg| match arg.data() {
            ColumnData::Constant(_) => Arc::new(arg.take(&first)),
            _ => Arc::clone(arg),
        })
        .collect()
}

/// The values of a column that has fewer of them than rows.
fn distinct_values(column: &Column, strict: bool) -> Option<&ColumnRef> {
    match column.data() {
        ColumnData::Dictionary { values, .. }
            if (1..=column.len()).contains(&values.len())
                && (strict || column.validity().is_none()) =>
        {
            Some(values)
        }
        ColumnData::RunEnds { values, .. } => Some(values),
        _ => None,
    }
}

/// A dictionary or a column of runs with other values in their places.
fn with_values(column: &Column, mapped: ColumnRef) -> Result<ColumnRef> {
    match column.data() {
        ColumnData::Dictionary { codes, .. } => spread(&mapped, codes, column.validity()),
        ColumnData::RunEnds { ends, .. } => Column::run_ends(ends.clone(), mapped)
            .map(Arc::new)
            .ok_or_else(|| Error::internal("runs of an unequal number")),
        _ => Ok(mapped),
    }
}

/// The column whose row `i` is `mapped[codes[i]]`, NULL where `present` says so.
///
/// Texts stay a dictionary, its values distinct again; other types are as small when plain.
fn spread(mapped: &Column, codes: &[u32], present: Option<&Bitmap>) -> Result<ColumnRef> {
    let validity = match mapped.validity() {
        None => present.cloned(),
        Some(valid) => Some(pack(codes.iter().enumerate().map(|(row, code)| {
            valid.get(*code as usize) && present.is_none_or(|bits| bits.get(row))
        }))),
    };
    let data = match mapped.data() {
        ColumnData::Boolean(bits) => {
            let bits: Vec<bool> = bits.iter().collect();
            let bit = |code: &u32| bits.get(*code as usize).copied().unwrap_or_default();
            ColumnData::Boolean(pack(codes.iter().map(bit)))
        }
        ColumnData::Int32(_) => gathered::<i32>(mapped, codes),
        ColumnData::Int64(_) => gathered::<i64>(mapped, codes),
        ColumnData::Float64(_) => gathered::<f64>(mapped, codes),
        ColumnData::Text(_) => return dictionary(mapped, codes, validity),
        _ => {
            // A row past the end is NULL.
            let place = |(row, code): (usize, &u32)| {
                let is_there = present.is_none_or(|bits| bits.get(row));
                if is_there { *code } else { u32::MAX }
            };
            let places: Vec<u32> = codes.iter().enumerate().map(place).collect();
            return Ok(Arc::new(mapped.take(&places)));
        }
    };
    Column::plain(mapped.logical_type(), data, validity)
        .map(Arc::new)
        .ok_or_else(|| Error::internal("a result of unequal length"))
}

fn gathered<T: Native>(mapped: &Column, codes: &[u32]) -> ColumnData {
    let values = T::operand(mapped);
    T::data(
        codes
            .iter()
            .map(|code| values.get(*code as usize))
            .collect(),
    )
}

fn dictionary(mapped: &Column, codes: &[u32], validity: Option<Bitmap>) -> Result<ColumnRef> {
    let texts = TextOperand::new(mapped);
    let mut code_of: BTreeMap<&str, u32> = BTreeMap::new();
    let mut builder = ColumnBuilder::new(mapped.logical_type());
    let mut new_codes = Vec::with_capacity(mapped.len());
    for row in 0..mapped.len() {
        let text = texts.get(row);
        let next = meter::fitting(code_of.len(), "codes of a dictionary");
        let code = *code_of.entry(text).or_insert(next);
        if code == next {
            builder.push_str(text);
        }
        new_codes.push(code);
    }
    let recoded = codes
        .iter()
        .map(|code| new_codes.get(*code as usize).copied().unwrap_or(0));
    Column::dictionary(recoded.collect(), Arc::new(builder.finish()), validity)
        .map(Arc::new)
        .ok_or_else(|| Error::internal("a dictionary of unequal length"))
}
