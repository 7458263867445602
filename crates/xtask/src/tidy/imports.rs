use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::syntax::is_for_tests;

/// What one file names of its own crate. Paths begin at the crate's root.
#[derive(Default)]
pub(crate) struct Imports {
    /// Names that `use` brings into the module, and what they stand for.
    pub(crate) names: BTreeMap<String, Vec<String>>,
    /// What the file uses; what it only passes on is not among it.
    pub(crate) paths: BTreeSet<Vec<String>>,
}

/// What the file of the module `module` names, tests left out.
pub(crate) fn imports_of(tree: &syn::File, module: &[String]) -> Imports {
    let mut names = Names {
        module: module.to_vec(),
        children: declared_modules(tree),
        imports: Imports::default(),
    };
    names.visit_file(tree);
    let mut paths = Paths { names };
    paths.visit_file(tree);
    paths.names.imports
}

fn declared_modules(tree: &syn::File) -> BTreeSet<String> {
    let modules = tree.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if !is_for_tests(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

/// The first pass: names from `use`.
struct Names {
    module: Vec<String>,
    children: BTreeSet<String>,
    imports: Imports,
}

impl Names {
    /// The path from the crate's root, if `path` leads into the crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut whole = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let kept = self.module.len().checked_sub(ups)?;
                let mut whole = self.module.get(..kept)?.to_vec();
                whole.extend(path.get(ups..)?.iter().cloned());
                return Some(whole);
            }
            name => {
                if let Some(target) = self.imports.names.get(name) {
                    target.clone()
                } else if self.children.contains(name) && !rest.is_empty() {
                    let mut whole = self.module.clone();
                    whole.push(name.to_owned());
                    whole
                } else {
                    return None;
                }
            }
        };
        whole.extend(rest.iter().cloned());
        Some(whole)
    }

    fn take_use(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, is_passed_on: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take_use(&path.tree, before, is_passed_on);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.take_use(tree, before, is_passed_on);
                }
            }
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.take_name(before, &name, &name, is_passed_on);
            }
            syn::UseTree::Rename(rename) => {
                let (name, alias) = (rename.ident.to_string(), rename.rename.to_string());
                self.take_name(before, &name, &alias, is_passed_on);
            }
            syn::UseTree::Glob(_) => self.imports.paths.extend(self.absolute(before)),
        }
    }

    fn take_name(&mut self, before: &[String], name: &str, alias: &str, is_passed_on: bool) {
        let mut path = before.to_vec();
        let alias = match name {
            "self" if alias == name => before.last().cloned().unwrap_or_default(),
            _ => alias.to_owned(),
        };
        if name != "self" || before.is_empty() {
            path.push(name.to_owned());
        }
        let Some(whole) = self.absolute(&path) else {
            return;
        };
        if !is_passed_on {
            self.imports.paths.insert(whole.clone());
        }
        self.imports.names.insert(alias, whole);
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            let is_passed_on = !matches!(item.vis, syn::Visibility::Inherited);
            self.take_use(&item.tree, &mut Vec::new(), is_passed_on);
        }
    }
}

/// The second pass: paths in types, expressions and patterns.
struct Paths {
    names: Names,
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            self.names.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.names.module.pop();
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    // `pub(crate)` and `pub(super)` use nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        if path.leading_colon.is_none() {
            let whole = self.names.absolute(&parts);
            self.names.imports.paths.extend(whole);
        }
        visit::visit_path(self, path);
    }
}
