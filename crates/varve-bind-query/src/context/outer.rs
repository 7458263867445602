//! Names of enclosing queries.

use varve_catalog::model::schema::RelationName;
use varve_expr::walk::{for_each_placeholder, map_placeholders};
use varve_expr::{Expr, Placeholder};
use varve_plan::build::aggregate::known_call;
use varve_plan::build::operand::Operand;
use varve_plan::build::subquery::{Captured, Subquery, slot_values};
use varve_plan::optimize::bind_outer;
use varve_plan::plan::AggregateCall;
use varve_plan::plan::walk::expr_reads_outer;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::{Scope, ScopeTable, UNNAMED, out_of_reach};
use varve_types::{Error, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::ctes::IN_SUBQUERY;
use crate::context::scope::ExprScope;

/// The names of one query around a subquery, or those that stand before a relation of FROM.
pub struct OuterLevel {
    names: Scope,
    /// Relations of the same FROM are in reach of LATERAL only.
    is_sibling: bool,
    is_visible: bool,
    captured: Vec<Captured>,
    /// The clause that the subquery stands in, and the aggregates called there; `None` where they
    /// are not allowed.
    clause: &'static str,
    aggregates: Option<Vec<AggregateCall>>,
    /// The subqueries of its expressions so far.
    subqueries: Option<Vec<Subquery>>,
}

impl OuterLevel {
    fn new(names: &Scope, is_sibling: bool) -> OuterLevel {
        OuterLevel {
            names: names.clone(),
            is_sibling,
            is_visible: !is_sibling,
            captured: Vec::new(),
            clause: "FROM clause of their own query level",
            aggregates: None,
            subqueries: None,
        }
    }

    /// The slot for one of its values.
    fn capture(&mut self, value: Expr, position: u32, slots: &mut usize) -> usize {
        let known = self.captured.iter().find(|known| known.value == value);
        known.map(|known| known.slot).unwrap_or_else(|| {
            let slot = *slots;
            *slots += 1;
            self.captured.push(Captured {
                slot,
                value,
                position,
            });
            slot
        })
    }
}

impl OuterLevel {
    /// The relations that may be named now.
    pub fn tables(&self) -> &[ScopeTable] {
        match self.is_visible {
            true => &self.names.tables,
            false => &[],
        }
    }
}

impl QueryBinder<'_> {
    /// Binds what may read the columns of a query around it; answers those that it reads.
    pub fn within<T>(
        &mut self,
        scope: &mut ExprScope<'_>,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Captured>)> {
        let level = OuterLevel {
            clause: scope.clause,
            aggregates: scope.aggregates.take(),
            subqueries: scope.subqueries.take(),
            ..OuterLevel::new(scope.names, false)
        };
        let around = core::mem::replace(&mut self.context.recursion_place, IN_SUBQUERY);
        let (bound, level) = self.inside(level, bind);
        self.context.recursion_place = around;
        let level = level.unwrap_or_else(|| OuterLevel::new(scope.names, false));
        let captured = level.captured;
        scope.aggregates = level.aggregates;
        scope.subqueries = level.subqueries;
        Ok((bound?, captured))
    }

    /// Binds a relation that stands behind others in FROM.
    pub fn beside<T>(
        &mut self,
        names: &Scope,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Captured>)> {
        let (bound, level) = self.inside(OuterLevel::new(names, true), bind);
        Ok((
            bound?,
            level.map(|level| level.captured).unwrap_or_default(),
        ))
    }

    fn inside<T>(
        &mut self,
        level: OuterLevel,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> (Result<T>, Option<OuterLevel>) {
        self.context.outer.push(level);
        let bound = bind(self);
        (bound, self.context.outer.pop())
    }

    /// Binds a LATERAL relation: those before it in its FROM, whose levels start at `base`, are in
    /// reach.
    pub fn lateral<T>(
        &mut self,
        base: usize,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let siblings = |level: &&mut OuterLevel| level.is_sibling;
        for level in self.context.outer.iter_mut().skip(base).filter(siblings) {
            level.is_visible = true;
        }
        let depth = self.context.outer.len();
        let bound = bind(self);
        let own = self.context.outer.iter_mut().take(depth).skip(base);
        for level in own.filter(siblings) {
            level.is_visible = false;
        }
        bound
    }

    /// Number of levels around what is bound now.
    pub fn outer_depth(&self) -> usize {
        self.context.outer.len()
    }

    /// The column that a name means, or what a function of that name gives for the row of `table`.
    pub fn column(
        &mut self,
        table: Option<&RelationName>,
        name: &str,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (error, table) = match (self.plain_column(table, name, position, scope), table) {
            (Err(error), Some(table)) if error.state() == SqlState::UNDEFINED_COLUMN => {
                (error, table)
            }
            (found, _) => return found,
        };
        let function = RelationName::unqualified(name);
        let row = match self.candidates(&function).is_empty() {
            true => None,
            false => {
                let around = core::mem::take(&mut self.context.reads_rows);
                let row = self.whole_row(&table.name, position, scope);
                self.context.reads_rows = around;
                row?
            }
        };
        let Some(Operand::Known(row)) = row else {
            return Err(error);
        };
        let called = self.attribute(row, name, position, scope);
        called.map_err(|other| match other.state() {
            SqlState::UNDEFINED_COLUMN => error,
            _ => other,
        })
    }

    fn plain_column(
        &mut self,
        table: Option<&RelationName>,
        name: &str,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let unknown = match scope.names.resolve(table, name, position) {
            Ok((index, ty)) => {
                scope.uses.push((index, position));
                self.use_changed(scope.names, index, position);
                return Ok(Operand::Known(Expr::Column { index, ty }));
            }
            Err(error) => error,
        };
        // A table that is here does not have the column; what is not here may be around the query.
        let elsewhere = match table {
            None => SqlState::UNDEFINED_COLUMN,
            Some(_) => SqlState::UNDEFINED_TABLE,
        };
        if unknown.state() != elsewhere {
            return Err(unknown);
        }
        let slots = &mut self.slots;
        for level in self
            .context
            .outer
            .iter_mut()
            .rev()
            .filter(|level| level.is_visible)
        {
            match level.names.resolve(table, name, position) {
                Ok((index, ty)) => {
                    let slot = level.capture(Expr::Column { index, ty }, position, slots);
                    return Ok(Operand::Known(Expr::Outer { slot, ty }));
                }
                Err(error) if error.state() != elsewhere => return Err(error),
                Err(_) => {}
            }
        }
        let qualifier = table.map(|table| table.name.as_str());
        if table.is_none_or(|table| table.schema.is_none())
            && let Some(value) = self.variable(qualifier, name, position)?
        {
            return Ok(value);
        }
        if table.is_none()
            && let Some(row) = self.whole_row(name, position, scope)?
        {
            return Ok(row);
        }
        Err(match table {
            Some(table) if self.is_hidden(table) => out_of_reach(&table.name)
                .at(position)
                .with_hint("To reference that table, you must mark this subquery with LATERAL."),
            None if unknown.fields().hint.is_none() => match self.hidden_column(name) {
                Some(table) => unknown
                    .with_detail(format!(
                        "There is a column named \"{name}\" in table \"{table}\", but it cannot be \
                         referenced from this part of the query."
                    ))
                    .with_hint(
                        "To reference that column, you must mark this subquery with LATERAL.",
                    ),
                None => unknown,
            },
            _ => unknown,
        })
    }

    /// How much each level had captured: what an aggregate adds to it is its own.
    pub fn captured_counts(&self) -> Vec<usize> {
        self.context
            .outer
            .iter()
            .map(|level| level.captured.len())
            .collect()
    }

    /// An aggregate that reads only columns of queries around this one belongs to the nearest of
    /// them; here it is a value from there. `counts` are those of before its arguments were bound,
    /// `own` the subqueries in these with the number of the first, which go along.
    pub fn aggregate_of_outer(
        &mut self,
        call: &mut AggregateCall,
        (first, own): (usize, &mut Vec<Subquery>),
        counts: &[usize],
    ) -> Result<Option<Operand>> {
        let position = call.position;
        let reads = |level: &OuterLevel, call: &AggregateCall| {
            let slots: Vec<usize> = level.captured.iter().map(|known| known.slot).collect();
            let mut reads = own.iter().any(|subquery| subquery.reads_outer(&slots));
            call.for_each_expr(&mut |expr| reads |= expr_reads_outer(expr, &slots));
            reads
        };
        let mut levels = self.context.outer.iter_mut().zip(counts).rev();
        let Some((level, count)) = levels.find(|(level, _)| reads(level, call)) else {
            return Ok(None);
        };
        let values = slot_values(&level.captured);
        let known = level.subqueries.get_or_insert_default();
        let mut nested = false;
        let mut settle = |expr: &mut Expr| {
            bind_outer(expr, &values);
            for_each_placeholder(expr, &mut |part| {
                nested |= !matches!(part, Placeholder::Subquery { .. });
            });
            map_placeholders(expr, &|part| match part {
                Placeholder::Subquery { number, column } if number >= first => {
                    let number = known.len() + number - first;
                    Placeholder::Subquery { number, column }
                }
                part => part,
            });
        };
        call.exprs_mut().for_each(&mut settle);
        for subquery in &mut *own {
            subquery.read(&values);
            subquery.for_each_expr_mut(&mut |expr| {
                settle(expr);
                Ok(())
            })?;
        }
        known.append(own);
        level.captured.truncate(*count);
        let error = |message: String| {
            let error = Error::new(SqlState::GROUPING_ERROR, message);
            Err(located(error, position))
        };
        let Some(calls) = level.aggregates.as_mut() else {
            return error(match level.clause {
                "aggregate" => "aggregate function calls cannot be nested".to_owned(),
                clause => format!("aggregate functions are not allowed in {clause}"),
            });
        };
        if nested {
            return error("aggregate function calls cannot be nested".to_owned());
        }
        let ty = call.function.result_type();
        let part = Placeholder::Aggregate(known_call(calls, call));
        let value = Expr::Placeholder { part, ty };
        let slot = level.capture(value, position, &mut self.slots);
        Ok(Some(Operand::Known(Expr::Outer { slot, ty })))
    }

    /// A slot for a value that a join sets.
    pub fn new_slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// The table beside, out of reach, that has a column of this name.
    fn hidden_column(&self, name: &str) -> Option<&str> {
        let mut hidden = self
            .context
            .outer
            .iter()
            .rev()
            .filter(|level| !level.is_visible);
        hidden.find_map(|level| {
            let index = level.names.find_unqualified(name, 0).ok()??;
            let (table, ..) = level.names.column(index)?;
            (!table.name.starts_with(UNNAMED)).then_some(table.name.as_str())
        })
    }

    fn is_hidden(&self, table: &RelationName) -> bool {
        let mut hidden = self.context.outer.iter().filter(|level| !level.is_visible);
        hidden.any(|level| level.names.find_table(table, 0).is_ok())
    }
}
