//! PARTITION BY, and the bounds of partitions.

use varve_ast::{
    Expr as Ast, ExprKind, PartitionBound as WrittenLimit, PartitionBy, PartitionValues,
};
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::index_expression::is_immutable;
use varve_catalog::model::inheritance::{
    Limit, PartitionBound, Partitioning, Strategy, compare_limits,
};
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_expr::walk::for_each_column;
use varve_plan::build::operand::CastContext;
use varve_plan::build::table::target_scope;
use varve_plan::scope::error::located;
use varve_plan::scope::name::result_name;
use varve_system_views::shown_limits;
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod};

use crate::binder::DdlBinder;
use crate::table::inheritance::invalid;

/// The column that an expression is without a table.
fn plain_column(ast: &Ast) -> Option<&str> {
    match &ast.kind {
        ExprKind::Column(name) if name.qualifiers.is_empty() => Some(&name.name.text),
        _ => None,
    }
}

fn undefinable(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_OBJECT_DEFINITION, message)
}

impl DdlBinder<'_, '_> {
    /// How the rows of a table are shared by its partitions.
    pub fn partitioning(&mut self, by: &PartitionBy, table: &TableDef) -> Result<Partitioning> {
        let word = &by.strategy.text;
        let mut known = Strategy::ALL.into_iter();
        let strategy = known.find(|known| known.word().eq_ignore_ascii_case(word));
        let strategy = strategy.ok_or_else(|| {
            let message = format!("unrecognized partitioning strategy \"{word}\"");
            Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
        })?;
        let names = target_scope(table, None);
        let mut keys = Vec::with_capacity(by.keys.len());
        for ast in &by.keys {
            // A name in parentheses may mean the whole row.
            if let Some(name) = plain_column(ast)
                && !ast.is_parenthesized
                && !table.columns.iter().any(|column| column.name == *name)
            {
                let message = format!("column \"{name}\" named in partition key does not exist");
                let error = Error::new(SqlState::UNDEFINED_COLUMN, message);
                return Err(located(error, self.query.at(ast.span)));
            }
            let mut scope = ExprScope::plain(&names, "partition key expressions");
            let operand = self.query.expr(ast, &mut scope)?;
            let expr = varve_expr::fold(self.query.settle(operand)?);
            let mut reads = false;
            for_each_column(&expr, &mut |_| reads = true);
            if !reads {
                let message = "cannot use constant expression as partition key";
                return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
            }
            if !is_immutable(&expr) {
                let message = "functions in partition key expression must be marked IMMUTABLE";
                return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
            }
            keys.push(self.stored(expr, self.query.at(ast.span))?);
        }
        if strategy == Strategy::List && keys.len() > 1 {
            let message = "cannot use \"list\" partition strategy with more than one column";
            return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
        }
        Ok(Partitioning { strategy, keys })
    }

    /// The bound of a partition of this name, which no other one of the table may overlap.
    pub fn partition_bound(
        &mut self,
        values: &PartitionValues,
        parent: &TableDef,
        name: &str,
    ) -> Result<PartitionBound> {
        let Some(partitioning) = parent.partitioning() else {
            return Err(Error::internal("a partition of a table without"));
        };
        let strategy = partitioning.strategy;
        let place = self.bound_place(values);
        let bound = match (values, strategy) {
            (PartitionValues::Default, Strategy::Hash) => {
                return Err(invalid(
                    "a hash-partitioned table may not have a default partition",
                ));
            }
            (PartitionValues::Default, _) => PartitionBound::Default,
            (PartitionValues::In(values), Strategy::List) => {
                let mut bound: Vec<Expr> = Vec::with_capacity(values.len());
                for value in values {
                    let value = self.bound_value(value, parent, partitioning, 0)?;
                    if !bound.contains(&value) {
                        bound.push(value);
                    }
                }
                PartitionBound::List(bound)
            }
            (PartitionValues::Range { from, to }, Strategy::Range) => {
                for (what, limits) in [("FROM", from), ("TO", to)] {
                    if limits.len() != partitioning.keys.len() {
                        return Err(invalid(format!(
                            "{what} must specify exactly one value per partitioning column"
                        )));
                    }
                }
                let from = self.limits(from, parent, partitioning)?;
                let to = self.limits(to, parent, partitioning)?;
                if compare_limits(&from, &to) != core::cmp::Ordering::Less {
                    let message = format!("empty range bound specified for partition \"{name}\"");
                    let detail = format!(
                        "Specified lower bound {} is greater than or equal to upper bound {}.",
                        shown_limits(self.catalog, &from),
                        shown_limits(self.catalog, &to)
                    );
                    let error = Error::new(SqlState::INVALID_OBJECT_DEFINITION, message);
                    return Err(located(error.with_detail(detail), place));
                }
                PartitionBound::Range(from, to)
            }
            (PartitionValues::Hash { modulus, remainder }, Strategy::Hash) => {
                hash_bound(*modulus, *remainder)?
            }
            _ => {
                let what = strategy.word().to_ascii_lowercase();
                return Err(invalid(format!(
                    "invalid bound specification for a {what} partition"
                )));
            }
        };
        self.fits_beside(&bound, parent, name)
            .map_err(|error| located(error, place))?;
        Ok(bound)
    }

