//! Puts `docs/sql.md` together from the tests of SQL answers, so that the page says what is tested:
//! `cargo xtask docs` writes it, `cargo xtask docs --check` says whether it is up to date.
//!
//! The comments of `tests/sql/**/NAME.slt` say it, next to what proves it:
//!
//! | comment | meaning |
//! |---|---|
//! | <code>#&#124; text</code> | the text of the section of this file |
//! | `#= statement :: what works` | a row of the table of statements |
//! | `#~ text` | a difference from PostgreSQL |
//! | `#- text` | something that is missing: the next record must expect the error `0A000` |
//!
//! The last two go on in lines that begin with three spaces behind the mark.
//!
//! `tests/sql/page.md` is the frame. A line `{{FOLDER/NAME}}` of it stands for the text of that
//! file, `{{statements}}`, `{{differences}}` and `{{missing}}` for those lists of all files, and
//! `{{functions}}` for the names in the function table of the engine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

const FOLDER: &str = "tests/sql";
const PAGE: &str = "docs/sql.md";
/// Most characters of a line of names.
const COLUMNS: usize = 118;

/// Writes the page, or with `--check` says whether it is what would be written.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let root = Path::new(".");
    let result = match arguments {
        [] => written(root).and_then(|page| {
            std::fs::write(PAGE, page).map_err(|error| format!("{PAGE} cannot be written: {error}"))
        }),
        [word] if word == "--check" => check(root),
        _ => Err("usage: cargo xtask docs [--check]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the page in the repository at `root` is what the tests say.
fn check(root: &Path) -> Result<(), String> {
    if read(&root.join(PAGE))? == written(root)? {
        Ok(())
    } else {
        Err(format!(
            "{PAGE} is not what the tests say: run `cargo xtask docs`"
        ))
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn written(root: &Path) -> Result<String, String> {
    let folder = root.join(FOLDER);
    let frame = read(&folder.join("page.md"))?;
    let mut tests = BTreeMap::new();
    collect(&folder, "", &mut tests)?;
    page(&frame, &tests, &functions())
}

/// The tests of a folder and of the folders in it, by their paths without the ending.
fn collect(
    folder: &Path,
    prefix: &str,
    tests: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), tests)?;
        } else if let Some(name) = name.strip_suffix(".slt") {
            tests.insert(format!("{prefix}{name}"), read(&path)?);
        }
    }
    Ok(())
}

