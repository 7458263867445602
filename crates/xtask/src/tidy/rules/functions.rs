use syn::visit::{self, Visit};

use crate::tidy::exceptions::Excess;
use crate::tidy::syntax::{RustTree, is_for_tests};

const LINES_MAX: usize = 70;
const PARAMETERS_MAX: usize = 6;

/// A function, named with its type, and with its size.
struct Function {
    name: String,
    line: usize,
    /// From `fn` to the closing brace.
    lines: usize,
    /// With the receiver, as clippy counts.
    parameters: usize,
}

/// Functions that are too long to be read at once.
pub(crate) fn too_long(file: &RustTree) -> Vec<Excess> {
    excesses(
        file,
        |function| function.lines,
        LINES_MAX,
        |lines| format!("{lines} lines, {LINES_MAX} is the limit: name its steps"),
    )
}

/// Functions whose arguments cannot be told apart where they are called.
pub(crate) fn too_many_parameters(file: &RustTree) -> Vec<Excess> {
    excesses(
        file,
        |function| function.parameters,
        PARAMETERS_MAX,
        |count| {
            format!("{count} parameters, {PARAMETERS_MAX} is the limit: pass a struct with names")
        },
    )
}

fn excesses(
    file: &RustTree,
    size: impl Fn(&Function) -> usize,
    max: usize,
    message: impl Fn(usize) -> String,
) -> Vec<Excess> {
    let functions = functions_of(&file.tree).into_iter();
    functions
        .filter(|function| size(function) > max)
        .map(|function| Excess {
            path: file.path.clone(),
            line: function.line,
            key: format!("{} {}", file.path, function.name),
            size: size(&function),
            message: format!("`{}`: {}", function.name, message(size(&function))),
        })
        .collect()
}

fn functions_of(tree: &syn::File) -> Vec<Function> {
    let mut visitor = Functions {
        owner: String::new(),
        found: Vec::new(),
    };
    visitor.visit_file(tree);
    visitor.found
}

struct Functions {
    /// The type or trait that a function belongs to, with `::`, or nothing.
    owner: String,
    found: Vec<Function>,
}

impl Functions {
    fn take(&mut self, signature: &syn::Signature, body: Option<&syn::Block>) {
        let line = signature.fn_token.span.start().line;
        let end = match body {
            Some(block) => block.brace_token.span.close().end().line,
            None => line,
        };
        self.found.push(Function {
            name: format!("{}{}", self.owner, signature.ident),
            line,
            lines: (end + 1).saturating_sub(line),
            parameters: signature.inputs.len(),
        });
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let before = std::mem::replace(&mut self.owner, owner_of(&item.self_ty));
        visit::visit_item_impl(self, item);
        self.owner = before;
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        let before = std::mem::replace(&mut self.owner, format!("{}::", item.ident));
        visit::visit_item_trait(self, item);
        self.owner = before;
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let before = std::mem::take(&mut self.owner);
        self.take(&item.sig, Some(&item.block));
        visit::visit_item_fn(self, item);
        self.owner = before;
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.take(&item.sig, Some(&item.block));
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.take(&item.sig, item.default.as_ref());
        visit::visit_trait_item_fn(self, item);
    }
}

fn owner_of(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => {
            let last = path.path.segments.last();
            last.map_or(String::new(), |part| format!("{}::", part.ident))
        }
        syn::Type::Reference(reference) => owner_of(&reference.elem),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> RustTree {
        RustTree {
            path: "a.rs".to_owned(),
            tree: syn::parse_file(text).unwrap(),
        }
    }

    fn long(text: &str) -> Vec<(String, usize)> {
        let found = too_long(&tree(text)).into_iter();
        found.map(|excess| (excess.key, excess.line)).collect()
    }

    fn wide(text: &str) -> Vec<String> {
        let found = too_many_parameters(&tree(text)).into_iter();
        found.map(|excess| excess.key).collect()
    }

    #[test]
    fn long_functions_are_found() {
        let body = |lines: usize| format!("{{\n{}}}\n", "a();\n".repeat(lines - 2));
        assert!(long(&format!("fn f() {}", body(70))).is_empty());
        let text = format!("// One.\nfn f() {}", body(71));
        assert_eq!(long(&text), [("a.rs f".to_owned(), 2)]);
        let text = format!("impl<T> A<T> {{\n#[inline]\nfn f(&self) {} }}", body(71));
        assert_eq!(long(&text), [("a.rs A::f".to_owned(), 3)]);
        let text = format!("trait B {{ fn f(&self) {} }}", body(71));
        assert_eq!(long(&text), [("a.rs B::f".to_owned(), 1)]);
    }

    #[test]
    fn tests_may_be_long() {
        let body = format!("{{\n{}}}\n", "a();\n".repeat(90));
        let text = format!("#[cfg(test)] mod tests {{ fn f() {body} }}\n#[test] fn g() {body}");
        assert!(long(&text).is_empty());
    }

    #[test]
    fn functions_of_many_parameters_are_found() {
        assert!(wide("fn f(a: A, b: A, c: A, d: A, e: A, g: A) {}").is_empty());
        assert_eq!(
            wide("fn f(a: A, b: A, c: A, d: A, e: A, g: A, h: A) {}"),
            ["a.rs f"]
        );
        let text = "trait B { fn f(&self, b: A, c: A, d: A, e: A, g: A, h: A); }";
        assert_eq!(wide(text), ["a.rs B::f"]);
    }
}
