//! Expressions that indexes are on. Beside its columns a table has a column for each of them, which
//! is stored in indexes only; its position is [`FIRST_EXPRESSION`] or above.

use varve_expr::{Expr, is_immutable_cast};
use varve_types::LogicalType;

use crate::catalog::TableDef;
use crate::deparse::deparse;
use crate::index::IndexDef;
use crate::walk::{for_each_child, for_each_column, map_columns, same_meaning};

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

    /// The name of a column, or the SQL text of an expression as it stands in CREATE INDEX.
    pub fn label_at(&self, position: usize) -> String {
        let names = || -> Vec<String> {
            let names = self.columns.iter();
            names.map(|column| column.name.clone()).collect()
        };
        match (self.columns.get(position), self.expression(position)) {
            (Some(column), _) => column.name.clone(),
            (None, Some(expr)) => {
                let text = deparse(expr, &names());
                // An operation has its parentheses already.
                match expr {
                    Expr::Cast { .. } | Expr::Case { .. } | Expr::Literal { .. } => {
                        format!("({text})")
                    }
                    _ => text,
                }
            }
            (None, None) => "?".to_owned(),
        }
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
    pub(crate) fn indexed_expression(&self, expr: &Expr) -> Option<usize> {
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
pub(crate) fn is_immutable(expr: &Expr) -> bool {
    use LogicalType::TimestampTz;
    let itself = match expr {
        Expr::Parameter { .. } | Expr::Outer { .. } => false,
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
