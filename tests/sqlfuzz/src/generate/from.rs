//! Relations and joins.

use crate::ast::{Body, Expr, From, On, Part, Query};
use crate::types::Ty;

use super::{Generator, Rel, Scope};

/// About how many rows joins may give, by how deep the query stands.
const JOINED_ROWS_MAX: [f64; 3] = [4_000.0, 600.0, 100.0];
/// Largest tables of queries inside others, which may run once for each row around them.
const INNER_ROWS_MAX: f64 = 60.0;
/// About which share of pairs an equality leaves.
const EQUALITY_SHARE: f64 = 0.15;

impl Generator<'_> {
    /// What stands behind FROM, and its relations.
    pub(super) fn from(&mut self, outer: &Scope) -> (Vec<From>, Vec<Rel>) {
        let mut scope = outer.clone();
        scope.rels.clear();
        let items = if self.chance.one_in(12) { 2 } else { 1 };
        let mut from = Vec::new();
        for index in 0..items {
            if index > 0 {
                self.shape("comma join");
            }
            let (item, rels) = self.tree(&scope);
            from.push(item);
            scope.rels.extend(rels);
        }
        (from, scope.rels)
    }

    fn level_index(&self) -> usize {
        usize::try_from(self.level).unwrap_or(0).min(2)
    }

    /// A tree of joins; the scope has the relations before it.
    fn tree(&mut self, before: &Scope) -> (From, Vec<Rel>) {
        let max = JOINED_ROWS_MAX[self.level_index()] / before.rows();
        let (mut from, rel) = self.relation(before, max, false);
        let mut rels = vec![rel];
        let joins = self.chance.weighted(&[(45, 0), (32, 1), (15, 2), (5, 3)]);
        let joins = if self.level > 1 { joins.min(1) } else { joins };
        for _ in 0..joins {
            if !self.has_room() {
                break;
            }
            (from, rels) = self.join(from, rels, before, max);
        }
        (from, rels)
    }

    fn join(
        &mut self,
        left: From,
        mut rels: Vec<Rel>,
        before: &Scope,
        max: f64,
    ) -> (From, Vec<Rel>) {
        let kinds = [
            (30, "JOIN"),
            (25, "LEFT JOIN"),
            (10, "RIGHT JOIN"),
            (9, "FULL JOIN"),
            (6, "CROSS JOIN"),
            (4, "NATURAL JOIN"),
            (2, "NATURAL FULL JOIN"),
        ];
        let mut kind = self.chance.weighted(&kinds);
        let mut scope = Scope {
            rels: before.rels.clone(),
            outer: before.outer.clone(),
        };
        scope.rels.extend(rels.clone());
        let rows: f64 = rels.iter().map(|rel| rel.rows.max(1.0)).product();
        let lateral = matches!(kind, "JOIN" | "LEFT JOIN" | "CROSS JOIN")
            && self.level < 2
            && self.chance.one_in(8);
        let (right, right_rels) = if !lateral && self.level == 0 && self.chance.one_in(14) {
            self.shape("nested join");
            let nothing = Scope {
                rels: Vec::new(),
                outer: before.outer.clone(),
            };
            let (from, rel) = self.relation(&nothing, max / rows, false);
            self.join(from, vec![rel], &nothing, max / rows)
        } else {
            let (from, rel) = self.relation(&scope, max / rows / EQUALITY_SHARE, lateral);
            (from, vec![rel])
        };
        let are_tables = matches!(left, From::Table { .. }) && matches!(right, From::Table { .. });
        // Of one table all columns would be common ones, also those that cannot be compared.
        let name = |from: &From| match from {
            From::Table { name, .. } => Some(name.clone()),
            _ => None,
        };
        if kind.starts_with("NATURAL") && (!are_tables || name(&left) == name(&right)) {
            kind = "JOIN";
        }
        let right_rows: f64 = right_rels.iter().map(|rel| rel.rows.max(1.0)).product();
        self.shape(kind);
        // A condition sees the two sides and what is around the query.
        let mut sides = Scope {
            rels: rels.clone(),
            outer: before.outer.clone(),
        };
        sides.rels.extend(right_rels.clone());
        let mut share = EQUALITY_SHARE;
        let on = if kind.starts_with("NATURAL") || kind == "CROSS JOIN" {
            share = if kind == "CROSS JOIN" { 1.0 } else { share };
            On::None
        } else if are_tables && self.chance.one_in(10) {
            self.shape("USING");
            On::Using(vec!["id".to_owned()])
        } else if kind != "FULL JOIN" && rows * right_rows < max && self.chance.percent(30) {
            share = 0.6;
            let depth = 1 + u32::try_from(self.chance.index(2)).unwrap_or(0);
            On::Condition(self.condition(depth, &sides))
        } else {
            On::Condition(self.equality(&rels, &right_rels, &sides, kind == "FULL JOIN"))
        };
        rels.extend(right_rels);
        let joined = (rows * right_rows * share).max(1.0);
        spread(&mut rels, joined);
        let from = From::Join {
            kind,
            on,
            left: Box::new(left),
            right: Box::new(right),
        };
        (from, rels)
    }

    /// A column of one side equals one of the other, and perhaps more.
    fn equality(&mut self, left: &[Rel], right: &[Rel], sides: &Scope, full: bool) -> Expr {
        let lefts = Scope::columns(left, Ty::is_comparable);
        let rights = Scope::columns(right, Ty::is_comparable);
        let pairs: Vec<(Expr, Expr)> = lefts
            .iter()
            .flat_map(|a| rights.iter().map(move |b| (a, b)))
            .filter(|(a, b)| a.ty.goes_with(b.ty))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect();
        if pairs.is_empty() {
            return Expr::leaf(Ty::Bool, "true");
        }
        let (a, b) = self.chance.pick(&pairs);
        let equal = Expr::form(Ty::Bool, "({} = {})", vec![Part::Expr(a), Part::Expr(b)]);
        if self.chance.percent(70) {
            return equal;
        }
        self.shape("equality and more in ON");
        let level = self.level;
        if full {
            // Subqueries are not for its condition.
            self.level = 2;
        }
        let more = self.condition(1, sides);
        self.level = level;
        let holes = vec![Part::Expr(equal), Part::Expr(more)];
        Expr::form(Ty::Bool, "({} AND {})", holes)
    }

    /// One relation. A lateral one sees the scope's relations.
    fn relation(&mut self, scope: &Scope, rows_max: f64, lateral: bool) -> (From, Rel) {
        let deeper = if self.level < 2 && self.has_room() {
            14
        } else {
            0
        };
        let named = if self.named.is_empty() { 0 } else { 40 };
        let kinds = [(72, 0), (deeper, 1), (4, 2), (5, 3), (named, 4)];
        match if lateral {
            1
        } else {
            self.chance.weighted(&kinds)
        } {
            0 => self.table(rows_max),
            1 => self.derived(scope, lateral),
            2 => self.values(),
            3 => self.series(),
            _ => self.named_query(),
        }
    }

    fn table(&mut self, rows_max: f64) -> (From, Rel) {
        let inner_max = if self.level > 0 && self.chance.percent(92) {
            INNER_ROWS_MAX
        } else {
            f64::MAX
        };
        let max = rows_max.min(inner_max);
        let fits: Vec<_> = self
            .world
            .tables
            .iter()
            .filter(|table| table.rows.len() as f64 <= max)
            .collect();
        if fits.is_empty() {
            return self.values();
        }
        let table = self.chance.pick(&fits);
        if let Some(shape) = table.kind.shape() {
            self.shape(shape);
        }
        let alias = self.name("r");
        let columns: Vec<Expr> = table
            .columns
            .iter()
            .map(|column| Expr::leaf(column.ty, format!("{alias}.{}", column.name)))
            .collect();
        let rel = Rel {
            key: Some(vec![columns[0].clone()]),
            has_twins: false,
            columns,
            rows: table.rows.len() as f64,
            is_visible_inside: true,
        };
        let name = table.name.clone();
        (From::Table { name, alias }, rel)
    }

    fn derived(&mut self, scope: &Scope, lateral: bool) -> (From, Rel) {
        self.shape(if lateral { "LATERAL" } else { "FROM subquery" });
        let inside = if lateral {
            scope.inside()
        } else {
            Scope {
                rels: Vec::new(),
                outer: scope.outer.clone(),
            }
        };
        let types = self.types();
        self.level += 1;
        let (query, _) = self.query(&types, &inside);
        self.level -= 1;
        let rows = self.rows_made;
        let alias = self.name("s");
        let (columns, rel) = self.rel_of(&alias, &types, rows);
        let from = From::Query {
            lateral,
            query: Box::new(query),
            alias,
            columns,
        };
        (from, rel)
    }

    /// Names for columns of these types, and the relation that they make.
    pub(super) fn rel_of(&mut self, alias: &str, types: &[Ty], rows: f64) -> (Vec<String>, Rel) {
        let names: Vec<String> = types.iter().map(|_| self.name("x")).collect();
        let columns = names.iter().zip(types);
        let columns: Vec<Expr> = columns
            .map(|(name, ty)| Expr::leaf(*ty, format!("{alias}.{name}")))
            .collect();
        // Rows that are equal in all columns are the same to everyone.
        let is_exact = types.iter().all(|ty| ty.is_exact());
        let rel = Rel {
            key: is_exact.then(|| columns.clone()),
            has_twins: true,
            columns,
            rows,
            is_visible_inside: true,
        };
        (names, rel)
    }

    fn values(&mut self) -> (From, Rel) {
        self.shape("VALUES");
        let types = self.types();
        let count = 1 + self.chance.index(4);
        let rows = (0..count).map(|_| types.iter().map(|ty| self.constant(*ty)).collect());
        let query = Query::of(Body::Values(rows.collect()));
        let alias = self.name("v");
        let (columns, rel) = self.rel_of(&alias, &types, count as f64);
        let from = From::Query {
            lateral: false,
            query: Box::new(query),
            alias,
            columns,
        };
        (from, rel)
    }

    fn series(&mut self) -> (From, Rel) {
        self.shape("generate_series");
        let (first, last) = (self.chance.between(-3, 3), self.chance.between(0, 12));
        let step = self.chance.pick(&["", ", 2", ", -1", ", 3"]);
        let call = Expr::leaf(Ty::Int4, format!("generate_series({first}, {last}{step})"));
        let alias = self.name("g");
        let types: &[Ty] = if self.chance.one_in(3) {
            self.shape("WITH ORDINALITY");
            &[Ty::Int4, Ty::Int8]
        } else {
            &[Ty::Int4]
        };
        let (columns, mut rel) = self.rel_of(&alias, types, 10.0);
        rel.has_twins = false;
        let from = From::Function {
            call,
            alias,
            columns,
        };
        (from, rel)
    }

    fn named_query(&mut self) -> (From, Rel) {
        let named = self.chance.pick(&self.named);
        self.shape("CTE reference");
        let alias = self.name("w");
        let columns: Vec<Expr> = named
            .columns
            .iter()
            .map(|(name, ty)| Expr::leaf(*ty, format!("{alias}.{name}")))
            .collect();
        let is_exact = columns.iter().all(|column| column.ty.is_exact());
        let rel = Rel {
            key: is_exact.then(|| columns.clone()),
            has_twins: true,
            columns,
            rows: named.rows,
            is_visible_inside: true,
        };
        let name = named.name;
        (From::Table { name, alias }, rel)
    }
}

/// Relations that together give so many rows.
fn spread(rels: &mut [Rel], rows: f64) {
    for (index, rel) in rels.iter_mut().enumerate() {
        rel.rows = if index == 0 { rows } else { 1.0 };
    }
}
