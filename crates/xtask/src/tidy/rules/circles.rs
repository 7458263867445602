use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::exceptions::Excess;
use crate::tidy::module_tree::ModuleTree;
use crate::tidy::syntax::RustTree;

type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Folders of one crate whose modules use each other in a circle. Modules of the same folder may.
pub(crate) fn check(files: &[RustTree]) -> Vec<Excess> {
    let mut crates: BTreeMap<&str, Vec<(&str, &syn::File)>> = BTreeMap::new();
    for file in files {
        if let Some((name, path)) = file.place_in_crate() {
            crates.entry(name).or_default().push((path, &file.tree));
        }
    }
    let mut found = Vec::new();
    for (name, files) in crates {
        let tree = ModuleTree::new(files.into_iter());
        let circles = circles(&tree.uses()).into_iter();
        found.extend(circles.map(|(folders, route)| excess(name, folders, &route)));
    }
    found
}

fn excess(name: &str, (from, to): (&str, &str), route: &[&str]) -> Excess {
    let first = route.first().copied().unwrap_or_default();
    Excess {
        path: format!("crates/{name}/src/{first}"),
        line: 0,
        key: format!("{name}: {from} -> {to}"),
        size: 1,
        message: format!(
            "a circle of modules leads from `{from}` to `{to}`: {}; move what both need below both",
            route.join(" -> ")
        ),
    }
}

/// By the folders of a use that lies on a circle: the files of a shortest one.
fn circles<'a>(uses: &BTreeSet<(&'a str, &'a str)>) -> BTreeMap<(&'a str, &'a str), Vec<&'a str>> {
    let mut graph: Graph<'_> = BTreeMap::new();
    for (from, to) in uses {
        graph.entry(from).or_default().insert(to);
    }
    let mut circles: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (from, to) in uses {
        let folders = (folder_of(from), folder_of(to));
        if folders.0 == folders.1 || circles.contains_key(&folders) {
            continue;
        }
        if let Some(back) = route(&graph, to, from) {
            let circle = std::iter::once(*from).chain(back).collect();
            circles.insert(folders, circle);
        }
    }
    circles
}

/// The folder of a file below `src`; `.` is `src` itself.
fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// A shortest way along uses, with both ends.
fn route<'a>(graph: &Graph<'a>, start: &'a str, end: &str) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut layer = vec![start];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for file in layer {
            if file == end {
                let steps = std::iter::successors(Some(file), |file| came_from.get(file).copied());
                let mut route: Vec<&str> = steps.collect();
                route.reverse();
                return Some(route);
            }
            for used in graph.get(file).into_iter().flatten() {
                if *used != start && !came_from.contains_key(used) {
                    came_from.insert(used, file);
                    next.push(*used);
                }
            }
        }
        layer = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(uses: &[(&'static str, &'static str)]) -> Vec<String> {
        let circles = circles(&uses.iter().copied().collect()).into_iter();
        circles
            .map(|((from, to), route)| format!("{from} -> {to}: {}", route.join(" ")))
            .collect()
    }

    #[test]
    fn folders_on_a_circle_are_found() {
        let uses = [
            ("a/x.rs", "b/x.rs"),
            ("b/x.rs", "c.rs"),
            ("c.rs", "a/x.rs"),
            ("b/x.rs", "d.rs"),
        ];
        assert_eq!(
            keys(&uses),
            [
                ". -> a: c.rs a/x.rs b/x.rs c.rs",
                "a -> b: a/x.rs b/x.rs c.rs a/x.rs",
                "b -> .: b/x.rs c.rs a/x.rs b/x.rs"
            ]
        );
    }

    #[test]
    fn folders_may_use_each_other_without_a_circle_of_modules() {
        assert!(keys(&[("a/x.rs", "b/x.rs"), ("b/y.rs", "a/y.rs")]).is_empty());
        assert!(keys(&[("a/x.rs", "a/y.rs"), ("a/y.rs", "a/x.rs")]).is_empty());
    }

    #[test]
    fn a_planted_circle_is_found_in_sources() {
        let file = |path: &str, text: &str| RustTree {
            path: format!("crates/k/src/{path}"),
            tree: syn::parse_file(text).unwrap(),
        };
        let mut files = vec![
            file("lib.rs", "mod a;\nmod b;\n"),
            file("a/mod.rs", "use crate::b::B;\npub(crate) struct A;\n"),
            file("b/mod.rs", "pub(crate) struct B;\n"),
        ];
        assert!(check(&files).is_empty());
        files.push(file("b/inner.rs", "use crate::a::A;\n"));
        assert!(check(&files).is_empty());
        files.push(file(
            "b/mod.rs",
            "mod inner;\nuse inner::f;\npub(crate) struct B;\n",
        ));
        let keys: Vec<String> = check(&files).into_iter().map(|found| found.key).collect();
        assert_eq!(keys, ["k: a -> b", "k: b -> a"]);
    }
}
