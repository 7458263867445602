//! An expression taken apart.

use super::set::CharSet;

/// How much a part of an expression wants of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefers {
    /// It always has one length.
    Neither,
    Longer,
    Shorter,
}

impl Prefers {
    pub(super) fn or(self, other: Prefers) -> Prefers {
        match self {
            Prefers::Neither => other,
            own => own,
        }
    }
}

/// A condition on a place between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    TextStart,
    LineStart,
    TextEnd,
    LineEnd,
    WordStart,
    WordEnd,
    WordBorder,
    NoWordBorder,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) prefers: Prefers,
    /// Has captures or back references inside.
    pub(super) is_complex: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Empty,
    Set(CharSet),
    Place(Place),
    Look {
        ahead: bool,
        negated: bool,
        inside: Box<Node>,
    },
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        inside: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// The number of the parentheses, from 1.
    Capture(usize, Box<Node>),
    Reference {
        group: usize,
        ignore_case: bool,
    },
}

/// A whole expression.
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) groups: usize,
    pub(super) has_references: bool,
}

impl Node {
    /// A part of one length without captures.
    pub(super) fn plain(kind: Kind) -> Node {
        Node {
            kind,
            prefers: Prefers::Neither,
            is_complex: false,
        }
    }

    /// Parts one after another. Neighbours of one length become one, which keeps the chain short.
    pub(super) fn concat(parts: Vec<Node>) -> Node {
        let mut grouped: Vec<Node> = Vec::new();
        let is_rigid = |node: &Node| node.prefers == Prefers::Neither && !node.is_complex;
        let has_flexible = !parts.iter().all(is_rigid);
        for part in parts {
            if has_flexible
                && is_rigid(&part)
                && let Some(last) = grouped.last_mut().filter(|last| is_rigid(last))
            {
                if let Kind::Concat(run) = &mut last.kind {
                    run.push(part);
                } else {
                    let first = core::mem::replace(last, Node::plain(Kind::Empty));
                    last.kind = Kind::Concat(vec![first, part]);
                }
                continue;
            }
            grouped.push(part);
        }
        let mut prefers = Prefers::Neither;
        for part in &grouped {
            prefers = prefers.or(part.prefers);
        }
        let is_complex = grouped.iter().any(|part| part.is_complex);
        match grouped.len() {
            0 => Node::plain(Kind::Empty),
            1 => grouped.swap_remove(0),
            _ => Node {
                kind: Kind::Concat(grouped),
                prefers,
                is_complex,
            },
        }
    }
}
