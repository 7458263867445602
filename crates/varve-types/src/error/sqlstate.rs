//! SQLSTATE codes, with PostgreSQL's condition names.

use std::sync::{Mutex, PoisonError};

/// A five-character SQLSTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SqlState(&'static str, &'static str);

macro_rules! sqlstates {
    ($($name:ident $code:literal $condition:literal),* $(,)?) => {
        impl SqlState {
            $(
                #[doc = concat!("`", $code, "` ", $condition)]
                pub const $name: SqlState = SqlState($code, $condition);
            )*

            /// Every code that VarveDB answers with.
            pub const ALL: &'static [SqlState] = &[$(SqlState::$name),*];
        }
    };
}

sqlstates! {
    SUCCESSFUL_COMPLETION "00000" "successful_completion",
    WARNING "01000" "warning",
    FEATURE_NOT_SUPPORTED "0A000" "feature_not_supported",
    CARDINALITY_VIOLATION "21000" "cardinality_violation",
    STRING_DATA_RIGHT_TRUNCATION "22001" "string_data_right_truncation",
    NUMERIC_VALUE_OUT_OF_RANGE "22003" "numeric_value_out_of_range",
    INVALID_DATETIME_FORMAT "22007" "invalid_datetime_format",
    DATETIME_FIELD_OVERFLOW "22008" "datetime_field_overflow",
    INVALID_TIME_ZONE_DISPLACEMENT_VALUE "22009" "invalid_time_zone_displacement_value",
    INTERVAL_FIELD_OVERFLOW "22015" "interval_field_overflow",
    ARRAY_SUBSCRIPT_ERROR "2202E" "array_subscript_error",
    UNTRANSLATABLE_CHARACTER "22P05" "untranslatable_character",
    DATA_EXCEPTION "22000" "data_exception",
    DIVISION_BY_ZERO "22012" "division_by_zero",
    INVALID_ESCAPE_SEQUENCE "22025" "invalid_escape_sequence",
    INVALID_REGULAR_EXPRESSION "2201B" "invalid_regular_expression",
    INVALID_USE_OF_ESCAPE_CHARACTER "2200C" "invalid_use_of_escape_character",
    INVALID_ARGUMENT_FOR_WIDTH_BUCKET "2201G" "invalid_argument_for_width_bucket_function",
    INVALID_ARGUMENT_FOR_LOGARITHM "2201E" "invalid_argument_for_logarithm",
    INVALID_ARGUMENT_FOR_POWER_FUNCTION "2201F" "invalid_argument_for_power_function",
    INVALID_ROW_COUNT_IN_LIMIT_CLAUSE "2201W" "invalid_row_count_in_limit_clause",
    INVALID_ROW_COUNT_IN_OFFSET_CLAUSE "2201X" "invalid_row_count_in_result_offset_clause",
    SEQUENCE_GENERATOR_LIMIT_EXCEEDED "2200H" "sequence_generator_limit_exceeded",
    CHARACTER_NOT_IN_REPERTOIRE "22021" "character_not_in_repertoire",
    ERROR_IN_ASSIGNMENT "22005" "error_in_assignment",
    NULL_VALUE_NOT_ALLOWED "22004" "null_value_not_allowed",
    INVALID_PRECEDING_OR_FOLLOWING_SIZE "22013" "invalid_preceding_or_following_size",
    INVALID_ARGUMENT_FOR_NTILE "22014" "invalid_argument_for_ntile_function",
    INVALID_ARGUMENT_FOR_NTH_VALUE "22016" "invalid_argument_for_nth_value_function",
    INVALID_TABLESAMPLE_ARGUMENT "2202H" "invalid_tablesample_argument",
    INVALID_PARAMETER_VALUE "22023" "invalid_parameter_value",
    SUBSTRING_ERROR "22011" "substring_error",
    DUPLICATE_JSON_OBJECT_KEY_VALUE "22030" "duplicate_json_object_key_value",
    INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION "22031"
        "invalid_argument_for_sql_json_datetime_function",
    INVALID_JSON_TEXT "22032" "invalid_json_text",
    INVALID_SQL_JSON_SUBSCRIPT "22033" "invalid_sql_json_subscript",
    NON_NUMERIC_SQL_JSON_ITEM "22036" "non_numeric_sql_json_item",
    SINGLETON_SQL_JSON_ITEM_REQUIRED "22038" "singleton_sql_json_item_required",
    SQL_JSON_ARRAY_NOT_FOUND "22039" "sql_json_array_not_found",
    SQL_JSON_MEMBER_NOT_FOUND "2203A" "sql_json_member_not_found",
    SQL_JSON_NUMBER_NOT_FOUND "2203B" "sql_json_number_not_found",
    SQL_JSON_OBJECT_NOT_FOUND "2203C" "sql_json_object_not_found",
    INVALID_TEXT_REPRESENTATION "22P02" "invalid_text_representation",
    INVALID_BINARY_REPRESENTATION "22P03" "invalid_binary_representation",
    BAD_COPY_FILE_FORMAT "22P04" "bad_copy_file_format",
    NOT_NULL_VIOLATION "23502" "not_null_violation",
    FOREIGN_KEY_VIOLATION "23503" "foreign_key_violation",
    UNIQUE_VIOLATION "23505" "unique_violation",
    CHECK_VIOLATION "23514" "check_violation",
    ACTIVE_SQL_TRANSACTION "25001" "active_sql_transaction",
    READ_ONLY_SQL_TRANSACTION "25006" "read_only_sql_transaction",
    NO_ACTIVE_SQL_TRANSACTION "25P01" "no_active_sql_transaction",
    IN_FAILED_SQL_TRANSACTION "25P02" "in_failed_sql_transaction",
    INVALID_AUTHORIZATION_SPECIFICATION "28000" "invalid_authorization_specification",
    INVALID_PASSWORD "28P01" "invalid_password",
    INVALID_SQL_STATEMENT_NAME "26000" "invalid_sql_statement_name",
    DEPENDENT_OBJECTS_STILL_EXIST "2BP01" "dependent_objects_still_exist",
    INVALID_CURSOR_NAME "34000" "invalid_cursor_name",
    INVALID_CATALOG_NAME "3D000" "invalid_catalog_name",
    INVALID_GRANT_OPERATION "0LP01" "invalid_grant_operation",
    INVALID_SCHEMA_DEFINITION "42P15" "invalid_schema_definition",
    INVALID_SCHEMA_NAME "3F000" "invalid_schema_name",
    INVALID_SAVEPOINT_SPECIFICATION "3B001" "invalid_savepoint_specification",
    SERIALIZATION_FAILURE "40001" "serialization_failure",
    SYNTAX_ERROR "42601" "syntax_error",
    WITH_CHECK_OPTION_VIOLATION "44000" "with_check_option_violation",
    UNDEFINED_COLUMN "42703" "undefined_column",
    UNDEFINED_FUNCTION "42883" "undefined_function",
    UNDEFINED_TABLE "42P01" "undefined_table",
    UNDEFINED_PARAMETER "42P02" "undefined_parameter",
    UNDEFINED_OBJECT "42704" "undefined_object",
    WRONG_OBJECT_TYPE "42809" "wrong_object_type",
    DUPLICATE_COLUMN "42701" "duplicate_column",
    DUPLICATE_ALIAS "42712" "duplicate_alias",
    DUPLICATE_OBJECT "42710" "duplicate_object",
    DUPLICATE_CURSOR "42P03" "duplicate_cursor",
    DUPLICATE_DATABASE "42P04" "duplicate_database",
    DUPLICATE_PSTATEMENT "42P05" "duplicate_prepared_statement",
    DUPLICATE_SCHEMA "42P06" "duplicate_schema",
    TOO_MANY_COLUMNS "54011" "too_many_columns",
    INVALID_FOREIGN_KEY "42830" "invalid_foreign_key",
    GENERATED_ALWAYS "428C9" "generated_always",
    DUPLICATE_TABLE "42P07" "duplicate_table",
    AMBIGUOUS_ALIAS "42P09" "ambiguous_alias",
    AMBIGUOUS_COLUMN "42702" "ambiguous_column",
    AMBIGUOUS_FUNCTION "42725" "ambiguous_function",
    DUPLICATE_FUNCTION "42723" "duplicate_function",
    INVALID_FUNCTION_DEFINITION "42P13" "invalid_function_definition",
    NO_RETURN_STATEMENT "2F005" "function_executed_no_return_statement",
    TRIGGER_PROTOCOL_VIOLATED "39P01" "trigger_protocol_violated",
    TRIGGERED_DATA_CHANGE_VIOLATION "27000" "triggered_data_change_violation",
    RAISE_EXCEPTION "P0001" "raise_exception",
    NO_DATA_FOUND "P0002" "no_data_found",
    TOO_MANY_ROWS "P0003" "too_many_rows",
    ASSERT_FAILURE "P0004" "assert_failure",
    CASE_NOT_FOUND "20000" "case_not_found",
    STACKED_DIAGNOSTICS_ACCESSED_WITHOUT_ACTIVE_HANDLER "0Z002"
        "stacked_diagnostics_accessed_without_active_handler",
    GROUPING_ERROR "42803" "grouping_error",
    DATATYPE_MISMATCH "42804" "datatype_mismatch",
    INDETERMINATE_DATATYPE "42P18" "indeterminate_datatype",
    CANNOT_COERCE "42846" "cannot_coerce",
    INVALID_COLUMN_REFERENCE "42P10" "invalid_column_reference",
    INVALID_COLUMN_DEFINITION "42611" "invalid_column_definition",
    INVALID_TABLE_DEFINITION "42P16" "invalid_table_definition",
    INVALID_OBJECT_DEFINITION "42P17" "invalid_object_definition",
    WINDOWING_ERROR "42P20" "windowing_error",
    INVALID_RECURSION "42P19" "invalid_recursion",
    INVALID_NAME "42602" "invalid_name",
    RESERVED_NAME "42939" "reserved_name",
    INSUFFICIENT_PRIVILEGE "42501" "insufficient_privilege",
    DISK_FULL "53100" "disk_full",
    OUT_OF_MEMORY "53200" "out_of_memory",
    PROGRAM_LIMIT_EXCEEDED "54000" "program_limit_exceeded",
    STATEMENT_TOO_COMPLEX "54001" "statement_too_complex",
    OBJECT_IN_USE "55006" "object_in_use",
    DEADLOCK_DETECTED "40P01" "deadlock_detected",
    LOCK_NOT_AVAILABLE "55P03" "lock_not_available",
    OBJECT_NOT_IN_PREREQUISITE_STATE "55000" "object_not_in_prerequisite_state",
    CANT_CHANGE_RUNTIME_PARAM "55P02" "cant_change_runtime_param",
    QUERY_CANCELED "57014" "query_canceled",
    CANNOT_CONNECT_NOW "57P03" "cannot_connect_now",
    ADMIN_SHUTDOWN "57P01" "admin_shutdown",
    CONNECTION_DOES_NOT_EXIST "08003" "connection_does_not_exist",
    CONNECTION_FAILURE "08006" "connection_failure",
    PROTOCOL_VIOLATION "08P01" "protocol_violation",
    IO_ERROR "58030" "io_error",
    UNDEFINED_FILE "58P01" "undefined_file",
    INTERNAL_ERROR "XX000" "internal_error",
    DATA_CORRUPTED "XX001" "data_corrupted",
}

