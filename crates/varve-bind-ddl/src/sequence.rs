//! Sequences.

use std::sync::Arc;

use varve_ast::{
    ObjectName, SequenceChange, SequenceOption, SequenceOptionKind, SequenceOptions, SignedNumber,
};
use varve_catalog::model::sequence::{SequenceDef, uses_sequence};
use varve_catalog::model::table::Filled;
use varve_catalog::text::name::undefined_table;
use varve_plan::plan::Statement;
use varve_plan::plan::utility::Dropped;
use varve_plan::scope::error::{located, refuse};
use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, SqlState, TreeId};

use crate::binder::DdlBinder;
use crate::table::check::free;

impl DdlBinder<'_, '_> {
    pub(crate) fn sequence_change(&mut self, change: &SequenceChange) -> Result<Statement> {
        match change {
            SequenceChange::Create {
                is_temporary,
                is_unlogged,
                if_not_exists,
                name,
                options,
            } => {
                let restarts = options.restart.is_some();
                refuse(restarts, "RESTART of a new sequence", self.query.first())?;
                if *is_unlogged {
                    self.note_storage("UNLOGGED");
                }
                let (schema, folded) = self.query.new_relation(name, *is_temporary)?;
                let exists = self.query.has_relation(schema, &folded);
                if exists && !if_not_exists {
                    let message = format!("relation \"{folded}\" already exists");
                    return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
                }
                let name = (schema, folded);
                let ty = match &options.type_name {
                    Some(type_name) => self.query.data_type(type_name)?.0,
                    None => LogicalType::Int8,
                };
                let mut definition = self.new_sequence(name, ty, &options.items)?;
                if let Some(owner) = &options.owned_by {
                    definition.owner = self.owner(owner.as_ref())?;
                }
                Ok(Statement::CreateSequence { definition, exists })
            }
            SequenceChange::Alter {
                if_exists,
                name,
                options,
            } => self.alter_sequence(name, *if_exists, options),
            SequenceChange::Drop {
                if_exists,
                names,
                is_cascade,
            } => self.drop_sequences(names, *if_exists, *is_cascade),
        }
    }

    /// The sequence of a serial or identity column of a table that is being made.
    pub fn column_sequence(
        &mut self,
        (schema, table): (ObjectId, &str),
        column: &str,
        ty: LogicalType,
        items: &[SequenceOption],
        others: &[(usize, SequenceDef)],
    ) -> Result<SequenceDef> {
        let taken = |name: &str| {
            self.query.has_relation(schema, name)
                || others.iter().any(|(_, other)| other.name == name)
        };
        let name = free([table, column], "seq", &taken);
        self.new_sequence((schema, name), ty, items)
    }

