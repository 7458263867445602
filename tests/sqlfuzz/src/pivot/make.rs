//! Random expressions together with what they are for the pivot.

use std::collections::BTreeSet;

use crate::ast::{Expr, Part};
use crate::chance::Chance;
use crate::literals::{Taste, quoted, raw};
use crate::types::Ty;
use crate::world::Table;

use super::value::{Truth, Value, and, compare, is_in, like, not, or};

/// The type of a value, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Bool,
    Text,
}

fn kind_of(ty: Ty) -> Option<Kind> {
    match ty {
        Ty::Int2 | Ty::Int4 | Ty::Int8 => Some(Kind::Int),
        Ty::Bool => Some(Kind::Bool),
        Ty::Text | Ty::Varchar => Some(Kind::Text),
        _ => None,
    }
}

/// An expression and its value for the pivot.
type Known = (Expr, Value);

pub(super) struct Maker<'a> {
    chance: &'a mut Chance,
    columns: Vec<(Kind, Known)>,
    pub(super) shapes: BTreeSet<&'static str>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(chance: &'a mut Chance, tables: &[(&Table, usize, String)]) -> Maker<'a> {
        let mut columns = Vec::new();
        for (table, row, alias) in tables {
            for (column, cell) in table.columns.iter().zip(&table.rows[*row]) {
                let Some(kind) = kind_of(column.ty) else {
                    continue;
                };
                let value = match (kind, cell) {
                    (_, None) => Value::Null,
                    (Kind::Int, Some(text)) => match text.parse() {
                        Ok(number) => Value::Int(number),
                        Err(_) => continue,
                    },
                    (Kind::Bool, Some(text)) => Value::Bool(text.starts_with('t')),
                    (Kind::Text, Some(text)) => Value::Text(text.clone()),
                };
                let expr = Expr::leaf(column.ty, format!("{alias}.{}", column.name));
                columns.push((kind, (expr, value)));
            }
        }
        Maker {
            chance,
            columns,
            shapes: BTreeSet::new(),
        }
    }

    /// A condition that is true for the pivot, or is not.
    pub(super) fn condition(&mut self, depth: u32, wanted: Option<bool>) -> Expr {
        let (condition, value) = self.truth(depth);
        let Some(wanted) = wanted else {
            return condition;
        };
        let hole = vec![Part::Expr(condition)];
        // Both sides of each line say what the condition is; the negation of NULL is no truth.
        let template = match (value, wanted) {
            (Some(true), true) => "{}",
            (Some(false), true) => "(NOT {})",
            (None, true) => "({} IS NULL)",
            (Some(true), false) => self.chance.pick(&["(NOT {})", "({} IS NULL)"]),
            (Some(false) | None, false) => "{}",
        };
        Expr::form(Ty::Bool, template, hole)
    }

    fn truth(&mut self, depth: u32) -> (Expr, Truth) {
        let (expr, value) = self.known(Kind::Bool, depth);
        (expr, value.truth())
    }

    fn known(&mut self, kind: Kind, depth: u32) -> Known {
        if depth == 0 {
            return self.leaf(kind);
        }
        match kind {
            Kind::Bool => self.bool(depth - 1),
            Kind::Int => self.int(depth - 1),
            Kind::Text => self.text(depth - 1),
        }
    }

    fn leaf(&mut self, kind: Kind) -> Known {
        let columns = self.columns.iter().filter(|(of, _)| *of == kind);
        let columns: Vec<Known> = columns.map(|(_, known)| known.clone()).collect();
        if !columns.is_empty() && self.chance.percent(75) {
            return self.chance.pick(&columns);
        }
        // Often the value that the pivot has in some column.
        if !columns.is_empty() && self.chance.percent(50) {
            let (expr, value) = self.chance.pick(&columns);
            if !(matches!(value, Value::Null)) {
                return (Expr::leaf(expr.ty, literal(&value)), value);
            }
        }
        match kind {
            Kind::Bool => {
                let value = self
                    .chance
                    .pick(&[Value::Bool(true), Value::Bool(false), Value::Null]);
                let text = if value == Value::Null {
                    "NULL::bool".to_owned()
                } else {
                    literal(&value)
                };
                (Expr::leaf(Ty::Bool, text), value)
            }
            Kind::Int => {
                let value = Value::Int(self.chance.between(-20, 100));
                (Expr::leaf(Ty::Int4, literal(&value)), value)
            }
            Kind::Text => {
                let value = Value::Text(raw(Ty::Text, Taste::Mild, self.chance));
                (Expr::leaf(Ty::Text, literal(&value)), value)
            }
        }
    }

    fn kind(&mut self) -> Kind {
        self.chance
            .pick(&[Kind::Int, Kind::Int, Kind::Text, Kind::Bool])
    }

    fn bool(&mut self, depth: u32) -> Known {
        match self.chance.below(9) {
            0 | 1 => {
                self.shapes.insert("comparison");
                let kind = self.kind();
                let (a, b) = (self.known(kind, depth), self.known(kind, depth));
                let op = self.chance.pick(&["=", "<>", "<", "<=", ">", ">="]);
                let truth = compare(op, &a.1, &b.1);
                self.form(&format!("({{}} {op} {{}})"), vec![a, b], truth)
            }
            2 => {
                self.shapes.insert("AND, OR");
                let (a, b) = (self.known(Kind::Bool, depth), self.known(Kind::Bool, depth));
                let (left, right) = (a.1.truth(), b.1.truth());
                if self.chance.percent(50) {
                    self.form("({} AND {})", vec![a, b], and(left, right))
                } else {
                    self.form("({} OR {})", vec![a, b], or(left, right))
                }
            }
            3 => {
                self.shapes.insert("NOT");
                let a = self.known(Kind::Bool, depth);
                let truth = not(a.1.truth());
                self.form("(NOT {})", vec![a], truth)
            }
            4 => {
                self.shapes.insert("IS NULL");
                let kind = self.kind();
                let a = self.known(kind, depth);
                let is_null = a.1 == Value::Null;
                if self.chance.percent(50) {
                    self.form("({} IS NULL)", vec![a], Some(is_null))
                } else {
                    self.form("({} IS NOT NULL)", vec![a], Some(!is_null))
                }
            }
            5 => {
                self.shapes.insert("BETWEEN");
                let kind = self.kind();
                let parts: Vec<Known> = (0..3).map(|_| self.known(kind, depth)).collect();
                let low = compare(">=", &parts[0].1, &parts[1].1);
                let high = compare("<=", &parts[0].1, &parts[2].1);
                self.form("({} BETWEEN {} AND {})", parts, and(low, high))
            }
            6 => {
                self.shapes.insert("IN list");
                let kind = self.kind();
                let mut parts = vec![self.known(kind, depth)];
                for _ in 0..1 + self.chance.index(4) {
                    parts.push(self.leaf(kind));
                }
                let list: Vec<Value> = parts[1..].iter().map(|part| part.1.clone()).collect();
                let truth = is_in(&parts[0].1, &list);
                let holes = vec!["{}"; list.len()].join(", ");
                if self.chance.percent(70) {
                    self.form(&format!("({{}} IN ({holes}))"), parts, truth)
                } else {
                    self.form(&format!("({{}} NOT IN ({holes}))"), parts, not(truth))
                }
            }
            7 => {
                self.shapes.insert("LIKE");
                let text = self.known(Kind::Text, depth);
                let pattern = self
                    .chance
                    .pick(&["a%", "%b", "%", "_", "a_%", "%a%", "", "ab"]);
                let chars: Vec<char> = pattern.chars().collect();
                let truth = match &text.1 {
                    Value::Text(text) => Some(like(&text.chars().collect::<Vec<_>>(), &chars)),
                    _ => None,
                };
                let pattern = quoted(pattern);
                self.form(&format!("({{}} LIKE {pattern})"), vec![text], truth)
            }
            _ => {
                self.shapes.insert("IS DISTINCT FROM");
                let kind = self.kind();
                let (a, b) = (self.known(kind, depth), self.known(kind, depth));
                let same = a.1 == b.1;
                self.form("({} IS DISTINCT FROM {})", vec![a, b], Some(!same))
            }
        }
    }

    fn form(&mut self, template: &str, parts: Vec<Known>, truth: Truth) -> Known {
        let holes = parts.into_iter().map(|(expr, _)| Part::Expr(expr));
        let expr = Expr::form(Ty::Bool, template, holes.collect());
        (expr, Value::of_truth(truth))
    }

    fn int(&mut self, depth: u32) -> Known {
        let a = self.known(Kind::Int, depth);
        match self.chance.below(5) {
            0 => {
                let op = self.chance.pick(&["+", "-", "*"]);
                let b = self.leaf(Kind::Int);
                let value = match (&a.1, &b.1) {
                    (Value::Int(a), Value::Int(b)) => match op {
                        "+" => a.checked_add(*b),
                        "-" => a.checked_sub(*b),
                        _ => a.checked_mul(*b),
                    }
                    .map(Value::Int),
                    _ => Some(Value::Null),
                };
                // As wide as can be, so that few rows overflow.
                let template = format!("({{}}::int8 {op} {{}})");
                match value {
                    Some(value) => {
                        let holes = vec![Part::Expr(a.0), Part::Expr(b.0)];
                        (Expr::form(Ty::Int8, &template, holes), value)
                    }
                    None => b,
                }
            }
            1 => {
                self.shapes.insert("CASE");
                let (condition, truth) = self.truth(depth);
                let b = self.leaf(Kind::Int);
                let value = if truth == Some(true) { a.1 } else { b.1 };
                let holes = [condition, a.0, b.0].map(Part::Expr).to_vec();
                let template = "CASE WHEN {} THEN {} ELSE {} END";
                (Expr::form(Ty::Int8, template, holes), value)
            }
            2 => self.coalesce(a, Kind::Int),
            3 => {
                let text = self.known(Kind::Text, depth);
                let value = match &text.1 {
                    Value::Text(text) => {
                        Value::Int(i64::try_from(text.chars().count()).unwrap_or(0))
                    }
                    _ => Value::Null,
                };
                let holes = vec![Part::Expr(text.0)];
                (Expr::form(Ty::Int4, "length({})", holes), value)
            }
            _ => a,
        }
    }

    fn text(&mut self, depth: u32) -> Known {
        let a = self.known(Kind::Text, depth);
        match self.chance.below(4) {
            0 => {
                let b = self.leaf(Kind::Text);
                let value = match (&a.1, &b.1) {
                    (Value::Text(a), Value::Text(b)) => Value::Text(format!("{a}{b}")),
                    _ => Value::Null,
                };
                let holes = vec![Part::Expr(a.0), Part::Expr(b.0)];
                (Expr::form(Ty::Text, "({} || {})", holes), value)
            }
            1 => self.coalesce(a, Kind::Text),
            2 => {
                let b = self.leaf(Kind::Text);
                let value = if a.1 == b.1 { Value::Null } else { a.1 };
                let holes = vec![Part::Expr(a.0), Part::Expr(b.0)];
                (Expr::form(Ty::Text, "nullif({}, {})", holes), value)
            }
            _ => a,
        }
    }

    fn coalesce(&mut self, a: Known, kind: Kind) -> Known {
        self.shapes.insert("COALESCE");
        let b = self.leaf(kind);
        let value = if a.1 == Value::Null { b.1 } else { a.1 };
        let ty = a.0.ty;
        let holes = vec![Part::Expr(a.0), Part::Expr(b.0)];
        (Expr::form(ty, "coalesce({}, {})", holes), value)
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Int(number) if *number < 0 => format!("({number})"),
        Value::Int(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Text(text) => quoted(text),
    }
}
