//! The sequence that a call names.

use std::sync::Arc;

use varve_catalog::model::catalog::Named;
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::text::name::{folded_path, undefined_table};
use varve_plan::build::operand::{Operand, literal};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// The first argument of `nextval` and its like: where it is a constant, the sequence is known.
    pub fn sequence_argument(&self, operands: &mut [Operand]) -> Result<()> {
        let Some(first) = operands.first_mut() else {
            return Ok(());
        };
        let (text, position) = match first {
            Operand::Text(text, position) => (text.clone(), *position),
            Operand::Known(varve_expr::Expr::Literal {
                value: Value::Text(text),
                ..
            }) => (text.to_string(), 0),
            Operand::Known(varve_expr::Expr::Cast {
                input,
                to: LogicalType::Regclass,
                position,
                ..
            }) => match input.as_ref() {
                varve_expr::Expr::Literal {
                    value: Value::Text(text),
                    ..
                } => (text.to_string(), *position),
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let name = folded_path(&text).map_err(|error| located(error, position))?;
        self.use_literal(&text, LogicalType::Regclass, position);
        let sequence = self.known_sequence(&name)?;
        let sequence = sequence.ok_or_else(|| undefined_table(&name, position))?;
        let id = Value::Int8(sequence.object.0.cast_signed());
        *first = Operand::Known(literal(id, LogicalType::Int8));
        Ok(())
    }

    /// The sequence of a name.
    pub fn known_sequence(&self, name: &RelationName) -> Result<Option<&Arc<SequenceDef>>> {
        match self.find(name) {
            Some(Named::Sequence(object)) => Ok(self.statement.catalog.sequences.get(&object)),
            Some(_) => {
                let message = format!("\"{}\" is not a sequence", name.name);
                Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
            }
            None => Ok(None),
        }
    }
}
