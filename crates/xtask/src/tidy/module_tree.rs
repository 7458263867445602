use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Imports, imports_of};

/// How many re-exports of re-exports are followed.
const REEXPORTS_MAX: usize = 16;

/// The modules of one crate, and which files use which.
pub(crate) struct ModuleTree {
    modules: BTreeMap<Vec<String>, Module>,
}

struct Module {
    file: String,
    imports: Imports,
}

impl ModuleTree {
    /// `files` are paths relative to the crate's `src` folder, each with its syntax tree.
    pub(crate) fn new<'a>(files: impl Iterator<Item = (&'a str, &'a syn::File)>) -> ModuleTree {
        let modules = files.map(|(file, tree)| {
            let path = module_path(file);
            let imports = imports_of(tree, &path);
            let file = file.to_owned();
            (path, Module { file, imports })
        });
        ModuleTree {
            modules: modules.collect(),
        }
    }

    /// Pairs of files of which the first uses something that the second defines.
    pub(crate) fn uses(&self) -> BTreeSet<(&str, &str)> {
        let mut uses = BTreeSet::new();
        for module in self.modules.values() {
            for path in &module.imports.paths {
                let Some(used) = self.definer(path, 0) else {
                    continue;
                };
                if used.file != module.file {
                    uses.insert((module.file.as_str(), used.file.as_str()));
                }
            }
        }
        uses
    }

    /// The module that defines what `path`, which begins at the crate's root, names.
    fn definer(&self, path: &[String], followed: usize) -> Option<&Module> {
        let depth = (0..=path.len()).rev().find(|depth| {
            path.get(..*depth)
                .is_some_and(|prefix| self.modules.contains_key(prefix))
        })?;
        let module = self.modules.get(path.get(..depth)?)?;
        let Some((name, inside)) = path.get(depth..)?.split_first() else {
            return Some(module);
        };
        match module.imports.names.get(name) {
            Some(target) if followed < REEXPORTS_MAX => {
                let whole: Vec<String> = target.iter().chain(inside).cloned().collect();
                self.definer(&whole, followed + 1)
            }
            _ => Some(module),
        }
    }
}

/// `a/b.rs` and `a/b/mod.rs` are the module `a::b`; `lib.rs` and `main.rs` are the root.
fn module_path(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs");
    let mut path: Vec<String> = stem.split('/').map(str::to_owned).collect();
    let is_root = path.len() == 1 && ["lib", "main"].contains(&stem);
    if is_root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let trees: Vec<(&str, syn::File)> = files
            .iter()
            .map(|(path, text)| (*path, syn::parse_file(text).unwrap()))
            .collect();
        let tree = ModuleTree::new(trees.iter().map(|(path, tree)| (*path, tree)));
        let uses = tree.uses().into_iter();
        uses.map(|(from, to)| (from.to_owned(), to.to_owned()))
            .collect()
    }

    #[test]
    fn a_use_leads_to_the_file_that_defines() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use b::inner::Thing;\n"),
            ("a.rs", "use crate::Thing;\nuse std::fmt;\n"),
            (
                "b/mod.rs",
                "mod inner;\npub(crate) use inner::Thing as Other;\n",
            ),
            (
                "b/inner.rs",
                "pub struct Thing;\nfn f() { crate::a::g(); super::h(); }\n",
            ),
        ];
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let expected = [
            pair("a.rs", "b/inner.rs"),
            pair("b/inner.rs", "a.rs"),
            pair("b/inner.rs", "b/mod.rs"),
        ];
        assert_eq!(uses(&files), expected);
    }

    #[test]
    fn a_name_that_was_brought_in_is_followed_where_it_is_used() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\n"),
            (
                "a.rs",
                "pub(crate) use crate::b;\nfn f() { b::inner::g(); }\n",
            ),
            ("b/mod.rs", "pub mod inner;\n"),
            ("b/inner.rs", "pub fn g() {}\n"),
        ];
        assert_eq!(uses(&files), [("a.rs".to_owned(), "b/inner.rs".to_owned())]);
    }
}
