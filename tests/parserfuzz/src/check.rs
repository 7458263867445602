//! A text is parsed and bound under a limit of steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use varve_bind::bind;
use varve_catalog::{Catalog, built_in};
use varve_expr::DEFAULT_LOCALE;
use varve_parser::parse;
use varve_parser::steps;

/// Looks at tokens that a text may cost, whatever its length.
const LOOKS_MIN: u64 = 2_000;
/// Looks at tokens by the byte, several times what any statement of the corpora takes.
const LOOKS_PER_BYTE: u64 = 100;

/// What came of a text.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is a statement, or is refused; with its looks at tokens.
    Ended(u64),
    /// It passed the limit, or the parser or binder panicked.
    Failed(String),
}

/// The looks that a text may take.
pub fn looks_max(text: &str) -> u64 {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    bytes
        .saturating_mul(LOOKS_PER_BYTE)
        .saturating_add(LOOKS_MIN)
}

/// Parses a text, and binds what it holds against an empty catalog, which reads the bodies of
/// functions.
pub fn check(text: &str) -> Outcome {
    // What every database has is read once, and not for this text.
    for routine in built_in::all() {
        let _ = routine.code();
    }
    let most = looks_max(text);
    steps::allow(Some(most));
    let ended = catch_unwind(AssertUnwindSafe(|| read(text)));
    let left = steps::allow(None).unwrap_or(0);
    match ended {
        Ok(()) => Outcome::Ended(most - left),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Outcome::Failed(text.unwrap_or_default())
        }
    }
}

fn read(text: &str) {
    let Ok(statements) = parse(text) else {
        return;
    };
    let catalog = Arc::new(Catalog::default());
    for statement in &statements {
        let _ = bind(statement, &catalog, &[], &DEFAULT_LOCALE);
    }
}
