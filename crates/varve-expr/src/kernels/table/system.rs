//! What asks the database for something, or about itself.

use varve_types::LogicalType;

use crate::kernels::{advisory, jobs, sequences, session, size};
use crate::tree::{Entry, Kernel, Param};

use super::{
    ANY, BOOL, FLOAT8, INT4, INT8, NAME, SPAN, STAMPTZ, TEXT, lax, named, stable, strict, volatile,
    with_nulls,
};
use Kernel::{Columns, Rows};

const OID: Param = Param::of(LogicalType::Oid);
const NUMERIC: Param = Param::of(LogicalType::Numeric);
const REGCLASS: Param = Param::of(LogicalType::Regclass);

/// What takes so much room, and what counts.
const fn sized(
    name: &'static str,
    args: &'static [Param],
    kernel: fn(&crate::tree::Row<'_>) -> varve_types::Result<varve_types::Value>,
) -> Entry {
    volatile(name, args, INT8, Rows(kernel))
}

pub(super) static ROWS: &[Entry] = &[
    sized("pg_relation_size", &[REGCLASS], size::of_table),
    sized("pg_relation_size", &[REGCLASS, TEXT], size::of_table),
    sized("pg_table_size", &[REGCLASS], size::of_table),
    sized("pg_indexes_size", &[REGCLASS], size::of_indexes),
    sized("pg_total_relation_size", &[REGCLASS], size::of_all),
    sized("pg_database_size", &[NAME], size::of_all),
    sized("pg_database_size", &[OID], size::of_database),
    sized("approximate_row_count", &[REGCLASS], size::rows_of_table),
    strict("pg_size_pretty", &[INT8], TEXT, Rows(size::pretty)),
    strict("pg_size_pretty", &[NUMERIC], TEXT, Rows(size::pretty)),
    strict("pg_size_bytes", &[TEXT], INT8, Rows(size::bytes)),
    lax("pg_column_size", &[ANY], INT4, Rows(size::of_value)),
    volatile("varve_cancel_job", &[INT8], BOOL, Columns(jobs::cancel)),
    volatile("varve_pause_job", &[INT8], BOOL, Columns(jobs::pause)),
    volatile("varve_resume_job", &[INT8], BOOL, Columns(jobs::resume)),
    volatile("random", &[], FLOAT8, Rows(session::random)),
    volatile("changes", &[], INT8, Rows(session::changes)),
    volatile("total_changes", &[], INT8, Rows(session::total_changes)),
    volatile(
        "last_insert_rowid",
        &[],
        INT8,
        Rows(session::last_insert_rowid),
    ),
    named(
        volatile(
            "random_normal",
            &[FLOAT8, FLOAT8],
            FLOAT8,
            Rows(session::random_normal),
        ),
        &["mean=0", "stddev=1"],
    ),
    volatile("pg_advisory_lock", &[INT8], TEXT, Rows(advisory::lock::<0>)),
    volatile(
        "pg_advisory_lock",
        &[INT4, INT4],
        TEXT,
        Rows(advisory::lock::<0>),
    ),
    volatile(
        "pg_advisory_lock_shared",
        &[INT8],
        TEXT,
        Rows(advisory::lock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_advisory_lock_shared",
        &[INT4, INT4],
        TEXT,
        Rows(advisory::lock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_advisory_xact_lock",
        &[INT8],
        TEXT,
        Rows(advisory::lock::<{ advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_advisory_xact_lock",
        &[INT4, INT4],
        TEXT,
        Rows(advisory::lock::<{ advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_advisory_xact_lock_shared",
        &[INT8],
        TEXT,
        Rows(advisory::lock::<{ advisory::SHARED | advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_advisory_xact_lock_shared",
        &[INT4, INT4],
        TEXT,
        Rows(advisory::lock::<{ advisory::SHARED | advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_try_advisory_lock",
        &[INT8],
        BOOL,
        Rows(advisory::try_lock::<0>),
    ),
    volatile(
        "pg_try_advisory_lock",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::try_lock::<0>),
    ),
    volatile(
        "pg_try_advisory_lock_shared",
        &[INT8],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_try_advisory_lock_shared",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_try_advisory_xact_lock",
        &[INT8],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_try_advisory_xact_lock",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_try_advisory_xact_lock_shared",
        &[INT8],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::SHARED | advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_try_advisory_xact_lock_shared",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::try_lock::<{ advisory::SHARED | advisory::OF_TRANSACTION }>),
    ),
    volatile(
        "pg_advisory_unlock",
        &[INT8],
        BOOL,
        Rows(advisory::unlock::<0>),
    ),
    volatile(
        "pg_advisory_unlock",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::unlock::<0>),
    ),
    volatile(
        "pg_advisory_unlock_shared",
        &[INT8],
        BOOL,
        Rows(advisory::unlock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_advisory_unlock_shared",
        &[INT4, INT4],
        BOOL,
        Rows(advisory::unlock::<{ advisory::SHARED }>),
    ),
    volatile(
        "pg_advisory_unlock_all",
        &[],
        TEXT,
        Rows(advisory::unlock_all),
    ),
    volatile("setseed", &[FLOAT8], TEXT, Rows(session::set_seed)),
    volatile("pg_sleep", &[FLOAT8], TEXT, Rows(session::sleep)),
    volatile("pg_sleep_for", &[SPAN], TEXT, Rows(session::sleep_interval)),
    volatile(
        "pg_sleep_until",
        &[STAMPTZ],
        TEXT,
        Rows(session::sleep_until),
    ),
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
