//! Expressions that indexes are on. Beside its columns a table has a list of them; their values are
//! stored in indexes only.

use varve_expr::walk::{for_each_child, for_each_column, map_columns};
use varve_expr::{Expr, is_immutable_cast, same_value};
use varve_types::{Error, KeyPart, LogicalType, Result, SqlText, sql};

use crate::model::catalog::Catalog;
use crate::model::deparse::Printer;
use crate::model::index::IndexDef;
use crate::model::table::TableDef;

impl TableDef {
    /// The expression that an index is on; `None` for a column.
    pub fn expression(&self, part: KeyPart) -> Option<&Expr> {
        match part {
            KeyPart::Column(_) => None,
            KeyPart::Expression(at) => self.expressions.get(at),
        }
    }

    /// The type of a column, or of the hidden row id, which is behind them.
    pub fn type_at(&self, position: usize) -> LogicalType {
        let column = self.columns.get(position);
        column.map_or(LogicalType::Int8, |column| column.ty)
    }

    /// The type of what an index can be on.
    pub fn type_of(&self, part: KeyPart) -> LogicalType {
        match part {
            KeyPart::Column(at) => self.type_at(at),
            KeyPart::Expression(at) => {
                let expr = self.expressions.get(at);
                debug_assert!(expr.is_some(), "an index is on no expression of its table");
                expr.map_or(LogicalType::Int8, Expr::logical_type)
            }
        }
    }

    /// What an index can be on, over the columns of a row of the table.
    pub fn part_expr(&self, part: KeyPart) -> Result<Expr> {
        match part {
            KeyPart::Column(index) => Ok(Expr::Column {
                index,
                ty: self.type_at(index),
            }),
            KeyPart::Expression(at) => {
                let expr = self.expressions.get(at).cloned();
                expr.ok_or_else(|| Error::internal("an index is on no expression of its table"))
            }
        }
    }

    /// A column, or an expression as it stands in CREATE INDEX, as SQL text.
    pub fn label_of(&self, part: KeyPart) -> SqlText {
        self.label_in(None, part)
    }

    /// The same, with the names of types that a catalog has.
    pub fn label_in(&self, catalog: Option<&Catalog>, part: KeyPart) -> SqlText {
        let column = part.column().and_then(|at| self.columns.get(at));
        match (column, self.expression(part)) {
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
        self.part_name(KeyPart::Column(position))
    }

    /// The same for what an index can be on.
    pub fn part_name(&self, part: KeyPart) -> String {
        let name = part.column().and_then(|at| self.name_at(at));
        name.map_or_else(|| self.label_of(part).into_string(), str::to_owned)
    }

    /// Its columns as SQL text.
    pub fn column_texts(&self) -> Vec<SqlText> {
        let names = self.columns.iter();
        names.map(|column| SqlText::name(&column.name)).collect()
    }

    /// Leaves out indexes, and the expressions that none is on any more.
    pub fn retain_indexes(&mut self, keep: impl Fn(&IndexDef) -> bool) {
        self.indexes.retain(keep);
        let used = |part| self.indexes.iter().any(|index| index.reads(part));
        let mut moved = Vec::with_capacity(self.expressions.len());
        let mut kept = Vec::new();
        for (at, expr) in self.expressions.iter().enumerate() {
            moved.push(kept.len());
            if used(KeyPart::Expression(at)) {
                kept.push(expr.clone());
            }
        }
        self.expressions = kept;
        for part in self.indexes.iter_mut().flat_map(IndexDef::parts_mut) {
            if let KeyPart::Expression(at) = part {
                *at = moved.get(*at).copied().unwrap_or(*at);
            }
        }
    }

    /// An expression of an index, whether or not that is being built.
    pub fn known_expression(&self, expr: &Expr) -> Option<KeyPart> {
        let mut known = self.expressions.iter();
        let at = known.position(|known| same_value(known, expr))?;
        Some(KeyPart::Expression(at))
    }

    /// An expression of an index that is not being built.
    pub fn indexed_expression(&self, expr: &Expr) -> Option<KeyPart> {
        let part = self.known_expression(expr)?;
        let mut ready = self.indexes.iter().filter(|index| !index.is_building);
        ready.any(|index| index.reads(part)).then_some(part)
    }
}

impl IndexDef {
    /// Whether a part is in its key, or decides which rows it has.
    fn reads(&self, part: KeyPart) -> bool {
        self.keys.iter().any(|(key, _)| *key == part)
            || self.predicate.iter().any(|test| test.column == part)
    }

    /// What its key and its condition name.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut KeyPart> {
        let keys = self.keys.iter_mut().map(|(key, _)| key);
        keys.chain(self.predicate.iter_mut().map(|test| &mut test.column))
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
