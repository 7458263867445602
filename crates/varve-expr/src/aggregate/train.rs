//! `zstd_train_dict(sample, size, sample_count)`: a dictionary for rows like those of the group.

use core::fmt;

use varve_types::{Error, LogicalType, Result, SqlState, Value, meter};

use crate::tree::{Row, Samples, State, Training, zstd};

/// The largest dictionary that is trained.
const DICTIONARY_BYTES_MAX: usize = 1 << 20;
/// The smallest that the trainer makes.
const DICTIONARY_BYTES_MIN: usize = 256;
/// The most samples.
const SAMPLES_MAX: usize = 1 << 20;
/// What the trainer holds beside the samples.
const TRAINER_BYTES: usize = 16 << 20;

/// Takes a sample in.
pub(super) fn offer(state: &mut State, row: &Row<'_>) -> Result<()> {
    let dictionary_bytes = DICTIONARY_BYTES_MIN..=DICTIONARY_BYTES_MAX;
    let training = Training {
        dictionary_bytes_max: within(row, 1, "size of a dictionary", dictionary_bytes)?,
        samples_max: within(row, 2, "number of samples", 1..=SAMPLES_MAX)?,
    };
    if !matches!(state, State::Samples(_)) {
        *state = State::Samples(Box::new(Samples::new(training)));
    }
    let State::Samples(samples) = state else {
        return Err(Error::internal("samples that are none"));
    };
    if samples.training != training {
        let message = "size and number of samples must not change between calls";
        return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    samples.offer(row.bytes(0).unwrap_or_else(|| row.text(0).as_bytes()));
    Ok(())
}

fn within(
    row: &Row<'_>,
    argument: usize,
    what: impl fmt::Display,
    range: core::ops::RangeInclusive<usize>,
) -> Result<usize> {
    let given = row.int8(argument);
    match usize::try_from(given) {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start(), range.end());
            let message = format!("{given} is outside the valid range for the {what}");
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            Err(error.with_hint(format!("It may be {least} to {most}.")))
        }
    }
}

/// The dictionary, NULL without a sample.
pub(super) fn dictionary(state: &State, _: LogicalType) -> Result<Value> {
    let State::Samples(samples) = state else {
        return Ok(Value::Null);
    };
    meter::room(TRAINER_BYTES.saturating_add(samples.memory_bytes()))?;
    let (bytes, lengths) = samples.concatenated();
    let bytes_max = samples.training.dictionary_bytes_max;
    let dictionary = zstd()?.train(&bytes, &lengths, bytes_max)?;
    Ok(Value::Bytea(dictionary.into()))
}
