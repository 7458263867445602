//! Triggers: what is known of them, and their bytes in the catalog.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 23 = trigger |
//! | object id, table, function | 8 + 8 + 8 |
//! | name | 2 (length) + UTF-8 |
//! | flags: 1 before, 2 INSERT, 4 UPDATE, 8 DELETE, 16 each row, 32 disabled, 64 a condition, 128 INSTEAD OF where it is for each row, else TRUNCATE | 1 |
//! | number of columns of UPDATE OF, their ids | 2, then 4 each |
//! | where there is one: length of the condition's text, the text | 4 + UTF-8 |
//! | number of arguments, each: length, text | 2, then 4 + UTF-8 |

use std::sync::Arc;

use varve_parser::plpgsql::Code;
use varve_types::{ColumnId, ObjectId, Result};

use crate::model::bytes::{Input, put_count, put_name, schema_head};
use crate::model::function_def::ParsedBody;
use crate::model::table::TableDef;
use crate::model::view::{put_text, take_object, take_text};

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a trigger is.
pub(crate) const KIND_TRIGGER: u8 = 23;
const BEFORE: u8 = 1;
const INSERT: u8 = 2;
const UPDATE: u8 = 4;
const DELETE: u8 = 8;
const EACH_ROW: u8 = 16;
const DISABLED: u8 = 32;
const CONDITION: u8 = 64;
const INSTEAD_OR_TRUNCATE: u8 = 128;

/// A trigger.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema of its table.
    pub schema: ObjectId,
    /// The table.
    pub table: ObjectId,
    /// The function that it calls.
    pub function: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// Before the row is written, else at the end of the statement.
    pub before: bool,
    /// In place of what would be written to a view; then it is for each row, and not before.
    pub instead: bool,
    /// Fired by INSERT.
    pub insert: bool,
    /// Fired by UPDATE.
    pub update: bool,
    /// Fired by DELETE.
    pub delete: bool,
    /// Fired by TRUNCATE; then it is for the statement.
    pub truncate: bool,
    /// Once for each row, else for the statement.
    pub for_each_row: bool,
    /// Whether it is fired at all.
    pub is_enabled: bool,
    /// `UPDATE OF`: it is fired where one of these is assigned to; none means any.
    pub columns: Vec<ColumnId>,
    /// The text of `WHEN`.
    pub condition: Option<String>,
    /// What `TG_ARGV` has.
    pub arguments: Vec<String>,
    /// The condition, once it was needed.
    pub parsed: ParsedBody,
}

/// What is done to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `INSERT`
    Insert,
    /// `UPDATE`
    Update,
    /// `DELETE`
    Delete,
    /// `TRUNCATE`
    Truncate,
}

impl Event {
    /// `TG_OP`
    pub fn word(self) -> &'static str {
        match self {
            Event::Insert => "INSERT",
            Event::Update => "UPDATE",
            Event::Delete => "DELETE",
            Event::Truncate => "TRUNCATE",
        }
    }
}

impl TriggerDef {
    /// `BEFORE`, `AFTER`, `INSTEAD OF`
    pub fn when(&self) -> &'static str {
        match (self.before, self.instead) {
            (true, _) => "BEFORE",
            (_, true) => "INSTEAD OF",
            _ => "AFTER",
        }
    }

    /// Whether it is fired by an event; an update assigns to these columns.
    pub fn fires(&self, event: Event, table: &TableDef, assigned: &[usize]) -> bool {
        self.is_enabled
            && match event {
                Event::Insert => self.insert,
                Event::Delete => self.delete,
                Event::Truncate => self.truncate,
                Event::Update => {
                    let mut columns = assigned.iter().filter_map(|at| table.columns.get(*at));
                    let is_of = self.columns.is_empty()
                        || columns.any(|column| self.columns.contains(&column.id));
                    self.update && is_of
                }
            }
    }

    /// The condition as a body that returns it.
    pub fn condition_code(&self) -> Result<Option<Arc<Code>>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        let code = self.parsed.get(&|| Code::of_value(condition))?;
        Ok(Some(code))
    }
}

