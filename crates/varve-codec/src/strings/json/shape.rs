//! The shape that JSON documents share: the text between their values, and where values are.

use crate::string_data::StringsRef;
use crate::strings::json::pattern::{Pattern, Slot};
use crate::strings::json::scan::{is_space, text_bytes, value_bytes};
use crate::strings::json::template::FIELDS_MAX;

/// Containers below this depth are one value.
const DEPTH_MAX: usize = 12;
/// Shapes that are told apart before the most frequent are kept.
const SHAPES_MAX: usize = 32;
/// Shapes kept.
const KEPT_MAX: usize = 8;
/// A kept shape has at least one row in as many.
const RARE: usize = 50;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    /// A string, whatever its text.
    Text,
    /// Any value.
    Raw,
    /// An object or array: the text before, between and after its values, and those.
    Container {
        literals: Vec<Vec<u8>>,
        children: Vec<Node>,
    },
}

/// A shape and how many rows have it.
struct Cluster {
    root: Node,
    pattern: Pattern,
    rows: usize,
}

/// The patterns of the frequent shapes of these rows, most frequent first; none when fewer than
/// half of the rows have one.
pub(crate) fn patterns(vectors: &[StringsRef<'_>]) -> Vec<Pattern> {
    if !vectors.iter().any(|vector| looks_like_json(*vector)) {
        return Vec::new();
    }
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut rows = 0;
    let mut values = Vec::new();
    for vector in vectors {
        rows += vector.len();
        for row in 0..vector.len() {
            let text = vector.get(row);
            let fits = |cluster: &&mut Cluster| cluster.pattern.cut(text, &mut values).is_some();
            match clusters.iter_mut().find(fits) {
                Some(cluster) => cluster.rows += 1,
                None => add(&mut clusters, text),
            }
        }
    }
    varve_sort::sort_by_key(&mut clusters, |cluster| usize::MAX - cluster.rows);
    clusters.retain(|cluster| cluster.rows > 1 && cluster.rows >= rows / RARE);
    clusters.truncate(KEPT_MAX);
    let covered: usize = clusters.iter().map(|cluster| cluster.rows).sum();
    if covered * 2 < rows {
        return Vec::new();
    }
    clusters
        .into_iter()
        .map(|cluster| cluster.pattern)
        .collect()
}

fn looks_like_json(vector: StringsRef<'_>) -> bool {
    let rows = vector.len().min(16);
    let opens = |row: &usize| {
        let first = vector.get(*row).iter().find(|byte| !is_space(**byte));
        matches!(first, Some(b'{' | b'['))
    };
    (0..rows).filter(opens).count() * 2 >= rows.max(1)
}

/// Widens the cluster that has the keys of this document, or begins one.
fn add(clusters: &mut Vec<Cluster>, text: &[u8]) {
    let Some(root) = document(text) else { return };
    for cluster in clusters.iter_mut() {
        if !same_literals(&cluster.root, &root) {
            continue;
        }
        let widened = unified(&cluster.root, &root);
        if let Some(pattern) = flat(&widened) {
            cluster.root = widened;
            cluster.pattern = pattern;
            cluster.rows += 1;
        }
        return;
    }
    if clusters.len() < SHAPES_MAX
        && let Some(pattern) = flat(&root)
    {
        clusters.push(Cluster {
            root,
            pattern,
            rows: 1,
        });
    }
}

/// The shape of one object or array with the whitespace around it.
fn document(text: &[u8]) -> Option<Node> {
    let before = text.iter().take_while(|byte| is_space(**byte)).count();
    let (node, bytes) = node(text.get(before..)?, DEPTH_MAX)?;
    let after = text.get(before + bytes..)?;
    let Node::Container {
        mut literals,
        children,
    } = node
    else {
        return None;
    };
    if !after.iter().all(|byte| is_space(*byte)) {
        return None;
    }
    literals
        .first_mut()?
        .splice(0..0, text.get(..before)?.iter().copied());
    literals.last_mut()?.extend_from_slice(after);
    Some(Node::Container { literals, children })
}

/// The shape of the value at the front, and its bytes.
fn node(bytes: &[u8], depth: usize) -> Option<(Node, usize)> {
    match bytes.first()? {
        b'"' => Some((Node::Text, value_bytes(bytes)?)),
        b'{' if depth > 0 => container(bytes, true, depth),
        b'[' if depth > 0 => container(bytes, false, depth),
        _ => Some((Node::Raw, value_bytes(bytes)?)),
    }
}

fn container(bytes: &[u8], object: bool, depth: usize) -> Option<(Node, usize)> {
    let close = if object { b'}' } else { b']' };
    let (mut literals, mut children) = (Vec::new(), Vec::new());
    let mut literal_start = 0;
    let mut at = skip_space(bytes, 1)?;
    if bytes.get(at) != Some(&close) {
        loop {
            if object {
                at = skip_space(bytes, after_key(bytes, at)?)?;
            }
            literals.push(bytes.get(literal_start..at)?.to_vec());
            let (child, length) = node(bytes.get(at..)?, depth - 1)?;
            children.push(child);
            if children.len() > FIELDS_MAX {
                return Some((Node::Raw, value_bytes(bytes)?));
            }
            literal_start = at + length;
            at = skip_space(bytes, literal_start)?;
            match bytes.get(at)? {
                b',' => at = skip_space(bytes, at + 1)?,
                byte if *byte == close => break,
                _ => return None,
            }
        }
    }
    literals.push(bytes.get(literal_start..=at)?.to_vec());
    Some((Node::Container { literals, children }, at + 1))
}

/// Where the value of the key at `at` may begin: behind its colon.
fn after_key(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let quote = at + 1 + text_bytes(bytes.get(at + 1..)?)?;
    let colon = skip_space(bytes, quote + 1)?;
    (bytes.get(colon) == Some(&b':')).then_some(colon + 1)
}

fn skip_space(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    Some(at + rest.iter().take_while(|byte| is_space(**byte)).count())
}

fn same_literals(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Container { literals: a, .. }, Node::Container { literals: b, .. }) => a == b,
        _ => false,
    }
}

/// The closest shape that both values have.
fn unified(a: &Node, b: &Node) -> Node {
    match (a, b) {
        (Node::Text, Node::Text) => Node::Text,
        (
            Node::Container { literals, children },
            Node::Container {
                children: others, ..
            },
        ) if same_literals(a, b) => Node::Container {
            literals: literals.clone(),
            children: children
                .iter()
                .zip(others)
                .map(|(a, b)| unified(a, b))
                .collect(),
        },
        _ => Node::Raw,
    }
}

/// The shape as one row of values; the deepest containers are values themselves where there are
/// too many otherwise.
fn flat(root: &Node) -> Option<Pattern> {
    (1..=DEPTH_MAX).rev().find_map(|depth| {
        let mut pattern = Pattern::default();
        flatten(root, depth, &mut pattern);
        let slots = pattern.slots().len();
        (1..=FIELDS_MAX).contains(&slots).then_some(pattern)
    })
}

fn flatten(node: &Node, depth: usize, pattern: &mut Pattern) {
    match node {
        Node::Text => {
            pattern.put_literal(b"\"");
            pattern.put_slot(Slot::Text);
            pattern.put_literal(b"\"");
        }
        Node::Container { literals, children } if depth > 0 => {
            let mut children = children.iter();
            for literal in literals {
                pattern.put_literal(literal);
                if let Some(child) = children.next() {
                    flatten(child, depth - 1, pattern);
                }
            }
        }
        Node::Raw | Node::Container { .. } => pattern.put_slot(Slot::Raw),
    }
}
