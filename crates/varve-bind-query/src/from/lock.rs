//! FOR UPDATE, FOR SHARE and what is between.

use varve_ast::{
    Lock, LockStrength as AstLockStrength, LockWait as AstLockWait, Query as AstQuery,
};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::claims::Claim;
use varve_plan::build::lock::refused;
use varve_plan::plan::{LockStrength, LockTarget, LockWait, RowLock};
use varve_plan::scope::claimed::Claimed;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;

impl QueryBinder<'_> {
    /// How a query claims its rows, with what the one around it says.
    pub fn claims_of(&self, query: &AstQuery, around: Option<RowLock>) -> Result<Vec<Claim>> {
        let mut claims = Vec::new();
        for clause in &query.locks {
            self.add_claims(clause, &mut claims)?;
        }
        claims.extend(around.map(Claim::of_all));
        Ok(claims)
    }

    /// Adds what a clause claims: all rows, or those of each table that it names.
    fn add_claims(&self, clause: &Lock, claims: &mut Vec<Claim>) -> Result<()> {
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
            AstLockWait::Wait => LockWait::Claim,
            AstLockWait::SkipLocked => LockWait::Skip,
            AstLockWait::NoWait => LockWait::Fail,
        };
        let lock = RowLock { strength, wait };
        if tables.is_empty() {
            claims.push(Claim::of_all(lock));
        }
        for table in tables {
            let position = self.at(table.span());
            if !table.qualifiers.is_empty() {
                let words = strength.words();
                let message = format!("{words} must specify unqualified relation names");
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(located(error, position));
            }
            claims.push(Claim {
                of: Some((table.name.text.clone(), position)),
                lock,
            });
        }
        Ok(())
    }

    /// How the rows of a relation of FROM are claimed that goes by this name.
    pub fn claim_of(&self, name: &str) -> Option<RowLock> {
        let claims = self.context.claims.iter();
        let meant = claims.filter(|claim| claim.of.as_ref().is_none_or(|(of, _)| of == name));
        let locks = meant.map(|claim| claim.lock);
        locks.reduce(|one, other| RowLock {
            strength: one.strength.max(other.strength),
            wait: one.wait.max(other.wait),
        })
    }

    /// Refuses to claim rows by name that are not a table's.
    pub fn refuse_claim(&self, names: &Scope, what: &str) -> Result<()> {
        for claim in &self.context.claims {
            let Some((of, position)) = &claim.of else {
                continue;
            };
            if names.tables.iter().any(|table| table.name == *of) {
                let words = claim.lock.strength.words();
                return Err(refused(words, &format!("cannot be applied to {what}")))
                    .map_err(|error| located(error, *position));
            }
        }
        Ok(())
    }

    /// Refuses the claims of a query that cannot make any.
    pub fn refuse_claims(&self, claims: &[Claim], why: &str) -> Result<()> {
        match claims.first() {
            None => Ok(()),
            Some(claim) => Err(refused(claim.lock.strength.words(), why)),
        }
    }

    /// Refuses to claim rows that a join may make of NULLs.
    pub fn refuse_nullable(&self, names: &Scope) -> Result<()> {
        let mut claimed = names
            .tables
            .iter()
            .filter_map(|table| table.claimed.as_ref());
        match claimed.next() {
            None => Ok(()),
            Some(claimed) => Err(refused(
                claimed.lock.strength.words(),
                "cannot be applied to the nullable side of an outer join",
            )),
        }
    }

    /// The tables whose rows a query claims, if it has none of the clauses that forbid it.
    pub fn claimed_tables(
        &self,
        claims: &[Claim],
        names: &Scope,
        refused: &[(bool, &str)],
    ) -> Result<Vec<(LockTarget, Vec<Expr>)>> {
        for (_, what) in refused.iter().filter(|(is_there, _)| *is_there) {
            self.refuse_claims(claims, &format!("is not allowed with {what}"))?;
        }
        for claim in claims {
            if let Some((of, position)) = &claim.of
                && !names.tables.iter().any(|table| table.name == *of)
            {
                let words = claim.lock.strength.words();
                let message =
                    format!("relation \"{of}\" in {words} clause not found in FROM clause");
                let error = Error::new(SqlState::UNDEFINED_TABLE, message);
                return Err(located(error, *position));
            }
        }
        let claimed = names
            .tables
            .iter()
            .filter_map(|table| table.claimed.clone());
        let target = |claimed: Claimed| {
            let places = claimed.columns.iter().map(|index| Expr::Column {
                index: *index,
                ty: LogicalType::Int8,
            });
            let places = places.collect();
            let target = LockTarget {
                name: claimed.name,
                trees: claimed.trees,
                lock: claimed.lock,
            };
            (target, places)
        };
        Ok(claimed
            .filter(|claimed| !claimed.trees.is_empty())
            .map(target)
            .collect())
    }
}