    /// Refuses a bound that takes rows of another partition.
    fn fits_beside(&self, bound: &PartitionBound, parent: &TableDef, name: &str) -> Result<()> {
        for other in self.catalog.children_of(parent) {
            let Some(known) = other.bound() else {
                continue;
            };
            if let (PartitionBound::Hash(modulus, _), PartitionBound::Hash(known, _)) =
                (bound, known)
                && modulus.max(known) % modulus.min(known) != 0
            {
                return Err(undefinable(
                    "every hash partition modulus must be a factor of the next larger modulus",
                ));
            }
            if bound.overlaps(known) {
                let message = match bound {
                    PartitionBound::Default => format!(
                        "partition \"{name}\" conflicts with existing default partition \"{}\"",
                        other.name
                    ),
                    _ => format!(
                        "partition \"{name}\" would overlap partition \"{}\"",
                        other.name
                    ),
                };
                return Err(undefinable(message));
            }
        }
        Ok(())
    }

    /// Where the first value of a bound stands.
    fn bound_place(&self, values: &PartitionValues) -> u32 {
        let first = match values {
            PartitionValues::In(values) => values.first(),
            PartitionValues::Range { from, .. } => from.first().and_then(|limit| match limit {
                WrittenLimit::Value(value) => Some(value),
                _ => None,
            }),
            PartitionValues::Hash { .. } | PartitionValues::Default => None,
        };
        first.map_or(0, |value| self.query.at(value.span))
    }

    fn limits(
        &mut self,
        values: &[WrittenLimit],
        parent: &TableDef,
        partitioning: &Partitioning,
    ) -> Result<Vec<Limit>> {
        let mut limits = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            limits.push(match value {
                WrittenLimit::Min => Limit::Min,
                WrittenLimit::Max => Limit::Max,
                WrittenLimit::Value(ast) => {
                    let value = self.bound_value(ast, parent, partitioning, at)?;
                    if let Expr::Literal { value, .. } = &value
                        && value.is_null()
                    {
                        return Err(undefinable("cannot specify NULL in range bound"));
                    }
                    Limit::Value(value)
                }
            });
        }
        Ok(limits)
    }

    /// A constant of the type of a key.
    fn bound_value(
        &mut self,
        ast: &Ast,
        parent: &TableDef,
        partitioning: &Partitioning,
        at: usize,
    ) -> Result<Expr> {
        let key = partitioning.keys.get(at);
        let ty = key.map_or(LogicalType::Text, Expr::logical_type);
        let column = match key {
            Some(Expr::Column { index, .. }) => parent.columns.get(*index),
            _ => None,
        };
        let position = self.query.at(ast.span);
        let names = varve_plan::scope::tables::Scope::default();
        let mut scope = ExprScope::plain(&names, "partition bound");
        if plain_column(ast).is_some() {
            let message = "cannot use column reference in partition bound expression";
            let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
            return Err(located(error, position));
        }
        let operand = self.query.expr(ast, &mut scope)?;
        let modifier = column.map_or(TypeMod::NONE, |column| column.modifier);
        let context = CastContext::Assignment;
        let expr = self
            .query
            .convert_bounded(operand, ty, modifier, context, position)?;
        let expr = expr.map(varve_expr::fold).ok_or_else(|| {
            let name = column.map_or_else(|| result_name(ast), |column| column.name.clone());
            let message =
                format!("specified value cannot be cast to type {ty} for column \"{name}\"");
            located(Error::new(SqlState::DATATYPE_MISMATCH, message), position)
        })?;
        match expr {
            Expr::Literal { .. } => Ok(expr),
            _ => Err(Error::unsupported(
                "an expression in the bound of a partition that is not constant",
            )),
        }
    }
}

fn hash_bound(modulus: u64, remainder: u64) -> Result<PartitionBound> {
    let modulus = u32::try_from(modulus).unwrap_or(0);
    let remainder = u32::try_from(remainder).unwrap_or(u32::MAX);
    if modulus == 0 || modulus > i32::MAX.unsigned_abs() {
        return Err(invalid(
            "modulus for hash partition must be an integer value greater than zero",
        ));
    }
    if remainder >= modulus {
        return Err(invalid(
            "remainder for hash partition must be less than modulus",
        ));
    }
    Ok(PartitionBound::Hash(modulus, remainder))
}

/// A unique index of a partitioned table tells its rows apart only with all keys in it.
pub fn unique_keys_fit(
    table: &TableDef,
    indexes: &[IndexDef],
    partitioning: &Partitioning,
) -> Result<()> {
    let mut keys: Vec<(&str, Vec<usize>)> = Vec::new();
    if !table.primary_key.is_empty() {
        keys.push(("PRIMARY KEY", table.primary_key.clone()));
    }
    for index in indexes {
        if index.options.is_unique {
            let columns = index.keys.iter().filter_map(|(part, _)| part.column());
            keys.push(("UNIQUE", columns.collect()));
        }
    }
    for (what, columns) in keys {
        for key in &partitioning.keys {
            let Expr::Column { index, .. } = key else {
                let message =
                    format!("unsupported {what} constraint with partition key definition");
                let detail = format!(
                    "{what} constraints cannot be used when partition keys include expressions."
                );
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(error.with_detail(detail));
            };
            if !columns.contains(index) {
                let message =
                    "unique constraint on partitioned table must include all partitioning columns";
                let detail = format!(
                    "{what} constraint on table \"{}\" lacks column \"{}\" which is part of the \
                     partition key.",
                    table.name,
                    table.given_name(*index)
                );
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(error.with_detail(detail));
            }
        }
    }
    Ok(())
}
