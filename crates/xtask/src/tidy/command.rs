use std::process::ExitCode;

use super::finding::Finding;
use super::metadata::Package;
use super::repository::{Repository, TrackedFile};
use super::rules::{
    attributes, crate_heads, dead_code, file_size, layers, machine_paths, modules, registries,
    sql_text, statements, tracked_files, unsafe_code, vocabulary,
};
use super::rust_source::RustSource;
use super::{shrinking, syntax};

const USAGE: &str = "usage: cargo xtask tidy [--shrink]";

/// Applies every rule to the repository that holds the current folder. With `--shrink` the lists of
/// exceptions lose what nothing needs any more.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let is_shrinking = match arguments {
        [] => false,
        [option] if option == "--shrink" => true,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = load(is_shrinking).map(|repository| {
        let findings = check(&repository);
        (repository, findings)
    });
    let (repository, findings) = match done {
        Ok(done) => done,
        Err(message) => {
            eprintln!("tidy: {message}");
            return ExitCode::from(2);
        }
    };
    for finding in &findings {
        eprintln!("{finding}");
    }
    println!(
        "tidy: {} files, {} findings",
        repository.files.len(),
        findings.len()
    );
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn load(is_shrinking: bool) -> Result<Repository, String> {
    let repository = Repository::load()?;
    if !is_shrinking {
        return Ok(repository);
    }
    let (trees, _) = syntax::parse_all(&repository);
    shrinking::shrink(&repository, &trees)?;
    Repository::load()
}

fn check(repository: &Repository) -> Vec<Finding> {
    let (trees, mut findings) = syntax::parse_all(repository);
    findings.extend(shrinking::check(repository, &trees));
    for file in &repository.files {
        check_file(file, &mut findings);
    }
    let paths: Vec<&str> = repository
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    let table = repository.text(layers::TABLE).unwrap_or_default();
    findings.extend(layers::check(table, &repository.packages));
    let roots = repository.root_files();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    findings.extend(modules::check(&paths, &roots, |path| {
        repository.text(path).map(str::to_owned)
    }));
    for package in &repository.packages {
        check_package(package, repository, &mut findings);
    }
    findings.sort();
    findings
}

fn check_file(file: &TrackedFile, findings: &mut Vec<Finding>) {
    findings.extend(tracked_files::check(&file.path, file.bytes));
    let Some(text) = &file.text else { return };
    findings.extend(machine_paths::check(&file.path, text));
    findings.extend(registries::check(&file.path, text));
    findings.extend(file_size::check_script(&file.path, text));
    findings.extend(dead_code::check_script(&file.path, text));
    if file.path.ends_with(".rs") {
        let source = RustSource::parse(&file.path, text);
        findings.extend(file_size::check_rust(&source));
        findings.extend(dead_code::check_rust(&source));
        findings.extend(attributes::check(&source));
        findings.extend(sql_text::check(&source));
        findings.extend(statements::check(&source));
        findings.extend(unsafe_code::check(&source));
        findings.extend(vocabulary::check(&source));
        findings.extend(super::rules::number_defaults::check(&source));
    }
}

fn check_package(package: &Package, repository: &Repository, findings: &mut Vec<Finding>) {
    findings.extend(crate_heads::check_description(package));
    let head = ["lib.rs", "main.rs"]
        .map(|name| format!("{}/src/{name}", package.folder))
        .into_iter()
        .find_map(|path| Some((repository.text(&path)?, path)));
    if let Some((text, path)) = head {
        findings.extend(crate_heads::check_head(&path, text));
    }
}
