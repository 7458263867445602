//! What functions ask of the session that calls them.

use std::sync::Arc;

use varve_expr::{EvalContext, Host, JobOrder, Locale};
use varve_types::Value;

use crate::database::Shared;

/// A session as functions see it.
#[derive(Debug)]
pub(crate) struct SessionHost {
    shared: Arc<Shared>,
}

impl SessionHost {
    pub fn new(shared: Arc<Shared>) -> SessionHost {
        SessionHost { shared }
    }

    /// What expressions are evaluated with.
    pub fn context<'a>(&'a self, params: &'a [Value], locale: &'a Locale) -> EvalContext<'a> {
        EvalContext {
            outer: &[],
            params,
            locale,
            host: Some(self),
        }
    }

    /// PostgreSQL's defaults at the time that it is.
    pub fn locale(&self) -> Locale {
        let now_us = self.shared.env.now_us();
        Locale {
            now_us,
            statement_us: now_us,
            ..Locale::default()
        }
    }
}

impl Host for SessionHost {
    fn order_job(&self, job: i64, order: JobOrder) -> bool {
        self.shared.order_job(job, order)
    }
}
