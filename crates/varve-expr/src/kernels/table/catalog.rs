//! Functions that readers of the catalogues call.

use varve_types::LogicalType;

use crate::function::{Entry, Kernel};
use crate::kernels::catalog;
use crate::signature::Param;

use super::{BOOL, INT4, TEXT, lax, stable};
use Kernel::Rows;

const OID: Param = Param::of(LogicalType::Oid);

pub(super) static ROWS: &[Entry] = &[
    lax(
        "format_type",
        &[OID, INT4],
        TEXT,
        Rows(catalog::format_type),
    ),
    stable(
        "pg_table_is_visible",
        &[OID],
        BOOL,
        Rows(catalog::is_visible),
    ),
    stable(
        "pg_type_is_visible",
        &[OID],
        BOOL,
        Rows(catalog::is_visible),
    ),
    stable(
        "pg_function_is_visible",
        &[OID],
        BOOL,
        Rows(catalog::is_visible),
    ),
    stable("pg_get_expr", &[TEXT, OID], TEXT, Rows(catalog::expression)),
    stable(
        "pg_get_expr",
        &[TEXT, OID, BOOL],
        TEXT,
        Rows(catalog::expression),
    ),
    stable("pg_get_userbyid", &[OID], TEXT, Rows(catalog::role_name)),
    stable(
        "pg_encoding_to_char",
        &[INT4],
        TEXT,
        Rows(catalog::encoding),
    ),
    stable("getdatabaseencoding", &[], TEXT, Rows(catalog::encoding)),
    stable(
        "obj_description",
        &[OID, TEXT],
        TEXT,
        Rows(catalog::nothing),
    ),
    stable(
        "col_description",
        &[OID, INT4],
        TEXT,
        Rows(catalog::nothing),
    ),
    stable(
        "shobj_description",
        &[OID, TEXT],
        TEXT,
        Rows(catalog::nothing),
    ),
];
