//! Whether an error is the one that was wanted. Other databases word their messages otherwise: an
//! error that is about the statement is taken for it; that the engine has not got the feature, or
//! broke, is not.

use regex::RegexBuilder;

use crate::engine::{Failure, FailureKind};
use crate::record::ErrorWanted;

/// States that say that the engine does not know what it was asked for.
const UNKNOWING: [&str; 2] = ["0A000", "XX000"];

pub(super) fn is_wanted(wanted: &ErrorWanted, failure: &Failure) -> bool {
    if failure.kind != FailureKind::Error {
        return false;
    }
    match wanted {
        ErrorWanted::State(state) => failure.state == *state,
        ErrorWanted::Matches(pattern) if matches(pattern, &failure.message) => true,
        ErrorWanted::Contains(part) if failure.message.contains(part.as_str()) => true,
        _ => !UNKNOWING.contains(&failure.state.as_str()),
    }
}

pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let regex = RegexBuilder::new(pattern)
        .dot_matches_new_line(true)
        .size_limit(1 << 22)
        .build();
    regex.is_ok_and(|regex| regex.is_match(text))
}

pub(super) fn wanted_text(wanted: &ErrorWanted) -> String {
    match wanted {
        ErrorWanted::Any => "an error".to_owned(),
        ErrorWanted::Matches(text) | ErrorWanted::Contains(text) => format!("error: {text}"),
        ErrorWanted::State(state) => format!("error {state}"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_wanted;
    use crate::engine::{Failure, FailureKind};
    use crate::record::ErrorWanted;

    #[test]
    fn a_missing_feature_is_no_wanted_error() {
        let mut failure = Failure::new(FailureKind::Error, "arrays is not supported");
        failure.state = "0A000".to_owned();
        assert!(!is_wanted(&ErrorWanted::Any, &failure));
        assert!(is_wanted(
            &ErrorWanted::Matches("not sup+orted".to_owned()),
            &failure
        ));
        failure.state = "22012".to_owned();
        assert!(is_wanted(&ErrorWanted::Any, &failure));
        assert!(!is_wanted(
            &ErrorWanted::State("22003".to_owned()),
            &failure
        ));
        failure.kind = FailureKind::Panic;
        assert!(!is_wanted(&ErrorWanted::Any, &failure));
    }
}