/// The codes that users have thought of.
static OWN: Mutex<Vec<SqlState>> = Mutex::new(Vec::new());
/// Most codes that users may think of: they are never forgotten.
const OWN_MAX: usize = 10_000;

impl SqlState {
    /// A code, also one that VarveDB does not know; `None` for what is none.
    pub fn of_code(code: &str) -> Option<SqlState> {
        let is_code = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let same = |state: &&SqlState| state.0 == code;
        if let Some(known) = SqlState::ALL.iter().find(same) {
            return Some(*known);
        }
        if code.len() != 5 || !code.bytes().all(is_code) {
            return None;
        }
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = own.iter().find(same) {
            return Some(*known);
        }
        if own.len() >= OWN_MAX {
            return None;
        }
        let state = SqlState(String::leak(code.to_owned()), "");
        own.push(state);
        Some(state)
    }

    /// The five characters.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// PostgreSQL's name of the condition, in snake case.
    pub fn condition(self) -> &'static str {
        self.1
    }

    /// Whether a limit was reached or somebody intervened (classes 53, 54, 57): nothing is wrong
    /// with what was asked for.
    pub fn is_limit(self) -> bool {
        matches!(self.0.get(..2), Some("53" | "54" | "57"))
    }
}

impl core::fmt::Display for SqlState {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::SqlState;

    #[test]
    fn codes_of_users_are_equal_where_they_are_written_so() {
        assert_eq!(SqlState::of_code("23505"), Some(SqlState::UNIQUE_VIOLATION));
        let own = SqlState::of_code("MY001").unwrap();
        assert_eq!(own.code(), "MY001");
        assert_eq!(SqlState::of_code("MY001"), Some(own));
        assert_ne!(SqlState::of_code("MY002"), Some(own));
        for wrong in ["", "my001", "MY00", "MY0011", "MY-01"] {
            assert_eq!(SqlState::of_code(wrong), None);
        }
    }

    #[test]
    fn codes_are_five_characters_and_unique() {
        for (i, state) in SqlState::ALL.iter().enumerate() {
            assert_eq!(state.code().len(), 5, "{state}");
            assert!(
                SqlState::ALL[..i]
                    .iter()
                    .all(|other| other.code() != state.code()),
                "{state}"
            );
        }
    }
}
