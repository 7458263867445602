//! Finds out whether typed text is complete: whether a semicolon ends it outside quotes and
//! comments.

/// Whether `text` ends with a semicolon that is part of no string, quoted name or comment (white
/// space may follow).
pub fn is_complete(text: &str) -> bool {
    let mut rest = text;
    let mut complete = false;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        let skip_past = |end: &str| after.find(end).map(|at| at + end.len());
        let skipped = match first {
            '\'' => skip_past("'"),
            '"' => skip_past("\""),
            '-' if after.starts_with('-') => Some(after.find('\n').unwrap_or(after.len())),
            '/' if after.starts_with('*') => after
                .get(1..)
                .and_then(|inner| inner.find("*/"))
                .map(|at| at + 3),
            ';' => {
                complete = true;
                Some(0)
            }
            blank if blank.is_whitespace() => Some(0),
            _ => {
                complete = false;
                Some(0)
            }
        };
        let Some(skipped) = skipped else { return false };
        if matches!(first, '\'' | '"') {
            complete = false;
        }
        rest = after.get(skipped..).unwrap_or("");
    }
    complete
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_statement_ends_with_a_semicolon_of_its_own() {
        let cases = [
            ("SELECT 1;", true),
            ("SELECT 1; ", true),
            ("SELECT 1", false),
            ("SELECT ';", false),
            ("SELECT ';'", false),
            ("SELECT 'it''s';", true),
            ("SELECT 1 -- ;", false),
            ("SELECT 1; -- done", true),
            ("SELECT 1; -- done\n", true),
            ("SELECT /* ; */", false),
            ("SELECT 1 /* ;", false),
            ("SELECT 1; SELECT", false),
            ("", false),
        ];
        for (text, complete) in cases {
            assert_eq!(super::is_complete(text), complete, "{text:?}");
        }
    }
}
