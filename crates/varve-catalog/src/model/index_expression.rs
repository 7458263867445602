//! Expressions that indexes are on. Beside its columns a table has a column for each of them, which
//! is stored in indexes only; its position is [`FIRST_EXPRESSION`] or above.

use varve_expr::walk::{for_each_child, for_each_column, map_columns, same_meaning};
use varve_expr::{Expr, is_immutable_cast};
use varve_types::{LogicalType, SqlText, sql};

use crate::model::catalog::Catalog;
use crate::model::deparse::Printer;
use crate::model::index::IndexDef;
use crate::model::table::TableDef;

/// Positions from here on name a table's expressions; no table has as many columns.
pub const FIRST_EXPRESSION: usize = 1 << 15;

impl TableDef {
    /// The expression at a position.
    pub fn expression(&self, position: usize) -> Option<&Expr> {
        let at = position.checked_sub(FIRST_EXPRESSION)?;
        self.expressions.get(at)
    }

    /// The type of what is at a position: a column, an expression, or the hidden row id.
    pub fn type_at(&self, position: usize) -> LogicalType {
        match (self.columns.get(position), self.expression(position)) {
            (Some(column), _) => column.ty,
            (None, Some(expr)) => expr.logical_type(),
            (None, None) => LogicalType::Int8,
        }
    }

    /// A column, or an expression as it stands in CREATE INDEX, as SQL text.
    pub fn label_at(&self, position: usize) -> SqlText {
        self.label_in(None, position)
    }

    /// The same, with the names of types that a catalog has.
    pub(crate) fn label_in(&self, catalog: Option<&Catalog>, position: usize) -> SqlText {
        match (self.columns.get(position), self.expression(position)) {
            (Some(column), _) => SqlText::name(&column.name),
            (None, Some(expr)) => {
                let columns = &self.column_texts();
                let text = Printer { columns, catalog }.expr(expr);
                // An operation has its parentheses already, and a call needs none.
                let is_call = match expr {
                    Expr::Call { function, .. } => !function.name().starts_with('\0'),
                    Expr::Coalesce { .. } => true,
                    _ => false,
                };
                match text.as_str().starts_with('(') && text != text.unparenthesized() {
                    true => text,
                    false if is_call => text,
                    false => sql!["(", text, ")"],
                }
            }
            (None, None) => sql!["?"],
        }
    }

    /// The name of a column; `None` for anything else.
    pub fn name_at(&self, position: usize) -> Option<&str> {
        let column = self.columns.get(position)?;
        Some(&column.name)
    }

    /// What a column is called in messages and in names that are made of it.
    pub fn given_name(&self, position: usize) -> String {
        let name = self.name_at(position);
        name.map_or_else(|| self.label_at(position).into_string(), str::to_owned)
    }

    /// Its columns as SQL text.
    pub fn column_texts(&self) -> Vec<SqlText> {
        let names = self.columns.iter();
        names.map(|column| SqlText::name(&column.name)).collect()
    }

    /// Leaves out indexes, and the expressions that none is on any more.
    pub fn retain_indexes(&mut self, keep: impl Fn(&IndexDef) -> bool) {
        self.indexes.retain(keep);
        let used = |position| self.indexes.iter().any(|index| index.reads(position));
        let mut moved = Vec::with_capacity(self.expressions.len());
        let mut kept = Vec::new();
        for (position, expr) in (FIRST_EXPRESSION..).zip(&self.expressions) {
            moved.push(FIRST_EXPRESSION + kept.len());
            if used(position) {
                kept.push(expr.clone());
            }
        }
        self.expressions = kept;
        for index in &mut self.indexes {
            let keys = index.keys.iter_mut().map(|(key, _)| key);
            let tests = index.predicate.iter_mut().map(|test| &mut test.column);
            for key in keys.chain(tests) {
                let moved = key
                    .checked_sub(FIRST_EXPRESSION)
                    .and_then(|at| moved.get(at));
                *key = moved.copied().unwrap_or(*key);
            }
        }
    }

    /// The position of an expression of an index that is not being built.
    pub fn indexed_expression(&self, expr: &Expr) -> Option<usize> {
        let known = (FIRST_EXPRESSION..).zip(&self.expressions);
        let mut same = known.filter(|(_, known)| same_meaning(known, expr));
        let (position, _) = same.next()?;
        let mut ready = self.indexes.iter().filter(|index| !index.is_building);
        ready.any(|index| index.reads(position)).then_some(position)
    }
}

impl IndexDef {
    /// Whether what is at a position is in its key, or decides which rows it has.
    fn reads(&self, position: usize) -> bool {
        self.keys.iter().any(|(key, _)| *key == position)
            || self.predicate.iter().any(|test| test.column == position)
    }
}

/// Whether an expression gives the same value for the same columns whatever the session, by
/// PostgreSQL's rules: what depends on a time zone or on how dates are written does not.
pub fn is_immutable(expr: &Expr) -> bool {
    use LogicalType::TimestampTz;
    let itself = match expr {
        Expr::Placeholder { .. } | Expr::Parameter { .. } | Expr::Outer { .. } => false,
        Expr::Call { function, args, .. } => {
            let with_zone = |arg: &Expr| arg.logical_type() == TimestampTz;
            let takes_any = function.takes_any() || function.is_spread();
            let compares = matches!(function.name(), "greatest" | "least");
            function.is_immutable() && !takes_any && (compares || !args.iter().any(with_zone))
        }
        Expr::Cast { input, to, .. } => is_immutable_cast(input.logical_type(), *to),
        _ => true,
    };
    let mut all = itself;
    for_each_child(expr, &mut |child| all &= is_immutable(child));
    all
}

/// An expression of a table over the columns with these positions, to which those that it lacks
/// are added.
pub fn renumbered(mut expr: Expr, read: &mut Vec<usize>) -> Expr {
    for_each_column(&expr, &mut |column| {
        if !read.contains(&column) {
            read.push(column);
        }
    });
    map_columns(&mut expr, &|column| {
        let place = read.iter().position(|read| *read == column);
        place.unwrap_or(column)
    });
    expr
}
