//! Values of sequences, row by row.

use varve_types::{Column, ColumnBuilder, Error, Result, Value};

use crate::tree::{Call, Row, SequenceCall, SequenceRef};

pub(super) fn nextval(call: &Call<'_>) -> Result<Column> {
    each(call, |sequence, _| SequenceCall::Next(sequence))
}

pub(super) fn currval(call: &Call<'_>) -> Result<Column> {
    each(call, |sequence, _| SequenceCall::Current(sequence))
}

pub(super) fn lastval(call: &Call<'_>) -> Result<Column> {
    let value = asked(call, SequenceCall::Last)?;
    Ok(Column::constant(
        call.result,
        &Value::Int8(value),
        call.rows,
    ))
}

pub(super) fn setval(call: &Call<'_>) -> Result<Column> {
    each(call, |sequence, row| {
        let value = match row.value(1) {
            Value::Int8(value) => value,
            _ => 0,
        };
        let is_called = row.value(2) != Value::Boolean(false);
        SequenceCall::Set(sequence, value, is_called)
    })
}

pub(super) fn last_value(call: &Call<'_>) -> Result<Column> {
    each(call, |sequence, _| SequenceCall::LastValue(sequence))
}

pub(super) fn is_called(call: &Call<'_>) -> Result<Column> {
    each(call, |sequence, _| SequenceCall::IsCalled(sequence))
}

fn each(
    call: &Call<'_>,
    asks: for<'a> fn(SequenceRef<'a>, &Row<'a>) -> SequenceCall<'a>,
) -> Result<Column> {
    let mut answers = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        if call.args.iter().any(|arg| arg.is_null(row)) {
            answers.push(&Value::Null);
            continue;
        }
        let row = call.row(row);
        let first = row.value(0);
        let name;
        let sequence = match &first {
            Value::Int8(id) => SequenceRef::Id(*id),
            Value::Reg(..) => {
                name = crate::format_value(&first, call.context.locale);
                SequenceRef::Name(&name)
            }
            _ => SequenceRef::Name(row.text(0)),
        };
        answers.push(&Value::Int8(asked(call, asks(sequence, &row))?));
    }
    Ok(answers.finish())
}

fn asked(call: &Call<'_>, what: SequenceCall<'_>) -> Result<i64> {
    match call.context.host {
        Some(host) => host.sequence(what),
        None => Err(Error::unsupported("a sequence in this place")),
    }
}