    /// The name that `SEQUENCE NAME` gives the sequence of a table's column.
    ///
    /// It is in the schema of the table; `taken` are names that the statement gives others there.
    pub fn identity_name(
        &mut self,
        name: &ObjectName,
        table: ObjectId,
        taken: &[&str],
    ) -> Result<String> {
        let folded = if name.qualifiers.is_empty() {
            self.query.new_name(&name.name)?
        } else {
            let (schema, folded) = self.query.new_relation(name, false)?;
            if schema != table {
                let what = "the sequence of an identity in another schema";
                return Err(Error::unsupported(what));
            }
            folded
        };
        if self.query.has_relation(table, &folded) || taken.contains(&folded.as_str()) {
            let message = format!("relation \"{folded}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_TABLE, message));
        }
        Ok(folded)
    }

    fn new_sequence(
        &mut self,
        (schema, name): (ObjectId, String),
        ty: LogicalType,
        items: &[SequenceOption],
    ) -> Result<SequenceDef> {
        is_whole(ty)?;
        let plain = SequenceDef {
            object: ObjectId(0),
            schema,
            tree: TreeId(0),
            name,
            ty,
            start: 1,
            increment: 1,
            min: 1,
            max: greatest(ty),
            cache: 1,
            cycle: false,
            owner: None,
        };
        self.with_options(plain, items, true)
    }

    /// A sequence with its options changed.
    fn with_options(
        &self,
        mut sequence: SequenceDef,
        items: &[SequenceOption],
        is_new: bool,
    ) -> Result<SequenceDef> {
        let invalid = |message: String| Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        let (mut min, mut max, mut start) = (None, None, None);
        for item in items {
            match &item.kind {
                SequenceOptionKind::Increment(number) => sequence.increment = self.whole(number)?,
                SequenceOptionKind::MinValue(number) => min = Some(self.optional(number.as_ref())?),
                SequenceOptionKind::MaxValue(number) => max = Some(self.optional(number.as_ref())?),
                SequenceOptionKind::Start(number) => start = Some(self.whole(number)?),
                SequenceOptionKind::Cache(number) => sequence.cache = self.whole(number)?,
                SequenceOptionKind::Cycle(cycle) => sequence.cycle = *cycle,
            }
        }
        if sequence.increment == 0 {
            return invalid("INCREMENT must not be zero".to_owned());
        }
        if sequence.cache < 1 {
            return invalid(format!(
                "CACHE ({}) must be greater than zero",
                sequence.cache
            ));
        }
        let ascends = sequence.increment > 0;
        let (least, most) = match ascends {
            true => (1, greatest(sequence.ty)),
            false => (-greatest(sequence.ty) - 1, -1),
        };
        if is_new || min == Some(None) {
            sequence.min = least;
        }
        if is_new || max == Some(None) {
            sequence.max = most;
        }
        sequence.min = min.flatten().unwrap_or(sequence.min);
        sequence.max = max.flatten().unwrap_or(sequence.max);
        if is_new {
            sequence.start = if ascends { sequence.min } else { sequence.max };
        }
        sequence.start = start.unwrap_or(sequence.start);
        check_bounds(&sequence)?;
        Ok(sequence)
    }

    fn optional(&self, number: Option<&SignedNumber>) -> Result<Option<i64>> {
        number.map(|number| self.whole(number)).transpose()
    }

    /// A whole number as it is written.
    fn whole(&self, number: &SignedNumber) -> Result<i64> {
        let sign = if number.is_negative { "-" } else { "" };
        let text = format!("{sign}{}", number.digits);
        text.parse().map_err(|_| {
            let message = format!("value \"{text}\" is out of range for type bigint");
            let error = Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message);
            located(error, self.query.at(number.span))
        })
    }

    fn owner(&self, owner: Option<&ObjectName>) -> Result<Option<(ObjectId, ColumnId)>> {
        let Some(owner) = owner else {
            return Ok(None);
        };
        let Some((table, qualifiers)) = owner.qualifiers.split_last() else {
            let message = "invalid OWNED BY option";
            return Err(Error::new(SqlState::SYNTAX_ERROR, message)
                .with_hint("Specify OWNED BY table.column or OWNED BY NONE."));
        };
        let table = self.query.writable_table(&ObjectName {
            qualifiers: qualifiers.to_vec(),
            name: table.clone(),
        })?;
        let at = self.query.target_column(&table, &owner.name)?;
        let column = table.columns.get(at);
        Ok(column.map(|column| (table.object, column.id)))
    }

    fn sequence_named(&self, name: &ObjectName) -> Result<Option<Arc<SequenceDef>>> {
        let name = self.query.relation_name(name)?;
        Ok(self.query.known_sequence(&name)?.cloned())
    }

    fn alter_sequence(
        &mut self,
        name: &ObjectName,
        if_exists: bool,
        options: &SequenceOptions,
    ) -> Result<Statement> {
        let folded = self.query.relation_name(name)?;
        let Some(sequence) = self.sequence_named(name)? else {
            if if_exists {
                return Ok(Statement::AlterSequence {
                    changed: None,
                    name: folded.to_string(),
                    restart: None,
                });
            }
            return Err(undefined_table(&folded, 0));
        };
        let mut sequence = SequenceDef::clone(&sequence);
        if let Some(type_name) = &options.type_name {
            let (ty, _) = self.query.data_type(type_name)?;
            is_whole(ty)?;
            // Bounds that were those of the type are those of the new one.
            let (old, new) = (greatest(sequence.ty), greatest(ty));
            if sequence.max == old {
                sequence.max = new;
            }
            if sequence.min == -old - 1 {
                sequence.min = -new - 1;
            }
            sequence.ty = ty;
        }
        let restart = options.restart.as_ref().map(Option::as_ref);
        let (mut changed, restart) = self.changed_sequence(&sequence, &options.items, restart)?;
        if let Some(owner) = &options.owned_by {
            changed.owner = self.owner(owner.as_ref())?;
        }
        Ok(Statement::AlterSequence {
            changed: Some(changed),
            name: folded.name,
            restart,
        })
    }

