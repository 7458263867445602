//! What ALTER TABLE does to one column.

use sqlparser::ast::{DataType, Expr as Ast, SequenceOptions};
use varve_expr::Expr;
use varve_parser::alter::ColumnChange;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::Binder;
use crate::bind::alter::{Altered, stored};
use crate::bind::columns::{ColumnDefault, Parts};
use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::bind::update::target_scope;
use crate::catalog::{ColumnDef, Filled};
use crate::utility::Definition;
use crate::walk::for_each_column;

impl Binder<'_> {
    pub(crate) fn column_change<'a>(
        &mut self,
        altered: &mut Altered,
        parts: &mut Parts<'a>,
        at: usize,
        change: &'a ColumnChange,
    ) -> Result<()> {
        let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
        let Some(column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        let is_identity = matches!(
            column.filled,
            Filled::IdentityAlways | Filled::IdentityByDefault
        );
        let identity = |always: &bool| match always {
            true => Filled::IdentityAlways,
            false => Filled::IdentityByDefault,
        };
        let mut new = column.clone();
        match change {
            ColumnChange::Type { ty, using } => {
                return self.retype(altered, at, ty, using.as_deref());
            }
            ColumnChange::SetDefault(ast) => {
                altered.takes_default(at, false)?;
                parts.defaults.retain(|(known, _)| *known != at);
                parts.defaults.push((at, ColumnDefault::Value(ast)));
            }
            ColumnChange::DropDefault => {
                altered.takes_default(at, true)?;
                parts.defaults.retain(|(known, _)| *known != at);
                new.default = None;
            }
            ColumnChange::SetNotNull => {
                altered.verify |= column.nullable;
                new.nullable = false;
            }
            ColumnChange::DropNotNull => {
                if altered.after.primary_key.contains(&at) {
                    let message = format!("column \"{}\" is in a primary key", column.name);
                    return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
                }
                if is_identity {
                    let what = "is an identity column";
                    return Err(altered.refused(SqlState::SYNTAX_ERROR, at, what));
                }
                altered.rewrites |= !column.nullable;
                new.nullable = true;
            }
            ColumnChange::DropExpression { if_exists } => {
                if column.filled != Filled::Generated {
                    let error = altered.refused(state, at, "is not a stored generated column");
                    return self.unless(*if_exists, error);
                }
                new.filled = Filled::ByStatement;
                new.default = None;
            }
            ColumnChange::AddIdentity { always, options } => {
                let what = match (&column.default, column.nullable) {
                    _ if is_identity => "is already an identity column",
                    (_, true) => "must be declared NOT NULL before identity can be added",
                    (Some(_), _) => "already has a default value",
                    (None, false) => "",
                };
                if !what.is_empty() {
                    return Err(altered.refused(state, at, what));
                }
                if !is_integer(column.ty) {
                    let message = "identity column type must be smallint, integer, or bigint";
                    return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
                }
                let table = (altered.after.schema, altered.after.name.as_str());
                let others = &parts.sequences;
                let sequence =
                    self.column_sequence(table, &column.name, column.ty, options, others)?;
                parts.sequences.push((at, sequence));
                new.filled = identity(always);
            }
            ColumnChange::SetIdentity {
                always,
                options,
                restart,
            } => {
                if !is_identity {
                    return Err(altered.refused(state, at, "is not an identity column"));
                }
                new.filled = always.as_ref().map_or(new.filled, identity);
                self.identity_options(altered, &column, options, restart.as_ref())?;
            }
            ColumnChange::DropIdentity { if_exists } => {
                if !is_identity {
                    let error = altered.refused(state, at, "is not an identity column");
                    return self.unless(*if_exists, error);
                }
                new.filled = Filled::ByStatement;
                new.default = None;
                self.drop_owned(altered, &column);
            }
            ColumnChange::Storage(what) => self.messages.push(stored(what)),
        }
        if let Some(slot) = altered.after.columns.get_mut(at) {
            *slot = new;
        }
        Ok(())
    }

    /// Changes the sequence of an identity column.
    fn identity_options(
        &mut self,
        altered: &mut Altered,
        column: &ColumnDef,
        items: &[SequenceOptions],
        restart: Option<&Option<Box<Ast>>>,
    ) -> Result<()> {
        if items.is_empty() && restart.is_none() {
            return Ok(());
        }
        let owner = Some((altered.before.object, column.id));
        let mut sequences = self.catalog.sequences.values();
        let Some(sequence) = sequences.find(|sequence| sequence.owner == owner) else {
            return Ok(());
        };
        let restart = restart.map(Option::as_deref);
        let (changed, restart) = self.changed_sequence(sequence, items, restart)?;
        altered.changed.push(Definition::Sequence(changed, restart));
        Ok(())
    }

    fn retype(
        &mut self,
        altered: &mut Altered,
        at: usize,
        ty: &DataType,
        using: Option<&Ast>,
    ) -> Result<()> {
        let (ty, modifier) = self.data_type(ty, 0)?;
        let Some(column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        if ty != column.ty {
            self.retypable(altered, at)?;
        }
        let mut new = ColumnDef {
            ty,
            modifier,
            ..column.clone()
        };
        let names = target_scope(&altered.before, None);
        let (operand, position, result, hint) = match using {
            Some(ast) => {
                let mut scope = ExprScope::plain(&names, "transform expressions");
                let operand = self.expr(ast, &mut scope)?;
                let hint = "You might need to add an explicit cast.".to_owned();
                let what = "result of USING clause for column";
                (operand, self.source.expr(ast), what, hint)
            }
            None => {
                let source = altered.sources.get(at).cloned().flatten();
                let source =
                    source.ok_or_else(|| Error::unsupported("ALTER TYPE of this column"))?;
                let hint = format!("You might need to specify \"USING {}::{ty}\".", column.name);
                (Operand::Known(source), 0, "column", hint)
            }
        };
        let assigned = self.assign(operand, &new, position);
        let source = assigned.map_err(|error| {
            if error.state() != SqlState::DATATYPE_MISMATCH {
                return error;
            }
            let name = &column.name;
            let message = format!("{result} \"{name}\" cannot be cast automatically to type {ty}");
            Error::new(SqlState::DATATYPE_MISMATCH, message).with_hint(hint)
        })?;
        if column.filled != Filled::ByStatement && !is_integer(ty) {
            let message = "identity column type must be smallint, integer, or bigint";
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        if let Some(default) = column.default {
            let assigned = self.assign(Operand::Known(default), &new, 0);
            let default = assigned.map_err(|_| {
                let message = format!(
                    "default for column \"{}\" cannot be cast automatically to type {ty}",
                    column.name
                );
                Error::new(SqlState::DATATYPE_MISMATCH, message)
            })?;
            new.default = Some(varve_expr::fold(default));
        }
        if let (Some(slot), Some(column)) = (
            altered.sources.get_mut(at),
            altered.after.columns.get_mut(at),
        ) {
            *slot = Some(source);
            *column = new;
        }
        altered.rewrites = true;
        Ok(())
    }

    /// Refuses another type for a column that expressions of the table read.
    fn retypable(&self, altered: &Altered, at: usize) -> Result<()> {
        let table = &altered.after;
        let reads = |expr: &Expr| {
            let mut found = false;
            for_each_column(expr, &mut |column| found |= column == at);
            found
        };
        for other in &table.columns {
            if other.filled == Filled::Generated && other.default.as_ref().is_some_and(reads) {
                let message = "cannot alter type of a column used by a generated column";
                let column = table.label_at(at);
                let detail = format!(
                    "Column \"{column}\" is used by generated column \"{}\".",
                    other.name
                );
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(error.with_detail(detail));
            }
        }
        let tests = table.indexes.iter().flat_map(|index| &index.predicate);
        let is_read = table.checks.iter().any(|check| reads(&check.expr))
            || table.expressions.iter().any(reads)
            || tests.into_iter().any(|test| test.column == at);
        if is_read {
            let what = "another type for a column that a check or an index reads";
            return Err(Error::unsupported(what));
        }
        let mut views = self.catalog.views.values();
        if views.any(|view| view.reads(table.object)) {
            let message = "cannot alter type of a column used by a view or rule";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        Ok(())
    }
}

fn is_integer(ty: LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
    )
}
