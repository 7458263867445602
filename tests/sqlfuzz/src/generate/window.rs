//! Window functions, over orders that leave no choice where the function could tell.

use crate::ast::{Expr, Part, Query};
use crate::types::Ty;

use super::query::Made;
use super::{Generator, Rel, Scope};

impl Generator<'_> {
    pub(super) fn windowed(&mut self, types: &[Ty], outer: &Scope) -> Made {
        self.shape("window functions");
        let (mut select, mut scope) = self.source(outer);
        let keys = scope.key().filter(|key| !key.is_empty());
        let rows = scope.rows();
        if self.chance.one_in(5) {
            self.shape("WINDOW clause");
            let name = self.name("n");
            let window = self.window(&scope, true);
            select.windows.push((name, window));
        }
        let names: Vec<String> = select
            .windows
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        self.add_windows(&mut scope, types);
        let mut items = Vec::new();
        for ty in types {
            let named = names
                .first()
                .filter(|_| *ty == Ty::Int8 && self.chance.percent(60));
            let item = match named {
                Some(name) => Expr::leaf(Ty::Int8, format!("count(*) OVER {name}")),
                None => self.expr(*ty, 1, &scope),
            };
            items.push((item, String::new()));
        }
        select.items = items;
        Made {
            query: Query::select(select),
            keys,
            rows,
        }
    }

    /// Makes the scope hold calls of window functions that give these types.
    pub(super) fn add_windows(&mut self, scope: &mut Scope, types: &[Ty]) {
        let mut calls = Vec::new();
        for ty in types {
            for _ in 0..2 {
                calls.extend(self.window_call(*ty, scope));
            }
        }
        scope.rels.push(Rel {
            columns: calls,
            key: Some(Vec::new()),
            has_twins: false,
            rows: 1.0,
            is_visible_inside: false,
        });
    }

    fn window_call(&mut self, ty: Ty, scope: &Scope) -> Option<Expr> {
        let level = std::mem::replace(&mut self.level, 2);
        let has_key = scope.tells_rows_apart();
        let call = match self.chance.below(10) {
            0..2 if matches!(ty, Ty::Int8 | Ty::Int4 | Ty::Float8) => self.rank(ty, scope),
            0..5 if has_key => Some(self.neighbour(ty, scope)),
            _ => self.window_aggregate(ty, scope, has_key),
        };
        self.level = level;
        call
    }

    fn rank(&mut self, ty: Ty, scope: &Scope) -> Option<Expr> {
        let has_key = scope.tells_rows_apart();
        let name = match ty {
            Ty::Int8 if has_key => self
                .chance
                .pick(&["row_number()", "rank()", "dense_rank()"]),
            Ty::Int8 => self.chance.pick(&["rank()", "dense_rank()"]),
            Ty::Int4 if has_key => self.chance.pick(&["ntile(3)", "ntile(2)"]),
            Ty::Float8 => self.chance.pick(&["percent_rank()", "cume_dist()"]),
            _ => return None,
        };
        self.shape("ranks");
        let total = matches!(name, "row_number()" | "ntile(3)" | "ntile(2)");
        let window = self.window(scope, total);
        Some(over(ty, Expr::leaf(ty, name), window))
    }

    /// `lag` and its like: they need an order without choice.
    fn neighbour(&mut self, ty: Ty, scope: &Scope) -> Expr {
        let inner = self.leaf(ty, scope);
        let name = self
            .chance
            .pick(&["lag", "lead", "first_value", "last_value", "nth_value"]);
        self.shape("lag, first_value");
        let offset = self.chance.between(1, 3);
        let mut holes = vec![Part::Expr(inner)];
        let call = match name {
            "nth_value" => format!("nth_value({{}}, {offset})"),
            "lag" | "lead" if self.chance.percent(50) => {
                holes.push(Part::Expr(self.leaf(ty, scope)));
                format!("{name}({{}}, {offset}, {{}})")
            }
            _ => format!("{name}({{}})"),
        };
        let mut window = self.window(scope, true);
        if !matches!(name, "lag" | "lead") {
            self.frame(&mut window, true);
        }
        over(ty, Expr::form(ty, &call, holes), window)
    }

    fn window_aggregate(&mut self, ty: Ty, scope: &Scope, has_key: bool) -> Option<Expr> {
        let functions = self.functions;
        let fits =
            |call: &&crate::functions::Aggregate| call.result == ty && !call.depends_on_order;
        let found: Vec<_> = functions.aggregates.iter().filter(fits).collect();
        if found.is_empty() {
            return None;
        }
        self.shape("window aggregate");
        let call = self.chance.pick(&found);
        let call = self.aggregate(call, scope, true);
        let window = if self.chance.one_in(6) {
            self.range_window(scope)
        } else {
            None
        };
        let window = match window {
            Some(window) => window,
            None => {
                let total = has_key && self.chance.percent(60);
                let mut window = self.window(scope, total);
                if self.chance.percent(60) {
                    self.frame(&mut window, total);
                }
                window
            }
        };
        Some(over(ty, call, window))
    }

    /// PARTITION BY and ORDER BY; an order that leaves no choice if it is to be total.
    fn window(&mut self, scope: &Scope, total: bool) -> Expr {
        let columns = keys(scope, Ty::is_comparable);
        let mut template = String::new();
        let mut holes = Vec::new();
        if !columns.is_empty() && self.chance.percent(50) {
            template.push_str("PARTITION BY {}");
            holes.push(Part::Expr(self.chance.pick(&columns)));
        }
        let mut keys = Vec::new();
        if !columns.is_empty() && self.chance.percent(60) {
            keys.push(self.chance.pick(&columns));
        }
        if total && let Some(key) = scope.key() {
            keys.extend(key);
        }
        for (index, key) in keys.into_iter().enumerate() {
            template.push_str(if index == 0 { " ORDER BY {}" } else { ", {}" });
            template.push_str(self.direction());
            holes.push(Part::Expr(key));
        }
        Expr::form(Ty::Bool, &template, holes)
    }

    /// A frame by the distance of values.
    fn range_window(&mut self, scope: &Scope) -> Option<Expr> {
        let kinds = |ty: Ty| {
            matches!(
                ty,
                Ty::Int4 | Ty::Int8 | Ty::Numeric | Ty::Float8 | Ty::Date
            )
        };
        let columns = keys(scope, kinds);
        if columns.is_empty() {
            return None;
        }
        self.shape("RANGE offsets");
        let key = self.chance.pick(&columns);
        let (near, far) = match key.ty {
            Ty::Date => ("'10 days'", "'1 year'"),
            Ty::Int4 | Ty::Int8 => ("1", "10"),
            _ => ("1.5", "20"),
        };
        let direction = self.direction();
        let bounds = self.chance.pick(&[
            format!("{near} PRECEDING AND {far} FOLLOWING"),
            format!("UNBOUNDED PRECEDING AND {near} PRECEDING"),
            format!("CURRENT ROW AND {far} FOLLOWING"),
            format!("{near} FOLLOWING AND UNBOUNDED FOLLOWING"),
            format!("{far} PRECEDING AND CURRENT ROW"),
        ]);
        let template = format!("ORDER BY {{}}{direction} RANGE BETWEEN {bounds}");
        Some(Expr::form(Ty::Bool, &template, vec![Part::Expr(key)]))
    }

    fn frame(&mut self, window: &mut Expr, total: bool) {
        let is_ordered = window
            .parts
            .iter()
            .any(|part| matches!(part, Part::Text(text) if text.contains("ORDER BY")));
        let units: &[&str] = match (total && is_ordered, is_ordered) {
            (true, _) => &["ROWS", "ROWS", "RANGE", "GROUPS"],
            (false, true) => &["RANGE", "GROUPS"],
            (false, false) => &["RANGE"],
        };
        let unit = self.chance.pick(units);
        self.shape(match unit {
            "ROWS" => "frame ROWS",
            "GROUPS" => "frame GROUPS",
            _ => "frame RANGE",
        });
        let (first, second) = (self.chance.between(0, 3), self.chance.between(0, 3));
        let bounds = match unit {
            "RANGE" => self.chance.pick(&[
                "UNBOUNDED PRECEDING AND CURRENT ROW".to_owned(),
                "CURRENT ROW AND UNBOUNDED FOLLOWING".to_owned(),
                "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING".to_owned(),
                "CURRENT ROW AND CURRENT ROW".to_owned(),
            ]),
            _ => self.chance.pick(&[
                format!("{first} PRECEDING AND {second} FOLLOWING"),
                format!("UNBOUNDED PRECEDING AND {first} FOLLOWING"),
                format!("{first} PRECEDING AND UNBOUNDED FOLLOWING"),
                format!("{first} FOLLOWING AND {} FOLLOWING", first + second),
                format!("{} PRECEDING AND {first} PRECEDING", first + second),
                "UNBOUNDED PRECEDING AND CURRENT ROW".to_owned(),
            ]),
        };
        let mut exclude = "";
        if self.chance.one_in(4) {
            self.shape("frame EXCLUDE");
            exclude = self.chance.pick(&[
                " EXCLUDE GROUP",
                " EXCLUDE TIES",
                " EXCLUDE NO OTHERS",
                " EXCLUDE CURRENT ROW",
            ]);
        }
        let text = format!(" {unit} BETWEEN {bounds}{exclude}");
        window.parts.push(Part::Text(text));
    }
}

/// What rows may be put in partitions and orders by: no aggregates of floats, whose last digits
/// would tell groups apart that are equal.
fn keys(scope: &Scope, kinds: impl Fn(Ty) -> bool) -> Vec<Expr> {
    let mut columns = Scope::columns(&scope.rels, kinds);
    columns.retain(|column| column.is_leaf() || !column.ty.is_float());
    columns
}

fn over(ty: Ty, call: Expr, window: Expr) -> Expr {
    Expr::form(
        ty,
        "{} OVER ({})",
        vec![Part::Expr(call), Part::Expr(window)],
    )
}
