//! Samples to dictionaries: FastCOVER, the trainer that `zstd --train` runs, with its parameters
//! fixed, so that equal samples give equal dictionaries.
//!
//! Three quarters of the samples build, the others price the candidates (five segment lengths).
//! Beside the samples it holds about 12 MiB of counts.

use structured_zstd::dictionary::{
    CoverOptions, FastCoverOptions, FinalizeOptions, optimize_fastcover_dict,
};

use crate::{CodecError, ZSTD_DICTIONARY_BYTES_MAX, ZSTD_TRAINING_BYTES_MAX};

const OPTIONS: FastCoverOptions = FastCoverOptions {
    cover: CoverOptions {
        k: 0,
        d: 8,
        steps: 4,
        split_point: 0.75,
        shrink: None,
    },
    f: 20,
    accel: 1,
};
/// The level whose sequences the dictionary's entropy tables describe.
const ENTROPY_LEVEL: i32 = 3;

/// See [`crate::ZstdEncoders::train`].
pub fn train_dictionary(
    samples: &[u8],
    lengths: &[u32],
    dictionary_bytes_max: usize,
) -> Result<Vec<u8>, CodecError> {
    for (bytes, bytes_max) in [
        (samples.len(), ZSTD_TRAINING_BYTES_MAX),
        (dictionary_bytes_max, ZSTD_DICTIONARY_BYTES_MAX),
    ] {
        if bytes > bytes_max {
            return Err(CodecError::TooLarge { bytes, bytes_max });
        }
    }
    let lengths = lengths.iter().map(|&length| usize::try_from(length));
    let lengths: Vec<usize> = lengths
        .collect::<Result<_, _>>()
        .map_err(|_| CodecError::Malformed("sample lengths"))?;
    let finalize = FinalizeOptions {
        dict_id: None,
        level: ENTROPY_LEVEL,
    };
    optimize_fastcover_dict(samples, &lengths, dictionary_bytes_max, &OPTIONS, finalize)
        .map(|(dictionary, _)| dictionary)
        .map_err(|_| CodecError::Malformed("training samples"))
}
