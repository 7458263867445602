//! How psql cuts a script, written down from its manual and not from the code under test: a
//! backslash outside of quotes is a command, rows of COPY end at `\.`.

/// What a script is made of.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// A statement without its semicolon.
    Statement(String),
    /// The rows behind a COPY.
    Rows(String),
}

/// Cuts a script; an error where a shell would run something that is no SQL.
pub fn pieces(script: &str) -> Result<Vec<Piece>, String> {
    let text: Vec<char> = script.chars().collect();
    let mut pieces = Vec::new();
    let mut statement = String::new();
    let mut at = 0;
    // How deep in the statements of a function's body.
    let mut depth = 0_u32;
    while let Some(c) = text.get(at).copied() {
        if !follows_word(&text, at) && makes_function(&statement) {
            depth = match word(&text, at).as_str() {
                "begin" => depth + 1,
                "case" if depth > 0 => depth + 1,
                "end" => depth.saturating_sub(1),
                _ => depth,
            };
        }
        let end = match c {
            '\\' => return Err(format!("a command: {}", shown(&text[at..]))),
            ':' if text.get(at + 1) == Some(&':') => at + 2,
            ':' if text
                .get(at + 1)
                .is_some_and(|next| is_word(*next) || "'\"{".contains(*next)) =>
            {
                return Err(format!("a variable: {}", shown(&text[at..])));
            }
            '-' if text.get(at + 1) == Some(&'-') => {
                let ends = |c: &char| *c == '\n' || *c == '\r';
                let length = text[at..].iter().position(ends);
                at = length.map_or(text.len(), |length| at + length);
                continue;
            }
            '/' if text.get(at + 1) == Some(&'*') => return Err("a comment".to_owned()),
            '\'' | '"' => quoted(&text, at, c, false)?,
            'e' | 'E' if text.get(at + 1) == Some(&'\'') && !follows_word(&text, at) => {
                quoted(&text, at + 1, '\'', true)?
            }
            '$' if !follows_word(&text, at) => dollar_quoted(&text, at)?,
            ';' if depth == 0 => {
                let sql = std::mem::take(&mut statement).trim().to_owned();
                at += 1;
                let is_copy = sql.starts_with("COPY ") && sql.ends_with("FROM stdin");
                pieces.push(Piece::Statement(sql));
                if is_copy {
                    let rest: String = text[at..].iter().collect();
                    let (rows, _) = rest.split_once("\n\\.\n").ok_or("rows without an end")?;
                    pieces.push(Piece::Rows(rows.to_owned()));
                    at += rows.chars().count() + 4;
                }
                continue;
            }
            '\0' => return Err("a NUL".to_owned()),
            _ => at + 1,
        };
        statement.extend(&text[at..end]);
        at = end;
    }
    match statement.trim().is_empty() {
        true => Ok(pieces),
        false => Err(format!("a statement without an end: {statement}")),
    }
}

fn shown(text: &[char]) -> String {
    text.iter().take(40).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

fn makes_function(statement: &str) -> bool {
    let start = statement.trim_start();
    let start = start
        .strip_prefix("CREATE OR REPLACE ")
        .or(start.strip_prefix("CREATE "));
    start.is_some_and(|made| made.starts_with("FUNCTION") || made.starts_with("PROCEDURE"))
}

/// The word that starts here, in lower case.
fn word(text: &[char], at: usize) -> String {
    let rest = text[at..].iter().take_while(|c| is_word(**c));
    rest.collect::<String>().to_ascii_lowercase()
}

fn follows_word(text: &[char], at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| is_word(text[before]))
}

/// The place behind what is quoted.
fn quoted(text: &[char], start: usize, quote: char, escapes: bool) -> Result<usize, String> {
    let mut at = start + 1;
    while let Some(c) = text.get(at) {
        if escapes && *c == '\\' {
            at += 2;
        } else if *c != quote {
            at += 1;
        } else if text.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return Ok(at + 1);
        }
    }
    Err(format!("quotes without an end: {}", shown(&text[start..])))
}

fn dollar_quoted(text: &[char], start: usize) -> Result<usize, String> {
    let tag = text[start + 1..].iter().position(|c| *c == '$');
    let tag = tag.filter(|length| {
        let tag = &text[start + 1..start + 1 + length];
        tag.iter().all(|c| is_word(*c)) && !tag.first().is_some_and(char::is_ascii_digit)
    });
    let Some(length) = tag else {
        return Ok(start + 1);
    };
    let tag = &text[start..start + length + 2];
    let body = start + tag.len();
    let end = text[body..].windows(tag.len()).position(|part| part == tag);
    let end = end.ok_or_else(|| format!("a body without an end: {}", shown(&text[start..])))?;
    Ok(body + end + tag.len())
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn commands_are_seen_where_psql_sees_them() {
        for hidden in [
            "SELECT 'a\n\\! id';",
            "SELECT \"a\n\\! id\";",
            "SELECT $a$\n\\! id$a$;",
        ] {
            assert_eq!(pieces(hidden).unwrap().len(), 1);
        }
        for open in [
            "\\! id\n",
            "SELECT 1\n\\! id\n;",
            "-- a\n\\! id\n",
            "-- a\r\\! id\n",
            "SELECT \u{20ac}$a$, '$a$' \\! id;",
        ] {
            assert!(pieces(open).is_err(), "{open}");
        }
    }

    #[test]
    fn rows_of_copy_are_no_statements() {
        let found = pieces("COPY t FROM stdin;\n\\N\t\\\\!\n\\.\n\nSELECT 1;").unwrap();
        let statement = |sql: &str| Piece::Statement(sql.to_owned());
        let rows = Piece::Rows("\n\\N\t\\\\!".to_owned());
        assert_eq!(
            found,
            [statement("COPY t FROM stdin"), rows, statement("SELECT 1")]
        );
    }
}
