//! Conditions.

use crate::ast::{Expr, Part};
use crate::functions::Function;
use crate::types::Ty;

use super::{Generator, Scope};

const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

impl Generator<'_> {
    /// A condition of any form.
    pub fn condition(&mut self, depth: u32, scope: &Scope) -> Expr {
        if depth == 0 || !self.has_room() {
            return self.comparison(0, scope);
        }
        let inside = if self.level < 2 { 9 } else { 0 };
        let forms: [(u64, u32); 15] = [
            (30, 0),
            (14, 1),
            (6, 2),
            (8, 3),
            (5, 4),
            (5, 5),
            (6, 6),
            (5, 7),
            (4, 8),
            (8, 9),
            (4, 10),
            (inside, 11),
            (inside, 12),
            (inside / 2, 13),
            (3, 14),
        ];
        match self.chance.weighted(&forms) {
            0 => self.comparison(depth - 1, scope),
            1 => self.junction(depth - 1, scope),
            2 => {
                self.shape("NOT");
                let inner = self.condition(depth - 1, scope);
                boolean("(NOT {})", vec![inner])
            }
            3 => self.null_test(depth - 1, scope),
            4 => self.distinct_from(depth - 1, scope),
            5 => self.between(depth - 1, scope),
            6 => self.in_list(depth - 1, scope),
            7 => self.like(depth - 1, scope),
            8 => self.truth_test(depth - 1, scope),
            9 => self.bool_call(depth, scope),
            10 => self.row_comparison(depth - 1, scope),
            11 => self.exists(scope),
            12 => self.in_subquery(depth - 1, scope),
            13 => self.any_subquery(depth - 1, scope),
            _ => self.any_array(depth - 1, scope),
        }
    }

    fn comparison(&mut self, depth: u32, scope: &Scope) -> Expr {
        let op = self.chance.pick(&COMPARISONS);
        let (left, right) = self.sides(depth, scope);
        self.shape("comparison");
        boolean(&format!("({{}} {op} {{}})"), vec![left, right])
    }

    /// Two expressions that can be compared.
    fn sides(&mut self, depth: u32, scope: &Scope) -> (Expr, Expr) {
        let ty = self.comparable(scope);
        let left = self.expr(ty, depth, scope);
        let mut other = ty;
        if ty.is_number() && self.chance.percent(20) {
            other = self
                .chance
                .pick(&[Ty::Int4, Ty::Int8, Ty::Numeric, Ty::Float8]);
        } else if ty == Ty::Date && self.chance.percent(15) {
            other = Ty::Timestamp;
        }
        (left, self.expr(other, depth, scope))
    }

    fn junction(&mut self, depth: u32, scope: &Scope) -> Expr {
        let word = self.chance.pick(&["AND", "OR"]);
        self.shape("AND, OR");
        let count = 2 + self.chance.index(2);
        let parts: Vec<Expr> = (0..count).map(|_| self.condition(depth, scope)).collect();
        let holes = vec!["{}"; count].join(&format!(" {word} "));
        boolean(&format!("({holes})"), parts)
    }

    fn null_test(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("IS NULL");
        let ty = self.ty();
        let inner = self.expr(ty, depth, scope);
        let form = self.chance.pick(&["({} IS NULL)", "({} IS NOT NULL)"]);
        boolean(form, vec![inner])
    }

    fn distinct_from(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("IS DISTINCT FROM");
        let (left, right) = self.sides(depth, scope);
        let form = self
            .chance
            .pick(&["({} IS DISTINCT FROM {})", "({} IS NOT DISTINCT FROM {})"]);
        boolean(form, vec![left, right])
    }

    fn between(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("BETWEEN");
        let ty = self.comparable(scope);
        let parts = (0..3).map(|_| self.expr(ty, depth, scope)).collect();
        let form = self.chance.pick(&[
            "({} BETWEEN {} AND {})",
            "({} NOT BETWEEN {} AND {})",
            "({} BETWEEN SYMMETRIC {} AND {})",
        ]);
        boolean(form, parts)
    }

    fn in_list(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("IN list");
        let ty = self.comparable(scope);
        let count = 1 + self.chance.index(4);
        let mut parts = vec![self.expr(ty, depth, scope)];
        for _ in 0..count {
            let item = if self.chance.percent(70) {
                self.constant(ty)
            } else {
                self.expr(ty, depth, scope)
            };
            parts.push(item);
        }
        let word = self.chance.pick(&["IN", "NOT IN"]);
        let holes = vec!["{}"; count].join(", ");
        boolean(&format!("({{}} {word} ({holes}))"), parts)
    }

    fn like(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("LIKE");
        let ty = self
            .chance
            .pick(&[Ty::Text, Ty::Text, Ty::Varchar, Ty::Bpchar]);
        let left = self.expr(ty, depth, scope);
        let right = if self.chance.percent(80) {
            self.like_pattern()
        } else {
            // Any pattern: one that ends in a backslash is an error.
            let text = self.expr(Ty::Text, depth, scope);
            if self.is_risky {
                text
            } else {
                Expr::form(Ty::Text, "replace({}, '\\', '')", vec![Part::Expr(text)])
            }
        };
        let word = self
            .chance
            .pick(&["LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"]);
        boolean(&format!("({{}} {word} {{}})"), vec![left, right])
    }

    fn truth_test(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("IS TRUE");
        let inner = self.condition(depth, scope);
        let form = self.chance.pick(&[
            "({} IS TRUE)",
            "({} IS NOT TRUE)",
            "({} IS FALSE)",
            "({} IS NOT FALSE)",
            "({} IS UNKNOWN)",
            "({} IS NOT UNKNOWN)",
        ]);
        boolean(form, vec![inner])
    }

    /// A function that gives a truth value.
    fn bool_call(&mut self, depth: u32, scope: &Scope) -> Expr {
        let functions = self.functions;
        let fits = |function: &&Function| {
            function.result == Ty::Bool && (self.is_risky || !function.is_risky)
        };
        let found: Vec<_> = functions.functions.iter().filter(fits).collect();
        if found.is_empty() {
            return self.leaf(Ty::Bool, scope);
        }
        let function = self.chance.pick(&found);
        self.function(function, depth, scope)
    }

    fn row_comparison(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("row comparison");
        let types: Vec<Ty> = (0..2).map(|_| self.comparable(scope)).collect();
        let mut parts = Vec::new();
        for _ in 0..2 {
            for ty in &types {
                parts.push(self.expr(*ty, depth, scope));
            }
        }
        if self.chance.one_in(5) {
            return boolean("(({}, {}) IS DISTINCT FROM ({}, {}))", parts);
        }
        if self.chance.one_in(4) {
            for ty in &types {
                parts.push(self.constant(*ty));
            }
            return boolean("(({}, {}) IN (({}, {}), ({}, {})))", parts);
        }
        let op = self.chance.pick(&COMPARISONS);
        boolean(&format!("(({{}}, {{}}) {op} ({{}}, {{}}))"), parts)
    }

    fn exists(&mut self, scope: &Scope) -> Expr {
        self.shape("EXISTS");
        self.level += 1;
        let types = self.types();
        let (query, _) = self.query(&types, &scope.inside());
        self.level -= 1;
        let form = self
            .chance
            .pick(&["EXISTS ({})", "NOT EXISTS ({})", "EXISTS ({})"]);
        Expr::form(
            Ty::Bool,
            &format!("({form})"),
            vec![Part::Query(Box::new(query))],
        )
    }

    fn in_subquery(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("IN subquery");
        let columns = if self.chance.one_in(5) { 2 } else { 1 };
        let types: Vec<Ty> = (0..columns).map(|_| self.comparable(scope)).collect();
        let left = types.iter().map(|ty| self.expr(*ty, depth, scope));
        let mut holes: Vec<Part> = left.map(Part::Expr).collect();
        self.level += 1;
        let (query, _) = self.query(&types, &scope.inside());
        self.level -= 1;
        holes.push(Part::Query(Box::new(query)));
        let word = self.chance.pick(&["IN", "IN", "NOT IN"]);
        let left = vec!["{}"; columns].join(", ");
        Expr::form(Ty::Bool, &format!("(({left}) {word} ({{}}))"), holes)
    }

    fn any_subquery(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("ANY, ALL subquery");
        let ty = self.comparable(scope);
        let left = self.expr(ty, depth, scope);
        self.level += 1;
        let (query, _) = self.query(&[ty], &scope.inside());
        self.level -= 1;
        let op = self.chance.pick(&COMPARISONS);
        let word = self.chance.pick(&["ANY", "ALL", "SOME"]);
        Expr::form(
            Ty::Bool,
            &format!("({{}} {op} {word} ({{}}))"),
            vec![Part::Expr(left), Part::Query(Box::new(query))],
        )
    }

    fn any_array(&mut self, depth: u32, scope: &Scope) -> Expr {
        self.shape("ANY, ALL array");
        let (of, ty) = self
            .chance
            .pick(&[(Ty::Int4, Ty::Int4s), (Ty::Text, Ty::Texts)]);
        let left = self.expr(of, depth, scope);
        let array = self.expr(ty, depth, scope);
        let op = self.chance.pick(&COMPARISONS);
        let word = self.chance.pick(&["ANY", "ALL"]);
        // With the cast a subquery is one array, and not rows of elements.
        let name = ty.name();
        boolean(
            &format!("({{}} {op} {word} ({{}}::{name}))"),
            vec![left, array],
        )
    }
}

fn boolean(template: &str, parts: Vec<Expr>) -> Expr {
    let holes = parts.into_iter().map(Part::Expr).collect();
    Expr::form(Ty::Bool, template, holes)
}
