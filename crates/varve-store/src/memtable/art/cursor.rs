//! Goes through the keys of a tree in their order, upwards or downwards from a bound.

use core::cmp::Ordering;
use std::ops::Bound;

use super::{ArtIndex, Link, POSITIONS};

/// A node on the way to the current leaf, and the position at which to go on in it.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: Link,
    position: u16,
}

/// Keys upwards.
pub(super) struct Ascent<'a> {
    index: &'a ArtIndex,
    frames: Vec<Frame>,
    /// The leaf at the bound, if it is wanted; it comes first.
    first: Link,
}

/// Keys downwards.
pub(super) struct Descent<'a> {
    index: &'a ArtIndex,
    frames: Vec<Frame>,
    first: Link,
}

/// How the keys below a node lie to a bound.
enum Side {
    /// All are below it, or all above.
    All(Ordering),
    /// The bound ends where the node branches: at the bound is only the key that ends here.
    Ends,
    /// The bound goes on with this byte, after so many bytes in all.
    Splits(u8, usize),
}

impl ArtIndex {
    fn side(&self, node: Link, depth: usize, bound: &[u8]) -> Option<Side> {
        let header = self.header(node)?;
        let end = depth + header.skip as usize;
        if header.skip > 0 {
            let skipped = self.key(header.sample).get(depth..end)?;
            let wanted = bound.get(depth..end.min(bound.len())).unwrap_or_default();
            let common = skipped.get(..wanted.len())?;
            match common.cmp(wanted) {
                // The keys below are longer than the bound, which begins as they do.
                Ordering::Equal if wanted.len() < skipped.len() => {
                    return Some(Side::All(Ordering::Greater));
                }
                Ordering::Equal => {}
                side => return Some(Side::All(side)),
            }
        }
        Some(match bound.get(end) {
            Some(byte) => Side::Splits(*byte, end + 1),
            None => Side::Ends,
        })
    }

    /// Goes down towards a bound. `visit` gets each node on the way with how its keys lie. Returns
    /// the leaf at the end of the way, if its key lies on the wanted side.
    fn seek(
        &self,
        bound: &[u8],
        is_wanted: impl Fn(Ordering) -> bool,
        mut visit: impl FnMut(Link, &Side),
    ) -> Link {
        let mut link = self.root;
        let mut depth = 0;
        while let Some(side) = self.side(link, depth, bound) {
            visit(link, &side);
            let Side::Splits(byte, next) = side else {
                return Link::NONE;
            };
            link = self.find(link, byte);
            depth = next;
        }
        match self.leaf(link) {
            Some((key, _)) if is_wanted(key.cmp(bound)) => link,
            _ => Link::NONE,
        }
    }
}

/// The bound's key and whether it is wanted itself.
fn parts(from: Bound<&[u8]>) -> Option<(&[u8], bool)> {
    match from {
        Bound::Unbounded => None,
        Bound::Included(key) => Some((key, true)),
        Bound::Excluded(key) => Some((key, false)),
    }
}

impl<'a> Ascent<'a> {
    pub(super) fn new(index: &'a ArtIndex, from: Bound<&[u8]>) -> Ascent<'a> {
        let mut frames = Vec::with_capacity(16);
        let mut push = |node, position| frames.push(Frame { node, position });
        let first = match parts(from) {
            None if index.leaf(index.root).is_some() => index.root,
            None => {
                push(index.root, 0);
                Link::NONE
            }
            Some((bound, inclusive)) => {
                let is_wanted = |side: Ordering| side.is_gt() || inclusive && side.is_eq();
                index.seek(bound, is_wanted, |node, side| match *side {
                    Side::All(Ordering::Less) => {}
                    Side::All(_) => push(node, 0),
                    Side::Ends => push(node, u16::from(!inclusive)),
                    Side::Splits(byte, _) => push(node, u16::from(byte) + 2),
                })
            }
        };
        Ascent {
            index,
            frames,
            first,
        }
    }
}

impl<'a> Iterator for Ascent<'a> {
    type Item = (&'a [u8], u32);

    fn next(&mut self) -> Option<(&'a [u8], u32)> {
        if self.first.exists() {
            let leaf = core::mem::replace(&mut self.first, Link::NONE);
            return self.index.leaf(leaf);
        }
        loop {
            let frame = self.frames.last_mut()?;
            match self.index.first_at(frame.node, frame.position) {
                None => drop(self.frames.pop()),
                Some((position, child)) => {
                    frame.position = position + 1;
                    match self.index.leaf(child) {
                        Some(leaf) => return Some(leaf),
                        None => self.frames.push(Frame {
                            node: child,
                            position: 0,
                        }),
                    }
                }
            }
        }
    }
}

impl<'a> Descent<'a> {
    pub(super) fn new(index: &'a ArtIndex, from: Bound<&[u8]>) -> Descent<'a> {
        let mut frames = Vec::with_capacity(16);
        let mut push = |node, position| frames.push(Frame { node, position });
        let first = match parts(from) {
            None if index.leaf(index.root).is_some() => index.root,
            None => {
                push(index.root, POSITIONS);
                Link::NONE
            }
            Some((bound, inclusive)) => {
                let is_wanted = |side: Ordering| side.is_lt() || inclusive && side.is_eq();
                index.seek(bound, is_wanted, |node, side| match *side {
                    Side::All(Ordering::Less) => push(node, POSITIONS),
                    Side::All(_) => {}
                    Side::Ends => push(node, u16::from(inclusive)),
                    Side::Splits(byte, _) => push(node, u16::from(byte) + 1),
                })
            }
        };
        Descent {
            index,
            frames,
            first,
        }
    }
}

impl<'a> Iterator for Descent<'a> {
    type Item = (&'a [u8], u32);

    fn next(&mut self) -> Option<(&'a [u8], u32)> {
        if self.first.exists() {
            let leaf = core::mem::replace(&mut self.first, Link::NONE);
            return self.index.leaf(leaf);
        }
        loop {
            let frame = self.frames.last_mut()?;
            match self.index.last_before(frame.node, frame.position) {
                None => drop(self.frames.pop()),
                Some((position, child)) => {
                    frame.position = position;
                    match self.index.leaf(child) {
                        Some(leaf) => return Some(leaf),
                        None => self.frames.push(Frame {
                            node: child,
                            position: POSITIONS,
                        }),
                    }
                }
            }
        }
    }
}
