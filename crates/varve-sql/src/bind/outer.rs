//! Names of enclosing queries.

use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::Binder;
use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::scope::{Scope, ScopeTable};

/// The names of one query around a subquery, or those that stand before a relation of FROM.
pub(crate) struct OuterLevel {
    names: Scope,
    /// Relations of the same FROM are in reach of LATERAL only.
    is_sibling: bool,
    is_visible: bool,
    captured: Vec<Captured>,
}

/// A column that was used from within.
pub(crate) struct Captured {
    pub(crate) slot: usize,
    pub(crate) index: usize,
    pub(crate) ty: LogicalType,
    pub(crate) position: u32,
}

/// The values that the slots of captured columns take.
pub(crate) fn slot_values(captured: &[Captured]) -> Vec<(usize, Expr)> {
    captured
        .iter()
        .map(
            |Captured {
                 slot, index, ty, ..
             }| {
                let column = Expr::Column {
                    index: *index,
                    ty: *ty,
                };
                (*slot, column)
            },
        )
        .collect()
}

impl OuterLevel {
    /// The relations that may be named now.
    pub(crate) fn tables(&self) -> &[ScopeTable] {
        match self.is_visible {
            true => &self.names.tables,
            false => &[],
        }
    }
}

impl Binder<'_> {
    /// Binds what may read the columns of a query around it; answers those that it reads.
    pub(crate) fn within<T>(
        &mut self,
        names: &Scope,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Captured>)> {
        self.inside(names, false, bind)
    }

    /// Binds a relation that stands behind others in FROM.
    pub(crate) fn beside<T>(
        &mut self,
        names: &Scope,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Captured>)> {
        self.inside(names, true, bind)
    }

    fn inside<T>(
        &mut self,
        names: &Scope,
        is_sibling: bool,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, Vec<Captured>)> {
        self.outer.push(OuterLevel {
            names: names.clone(),
            is_sibling,
            is_visible: !is_sibling,
            captured: Vec::new(),
        });
        let bound = bind(self);
        let captured = self.outer.pop().map(|level| level.captured);
        Ok((bound?, captured.unwrap_or_default()))
    }

    /// Binds a LATERAL relation: those before it in its FROM, whose levels start at `base`, are in
    /// reach.
    pub(crate) fn lateral<T>(
        &mut self,
        base: usize,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let siblings = |level: &&mut OuterLevel| level.is_sibling;
        for level in self.outer.iter_mut().skip(base).filter(siblings) {
            level.is_visible = true;
        }
        let depth = self.outer.len();
        let bound = bind(self);
        let own = self.outer.iter_mut().take(depth).skip(base);
        for level in own.filter(siblings) {
            level.is_visible = false;
        }
        bound
    }

    /// Number of levels around what is bound now.
    pub(crate) fn outer_depth(&self) -> usize {
        self.outer.len()
    }

    /// The column that a name means.
    pub(crate) fn column(
        &mut self,
        table: Option<&str>,
        name: &str,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let unknown = match scope.names.resolve(table, name, position) {
            Ok((index, ty)) => {
                scope.uses.push((index, position));
                return Ok(Operand::Known(Expr::Column { index, ty }));
            }
            Err(error) => error,
        };
        let is_elsewhere = match table {
            None => unknown.state() == SqlState::UNDEFINED_COLUMN,
            Some(_) => unknown.state() == SqlState::UNDEFINED_TABLE,
        };
        if !is_elsewhere {
            return Err(unknown);
        }
        let slots = &mut self.slots;
        for level in self.outer.iter_mut().rev().filter(|level| level.is_visible) {
            match level.names.resolve(table, name, position) {
                Ok((index, ty)) => {
                    let known = level.captured.iter().find(|known| known.index == index);
                    let slot = known.map(|known| known.slot).unwrap_or_else(|| {
                        *slots += 1;
                        level.captured.push(Captured {
                            slot: *slots - 1,
                            index,
                            ty,
                            position,
                        });
                        *slots - 1
                    });
                    return Ok(Operand::Known(Expr::Outer { slot, ty }));
                }
                Err(error) => {
                    let goes_on = match table {
                        None => error.state() == SqlState::UNDEFINED_COLUMN,
                        Some(_) => error.state() == SqlState::UNDEFINED_TABLE,
                    };
                    if !goes_on {
                        return Err(error);
                    }
                }
            }
        }
        if table.is_none()
            && let Some(row) = self.whole_row(name, position, scope)?
        {
            return Ok(row);
        }
        Err(match table {
            Some(table) if self.is_hidden(table) => Error::new(
                SqlState::UNDEFINED_TABLE,
                format!("invalid reference to FROM-clause entry for table \"{table}\""),
            )
            .at(position)
            .with_detail(format!(
                "There is an entry for table \"{table}\", but it cannot be referenced from this \
                 part of the query."
            )),
            _ => unknown,
        })
    }

    /// A slot for a value that a join sets.
    pub(crate) fn new_slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    fn is_hidden(&self, table: &str) -> bool {
        let mut hidden = self.outer.iter().filter(|level| !level.is_visible);
        hidden.any(|level| level.names.find_table(table, 0).is_ok())
    }
}