/// The names of the functions of each kind, in lines.
fn functions() -> String {
    let mut text = String::new();
    for (kind, names) in varve_expr::function_names() {
        let _ = writeln!(text, "{kind}:\n\n```text");
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > COLUMNS {
                let _ = writeln!(text, "{}", line.trim_end());
                line.clear();
            }
            line.push_str(name);
            line.push(' ');
        }
        let _ = writeln!(text, "{}\n```\n", line.trim_end());
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What the comments of one file say.
#[derive(Default)]
struct Section {
    text: String,
    statements: Vec<String>,
    differences: String,
    missing: String,
}

fn section(name: &str, test: &str) -> Result<Section, String> {
    let mut section = Section::default();
    let mut awaited: Option<&str> = None;
    let unproved = |feature| Err(format!("{name}.slt:{feature} is not shown to be missing"));
    for line in test.lines() {
        if let Some(text) = line.strip_prefix("#|") {
            section
                .text
                .push_str(text.strip_prefix(' ').unwrap_or(text));
            section.text.push('\n');
        } else if let Some(row) = line.strip_prefix("#= ") {
            let Some((statement, works)) = row.split_once(" ::") else {
                return Err(format!("{name}.slt: {row} says nothing behind ::"));
            };
            let row = format!("| {statement} | {} |\n", works.trim());
            section.statements.push(row);
        } else if let Some(text) = line.strip_prefix("#~") {
            item(&mut section.differences, text);
        } else if let Some(text) = line.strip_prefix("#-") {
            item(&mut section.missing, text);
            if let Some(before) = awaited.replace(text).filter(|_| !text.starts_with("   ")) {
                return unproved(before);
            }
        } else if (line.starts_with("statement ") || line.starts_with("query "))
            && let Some(feature) = awaited.take()
            && !line.contains("0A000")
        {
            return unproved(feature);
        }
    }
    awaited.map_or(Ok(section), unproved)
}

/// A line of a list, or the next line of one.
fn item(list: &mut String, text: &str) {
    let line = match text.strip_prefix(' ') {
        Some(rest) if rest.starts_with("  ") => rest,
        _ => {
            list.push('-');
            text
        }
    };
    list.push_str(line);
    list.push('\n');
}

fn page(frame: &str, tests: &BTreeMap<String, String>, functions: &str) -> Result<String, String> {
    let mut sections = BTreeMap::new();
    for (name, test) in tests {
        sections.insert(name.as_str(), section(name, test)?);
    }
    let all = |part: fn(&Section) -> &str| -> String { sections.values().map(part).collect() };
    let rows = sections.values().flat_map(|section| &section.statements);
    let mut statements: Vec<&str> = rows.map(String::as_str).collect();
    statements.sort_unstable();
    let mut page = String::new();
    let mut used = Vec::new();
    for line in frame.lines() {
        let name = line
            .strip_prefix("{{")
            .and_then(|rest| rest.strip_suffix("}}"));
        match name {
            None => {
                page.push_str(line);
                page.push('\n');
            }
            Some("statements") => page.push_str(&statements.concat()),
            Some("differences") => page.push_str(&all(|section| &section.differences)),
            Some("missing") => page.push_str(&all(|section| &section.missing)),
            Some("functions") => page.push_str(functions),
            Some(name) => {
                let found = sections.get(name).filter(|found| !found.text.is_empty());
                let found = found.ok_or(format!("{name}.slt says nothing for the page"))?;
                page.push_str(&found.text);
                used.push(name);
            }
        }
    }
    let unused = sections
        .iter()
        .find(|(name, section)| !section.text.is_empty() && !used.contains(name));
    match unused {
        Some((name, _)) => Err(format!("page.md lacks {{{{{name}}}}}")),
        None => Ok(page),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{check, functions, page};

    fn of(frame: &str, test: &str) -> Result<String, String> {
        let tests = BTreeMap::from([("a".to_owned(), test.to_owned())]);
        page(frame, &tests, "f\n")
    }

    #[test]
    fn the_page_in_the_repository_says_what_the_tests_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(check(&root), Ok(()));
    }

    #[test]
    fn a_page_is_its_frame_with_what_the_tests_say() {
        let test = "#| Works.\n#= `B` :: well\n#= `A` ::\n#~ Otherwise,\n#~   here\n\n\
                    #- Lasers\nstatement error (0A000)\nLASER\n";
        let frame = "# T\n{{a}}\n{{statements}}\n{{differences}}\n{{missing}}\n{{functions}}\n";
        let expected =
            "# T\nWorks.\n| `A` |  |\n| `B` | well |\n- Otherwise,\n  here\n- Lasers\nf\n";
        assert_eq!(of(frame, test).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_not_shown_or_not_placed_is_refused() {
        for (frame, test) in [
            ("", "#- Lasers\nstatement ok\nLASER\n"),
            ("", "#- Lasers\n#- Rays\nstatement error (0A000)\nLASER\n"),
            ("", "#- Lasers\n"),
            ("", "#= Lasers\n"),
            ("", "#| Works.\n"),
            ("{{a}}\n", "\n"),
            ("{{b}}\n", "\n"),
        ] {
            assert!(of(frame, test).is_err(), "{frame} {test}");
        }
    }

    #[test]
    fn names_of_functions_fill_lines() {
        let text = functions();
        assert!(text.lines().all(|line| line.len() <= super::COLUMNS));
        for name in ["lower", "array_agg", "generate_series"] {
            assert!(text.split_whitespace().any(|word| word == name), "{name}");
        }
    }
}
