//! Names of conditions and their SQLSTATEs.

use varve_types::SqlState;

/// Conditions that VarveDB does not answer with, by what functions raise and catch.
const OTHERS: &[(&str, &str)] = &[
    ("02000", "no_data"),
    ("08000", "connection_exception"),
    ("23000", "integrity_constraint_violation"),
    ("23001", "restrict_violation"),
    ("23P01", "exclusion_violation"),
    ("25000", "invalid_transaction_state"),
    ("28000", "invalid_authorization_specification"),
    ("28P01", "invalid_password"),
    ("38000", "external_routine_exception"),
    ("40000", "transaction_rollback"),
    ("40002", "transaction_integrity_constraint_violation"),
    ("40P01", "deadlock_detected"),
    ("42000", "syntax_error_or_access_rule_violation"),
    ("42P11", "invalid_cursor_definition"),
    ("53000", "insufficient_resources"),
    ("53300", "too_many_connections"),
    ("53400", "configuration_limit_exceeded"),
    ("55P03", "lock_not_available"),
    ("57000", "operator_intervention"),
    ("58000", "system_error"),
    ("P0000", "plpgsql_error"),
];

/// The SQLSTATE of a condition.
pub fn code_named(name: &str) -> Option<&'static str> {
    let known = SqlState::ALL.iter();
    let known = known.map(|state| (state.code(), state.condition()));
    let mut all = known.chain(OTHERS.iter().copied());
    all.find(|(_, condition)| *condition == name)
        .map(|(code, _)| code)
}

/// Whether a handler for a SQLSTATE, of a class where it ends in `000`, is for an error. One for
/// all others has no SQLSTATE, and is for none that says that the statement must end.
pub fn catches(condition: &str, state: SqlState) -> bool {
    let code = state.code();
    match condition.strip_suffix("000") {
        _ if condition.is_empty() => {
            !matches!(state, SqlState::QUERY_CANCELED | SqlState::ASSERT_FAILURE)
        }
        Some(class) => code.starts_with(class),
        None => code == condition,
    }
}
