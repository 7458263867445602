//! Queries: named ones, set operations, orders and limits around a SELECT.

use crate::ast::{Body, Expr, Query, With};
use crate::types::Ty;

use super::{Generator, Named, Scope};

/// A query's inside, before it is ordered.
pub(super) struct Made {
    pub query: Query,
    /// What else its rows may be ordered by; leaves no choice among them. `None` where only its
    /// columns can be.
    pub keys: Option<Vec<Expr>>,
    pub rows: f64,
}

impl Generator<'_> {
    /// A query that gives columns of these types, and whether its order leaves no choice.
    pub fn query(&mut self, types: &[Ty], outer: &Scope) -> (Query, bool) {
        let mut with = Vec::new();
        let mut recursive = false;
        let names = self.named.len();
        if self.level == 0 && self.chance.percent(14) {
            for _ in 0..1 + self.chance.index(2) {
                recursive |= self.named_query_definition(&mut with);
            }
        }
        let made = self.body(types, outer);
        let (mut query, total) = self.ordered(made, types);
        self.named.truncate(names);
        // A body with names of its own keeps them.
        if !with.is_empty() {
            query.with = with;
            query.recursive = recursive;
        }
        (query, total)
    }

    /// Whether it is recursive.
    fn named_query_definition(&mut self, with: &mut Vec<With>) -> bool {
        let is_recursive = self.chance.one_in(4);
        self.level += 1;
        let name = self.name("q");
        let (query, types, rows) = if is_recursive {
            self.recursive(&name)
        } else {
            self.shape("WITH");
            let types = self.types();
            let (query, _) = self.query(&types, &Scope::default());
            (query, types, self.rows_made)
        };
        self.level -= 1;
        let columns: Vec<String> = match &query.body {
            // The recursive part knows them already.
            _ if is_recursive => (1..=types.len()).map(|n| format!("{name}_{n}")).collect(),
            _ => types.iter().map(|_| self.name("y")).collect(),
        };
        let hint = if is_recursive {
            ""
        } else {
            self.chance
                .pick(&["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
        };
        self.named.push(Named {
            name: name.clone(),
            columns: columns.iter().cloned().zip(types).collect(),
            rows,
        });
        with.push(With {
            name,
            columns,
            hint,
            query,
        });
        is_recursive
    }

    fn body(&mut self, types: &[Ty], outer: &Scope) -> Made {
        let set = if self.level < 2 && self.has_room() {
            10
        } else {
            0
        };
        match self.chance.weighted(&[(86, 0), (set, 1), (3, 2)]) {
            0 => self.select(types, outer),
            1 => self.set_operation(types, outer),
            _ => self.values_query(types, outer),
        }
    }

    fn values_query(&mut self, types: &[Ty], outer: &Scope) -> Made {
        self.shape("VALUES query");
        let count = 1 + self.chance.index(3);
        let scope = outer.clone();
        let rows = (0..count).map(|_| types.iter().map(|ty| self.expr(*ty, 1, &scope)).collect());
        Made {
            query: Query::of(Body::Values(rows.collect())),
            keys: None,
            rows: count as f64,
        }
    }

    fn set_operation(&mut self, types: &[Ty], outer: &Scope) -> Made {
        let comparable = types.iter().all(|ty| ty.is_comparable());
        let operation = if comparable {
            self.chance.pick(&[
                "UNION ALL",
                "UNION ALL",
                "UNION",
                "INTERSECT",
                "INTERSECT ALL",
                "EXCEPT",
                "EXCEPT ALL",
            ])
        } else {
            "UNION ALL"
        };
        self.shape(operation);
        if operation != "UNION ALL" && types.iter().any(|ty| !ty.is_exact()) {
            self.tolerance.looks = true;
        }
        self.level += 1;
        let (left, _) = self.query(types, outer);
        let left_rows = self.rows_made;
        let (right, _) = self.query(types, outer);
        let rows = left_rows + self.rows_made;
        self.level -= 1;
        Made {
            query: Query::of(Body::Set(operation, Box::new(left), Box::new(right))),
            keys: None,
            rows,
        }
    }

    /// Perhaps with ORDER BY and LIMIT.
    fn ordered(&mut self, made: Made, types: &[Ty]) -> (Query, bool) {
        let Made {
            mut query,
            keys,
            rows,
        } = made;
        self.rows_made = rows;
        let is_ordered = !query.order.is_empty();
        if is_ordered || self.chance.percent(60) {
            return (query, is_ordered);
        }
        let can_order = types.iter().all(|ty| ty.is_comparable());
        let exact = types.iter().all(|ty| ty.is_exact());
        if !can_order {
            return (query, false);
        }
        self.shape("ORDER BY");
        let mut positions: Vec<usize> = (1..=types.len()).collect();
        self.chance.shuffle(&mut positions);
        if self.chance.one_in(10) {
            // All rows that are equal to the last one come too, whatever the order.
            self.shape("WITH TIES");
            query.order = vec![(
                Expr::leaf(Ty::Int4, positions[0].to_string()),
                self.direction(),
            )];
            let count = self.chance.between(1, 5);
            query.limit = Some(format!("FETCH FIRST {count} ROWS WITH TIES"));
            self.rows_made = rows.min(10.0);
            return (query, false);
        }
        let mut order: Vec<(Expr, &'static str)> = positions
            .iter()
            .map(|position| (Expr::leaf(Ty::Int4, position.to_string()), self.direction()))
            .collect();
        let total = match keys {
            _ if exact => true,
            Some(keys) => {
                order.truncate(self.chance.index(order.len() + 1));
                for key in keys {
                    order.push((key, self.direction()));
                }
                true
            }
            None => false,
        };
        if order.is_empty() {
            return (query, false);
        }
        query.order = order;
        if total && self.chance.percent(40) {
            self.shape("LIMIT");
            let (limit, offset) = (self.chance.between(0, 12), self.chance.between(0, 4));
            let text = match self.chance.below(4) {
                0 => format!("LIMIT {limit}"),
                1 => format!("LIMIT {limit} OFFSET {offset}"),
                2 => format!("OFFSET {offset}"),
                _ => format!("OFFSET {offset} ROWS FETCH NEXT {limit} ROWS ONLY"),
            };
            query.limit = Some(text);
            self.rows_made = rows.min(12.0);
        }
        (query, total)
    }

    pub(super) fn direction(&mut self) -> &'static str {
        self.chance.pick(&[
            "",
            "",
            " DESC",
            " NULLS FIRST",
            " DESC NULLS LAST",
            " ASC NULLS LAST",
        ])
    }
}
