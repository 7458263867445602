use std::collections::BTreeSet;

use crate::tidy::finding::Finding;
use crate::tidy::metadata::Package;

const RULE: &str = "layers";

/// Where the layer table is.
pub(crate) const TABLE: &str = "ARCHITECTURE.md";
/// What the table has instead of a number for crates that are not shipped: they may use any other.
const DEVELOPMENT: &str = "dev";

/// One row: crates of a layer and what they use.
struct Row<'a> {
    line_index: usize,
    layer: &'a str,
    names: Vec<&'a str>,
    /// As the table writes them: without `varve-`.
    uses: BTreeSet<&'a str>,
}

impl Row<'_> {
    fn number(&self) -> Option<usize> {
        self.layer.parse().ok()
    }
}

/// The layer table says which crates there are, in the order of their layers, and what each uses.
/// A new edge is a change of the architecture, so the table and a manifest change together.
pub(crate) fn check(table: &str, packages: &[Package]) -> Vec<Finding> {
    let rows = rows(table);
    let mut findings = order(&rows);
    for row in &rows {
        for name in &row.names {
            match package(packages, name) {
                Some(package) => findings.extend(uses(row, package, &rows, packages)),
                None => findings.push(at(row, format!("there is no crate `{name}`: take it off"))),
            }
        }
    }
    let unlisted = packages.iter().filter(|package| {
        let is_listed = rows
            .iter()
            .any(|row| row.names.contains(&package.name.as_str()));
        package.folder.starts_with("crates/") && !is_listed
    });
    findings.extend(unlisted.map(|package| {
        let message = format!("`{}` is not in the layer table: add a row", package.name);
        Finding::whole_file(RULE, TABLE, message)
    }));
    findings
}

fn at(row: &Row<'_>, message: String) -> Finding {
    Finding::at(RULE, TABLE, row.line_index, message)
}

/// Rows of the form ``| layer | `crate` | what it is | what it uses |``.
fn rows(table: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (line_index, line) in table.lines().enumerate() {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let [layer, names, _, uses] = cells.as_slice() else {
            continue;
        };
        if layer.parse::<usize>().is_err() && *layer != DEVELOPMENT {
            continue;
        }
        rows.push(Row {
            line_index,
            layer,
            names: names.split('`').skip(1).step_by(2).collect(),
            uses: uses.split(", ").filter(|name| *name != "-").collect(),
        });
    }
    rows
}

/// Layers come lowest first, crates for development last.
fn order(rows: &[Row<'_>]) -> Vec<Finding> {
    let pairs = rows.iter().zip(rows.iter().skip(1));
    let height = |row: &Row<'_>| row.number().unwrap_or(usize::MAX);
    pairs
        .filter(|(before, row)| height(before) > height(row))
        .map(|(before, row)| {
            let message = format!("layer {} stands below layer {}", row.layer, before.layer);
            at(row, message)
        })
        .collect()
}

/// `tests` stands for all packages of that folder.
fn package<'a>(packages: &'a [Package], name: &str) -> Option<&'a Package> {
    let is_named = |package: &&Package| match name {
        "tests" => package.folder == name,
        _ => package.name == name && package.folder.starts_with("crates/"),
    };
    packages.iter().find(is_named)
}

fn uses(row: &Row<'_>, package: &Package, rows: &[Row<'_>], packages: &[Package]) -> Vec<Finding> {
    let Some(layer) = row.number() else {
        return Vec::new();
    };
    let ours = |name: &&str| packages.iter().any(|package| package.name == **name);
    let short = |name: &'_ str| name.strip_prefix("varve-").unwrap_or(name).to_owned();
    let used: BTreeSet<&str> = package.dependencies.iter().map(String::as_str).collect();
    let used: BTreeSet<&str> = used.into_iter().filter(ours).collect();
    let mut findings = Vec::new();
    for name in &used {
        if !row.uses.contains(short(name).as_str()) {
            findings.push(at(
                row,
                format!(
                    "`{}` may not use `{name}`: move the code to a layer that may, or pass a trait",
                    package.name
                ),
            ));
        }
        let below = rows.iter().find(|row| row.names.contains(name));
        if below
            .and_then(Row::number)
            .is_none_or(|below| below >= layer)
        {
            findings.push(at(row, format!("`{name}` is not below `{}`", package.name)));
        }
    }
    for name in &row.uses {
        if !used.iter().any(|used| short(used) == *name) {
            findings.push(at(
                row,
                format!("`{}` does not use `{name}`: take it off", package.name),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            description: String::new(),
            folder: folder.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            root_files: Vec::new(),
        }
    }

    fn packages() -> Vec<Package> {
        vec![
            package("varve-types", "crates/varve-types", &["libm"]),
            package("varve-kv", "crates/varve-kv", &["varve-types"]),
            package("varvedb", "crates/varvedb", &["varve-kv", "varve-types"]),
            package("xtask", "crates/xtask", &["varvedb"]),
            package("varvedb-tests", "tests", &["varvedb"]),
        ]
    }

    const TABLE: &str = "| layer | crate | what lives there | uses |\n|---|---|---|---|\n\
        | 0 | `varve-types` | types | - |\n\
        | 1 | `varve-kv` | the trait | types |\n\
        | 2 | `varvedb` | the facade | kv, types |\n\
        | dev | `xtask`, `tests` | checks | any |\n";

    fn messages(table: &str, packages: &[Package]) -> Vec<String> {
        let findings = check(table, packages).into_iter();
        findings.map(|finding| finding.message).collect()
    }

    #[test]
    fn a_table_that_is_true_passes() {
        assert_eq!(messages(TABLE, &packages()), [""; 0]);
    }

    #[test]
    fn an_edge_that_the_table_does_not_have_is_found() {
        let table = TABLE.replace("kv, types", "types");
        let found = messages(&table, &packages());
        assert!(
            found[0].starts_with("`varvedb` may not use `varve-kv`"),
            "{found:?}"
        );
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn an_edge_that_only_the_table_has_is_found() {
        let table = TABLE.replace("| - |", "| kv |");
        assert_eq!(
            messages(&table, &packages()),
            ["`varve-types` does not use `kv`: take it off"]
        );
    }

    #[test]
    fn ghosts_and_missing_crates_are_found() {
        let table = format!("{TABLE}| dev | `varve-server` | not yet | any |\n");
        assert_eq!(
            messages(&table, &packages()),
            ["there is no crate `varve-server`: take it off"]
        );
        let mut packages = packages();
        packages.push(package("varve-new", "crates/varve-new", &[]));
        assert_eq!(
            messages(TABLE, &packages),
            ["`varve-new` is not in the layer table: add a row"]
        );
    }

    #[test]
    fn layers_that_do_not_go_down_are_found() {
        let table = TABLE.replace("| 0 |", "| 1 |");
        assert_eq!(
            messages(&table, &packages()),
            ["`varve-types` is not below `varve-kv`"]
        );
        let table = TABLE.replace("| 1 |", "| 3 |");
        let found = messages(&table, &packages());
        assert_eq!(
            found,
            [
                "layer 2 stands below layer 3",
                "`varve-kv` is not below `varvedb`"
            ]
        );
    }
}
