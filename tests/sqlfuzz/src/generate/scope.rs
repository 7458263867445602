//! Which columns an expression may use.

use crate::ast::Expr;
use crate::types::Ty;

/// A relation in FROM, or what stands for columns in a grouped query.
#[derive(Clone, Debug)]
pub struct Rel {
    pub columns: Vec<Expr>,
    /// Columns that tell its rows apart; `None` where no columns do.
    pub key: Option<Vec<Expr>>,
    /// Whether rows may be the same in all columns: each of two orders puts them as it likes.
    pub has_twins: bool,
    /// About how many rows there are.
    pub rows: f64,
    /// Whether subqueries may use the columns too: aggregates and window functions would mean
    /// something else there.
    pub is_visible_inside: bool,
}

/// What is in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub rels: Vec<Rel>,
    /// Of queries around.
    pub outer: Vec<Rel>,
}

impl Scope {
    /// What a subquery in this scope sees of it.
    pub fn inside(&self) -> Scope {
        let own = self.rels.iter().filter(|rel| rel.is_visible_inside);
        Scope {
            rels: Vec::new(),
            outer: own.chain(&self.outer).cloned().collect(),
        }
    }

    /// The same relations, without those of queries around.
    pub fn without_outer(&self) -> Scope {
        Scope {
            rels: self.rels.clone(),
            outer: Vec::new(),
        }
    }

    /// Columns for which a test holds.
    pub fn columns(rels: &[Rel], test: impl Fn(Ty) -> bool) -> Vec<Expr> {
        let columns = rels.iter().flat_map(|rel| &rel.columns);
        columns.filter(|column| test(column.ty)).cloned().collect()
    }

    /// Columns that tell all rows apart, where there are such.
    pub fn key(&self) -> Option<Vec<Expr>> {
        let keys: Option<Vec<&Vec<Expr>>> = self.rels.iter().map(|rel| rel.key.as_ref()).collect();
        Some(keys?.into_iter().flatten().cloned().collect())
    }

    /// Whether there is a key and no two rows are the same.
    pub fn tells_rows_apart(&self) -> bool {
        self.rels
            .iter()
            .all(|rel| rel.key.is_some() && !rel.has_twins)
    }

    pub fn rows(&self) -> f64 {
        self.rels.iter().map(|rel| rel.rows.max(1.0)).product()
    }
}
