//! What ALTER TABLE does to one column.

use varve_ast::{
    ColumnChange, Expr as Ast, Identity, QueryBody, SelectItem, SequenceOption, SignedNumber,
    StatementBody, TypeName,
};
use varve_bind_query::context::binder::NO_SOURCE;
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::deparse::Printer;
use varve_catalog::model::table::{ColumnDef, Filled, TableDef, sort_checks};
use varve_expr::Expr;
use varve_parser::parse;
use varve_plan::build::operand::Operand;
use varve_plan::build::table::target_scope;
use varve_plan::plan::utility::Definition;
use varve_types::{Error, KeyPart, Result, SqlState, sql};

use crate::binder::DdlBinder;
use crate::sequence::{identity_filled, identity_type};
use crate::table::alter::Altered;
use crate::table::alter_drop::reads;
use crate::table::columns::{ColumnDefault, Parts};
use crate::table::storage::Stored;

impl DdlBinder<'_, '_> {
    pub(crate) fn column_change<'a>(
        &mut self,
        altered: &mut Altered,
        parts: &mut Parts<'a>,
        at: usize,
        change: &'a ColumnChange,
    ) -> Result<()> {
        let Some(column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        let mut new = column.clone();
        match change {
            ColumnChange::Type {
                type_name,
                collation,
                using,
            } => {
                if let Some((collation, word)) = collation {
                    let (ty, _) = self.query.data_type(type_name)?;
                    self.query.collation(collation, ty, self.query.at(*word))?;
                }
                return self.retype(altered, at, type_name, using.as_deref());
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
                altered.verify |= core::mem::take(&mut new.nullable);
            }
            ColumnChange::DropNotNull => {
                may_be_null(altered, at)?;
                altered.rewrites |= !core::mem::replace(&mut new.nullable, true);
            }
            ColumnChange::DropExpression { if_exists } if column.filled != Filled::Generated => {
                let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
                let error = altered.refused(state, at, "is not a stored generated column");
                return self.unless(*if_exists, error);
            }
            ColumnChange::DropExpression { .. } => {
                new.filled = Filled::ByStatement;
                new.default = None;
            }
            ColumnChange::AddIdentity(identity) => {
                self.add_identity(altered, parts, at, identity)?;
                new.filled = identity_filled(identity.is_always);
            }
            ColumnChange::SetIdentity { .. } | ColumnChange::DropIdentity { .. } => {
                return self.change_identity(altered, at, change);
            }
            ColumnChange::Options(options) => {
                self.storage_options(Stored::Column, options)?;
            }
            ColumnChange::Storage(mode) => self.column_mode(mode, &mut new)?,
            ColumnChange::Compression(method) => self.column_compression(method, &mut new)?,
            ColumnChange::Statistics => {
                self.note_storage(&format!("STATISTICS of column \"{}\"", column.name));
            }
        }
        if let Some(slot) = altered.after.columns.get_mut(at) {
            *slot = new;
        }
        Ok(())
    }

    /// Changes how an identity column is filled, or that it is one.
    fn change_identity(
        &mut self,
        altered: &mut Altered,
        at: usize,
        change: &ColumnChange,
    ) -> Result<()> {
        let Some(mut column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        if !is_identity(&column) {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            let error = altered.refused(state, at, "is not an identity column");
            let if_exists = matches!(change, ColumnChange::DropIdentity { if_exists: true });
            return self.unless(if_exists, error);
        }
        if let ColumnChange::SetIdentity {
            is_always,
            options,
            restart,
        } = change
        {
            self.identity_options(altered, &column, options, restart.as_ref())?;
            column.filled = is_always.map_or(column.filled, identity_filled);
        } else {
            self.drop_owned(altered, &column);
            column.filled = Filled::ByStatement;
            column.default = None;
        }
        if let Some(slot) = altered.after.columns.get_mut(at) {
            *slot = column;
        }
        Ok(())
    }

    /// Adds the sequence of a column that becomes an identity.
    fn add_identity(
        &mut self,
        altered: &Altered,
        parts: &mut Parts<'_>,
        at: usize,
        identity: &Identity,
    ) -> Result<()> {
        let Some(column) = altered.after.columns.get(at) else {
            return Ok(());
        };
        let what = match (&column.default, column.nullable) {
            _ if is_identity(column) => "is already an identity column",
            (_, true) => "must be declared NOT NULL before identity can be added",
            (Some(_), _) => "already has a default value",
            (None, false) => "",
        };
        if !what.is_empty() {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            return Err(altered.refused(state, at, what));
        }
        identity_type(column.ty)?;
        let table = (altered.after.schema, altered.after.name.as_str());
        let others = &parts.sequences;
        let mut sequence =
            self.column_sequence(table, &column.name, column.ty, &identity.options, others)?;
        if let Some(name) = &identity.sequence {
            let taken = others.iter().map(|(_, other)| other.name.as_str());
            let taken: Vec<&str> = taken.collect();
            sequence.name = self.identity_name(name, table.0, &taken)?;
        }
        parts.sequences.push((at, sequence));
        Ok(())
    }

    /// Changes the sequence of an identity column.
    fn identity_options(
        &mut self,
        altered: &mut Altered,
        column: &ColumnDef,
        items: &[SequenceOption],
        restart: Option<&Option<SignedNumber>>,
    ) -> Result<()> {
        if items.is_empty() && restart.is_none() {
            return Ok(());
        }
        let owner = Some((altered.before.object, column.id));
        let mut sequences = self.catalog.sequences.values();
        let Some(sequence) = sequences.find(|sequence| sequence.owner == owner) else {
            return Ok(());
        };
        let restart = restart.map(Option::as_ref);
        let (changed, restart) = self.changed_sequence(sequence, items, restart)?;
        altered.changed.push(Definition::Sequence(changed, restart));
        Ok(())
    }

    fn retype(
        &mut self,
        altered: &mut Altered,
        at: usize,
        type_name: &TypeName,
        using: Option<&Ast>,
    ) -> Result<()> {
        let domain = self
            .query
            .domain_of(type_name)
            .map(|(domain, _)| domain.clone());
        let (ty, modifier) = self.query.data_type(type_name)?;
        let Some(column) = altered.after.columns.get(at).cloned() else {
            return Ok(());
        };
        let mut new = ColumnDef {
            ty,
            modifier,
            ..column.clone()
        };
        let source = self.retyped(altered, at, &new, using)?;
        if ty != column.ty {
            self.retypable(altered, at)?;
        }
        if column.filled != Filled::ByStatement {
            identity_type(ty)?;
        }
        if let Some(default) = column.default {
            let assigned = self.query.assign(Operand::Known(default), &new, 0);
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
        let checks = &mut altered.after.checks;
        checks.retain(|check| check.domain().is_none_or(|(of, _)| of != at));
        self.rebind(altered, at)?;
        if let Some(domain) = domain {
            let checks = &mut altered.after.checks;
            checks.push(DdlBinder::domain_check(&domain, at, ty)?);
            sort_checks(checks);
        }
        Ok(())
    }

    /// What the values of a column become under its new definition.
    fn retyped(
        &mut self,
        altered: &Altered,
        at: usize,
        new: &ColumnDef,
        using: Option<&Ast>,
    ) -> Result<Expr> {
        let (name, ty) = (&new.name, new.ty);
        let (operand, position, result, hint) = match using {
            Some(ast) => {
                let names = target_scope(&altered.before, None);
                let mut scope = ExprScope::plain(&names, "transform expressions");
                let operand = self.query.expr(ast, &mut scope)?;
                let hint = "You might need to add an explicit cast.".to_owned();
                let what = "result of USING clause for column";
                (operand, self.query.at(ast.span), what, hint)
            }
            None => {
                let source = altered.sources.get(at).cloned().flatten();
                let source =
                    source.ok_or_else(|| Error::unsupported("ALTER TYPE of this column"))?;
                let hint = format!("You might need to specify \"USING {name}::{ty}\".");
                (Operand::Known(source), 0, "column", hint)
            }
        };
        let assigned = self.query.assign(operand, new, position);
        assigned.map_err(|error| {
            if error.state() != SqlState::DATATYPE_MISMATCH {
                return error;
            }
            let message = format!("{result} \"{name}\" cannot be cast automatically to type {ty}");
            Error::new(SqlState::DATATYPE_MISMATCH, message).with_hint(hint)
        })
    }

    /// Checks and index expressions that read a column mean what their text says of its new type.
    fn rebind(&mut self, altered: &mut Altered, at: usize) -> Result<()> {
        let table = altered.after.clone();
        for check in &mut altered.after.checks {
            if reads(&check.expr, at) {
                check.expr = self.rebound(&check.expr, &table, true)?;
            }
        }
        for expr in &mut altered.after.expressions {
            if reads(expr, at) {
                *expr = self.rebound(expr, &table, false)?;
            }
        }
        Ok(())
    }

    fn rebound(&mut self, expr: &Expr, table: &TableDef, is_check: bool) -> Result<Expr> {
        let columns = &table.column_texts();
        let catalog = Some(self.catalog);
        let text = Printer { columns, catalog }.expr(expr);
        let parsed = parse(sql!["SELECT ", text].as_str())?.pop();
        let ast = parsed
            .as_ref()
            .and_then(|parsed| only_item(&parsed.statement.body));
        let ast = ast.ok_or_else(|| Error::internal("the text of an expression is none"))?;
        let source = core::mem::replace(&mut self.query.context.source, &NO_SOURCE);
        let names = target_scope(table, None);
        let mut scope = ExprScope::plain(&names, "check constraints");
        let bound = self.query.expr(ast, &mut scope);
        let bound = bound.and_then(|operand| match is_check {
            true => self.query.condition(operand, "CHECK", 0),
            false => self.query.settle(operand),
        });
        self.query.context.source = source;
        let bound = bound.map_err(Error::without_position)?;
        self.stored(varve_expr::fold(bound), 0)
    }

    /// Refuses another type for a column that expressions of the table read.
    fn retypable(&self, altered: &Altered, at: usize) -> Result<()> {
        let table = &altered.after;
        for other in &table.columns {
            if other.filled == Filled::Generated
                && other.default.as_ref().is_some_and(|expr| reads(expr, at))
            {
                let message = "cannot alter type of a column used by a generated column";
                let column = table.name_at(at).unwrap_or_default();
                let detail = format!(
                    "Column \"{column}\" is used by generated column \"{}\".",
                    other.name
                );
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(error.with_detail(detail));
            }
        }
        let mut tests = table.indexes.iter().flat_map(|index| &index.predicate);
        let reads_it = |part| match part {
            KeyPart::Column(column) => column == at,
            part => table.expression(part).is_some_and(|expr| reads(expr, at)),
        };
        if tests.any(|test| reads_it(test.column)) {
            let what = "another type for a column that the condition of an index reads";
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

/// The expression of `SELECT expression`.
fn only_item(body: &StatementBody) -> Option<&Ast> {
    let StatementBody::Query(query) = body else {
        return None;
    };
    let QueryBody::Select(select) = query.body.as_ref() else {
        return None;
    };
    match select.items.first()? {
        SelectItem::Expr { expr, alias: None } => Some(expr),
        _ => None,
    }
}

fn is_identity(column: &ColumnDef) -> bool {
    matches!(
        column.filled,
        Filled::IdentityAlways | Filled::IdentityByDefault
    )
}

/// Refuses NULL in a column that has values for other reasons.
fn may_be_null(altered: &Altered, at: usize) -> Result<()> {
    let Some(column) = altered.after.columns.get(at) else {
        return Ok(());
    };
    let index = altered.after.primary_index();
    let mut in_index = index.into_iter().flat_map(|index| index.key_parts());
    if altered.after.primary_key.contains(&at) || in_index.any(|part| part.column() == Some(at)) {
        let message = format!("column \"{}\" is in a primary key", column.name);
        return Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message));
    }
    if is_identity(column) {
        let what = "is an identity column";
        return Err(altered.refused(SqlState::SYNTAX_ERROR, at, what));
    }
    Ok(())
}

/// The ranges of chunks are values of the time column, and every row has one.
pub fn refuse_of_time(altered: &Altered, at: usize, change: &ColumnChange) -> Result<()> {
    let time = altered.after.time_column();
    if time.is_none_or(|(time, _)| time != at) {
        return Ok(());
    }
    match change {
        ColumnChange::Type { .. } => {
            let what = "another type of the time column of a hypertable";
            Err(Error::unsupported(what).with_hint("Copy the rows into a new hypertable."))
        }
        ColumnChange::DropNotNull => {
            let state = SqlState::INVALID_TABLE_DEFINITION;
            Err(altered.refused(state, at, "is the time column of a hypertable"))
        }
        _ => Ok(()),
    }
}
