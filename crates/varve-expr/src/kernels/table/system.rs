//! What asks the database for something, or about itself.

use crate::function::{Entry, Kernel};
use crate::kernels::{jobs, sequences};

use super::{BOOL, INT8, TEXT, volatile};
use Kernel::Columns;

pub(super) static ROWS: &[Entry] = &[
    volatile("varve_cancel_job", &[INT8], BOOL, Columns(jobs::cancel)),
    volatile("varve_pause_job", &[INT8], BOOL, Columns(jobs::pause)),
    volatile("varve_resume_job", &[INT8], BOOL, Columns(jobs::resume)),
    volatile("nextval", &[INT8], INT8, Columns(sequences::nextval)),
    volatile("nextval", &[TEXT], INT8, Columns(sequences::nextval)),
    volatile("currval", &[INT8], INT8, Columns(sequences::currval)),
    volatile("currval", &[TEXT], INT8, Columns(sequences::currval)),
    volatile("lastval", &[], INT8, Columns(sequences::lastval)),
    volatile("setval", &[INT8, INT8], INT8, Columns(sequences::setval)),
    volatile(
        "setval",
        &[INT8, INT8, BOOL],
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
