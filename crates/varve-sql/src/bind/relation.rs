//! One relation of FROM: a table, a view, a named query; its sample and its alias.

use std::sync::Arc;

use sqlparser::ast::{
    Ident, ObjectName, ObjectNamePart, TableAlias, TableFactor, TableSample, TableSampleKind,
    TableSampleMethod, TableSampleModifier, TableWithJoins,
};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::from::Bound;
use crate::bind::literal::CastContext;
use crate::bind::names::{fold_name, undefined_table};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{Plan, Relation, ScanNode};
use crate::scope::Scope;
use crate::system_view::system_view_columns;

impl Binder<'_> {
    /// `TABLESAMPLE method (percent) [REPEATABLE (seed)]`.
    pub(crate) fn sampled(
        &mut self,
        plan: Plan,
        sample: &TableSampleKind,
        position: u32,
    ) -> Result<Plan> {
        let (TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) =
            sample;
        let TableSample {
            modifier,
            name,
            quantity,
            seed,
            bucket,
            offset,
        } = sample.as_ref();
        let known_method = matches!(
            name,
            Some(TableSampleMethod::Bernoulli | TableSampleMethod::System)
        );
        let (TableSampleModifier::TableSample, true, None, None, Some(quantity)) =
            (modifier, known_method, bucket, offset, quantity)
        else {
            return Err(unsupported_at("this form of TABLESAMPLE", position));
        };
        refuse(
            quantity.unit.is_some(),
            "this form of TABLESAMPLE",
            position,
        )?;
        let names = Scope::default();
        let mut scope = ExprScope::plain(&names, "TABLESAMPLE");
        let percent = self.expr(&quantity.value, &mut scope)?;
        let seed = match seed {
            None => None,
            Some(seed) => Some(self.value(&seed.value.value, position)?),
        };
        let mut number = |operand| {
            let context = CastContext::Assignment;
            let expr = self.convert(operand, LogicalType::Float8, context, position)?;
            let error = Error::new(
                SqlState::DATATYPE_MISMATCH,
                "argument of TABLESAMPLE must be a number",
            );
            expr.map(varve_expr::fold).ok_or(located(error, position))
        };
        Ok(Plan::Sample {
            input: Box::new(plan),
            percent: number(percent)?,
            seed: seed.map(number).transpose()?,
        })
    }

    pub(crate) fn named_relation(
        &mut self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
    ) -> Result<Bound> {
        if let [ObjectNamePart::Identifier(ident)] = name.0.as_slice()
            && let Some((plan, columns)) = self.cte_scan(&fold_name(ident))
        {
            return self.named_plan(plan, fold_name(ident), columns, alias);
        }
        let table_name = self.relation_name(name)?;
        let mut key = Vec::new();
        let (scan, columns) = match self.known_table(&table_name) {
            Some(table) => {
                let columns: Vec<(String, LogicalType)> = table
                    .columns
                    .iter()
                    .map(|column| (column.name.clone(), column.ty))
                    .collect();
                let relation = Relation::Tree(table.tree);
                let mut scan = full_scan(relation, table_name.name.clone(), &columns);
                scan.table = Some(Arc::clone(table));
                key.clone_from(&table.primary_key);
                (scan, columns)
            }
            None => {
                let view = self
                    .system_view(&table_name)
                    .ok_or_else(|| undefined_table(&table_name, self.source.name(name)))?;
                let columns: Vec<(String, LogicalType)> = system_view_columns(view)
                    .into_iter()
                    .map(|field| (field.name, field.ty))
                    .collect();
                let name = table_name.name.clone();
                let scan = full_scan(Relation::System(view), name, &columns);
                (scan, columns)
            }
        };
        let (plan, mut names) =
            self.named_plan(Plan::Scan(scan), table_name.name, columns, alias)?;
        for table in &mut names.tables {
            table.key.clone_from(&key);
        }
        Ok((plan, names))
    }

    /// A plan under the names that its alias gives.
    pub(crate) fn named_plan(
        &mut self,
        plan: Plan,
        name: String,
        mut columns: Vec<(String, LogicalType)>,
        alias: Option<&TableAlias>,
    ) -> Result<Bound> {
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => name,
        };
        Ok((plan, Scope::table(name, 0, columns)))
    }

    /// The name of an alias; its column names replace the first columns' names.
    pub(crate) fn apply_alias(
        &self,
        alias: &TableAlias,
        columns: &mut [(String, LogicalType)],
    ) -> Result<String> {
        let TableAlias {
            explicit: _,
            name,
            columns: new_names,
            at,
        } = alias;
        let position = self.source.ident(name);
        refuse(at.is_some(), "AT", position)?;
        let folded = fold_name(name);
        if new_names.len() > columns.len() {
            let message = format!(
                "table \"{folded}\" has {} columns available but {} columns specified",
                columns.len(),
                new_names.len()
            );
            let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
            return Err(located(error, position));
        }
        for (column, new_name) in columns.iter_mut().zip(new_names) {
            refuse(
                new_name.data_type.is_some(),
                "a column definition list",
                position,
            )?;
            column.0 = fold_name(&new_name.name);
        }
        Ok(folded)
    }

    /// The one table that UPDATE or DELETE changes, with the name that its alias gives.
    pub(crate) fn target_table<'t>(
        &self,
        table: &'t TableWithJoins,
    ) -> Result<(&'t ObjectName, Option<&'t Ident>)> {
        let TableWithJoins { relation, joins } = table;
        let position = self.factor_position(relation);
        refuse(!joins.is_empty(), "a join in the target", position)?;
        match relation {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                let alias = match alias {
                    None => None,
                    Some(TableAlias {
                        explicit: _,
                        name,
                        columns,
                        at: None,
                    }) if columns.is_empty() => Some(name),
                    Some(_) => {
                        return Err(unsupported_at("this form of alias here", position));
                    }
                };
                Ok((name, alias))
            }
            _ => Err(unsupported_at("this kind of target", position)),
        }
    }
}

/// A scan of all columns.
pub(crate) fn full_scan(
    relation: Relation,
    name: String,
    columns: &[(String, LogicalType)],
) -> ScanNode {
    ScanNode {
        relation,
        table: None,
        name,
        column_names: columns.iter().map(|(name, _)| name.clone()).collect(),
        columns: (0..columns.len()).collect(),
        types: columns.iter().map(|(_, ty)| *ty).collect(),
        predicates: Vec::new(),
        with_position: false,
        order: Vec::new(),
    }
}