/// The bytes of a trigger in the catalog.
pub fn encode_trigger(def: &TriggerDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(def.schema);
    bytes.extend([LAYOUT_VERSION, KIND_TRIGGER]);
    for object in [def.object, def.table, def.function] {
        bytes.extend(object.0.to_le_bytes());
    }
    put_name(&mut bytes, &def.name)?;
    let flags = [
        (def.before, BEFORE),
        (def.insert, INSERT),
        (def.update, UPDATE),
        (def.delete, DELETE),
        (def.for_each_row, EACH_ROW),
        (!def.is_enabled, DISABLED),
        (def.condition.is_some(), CONDITION),
        (def.instead || def.truncate, INSTEAD_OR_TRUNCATE),
    ];
    let set = flags.iter().filter(|(is, _)| *is);
    bytes.push(set.fold(0, |all, (_, flag)| all | flag));
    put_count(&mut bytes, def.columns.len())?;
    for column in &def.columns {
        bytes.extend(column.0.to_le_bytes());
    }
    if let Some(condition) = &def.condition {
        put_text(&mut bytes, condition)?;
    }
    put_count(&mut bytes, def.arguments.len())?;
    for argument in &def.arguments {
        put_text(&mut bytes, argument)?;
    }
    Ok(bytes)
}

/// The trigger that [`encode_trigger`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_trigger(bytes: &[u8]) -> Result<TriggerDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_TRIGGER])?;
    let object = take_object(&mut input)?;
    let table = take_object(&mut input)?;
    let function = take_object(&mut input)?;
    let name = input.name()?;
    let flags = input.u8()?;
    let for_each_row = flags & EACH_ROW != 0;
    let other = flags & INSTEAD_OR_TRUNCATE != 0;
    let mut columns = Vec::new();
    for _ in 0..input.count()? {
        columns.push(ColumnId(u32::from_le_bytes(input.array()?)));
    }
    let condition = match flags & CONDITION {
        0 => None,
        _ => Some(take_text(&mut input)?),
    };
    let mut arguments = Vec::new();
    for _ in 0..input.count()? {
        arguments.push(take_text(&mut input)?);
    }
    input.end()?;
    Ok(TriggerDef {
        object,
        schema,
        table,
        function,
        name,
        before: flags & BEFORE != 0,
        instead: other && for_each_row,
        insert: flags & INSERT != 0,
        update: flags & UPDATE != 0,
        delete: flags & DELETE != 0,
        truncate: other && !for_each_row,
        for_each_row,
        is_enabled: flags & DISABLED == 0,
        columns,
        condition,
        arguments,
        parsed: ParsedBody::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::{TriggerDef, decode_trigger, encode_trigger};
    use crate::model::function_def::ParsedBody;
    use varve_types::{ColumnId, ObjectId};

    #[test]
    fn every_damaged_trigger_is_refused_or_sound() {
        let def = TriggerDef {
            object: ObjectId(3),
            schema: ObjectId(9),
            table: ObjectId(4),
            function: ObjectId(5),
            name: "tr".to_owned(),
            before: true,
            instead: false,
            insert: true,
            update: true,
            delete: false,
            truncate: false,
            for_each_row: true,
            is_enabled: false,
            columns: vec![ColumnId(2)],
            condition: Some("new.a > 1".to_owned()),
            arguments: vec!["x".to_owned()],
            parsed: ParsedBody::default(),
        };
        let good = encode_trigger(&def).unwrap();
        assert_eq!(decode_trigger(&good), Ok(def));
        for len in 0..good.len() {
            assert!(decode_trigger(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(def) = decode_trigger(&bad) {
                    assert_eq!(encode_trigger(&def).unwrap(), bad);
                }
            }
        }
    }
}
