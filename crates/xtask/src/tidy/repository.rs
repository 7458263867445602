use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::metadata::{self, Package};

/// A file that git tracks, or would track when it is added.
pub(crate) struct TrackedFile {
    pub(crate) path: String,
    pub(crate) bytes: usize,
    /// Absent when the file is not UTF-8.
    pub(crate) text: Option<String>,
}

pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    pub(crate) files: Vec<TrackedFile>,
    pub(crate) packages: Vec<Package>,
}

impl Repository {
    pub(crate) fn load() -> Result<Repository, String> {
        let root = output("git", &["rev-parse", "--show-toplevel"])?
            .trim()
            .to_owned();
        let listing = output(
            "git",
            &[
                "-C",
                &root,
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
        )?;
        let mut files = Vec::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            // A file that was deleted and not yet committed is still listed.
            let Ok(bytes) = fs::read(Path::new(&root).join(path)) else {
                continue;
            };
            files.push(TrackedFile {
                path: path.to_owned(),
                bytes: bytes.len(),
                text: String::from_utf8(bytes).ok(),
            });
        }
        let manifest = format!("{root}/Cargo.toml");
        let json = output(
            "cargo",
            &[
                "metadata",
                "--no-deps",
                "--format-version",
                "1",
                "--manifest-path",
                &manifest,
            ],
        )?;
        Ok(Repository {
            files,
            packages: metadata::parse(&json, &root)?,
            root: PathBuf::from(root),
        })
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.path == path)?
            .text
            .as_deref()
    }

    /// The files that modules are declared from: those of the workspace's targets, and what any
    /// manifest names, for there are packages outside of the workspace.
    pub(crate) fn root_files(&self) -> Vec<String> {
        let known = self.packages.iter().flat_map(|package| &package.root_files);
        let manifests = self
            .files
            .iter()
            .filter(|file| file.path.ends_with("/Cargo.toml"));
        let named = manifests
            .flat_map(|file| named_roots(&file.path, file.text.as_deref().unwrap_or_default()));
        known.cloned().chain(named).collect()
    }
}

/// The Rust files that a manifest names as the roots of targets.
fn named_roots(manifest: &str, text: &str) -> Vec<String> {
    let folder = manifest.trim_end_matches("Cargo.toml");
    let paths = text.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"")?.strip_suffix('"')?;
        path.ends_with(".rs").then(|| format!("{folder}{path}"))
    });
    paths.collect()
}

fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let done = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    if !done.status.success() {
        let reason = String::from_utf8_lossy(&done.stderr);
        return Err(format!(
            "`{program} {}` failed: {reason}",
            arguments.join(" ")
        ));
    }
    String::from_utf8(done.stdout).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::named_roots;

    #[test]
    fn manifests_name_roots() {
        let text =
            "[dependencies]\na = { path = \"..\" }\n[[bin]]\npath = \"fuzz_targets/block.rs\"\n";
        assert_eq!(
            named_roots("tests/x/Cargo.toml", text),
            ["tests/x/fuzz_targets/block.rs"]
        );
    }
}
