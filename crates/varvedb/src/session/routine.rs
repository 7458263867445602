//! How functions and triggers run the statements in their bodies.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use varve_expr::Parameters;

use varve_catalog::Catalog;
use varve_dml::StatementTxn;
use varve_plan::{Bound, Statement};
use varve_routine::{Answer, Caller, RoutineSession, Within};
use varve_store::Transaction;
use varve_types::{Error, LocalFuture, Notice, Result};

use super::Scope;
use super::run::Run;
use crate::shared::result_set::notice_of;

impl Run<'_> {
    /// The statement as the functions see it that it calls.
    ///
    /// Inline, as is all that makes or fills a table of methods of [`Run`]: so the futures of a
    /// statement are compiled where a session is used, and not in this crate too.
    #[inline]
    pub(super) fn caller(&self) -> Caller<'_> {
        Caller {
            session: self,
            catalog: self.catalog,
            locale: self.locale,
            cancel: self.cancel,
            env: &self.shared.env,
            depth: self.depth,
        }
    }

    /// What a statement of a function runs with.
    #[inline]
    fn inner(&self) -> Run<'_> {
        Run {
            scope: Scope {
                is_alone: false,
                ..self.scope
            },
            depth: self.depth + 1,
            before: None,
            building: Cell::default(),
            profile: RefCell::default(),
            notices: RefCell::default(),
            ..*self
        }
    }
}

impl RoutineSession for Run<'_> {
    #[inline]
    fn catalog_now(&self, transaction: &Transaction) -> Result<Arc<Catalog>> {
        self.catalogs.borrow_mut().get(transaction, self.path)
    }

    #[inline]
    fn notice(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }

    #[inline]
    fn run_bound<'a>(
        &'a self,
        txn: &'a mut StatementTxn,
        bound: &'a Bound,
        within: Within<'a>,
    ) -> LocalFuture<'a, Result<Answer>> {
        Box::pin(async move {
            let is_unfit = matches!(
                bound.statement,
                Statement::Command(_) | Statement::Session(_) | Statement::CopyFrom(_)
            );
            if is_unfit {
                return Err(Error::unsupported("this statement in a function"));
            }
            if !Arc::ptr_eq(within.catalog, self.catalog) {
                self.host.enter(&txn.store, within.catalog).await?;
            }
            self.temporary
                .borrow_mut()
                .prepare(&mut txn.store, &bound.statement)?;
            let mut run = Run {
                catalog: within.catalog,
                locale: within.locale,
                parameters: Parameters::given(within.parameters),
                ..self.inner()
            };
            let called;
            let mut statement = &bound.statement;
            if bound.has_calls() {
                called = run.with_results(txn, bound).await?;
                run.parameters.called = &called.results;
                statement = called.statement.as_ref().unwrap_or(statement);
            }
            let ran = run.statement(txn, statement).await;
            let mut notices = self.notices.borrow_mut();
            notices.append(&mut run.notices.take());
            let mut result = ran?;
            notices.extend(bound.messages.iter().map(notice_of));
            notices.append(&mut result.notices);
            if result.fields.is_empty() {
                result.fields = bound.statement.fields().into();
            }
            Ok(Answer {
                command: result.command,
                fields: result.fields,
                batches: result.batches,
                affected_rows: result.affected_rows,
            })
        })
    }
}
