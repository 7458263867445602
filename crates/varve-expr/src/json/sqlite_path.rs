//! SQLite's paths: `$`, then `.key`, `."key"`, `[n]` and `[#-n]`, counted from the end.

use varve_types::{Error, Result, SqlState};

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// A member of an object.
    Key(String),
    /// An element of an array, from 0, or from -1 at the end.
    Element(i64),
}

/// The steps of a path; `42601` for what is none.
pub(crate) fn parse_sqlite_path(path: &str) -> Result<Vec<PathStep>> {
    let bad = || {
        let error = Error::new(SqlState::SYNTAX_ERROR, format!("bad JSON path: '{path}'"));
        error.with_hint("A path is $, then .key, .\"key\", [n] or [#-n].")
    };
    let mut rest = path.strip_prefix('$').ok_or_else(bad)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, behind) = next_step(rest).ok_or_else(bad)?;
        steps.push(step);
        rest = behind;
    }
    Ok(steps)
}

/// The first step and what is behind it.
fn next_step(text: &str) -> Option<(PathStep, &str)> {
    if let Some(quoted) = text.strip_prefix(".\"") {
        let (key, rest) = quoted.split_once('"')?;
        return Some((PathStep::Key(key.to_owned()), rest));
    }
    if let Some(member) = text.strip_prefix('.') {
        let end = member.find(['.', '[']).unwrap_or(member.len());
        let (key, rest) = member.split_at_checked(end)?;
        return (!key.is_empty()).then(|| (PathStep::Key(key.to_owned()), rest));
    }
    let (index, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let element = match index.strip_prefix("#-") {
        Some(digits) if is_number(digits) => match digits.parse::<i64>().ok()? {
            // Nothing stands behind the last element.
            0 => i64::MAX,
            number => -number,
        },
        Some(_) => return None,
        None if index == "#" => i64::MAX,
        None if is_number(index) => index.parse().ok()?,
        None => return None,
    };
    Some((PathStep::Element(element), rest))
}
