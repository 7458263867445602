//! CREATE, ALTER and DROP TRIGGER.

use crate::name::{Name, ObjectName};

/// `CREATE [OR REPLACE] TRIGGER`
pub struct CreateTrigger {
    /// `OR REPLACE`
    pub or_replace: bool,
    /// Its name.
    pub name: Name,
    /// When it runs.
    pub timing: TriggerTiming,
    /// `INSERT`
    pub on_insert: bool,
    /// `UPDATE`
    pub on_update: bool,
    /// `DELETE`
    pub on_delete: bool,
    /// `TRUNCATE`
    pub on_truncate: bool,
    /// `UPDATE OF`
    pub columns: Vec<Name>,
    /// The table.
    pub table: ObjectName,
    /// `FOR EACH ROW`, else `FOR EACH STATEMENT`.
    pub for_each_row: bool,
    /// The text of `WHEN`.
    pub condition: Option<String>,
    /// The function.
    pub function: ObjectName,
    /// What `TG_ARGV` has.
    pub arguments: Vec<String>,
}

/// When a trigger runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerTiming {
    /// `BEFORE`
    Before,
    /// `AFTER`
    After,
    /// `INSTEAD OF`
    InsteadOf,
}

/// A trigger by its name and table; a constraint too.
pub struct NamedTrigger {
    /// `IF EXISTS`
    pub if_exists: bool,
    /// Its name.
    pub name: Name,
    /// The table.
    pub table: ObjectName,
}
