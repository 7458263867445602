//! What asks the database for something, or about itself.

use varve_types::LogicalType;

use crate::function::{Entry, Kernel};
use crate::kernels::{jobs, sequences, session};
use crate::signature::Param;

use super::{BOOL, FLOAT8, INT8, TEXT, stable, volatile, with_nulls};
use Kernel::{Columns, Rows};

const REGCLASS: Param = Param::of(LogicalType::Regclass);

pub(super) static ROWS: &[Entry] = &[
    volatile("varve_cancel_job", &[INT8], BOOL, Columns(jobs::cancel)),
    volatile("varve_pause_job", &[INT8], BOOL, Columns(jobs::pause)),
    volatile("varve_resume_job", &[INT8], BOOL, Columns(jobs::resume)),
    volatile("random", &[], FLOAT8, Rows(session::random)),
    volatile(
        "gen_random_uuid",
        &[],
        Param::of(LogicalType::Uuid),
        Rows(session::random_uuid),
    ),
    stable(
        "current_setting",
        &[TEXT],
        TEXT,
        Rows(session::current_setting),
    ),
    stable(
        "current_setting",
        &[TEXT, BOOL],
        TEXT,
        Rows(session::current_setting),
    ),
    with_nulls(volatile(
        "set_config",
        &[TEXT, TEXT, BOOL],
        TEXT,
        Rows(session::set_config),
    )),
    volatile("nextval", &[INT8], INT8, Columns(sequences::nextval)),
    volatile("nextval", &[TEXT], INT8, Columns(sequences::nextval)),
    volatile("nextval", &[REGCLASS], INT8, Columns(sequences::nextval)),
    volatile("currval", &[INT8], INT8, Columns(sequences::currval)),
    volatile("currval", &[TEXT], INT8, Columns(sequences::currval)),
    volatile("currval", &[REGCLASS], INT8, Columns(sequences::currval)),
    volatile("lastval", &[], INT8, Columns(sequences::lastval)),
    volatile(
        "\0last value",
        &[INT8],
        INT8,
        Columns(sequences::last_value),
    ),
    volatile("\0is called", &[INT8], INT8, Columns(sequences::is_called)),
    volatile("setval", &[INT8, INT8], INT8, Columns(sequences::setval)),
    volatile(
        "setval",
        &[INT8, INT8, BOOL],
        INT8,
        Columns(sequences::setval),
    ),
    volatile(
        "setval",
        &[REGCLASS, INT8],
        INT8,
        Columns(sequences::setval),
    ),
    volatile(
        "setval",
        &[REGCLASS, INT8, BOOL],
        INT8,
        Columns(sequences::setval),
    ),
    volatile("setval", &[TEXT, INT8], INT8, Columns(sequences::setval)),
    volatile(
        "setval",
        &[TEXT, INT8, BOOL],
        INT8,
        Columns(sequences::setval),
    ),
];
