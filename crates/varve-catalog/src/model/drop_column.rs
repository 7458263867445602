//! A table without one of its columns.

use varve_expr::Expr;
use varve_expr::walk::{for_each_column, map_columns};

use crate::model::index_expression::FIRST_EXPRESSION;
use crate::model::table::{Filled, TableDef};

impl TableDef {
    /// Takes a column out, with the indexes and constraints that are on it.
    pub fn remove_column(&mut self, at: usize) {
        let moved = |position: usize| match position {
            position if position > at && position < FIRST_EXPRESSION => position - 1,
            position => position,
        };
        let gone: Vec<usize> = (FIRST_EXPRESSION..)
            .zip(&self.expressions)
            .filter(|(_, expr)| reads(expr, at))
            .map(|(position, _)| position)
            .collect();
        if self.primary_key.contains(&at) {
            self.primary_key = Vec::new();
            self.key_name = None;
        }
        self.retain_indexes(|index| {
            let is_gone = |position: &usize| *position == at || gone.contains(position);
            !index.keys.iter().any(|(key, _)| is_gone(key))
                && !index.include.contains(&at)
                && !index.predicate.iter().any(|test| is_gone(&test.column))
        });
        self.checks.retain(|check| !reads(&check.expr, at));
        self.foreign_keys
            .retain(|key| !(key.columns.contains(&at) || key.set_columns.contains(&at)));
        self.columns.remove(at);
        for position in &mut self.primary_key {
            *position = moved(*position);
        }
        for index in &mut self.indexes {
            for (position, _) in &mut index.keys {
                *position = moved(*position);
            }
            for position in &mut index.include {
                *position = moved(*position);
            }
            for test in &mut index.predicate {
                test.column = moved(test.column);
            }
        }
        for expr in &mut self.expressions {
            map_columns(expr, &moved);
        }
        for check in &mut self.checks {
            map_columns(&mut check.expr, &moved);
        }
        for column in &mut self.columns {
            if let (Filled::Generated, Some(expr)) = (column.filled, &mut column.default) {
                map_columns(expr, &moved);
            }
        }
        let partitioning = self
            .inheritance
            .as_mut()
            .and_then(|inheritance| inheritance.partitioning.as_mut());
        for key in partitioning.into_iter().flat_map(|by| &mut by.keys) {
            map_columns(key, &moved);
        }
        for key in &mut self.foreign_keys {
            for position in key.columns.iter_mut().chain(&mut key.set_columns) {
                *position = moved(*position);
            }
        }
    }
}

/// Whether an expression reads a column.
pub fn reads(expr: &Expr, at: usize) -> bool {
    let mut found = false;
    for_each_column(expr, &mut |column| found |= column == at);
    found
}
