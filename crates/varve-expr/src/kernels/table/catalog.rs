//! Functions that the catalog answers, or that readers of it call.

use varve_types::LogicalType;

use crate::kernels::{catalog, input};
use crate::tree::{Entry, Kernel, Nested, Param};

use super::{
    ANY, BOOL, INT2, INT4, INT8, NAME, TEXT, columns, lax, repeated, stable, strict, with_nulls,
};
use Kernel::{Catalog, Rows, Set};

const OID: Param = Param::of(LogicalType::Oid);
const REGCLASS: Param = Param::of(LogicalType::Regclass);
const REGTYPE: Param = Param::of(LogicalType::Regtype);

/// Answered by the catalog.
const fn known(name: &'static str, args: &'static [Param], result: Param) -> Entry {
    stable(name, args, result, Catalog)
}

/// Answered alike whatever the catalog is.
const fn fixed(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: fn(&crate::tree::Row<'_>) -> varve_types::Result<varve_types::Value>,
) -> Entry {
    stable(name, args, result, Rows(kernel))
}

pub(super) static ROWS: &[Entry] = &[
    with_nulls(known("format_type", &[OID, INT4], TEXT)),
    fixed("pg_input_is_valid", &[TEXT, TEXT], BOOL, input::is_valid),
    columns(
        stable(
            "pg_input_error_info",
            &[TEXT, TEXT],
            Param::RECORD,
            Set(input::error_info),
        ),
        &[
            ("message", TEXT),
            ("detail", TEXT),
            ("hint", TEXT),
            ("sql_error_code", TEXT),
        ],
    ),
    known("to_regclass", &[TEXT], REGCLASS),
    known("to_regtype", &[TEXT], REGTYPE),
    known("to_regproc", &[TEXT], Param::of(LogicalType::Regproc)),
    known(
        "to_regnamespace",
        &[TEXT],
        Param::of(LogicalType::Regnamespace),
    ),
    known("to_regrole", &[TEXT], Param::of(LogicalType::Regrole)),
    lax("pg_typeof", &[ANY], REGTYPE, Rows(catalog::type_of)),
    lax("pg_collation_for", &[ANY], TEXT, Rows(catalog::collation)),
    known("pg_table_is_visible", &[OID], BOOL),
    known("pg_type_is_visible", &[OID], BOOL),
    fixed("pg_function_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_operator_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_collation_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_opclass_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_opfamily_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_get_function_sqlbody", &[OID], TEXT, catalog::nothing),
    fixed("pg_get_expr", &[TEXT, OID], TEXT, catalog::expression),
    fixed("pg_get_expr", &[TEXT, OID, BOOL], TEXT, catalog::expression),
    known("pg_get_constraintdef", &[OID], TEXT),
    known("pg_get_constraintdef", &[OID, BOOL], TEXT),
    known("pg_get_indexdef", &[OID], TEXT),
    known("pg_get_indexdef", &[OID, INT4, BOOL], TEXT),
    known("pg_get_viewdef", &[OID], TEXT),
    known("pg_get_viewdef", &[OID, BOOL], TEXT),
    known("pg_get_viewdef", &[OID, INT4], TEXT),
    known("pg_get_viewdef", &[TEXT], TEXT),
    known("pg_get_viewdef", &[TEXT, BOOL], TEXT),
    known("pg_get_serial_sequence", &[TEXT, TEXT], TEXT),
    known("pg_get_functiondef", &[OID], TEXT),
    known("pg_get_function_result", &[OID], TEXT),
    known("pg_get_function_arguments", &[OID], TEXT),
    known("pg_get_function_identity_arguments", &[OID], TEXT),
    known("pg_get_triggerdef", &[OID], TEXT),
    known("pg_get_triggerdef", &[OID, BOOL], TEXT),
    fixed("pg_get_ruledef", &[OID], TEXT, catalog::nothing),
    fixed("pg_get_ruledef", &[OID, BOOL], TEXT, catalog::nothing),
    known("pg_get_partkeydef", &[OID], TEXT),
    fixed(
        "pg_get_statisticsobjdef_columns",
        &[OID],
        TEXT,
        catalog::nothing,
    ),
    fixed("pg_get_userbyid", &[OID], NAME, catalog::role_name),
    fixed("pg_encoding_to_char", &[INT4], NAME, catalog::encoding),
    fixed("getdatabaseencoding", &[], NAME, catalog::encoding),
    known("pg_relation_filenode", &[REGCLASS], OID),
    fixed("pg_relation_is_publishable", &[REGCLASS], BOOL, catalog::no),
    fixed("pg_is_other_temp_schema", &[OID], BOOL, catalog::no),
    fixed("pg_is_in_recovery", &[], BOOL, catalog::no),
    fixed(
        "pg_relation_is_updatable",
        &[REGCLASS, BOOL],
        INT4,
        catalog::every_change,
    ),
    fixed(
        "pg_column_is_updatable",
        &[REGCLASS, INT2, BOOL],
        BOOL,
        catalog::yes,
    ),
    fixed("pg_conversion_is_visible", &[OID], BOOL, catalog::yes),
    fixed("pg_tablespace_location", &[OID], TEXT, catalog::empty),
    fixed(
        "pg_char_to_encoding",
        &[NAME],
        INT4,
        catalog::encoding_number,
    ),
    strict(
        "pg_partition_ancestors",
        &[REGCLASS],
        REGCLASS,
        Set(catalog::no_rows),
    ),
    with_nulls(repeated(fixed("\0domain", &[ANY], BOOL, catalog::domain))),
    with_nulls(repeated(stable(
        "\0domains",
        &[ANY],
        BOOL,
        Kernel::Nested(Nested::ElementsHold),
    ))),
    known("obj_description", &[OID, TEXT], TEXT),
    known("obj_description", &[OID], TEXT),
    known("col_description", &[OID, INT4], TEXT),
    known("shobj_description", &[OID, TEXT], TEXT),
    known("current_schema", &[], NAME),
    known("current_schemas", &[BOOL], NAME.array()),
    fixed("current_database", &[], NAME, catalog::database),
    fixed("current_catalog", &[], NAME, catalog::database),
    fixed("current_user", &[], NAME, catalog::role_name),
    fixed("current_role", &[], NAME, catalog::role_name),
    fixed("session_user", &[], NAME, catalog::role_name),
    fixed("user", &[], NAME, catalog::role_name),
    fixed("version", &[], TEXT, catalog::version),
    fixed("pg_backend_pid", &[], INT4, catalog::one),
    fixed("inet_client_addr", &[], TEXT, catalog::nothing),
    fixed("inet_server_addr", &[], TEXT, catalog::nothing),
    fixed("inet_client_port", &[], INT4, catalog::nothing),
    fixed("inet_server_port", &[], INT4, catalog::nothing),
    known("has_table_privilege", &[REGCLASS, TEXT], BOOL),
    known("has_table_privilege", &[NAME, REGCLASS, TEXT], BOOL),
    known("has_any_column_privilege", &[REGCLASS, TEXT], BOOL),
    known("has_column_privilege", &[REGCLASS, TEXT, TEXT], BOOL),
    known("has_column_privilege", &[REGCLASS, INT2, TEXT], BOOL),
    known("has_sequence_privilege", &[REGCLASS, TEXT], BOOL),
    known("has_schema_privilege", &[TEXT, TEXT], BOOL),
    known("has_schema_privilege", &[OID, TEXT], BOOL),
    known("has_schema_privilege", &[NAME, TEXT, TEXT], BOOL),
    fixed("has_database_privilege", &[TEXT, TEXT], BOOL, catalog::yes),
    fixed(
        "has_database_privilege",
        &[NAME, TEXT, TEXT],
        BOOL,
        catalog::yes,
    ),
    fixed("has_function_privilege", &[OID, TEXT], BOOL, catalog::yes),
    fixed("has_type_privilege", &[REGTYPE, TEXT], BOOL, catalog::yes),
    fixed("pg_has_role", &[OID, TEXT], BOOL, catalog::yes),
    fixed("pg_has_role", &[NAME, TEXT], BOOL, catalog::yes),
    fixed("pg_has_role", &[NAME, OID, TEXT], BOOL, catalog::yes),
    fixed("pg_stat_get_numscans", &[OID], INT8, catalog::nothing),
];
