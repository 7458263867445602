//! GROUP BY, and aggregates of all rows.

use crate::ast::{Expr, Group, Part, Query, Select};
use crate::functions::Aggregate;
use crate::types::Ty;

use super::query::Made;
use super::{Generator, Rel, Scope};

impl Generator<'_> {
    /// One row of aggregates.
    pub(super) fn global_aggregate(&mut self, types: &[Ty], outer: &Scope) -> Query {
        self.shape("aggregate without GROUP BY");
        let (mut select, scope) = self.source(outer);
        let grouped = self.grouped_scope(Vec::new(), types, &scope);
        let depth = self.depth_of_grouped();
        select.items = self.items(types, depth, &grouped);
        // A query without an aggregate would give a row for each row.
        let count = Expr::leaf(Ty::Bool, "(count(*) >= 0)");
        select.having = Some(if self.chance.one_in(6) {
            self.shape("HAVING");
            let more = self.condition(1, &grouped);
            let holes = vec![Part::Expr(count), Part::Expr(more)];
            Expr::form(Ty::Bool, "({} AND {})", holes)
        } else {
            count
        });
        Query::select(select)
    }

    fn depth_of_grouped(&mut self) -> u32 {
        u32::try_from(self.chance.index(3)).unwrap_or(0)
    }

    /// What may stand in the select list of a grouped query.
    fn grouped_scope(&mut self, keys: Vec<Expr>, types: &[Ty], scope: &Scope) -> Scope {
        let mut calls = Vec::new();
        for ty in types {
            if let Some(call) = self.aggregate_of(Some(*ty), scope) {
                calls.push(call);
            }
        }
        calls.extend(self.aggregate_of(None, scope));
        let keys_are_columns = keys.iter().all(Expr::is_leaf);
        let rels = vec![
            Rel {
                key: Some(keys.clone()),
                has_twins: false,
                columns: keys,
                rows: 10.0,
                is_visible_inside: keys_are_columns,
            },
            Rel {
                columns: calls,
                key: None,
                has_twins: false,
                rows: 1.0,
                is_visible_inside: false,
            },
        ];
        Scope {
            rels,
            outer: scope.outer.clone(),
        }
    }

    /// A call of an aggregate over the relations in scope.
    pub(super) fn aggregate_of(&mut self, ty: Option<Ty>, scope: &Scope) -> Option<Expr> {
        let functions = self.functions;
        let fits = functions.aggregates.iter();
        let fits = fits.filter(|call| ty.is_none_or(|ty| call.result == ty));
        let found: Vec<&Aggregate> = fits.collect();
        if found.is_empty() {
            return None;
        }
        let call = self.chance.pick(&found);
        Some(self.aggregate(call, scope, false))
    }

    /// Arguments do not use outer columns: an aggregate of those alone would belong to the query
    /// around.
    pub(super) fn aggregate(&mut self, call: &Aggregate, scope: &Scope, window: bool) -> Expr {
        let scope = scope.without_outer();
        let level = std::mem::replace(&mut self.level, 2);
        if call.args.iter().any(|ty| ty.is_float()) {
            self.tolerance.digits = true;
            self.tolerance.singles |= call.args.contains(&Ty::Float4);
        }
        if !call.result.is_exact() && matches!(call.name, "min" | "max") {
            self.tolerance.looks = true;
        }
        let args: Vec<Expr> = call
            .args
            .iter()
            .map(|ty| self.expr(*ty, 1, &scope))
            .collect();
        let mut template = format!("{}(", call.name);
        let mut holes: Vec<Part> = Vec::new();
        if args.is_empty() {
            template.push('*');
        } else {
            let distinct = !window
                && self.chance.percent(12)
                && call
                    .args
                    .iter()
                    .all(|ty| ty.is_comparable() && ty.is_exact());
            if distinct {
                self.shape("aggregate DISTINCT");
                template.push_str("DISTINCT ");
            }
            template.push_str(&vec!["{}"; args.len()].join(", "));
            holes.extend(args.iter().cloned().map(Part::Expr));
            if call.depends_on_order && !window {
                self.shape("aggregate ORDER BY");
                template.push_str(" ORDER BY ");
                let keys = args.iter().cloned().map(Part::Expr);
                template.push_str(&vec!["{}"; args.len()].join(", "));
                holes.extend(keys);
            }
        }
        template.push(')');
        // The filter of a window function may not hold aggregates.
        let over_groups = window && scope.rels.iter().any(|rel| !rel.is_visible_inside);
        if !over_groups && self.chance.percent(15) {
            self.shape("aggregate FILTER");
            template.push_str(" FILTER (WHERE {})");
            holes.push(Part::Expr(self.condition(1, &scope)));
        }
        self.level = level;
        Expr::form(call.result, &template, holes)
    }

    /// Keys for GROUP BY: columns, and expressions of columns.
    fn group_keys(&mut self, scope: &Scope) -> Vec<Expr> {
        let columns = Scope::columns(&scope.rels, Ty::is_comparable);
        if columns.is_empty() {
            return Vec::new();
        }
        let mut keys: Vec<Expr> = Vec::new();
        for _ in 0..1 + self.chance.index(3) {
            let column = self.chance.pick(&columns);
            let key = if self.chance.percent(25) {
                self.shape("GROUP BY expression");
                let form = match column.ty {
                    Ty::Int2 | Ty::Int4 | Ty::Int8 => "({} % 3)",
                    Ty::Text | Ty::Varchar => "upper({})",
                    _ => "({} IS NULL)",
                };
                let ty = match column.ty {
                    Ty::Int4 | Ty::Int8 | Ty::Text => column.ty,
                    // The remainder by an integer is one.
                    Ty::Int2 => Ty::Int4,
                    Ty::Varchar => Ty::Text,
                    _ => Ty::Bool,
                };
                Expr::form(ty, form, vec![Part::Expr(column)])
            } else {
                if !column.ty.is_exact() {
                    self.tolerance.looks = true;
                }
                column
            };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    pub(super) fn grouped(&mut self, types: &[Ty], outer: &Scope) -> Made {
        let (mut select, scope) = self.source(outer);
        let keys = self.group_keys(&scope);
        if keys.is_empty() {
            return Made {
                query: self.global_aggregate(types, outer),
                keys: None,
                rows: 1.0,
            };
        }
        self.shape("GROUP BY");
        let grouped = self.grouped_scope(keys.clone(), types, &scope);
        select.group = self.group_clause(keys);
        let depth = self.depth_of_grouped();
        let with_window = self.chance.one_in(6);
        let mut items_scope = grouped.clone();
        if with_window {
            self.shape("window over groups");
            self.add_windows(&mut items_scope, types);
        }
        select.items = self.items(types, depth, &items_scope);
        if self.chance.percent(35) {
            self.shape("HAVING");
            select.having = Some(self.condition(2, &grouped));
        }
        Made {
            query: Query::select(select),
            keys: None,
            rows: scope.rows().min(40.0),
        }
    }

    fn group_clause(&mut self, keys: Vec<Expr>) -> Vec<Group> {
        if keys.len() > 1 && self.chance.percent(30) {
            let kind = self.chance.pick(&["ROLLUP ", "CUBE "]);
            self.shape(if kind == "CUBE " { "CUBE" } else { "ROLLUP" });
            return vec![Group::Many(kind, keys)];
        }
        if self.chance.percent(10) {
            self.shape("GROUPING SETS");
            let mut sets: Vec<Vec<Expr>> = keys.iter().map(|key| vec![key.clone()]).collect();
            sets.push(keys);
            if self.chance.percent(60) {
                sets.push(Vec::new());
            }
            return vec![Group::Sets(sets)];
        }
        keys.into_iter().map(Group::One).collect()
    }

    /// The groups of a SELECT in the simplest way: one key, aggregates, no HAVING.
    pub fn simple_groups(&mut self, select: &mut Select, scope: &Scope) -> Option<Scope> {
        let key = self.group_keys(scope).into_iter().next()?;
        let types = [Ty::Int8, key.ty];
        let grouped = self.grouped_scope(vec![key.clone()], &types, scope);
        let mut items = vec![(key.clone(), String::new())];
        items.extend(
            grouped.rels[1]
                .columns
                .iter()
                .map(|call| (call.clone(), String::new())),
        );
        select.items = items;
        select.group = vec![Group::One(key)];
        Some(grouped)
    }
}
