//! Functions that answer with rows and belong to no other subject.

use crate::kernels::series;
use crate::tree::{Entry, Kernel};

use super::{INT4, INT8, NUM, SPAN, STAMP, STAMPTZ, TEXT, strict};
use Kernel::Set;

pub(super) static ROWS: &[Entry] = &[
    strict(
        "generate_series",
        &[INT4, INT4],
        INT4,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[INT4, INT4, INT4],
        INT4,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[INT8, INT8],
        INT8,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[INT8, INT8, INT8],
        INT8,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[NUM, NUM],
        NUM,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[NUM, NUM, NUM],
        NUM,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[STAMP, STAMP, SPAN],
        STAMP,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[STAMPTZ, STAMPTZ, SPAN],
        STAMPTZ,
        Set(series::generate_series),
    ),
    strict(
        "generate_series",
        &[STAMPTZ, STAMPTZ, SPAN, TEXT],
        STAMPTZ,
        Set(series::generate_series),
    ),
    strict("range", &[INT8], INT8, Set(series::range)),
    strict("range", &[INT4, INT4], INT4, Set(series::range)),
    strict("range", &[INT4, INT4, INT4], INT4, Set(series::range)),
    strict("range", &[INT8, INT8], INT8, Set(series::range)),
    strict("range", &[INT8, INT8, INT8], INT8, Set(series::range)),
    strict("range", &[NUM, NUM], NUM, Set(series::range)),
    strict("range", &[NUM, NUM, NUM], NUM, Set(series::range)),
    strict("range", &[STAMP, STAMP, SPAN], STAMP, Set(series::range)),
    strict(
        "range",
        &[STAMPTZ, STAMPTZ, SPAN],
        STAMPTZ,
        Set(series::range),
    ),
];
