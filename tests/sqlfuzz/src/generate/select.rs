//! SELECT in all its kinds.

use crate::ast::{Distinct, Expr, Query, Select};
use crate::types::Ty;

use super::query::Made;
use super::{Generator, Scope};

impl Generator<'_> {
    pub(super) fn select(&mut self, types: &[Ty], outer: &Scope) -> Made {
        let room = u64::from(self.has_room());
        let comparable = u64::from(types.iter().all(|ty| ty.is_comparable()));
        let kinds = [
            (48, 0),
            (10 * comparable, 1),
            (5 * room, 2),
            (18 * room, 3),
            (6, 4),
            (12 * room, 5),
            (2, 6),
        ];
        match self.chance.weighted(&kinds) {
            0 => self.plain_select(types, outer, f64::MAX),
            1 => self.distinct(types, outer),
            2 => self.distinct_on(types, outer),
            3 => self.grouped(types, outer),
            4 => Made {
                query: self.global_aggregate(types, outer),
                keys: None,
                rows: 1.0,
            },
            5 => self.windowed(types, outer),
            _ => self.without_from(types, outer),
        }
    }

    fn without_from(&mut self, types: &[Ty], outer: &Scope) -> Made {
        self.shape("no FROM");
        let items = self.items(types, 2, outer);
        Made {
            query: Query::select(Select {
                items,
                ..Select::default()
            }),
            keys: None,
            rows: 1.0,
        }
    }

    pub fn items(&mut self, types: &[Ty], depth: u32, scope: &Scope) -> Vec<(Expr, String)> {
        let items = types
            .iter()
            .map(|ty| (self.expr(*ty, depth, scope), String::new()));
        items.collect()
    }

    /// FROM and WHERE, and what is in scope then.
    pub fn source(&mut self, outer: &Scope) -> (Select, Scope) {
        let (from, rels) = self.from(outer);
        let scope = Scope {
            rels,
            outer: outer.outer.clone(),
        };
        let filter = if self.chance.percent(60) {
            self.shape("WHERE");
            let depth = 1 + u32::try_from(self.chance.index(3)).unwrap_or(0);
            Some(self.condition(depth, &scope))
        } else {
            None
        };
        let select = Select {
            from,
            filter,
            ..Select::default()
        };
        (select, scope)
    }

    pub(super) fn plain_select(&mut self, types: &[Ty], outer: &Scope, rows_max: f64) -> Made {
        let (mut select, scope) = self.source(outer);
        let depth = u32::try_from(self.chance.index(4)).unwrap_or(0);
        select.items = self.items(types, depth, &scope);
        let mut query = Query::select(select);
        let mut rows = scope.rows();
        if rows > rows_max {
            // The first rows in any order of all columns that tell them apart.
            match scope.key().filter(|key| !key.is_empty()) {
                Some(key) => {
                    query.order = key.into_iter().map(|key| (key, "")).collect();
                    query.limit = Some(format!("LIMIT {rows_max}"));
                }
                None => query = self.global_aggregate(types, outer),
            }
            rows = rows_max;
        }
        Made {
            query,
            keys: scope.key().filter(|key| !key.is_empty()),
            rows,
        }
    }

    fn distinct(&mut self, types: &[Ty], outer: &Scope) -> Made {
        self.shape("DISTINCT");
        let mut made = self.plain_select(types, outer, f64::MAX);
        if let Some(select) = made.query.as_select_mut() {
            select.distinct = Distinct::Rows;
        }
        if types.iter().any(|ty| !ty.is_exact()) {
            self.tolerance.looks = true;
        }
        Made {
            keys: None,
            rows: made.rows.min(200.0),
            ..made
        }
    }

    /// The first rows in an order that leaves no choice.
    fn distinct_on(&mut self, types: &[Ty], outer: &Scope) -> Made {
        let (mut select, scope) = self.source(outer);
        select.items = self.items(types, 1, &scope);
        let Some(key) = scope.key().filter(|key| !key.is_empty()) else {
            return Made {
                query: Query::select(select),
                keys: None,
                rows: scope.rows(),
            };
        };
        self.shape("DISTINCT ON");
        let columns = Scope::columns(&scope.rels, Ty::is_comparable);
        let on: Vec<Expr> = (0..1 + self.chance.index(2))
            .map(|_| self.chance.pick(&columns))
            .collect();
        select.distinct = Distinct::On(on.clone());
        let mut query = Query::select(select);
        for key in on.into_iter().chain(key) {
            if !query.order.iter().any(|(known, _)| *known == key) {
                query.order.push((key, self.direction()));
            }
        }
        Made {
            query,
            keys: None,
            rows: scope.rows().min(100.0),
        }
    }
}
