//! FOR UPDATE, FOR SHARE and what is between.

use varve_ast::{
    Lock, LockStrength as AstLockStrength, LockWait as AstLockWait, Query as AstQuery,
};
use varve_expr::Expr;
use varve_plan::build::lock::refused;
use varve_plan::plan::{LockStrength, LockTarget, LockWait, RowLock};
use varve_plan::scope::error::located;
use varve_plan::scope::locked_relation::LockedRelation;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::lock_clause::LockClause;

impl QueryBinder<'_> {
    /// How a query locks its rows, with what the one around it says.
    pub fn lock_clauses_of(
        &self,
        query: &AstQuery,
        around: Option<RowLock>,
    ) -> Result<Vec<LockClause>> {
        let mut lock_clauses = Vec::new();
        for clause in &query.locks {
            self.add_lock_clauses(clause, &mut lock_clauses)?;
        }
        lock_clauses.extend(around.map(LockClause::of_all));
        Ok(lock_clauses)
    }

    /// Adds what a clause locks: all rows, or those of each table that it names.
    fn add_lock_clauses(&self, clause: &Lock, lock_clauses: &mut Vec<LockClause>) -> Result<()> {
        let Lock {
            strength,
            tables,
            wait,
        } = clause;
        let strength = match strength {
            AstLockStrength::KeyShare => LockStrength::KeyShare,
            AstLockStrength::Share => LockStrength::Share,
            AstLockStrength::NoKeyUpdate => LockStrength::NoKeyUpdate,
            AstLockStrength::Update => LockStrength::Update,
        };
        let wait = match wait {
            AstLockWait::Wait => LockWait::LockAnyway,
            AstLockWait::SkipLocked => LockWait::Skip,
            AstLockWait::NoWait => LockWait::Fail,
        };
        let lock = RowLock { strength, wait };
        if tables.is_empty() {
            lock_clauses.push(LockClause::of_all(lock));
        }
        for table in tables {
            let position = self.at(table.span());
            if !table.qualifiers.is_empty() {
                let words = strength.words();
                let message = format!("{words} must specify unqualified relation names");
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(located(error, position));
            }
            lock_clauses.push(LockClause {
                of: Some((table.name.text.clone(), position)),
                lock,
            });
        }
        Ok(())
    }

    /// How the rows of a relation of FROM are locked that goes by this name.
    pub fn row_lock_of(&self, name: &str) -> Option<RowLock> {
        let lock_clauses = self.context.lock_clauses.iter();
        let meant = lock_clauses
            .filter(|lock_clause| lock_clause.of.as_ref().is_none_or(|(of, _)| of == name));
        let locks = meant.map(|lock_clause| lock_clause.lock);
        locks.reduce(|one, other| RowLock {
            strength: one.strength.max(other.strength),
            wait: one.wait.max(other.wait),
        })
    }

    /// Refuses to lock rows by name that are not a table's.
    pub fn refuse_row_lock(&self, names: &Scope, what: &str) -> Result<()> {
        for lock_clause in &self.context.lock_clauses {
            let Some((of, position)) = &lock_clause.of else {
                continue;
            };
            if names.tables.iter().any(|table| table.name == *of) {
                let words = lock_clause.lock.strength.words();
                return Err(refused(words, &format!("cannot be applied to {what}")))
                    .map_err(|error| located(error, *position));
            }
        }
        Ok(())
    }

    /// Refuses the row locks of a query that cannot take any.
    pub fn refuse_row_locks(&self, lock_clauses: &[LockClause], why: &str) -> Result<()> {
        match lock_clauses.first() {
            None => Ok(()),
            Some(lock_clause) => Err(refused(lock_clause.lock.strength.words(), why)),
        }
    }

    /// Refuses to lock rows that a join may make of NULLs.
    pub fn refuse_nullable(&self, names: &Scope) -> Result<()> {
        let mut locked = names
            .tables
            .iter()
            .filter_map(|table| table.locked.as_ref());
        match locked.next() {
            None => Ok(()),
            Some(locked) => Err(refused(
                locked.lock.strength.words(),
                "cannot be applied to the nullable side of an outer join",
            )),
        }
    }

    /// The tables whose rows a query locks, if it has none of the clauses that forbid it.
    pub fn tables_to_lock(
        &self,
        lock_clauses: &[LockClause],
        names: &Scope,
        refused: &[(bool, &str)],
    ) -> Result<Vec<(LockTarget, Vec<Expr>)>> {
        for (_, what) in refused.iter().filter(|(is_there, _)| *is_there) {
            self.refuse_row_locks(lock_clauses, &format!("is not allowed with {what}"))?;
        }
        for lock_clause in lock_clauses {
            if let Some((of, position)) = &lock_clause.of
                && !names.tables.iter().any(|table| table.name == *of)
            {
                let words = lock_clause.lock.strength.words();
                let message =
                    format!("relation \"{of}\" in {words} clause not found in FROM clause");
                let error = Error::new(SqlState::UNDEFINED_TABLE, message);
                return Err(located(error, *position));
            }
        }
        let locked = names.tables.iter().filter_map(|table| table.locked.clone());
        let target = |locked: LockedRelation| {
            let places = locked.columns.iter().map(|index| Expr::Column {
                index: *index,
                ty: LogicalType::Int8,
            });
            let places = places.collect();
            let target = LockTarget {
                name: locked.name,
                trees: locked.trees,
                lock: locked.lock,
            };
            (target, places)
        };
        Ok(locked
            .filter(|locked| !locked.trees.is_empty())
            .map(target)
            .collect())
    }
}
