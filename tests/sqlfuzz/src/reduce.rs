//! Failing cases made small: one simplification after another is kept where the case still fails.

use crate::ast::{Body, Distinct, Expr, From, Group, On, Part, Query, Select};
use crate::functions::null;
use crate::oracle::{Case, Oracle};
use crate::types::Ty;
use crate::world::{Step, World};

/// Checks that the reduction of one case may take.
const CHECKS_MAX: u32 = 1500;

/// A smaller case for which `fails` holds as it does for the given one.
pub fn reduced(case: &Case, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut next = 0;
    for _ in 0..CHECKS_MAX {
        let mut candidate = best.clone();
        let mut steps = Steps {
            left: next,
            is_done: false,
        };
        steps.case(&mut candidate);
        if !steps.is_done {
            break;
        }
        if candidate != best && fails(&candidate) {
            best = candidate;
            // What was tried before may well help now, but mostly what comes after does.
            next = next.saturating_sub(8);
        } else {
            next += 1;
        }
    }
    best
}

/// A smaller world in which `fails` still holds.
pub fn reduced_world(world: &World, mut fails: impl FnMut(&World) -> bool) -> World {
    let mut best = world.clone();
    let mut at = 0;
    while at < best.script.len() {
        let mut candidate = best.clone();
        candidate.script.remove(at);
        if fails(&candidate) {
            best = candidate;
        } else {
            at += 1;
        }
    }
    for step in 0..best.script.len() {
        let Step::Insert(_, rows) = &best.script[step] else {
            continue;
        };
        let mut chunk = rows.len().div_ceil(2);
        while chunk > 0 {
            let mut from = 0;
            loop {
                let mut candidate = best.clone();
                let Step::Insert(_, rows) = &mut candidate.script[step] else {
                    break;
                };
                if from >= rows.len() || rows.len() <= 1 {
                    break;
                }
                rows.drain(from..(from + chunk).min(rows.len()));
                if !rows.is_empty() && fails(&candidate) {
                    best = candidate;
                } else {
                    from += chunk;
                }
            }
            chunk /= 2;
        }
    }
    best
}

/// Makes the simplification of one number, counted in the order of the tree.
struct Steps {
    left: usize,
    is_done: bool,
}

impl Steps {
    /// Whether it is this one's turn.
    fn turn(&mut self) -> bool {
        if self.is_done {
            return false;
        }
        self.is_done = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.is_done
    }

    fn case(&mut self, case: &mut Case) {
        if case.oracle == Oracle::Pqs {
            // What a condition is for the pivot is known of the whole only.
            return self.remove_one(&mut case.conditions, 0);
        }
        self.query(&mut case.query);
        for condition in &mut case.conditions {
            self.expr(condition);
        }
    }

    fn remove_one<T>(&mut self, items: &mut Vec<T>, keep: usize) {
        let mut at = 0;
        while at < items.len() && items.len() > keep {
            if self.turn() {
                items.remove(at);
                return;
            }
            at += 1;
        }
    }

    fn query(&mut self, query: &mut Query) {
        if query.limit.is_some() && self.turn() {
            query.limit = None;
        }
        if query.limit.is_none() {
            if !query.order.is_empty() && self.turn() {
                query.order.clear();
            }
            self.remove_one(&mut query.order, 1);
        }
        for (key, direction) in &mut query.order {
            if !direction.is_empty() && self.turn() {
                *direction = "";
            }
            self.expr(key);
        }
        self.remove_one(&mut query.with, 0);
        for with in &mut query.with {
            if !with.hint.is_empty() && self.turn() {
                with.hint = "";
            }
            self.query(&mut with.query);
        }
        let sides = match &query.body {
            Body::Set(_, left, right) => vec![left.body.clone(), right.body.clone()],
            _ => Vec::new(),
        };
        for side in sides {
            if self.turn() {
                query.body = side;
                return;
            }
        }
        match &mut query.body {
            Body::Select(select) => self.select(select),
            Body::Set(_, left, right) => {
                self.query(left);
                self.query(right);
            }
            Body::Values(rows) => {
                self.remove_one(rows, 1);
                for expr in rows.iter_mut().flatten() {
                    self.expr(expr);
                }
            }
        }
    }

