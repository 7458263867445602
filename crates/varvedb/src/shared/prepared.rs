//! A statement that was prepared once and runs as often as wanted.

use std::sync::{Arc, Mutex, PoisonError};

use varve_system_views::Field;
use varve_types::LogicalType;

use crate::shared::planned::Planned;
use crate::shared::statements::Parsed;

/// A prepared statement: parsed, and planned for the tables as they are. Any session of the
/// database that prepared it can run it; it is planned again where its tables were changed. Clones
/// share it.
#[derive(Clone)]
pub struct Prepared(Arc<Inner>);

struct Inner {
    parsed: Parsed,
    types: Box<[Option<LogicalType>]>,
    planned: Mutex<Arc<Planned>>,
}

impl Prepared {
    pub(crate) fn new(
        parsed: Parsed,
        types: &[Option<LogicalType>],
        planned: Arc<Planned>,
    ) -> Prepared {
        Prepared(Arc::new(Inner {
            parsed,
            types: types.into(),
            planned: Mutex::new(planned),
        }))
    }

    /// The types of `$1`, `$2`, ...
    pub fn parameter_types(&self) -> Vec<LogicalType> {
        self.planned().bound.parameters.clone()
    }

    /// The columns of the result; none for a statement that gives no rows.
    pub fn fields(&self) -> Arc<[Field]> {
        Arc::clone(&self.planned().fields)
    }

    pub(crate) fn parsed(&self) -> &Parsed {
        &self.0.parsed
    }

    pub(crate) fn types(&self) -> &[Option<LogicalType>] {
        &self.0.types
    }

    pub(crate) fn planned(&self) -> Arc<Planned> {
        let planned = self.0.planned.lock();
        Arc::clone(&planned.unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_planned(&self, planned: Arc<Planned>) {
        let slot = self.0.planned.lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = planned;
    }
}

impl core::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Prepared({:?})", self.0.parsed)
    }
}
