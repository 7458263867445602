//! Small WITH RECURSIVE queries that end.

use crate::ast::{Body, Expr, From, On, Part, Query, Select};
use crate::types::Ty;

use super::query::Made;
use super::{Generator, Rel, Scope};

impl Generator<'_> {
    /// A query that counts up in its first column and reads itself under this name; its columns are
    /// called `name_1` and on.
    pub(super) fn recursive(&mut self, name: &str) -> (Query, Vec<Ty>, f64) {
        self.shape("WITH RECURSIVE");
        let types = vec![
            Ty::Int4,
            self.chance.pick(&[Ty::Int4, Ty::Text, Ty::Int8, Ty::Date]),
        ];
        let Made { query: base, .. } = self.plain_select(&types[1..], &Scope::default(), 6.0);
        let mut base = base;
        if let Some(select) = base.as_select_mut() {
            select
                .items
                .insert(0, (Expr::leaf(Ty::Int4, "1"), String::new()));
        }
        let alias = self.name("w");
        let columns: Vec<Expr> = types
            .iter()
            .enumerate()
            .map(|(index, ty)| Expr::leaf(*ty, format!("{alias}.{name}_{}", index + 1)))
            .collect();
        let own = Rel {
            columns: columns.clone(),
            key: None,
            has_twins: false,
            rows: 6.0,
            // Not within a subquery: there it may not stand.
            is_visible_inside: false,
        };
        let mut scope = Scope {
            rels: vec![own],
            outer: Vec::new(),
        };
        let mut from = From::Table {
            name: name.to_owned(),
            alias,
        };
        let small = self
            .world
            .tables
            .iter()
            .filter(|table| table.rows.len() <= 12);
        let small: Vec<_> = small.collect();
        if !small.is_empty() && self.chance.percent(30) {
            let table = self.chance.pick(&small);
            let alias = self.name("r");
            let id = Expr::leaf(table.columns[0].ty, format!("{alias}.id"));
            let on = vec![Part::Expr(id), Part::Expr(columns[0].clone())];
            from = From::Join {
                kind: "JOIN",
                on: On::Condition(Expr::form(Ty::Bool, "({} = {})", on)),
                left: Box::new(from),
                right: Box::new(From::Table {
                    name: table.name.clone(),
                    alias: alias.clone(),
                }),
            };
            let columns = table.columns.iter();
            scope.rels.push(Rel {
                columns: columns
                    .map(|column| Expr::leaf(column.ty, format!("{alias}.{}", column.name)))
                    .collect(),
                key: None,
                has_twins: false,
                rows: 1.0,
                is_visible_inside: true,
            });
        }
        let level = std::mem::replace(&mut self.level, 2);
        let next = Expr::form(Ty::Int4, "{} + 1", vec![Part::Expr(columns[0].clone())]);
        let value = self.expr(types[1], 1, &scope);
        self.level = level;
        let rounds = self.chance.between(2, 5);
        let step = Select {
            items: vec![(next, String::new()), (value, String::new())],
            from: vec![from],
            filter: Some(Expr::form(
                Ty::Bool,
                &format!("({{}} < {rounds})"),
                vec![Part::Expr(columns[0].clone())],
            )),
            ..Select::default()
        };
        let union = self.chance.pick(&["UNION ALL", "UNION"]);
        let query = Query::of(Body::Set(
            union,
            Box::new(base),
            Box::new(Query::select(step)),
        ));
        (query, types, 30.0)
    }
}
