//! Trees as SQL text.

use core::fmt::{Display, Formatter, Result, Write};

use crate::ast::{Body, Distinct, Expr, From, Group, On, Part, Query, Select};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Expr(expr) => expr.fmt(f)?,
                Part::Query(query) => query.fmt(f)?,
            }
        }
        Ok(())
    }
}

/// Items with something between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], between: &str) -> Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

fn in_parentheses<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    f.write_char('(')?;
    list(f, items, ", ")?;
    f.write_char(')')
}

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (index, with) in self.with.iter().enumerate() {
            f.write_str(match (index, self.recursive) {
                (0, true) => "WITH RECURSIVE ",
                (0, false) => "WITH ",
                _ => ", ",
            })?;
            f.write_str(&with.name)?;
            if !with.columns.is_empty() {
                in_parentheses(f, &with.columns)?;
            }
            write!(f, " AS {}({}) ", with.hint, with.query)?;
        }
        match &self.body {
            Body::Select(select) => select.fmt(f)?,
            Body::Set(operation, left, right) => write!(f, "({left}) {operation} ({right})")?,
            Body::Values(rows) => {
                f.write_str("VALUES ")?;
                for (index, row) in rows.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    in_parentheses(f, row)?;
                }
            }
        }
        for (index, (key, direction)) in self.order.iter().enumerate() {
            f.write_str(if index == 0 { " ORDER BY " } else { ", " })?;
            write!(f, "{key}{direction}")?;
        }
        if let Some(limit) = &self.limit {
            write!(f, " {limit}")?;
        }
        Ok(())
    }
}

impl Display for Select {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("SELECT ")?;
        match &self.distinct {
            Distinct::All => {}
            Distinct::Rows => f.write_str("DISTINCT ")?,
            Distinct::On(keys) => {
                f.write_str("DISTINCT ON ")?;
                in_parentheses(f, keys)?;
                f.write_char(' ')?;
            }
        }
        for (index, (item, name)) in self.items.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
            if !name.is_empty() {
                write!(f, " AS {name}")?;
            }
        }
        if !self.from.is_empty() {
            f.write_str(" FROM ")?;
            list(f, &self.from, ", ")?;
        }
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if !self.group.is_empty() {
            f.write_str(" GROUP BY ")?;
            list(f, &self.group, ", ")?;
        }
        if let Some(having) = &self.having {
            write!(f, " HAVING {having}")?;
        }
        for (index, (name, window)) in self.windows.iter().enumerate() {
            f.write_str(if index == 0 { " WINDOW " } else { ", " })?;
            write!(f, "{name} AS ({window})")?;
        }
        Ok(())
    }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Group::One(key) => key.fmt(f),
            Group::Many(kind, keys) => {
                f.write_str(kind)?;
                in_parentheses(f, keys)
            }
            Group::Sets(sets) => {
                f.write_str("GROUPING SETS (")?;
                for (index, set) in sets.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    in_parentheses(f, set)?;
                }
                f.write_char(')')
            }
        }
    }
}

impl Display for From {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            From::Table { name, alias } => write!(f, "{name} AS {alias}"),
            From::Query {
                lateral,
                query,
                alias,
                columns,
            } => {
                f.write_str(if *lateral { "LATERAL (" } else { "(" })?;
                write!(f, "{query}) AS {alias}")?;
                in_parentheses(f, columns)
            }
            From::Function {
                call,
                alias,
                columns,
            } => {
                call.fmt(f)?;
                if columns.len() > 1 {
                    f.write_str(" WITH ORDINALITY")?;
                }
                write!(f, " AS {alias}")?;
                in_parentheses(f, columns)
            }
            From::Join {
                kind,
                on,
                left,
                right,
            } => {
                write!(f, "{left} {kind} ")?;
                if matches!(**right, From::Join { .. }) {
                    write!(f, "({right})")?;
                } else {
                    right.fmt(f)?;
                }
                match on {
                    On::None => Ok(()),
                    On::Condition(condition) => write!(f, " ON {condition}"),
                    On::Using(columns) => {
                        f.write_str(" USING ")?;
                        in_parentheses(f, columns)
                    }
                }
            }
        }
    }
}