    fn select(&mut self, select: &mut Select) {
        if select.filter.is_some() && self.turn() {
            select.filter = None;
        }
        if select.having.is_some() && self.turn() {
            select.having = None;
        }
        self.remove_one(&mut select.windows, 0);
        if select.distinct != Distinct::All && self.turn() {
            select.distinct = Distinct::All;
        }
        if !select.group.is_empty() && self.turn() {
            select.group.clear();
        }
        self.groups(&mut select.group);
        self.remove_one(&mut select.from, 1);
        for from in &mut select.from {
            self.from(from);
        }
        self.remove_one(&mut select.items, 1);
        if let Some(filter) = &mut select.filter {
            self.expr(filter);
        }
        if let Some(having) = &mut select.having {
            self.expr(having);
        }
        for (item, _) in &mut select.items {
            self.expr(item);
        }
        for (_, window) in &mut select.windows {
            self.inside(window);
        }
        if let Distinct::On(keys) = &mut select.distinct {
            self.remove_one(keys, 1);
        }
    }

    fn groups(&mut self, groups: &mut Vec<Group>) {
        self.remove_one(groups, 1);
        for group in groups {
            match group {
                Group::One(_) => {}
                Group::Many(_, keys) => self.remove_one(keys, 1),
                Group::Sets(sets) => self.remove_one(sets, 1),
            }
            if let Group::Many(_, keys) = group
                && let [key] = keys.as_slice()
                && self.turn()
            {
                *group = Group::One(key.clone());
            }
        }
    }

    fn from(&mut self, from: &mut From) {
        let sides = match from {
            From::Join { left, right, .. } => vec![(**left).clone(), (**right).clone()],
            _ => Vec::new(),
        };
        for side in sides {
            if self.turn() {
                *from = side;
                return;
            }
        }
        match from {
            From::Table { .. } => {}
            From::Query { query, .. } => self.query(query),
            From::Function { call, columns, .. } => {
                if columns.len() > 1 && self.turn() {
                    columns.truncate(1);
                }
                self.inside(call);
            }
            From::Join {
                kind,
                on,
                left,
                right,
            } => {
                if *kind != "JOIN" && matches!(on, On::Condition(_)) && self.turn() {
                    *kind = "JOIN";
                }
                if let On::Condition(condition) = on {
                    self.expr(condition);
                }
                self.from(left);
                self.from(right);
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if !expr.is_leaf() {
            let mut leaves = vec![null(expr.ty)];
            leaves.extend(match expr.ty {
                Ty::Bool => vec!["true".to_owned(), "false".to_owned()],
                Ty::Int4 => vec!["0".to_owned(), "1".to_owned()],
                ty if ty.is_number() => vec![format!("1::{}", ty.name())],
                Ty::Text => vec!["'a'".to_owned()],
                _ => Vec::new(),
            });
            for leaf in leaves {
                if self.turn() {
                    *expr = Expr::leaf(expr.ty, leaf);
                    return;
                }
            }
            for at in 0..expr.parts.len() {
                let inner = match &expr.parts[at] {
                    Part::Expr(inner) if inner.ty == expr.ty => inner.clone(),
                    _ => continue,
                };
                if self.turn() {
                    *expr = inner;
                    return;
                }
            }
        }
        self.inside(expr);
    }

    /// What is in an expression; it itself stays.
    fn inside(&mut self, expr: &mut Expr) {
        for part in &mut expr.parts {
            match part {
                Part::Text(_) => {}
                Part::Expr(inner) => self.expr(inner),
                Part::Query(query) => self.query(query),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reduced;
    use crate::chance::Chance;
    use crate::functions::Functions;
    use crate::oracle::{Case, Oracle};
    use crate::world::World;

    #[test]
    fn what_fails_for_one_word_ends_with_little_else() {
        let (world, functions) = (World::new(3), Functions::all());
        let mut checked = 0;
        for index in 0..400 {
            let chance = Chance::of_case(1, index);
            let Some(case) = Case::new(Oracle::Plans, chance, &world, &functions) else {
                continue;
            };
            let has = |case: &Case| case.query.to_string().contains("coalesce(");
            if has(&case) {
                let small = reduced(&case, has);
                assert!(has(&small));
                assert!(small.query.to_string().len() <= case.query.to_string().len());
                checked += 1;
            }
        }
        assert!(checked > 10);
    }
}
