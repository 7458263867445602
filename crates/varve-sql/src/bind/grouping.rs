//! GROUPING SETS, CUBE and ROLLUP as lists of sets of groups.

use sqlparser::ast::Expr as Ast;
use varve_types::{Error, Result, SqlState};

use crate::bind::{Binder, located};

/// Most grouping sets of a query, as in PostgreSQL.
const SETS_MAX: usize = 4096;
/// Most elements of CUBE, as in PostgreSQL.
const CUBE_MAX: usize = 12;

/// Sets of items of GROUP BY, as they are written.
type Sets<'a> = Vec<Vec<&'a Ast>>;

impl Binder<'_> {
    /// The grouping sets of a GROUP BY clause: every combination of one set of each item.
    pub(crate) fn written_sets<'a>(&self, items: &'a [Ast]) -> Result<Sets<'a>> {
        let too_many = || {
            let message = format!("too many grouping sets present (maximum {SETS_MAX})");
            let error = Error::new(SqlState::STATEMENT_TOO_COMPLEX, message);
            located(error, self.source.first())
        };
        let mut sets: Sets<'a> = vec![Vec::new()];
        for item in items {
            let own: Sets<'a> = match item {
                Ast::GroupingSets(lists) => lists.iter().map(|list| flat(list)).collect(),
                Ast::Rollup(lists) => (0..=lists.len())
                    .rev()
                    .map(|count| {
                        lists
                            .iter()
                            .take(count)
                            .flat_map(|list| flat(list))
                            .collect()
                    })
                    .collect(),
                Ast::Cube(lists) if lists.len() > CUBE_MAX => {
                    let message = format!("CUBE is limited to {CUBE_MAX} elements");
                    let error = Error::new(SqlState::STATEMENT_TOO_COMPLEX, message);
                    return Err(located(error, self.source.first()));
                }
                Ast::Cube(lists) => (0..1_usize << lists.len())
                    .rev()
                    .map(|mask| {
                        let kept = lists.iter().enumerate();
                        let count = lists.len();
                        let kept = kept.filter(|(at, _)| mask & (1 << (count - 1 - at)) != 0);
                        kept.flat_map(|(_, list)| flat(list)).collect()
                    })
                    .collect(),
                Ast::Tuple(fields) => vec![fields.iter().collect()],
                other => vec![vec![other]],
            };
            if sets.len().saturating_mul(own.len()) > SETS_MAX {
                return Err(too_many());
            }
            let mut combined = Vec::with_capacity(sets.len() * own.len());
            for set in &sets {
                for more in &own {
                    combined.push(set.iter().chain(more).copied().collect());
                }
            }
            sets = combined;
        }
        Ok(sets)
    }
}

/// The items of one set; a row value stands for its fields.
fn flat(list: &[Ast]) -> Vec<&Ast> {
    let mut items = Vec::with_capacity(list.len());
    for item in list {
        match item {
            Ast::Tuple(fields) => items.extend(fields),
            other => items.push(other),
        }
    }
    items
}