    /// A sequence with other options, and the value that comes next, where that changes.
    pub fn changed_sequence(
        &self,
        sequence: &SequenceDef,
        items: &[SequenceOption],
        restart: Option<Option<&SignedNumber>>,
    ) -> Result<(SequenceDef, Option<i64>)> {
        let changed = self.with_options(SequenceDef::clone(sequence), items, false)?;
        let restart = match restart {
            None => None,
            Some(None) => Some(changed.start),
            Some(Some(number)) => Some(self.whole(number)?),
        };
        if let Some(value) = restart {
            let SequenceDef { min, max, .. } = changed;
            let message = match value {
                value if value < min => {
                    format!("RESTART value ({value}) cannot be less than MINVALUE ({min})")
                }
                value if value > max => {
                    format!("RESTART value ({value}) cannot be greater than MAXVALUE ({max})")
                }
                _ => String::new(),
            };
            if !message.is_empty() {
                return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
            }
        }
        Ok((changed, restart))
    }

    fn drop_sequences(
        &mut self,
        names: &[ObjectName],
        if_exists: bool,
        cascade: bool,
    ) -> Result<Statement> {
        let mut asked = Vec::with_capacity(names.len());
        for name in names {
            let folded = self.query.relation_name(name)?;
            let Some(sequence) = self.sequence_named(name)? else {
                let message = format!("sequence \"{folded}\" does not exist");
                let missing = Error::new(SqlState::UNDEFINED_TABLE, message);
                self.unless(if_exists, missing)?;
                continue;
            };
            for table in self.catalog.tables.values() {
                let uses = |expr| uses_sequence(expr, sequence.object);
                let mut columns = table.columns.iter();
                let column = columns.find(|column| {
                    let is_own = column.filled != varve_catalog::model::table::Filled::ByStatement;
                    is_own && column.default.as_ref().is_some_and(uses)
                });
                if let Some(column) = column {
                    let what = format!("column {} of table {}", column.name, table.name);
                    let message =
                        format!("cannot drop sequence {folded} because {what} requires it");
                    let state = SqlState::DEPENDENT_OBJECTS_STILL_EXIST;
                    let hint = format!("You can drop {what} instead.");
                    return Err(Error::new(state, message).with_hint(hint));
                }
            }
            let dropped = Dropped::Sequence(sequence.object);
            if !asked.contains(&dropped) {
                asked.push(dropped);
            }
        }
        self.drop_all(asked, cascade)
    }
}

/// Refuses bounds that leave no values, and a start outside of them.
fn check_bounds(sequence: &SequenceDef) -> Result<()> {
    let SequenceDef {
        ty,
        min,
        max,
        start,
        ..
    } = sequence;
    let message = if *max > greatest(*ty) {
        format!("MAXVALUE ({max}) is out of range for sequence data type {ty}")
    } else if *min < -greatest(*ty) - 1 {
        format!("MINVALUE ({min}) is out of range for sequence data type {ty}")
    } else if min >= max {
        format!("MINVALUE ({min}) must be less than MAXVALUE ({max})")
    } else if start < min {
        format!("START value ({start}) cannot be less than MINVALUE ({min})")
    } else if start > max {
        format!("START value ({start}) cannot be greater than MAXVALUE ({max})")
    } else {
        return Ok(());
    };
    Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
}

/// Refuses types that no sequence has.
fn is_whole(ty: LogicalType) -> Result<()> {
    match ty {
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8 => Ok(()),
        _ => {
            let message = "sequence type must be smallint, integer, or bigint";
            Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
    }
}

fn greatest(ty: LogicalType) -> i64 {
    match ty {
        LogicalType::Int2 => i64::from(i16::MAX),
        LogicalType::Int4 => i64::from(i32::MAX),
        _ => i64::MAX,
    }
}

/// How an identity column is filled.
pub fn identity_filled(is_always: bool) -> Filled {
    match is_always {
        true => Filled::IdentityAlways,
        false => Filled::IdentityByDefault,
    }
}

/// Refuses types that no identity column has.
pub fn identity_type(ty: LogicalType) -> Result<()> {
    match ty {
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8 => Ok(()),
        _ => {
            let message = "identity column type must be smallint, integer, or bigint";
            Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
    }
}
