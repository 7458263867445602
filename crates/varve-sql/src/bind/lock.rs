//! FOR UPDATE and FOR SHARE.

use sqlparser::ast::{LockClause, LockType, NonBlock, Query as AstQuery, SetExpr};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::order::Output;
use crate::bind::{Binder, located, unsupported_at};
use crate::plan::{Plan, Relation, RowLock};
use crate::scope::Scope;

impl Binder<'_> {
    /// How a query claims its rows; the tree is not known yet.
    pub(crate) fn lock_clauses<'q>(&self, query: &'q AstQuery) -> Result<Option<&'q LockClause>> {
        let position = self.source.first();
        for lock in &query.locks {
            match lock.nonblock {
                Some(NonBlock::Nowait) => return Err(unsupported_at("NOWAIT", position)),
                Some(NonBlock::SkipLocked) => return Err(unsupported_at("SKIP LOCKED", position)),
                None => {}
            }
        }
        match query.locks.as_slice() {
            [] => Ok(None),
            [lock] => Ok(Some(lock)),
            _ => Err(unsupported_at(
                "more than one FOR UPDATE or FOR SHARE",
                position,
            )),
        }
    }

    /// Makes the one table of a query give its rows' positions, as a last column of the result.
    pub(crate) fn lock_rows(
        &self,
        lock: &LockClause,
        plan: &mut Plan,
        names: &Scope,
        outputs: &mut Vec<Output>,
    ) -> Result<RowLock> {
        let position = self.source.first();
        let clause = lock_words(lock);
        if let Some(name) = &lock.of {
            let table = self.relation_name(name)?.name;
            if names.find_table(&table, 0).is_err() {
                let message =
                    format!("relation \"{table}\" in {clause} clause not found in FROM clause");
                let error = Error::new(SqlState::UNDEFINED_TABLE, message);
                return Err(located(error, self.source.name(name)));
            }
        }
        let width = plan.width();
        let scan = match plan {
            Plan::Scan(scan) => scan,
            Plan::Join(_) => {
                return Err(unsupported_at(format!("{clause} of a join"), position));
            }
            _ => return Err(unsupported_at(format!("{clause} of a subquery"), position)),
        };
        let Relation::Tree(tree) = scan.relation else {
            return Err(unsupported_at(format!("{clause} of a view"), position));
        };
        scan.with_position = true;
        outputs.push(Output {
            expr: Expr::Column {
                index: width,
                ty: LogicalType::Int8,
            },
            name: String::new(),
            uses: Vec::new(),
            untyped: false,
        });
        Ok(RowLock {
            tree,
            update: matches!(lock.lock_type, LockType::Update),
        })
    }

    /// Rows that are put together of others cannot be claimed.
    pub(crate) fn refuse_lock(
        &self,
        lock: Option<&LockClause>,
        present: bool,
        what: &str,
    ) -> Result<()> {
        match lock {
            Some(lock) if present => {
                let message = format!("{} is not allowed with {what}", lock_words(lock));
                Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses claims in a part of a query.
    pub(crate) fn refuse_locks(&self, query: &AstQuery) -> Result<()> {
        let Some(lock) = query.locks.first() else {
            return Ok(());
        };
        let words = lock_words(lock);
        let message = match query.body.as_ref() {
            SetExpr::SetOperation { .. } => {
                format!("{words} is not allowed with UNION/INTERSECT/EXCEPT")
            }
            SetExpr::Values(_) => format!("{words} cannot be applied to VALUES"),
            _ => return Err(Error::unsupported("FOR UPDATE or FOR SHARE of this query")),
        };
        Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message))
    }
}

fn lock_words(lock: &LockClause) -> &'static str {
    match lock.lock_type {
        LockType::Share => "FOR SHARE",
        LockType::Update => "FOR UPDATE",
    }
}
