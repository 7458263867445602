//! FROM: the relations, their names, and the conditions of joins.

use std::sync::Arc;

use sqlparser::ast::{
    Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, TableAlias, TableFactor,
    TableWithJoins,
};
use varve_expr::Expr;
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::bind::names::{fold_name, undefined_table};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{Plan, Query, Relation, ScanNode};
use crate::push_down::Source;
use crate::scope::{Scope, UNNAMED};
use crate::system_view::{system_view, system_view_columns};
use crate::walk::split_conjunction;

/// The relations of a FROM clause and the conditions that join them. All joins are inner, so the
/// conditions may be applied wherever their columns are there.
#[derive(Debug, Default)]
pub(crate) struct From {
    pub(crate) sources: Vec<Source>,
    pub(crate) conditions: Vec<Expr>,
    /// Number of columns of all sources.
    width: usize,
}

impl Binder<'_> {
    /// A FROM clause with the names that it gives.
    pub(crate) fn from(&mut self, tables: &[TableWithJoins]) -> Result<(From, Scope)> {
        let mut from = From::default();
        let mut scope = Scope::default();
        for table in tables {
            let position = self.factor_position(&table.relation);
            let joined = self.table_with_joins(table, &mut from)?;
            scope.append(joined, position)?;
        }
        Ok((from, scope))
    }

    fn table_with_joins(&mut self, table: &TableWithJoins, from: &mut From) -> Result<Scope> {
        let TableWithJoins { relation, joins } = table;
        let mut left = self.factor(relation, from)?;
        for join in joins {
            let Join {
                relation,
                global,
                join_operator,
            } = join;
            let position = self.factor_position(relation);
            refuse(*global, "GLOBAL JOIN", position)?;
            let constraint = match join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::CrossJoin(constraint) => constraint,
                JoinOperator::Left(_)
                | JoinOperator::LeftOuter(_)
                | JoinOperator::Right(_)
                | JoinOperator::RightOuter(_)
                | JoinOperator::FullOuter(_) => {
                    return Err(unsupported_at("an outer join", position));
                }
                _ => return Err(unsupported_at("this kind of join", position)),
            };
            let right = self.factor(relation, from)?;
            left = self.join(left, right, constraint, from, position)?;
        }
        Ok(left)
    }

    fn join(
        &mut self,
        left: Scope,
        right: Scope,
        constraint: &JoinConstraint,
        from: &mut From,
        position: u32,
    ) -> Result<Scope> {
        let shared: Vec<(String, u32)> = match constraint {
            JoinConstraint::None | JoinConstraint::On(_) => Vec::new(),
            JoinConstraint::Using(columns) => columns
                .iter()
                .map(|column| self.using_column(column))
                .collect::<Result<_>>()?,
            JoinConstraint::Natural => left
                .star
                .iter()
                .filter_map(|index| left.column(*index))
                .filter(|(_, name, _)| matches!(right.find_unqualified(name, 0), Ok(Some(_))))
                .map(|(_, name, _)| (name.to_owned(), position))
                .collect(),
        };
        let mut merged = Vec::with_capacity(shared.len());
        let mut hidden = Vec::with_capacity(shared.len());
        for (name, position) in shared {
            let (left_index, left_type) = using_side(&left, &name, "left", position)?;
            let (right_index, right_type) = using_side(&right, &name, "right", position)?;
            let column = |index, ty| Operand::Known(Expr::Column { index, ty });
            from.conditions.push(self.comparison(
                CompareOp::Eq,
                column(left_index, left_type),
                column(right_index, right_type),
                position,
            )?);
            merged.push(left_index);
            hidden.push(right_index);
        }
        let mut scope = left;
        scope.append(right, position)?;
        // Shared columns come first and once, as PostgreSQL orders them.
        let rest = scope.star.iter().copied();
        let rest = rest.filter(|index| !merged.contains(index) && !hidden.contains(index));
        scope.star = merged.iter().copied().chain(rest).collect();
        if let JoinConstraint::On(condition) = constraint {
            let mut names = ExprScope::plain(&scope, "JOIN conditions");
            let operand = self.expr(condition, &mut names)?;
            let position = self.source.expr(condition);
            let expr = self.condition(operand, "JOIN/ON", position)?;
            split_conjunction(varve_expr::fold(expr), &mut from.conditions);
        }
        Ok(scope)
    }

    fn using_column(&self, name: &ObjectName) -> Result<(String, u32)> {
        match name.0.as_slice() {
            [ObjectNamePart::Identifier(ident)] => Ok((fold_name(ident), self.source.ident(ident))),
            _ => Err(unsupported_at(
                "a qualified name in USING",
                self.source.name(name),
            )),
        }
    }

    /// Where a relation stands, 0 when it has no name of its own.
    fn factor_position(&self, factor: &TableFactor) -> u32 {
        match factor {
            TableFactor::Table { name, alias, .. } => match alias {
                Some(alias) => self.source.ident(&alias.name),
                None => self.source.name(name),
            },
            TableFactor::Derived { alias, .. } => alias
                .as_ref()
                .map_or(0, |alias| self.source.ident(&alias.name)),
            TableFactor::Function { name, .. } => self.source.name(name),
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.factor_position(&table_with_joins.relation),
            _ => 0,
        }
    }

    fn factor(&mut self, factor: &TableFactor, from: &mut From) -> Result<Scope> {
        let position = self.factor_position(factor);
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                refuse(args.is_some(), "a function in FROM", position)?;
                refuse(!with_hints.is_empty(), "a table hint", position)?;
                refuse(version.is_some(), "a table version", position)?;
                refuse(*with_ordinality, "WITH ORDINALITY", position)?;
                refuse(!partitions.is_empty(), "PARTITION", position)?;
                refuse(json_path.is_some(), "a JSON path", position)?;
                refuse(sample.is_some(), "TABLESAMPLE", position)?;
                refuse(!index_hints.is_empty(), "an index hint", position)?;
                self.named_relation(name, alias.as_ref(), from)
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                refuse(*lateral, "LATERAL", position)?;
                refuse(sample.is_some(), "TABLESAMPLE", position)?;
                let query = self.query(subquery, None)?;
                self.derived(query, alias.as_ref(), from)
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                refuse(alias.is_some(), "an alias of a join", position)?;
                self.table_with_joins(table_with_joins, from)
            }
            TableFactor::Function { .. }
            | TableFactor::TableFunction { .. }
            | TableFactor::UNNEST { .. } => Err(unsupported_at("a function in FROM", position)),
            _ => Err(unsupported_at("this kind of relation in FROM", position)),
        }
    }

    fn named_relation(
        &mut self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
        from: &mut From,
    ) -> Result<Scope> {
        let table_name = self.table_name(name)?;
        let (scan, primary_key, columns) = match self.known_table(&table_name) {
            Some(table) => {
                let columns: Vec<(String, LogicalType)> = table
                    .columns
                    .iter()
                    .map(|column| (column.name.clone(), column.ty))
                    .collect();
                let relation = Relation::Tree(table.tree);
                let mut scan = full_scan(relation, table_name.clone(), &columns);
                scan.table = Some(Arc::clone(table));
                (scan, table.primary_key.clone(), columns)
            }
            None => {
                let view = system_view(&table_name)
                    .ok_or_else(|| undefined_table(&table_name, self.source.name(name)))?;
                let columns: Vec<(String, LogicalType)> = system_view_columns(view)
                    .into_iter()
                    .map(|field| (field.name, field.ty))
                    .collect();
                let scan = full_scan(Relation::System(view), table_name.clone(), &columns);
                (scan, Vec::new(), columns)
            }
        };
        let source = Source {
            plan: Plan::Scan(scan),
            primary_key,
            first: from.width,
            width: columns.len(),
        };
        self.add_source(source, table_name, columns, alias, from)
    }

    fn derived(
        &mut self,
        query: Query,
        alias: Option<&TableAlias>,
        from: &mut From,
    ) -> Result<Scope> {
        let columns: Vec<(String, LogicalType)> = query
            .fields
            .into_iter()
            .map(|field| (field.name, field.ty))
            .collect();
        let source = Source {
            plan: query.plan,
            primary_key: Vec::new(),
            first: from.width,
            width: columns.len(),
        };
        let name = alias.map_or_else(
            || format!("{UNNAMED}{}", from.sources.len()),
            |alias| fold_name(&alias.name),
        );
        self.add_source(source, name, columns, alias, from)
    }

    fn add_source(
        &mut self,
        source: Source,
        name: String,
        mut columns: Vec<(String, LogicalType)>,
        alias: Option<&TableAlias>,
        from: &mut From,
    ) -> Result<Scope> {
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => name,
        };
        let scope = Scope::table(name, source.first, columns);
        from.width += source.width;
        from.sources.push(source);
        Ok(scope)
    }

    /// The name of an alias; its column names replace the first columns' names.
    fn apply_alias(
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

fn using_side(
    scope: &Scope,
    name: &str,
    side: &str,
    position: u32,
) -> Result<(usize, LogicalType)> {
    let index = scope.find_unqualified(name, position)?;
    let column = index.and_then(|index| Some((index, scope.column(index)?.2)));
    column.ok_or_else(|| {
        let message =
            format!("column \"{name}\" specified in USING clause does not exist in {side} table");
        located(Error::new(SqlState::UNDEFINED_COLUMN, message), position)
    })
}
